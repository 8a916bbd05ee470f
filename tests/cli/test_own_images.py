"""An auditor with nothing but a folder of images gets the full analysis."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command_line import ENCODER, CommandLine, fingerprint
from portrayal.audit import AuditFolder
from portrayal.measurers import measure, open_measurer
from portrayal.studies import load_study

pytestmark = pytest.mark.usefixtures("practice_clip_for_all")


def imported(portrayal: CommandLine, finished: Path, tmp_path: Path) -> Path:
    """Bring the images of an audit into another one, by way of a folder of files."""
    files, out = tmp_path / "files", tmp_path / "imported"
    assert portrayal("export", finished, "--to", files).code == 0
    assert "12 images of 4 prompts added" in portrayal("import", "images", files, "-o", out).err
    return out


def test_imported_images_get_the_same_answers_as_made_ones(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    out = imported(portrayal, finished, tmp_path)
    answer = portrayal("run", work, "--out", out, *ENCODER)
    assert answer.code == 0, answer.err
    assert "no prompt is missing (4 in all)" in answer.err
    ours = json.loads((out / "results.json").read_text())["findings"]
    theirs = json.loads((finished / "results.json").read_text())["findings"]
    # Intervals and p-values draw random numbers of their own for each encoder's identity.
    for part in ("question", "estimate", "n", "n_missing"):
        assert [f[part] for f in ours] == [f[part] for f in theirs]
    assert (out / "report" / "index.html").exists()


def test_an_encoder_that_is_not_valid_for_them_is_refused(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    """Nobody chose an encoder, and the default one knows painted images alone."""
    out = imported(portrayal, finished, tmp_path)
    before = fingerprint(out)
    refused = (
        "practice is valid for images of the practice world only, not for those of files; "
        "name another measurer with --measurer, such as faces (pip install "
        '"portrayal[faces]") or openai/clip-vit-base-patch32'
    )
    assert portrayal("run", work, "--out", out).error == refused
    assert portrayal("run", work, "--out", out, "--encoder", "practice").error == refused
    assert fingerprint(out) == before


def test_measurements_that_are_not_valid_are_kept_and_not_counted(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    """Versions before this one let the practice encoder look at any image."""
    out = imported(portrayal, finished, tmp_path)
    assert portrayal("run", work, "--out", out, *ENCODER).code == 0
    alone = json.loads((out / "results.json").read_text())
    measure(AuditFolder(out), [open_measurer("practice")], texts=load_study(work).texts())
    line = (
        "practice is valid for images of the practice world only: its measurements of these "
        "images are kept, but not counted"
    )
    assert portrayal("analyze", out).code == 0
    results = json.loads((out / "results.json").read_text())
    assert results["findings"] == alone["findings"]
    assert [one["name"] for one in results["measurers"]] == ["clip"]
    assert f"{line}." in results["studies"][0]["notes"]
    (chosen,) = (one for one in AuditFolder(out).measurers() if one.name == "clip")
    shutil.rmtree(out / "measurements" / f"{chosen.kind}-{chosen.digest}")
    assert portrayal("analyze", out).error == (
        f"{out}: {line}; run: portrayal measure {out} --measurer MEASURER"
    )


def test_prompts_without_an_image_are_reported(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    files, out = tmp_path / "files", tmp_path / "imported"
    portrayal("export", finished, "--to", files)
    manifest = files / "metadata.csv"
    rows = manifest.read_text().splitlines()
    manifest.write_text("\n".join(row for row in rows if "a nurse" not in row) + "\n")
    portrayal("import", "images", files, "--manifest", manifest, "--out", out)
    answer = portrayal("run", work, "--out", out, *ENCODER)
    assert answer.code == 0, answer.err
    assert "1 of 4 prompts have none: 'a photo of a nurse'" in answer.err
    dropped = json.loads((out / "results.json").read_text())["studies"][0]["dropped"]
    assert dropped["not made"] == 3


def test_images_of_other_prompts_are_an_error(
    portrayal: CommandLine, finished: Path, tmp_path: Path
) -> None:
    out = imported(portrayal, finished, tmp_path)
    before = fingerprint(out)
    line = portrayal("run", "demo-flowers-insects", "--out", out, *ENCODER).error
    assert "none of the" in line
    assert "'a photo of a chef'" in line
    assert fingerprint(out) == before


def test_no_model_makes_more_of_them(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    out = imported(portrayal, finished, tmp_path)
    before = fingerprint(out)
    line = portrayal("run", work, "--out", out, "--model", "practice:painter").error
    assert "leave out --model" in line
    assert fingerprint(out) == before


def test_exported_files_are_where_they_are_said_to_be(
    portrayal: CommandLine, finished: Path, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "files", ignore_errors=True)
    portrayal("export", finished, "--to", tmp_path / "files")
    assert len(list((tmp_path / "files").rglob("*.png"))) == 12


def test_a_plan_for_imported_images_promises_no_more(
    portrayal: CommandLine, work: Path, finished: Path, tmp_path: Path
) -> None:
    out = imported(portrayal, finished, tmp_path)
    said = portrayal("plan", work, "--images", "50", "--out", out).err
    assert "imported: what is missing, no model makes" in said
    assert "--rate" not in said


def test_one_command_asks_a_folder_who_is_shown(
    portrayal: CommandLine, finished: Path, tmp_path: Path
) -> None:
    """Its subfolders are compared; without a measurer that was chosen nothing is labelled."""
    files, folder, out = tmp_path / "files", tmp_path / "Our photos", tmp_path / "audit"
    assert portrayal("export", finished, "--to", files).code == 0
    for place, file in enumerate(sorted(files.rglob("*.png"))):
        part = folder / ("staff" if place % 4 else "guests")
        part.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, part / f"{place}.png")
    refused = portrayal("run", folder, "--out", out)
    said = refused.err.splitlines()
    assert refused.code == 1
    assert said[0] == f"{out}: 12 images of 2 prompts added, 0 present before", "the audit stays"
    assert said[1].startswith("error: practice is valid for images")
    answer = portrayal("run", folder, "--out", out, *ENCODER)
    assert answer.code == 0, answer.err
    assert "no prompt is missing (2 in all)" in answer.err
    told = json.loads((out / "results.json").read_text())
    assert [one["study"] for one in told["studies"]] == ["our-photos"]
    assert told["studies"][0]["dropped"] == {}, "no image is missing that was never there"
    spread = next(one for one in told["findings"] if one["statistic"] == "Cramér's V")
    assert spread["n"] + spread["n_missing"] == 12
    page = (out / "report" / "index.html").read_text()
    assert "Who is shown in Our photos?" in page
    assert "only the words differ" not in page
    assert "random starts" not in page
    assert portrayal("run", folder, "--out", out, *ENCODER).code == 0
    assert AuditFolder(out).images().shape[0] == 12, "running again adds nothing"
    (tmp_path / "empty").mkdir()
    assert portrayal("run", tmp_path / "empty", "--out", tmp_path / "no").error.endswith(
        "no manifest.csv and no .tar in it"
    )
    assert not (tmp_path / "no").exists()


def test_a_broken_photograph_does_not_stop_a_folder(
    portrayal: CommandLine, finished: Path, tmp_path: Path
) -> None:
    """It counts as failed, and is listed; images of other formats are named."""
    files, out = tmp_path / "files", tmp_path / "audit"
    assert portrayal("export", finished, "--to", files).code == 0
    for table in files.glob("*.csv"):
        table.unlink()
    (files / "broken.jpg").write_bytes(b"no image")
    (files / "moving.gif").write_bytes(b"GIF89a")
    answer = portrayal("run", files, "--out", out, *ENCODER)
    assert answer.code == 0, answer.err
    said = " ".join(answer.err.split())
    assert "12 images of 1 prompt added" in said
    assert "1 broken row skipped, listed in" in said
    assert "passed over: 1 .gif" in said
    told = json.loads((out / "results.json").read_text())
    assert told["studies"][0]["dropped"] == {"failed to generate": 1}
    again = portrayal("run", files, "--out", out, *ENCODER)
    assert again.code == 0, again.err
