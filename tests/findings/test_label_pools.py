"""Which images are corrected together, and which apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from invented import ENCODER, direction, fill_audit
from portrayal.audit import AuditFolder
from portrayal.findings.data import AuditData
from portrayal.findings.label_pools import LabelPool, PeopleSaid, draw_pool, study_pools
from portrayal.studies.reading import study_from_toml

GROUPS = ("woman", "man")
ADDITIONS = """
kind = "intervention"
images = 3
[[interventions]]
name = "everyone"
axis = "perceived gender"
text = "where everyone can {act}"
[[categories]]
name = "professions"
axes = ["perceived gender"]
template = "a photo of {a attribute}"
act = "be {a attribute}"
attributes = ["nurse", "chef"]
"""


def pool(apart: tuple[str, ...] = ()) -> LabelPool:
    """Return images of ten occupations: one group each as they are, even with an addition."""
    factors = {
        f"{job} {how}": {"occupation": str(job), "addition": how}
        for how in ("none", "added") for job in range(10)
    }  # fmt: skip
    rng = np.random.default_rng(0)
    prompts = [prompt for prompt in factors for _ in range(24)]
    truth = [
        GROUPS[int(factors[one]["occupation"]) % 2 if "none" in one else int(rng.integers(2))]
        for one in prompts
    ]
    wrong = rng.random(len(truth)) < 0.25
    labels = [
        GROUPS[1 - GROUPS.index(one)] if bad else one for one, bad in zip(truth, wrong, strict=True)
    ]
    keys = [f"{i}-{one}" for i, one in enumerate(truth)]
    columns = (tuple(keys), tuple(labels), tuple(prompts))
    return LabelPool("generated images", "axis", GROUPS, *columns, factors, (), apart)


def imbalance(one: LabelPool) -> float:
    """Return the mean imbalance of occupations as they are, by labels that were drawn."""
    said = {key: key.split("-")[1] for key in one.keys[::10]}
    rng = np.random.default_rng(1)
    codes = draw_pool(one, PeopleSaid(said, dict.fromkeys(said, 1.0)), rng).codes[:, :240]
    shares = (codes == 0).reshape(len(codes), 10, 24).mean(axis=2)
    return float(np.abs(2 * shares - 1).mean())


def test_levels_that_are_scored_apart_are_drawn_apart() -> None:
    assert imbalance(pool(("addition",))) > imbalance(pool()) + 0.02
    assert imbalance(pool(("addition",))) == pytest.approx(1, abs=0.08)


def test_a_study_of_prompt_additions_scores_each_addition_apart(audit: AuditFolder) -> None:
    study = study_from_toml(ADDITIONS, source="a.toml", name="a")
    fill_audit(audit, [study], lambda prompt, seed: direction(prompt.text))
    texts = [prompt.text for prompt in study.prompts()]
    data = AuditData(audit, texts, study.texts()).of_study(study.prompts(), ENCODER)
    (found,) = study_pools(study, replace(data, audit=audit))
    assert len(found.keys) == 2 * 2 * 3
    assert {tuple(found.factors[one][x] for x in found.apart) for one in found.prompts} == {
        ("professions", "original"), ("professions", "everyone"),
    }  # fmt: skip
