from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.statistics.precision import Moves


def two_columns(seed: int, scale: float) -> Moves:
    """Return moves of a numerator and a squared denominator in one stratum of 12 units."""
    values = np.random.default_rng(seed).normal(size=(12, 2)) @ np.array([[0.1, 0.04], [0, scale]])
    return Moves(values, np.zeros(12, dtype=np.intp), np.array([11.0]))


def accepted(found: Moves, numerator: float, square: float, ratios: np.ndarray) -> np.ndarray:
    """Return the ratios that the test accepts, straight from its definition."""
    root = math.sqrt(square)
    covariance = found.values.T @ found.values
    bottom = covariance[1, 1] / (4 * square)
    own = root + bottom / (2 * root)
    gradient = np.stack([np.ones_like(ratios), -ratios / (2 * root)])
    errors = np.sqrt(np.einsum("ik,ij,jk->k", gradient, covariance, gradient))
    # The deviation by least squares, when numerator = ratio * deviation holds.
    weights = np.stack([ratios / covariance[0, 0], np.full_like(ratios, 1 / bottom)])
    implied = (weights[0] * numerator + weights[1] * own) / (weights[0] * ratios + weights[1])
    errors = errors * np.where(ratios * numerator > 0, implied / own, 1.0)
    return ratios[np.abs(numerator - ratios * own) <= stats.t.ppf(0.975, 11) * errors]


@pytest.mark.parametrize("numerator", [1.2, -0.4, 0.0])
def test_ratio_interval_holds_all_ratios_that_a_test_would_accept(numerator: float) -> None:
    found, square = two_columns(1, 0.05), 0.8
    low, high = found.ratio_interval(numerator, square, confidence=0.95)
    inside = accepted(found, numerator, square, np.linspace(-4, 4, 80_001))
    assert (low, high) == pytest.approx((inside[0], inside[-1]), abs=2e-4)


def test_ratio_interval_is_bounded_where_the_denominator_could_be_zero() -> None:
    found, numerator, square = two_columns(2, 0.6), 0.5, 0.3
    low, high = found.ratio_interval(numerator, square, confidence=0.95)
    inside = accepted(found, numerator, square, np.linspace(-100, 100, 400_001))
    assert inside[0] == -100, "no ratio of the other sign is refused"
    assert high == pytest.approx(inside[-1], abs=1e-3)
    assert low < 0
    assert math.isfinite(low)


def test_ratio_is_hedges_estimate() -> None:
    """A sample variance with 20 degrees of freedom: one over its root is too large by 3 / 80."""
    draws = np.random.default_rng(3).chisquare(20, size=100_000) / 20
    values = np.zeros((1, 2))
    values[0, 1] = math.sqrt(2 / 20)
    found = Moves(values, np.zeros(1, dtype=np.intp), np.array([20.0]))
    factor = found.ratio(1.0, 1.0)
    assert factor == pytest.approx(1 / np.mean(1 / np.sqrt(draws)), rel=2e-3)
    assert found.ratio(-2.0, 1.0) == pytest.approx(-2 * factor)


def test_degrees_of_freedom_of_equal_strata() -> None:
    """Two strata of 4 degrees each: Welch's 8. Ten, which need 4 + 1.6: 10 * 5.6 - 1.6."""
    values = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    found = Moves(values, np.array([0, 0, 1, 1]), np.array([4.0, 4.0]))
    assert found.degrees == pytest.approx([8.0])
    many = Moves(np.ones((10, 1)), np.arange(10), np.full(10, 4.0))
    assert many.degrees == pytest.approx([54.4])
    alone = Moves(values, np.zeros(4, dtype=np.intp), np.array([7.0]))
    assert alone.degrees == pytest.approx([7.0])


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_p_is_students(alternative: str) -> None:
    values = np.random.default_rng(4).normal(0.4, 1.0, size=9)
    moves = ((values - values.mean()) * math.sqrt(9 / 8) / 9)[:, None]
    found = Moves(moves, np.zeros(9, dtype=np.intp), np.array([8.0]))
    wanted = stats.ttest_1samp(values, 0.0, alternative=alternative).pvalue
    assert found.p_value(values.mean(), alternative=alternative) == pytest.approx(wanted)  # type: ignore[arg-type]


def test_no_variance_gives_no_width_and_no_warning() -> None:
    found = Moves(np.zeros((3, 2)), np.zeros(3, dtype=np.intp), np.array([2.0]))
    assert found.interval(0.5, confidence=0.95) == (0.5, 0.5)
    assert found.p_value(0.5) == 0.0
    assert found.p_value(0.0) == 1.0
    assert found.ratio_interval(0.5, 0.25, confidence=0.95) == pytest.approx((1.0, 1.0))
