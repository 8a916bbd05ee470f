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


@pytest.mark.parametrize("numerator", [1.2, -0.4, 0.0])
def test_ratio_interval_holds_all_ratios_that_a_test_would_accept(numerator: float) -> None:
    found, square = two_columns(1, 0.05), 0.8
    low, high = found.ratio_interval(numerator, square, confidence=0.95)
    covariance = found.values.T @ found.values
    quantile = stats.t.ppf(0.975, 11)
    ratios = np.linspace(-4, 4, 80_001)
    gradient = np.stack([np.ones_like(ratios), -ratios / (2 * math.sqrt(square))])
    errors = np.sqrt(np.einsum("ik,ij,jk->k", gradient, covariance, gradient))
    accepted = ratios[np.abs(numerator - ratios * math.sqrt(square)) <= quantile * errors]
    assert (low, high) == pytest.approx((accepted[0], accepted[-1]), abs=2e-4)


def test_ratio_interval_is_symmetric_where_the_denominator_could_be_zero() -> None:
    found, numerator, square = two_columns(2, 0.6), 0.5, 0.3
    low, high = found.ratio_interval(numerator, square, confidence=0.95)
    ratio = numerator / math.sqrt(square)
    gradient = np.array([1 / math.sqrt(square), -ratio / (2 * square)])
    error = math.sqrt(gradient @ found.values.T @ found.values @ gradient)
    half = stats.t.ppf(0.975, 11) * error
    assert (low, high) == pytest.approx((ratio - half, ratio + half))


def test_degrees_of_freedom_of_equal_strata_add_up() -> None:
    """Two strata of equal variance and 4 degrees each: 2 * (4 + 2) - 2 = 10."""
    values = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    found = Moves(values, np.array([0, 0, 1, 1]), np.array([4.0, 4.0]))
    assert found.degrees == pytest.approx([10.0])
    alone = Moves(values, np.zeros(4, dtype=np.intp), np.array([7.0]))
    assert alone.degrees == pytest.approx([7.0])


def test_no_variance_gives_no_width_and_no_warning() -> None:
    found = Moves(np.zeros((3, 2)), np.zeros(3, dtype=np.intp), np.array([2.0]))
    assert found.interval(0.5, confidence=0.95) == (0.5, 0.5)
    assert found.p_value(0.5) == 0.0
    assert found.p_value(0.0) == 1.0
    assert found.ratio_interval(0.5, 0.25, confidence=0.95) == pytest.approx((1.0, 1.0))
