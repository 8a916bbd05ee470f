from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import mean_influence


def test_agrees_with_scipy() -> None:
    scores = [0.1, -0.05, 0.3, 0.2, 0.15]
    wanted = stats.ttest_1samp(scores, 0.0)
    result = mean_influence([*scores, math.nan])
    assert result.value == pytest.approx(0.14)
    assert result.p_value == pytest.approx(wanted.pvalue)
    assert result.interval == pytest.approx(tuple(wanted.confidence_interval(0.95)))
    assert (result.n, result.n_missing) == (5, 1)


def test_interval_stays_within_the_range() -> None:
    """Student's interval of these two is -6.35 to 6.35."""
    assert mean_influence([0.5, -0.5]).interval == (-1, 1)
    assert mean_influence([1.5, -0.5], largest=2).interval == (-2, 2)
    with pytest.raises(StatisticsError, match=r"reach 1.5 in size; allowed: .* at most 1 in size"):
        mean_influence([1.5, -0.5])


def test_sign_flips_and_p_agrees_with_the_interval() -> None:
    generator = np.random.default_rng(0)
    clear = 0
    for n in (2, 3, 5, 20):
        for _ in range(50):
            scores = np.clip(generator.normal(0.2, 0.3, size=n), -1, 1)
            one, other = mean_influence(scores), mean_influence(-scores)
            assert other.value == pytest.approx(-one.value)
            assert other.p_value == pytest.approx(one.p_value)
            assert other.interval == pytest.approx((-one.interval.high, -one.interval.low))
            told = one.interval.low > 0 or one.interval.high < 0
            assert told == (one.p_value < 0.05)
            clear += told
    assert 0 < clear < 200


@pytest.mark.parametrize("scores", [[], [0.3], [math.nan, 0.3], [0.25, 0.25], [0.0, 0.0, 0.0]])
def test_nothing_to_judge_by_is_unknown(scores: list[float]) -> None:
    result = mean_influence(scores)
    assert math.isnan(result.p_value)
    assert math.isnan(result.interval.low)
    assert result.n == sum(not math.isnan(score) for score in scores)


def test_refuses() -> None:
    with pytest.raises(StatisticsError, match=r"shape \(1, 2\)"):
        mean_influence([[0.1, 0.2]])
    with pytest.raises(StatisticsError, match="confidence is 95"):
        mean_influence([0.1, 0.2], confidence=95)
