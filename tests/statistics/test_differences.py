from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    DifferenceResult,
    Interval,
    equivalence,
    estimate_difference,
    mean_difference,
    non_inferiority,
    share_difference,
)

Array = NDArray[np.float64]
NAN = math.nan


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def images(seed: int, rows: int, columns: int, share: float = 0.5, missing: float = 0.0) -> Array:
    generator = rng(seed)
    table = (generator.random((rows, columns)) < share).astype(np.float64)
    table[generator.random(table.shape) < missing] = NAN
    return table


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([[1, 0]], [[1, 0], [1, 0]], "the same prompts .rows. and seeds .columns. in both"),
        ([[1, 2]], [[1, 0]], "first holds 2.0; allowed: 1"),
        ([1, 0], [1, 0], "first has shape .2,.; allowed: .prompts, seeds."),
        ([[1, 0]], [[1, "x"]], "second is no table of numbers"),
        ([[1, 0]], [[1, math.inf]], "second holds an infinite number"),
    ],
)
def test_refuses(first: object, second: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        share_difference(first, second, rng=rng())  # type: ignore[arg-type]


def test_refuses_options() -> None:
    with pytest.raises(StatisticsError, match="unit is 'seed'; allowed: prompt, image"):
        share_difference([[1]], [[1]], rng=rng(), unit="seed")  # type: ignore[arg-type]
    found = share_difference([[1, 0]], [[1, 0]], rng=rng())
    with pytest.raises(StatisticsError, match="margin is 0; allowed: a finite number above 0"):
        equivalence(found, 0)
    with pytest.raises(StatisticsError, match="worse is 'up'; allowed: higher, lower"):
        non_inferiority(found, 0.05, worse="up")  # type: ignore[arg-type]


def test_known_difference_with_every_prompt_counted_alike() -> None:
    first = [[1, 1, 1, 1], [0, 0, NAN, NAN], [NAN, NAN, NAN, NAN]]
    second = [[1, 1, 0, 0], [0, 1, NAN, 1], [1, 1, 1, 1]]
    found = share_difference(first, second, rng=rng())
    assert (found.first, found.second) == (0.5, pytest.approx((0.5 + 2 / 3) / 2))
    assert found.value == pytest.approx((-0.5 + 2 / 3) / 2)
    assert (found.n_prompts, found.n_first, found.n_second, found.n_pairs) == (2, 6, 7, 6)


def test_differences_by_prompt_are_students_over_prompts() -> None:
    x, y = images(1, 9, 8, 0.7, 0.2), images(2, 9, 8, 0.4, 0.2)
    found = share_difference(x, y, rng=rng(), confidence=0.9)
    wanted = stats.ttest_rel(np.nanmean(y, axis=1), np.nanmean(x, axis=1))
    assert found.p_value == pytest.approx(wanted.pvalue)
    assert found.interval == pytest.approx(tuple(wanted.confidence_interval(0.9)))
    assert (found.unit, found.degrees_of_freedom) == ("prompt", 8)


def test_p_by_image_is_that_of_all_swaps_one_by_one() -> None:
    x, y = images(3, 2, 5, 0.8), images(4, 2, 5, 0.3)
    found = share_difference(x, y, rng=rng(), unit="image")
    null = []
    for swap in itertools.product([False, True], repeat=10):
        swapped = np.array(swap).reshape(2, 5)
        null.append(np.where(swapped, x, y).mean() - np.where(swapped, y, x).mean())
    size, seen = np.abs(null), abs(found.value)
    wanted = np.mean(size > seen + 1e-9) + np.mean(np.abs(size - seen) < 1e-9) / 2
    assert found.exact
    assert found.p_value == pytest.approx(wanted)


def test_unpaired_p_of_one_prompt_is_fishers_mid_p() -> None:
    found = share_difference([[1] * 7 + [0] * 3], [[1] * 2 + [0] * 10], rng=rng(), paired=False)
    chances = stats.hypergeom(22, 9, 12).pmf(np.arange(10))
    size = np.abs(np.arange(10) / 12 - (9 - np.arange(10)) / 10)
    seen = size[2]
    wanted = chances[size > seen + 1e-9].sum() + chances[np.abs(size - seen) < 1e-9].sum() / 2
    assert found.p_value == pytest.approx(wanted)
    assert (found.unit, found.n_pairs) == ("image", 0)


@pytest.mark.parametrize("unit", ["prompt", "image"])
def test_models_that_change_places_change_the_sign(unit: str) -> None:
    x, y = images(5, 6, 7, 0.7, 0.1), images(6, 6, 7, 0.4, 0.1)
    one = share_difference(x, y, rng=rng(), unit=unit, resamples=99_999)  # type: ignore[arg-type]
    other = share_difference(y, x, rng=rng(), unit=unit, resamples=99_999)  # type: ignore[arg-type]
    assert one.value == pytest.approx(-other.value)
    tolerance = 1e-9 if unit == "prompt" else 0.01
    assert one.interval == pytest.approx([-end for end in other.interval[::-1]], abs=tolerance)
    assert one.p_value == pytest.approx(other.p_value, abs=tolerance)


@pytest.mark.parametrize("unit", ["prompt", "image"])
def test_p_and_interval_agree_and_stay_in_range(unit: str) -> None:
    for seed in range(40):
        shares = rng(seed).random(2)
        x, y = images(seed, 5, 6, shares[0], 0.2), images(seed + 99, 5, 6, shares[1], 0.2)
        found = share_difference(x, y, rng=rng(), unit=unit, resamples=999)  # type: ignore[arg-type]
        low, high = found.interval
        assert (low > 0 or high < 0) == (found.p_value <= 0.05)
        assert -1 <= low <= found.value <= high <= 1


def test_pairs_that_are_alike_narrow_the_interval() -> None:
    x = images(7, 6, 40, 0.5)
    y = x.copy()
    y[:, :6] = 1 - y[:, :6]
    for unit in ("prompt", "image"):
        widths = []
        for paired in (True, False):
            found = share_difference(x, y, rng=rng(), paired=paired, unit=unit)  # type: ignore[arg-type]
            widths.append(found.interval.high - found.interval.low)
        assert widths[0] < (0.75 if unit == "image" else 1.01) * widths[1]


def test_degenerate_shares() -> None:
    none = share_difference(np.zeros((0, 4)), np.zeros((0, 4)), rng=rng())
    assert math.isnan(none.value)
    assert not equivalence(none, 0.1).equivalent
    alone = share_difference([[1, 1, 1]], [[NAN, NAN, NAN]], rng=rng())
    assert math.isnan(alone.value)
    assert alone.n_prompts == 0
    same = share_difference(np.ones((4, 5)), np.ones((4, 5)), rng=rng())
    assert (same.value, same.p_value, same.unit) == (0.0, 1.0, "image")
    assert same.interval.low < 0 < same.interval.high  # twenty alike are no proof
    apart = share_difference(np.ones((4, 9)), np.zeros((4, 9)), rng=rng())
    assert apart.value == -1.0
    assert apart.p_value < 1e-3
    assert apart.interval.low == -1.0


def test_means_by_prompt_and_by_image_are_students() -> None:
    x, y = rng(1).normal(size=(7, 5)), rng(2).normal(0.5, size=(7, 5))
    by_prompt = mean_difference(x, y)
    wanted = stats.ttest_rel(y.mean(axis=1), x.mean(axis=1))
    assert by_prompt.p_value == pytest.approx(wanted.pvalue)
    one = mean_difference(x[:1], y[:1], paired=False, unit="image")
    welch = math.sqrt(x[0].var(ddof=1) / 5 + y[0].var(ddof=1) / 5)
    assert one.standard_error == pytest.approx(welch)
    pairs = mean_difference(x[:1], y[:1], unit="image")
    assert pairs.standard_error == pytest.approx(stats.sem(y[0] - x[0]))
    assert pairs.p_value == pytest.approx(stats.ttest_rel(y[0], x[0]).pvalue)


def test_means_without_spread_have_no_interval() -> None:
    found = mean_difference([[1.0, 1.0]], [[2.0, 2.0]])
    assert found.value == 1.0
    assert math.isnan(found.p_value)
    assert math.isnan(found.interval.low)


def test_estimates_with_even_intervals_differ_as_normal_ones() -> None:
    found = estimate_difference(1.0, Interval(0.6, 1.4), 2.0, Interval(1.7, 2.3))
    assert found.interval == pytest.approx((0.5, 1.5))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(1.959964 / 0.5))
    # Newcombe's interval is this one with Wilson's ends.
    newcombe = estimate_difference(
        48 / 80, Interval(0.4905, 0.7003), 56 / 70, Interval(0.6918, 0.8769)
    )
    assert newcombe.interval == pytest.approx((0.0524, 0.3339), abs=2e-3)
    same = estimate_difference(0.5, Interval(0.4, 0.6), 0.5, Interval(0.3, 0.9))
    assert same.p_value == 1.0
    assert math.isnan(estimate_difference(0.5, Interval(NAN, NAN), 0.1, Interval(0, 1)).p_value)


def test_equivalence_is_two_one_sided_tests_of_statsmodels() -> None:
    x, y = images(8, 12, 50, 0.5), images(9, 12, 50, 0.5)
    found = share_difference(x, y, rng=rng())
    shares = x.mean(axis=1), y.mean(axis=1)
    for margin in (0.02, 0.05, 0.1):
        wanted = ttost_paired(shares[1], shares[0], -margin, margin)[0]
        same = equivalence(found, margin)
        assert same.p_value == pytest.approx(wanted)
        assert same.equivalent == (wanted <= 0.05)
        inside = -margin <= same.interval.low and same.interval.high <= margin
        assert inside == same.equivalent
    wanted_ends = DescrStatsW(shares[1] - shares[0]).tconfint_mean(0.1)
    assert equivalence(found, 0.1).interval == pytest.approx(wanted_ends)


def test_no_worse_by_more_than_a_margin_has_a_direction() -> None:
    lost = DifferenceResult(0.1, 0.13, 0.03, Interval(0.01, 0.05), 0.003, 0.01, math.inf, "image")
    higher = non_inferiority(lost, 0.05, worse="higher")
    assert higher.shown
    assert higher.bound == pytest.approx(0.03 + 1.6448536 * 0.01)
    assert higher.p_value == pytest.approx(stats.norm.sf(2))
    assert not non_inferiority(lost, 0.03, worse="higher").shown
    assert non_inferiority(lost, 0.0, worse="lower").shown
