"""Images as files: safe names, a metadata.csv for people and for imagefolder."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import audit_samples as samples
import pytest
from audit_samples import failed, made, refused

from portrayal.audit import AuditFolder, export_images
from portrayal.audit.export import file_name, harmless, suffix
from portrayal.errors import AuditError
from portrayal.records import ImageRecord

EVIL = '=HYPERLINK("http://x")'


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_files_hold_the_bytes_and_metadata_tells_about_them(
    audit: AuditFolder, tmp_path: Path
) -> None:
    images = [samples.image(i, form) for i, form in enumerate(("PNG", "JPEG", "WEBP"))]
    audit.append_images(
        [
            ImageRecord("a Nurse, smiling", 0, "ok", data=images[0], width=8, height=6,
                        factors={"job": "nurse", "seed": "x"}),
            made("a Nurse, smiling", 1, images[1]),
            made("ein Müller", 0, images[2]),
            refused("a Nurse, smiling", 2),
            failed("ein Müller", 1),
        ]
    )  # fmt: skip
    summary = export_images(audit, tmp_path / "out")
    assert (summary.images, summary.not_made) == (3, 2)
    assert sorted(path.name for path in summary.out.iterdir()) == [
        "000000-a-nurse-smiling-0.png",
        "000001-a-nurse-smiling-1.jpg",
        "000002-ein-muller-0.webp",
        "metadata.csv",
        "not-made.csv",
    ]
    found = rows(summary.out / "metadata.csv")
    assert [(summary.out / row["file_name"]).read_bytes() for row in found] == images
    assert found[0] == {
        "file_name": "000000-a-nurse-smiling-0.png", "prompt": "a Nurse, smiling", "seed": "0",
        "status": "ok", "reason": "", "width": "8", "height": "6", "key": found[0]["key"],
        "job": "nurse", "factor_seed": "x",
    }  # fmt: skip
    assert found[1]["job"] == ""
    missing = rows(summary.out / "not-made.csv")
    assert [(row["prompt"], row["status"], row["reason"]) for row in missing] == [
        ("a Nurse, smiling", "refused", "safety checker"),
        ("ein Müller", "failed", "out of memory"),
    ]


def test_only_some_prompts(audit: AuditFolder, tmp_path: Path) -> None:
    audit.append_images([made("a", 0), made("b", 0), made("c", 0)])
    assert export_images(audit, tmp_path / "out", prompts=["c", "a"]).images == 2
    assert not (tmp_path / "out" / "not-made.csv").exists()
    with pytest.raises(AuditError, match="no images of the prompt 'nobody'"):
        export_images(audit, tmp_path / "other", prompts=["a", "nobody"])
    assert not (tmp_path / "other").exists()


def test_many_images_keep_their_own_bytes(audit: AuditFolder, tmp_path: Path) -> None:
    for start in range(0, 300, 60):
        audit.append_images(
            [made(f"p{i:03}", i, samples.image(i)) for i in range(start, start + 60)]
        )
    export_images(audit, tmp_path / "out")
    for row in rows(tmp_path / "out" / "metadata.csv"):
        data = (tmp_path / "out" / row["file_name"]).read_bytes()
        assert data == samples.image(int(row["seed"]))


def test_a_folder_with_something_in_it_is_left_alone(audit: AuditFolder, tmp_path: Path) -> None:
    audit.append_images([made("a", 0)])
    for out in (audit.path, tmp_path / "file"):
        (tmp_path / "file").write_text("mine")
        with pytest.raises(AuditError, match="not an empty folder"):
            export_images(audit, out)
    assert (tmp_path / "file").read_text() == "mine"


def test_no_cell_is_a_formula(audit: AuditFolder, tmp_path: Path) -> None:
    records = [
        made(EVIL, 0),
        ImageRecord("+1", 0, "ok", data=samples.image(), factors={"@x": "-2+3"}),
        failed("\t=1", 0, "@SUM(1)"),
        failed("＝1", 0, "fine"),
    ]
    audit.append_images(records)
    export_images(audit, tmp_path / "out")
    for name in ("metadata.csv", "not-made.csv"):
        with (tmp_path / "out" / name).open(encoding="utf-8", newline="") as handle:
            for line in csv.reader(handle):
                for cell in line:
                    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
    assert f"'{EVIL}" in [row["prompt"] for row in rows(tmp_path / "out" / "metadata.csv")]


def test_harmless_changes_nothing_else() -> None:
    assert [harmless(value) for value in ("a=b", "", None, -3, 2.5)] == ["a=b", "", None, -3, 2.5]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("../../etc/passwd", "000007-etc-passwd-3.png"),
        ("CON", "000007-con-3.png"),
        ("", "000007-image-3.png"),
        ("日本", "000007-image-3.png"),
        ("a\x00b\nc", "000007-a-b-c-3.png"),
        ("x" * 100_000, f"000007-{'x' * 48}-3.png"),
        (f"{'y' * 47} z", f"000007-{'y' * 47}-3.png"),
    ],
)
def test_names_are_safe(prompt: str, name: str) -> None:
    assert file_name(7, prompt, 3, samples.image()) == name


def test_suffixes_come_from_the_bytes() -> None:
    forms = {form: suffix(samples.image(1, form)) for form in ("PNG", "JPEG", "WEBP", "BMP")}
    assert forms == {"PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "BMP": ".bin"}


def test_imagefolder_opens_the_export(audit: AuditFolder, tmp_path: Path) -> None:
    audit.append_images([made("a", seed) for seed in range(3)] + [refused("a", 3)])
    export_images(audit, tmp_path / "out")
    # In a process of its own: `datasets` leaves files open, which is a warning here.
    script = (
        "import sys, datasets; found = datasets.load_dataset('imagefolder', data_dir=sys.argv[1], "
        "split='train', cache_dir=sys.argv[2]); "
        "print(sorted(found['seed']), set(found['prompt']), found[0]['image'].size)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "out", tmp_path / "cache"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[0, 1, 2] {'a'} (8, 6)"


def test_an_empty_audit_gives_an_empty_table(audit: AuditFolder, tmp_path: Path) -> None:
    assert export_images(audit, tmp_path / "out").images == 0
    assert rows(tmp_path / "out" / "metadata.csv") == []
