from __future__ import annotations

import json

import pytest
from invented import fill_audit, leaning

from portrayal.analysis import analyze
from portrayal.audit import Audit
from portrayal.records import Finding
from portrayal.study import AssociationStudy, load_study, study_from_toml

SMALL = """
kind = "association"
images = 4
x = { name = "flowers", words = ["rose", "aster", "iris", "tulip"] }
y = { name = "insects", words = ["bee", "ant", "moth", "wasp", "fly"] }
a = { name = "pleasant", words = ["love", "peace"] }
b = { name = "unpleasant", words = ["death", "grief", "abuse"] }
"""


@pytest.fixture
def study() -> AssociationStudy:
    found = study_from_toml(SMALL, source="small.toml", name="small")
    assert isinstance(found, AssociationStudy)
    return found


def only(findings: list[Finding], statistic: str) -> Finding:
    (found,) = [one for one in findings if one.statistic == statistic]
    return found


def test_flowers_and_insects_end_to_end(audit: Audit) -> None:
    study = load_study("flowers-insects")
    fill_audit(audit, [study], leaning({"flowers": 0.1, "insects": -0.1}))
    found = analyze(audit).findings
    effect = only(found, "d")
    assert effect.question == "flowers / insects: pleasant rather than unpleasant"
    assert effect.estimate is not None
    assert effect.low is not None
    assert effect.low > 0.8
    assert effect.p == pytest.approx(2e-4)  # the least of 9,999 random splits, two-sided
    assert (effect.n, effect.n_missing, effect.unit) == (500, 0, "prompt")
    assert effect.sentence.startswith(
        "Pictures of flowers lean to pleasant rather than unpleasant more than those of insects: d"
    )
    assert "a large effect; p < 0.001; 250 + 250 images of 25 + 25 prompts." in effect.sentence
    stored = audit.results()
    assert stored["findings"] == [json.loads(json.dumps(one.as_dict())) for one in found]
