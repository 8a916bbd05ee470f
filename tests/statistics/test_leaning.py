from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.leaning import leaning_change

Array = np.ndarray


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def draw(share: Array, images: int, source: np.random.Generator) -> Array:
    return (source.random((share.size, images)) < share[:, None]).astype(np.float64)


@pytest.mark.parametrize(
    ("usual", "expected"),
    [
        ([0.5], r"usual has shape \(1,\); allowed: one bias for each of 2 attributes"),
        ([0.5, 1.5], "usual holds 1.5; allowed: -1 to 1"),
    ],
)
def test_what_cannot_be_a_leaning(usual: list[float], expected: str) -> None:
    with pytest.raises(StatisticsError, match=expected):
        leaning_change([[1, 0], [0, 0]], [[1, 1], [0, 1]], usual, rng=rng())


def test_by_hand() -> None:
    # Biases before 1 and -1, after 0 and -0.5; weights 0.75 and -0.25 of their sum.
    before = [[1, 1, 1, 1], [0, 0, 0, 0]]
    after = [[1, 0, 1, 0], [0, 1, 0, 0]]
    found = leaning_change(before, after, [0.9, -0.3], rng=rng()).leaning
    assert found.before == pytest.approx(1)
    assert found.after == pytest.approx(0.25 * 0.5)
    assert found.value == pytest.approx(-0.75 - 0.125)
    # Student's t over what each attribute adds beyond its own weight.
    parts = np.array([0.75, -0.25]) * [-1, 0.5] - np.array([0.75, 0.25]) * -0.875
    error = (2 * parts).std(ddof=1) / math.sqrt(2)
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.875 / error, 1))
    assert found.interval.low == -2


def test_one_attribute_agrees_with_the_sign_test() -> None:
    # All ten pairs differ: swapping images is a sign test.
    found = leaning_change(np.ones((1, 10)), np.zeros((1, 10)), [1.0], rng=rng(), unit="image")
    # One half of what is just as extreme counts.
    assert found.leaning.p_value == pytest.approx(stats.binomtest(10, 10).pvalue / 2)
    assert found.leaning.value == -2


def test_naming_the_other_group_first_changes_nothing() -> None:
    source = rng()
    x, y = draw(np.full(9, 0.8), 5, source), draw(np.full(9, 0.5), 5, source)
    usual = source.uniform(-1, 1, 9)
    here = leaning_change(x, y, usual, rng=rng()).leaning
    there = leaning_change(1 - x, 1 - y, -usual, rng=rng()).leaning
    assert there.value == pytest.approx(here.value)
    assert there.p_value == pytest.approx(here.p_value)
    assert there.interval == pytest.approx(here.interval)


@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_the_interval_covers_and_the_test_keeps_its_level(unit: str) -> None:
    source = np.random.default_rng(5)
    share = source.uniform(0.1, 0.9, 20)
    share_after = 0.5 + 0.3 * (share - 0.5)
    usual = np.clip(2 * share - 1 + source.normal(0, 0.1, 20), -1, 1)
    true = float(usual @ (2 * (share_after - share)) / np.abs(usual).sum())
    covered = found = 0
    for _ in range(200):
        x, y, z = (draw(p, 5, source) for p in (share, share_after, share))
        one = leaning_change(x, y, usual, rng=source, unit=unit, resamples=199)  # type: ignore[arg-type]
        none = leaning_change(x, z, usual, rng=source, unit=unit, resamples=199)  # type: ignore[arg-type]
        for change in (one.leaning, none.leaning):
            rejected = change.p_value <= 0.05
            assert rejected != (change.interval.low <= 0 <= change.interval.high)
        covered += one.leaning.interval.low <= true <= one.leaning.interval.high
        found += none.leaning.p_value < 0.05
    assert covered >= 180  # 190 expected, four deviations below
    assert found <= 22  # 10 expected, four deviations above


def test_nothing_to_go_by() -> None:
    nan = math.nan
    for before, usual in (([[1, 1], [0, 0]], [nan, 0.0]), ([[nan, nan], [nan, nan]], [1.0, 1.0])):
        found = leaning_change(before, [[1, 0], [0, 1]], usual, rng=rng())
        assert math.isnan(found.leaning.value)
        assert math.isnan(found.leaning.p_value)
        assert (found.n_attributes, found.n_missing) == (0, 2)
    one = leaning_change([[1, 1], [nan, nan]], [[1, 0], [0, 1]], [1.0, 1.0], rng=rng())
    assert (one.n_attributes, one.n_missing) == (1, 1)
    assert math.isnan(one.leaning.interval.low)


def test_where_nothing_changes_the_interval_is_that_for_other_images() -> None:
    same = [[1, 1, 1], [0, 0, 0], [1, 1, 1]]
    usual = [0.9, -0.8, 0.7]
    found = leaning_change(same, same, usual, rng=rng()).leaning
    images = leaning_change(same, same, usual, rng=rng(), unit="image").leaning
    assert found.value == 0
    assert found.p_value == 1
    assert found.interval == images.interval
    assert found.interval.low < -0.1 < 0.1 < found.interval.high
