from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.correlation import pearson_correlation

# Validation


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1]), ([[1, 2]], [[1, 2]]), (1, 2)], ids=["lengths", "shape", "scalars"]
)
def test_rows_of_equal_length(x: object, y: object) -> None:
    with pytest.raises(StatisticsError, match="two rows of equal length"):
        pearson_correlation(x, y)  # type: ignore[arg-type]


def test_confidence() -> None:
    with pytest.raises(StatisticsError, match="confidence"):
        pearson_correlation([1, 2, 3], [1, 2, 3], confidence=1.5)


# Agreement with an independent implementation


@pytest.mark.parametrize("n", [4, 10, 62])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_agrees_with_scipy(n: int, confidence: float) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = -0.5 * x + rng.normal(size=n)
    result = pearson_correlation(x, y, confidence=confidence)
    theirs = stats.pearsonr(x, y)
    low, high = theirs.confidence_interval(confidence)
    assert (result.estimate, result.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    # Fisher's z is what the exact interval comes to with many pairs.
    assert (result.low, result.high) == pytest.approx((low, high), abs=0.7 / n)
    assert (result.n, result.n_missing) == (n, 0)


@pytest.mark.parametrize(("n", "r"), [(4, 0.7), (6, -0.4), (30, 0.2)])
def test_bounds_leave_the_tails_they_should(n: int, r: float) -> None:
    """r / sqrt(1 - r^2) of normal pairs is (Z + c X) / Y with chi X (n - 1), Y (n - 2) (Ruben)."""
    rng = np.random.default_rng(n)
    x, noise = rng.normal(size=(2, n))
    x, noise = x - x.mean(), noise - noise.mean()
    noise -= x * (noise @ x) / (x @ x)
    y = r * x / np.linalg.norm(x) + math.sqrt(1 - r * r) * noise / np.linalg.norm(noise)
    result = pearson_correlation(x, y)
    chi = np.sqrt(stats.chi2.ppf((np.arange(4000) + 0.5) / 4000, n - 1))
    for rho, tail in ((result.low, 0.975), (result.high, 0.025)):
        c = rho / math.sqrt(1 - rho**2)
        t = r / math.sqrt(1 - r * r) * math.sqrt(n - 2)
        assert stats.nct.cdf(t, n - 2, c * chi).mean() == pytest.approx(tail, abs=5e-4)


@pytest.mark.parametrize("n", [4, 6, 20])
def test_interval_agrees_with_the_test(n: int) -> None:
    edge = stats.t.ppf(0.975, n - 2)
    for t in (0.97 * edge, 1.03 * edge):
        r = t / math.sqrt(t * t + n - 2)
        x = np.arange(n) - (n - 1) / 2
        noise = np.abs(x) - np.abs(x).mean()
        y = r * x / np.linalg.norm(x) + math.sqrt(1 - r * r) * noise / np.linalg.norm(noise)
        result = pearson_correlation(x, y)
        assert result.estimate == pytest.approx(r)
        assert (result.low > 0) == (result.p_value < 0.05)


# Known answer


def test_the_interval_of_the_papers_correlation() -> None:
    """r = -0.458 over 62 occupations: (-0.635, -0.235) by Fisher's z, and nearly so exactly."""
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 62))
    x = (x - x.mean()) / x.std()
    noise = noise - noise.mean() - x * (noise @ x) / (x @ x)
    y = -0.458 * x + math.sqrt(1 - 0.458**2) * noise / noise.std()
    result = pearson_correlation(x, y)
    assert result.estimate == pytest.approx(-0.458)
    assert (result.low, result.high) == pytest.approx((-0.6354, -0.2353), abs=4e-3)
    assert result.p_value < 0.001


# Invariants


def test_sign_scale_and_order() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 20))
    one = pearson_correlation(x, y)
    flipped = pearson_correlation(x, -y)
    assert (flipped.estimate, flipped.low, flipped.high) == pytest.approx(
        (-one.estimate, -one.high, -one.low)
    )
    assert pearson_correlation(100 * x + 5, y).estimate == pytest.approx(one.estimate)
    assert pearson_correlation(y, x).estimate == pytest.approx(one.estimate)


# Degenerate input


def test_missing_numbers_are_counted() -> None:
    result = pearson_correlation([1, 2, math.nan, 4, 5], [2, 1, 3, math.nan, 5])
    assert (result.n, result.n_missing) == (3, 2)
    assert result.estimate == pytest.approx(float(np.corrcoef([1, 2, 5], [2, 1, 5])[0, 1]))
    assert math.isnan(result.low)
    assert result.p_value > 0


@pytest.mark.parametrize("x", [[], [1.0], [1.0, 2.0], [3.0, 3.0, 3.0]])
def test_no_answer(x: list[float]) -> None:
    result = pearson_correlation(x, list(range(len(x))))
    assert math.isnan(result.estimate)
    assert math.isnan(result.p_value)
    assert result.n == len(x)


def test_on_a_line() -> None:
    result = pearson_correlation([1, 2, 3, 4], [2, 4, 6, 8])
    assert (result.estimate, result.low, result.high, result.p_value) == (1, 1, 1, 0)
