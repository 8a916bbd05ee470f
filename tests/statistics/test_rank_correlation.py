from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import kendall_tau
from portrayal.statistics.rank_correlation import normal_variance


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("ties", [False, True])
def test_kendall_agrees_with_scipy(ties: bool) -> None:
    generator = rng(8)
    x = generator.normal(size=30)
    y = x + generator.normal(size=30)
    if ties:
        x, y = np.round(x), np.round(y)
    wanted = stats.kendalltau(x, y)
    result = kendall_tau(x, y, rng=generator)
    assert (result.value, result.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert result.interval.low < result.value < result.interval.high
    assert kendall_tau(x, -y).value == pytest.approx(-result.value)
    assert kendall_tau(y, x).value == pytest.approx(result.value)
    assert float(result) == result.value


def test_interval_of_many_items_is_that_of_resampled_items() -> None:
    generator = rng(9)
    x = generator.normal(size=300)
    y = x + generator.normal(size=300)
    values = []
    for _ in range(400):
        # A set drawn without repeats: items that come twice would be ties.
        items = generator.permutation(300)[:150]
        values.append(stats.kendalltau(x[items], y[items]).statistic)
    # Half of 300 items, drawn without replacement, scatter as a sample of 300 does.
    half = 1.96 * np.std(values)
    result = kendall_tau(x, y)
    assert result.interval == pytest.approx((result.value - half, result.value + half), abs=0.012)


def test_variance_of_normal_items() -> None:
    """Simulated, and by Kendall's formula where the measures are independent."""
    assert normal_variance(0.0, 12) == pytest.approx(2 * 29 / (9 * 12 * 11))
    assert normal_variance(1.0, 12) == pytest.approx(0.0, abs=1e-12)
    generator, r = rng(3), math.sin(math.pi * 0.2)
    x, noise = generator.normal(size=(2, 4000, 12))
    y = r * x + math.sqrt(1 - r**2) * noise
    pairs = np.triu_indices(12, 1)
    order = [np.sign(v[:, pairs[0]] - v[:, pairs[1]]) for v in (x, y)]
    simulated = (order[0] * order[1]).mean(axis=1).var()
    assert normal_variance(0.4, 12) == pytest.approx(simulated, rel=0.08)


@pytest.mark.parametrize("n", [4, 5, 7, 12, 40])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_interval_and_p_agree(n: int, confidence: float) -> None:
    generator = rng(n)
    decided = 0
    for _ in range(150):
        x = generator.normal(size=n)
        y = generator.normal(size=n) + generator.choice([0.0, 0.7, -2.0]) * x
        if generator.random() < 0.3:
            y = np.round(y)
        result = kendall_tau(x, y, confidence=confidence)
        if math.isnan(result.value):
            continue
        low, high = result.interval
        assert -1 <= low <= result.value <= high <= 1
        assert (low > 0 or high < 0) == (result.p_value < 1 - confidence)
        decided += low > 0 or high < 0
    assert decided > (0 if n > 4 or confidence < 0.9 else -1)


def test_sign_flips() -> None:
    generator = rng(11)
    x = generator.normal(size=15)
    y = x + generator.normal(size=15)
    one, other = kendall_tau(x, y), kendall_tau(x, -y)
    assert other.value == pytest.approx(-one.value)
    assert other.interval == pytest.approx((-one.interval.high, -one.interval.low))


def test_complete_order_of_few_is_no_certainty() -> None:
    assert kendall_tau(range(4), range(4)).interval.low < 0, "4 items: the least p is .083"
    few, many = (kendall_tau(range(n), range(n)).interval for n in (8, 80))
    assert few.high == many.high == 1
    assert 0 < few.low < 0.8 < 0.95 < many.low


def test_kendall_degenerate() -> None:
    for x, y in (([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, None], [math.nan, 2])):
        result = kendall_tau(x, y, rng=rng())  # type: ignore[arg-type]
        assert math.isnan(result.value)
        assert math.isnan(result.p_value)
        assert math.isnan(result.interval.low)
    partial = kendall_tau([1, 2, None, 4], [1, 3, 2, math.nan])  # type: ignore[list-item]
    assert (partial.value, partial.n, partial.n_missing) == (1, 2, 2)
    with pytest.raises(StatisticsError, match="x has 2 items and y has 1"):
        kendall_tau([1, 2], [1])
    with pytest.raises(StatisticsError, match="y contains no numbers"):
        kendall_tau([1, 2], ["a", "b"])
    with pytest.raises(StatisticsError, match="x has shape"):
        kendall_tau([[1, 2]], [[1, 2]])
