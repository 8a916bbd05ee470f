"""portrayal repair: damaged files set aside, never deleted; the rest tidied; told in lines."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import audit_samples as samples
import pytest
from audit_samples import failed, made

from portrayal.audit import AuditFolder, files, outcomes, parts, repair
from portrayal.errors import AuditError, NotAnAudit
from portrayal.records import Identity, Measurement


def measured(audit: AuditFolder) -> None:
    rows = [Measurement(f"{i:032x}", {"embedding": [1.0, i]}) for i in range(5)]
    audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows)
    audit.append_texts(samples.ENCODER, ["a"], samples.vectors(1), tokens=[1], truncated=[False])


def all_files(audit: AuditFolder) -> dict[str, bytes]:
    return {
        str(path.relative_to(audit.path)): path.read_bytes()
        for path in audit.path.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_a_sound_audit_is_left_as_it_is(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    measured(audit)
    before = all_files(audit)
    report = repair(audit.path)
    assert report.lines() == ["nothing to repair"]
    assert all_files(audit) == before
    assert repair(str(audit.path)).set_aside == ()


def test_a_truncated_part_is_set_aside_and_its_images_made_again(audit: AuditFolder) -> None:
    audit.append_images([made("a", seed) for seed in range(3)])
    audit.append_images([made("b", seed) for seed in range(2)])
    part = samples.image_parts(audit)[0]
    samples.truncate(part)
    left = part.read_bytes()
    report = repair(audit.path)
    assert report.lines() == [
        f"images/{part.name}: it cannot be read as Parquet; moved to set-aside/images/{part.name}, "
        "an unknown number of images to be made again",
        "make the images again, with the model they were made with (painter): "
        f"portrayal generate --out {audit.path} --model ...",
    ]
    assert (audit.path / "set-aside" / "images" / part.name).read_bytes() == left
    # The audit that was open all the while knows it, too.
    for one in (audit, AuditFolder(audit.path)):
        assert one.missing([("a", 3), ("b", 2)])["prompt"].to_pylist() == ["a"] * 3
    assert audit.append_images([made("a", seed) for seed in range(3)]) == 3
    assert repair(audit.path).lines() == ["nothing to repair"]


def test_a_tampered_part_says_how_many_rows_it_had(audit: AuditFolder) -> None:
    audit.append_images([made("a", seed, samples.image(40 + seed)) for seed in range(3)])
    samples.flip_bit_of(samples.image_parts(audit)[0], samples.image(41))
    lines = repair(audit.path).lines()
    assert "its bytes are not those that were written" in lines[0]
    assert lines[0].endswith("3 images to be made again")
    assert samples.image_parts(audit) == []


def test_damaged_measurements_and_texts(audit: AuditFolder) -> None:
    measured(audit)
    for kind in ("measurements", "texts"):
        samples.truncate(next((audit.path / kind).glob("*/part-*")))
    lines = repair(audit.path).lines()
    assert "an unknown number of measurements to be made again" in lines[0]
    assert "an unknown number of texts to be made again" in lines[1]
    assert lines[2:] == [
        f"measure again, with the measurer it was measured with ({samples.ENCODER.name}): "
        f"portrayal measure {audit.path} --measurer ..."
    ]
    assert audit.embeddings(samples.ENCODER)[0] == []
    assert audit.missing_texts(samples.ENCODER, ["a"]) == ["a"]
    measured(audit)
    assert len(audit.embeddings(samples.ENCODER)[0]) == 5


def test_damaged_documents(audit: AuditFolder) -> None:
    measured(audit)
    audit.remember_study("jobs", {"name": "jobs"})
    audit.remember_study("sound", {"name": "sound"})
    audit.write_results({"findings": []})
    identity = next(audit.path.glob("measurements/*/_identity.json"))
    for file in (identity, audit.path / "studies" / "jobs.json", audit.path / "results.json"):
        file.write_text("{")
    report = repair(audit.path)
    assert [str(one.path) for one in report.set_aside] == [
        f"measurements/{identity.parent.name}", "studies/jobs.json", "results.json",
    ]  # fmt: skip
    assert report.commands() == [
        "measure again, with the measurer it was measured with: "
        f"portrayal measure {audit.path} --measurer ...",
        "name the study again when you run it",
        f"analyze again: portrayal analyze {audit.path}",
    ]
    fresh = AuditFolder(audit.path)
    assert fresh.measurers() == []
    assert list(fresh.studies()) == ["sound"]
    with pytest.raises(AuditError, match="yet"):
        fresh.results()
    assert len(list((audit.path / "set-aside").rglob("part-*"))) == 1  # measurements are kept


def test_of_an_imported_audit_images_are_imported_again(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "mine", Identity("folder", "mine", {}))
    audit.append_images([made("a", 0)])
    samples.truncate(samples.image_parts(audit)[0])
    assert repair(audit.path).lines()[-1].startswith("import the images again: portrayal import")


def test_the_same_name_can_be_set_aside_twice(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    part = samples.image_parts(audit)[0]
    sound = part.read_bytes()
    for _ in range(3):
        part.write_bytes(sound)
        samples.truncate(part)
        repair(audit.path)
    assert sorted(path.name for path in (audit.path / "set-aside" / "images").iterdir()) == [
        f"2-{part.name}", f"3-{part.name}", part.name,
    ]  # fmt: skip


def test_doubled_rows_are_dropped(audit: AuditFolder) -> None:
    audit.append_images([failed("a", 0), made("b", 0)])
    audit.append_images([made("a", 0)], again=True)
    samples.write_regardless(audit, [made("b", 0), made("c", 0)])
    samples.write_regardless(audit, [made("b", 0)])
    assert repair(audit.path).lines() == ["3 doubled rows dropped"]
    assert sorted(samples.raw_rows(audit)) == [("a", 0, "ok"), ("b", 0, "ok"), ("c", 0, "ok")]
    for path in samples.image_parts(audit):
        parts.verify(path)
    assert audit.append_images([made("a", 0), made("b", 0), made("c", 0)]) == 0


def test_leftovers_of_dead_writers_are_removed_and_of_living_ones_kept(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    folder = audit.path / "images"
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = files.temporary_in(folder).name.split("-")[1]
    dead = folder / f".writing-{here}-{ended.pid}-abc"
    living = files.temporary_in(folder)
    elsewhere = folder / f".writing-00000000-{ended.pid}-abc"
    old = audit.path / ".writing-00000000-1-abc"
    for path in (dead, living, elsewhere, old):
        path.write_text("half")
    os.utime(old, (0, time.time() - 3700))
    assert repair(audit.path).lines() == ["2 files of stopped writers removed"]
    assert [path.exists() for path in (dead, living, elsewhere, old)] == [False, True, True, False]


@pytest.mark.parametrize("content", [None, "", "{}", "[1"])
def test_without_its_header_an_audit_cannot_be_repaired(
    audit: AuditFolder, content: str | None
) -> None:
    audit.append_images([made("a", 0)])
    samples.truncate(samples.image_parts(audit)[0])
    file = audit.path / "audit.json"
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    before = all_files(audit)
    with pytest.raises(NotAnAudit) as caught:
        repair(audit.path)
    assert "\n" not in str(caught.value)
    if content is not None:
        assert "restore it from a copy" in str(caught.value)
    assert all_files(audit) == before


def test_the_command_can_be_pasted_where_the_path_has_blanks(tmp_path: Path) -> None:
    audit = AuditFolder.at(tmp_path / "my audit", samples.GENERATOR)
    audit.append_images([made("a", 0)])
    samples.truncate(samples.image_parts(audit)[0])
    with pytest.raises(AuditError) as caught:
        audit.read_images(["x"]) or AuditFolder(audit.path).images()
    assert str(caught.value).endswith(f"portrayal repair '{audit.path}'")
    assert f"generate --out '{audit.path}'" in repair(audit.path).commands()[0]


def test_the_training_side_is_mended_too(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    side = AuditFolder.at(audit.path / "training", Identity("corpus", "captions"))
    side.append_images([made("a caption", seed) for seed in range(3)])
    assert repair(audit.path).lines() == ["nothing to repair"]
    samples.truncate(samples.image_parts(side)[0])
    report = repair(audit.path)
    first, second = report.lines()
    assert first.startswith("training: images")
    assert "moved to set-aside" in first
    assert second == "run the study again with its corpus: what lacks is fetched again"
    assert report.set_aside == ()
    assert report.training is not None
    assert report.as_dict()["training"]["set_aside"][0]["rows"] is None
    assert repair(audit.path).lines() == ["nothing to repair"]


def test_measurements_without_their_identity_are_told_and_set_aside(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    measured(audit)
    (audit.path / "measurements").joinpath(
        next(one.name for one in (audit.path / "measurements").iterdir()), "_identity.json"
    ).unlink()
    (line,) = outcomes.gaps(audit)
    assert "its _identity.json is missing, so nothing in it is counted; measure again" in line
    report = repair(audit.path)
    assert ["its _identity.json is missing" in one.why for one in report.set_aside] == [True]
    assert list((audit.path / "set-aside" / "measurements").iterdir())
    assert outcomes.gaps(audit) == []


def test_images_that_were_measured_and_are_gone_are_counted(audit: AuditFolder) -> None:
    audit.append_images([made("a", 0)])
    audit.append_images([made("b", 0), made("b", 1)])
    keys = [key for (key,) in audit.images().select("key").fetchall()]
    rows = [Measurement(key, {"embedding": [1.0, 2.0]}) for key in keys]
    audit.append_measurements(samples.ENCODER, {"embedding": "vector"}, rows)
    assert outcomes.gaps(audit) == []
    samples.image_parts(audit)[1].unlink()
    (line,) = outcomes.gaps(AuditFolder(audit.path))
    assert line.startswith("the audit lacks 2 of the images that tiny measured: parts of images/")
