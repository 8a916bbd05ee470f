from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embeddings import A, B, leaning
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestIndPower

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    ConceptEmbeddings,
    Embeddings,
    association_test,
    detectable_effect,
    detectable_share,
    detectable_share_difference,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "power.json").read_text())


# Validation


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: detectable_effect(5, 5, power=1), "power is 1"),
        (lambda: detectable_effect(5, 5, alpha=0), "alpha is 0"),
        (lambda: detectable_effect(5, 5, unit_correlation=2), "unit_correlation is 2"),
        (lambda: detectable_effect(-1, 5), "allowed: units of 0 or more"),
        (lambda: detectable_effect(5, 5, images_per_unit=0), "images above 0"),
        (lambda: detectable_share_difference(5, 5, baseline=1.5), "baseline 1.5"),
        (lambda: detectable_share(-1), "n is -1"),
        (lambda: detectable_share(5, null=0), "null is 0"),
    ],
)
def test_bad_input_is_refused(call: Any, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        call()


# Known answer and agreement with statsmodels


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"d {case['d']}")
def test_published_sample_sizes(case: dict[str, float]) -> None:
    n, d = int(case["n"]), case["d"]
    assert detectable_effect(n, n) <= d < detectable_effect(n - 1, n - 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("n_x", "n_y", "power"), [(25, 25, 0.8), (9, 8, 0.9), (4, 4, 0.8)])
def test_statsmodels_agrees_on_effects(alternative: Any, n_x: int, n_y: int, power: float) -> None:
    expected = TTestIndPower().solve_power(
        nobs1=n_x,
        ratio=n_y / n_x,
        alpha=0.05,
        power=power,
        alternative="larger" if alternative == "greater" else alternative,
    )
    ours = detectable_effect(n_x, n_y, power=power, alternative=alternative)
    assert ours == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("n", "other"), [(100, 100), (50, 400)])
@pytest.mark.parametrize("baseline", [0.5, 0.2])
def test_statsmodels_agrees_on_shares(n: int, other: int, baseline: float) -> None:
    h = NormalIndPower().solve_power(nobs1=n, ratio=other / n, alpha=0.05, power=0.8)
    difference = detectable_share_difference(n, other, baseline=baseline)
    found = 2 * math.asin(math.sqrt(baseline + difference)) - 2 * math.asin(math.sqrt(baseline))
    # statsmodels counts the far tail as well, which is worth less than 1e-5 here.
    assert found == pytest.approx(h, rel=1e-4)


@pytest.mark.parametrize(("n", "null"), [(100, 0.5), (37, 0.5), (60, 0.3)])
def test_exact_power_by_enumeration(n: int, null: float) -> None:
    """Add up the chances of every count that a doubled exact tail test would reject."""
    share = detectable_share(n, null=null)
    rejected = [
        count
        for count in range(n + 1)
        if min(stats.binom.cdf(count, n, null), stats.binom.sf(count - 1, n, null)) <= 0.025
    ]
    assert sum(stats.binom.pmf(rejected, n, share)) == pytest.approx(0.8, abs=1e-6)
    assert sum(stats.binom.pmf(rejected, n, null)) <= 0.05


# Invariants


def test_more_prompts_help_more_than_more_images() -> None:
    base = detectable_effect(9, 9, images_per_unit=4)
    images = detectable_effect(9, 9, images_per_unit=8)
    prompts = detectable_effect(18, 18, images_per_unit=4)
    assert prompts < images < base


def test_uncorrelated_images_count_like_prompts() -> None:
    scale = detectable_effect(9, 9, images_per_unit=16, unit_correlation=0.0)
    assert scale == pytest.approx(detectable_effect(9, 9, unit_correlation=0.0) / 4)
    copies = detectable_effect(9, 9, images_per_unit=16, unit_correlation=1.0)
    assert copies == pytest.approx(detectable_effect(9, 9))


def test_sides_may_be_exchanged() -> None:
    assert detectable_effect(5, 9) == pytest.approx(detectable_effect(9, 5))
    greater = detectable_effect(9, 9, alternative="greater")
    assert greater == pytest.approx(detectable_effect(9, 9, alternative="less"))
    assert greater < detectable_effect(9, 9)
    low, high = (detectable_share_difference(80, 80, baseline=b) for b in (0.3, 0.7))
    assert low == pytest.approx(high)


# Degenerate input


def test_nothing_can_be_detected() -> None:
    assert math.isnan(detectable_effect(0, 5))
    assert math.isnan(detectable_effect(1, 50))
    assert math.isnan(detectable_effect(3, 3))  # 20 splits: the least two-sided p is 0.1
    assert not math.isnan(detectable_effect(3, 3, alternative="greater"))
    assert math.isnan(detectable_share_difference(0, 10))
    assert math.isnan(detectable_share_difference(2, 2))
    assert math.isnan(detectable_share(0))
    assert math.isnan(detectable_share(5))
    assert detectable_share(6) < 1


# Calibration


def test_the_association_test_has_the_power_promised() -> None:
    """Plant the effect that is called detectable: the permutation test finds it 4 times in 5."""
    rng = np.random.default_rng(7)
    prompts, images, correlation = 9, 4, 0.5
    d = detectable_effect(prompts, prompts, images_per_unit=images, unit_correlation=correlation)
    units = np.repeat(np.arange(prompts), images)
    found, trials = 0, 300
    for _ in range(trials):
        unit = rng.normal(0, math.sqrt(correlation), (2 * prompts, 1))
        scores = unit + rng.normal(0, math.sqrt(1 - correlation), (2 * prompts, images))
        scores[:prompts] += d
        rows = leaning(0.05 * scores.ravel())
        result = association_test(
            *(ConceptEmbeddings(Embeddings(side, units), A, B) for side in np.split(rows, 2))
        )
        found += result.p_value <= 0.05
    assert 0.73 <= found / trials <= 0.87
