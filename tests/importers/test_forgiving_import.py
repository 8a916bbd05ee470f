"""Import forgives and tells: broken rows are skipped and listed; odd names are one line."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest
from import_samples import folder_of, image, sample, tar_of
from PIL import Image

from portrayal.audit import AuditFolder, export_images
from portrayal.errors import ImportFileError
from portrayal.importers import import_images, manifest_prompts
from portrayal.studies import drafted_text, study_from_toml


def test_broken_rows_are_stored_as_failed_and_listed(tmp_path: Path) -> None:
    rows = [{"image": f"{i}.png", "prompt": f"p{i % 3}", "seed": i} for i in range(12)]
    source = folder_of(tmp_path / "files", rows)
    (source / "3.png").write_bytes(b"no image")
    (source / "7.png").unlink()
    with (source / "manifest.csv").open("a") as file:
        file.write("x.png,,1\nx.png,p1\nx.gif,p1,40\n0.png,p0,0\n")
    with pytest.raises(ImportFileError, match="and 3 more"):
        import_images(source, tmp_path / "strict")
    summary = import_images(source, tmp_path / "audit", skip_broken=True)
    assert (summary.added, summary.skipped) == (10, 6)
    audit = AuditFolder(tmp_path / "audit")
    failed = dict(audit.images().filter("status = 'failed'").select("seed, reason").fetchall())
    assert set(failed) == {3, 7, 40}
    assert failed[3].startswith("not imported: 3.png: corrupt image")
    assert summary.listed is not None
    listed = dict(list(csv.reader(summary.listed.read_text().splitlines()))[1:])
    assert set(listed) == {"row 5", "row 9", "row 14", "row 15", "row 16", "row 17"}
    assert listed["row 9"].startswith("7.png: no such image")
    # What is fixed is taken in by the next import; what was there stays.
    (source / "3.png").write_bytes(image(3))
    again = import_images(source, tmp_path / "audit", skip_broken=True)
    assert (again.added, again.skipped) == (1, 5)


def test_broken_samples_of_a_tar_are_skipped(tmp_path: Path) -> None:
    members = {**sample("a", "a nurse", 1), **sample("b", "a chef", 2)}
    members["b.jpg"] = b"no image"
    members |= {"c.txt": "a cook"}
    tar = tar_of(tmp_path / "x.tar", members)
    summary = import_images(tar, tmp_path / "audit", skip_broken=True)
    assert (summary.added, summary.skipped) == (1, 2)
    rows = AuditFolder(tmp_path / "audit").images().select("prompt, status").fetchall()
    assert sorted(rows) == [("a chef", "failed"), ("a cook", "failed"), ("a nurse", "ok")]


def test_headers_in_any_case(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "files", [{"image": "a.png", "prompt": "x"}])
    (source / "manifest.csv").write_text("Image,PROMPT,Seed,Style\na.png,a nurse,5,Oil\n")
    import_images(source, tmp_path / "audit")
    rows = AuditFolder(tmp_path / "audit").images().select("prompt, seed, factors").fetchall()
    assert rows == [("a nurse", 5, '{"Style": "Oil"}')]


def test_avif_is_imported_measured_and_exported(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (16, 16), "teal").save(buffer, "AVIF")
    source = tmp_path / "files"
    source.mkdir()
    (source / "a.avif").write_bytes(buffer.getvalue())
    (source / "manifest.csv").write_text("image,prompt\na.avif,a nurse\n")
    import_images(source, tmp_path / "audit")
    export_images(AuditFolder(tmp_path / "audit"), tmp_path / "out")
    (file,) = (tmp_path / "out").glob("*.avif")
    assert file.read_bytes() == buffer.getvalue()


def test_heic_that_is_damaged_or_cannot_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "files"
    source.mkdir()
    (source / "a.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(64))
    (source / "manifest.csv").write_text("image,prompt\na.heic,a nurse\n")
    with pytest.raises(ImportFileError, match=r"row 2: a\.heic: corrupt image"):
        import_images(source, tmp_path / "audit")
    monkeypatch.setitem(__import__("sys").modules, "pi_heif", None)
    with pytest.raises(ImportFileError, match=r'HEIC needs: pip install "portrayal\[heic\]"'):
        import_images(source, tmp_path / "audit")


def test_odd_names_are_one_line_each(tmp_path: Path) -> None:
    source = tmp_path / "files"
    source.mkdir()
    os.symlink("loop.png", source / "loop.png")
    for name, why in (
        ("loop.png", "circle|no such image|no file can be called"),
        ("x" * 300 + ".png", "no file can be called that|no such image"),
        ("a\0b.png", "no file can be called that|not CSV"),
    ):
        (source / "manifest.csv").write_text(f"image,prompt\n{name},a nurse\n")
        with pytest.raises(ImportFileError, match=why):
            import_images(source, tmp_path / "audit")
    with pytest.raises(ImportFileError, match=r"no folder can be called that|no such folder"):
        import_images(f"{tmp_path}/{'y' * 300}", tmp_path / "audit")


def test_a_study_is_drafted_from_a_manifest(tmp_path: Path) -> None:
    rows = [
        {"image": f"{i}.png", "prompt": f'a "{job}"', "job": job, "camera": i}
        for i, job in enumerate(["nurse", "chef", "nurse"])
    ]
    source = folder_of(tmp_path / "files", rows)
    text = drafted_text("mine", manifest_prompts(source / "manifest.csv"))
    study = study_from_toml(text, source="mine.toml", name="mine")
    assert [(p.text, p.factors, p.images) for p in study.prompts()] == [
        ('a "nurse"', {"job": "nurse"}, 2),
        ('a "chef"', {"job": "chef"}, 2),
    ]


def test_images_of_other_formats_are_named(tmp_path: Path) -> None:
    source = tmp_path / "files"
    (source / "deep").mkdir(parents=True)
    Image.new("RGB", (8, 8), "red").save(source / "a.png")
    for name in ("b.gif", "deep/c.TIFF", "deep/d.tiff", ".hidden.gif", "notes.txt"):
        (source / name).write_bytes(b"x")
    found = import_images(source, tmp_path / "audit")
    assert found.passed_over == {".gif": 1, ".tiff": 2}
    assert "; passed over: 1 .gif, 2 .tiff (formats that can be imported: .png" in found.sentence()


def test_a_broken_image_is_named_once_with_what_to_do(tmp_path: Path) -> None:
    source = tmp_path / "files"
    source.mkdir()
    (source / "a.png").write_bytes(b"")
    with pytest.raises(ImportFileError) as caught:
        import_images(source, tmp_path / "audit")
    assert str(caught.value) == (
        f"{source}: a.png: corrupt image: not a PNG, JPEG, WebP or AVIF image; to import the "
        "others, set `skip_broken`"
    )


def test_a_changed_image_is_not_skipped_as_broken(tmp_path: Path) -> None:
    source = tmp_path / "files"
    source.mkdir()
    Image.new("RGB", (8, 8), "red").save(source / "a.png")
    import_images(source, tmp_path / "audit")
    Image.new("RGB", (8, 8), "blue").save(source / "a.png")
    with pytest.raises(ImportFileError, match="is not the image that the audit has"):
        import_images(source, tmp_path / "audit", skip_broken=True)
