"""ablate: a phrase is taken out of interventions, and the audit is asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import CommandLine
from portrayal.audit import AuditFolder
from portrayal.errors import StudyError
from portrayal.runner import ablated_study

PAINTER = ("--model", "practice:painter")
STUDY = """
kind = "intervention"
name = "short"
title = "Short"
question = "Does a sentence change who is shown?"
citation = "None."
images = 2

[[interventions]]
name = "gender sentence"
axis = "perceived gender"
text = "all can be one irrespective of their gender"

[[interventions]]
name = "honesty"
axis = "irrelevant"
text = "honesty is the best policy"

[[categories]]
name = "profession"
template = "a photo of {a attribute}"
attributes = ["nurse", "doctor"]
axes = ["perceived gender"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "short.toml"
    file.write_text(STUDY)
    return file


def test_the_phrase_is_measured_with_and_without(
    portrayal: CommandLine, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    whole = portrayal("run", study, "--out", out, *PAINTER)
    assert whole.code == 0, whole.err
    phrase = ("--phrase", "irrespective of their gender")
    without = portrayal("ablate", study, *phrase, "--out", out, *PAINTER)
    assert without.code == 0, without.err
    assert "4 images generated, 12 reused" in without.err, "originals and interventions are shared"
    prompts = {row[0] for row in AuditFolder(out).images().select("prompt").fetchall()}
    assert "a photo of a nurse all can be one" in prompts
    questions = [
        one["question"] for one in json.loads((out / "results.json").read_text())["findings"]
    ]
    assert any("without" in question for question in questions), questions


def test_a_phrase_is_replaced(portrayal: CommandLine, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    made = portrayal(
        "ablate", study, "--phrase", "gender", "--with", "hobby", "--out", out, *PAINTER
    )
    assert made.code == 0, made.err
    prompts = {row[0] for row in AuditFolder(out).images().select("prompt").fetchall()}
    assert "a photo of a doctor all can be one irrespective of their hobby" in prompts


@pytest.mark.parametrize(
    ("named", "phrase", "said"),
    [
        ("entigen", "in the moonlight", "is in no intervention"),
        ("flowers-insects", "rose", "an intervention study only"),
        ("t2iat", "rose", "t2iat is a suite; name one of its studies"),
    ],
)
def test_what_cannot_be_ablated_is_one_line(
    portrayal: CommandLine, tmp_path: Path, named: str, phrase: str, said: str
) -> None:
    failed = portrayal("ablate", named, "--phrase", phrase, "--out", tmp_path / "audit")
    assert failed.code == 1
    assert said in failed.err.replace("\n", " ")
    assert not (tmp_path / "audit").exists()


def test_chosen_attributes_are_ablated() -> None:
    study = ablated_study(
        "entigen", "irrespective of their gender", attributes=["makeup", "police officer"]
    )
    assert {prompt.factors["attribute"] for prompt in study.prompts()} == {
        "makeup", "police officer"
    }  # fmt: skip
    with pytest.raises(StudyError, match=r"attribute 'make-up' \(did you mean makeup\?\); allowed"):
        ablated_study("entigen", "irrespective of their gender", attributes=["make-up"])


def test_the_plan_of_an_influence_study_counts_replaced_texts(portrayal: CommandLine) -> None:
    """Not the prompts alone: 150 of them, each with every word replaced."""
    (plan,) = json.loads(portrayal("plan", "influence-large-scale", "--json").out)["studies"]
    assert plan["images"] > 150 * 20
    assert plan["missing"] == plan["images"]
    assert "a word that moves a share" in plan["detectable"]


def test_explain_takes_the_settings_of_a_model(portrayal: CommandLine, tmp_path: Path) -> None:
    failed = portrayal("explain", "a nurse at work", "--size", "12by9", "--out", tmp_path / "audit")
    assert failed.code == 2
    assert "--size is '12by9'; allowed: 512, or WIDTHxHEIGHT" in failed.err.replace("\n", " ")
