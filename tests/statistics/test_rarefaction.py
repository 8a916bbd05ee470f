from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import stats

from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.imbalance_distribution import GRID, imbalance_posterior
from portrayal.statistics.rarefaction import (
    expected_imbalance,
    folded_mean,
    imbalance_noise,
    thinned_imbalance,
)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 51])
def test_expected_imbalance_is_the_sum_over_counts(n: int) -> None:
    x = np.arange(n + 1)
    for imbalance in (0.0, 0.1, 0.6, 1.0):
        wanted = stats.binom.pmf(x, n, (1 + imbalance) / 2) @ np.abs(2 * x / n - 1)
        found = expected_imbalance(np.array([imbalance, -imbalance]), np.array([float(n)]))
        assert found == pytest.approx([wanted, wanted])


def test_expected_imbalance_of_a_balanced_share() -> None:
    # De Moivre's mean deviation: C(2m, m) / 4^m of 2m images.
    assert expected_imbalance(np.array([0.0]), np.array([50.0]))[0] == pytest.approx(
        comb(50, 25) / 2**50
    )
    assert expected_imbalance(np.array([0.3]), np.array([np.inf]))[0] == 0.3


def test_thinning_is_the_mean_over_all_subsets() -> None:
    images = [1, 1, 1, 0, 1, 0, 1]
    for size in range(1, 8):
        wanted = np.mean([abs(2 * sum(c) / size - 1) for c in combinations(images, size)])
        found = thinned_imbalance(np.array([5.0]), np.array([7.0]), np.array([float(size)]))
        assert found[0] == pytest.approx(wanted)


@pytest.mark.parametrize("share", [0.5, 0.53, 0.9])
def test_thinning_has_no_bias(share: float) -> None:
    x, n, size = np.arange(61.0), np.full(61, 60.0), np.full(61, 9.0)
    mean = stats.binom.pmf(x, 60, share) @ thinned_imbalance(x, n, size)
    wanted = expected_imbalance(np.array([2 * share - 1]), np.array([9.0]))[0]
    assert mean == pytest.approx(wanted)


def test_thinning_of_many_agrees_with_the_exact_sum() -> None:
    exact = thinned_imbalance(np.array([1040.0]), np.array([2000.0]), np.array([600.0]))
    normal = thinned_imbalance(np.array([1040.0]), np.array([2000.0]), np.array([601.0]))
    assert normal == pytest.approx(exact, abs=2e-4)


def test_noise_is_that_of_folded_counts() -> None:
    x = np.arange(201)
    for imbalance in (0.0, 0.05, 0.2, 0.7):
        chance, seen = stats.binom.pmf(x, 200, (1 + imbalance) / 2), np.abs(2 * x / 200 - 1)
        away = seen - chance @ seen
        found = imbalance_noise(np.array([imbalance]), np.array([200.0]), np.array([200.0]))
        assert found.variance[0] == pytest.approx(chance @ away**2, rel=0.03)
        assert found.third[0] == pytest.approx(chance @ away**3, abs=4e-5)


def test_folded_mean_agrees_with_scipy() -> None:
    assert folded_mean(np.array([0.4]), np.array([0.3]))[0] == pytest.approx(
        stats.foldnorm.mean(0.4 / 0.3, scale=0.3)
    )
    assert folded_mean(np.array([-0.4]), np.array([0.0]))[0] == 0.4


def test_posterior_learns_from_all_prompts() -> None:
    generator = np.random.default_rng(0)
    balanced = generator.binomial(10, 0.5, 200).astype(float)
    chance = imbalance_posterior(balanced, np.full(200, 10.0))
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    plain = np.abs(balanced / 5 - 1).mean()
    assert (chance @ GRID).mean() < 0.5 * plain, "most of the imbalance is chance"
    assert imbalance_posterior(np.array([10.0]), np.array([10.0])) @ GRID > 0.7


@pytest.mark.parametrize(("x", "n"), [(450, 500), (80, 100), (50, 50)])
def test_bounds_far_from_half_are_wilsons(x: int, n: int) -> None:
    bounds = ImbalanceBounds(np.array([2 * x / n - 1]), np.array([float(n)]))
    towards, away = bounds.reach(float(stats.norm.ppf(0.975)))
    wanted = stats.binomtest(x, n).proportion_ci(method="wilson")
    found = bounds.estimate[0] - towards[0], bounds.estimate[0] + away[0]
    assert found == pytest.approx((2 * wanted.low - 1, 2 * wanted.high - 1), abs=0.006)


def test_bounds_near_half_reach_it() -> None:
    bounds = ImbalanceBounds(np.array([0.1]), np.array([100.0]))
    towards, away = bounds.reach(1.96)
    assert bounds.estimate[0] - towards[0] == 0
    assert 0.2 < bounds.estimate[0] + away[0] < 0.35
