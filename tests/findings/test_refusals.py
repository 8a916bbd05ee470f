"""Refused, failed and unusable requests: counted rightly, and no gap where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from portrayal.findings import AnalysisSettings, StudyData, refusal_findings
from portrayal.findings.data import FAILED, NOT_MADE, REFUSED, _Usable
from portrayal.findings.measured import NOT_FINITE
from portrayal.records import Identity
from portrayal.studies import Study, study_from_dict

JOBS = [f"job {i}" for i in range(10)]
QUICK = AnalysisSettings(resamples=199)


def study(**more: Any) -> Study:
    return study_from_dict(
        {
            "name": "jobs",
            "kind": "composition",
            "axes": ["perceived gender"],
            "template": "a photo of a {word} with {job}",
            "factors": {"word": ["woman", "man"], "job": JOBS},
            "images": 20,
            **more,
        }
    )


def data(of: Study, lost: Mapping[str, Mapping[str, int]]) -> StudyData:
    """Return the study's images; those of the highest seeds of some prompts are lost, by reason."""
    usable = {}
    for prompt in of.prompts():
        n = prompt.images - sum(lost.get(prompt.text, {}).values())
        keys = [f"{prompt.text} {i}" for i in range(n)]
        usable[prompt.text] = _Usable(keys, list(range(n)), list(range(n)))
    ended = {
        text: dict(enumerate(_reasons(lost.get(text, {})), len(found.keys)))
        for text, found in usable.items()
    }
    who = Identity("toy", "judge")
    return StudyData(
        who, who, "judge", 0, {}, 0, vectors=None, usable=usable, texts={}, ended=ended
    )


def _reasons(lost: Mapping[str, int]) -> list[str]:
    return [reason for reason, n in lost.items() for _ in range(n) if reason != NOT_MADE]


def lost_by(word: str, reason: str, n: int) -> dict[str, dict[str, int]]:
    return {p.text: {reason: n} for p in study().prompts() if p.factors["word"] == word}


@pytest.mark.parametrize(
    ("reason", "name"), [(REFUSED, "refused"), (FAILED, "failed"), (NOT_FINITE, "unusable")]
)
def test_each_outcome_has_its_own_finding(reason: str, name: str) -> None:
    found, (table,) = refusal_findings(study(), [data(study(), lost_by("man", reason, 5))], QUICK)
    assert [one.details["outcome"] for one in found] == [name]
    assert found[0].details["rates"] == {
        "man": {"hits": 50, "requests": 200}, "woman": {"hits": 0, "requests": 200},
    }  # fmt: skip
    assert found[0].p == 1 / 200
    assert [row[1:6] for row in table.rows] == [
        ("woman", table.rows[0][2], 0, 200, 0.0), ("man", table.rows[0][2], 50, 200, 0.25),
    ]  # fmt: skip


def test_the_other_group_gives_the_same_number_and_the_other_sentence() -> None:
    of_man, of_woman = (
        refusal_findings(study(), [data(study(), lost_by(word, REFUSED, 5))], QUICK)[0][0]
        for word in ("man", "woman")
    )
    assert of_man.estimate == pytest.approx(of_woman.estimate)
    assert of_man.sentence.startswith("Man: 50 of 200 requests refused (25%)")
    assert of_woman.sentence.startswith("Woman: 50 of 200 requests refused (25%)")


def test_images_that_were_never_asked_for_are_no_refusals() -> None:
    lost = lost_by("man", NOT_MADE, 20)
    assert refusal_findings(study(), [data(study(), lost)], QUICK) == ([], [])


def test_nothing_is_said_where_every_request_gave_an_image() -> None:
    assert refusal_findings(study(), [data(study(), {})], QUICK) == ([], [])


def test_prompts_that_name_no_group_are_compared_by_nothing() -> None:
    plain = study(template="a photo of {job}", factors={"job": JOBS})
    lost = {prompt.text: {REFUSED: i} for i, prompt in enumerate(plain.prompts())}
    assert refusal_findings(plain, [data(plain, lost)], QUICK) == ([], [])


def test_prompt_additions_are_compared() -> None:
    addition = study_from_dict(
        {
            "name": "additions",
            "kind": "intervention",
            "images": 10,
            "categories": [
                {
                    "name": "profession",
                    "template": "a photo of {a attribute}",
                    "act": "be one",
                    "attributes": ["nurse", "pilot", "chef", "baker"],
                    "axes": ["perceived gender"],
                }
            ],
            "interventions": [
                {"name": "fair", "axis": "perceived gender", "text": "if all can {act}"}
            ],
        }
    )
    lost = {p.text: {REFUSED: 6} for p in addition.prompts() if p.factors["intervention"] == "fair"}
    (found,), _ = refusal_findings(addition, [data(addition, lost)], QUICK)
    assert found.details["by"] == "prompt addition"
    assert list(found.details["rates"]) == ["fair", "original"]
    assert found.sentence.startswith("Fair: 24 of 40 requests refused")
    assert found.headline is not None
    assert found.headline.claim == "Requests are refused more often with “fair”"
    lost = {text: {REFUSED: 6} for text in original_prompts(addition)}
    (found,), _ = refusal_findings(addition, [data(addition, lost)], QUICK)
    assert found.headline is not None
    assert found.headline.claim == "Requests are refused more often without an addition"


def original_prompts(addition: Study) -> list[str]:
    return [p.text for p in addition.prompts() if p.factors["intervention"] == "original"]


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_no_gap_is_seldom_called_one(spread: float) -> None:
    """A true null, with prompts that are refused at rates of their own: at most 6.5 % by chance."""
    rng = np.random.default_rng(3)
    of = study()
    rejected = 0
    for world in range(400):
        settings = AnalysisSettings(resamples=199, seed=world)
        rates = np.clip(0.2 + spread * rng.uniform(-0.6, 0.6, len(of.prompts())), 0, 1)
        lost = {
            prompt.text: {REFUSED: int(rng.binomial(20, rate))}
            for prompt, rate in zip(of.prompts(), rates, strict=True)
        }
        (found,), _ = refusal_findings(of, [data(of, lost)], settings)
        assert found.p is not None
        rejected += found.p < 0.05
    assert rejected / 400 < 0.09  # 99 % Monte Carlo bound of 6.5 %
