from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from invented import ENCODER, OTHER_ENCODER, WIDTH, fill_audit, leaning
from portrayal.audit import AuditFolder
from portrayal.findings.encoder_agreement import image_agreement, tau_over_images
from portrayal.findings.parts import Distribution, ImageValue
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.records import Identity, Prompt
from portrayal.runner.analysis import analyze
from portrayal.studies.reading import load_study, study_from_toml

SMALL = """
kind = "association"
images = 4
x = { name = "flowers", words = ["rose", "aster", "iris", "tulip"] }
y = { name = "insects", words = ["bee", "ant", "moth", "wasp"] }
a = { name = "pleasant", words = ["love"] }
b = { name = "unpleasant", words = ["death"] }
"""


@pytest.fixture
def study() -> AssociationStudy:
    found = study_from_toml(SMALL, source="small.toml", name="small")
    assert isinstance(found, AssociationStudy)
    return found


def test_two_encoders_stand_side_by_side(audit: AuditFolder, study: AssociationStudy) -> None:
    lean = leaning({"flowers": 0.3, "insects": -0.3})
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(WIDTH, WIDTH)))[0]
    fill_audit(audit, [study], lean)
    # The other encoder sees the same, in other coordinates: every cosine is equal.
    fill_audit(audit, [study], lambda p, seed: turn @ lean(p, seed), encoder=OTHER_ENCODER)
    results = analyze(audit)
    effects = [f for f in results.findings if f.statistic == "d"]
    assert {f.question.split(" · ")[1] for f in effects} == {ENCODER.name, OTHER_ENCODER.name}
    assert effects[0].estimate == pytest.approx(effects[1].estimate, rel=1e-4)
    tau = next(f for f in results.findings if f.statistic == "Kendall's tau")
    assert tau.estimate == pytest.approx(1, abs=0.01)
    assert (tau.n, tau.details["same_sign"]) == (32, 32)
    last = results.as_dict()["studies"][-1]
    assert (last["study"], last["kind"]) == ("encoders", "agreement")
    rows = {row[0]: row for row in last["parts"][0]["rows"]}
    assert rows["d"][3:6] == [1, 1, 1.0]
    assert rows["association"][3:5] == [2, 2]
    names = [part.name for part in results.studies[0].parts]
    assert len(names) == len(set(names))


def test_encoders_that_see_different_things_do_not_agree(
    audit: AuditFolder, study: AssociationStudy
) -> None:
    fill_audit(audit, [study], leaning({"flowers": 0.3, "insects": -0.3}))

    def noise(prompt: Prompt, seed: int) -> np.ndarray:
        return np.random.default_rng([99, seed, *prompt.text.encode()]).normal(size=WIDTH)

    fill_audit(audit, [study], noise, encoder=OTHER_ENCODER)
    tau = next(f for f in analyze(audit).findings if f.statistic == "Kendall's tau")
    assert tau.low is not None
    assert tau.high is not None
    assert tau.low < 0.2
    assert tau.high < 0.6


def test_one_encoder_has_nothing_to_agree_with(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], leaning({}))
    results = analyze(audit)
    assert [section.study for section in results.studies] == ["small"]
    assert not [f for f in results.findings if f.statistic == "Kendall's tau"]


def test_encoders_of_one_name_are_told_apart(audit: AuditFolder, study: AssociationStudy) -> None:
    twin = Identity(ENCODER.kind, ENCODER.name, {"revision": "b"})
    fill_audit(audit, [study], leaning({}))
    fill_audit(audit, [study], leaning({}), encoder=twin)
    questions = [f.question for f in analyze(audit).findings]
    assert len(questions) == len(set(questions))


def test_what_only_one_encoder_missed_is_named(audit: AuditFolder, study: AssociationStudy) -> None:
    fill_audit(audit, [study], leaning({}))
    fill_audit(
        audit, [study], leaning({}), encoder=OTHER_ENCODER, measured=lambda p, seed: seed > 0
    )
    dropped = analyze(audit).studies[0].dropped
    assert dropped == {f"not measured · {OTHER_ENCODER.name}": 24}


def test_tau_agrees_with_scipy_and_its_interval_covers() -> None:
    rng = np.random.default_rng(1)
    correlation = 0.6
    truth = 2 / math.pi * math.asin(correlation)  # Kendall's tau of a normal pair
    covered = []
    for _ in range(200):
        x = rng.normal(size=60)
        y = correlation * x + math.sqrt(1 - correlation**2) * rng.normal(size=60)
        units = [str(i) for i in range(60)]
        tau, interval = tau_over_images(x, y, units, confidence=0.95)
        assert tau == pytest.approx(stats.kendalltau(x, y).statistic)
        covered.append(interval.low <= truth <= interval.high)
    assert 0.91 <= np.mean(covered) <= 0.985


def test_constant_values_have_no_tau(study: AssociationStudy) -> None:
    tau, interval = tau_over_images(np.ones(9), np.arange(9.0), list("abcdefghi"), confidence=0.95)
    assert math.isnan(tau)
    assert math.isnan(interval.low)
    seen = Distribution("t", "t", [ImageValue(str(i), "c", "p", i, 1.0) for i in range(5)])
    (found,) = image_agreement(study, {"a": seen, "b": seen}, AnalysisSettings())
    assert found.estimate is None
    assert found.sentence.startswith("not enough data: ")


def test_suites_of_two_encoders_keep_their_order(audit: AuditFolder) -> None:
    study = load_study("demo-flowers-insects").with_images(1)
    fill_audit(audit, [study], leaning({"flowers": 0.3}))
    fill_audit(audit, [study], leaning({"flowers": 0.3}), encoder=OTHER_ENCODER)
    tau = next(f for f in analyze(audit).findings if f.statistic == "Kendall's tau")
    assert tau.estimate == pytest.approx(1)
