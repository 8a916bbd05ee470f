"""An amplification study through the command line: a corpus, a painter, a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine, fingerprint
from portrayal.audit import AuditFolder
from portrayal.audit.selections import training_audit
from portrayal_practice.corpus import write_corpus

STUDY = """\
name = "small"
kind = "amplification"
title = "In small"
question = "Is it amplified?"
images = 2
captions = 12
neighbours = 4
caption_prompts = 3
caption_images = 1
sentences = "practice"
names = "practice"
prompts = ["A photo of {a occupation}", "A photo of {a occupation} at work"]
occupations = ["teacher", "president", "CEO", "attorney"]
[faces]
detector = "centerface"
[axes."perceived gender"]
threshold = 0.9
person = ["a photo of a person"]
object = ["a photo of an object"]
[axes."perceived gender".groups]
woman = ["A photo of a woman"]
man = ["A photo of a man"]
"""


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_corpus(folder, 500, seed=8, part_size=250)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


def test_one_command_compares_with_a_folder_of_parquet_files(
    portrayal: CommandLine, small: Path, data: Path, tmp_path: Path
) -> None:
    out, world = tmp_path / "audit", tmp_path / "world.csv"
    world.write_text("occupation,percent\nteacher,74\nCEO,29\n", encoding="utf-8")
    words = ("run", small, "--out", out, "--model", "practice:painter")
    ended = portrayal(*words, "--corpus", data, "--real-world", world)
    assert ended.code == 0, ended.err
    assert "naive: any caption with the occupation" in ended.out
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    kinds = {finding["statistic"] for finding in results["findings"]}
    assert {"amplification", "reduction of amplification", "correlation"} <= kinds
    assert "amplification against the real world" in kinds
    notes = " ".join(results["studies"][0]["notes"])
    assert "No face detector was asked: these are painted images" in notes
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "No face detector was asked" in page

    before, training = fingerprint(out / "images"), fingerprint(out / "training" / "images")
    again = portrayal(*words)
    assert again.code == 0, again.err
    assert "0 images generated, 30 reused" in again.err
    assert fingerprint(out / "images") == before
    assert fingerprint(out / "training" / "images") == training
    kept = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert kept["findings"] == results["findings"], "the captions and the CSV are remembered"

    assert portrayal("measure", out).code == 0
    named = portrayal("analyze", small, "--out", out, "--json")
    assert json.loads(named.out)["findings"] == results["findings"]
    inner = training_audit(AuditFolder(out))
    assert inner is not None
    assert inner.generator.kind == "corpus"


def test_plan_counts_captions_as_prompts(portrayal: CommandLine, small: Path) -> None:
    (plan,) = json.loads(portrayal("plan", small, "--json").out)["studies"]
    assert plan["images"] == 4 * 2 * 2 + 2 * 4 * 3
    assert plan["missing"] == plan["images"]


def test_what_is_missing_or_wrong_is_one_line(
    portrayal: CommandLine, small: Path, work: Path, data: Path, tmp_path: Path
) -> None:
    painter = ("--model", "practice:painter")
    no_corpus = portrayal("run", small, "--out", tmp_path / "a", *painter)
    assert "with --corpus" in no_corpus.error
    assert not (tmp_path / "a").exists(), "nothing was begun"
    absent = portrayal("run", small, "--out", tmp_path / "b", *painter, "--corpus", tmp_path / "no")
    assert "no such folder; --corpus names captions and images" in absent.error
    (tmp_path / "nothing").mkdir()
    nothing = portrayal(
        "run", small, "--out", tmp_path / "b", *painter, "--corpus", tmp_path / "nothing"
    )
    assert "nothing there that can hold captions" in nothing.error
    (tmp_path / "nothing" / "corpus.json").write_text("{", encoding="utf-8")
    broken = portrayal(
        "run", small, "--out", tmp_path / "b", *painter, "--corpus", tmp_path / "nothing"
    )
    assert "corpus.json: not readable" in broken.error
    assert not (tmp_path / "b").exists(), "nothing was begun"
    other = tmp_path / "w.csv"
    other.write_text("occupation,percent\nteacher,1\n", encoding="utf-8")
    wrong = portrayal("run", work, "--out", tmp_path / "c", *painter, "--real-world", other)
    assert "--real-world is for amplification studies; work" in wrong.usage
