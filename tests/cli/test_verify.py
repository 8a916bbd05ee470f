"""Forgeries of an audit: each is told in one line, and ends with the exit code for it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CommandLine, fingerprint
from portrayal.audit import AuditFolder
from portrayal.records import Identity, ImageRecord, Measurement


def part_of(audit: Path, kind: str = "images") -> Path:
    return sorted(audit.glob(f"{kind}/**/part-*.parquet"))[0]


def rewritten(path: Path, column: str, value: object) -> None:
    """Change a column of a part and give the file the name that its new bytes have."""
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[0] = value
    changed = table.set_column(
        table.schema.get_field_index(column), table.schema.field(column), pa.array([*values])
    )
    pq.write_table(changed, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    path.rename(path.with_name(f"{path.name.rsplit('-', 1)[0]}-{digest}.parquet"))


def foreign_part(audit: Path) -> None:
    """Copy a part of another model's audit in."""
    other = AuditFolder.at(audit.parent / "other", Identity("folder", "other model"))
    rows = AuditFolder(audit).images().select("prompt, seed").fetchall()
    other.append_images([ImageRecord(text, seed, "ok", data=b"x") for text, seed in rows])
    shutil.copy(part_of(other.path), audit / "images")


def renamed_generator(audit: Path) -> None:
    file = audit / "audit.json"
    data = json.loads(file.read_text())
    data["generator"]["name"] = "stable-diffusion-xl"
    file.write_text(json.dumps(data))


def renamed_measurer(audit: Path) -> None:
    file = next(audit.glob("measurements/*/_identity.json"))
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "name": "a better encoder"}))


def results_changed(audit: Path) -> None:
    file = audit / "results.json"
    data = json.loads(file.read_text())
    share = next(one for one in data["findings"] if one["statistic"] == "group share")
    share["estimate"] = 0.5 if share["estimate"] != 0.5 else 0.4
    file.write_text(json.dumps(data))


def results_cut(audit: Path) -> None:
    file = audit / "results.json"
    file.write_text(file.read_text()[:600])


def results_in_words(audit: Path) -> None:
    file = audit / "results.json"
    data = json.loads(file.read_text())
    data["findings"][0]["n"] = "abc"
    file.write_text(json.dumps(data))


def measurement_of_another_image(audit: Path) -> None:
    folder = AuditFolder(audit)
    (identity,) = folder.measurers()
    folder.append_measurements(
        identity,
        {"embedding": "vector"},
        [Measurement("0" * 32, {"embedding": np.zeros(len_of(folder))})],
    )


def len_of(folder: AuditFolder) -> int:
    return int(folder.embeddings(folder.measurer())[1].shape[1])


FORGERIES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "foreign part": (foreign_part, "12 of 12 keys do not follow from the generator", "refused"),
    "renamed generator": (renamed_generator, "(stable-diffusion-xl), prompt and seed", "refused"),
    "changed prompt": (
        lambda audit: rewritten(part_of(audit), "prompt", "a photo of a dean"),
        "1 of 12 keys do not follow",
        "refused",
    ),
    "changed text": (
        lambda audit: rewritten(part_of(audit, "texts"), "text", "a photo of a dog"),
        "keys do not follow from the text",
        "refused",
    ),
    "renamed measurer": (renamed_measurer, "the folder's name is not that of", "refused"),
    "changed results": (results_changed, "estimate is", "recomputed"),
    "cut results": (results_cut, "results.json is damaged", "recomputed"),
    "results with a word for a number": (results_in_words, "it is not whole", "recomputed"),
    "measurement without its image": (
        measurement_of_another_image,
        "1 of 13 rows are about images that are not here",
        "ignored",
    ),
    "unknown status": (
        lambda audit: rewritten(part_of(audit), "status", "maybe"),
        "status 'maybe' is unknown",
        "later",
    ),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_forgeries_are_found(portrayal: CommandLine, audit: Path, what: str) -> None:
    forge, said, outcome = FORGERIES[what]
    assert portrayal("verify", audit).code == 0
    forge(audit)
    before = fingerprint(audit)
    answer = portrayal("verify", audit)
    problems = [line for line in answer.out.splitlines() if line.startswith("PROBLEM")]
    assert answer.code == 3
    assert len(problems) == 1
    assert said in problems[0]
    assert fingerprint(audit) == before  # a verification changes nothing
    if outcome == "refused":  # readers do not count what is not the audit's
        error = portrayal("analyze", audit).error
        assert said in error or "damaged" in error


def test_repair_sets_foreign_parts_aside_and_never_all_images(
    portrayal: CommandLine, audit: Path
) -> None:
    foreign_part(audit)
    assert "comes from another audit" in portrayal("repair", audit).err
    assert portrayal("verify", audit).code == 0
    renamed_generator(audit)
    assert "restore it from a copy" in portrayal("repair", audit).error
    assert list((audit / "images").glob("part-*"))


def test_a_manifest_tells_of_removed_added_and_changed_files(
    portrayal: CommandLine, audit: Path, tmp_path: Path
) -> None:
    written = portrayal("verify", audit, "--write-manifest")
    assert written.code == 0
    kept = shutil.copy(audit / "manifest-sha256.txt", tmp_path / "kept.txt")
    listed = hashlib.sha256(Path(kept).read_bytes()).hexdigest()
    assert listed in written.err
    assert portrayal("verify", audit).code == 0
    study = next(audit.glob("studies/*.json"))
    gone = part_of(audit, "texts")
    gone.unlink()
    (audit / "validations").mkdir()
    (audit / "validations" / "new.json").write_text("{}")
    study.write_text(study.read_text().replace("nurse", "pilot"))
    (audit / "manifest-sha256.txt").unlink()
    answer = portrayal("verify", audit, "--manifest", kept)
    assert answer.code == 3
    assert f"{gone.relative_to(audit)}: listed in the manifest, but gone" in answer.out
    assert "validations/new.json: not listed in the manifest" in answer.out
    assert f"{study.relative_to(audit)}: not the file that the manifest lists" in answer.out
    assert answer.out.count("PROBLEM") == 3


def test_a_model_at_hand_is_compared_by_its_files(
    portrayal: CommandLine, audit: Path, clip: Path
) -> None:
    from portrayal_practice.weights import CLIP, part_folder

    good = portrayal("verify", audit, "--measurer", part_folder(CLIP))
    assert good.code == 0
    assert "its files are those of the audit" in good.out
    bad = portrayal("verify", audit, "--measurer", clip)
    assert bad.code == 3
    assert "are not those of the audit" in bad.out


def test_a_broken_manifest_and_no_audit_are_errors(
    portrayal: CommandLine, audit: Path, tmp_path: Path
) -> None:
    file = tmp_path / "manifest.txt"
    file.write_text("not a hash\n")
    assert "line 1 is 'not a hash'" in portrayal("verify", audit, "--manifest", file).error
    assert "no such folder" in portrayal("verify", tmp_path / "nowhere").error


def test_a_released_audit_is_verified(portrayal: CommandLine, tmp_path: Path) -> None:
    released = Path(__file__).parents[1] / "released" / "0.1" / "audit"
    copy = Path(shutil.copytree(released, tmp_path / "audit"))
    answer = portrayal("verify", copy)
    assert answer.code == 0, answer.out
    assert "training/" in answer.out
