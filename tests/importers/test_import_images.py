"""Images of one's own become an audit: byte for byte, once, or one clear line and nothing."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path

import pytest
from import_samples import folder_of, image, sample, tar_of

from portrayal.audit import AuditFolder, export_images
from portrayal.errors import AuditError, ImportFileError
from portrayal.importers import import_images
from portrayal.importers.image_files import MAX_PIXELS
from portrayal.records import Identity, ImageRecord


def rows(out: Path) -> list[tuple[str, int, str]]:
    found = (
        AuditFolder(out).images().select("prompt, seed, status").order("prompt, seed").fetchall()
    )
    return [tuple(row) for row in found]


def stored(out: Path) -> dict[str, bytes]:
    found = AuditFolder(out).images(with_bytes=True).select("image.path, image.bytes").fetchall()
    return dict(found)


def refuses(source: Path, out: Path, says: str, **options: str) -> str:
    with pytest.raises(ImportFileError) as caught:
        import_images(source, out, **options)
    said = str(caught.value)
    assert says in said
    assert "\n" not in said
    assert not out.exists()
    return said


# --- validation: one line naming file and row, and nothing written ----------------------------

GOOD = {"image": "good.png", "prompt": "a"}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"image": "", "prompt": "a"}, "row 3: no image"),
        ({"image": "good.png", "prompt": "  "}, "row 3: no prompt"),
        ({"image": "../out.png", "prompt": "a"}, "../out.png: leaves the folder"),
        ({"image": "sub/../../out.png", "prompt": "a"}, "leaves the folder"),
        ({"image": "/etc/passwd.png", "prompt": "a"}, "/etc/passwd.png: an absolute path"),
        ({"image": "C:\\images\\a.png", "prompt": "a"}, "an absolute path"),
        ({"image": "\\\\server\\share\\a.png", "prompt": "a"}, "an absolute path"),
        ({"image": "b.gif", "prompt": "a"}, ".gif is not an image format"),
        ({"image": "b", "prompt": "a"}, "no ending is not an image format"),
        ({"image": "b.png", "prompt": "a", "seed": "x"}, "seed 'x' is not a whole number"),
        ({"image": "b.png", "prompt": "a", "seed": "-1"}, "seed '-1' is not a whole number"),
        ({"image": "b.png", "prompt": "a", "seed": "1.0"}, "seed '1.0' is not a whole number"),
        ({"image": "b.png", "prompt": "a", "seed": "²"}, "seed '²' is not a whole number"),
        ({"image": "b.png", "prompt": "a", "seed": str(2**63)}, "is not a whole number"),
        ({"image": "b.png", "prompt": "a", "status": "done"}, "status 'done' is unknown; allowed"),
        ({"image": "b.png", "prompt": "a", "status": "refused"}, "status refused with an image"),
        ({"image": "good.png", "prompt": "a"}, "image good.png of the same prompt is in row 2"),
        ({"image": "./good.png", "prompt": "a"}, "of the same prompt is in row 2"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: dict[str, str], says: str) -> None:
    source = tmp_path / "mine"
    folder_of(source, [GOOD])
    for name in ("b.png", "b.gif", "b"):
        (source / name).write_bytes(image())
    (tmp_path / "out.png").write_bytes(image())
    heads = list(dict.fromkeys([*GOOD, *row]))
    lines = [",".join(heads), *(",".join(r.get(h, "") for h in heads) for r in (GOOD, row))]
    (source / "manifest.csv").write_text("\n".join(lines), encoding="utf-8")
    said = refuses(source, tmp_path / "audit", says)
    assert "manifest.csv: row 3: " in said or f"{source}: row 3: " in said


def test_a_missing_image_is_named(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD, {"image": "b.png", "prompt": "b"}])
    (source / "b.png").unlink()
    (source / "b.png").mkdir()
    refuses(source, tmp_path / "audit", "manifest.csv: row 3: b.png: no such image in")
    (source / "b.png").rmdir()
    refuses(source, tmp_path / "audit", "row 3: b.png: no such image in")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        image()[:40],
        image(form="JPEG")[:300],
        # Whole enough to be recognised, not to be decoded.
        *(image(1, form, (900, 700))[:1000] for form in ("PNG", "JPEG", "WEBP")),
    ],
)
def test_a_corrupt_image_is_named(tmp_path: Path, content: bytes) -> None:
    source = folder_of(tmp_path / "mine", [GOOD, {"image": "b.png", "prompt": "b"}])
    (source / "b.png").write_bytes(content)
    refuses(source, tmp_path / "audit", "row 3: b.png: corrupt image: ")


def test_other_formats_are_refused_whatever_their_name(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    (source / "good.png").write_bytes(image(form="GIF"))
    refuses(source, tmp_path / "audit", "corrupt image: not a PNG, JPEG, WebP or AVIF image")


def test_a_decompression_bomb_is_named_without_being_decoded(tmp_path: Path) -> None:
    for side in (8_001, 20_000, 60_000):
        chunks = {
            b"IHDR": struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0),
            b"IDAT": zlib.compress(bytes(1000)),
            b"IEND": b"",
        }
        bomb = b"\x89PNG\r\n\x1a\n"
        for name, data in chunks.items():
            bomb += struct.pack(">I", len(data)) + name + data
            bomb += struct.pack(">I", zlib.crc32(name + data))
        source = folder_of(tmp_path / f"mine{side}", [GOOD])
        (source / "good.png").write_bytes(bomb)
        said = refuses(source, tmp_path / "audit", "good.png: too many pixels")
        assert f"{MAX_PIXELS:,}" in said


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    with (source / "good.png").open("r+b") as file:
        file.truncate(300 * 2**20)
    refuses(source, tmp_path / "audit", "300 MiB is too large for an image")


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    (tmp_path / "secret.png").write_bytes(image())
    (source / "good.png").unlink()
    (source / "good.png").symlink_to(tmp_path / "secret.png")
    refuses(source, tmp_path / "audit", "good.png: leaves the folder")


def test_two_images_for_one_seed_are_named(tmp_path: Path) -> None:
    source = folder_of(
        tmp_path / "mine",
        [
            {"image": "a.png", "prompt": "a", "seed": 3},
            {"image": "b.png", "prompt": "b", "seed": 3},
            {"image": "c.png", "prompt": "a", "seed": 3},
        ],
    )
    refuses(source, tmp_path / "audit", "row 4: seed 3 of the same prompt is in row 2 already")


def test_all_wrong_rows_are_counted_in_one_line(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [{"image": f"{i}.png", "prompt": "a"} for i in range(20)])
    for i in range(2, 12):
        (source / f"{i}.png").write_bytes(b"broken")
    said = refuses(source, tmp_path / "audit", "row 4: 2.png: corrupt image")
    assert "(and 9 more: row 5, row 6, row 7, row 8, row 9 and 4 others); to import the" in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "needs the columns image and prompt"),
        (b"image,prompt\n", "has no rows"),
        (b"image,prompt\n,\n\n", "has no rows"),
        (b"picture,prompt\na.png,x\n", "needs the columns image and prompt"),
        (b"image,caption\na.png,x\n", "got: image, caption"),
        (b"image,prompt,prompt\na.png,x,y\n", "two columns are called 'prompt'"),
        (b"image,prompt,\na.png,x,y\n", "row 1: a column has no name"),
        (b"image,prompt\ngood.png,a, b\n", "row 2: 3 cells in 2 columns"),
        (b'image,prompt\ngood.png,"a\n', "row 2: not CSV"),
        (b"image,prompt\ngood.png,caf\xe9\n", "row 2: not UTF-8 (byte 0xe9)"),
        ("image,prompt\ngood.png,é\n".encode("utf-16"), "row 1: not UTF-8"),
    ],
)
def test_a_table_that_is_none_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    (source / "manifest.csv").write_bytes(content)
    assert "manifest.csv" in refuses(source, tmp_path / "audit", says)


def test_sources_that_are_none(tmp_path: Path) -> None:
    refuses(tmp_path / "nowhere", tmp_path / "audit", "no such folder")
    (tmp_path / "empty").mkdir()
    refuses(tmp_path / "empty", tmp_path / "audit", "no manifest.csv and no .tar in it")
    (tmp_path / "file.zip").write_bytes(b"")
    refuses(tmp_path / "file.zip", tmp_path / "audit", "neither a folder nor a .tar")
    refuses(tmp_path / "empty", tmp_path / "audit", "no such file", manifest="absent.csv")


def test_nothing_is_added_where_a_later_row_is_wrong(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    import_images(source, tmp_path / "audit")
    before = sorted(str(path) for path in (tmp_path / "audit").rglob("*"))
    folder_of(source, [GOOD, {"image": "b.png", "prompt": "b"}, {"image": "c.png", "prompt": "c"}])
    (source / "c.png").write_bytes(b"broken")
    with pytest.raises(ImportFileError, match="row 4"):
        import_images(source, tmp_path / "audit")
    assert sorted(str(path) for path in (tmp_path / "audit").rglob("*")) == before


def test_into_an_audit_of_a_model_nothing_is_imported(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("diffusers", "sd15", {"steps": 25}))
    source = folder_of(tmp_path / "mine", [GOOD])
    with pytest.raises(AuditError, match="kind is 'diffusers' here, got 'folder'"):
        import_images(source, audit.path)
    other = import_images(source, tmp_path / "other", name="midjourney").audit
    with pytest.raises(AuditError, match="name is 'midjourney' here, got 'dalle'"):
        import_images(source, other, name="dalle")


def test_into_a_foreign_folder_nothing_is_imported(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    with pytest.raises(AuditError, match="not empty and not an audit"):
        import_images(source, source)


# --- known answers ---------------------------------------------------------------------------


def test_bytes_factors_and_identity_are_kept(tmp_path: Path) -> None:
    source = folder_of(
        tmp_path / "My images",
        [
            {"image": "sub/a.png", "prompt": "a nurse", "job": "nurse", "light": ""},
            {"image": "b.jpg", "prompt": "ein Müller, müde", "job": "=miller", "light": "dim"},
            {"image": "c.JPEG", "prompt": "a nurse", "job": "", "light": ""},
            {"image": "d.webp", "prompt": "a nurse", "job": "", "light": ""},
        ],
    )
    (source / "c.JPEG").write_bytes(image(3, "JPEG"))
    summary = import_images(source, tmp_path / "audit")
    assert (summary.added, summary.present, summary.prompts) == (4, 0, 2)
    assert json.loads(json.dumps(summary.as_dict()))["added"] == 4
    assert "4 images of 2 prompts" in summary.sentence()
    audit = AuditFolder(tmp_path / "audit")
    assert audit.generator == Identity("folder", "My images", {})
    names = ("sub/a.png", "b.jpg", "c.JPEG", "d.webp")
    assert stored(audit.path) == {name: (source / name).read_bytes() for name in names}
    found = audit.images().order("prompt, seed").select("prompt, seed, factors, width, height")
    assert found.fetchall() == [
        ("a nurse", 0, '{"job": "nurse"}', 8, 6),
        ("a nurse", 1, "{}", 8, 6),
        ("a nurse", 2, "{}", 8, 6),
        ("ein Müller, müde", 0, '{"job": "=miller", "light": "dim"}', 8, 6),
    ]


def test_seeds_are_given_or_run_within_each_prompt_around_those_given(tmp_path: Path) -> None:
    source = folder_of(
        tmp_path / "mine",
        [
            {"image": "0.png", "prompt": "a", "seed": ""},
            {"image": "1.png", "prompt": "a", "seed": 1},
            {"image": "2.png", "prompt": "a", "seed": ""},
            {"image": "3.png", "prompt": "b", "seed": "007"},
            {"image": "4.png", "prompt": "b", "seed": ""},
        ],
    )  # fmt: skip
    import_images(source, tmp_path / "audit")
    found = AuditFolder(tmp_path / "audit").images(with_bytes=True)
    assert dict(found.select("image.path, seed").fetchall()) == {
        "0.png": 0, "1.png": 1, "2.png": 2, "3.png": 7, "4.png": 0,
    }  # fmt: skip


def test_refusals_and_failures_are_data(tmp_path: Path) -> None:
    source = folder_of(
        tmp_path / "mine",
        [
            {"image": "a.png", "prompt": "a", "status": "ok", "reason": ""},
            {"image": "", "prompt": "a", "status": "refused", "reason": "content policy"},
            {"image": "", "prompt": "a", "status": "failed", "reason": "timeout"},
        ],
    )
    assert import_images(source, tmp_path / "audit").added == 3
    assert import_images(source, tmp_path / "audit").present == 3
    assert rows(tmp_path / "audit") == [("a", 0, "ok"), ("a", 1, "refused"), ("a", 2, "failed")]
    reasons = AuditFolder(tmp_path / "audit").images().order("seed").select("reason").fetchall()
    assert reasons == [(None,), ("content policy",), ("timeout",)]


@pytest.mark.parametrize(
    "text",
    [
        "image;prompt\r\ngood.png;a, b\r\n",
        "image\tprompt\ngood.png\ta, b\n",
        '\ufeffimage,prompt\ngood.png,"a, b"\n',
        'prompt , image\n"a, b", good.png\n',
    ],
)
def test_tables_as_spreadsheets_save_them(tmp_path: Path, text: str) -> None:
    source = folder_of(tmp_path / "mine", [GOOD])
    (source / "manifest.csv").write_text(text, encoding="utf-8", newline="")
    if text.startswith("prompt"):
        (source / "manifest.csv").write_text('prompt , image\n"a, b",good.png\n', encoding="utf-8")
    import_images(source, tmp_path / "audit")
    assert rows(tmp_path / "audit") == [("a, b", 0, "ok")]


def test_a_manifest_elsewhere_and_paths_of_windows(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [{"image": "sub/deep/a.png", "prompt": "x"}])
    table = tmp_path / "table.csv"
    table.write_text("image,prompt\nsub\\deep\\a.png,a\n")
    import_images(str(source), str(tmp_path / "audit"), manifest=str(table))
    assert list(stored(tmp_path / "audit")) == ["sub/deep/a.png"]


def test_prompts_of_many_lines_and_of_100_kB(tmp_path: Path) -> None:
    long = "a very long prompt " * 5_500
    source = folder_of(
        tmp_path / "mine",
        [{"image": "a.png", "prompt": "two\nlines"}, {"image": "b.png", "prompt": long}],
    )
    import_images(source, tmp_path / "audit")
    assert {row[0] for row in rows(tmp_path / "audit")} == {"two\nlines", long.strip()}


# --- importing again -------------------------------------------------------------------------


def test_importing_again_adds_only_what_is_new(tmp_path: Path) -> None:
    first = [{"image": f"{i}.png", "prompt": "a"} for i in range(3)]
    source = folder_of(tmp_path / "mine", first)
    import_images(source, tmp_path / "audit")
    again = import_images(source, tmp_path / "audit")
    assert (again.added, again.present) == (0, 3)
    # New rows may stand anywhere: an image keeps its seed.
    folder_of(source, [{"image": "new.png", "prompt": "a"}, *reversed(first)])
    summary = import_images(source, tmp_path / "audit")
    assert (summary.added, summary.present) == (1, 3)
    found = AuditFolder(tmp_path / "audit").images(with_bytes=True)
    assert dict(found.select("image.path, seed").fetchall()) == {
        "0.png": 0, "1.png": 1, "2.png": 2, "new.png": 3,
    }  # fmt: skip


def test_an_image_that_changed_since_is_named(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [{"image": "a.png", "prompt": "a"}])
    import_images(source, tmp_path / "audit")
    (source / "a.png").write_bytes(image(99))
    with pytest.raises(ImportFileError, match=r"row 2: a\.png is not the image that the audit has"):
        import_images(source, tmp_path / "audit")


def test_another_image_for_the_same_seed_is_named(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "mine", [{"image": "a.png", "prompt": "a", "seed": 5}])
    import_images(source, tmp_path / "audit")
    folder_of(source, [{"image": "c.png", "prompt": "a", "seed": 5}])
    (source / "c.png").write_bytes(image(77))
    with pytest.raises(ImportFileError, match=r"c\.png is not the image .*seed 5 \(from a\.png\)"):
        import_images(source, tmp_path / "audit")


def test_what_failed_before_may_come_later(tmp_path: Path) -> None:
    failed = {"image": "", "prompt": "a", "seed": 0, "status": "failed"}
    source = folder_of(tmp_path / "mine", [failed])
    import_images(source, tmp_path / "audit")
    folder_of(source, [{"image": "a.png", "prompt": "a", "seed": 0, "status": ""}])
    assert import_images(source, tmp_path / "audit").added == 1
    assert rows(tmp_path / "audit") == [("a", 0, "ok")]


def test_an_export_can_be_imported(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "one", Identity("practice", "painter", {}))
    audit.append_images(
        [
            ImageRecord(f"prompt {i // 2}", i % 2, "ok", data=image(i), width=8, height=6,
                        factors={"job": f"job {i}"})
            for i in range(6)
        ]
    )  # fmt: skip
    export_images(audit, tmp_path / "files")
    import_images(tmp_path / "files", tmp_path / "two")
    columns = "prompt, seed, status, width, height, factors, image.bytes"
    both = [
        AuditFolder(tmp_path / name).images(with_bytes=True).select(columns).order("prompt, seed")
        for name in ("one", "two")
    ]
    assert both[0].fetchall() == both[1].fetchall()


def test_progress_is_told(tmp_path: Path) -> None:
    source = folder_of(tmp_path / "m", [{"image": f"{i}.png", "prompt": "a"} for i in range(70)])
    told: list[tuple[int, int]] = []
    import_images(source, tmp_path / "audit", on_progress=lambda done, of: told.append((done, of)))
    assert told == [*((i, 70) for i in range(1, 71)), (70, 70)]


# --- WebDataset ------------------------------------------------------------------------------


def test_tars_of_img2dataset(tmp_path: Path) -> None:
    first = {**sample("000000000", "a nurse", 1, similarity=0.3), **sample("000000001", "a man", 2)}
    second = {**sample("000010000", "a nurse\n", 3, punsafe="low"), **sample("000010001", "ü", 4)}
    tar_of(tmp_path / "data" / "00000.tar", first)
    tar_of(tmp_path / "data" / "00001.tar", second)
    (tmp_path / "data" / "00000_stats.json").write_text("{}")
    (tmp_path / "data" / "00000.parquet").write_bytes(b"")
    assert import_images(tmp_path / "data", tmp_path / "audit").added == 4
    assert import_images(tmp_path / "data", tmp_path / "audit").present == 4
    found = AuditFolder(tmp_path / "audit").images(with_bytes=True)
    assert found.order("prompt, seed").select("prompt, seed, image.path, factors").fetchall() == [
        ("a man", 0, "00000.tar/000000001.jpg", "{}"),
        ("a nurse", 0, "00000.tar/000000000.jpg", '{"similarity": "0.3"}'),
        ("a nurse", 1, "00001.tar/000010000.jpg", '{"punsafe": "low"}'),
        ("ü", 0, "00001.tar/000010001.jpg", "{}"),
    ]
    assert stored(tmp_path / "audit")["00001.tar/000010000.jpg"] == second["000010000.jpg"]


def test_one_tar_with_captions_in_json_and_seeds(tmp_path: Path) -> None:
    members = sample("x/a.b", "from json", 1, seed=9)
    tar = tar_of(
        tmp_path / "t.tar",
        {"x/a.png": image(1), "x/a.json": members["x/a.b.json"], "readme": "hello"},
    )
    import_images(tar, tmp_path / "audit")
    assert rows(tmp_path / "audit") == [("from json", 9, "ok")]
    assert AuditFolder(tmp_path / "audit").generator.name == "t"


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({}, "no images in 1 tar files"),
        ({"a.jpg": image(form="JPEG")}, "t.tar sample a: no prompt"),
        ({"a.jpg": image(form="JPEG"), "a.txt": " \n"}, "t.tar sample a: no prompt"),
        ({"a.jpg": image(form="JPEG"), "a.txt": b"\xff"}, "sample a: a.txt: not UTF-8"),
        ({"a.jpg": image(form="JPEG"), "a.json": "{"}, "sample a: a.json: not JSON"),
        ({"a.jpg": image(form="JPEG"), "a.json": "[]"}, "a.json: not a JSON object"),
        ({"a.jpg": image(form="JPEG"), "a.json": '{"caption": null}'}, "no prompt"),
        ({"a.jpg": b"broken", "a.txt": "x"}, "sample a: t.tar/a.jpg: corrupt image"),
        ({"a.txt": "x"}, "sample a: 0 images, wanted one; got files ending in .txt"),
        ({"a.jpg": image(), "a.png": image(), "a.txt": "x"}, "sample a: 2 images"),
        ({**sample("a", "x", seed=-1)}, "seed -1 is not a whole number"),
        ({**sample("a", "x", seed=1), **sample("b", "x", seed=1)}, "seed 1 of the same prompt"),
    ],
)
def test_a_wrong_sample_is_named(
    tmp_path: Path, members: dict[str, bytes | str], says: str
) -> None:
    tar_of(tmp_path / "data" / "t.tar", members)
    refuses(tmp_path / "data", tmp_path / "audit", says)


@pytest.mark.parametrize("size", [0, 100, 1500])
def test_a_cut_off_tar_is_named(tmp_path: Path, size: int) -> None:
    tar = tar_of(tmp_path / "data" / "t.tar", sample("a", "x"))
    os.truncate(tar, size)
    refuses(tmp_path / "data", tmp_path / "audit", "t.tar")


def test_links_in_a_tar_are_refused(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        link = tarfile.TarInfo("a.jpg")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        tar.addfile(link)
    refuses(tmp_path / "t.tar", tmp_path / "audit", "a.jpg is a link, not a file")


def test_the_same_file_twice_in_a_tar_is_refused(tmp_path: Path) -> None:
    import io
    import tarfile

    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        for _ in range(2):
            info = tarfile.TarInfo("a.jpg")
            info.size = 3
            tar.addfile(info, io.BytesIO(b"abc"))
    refuses(tmp_path / "t.tar", tmp_path / "audit", "a.jpg is in it twice")
