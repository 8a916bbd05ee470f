"""portrayal bundle, verify BUNDLE and card, on an audit with raters and paths."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from command_line import CommandLine, fingerprint
from compared_audits import STUDY, audit_of
from portrayal.audit import AuditFolder
from portrayal.raters import default_questions
from portrayal.raters.store import store_votes
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import Prompt
from portrayal.runner.analysis import analyze

RATER = "ann.example@raters.test"


def shown(prompt: Prompt, n: int) -> str:
    return "refused" if n == 0 else "woman" if n % 2 else "man"


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit with votes, whose requests were refused for reasons that name a path."""
    folder = tmp_path_factory.mktemp("home") / "audit"
    audit = audit_of(folder, shown, STUDY)
    keys = [row[0] for row in audit.images().filter("status = 'ok'").select("key").fetchall()]
    questions = default_questions()
    answers = {one.id: one.keys[0] for one in questions.questions if one.keys}
    votes = [
        Vote(key, f"{RATER}-{rater}", answers, at=1_700_000_000 + rater)
        for key in keys[:8]
        for rater in range(3)
    ]
    images = {key: RatedImage() for key in keys[:8]}
    store_votes(audit, Votes(questions, images, votes), source=f"{folder}/votes.csv")
    analyze(audit)
    return folder


@pytest.fixture(scope="module")
def bundled(rated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from portrayal import runner
    from portrayal.sharing import About

    out = tmp_path_factory.mktemp("out") / "audit.zip"
    about = About("A title", ("A. Author",), "CC-BY-4.0")
    before = fingerprint(rated)
    runner.bundle(AuditFolder(rated), out, about=about)
    assert fingerprint(rated) == before
    return out


def everything_in(bundle: Path) -> str:
    """Return all that can be read in a bundle, columns of parts included."""
    said = []
    with zipfile.ZipFile(bundle) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            said += [name, data.decode("utf-8", "replace")]
            if name.endswith(".parquet"):
                said.append(str(pq.read_table(io.BytesIO(data)).drop_columns([]).to_pylist()))
    return "\n".join(said)


def test_a_bundle_is_verified_and_nothing_private_is_in_it(
    portrayal: CommandLine, rated: Path, bundled: Path
) -> None:
    answer = portrayal("verify", bundled)
    assert answer.code == 0, answer
    assert "findings recomputed from the measurements" in answer.out
    text = everything_in(bundled)
    old = {row[0] for row in AuditFolder(rated).votes().select("rater").fetchall()}
    for private in (RATER, str(rated), str(rated.parent), str(Path.home()) + "/", *old):
        assert private not in text, private
    assert "portrayal-bundle-" not in text  # where it was made
    assert "'bytes': b'" not in text  # no image
    assert "data:image/" not in text  # neither in the report
    assert "CC-BY-4.0" in text


def test_its_results_are_those_of_the_audit(rated: Path, bundled: Path) -> None:
    with zipfile.ZipFile(bundled) as archive:
        mine = json.loads(archive.read("results.json"))
    assert mine["findings"] == json.loads((rated / "results.json").read_text())["findings"]


def test_changed_findings_are_found_also_with_a_new_manifest(
    portrayal: CommandLine, bundled: Path, tmp_path: Path
) -> None:
    """Whoever packs the archive again can hide a byte, but not a number."""
    from portrayal.audit import write_manifest
    from portrayal.sharing import pack, unpack

    unpack(bundled, tmp_path / "b")
    file = tmp_path / "b" / "results.json"
    data = json.loads(file.read_text())
    share = next(one for one in data["findings"] if one["statistic"] == "group share")
    share["estimate"] = 0.123
    file.write_text(json.dumps(data))
    pack(tmp_path / "b", tmp_path / "old-manifest.zip")
    told = portrayal("verify", tmp_path / "old-manifest.zip")
    assert told.code == 3
    assert "results.json: not the file that the manifest lists" in told.out
    write_manifest(tmp_path / "b")
    pack(tmp_path / "b", tmp_path / "new-manifest.zip")
    told = portrayal("verify", tmp_path / "new-manifest.zip")
    assert told.code == 3
    assert "estimate is 0.123, recomputed" in told.out


def test_a_changed_byte_is_one_line(portrayal: CommandLine, bundled: Path, tmp_path: Path) -> None:
    data = bytearray(bundled.read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "b.zip").write_bytes(data)
    answer = portrayal("verify", tmp_path / "b.zip")
    assert answer.code == 3
    assert "PROBLEM" in answer.out
    assert len(answer.out.splitlines()) == 2


def test_a_crate_is_one_for_its_own_library(bundled: Path, tmp_path: Path) -> None:
    rocrate = pytest.importorskip("rocrate.rocrate")
    with zipfile.ZipFile(bundled) as archive:
        archive.extractall(tmp_path)
        names = set(archive.namelist())
    crate = rocrate.ROCrate(str(tmp_path))
    assert crate.name == "A title"
    assert {one.id for one in crate.data_entities} == names - {
        "ro-crate-metadata.json", "manifest-sha256.txt",
    }  # fmt: skip
    assert crate.root_dataset["license"].id.endswith("CC-BY-4.0")
    assert crate.get("#generator")["identifier"]


def test_images_are_included_on_request(
    portrayal: CommandLine, rated: Path, bundled: Path, tmp_path: Path
) -> None:
    out = tmp_path / "with.zip"
    assert portrayal("bundle", rated, "--images", "--out", out).code == 0
    assert "'bytes': b'" in everything_in(out)
    assert portrayal("verify", out).code == 0
    assert "there already" in portrayal("bundle", rated, "--out", out).error


def test_results_that_are_out_of_date_are_not_bundled(
    portrayal: CommandLine, rated: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(rated, tmp_path / "audit"))
    text = (copy / "results.json").read_text()
    (copy / "results.json").write_text(text.replace('"estimate": 0.5', '"estimate": 0.4', 1))
    out = tmp_path / "x.zip"
    assert "results.json is out of date" in portrayal("bundle", copy, "--out", out).error
    assert not out.exists()


def test_a_card_is_one_for_the_hub(portrayal: CommandLine, rated: Path) -> None:
    text = portrayal("card", rated).out
    assert text.startswith("## Evaluation")
    for needed in ("measured with", "95% CI", "### Limits", "not anybody's identity"):
        assert needed in text
    said = portrayal("card", rated, "--metadata", "--name", "owner/model").out
    hub = pytest.importorskip("huggingface_hub")
    card = hub.ModelCard(f"---\n{said}---\n{text}")
    results = card.data.eval_results
    assert card.data.model_name == "owner/model"
    shares = [one for one in results if one.metric_type == "group share"]
    assert len(shares) >= len(STUDY["factors"]["job"])
    assert shares[0].task_type == "text-to-image"
    assert shares[0].metric_args["n"] > 0
