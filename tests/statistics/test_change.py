from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from portrayal.errors import StatisticsError
from portrayal.statistics import paired_change

Array = NDArray[np.float64]
NAN = math.nan


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def images(seed: int, rows: int, columns: int, share: float = 0.6, missing: float = 0.2) -> Array:
    generator = rng(seed)
    table = (generator.random((rows, columns)) < share).astype(np.float64)
    table[generator.random(table.shape) < missing] = NAN
    return table


def eq_1(table: Array) -> float:
    first, second = (table == 1).sum(axis=1), (table == 0).sum(axis=1)
    return float(np.abs(first - second).sum() / (first + second).sum())


def mean_bias_change(before: Array, after: Array) -> float:
    return float(np.mean(2 * np.nanmean(after, axis=1) - 2 * np.nanmean(before, axis=1)))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([[1, 0]], [[1, 0], [1, 0]], "before has shape"),
        ([[1, 2]], [[1, 0]], "before holds 2.0"),
        ([1, 0], [1, 0], "before has shape"),
        ([[1, 0]], [[1, "x"]], "after is no table of numbers"),
    ],
)
def test_refuses(before: object, after: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        paired_change(before, after, rng=rng())  # type: ignore[arg-type]


def test_refuses_options() -> None:
    with pytest.raises(StatisticsError, match="unit is 'seed'; allowed: attribute, image"):
        paired_change([[1]], [[1]], rng=rng(), unit="seed")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="attributes has 2 names"):
        paired_change([[1]], [[1]], rng=rng(), attributes=["a", "b"])


def test_known_change() -> None:
    before = [[1, 1, 1, 1], [1, 1, 1, 0], [0, 0, NAN, NAN]]
    after = [[1, 0, 1, 0], [0, 0, 0, 1], [0, 1, 0, 1]]
    result = paired_change(before, after, rng=rng(), attributes=["doctor", "police", "nurse"])
    assert result.diversity.before == pytest.approx((4 + 2 + 2) / 10)
    assert result.diversity.after == pytest.approx((0 + 2 + 0) / 12)
    assert result.bias.value == pytest.approx(np.mean([0 - 1, -0.5 - 0.5, 0 - -1]))
    assert result.flips == ("police",)
    assert (result.n, result.n_missing) == (10, 2)
    assert [change.n_before for change in result.attributes] == [4, 4, 2]


@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_p_values_are_those_of_all_swaps_one_by_one(unit: str) -> None:
    before, after = images(1, 3, 3), images(2, 3, 3, share=0.3)
    result = paired_change(before, after, rng=rng(), unit=unit)  # type: ignore[arg-type]
    cells = list(itertools.product(range(3), range(3)))
    units = (
        [[(k, s) for s in range(3)] for k in range(3)]
        if unit == "attribute"
        else [[cell] for cell in cells]
    )
    diversity, bias = [], []
    for swap in itertools.product([False, True], repeat=len(units)):
        x, y = before.copy(), after.copy()
        for chosen, members in zip(swap, units, strict=True):
            for cell in members if chosen else []:
                x[cell], y[cell] = y[cell], x[cell]
        diversity.append(eq_1(y) - eq_1(x))
        if np.isnan(x).all(axis=1).any() or np.isnan(y).all(axis=1).any():
            both = ~np.isnan(x).all(axis=1) & ~np.isnan(y).all(axis=1)
            bias.append(mean_bias_change(x[both], y[both]) if both.any() else NAN)
        else:
            bias.append(mean_bias_change(x, y))
    for change, values in ((result.diversity, diversity), (result.bias, bias)):
        extreme = [math.isnan(v) or abs(v) >= abs(change.value) - 1e-9 for v in values]
        assert change.exact
        assert change.p_value == pytest.approx(np.mean(extreme))


def test_one_attribute_is_mcnemars_exact_test() -> None:
    before = np.array([[1.0] * 9 + [0.0] * 3 + [1.0] * 4])
    after = np.array([[0.0] * 9 + [1.0] * 3 + [1.0] * 4])
    result = paired_change(before, after, rng=rng())
    wanted = stats.binomtest(3, 12).pvalue
    assert result.attributes[0].bias.p_value == pytest.approx(wanted)
    assert result.attributes[0].bias.exact


def test_drawn_p_values_are_near_the_exact_ones() -> None:
    before, after = images(3, 9, 6, 0.8), images(4, 9, 6, 0.6)
    exact = paired_change(before, after, rng=rng())
    drawn = paired_change(before, after, rng=rng(), resamples=200)
    assert exact.diversity.exact
    assert not drawn.diversity.exact
    assert drawn.diversity.p_value == pytest.approx(exact.diversity.p_value, abs=0.08)


def test_reversing_the_comparison_flips_the_signs() -> None:
    before, after = images(5, 6, 9), images(6, 6, 9, 0.3)
    there = paired_change(before, after, rng=rng())
    back = paired_change(after, before, rng=rng())
    assert back.diversity.value == pytest.approx(-there.diversity.value)
    assert back.bias.value == pytest.approx(-there.bias.value)
    assert back.bias.interval.low == pytest.approx(-there.bias.interval.high)
    assert back.diversity.p_value == there.diversity.p_value
    assert back.flips == there.flips


def test_swapping_the_groups_flips_bias_and_keeps_diversity() -> None:
    before, after = images(7, 5, 9), images(8, 5, 9, 0.3)
    one = paired_change(before, after, rng=rng())
    other = paired_change(1 - before, 1 - after, rng=rng())
    assert other.diversity.value == pytest.approx(one.diversity.value)
    assert other.bias.value == pytest.approx(-one.bias.value)


def test_unpaired_images_get_newcombes_interval() -> None:
    # No seed was judged on both sides: two independent shares.
    before = np.array([[1.0, 1, 1, 0] + [NAN] * 6])
    after = np.array([[NAN] * 4 + [1.0, 0, 0, 0, 0, 0]])
    change = paired_change(before, after, rng=rng()).attributes[0].bias
    low, high = confint_proportions_2indep(1, 6, 3, 4, method="newcomb", compare="diff")
    assert change.interval.low == pytest.approx(2 * low)
    assert change.interval.high == pytest.approx(2 * high)


def test_pairing_narrows_the_interval() -> None:
    row = np.array([1.0] * 10 + [0.0] * 10)
    shifted = row.copy()
    shifted[:2] = 0
    paired = paired_change([row], [shifted], rng=rng()).attributes[0].bias
    mixed = paired_change([row], [np.roll(shifted, 7)], rng=rng()).attributes[0].bias
    assert paired.value == mixed.value
    assert paired.interval.high - paired.interval.low < mixed.interval.high - mixed.interval.low


def test_a_certain_flip_needs_both_intervals_on_their_sides() -> None:
    many = paired_change([[1.0] * 20], [[0.0] * 20], rng=rng()).attributes[0]
    few = paired_change([[1.0] * 2], [[0.0] * 2], rng=rng()).attributes[0]
    assert (many.flipped, many.flip_certain) == (True, True)
    assert (few.flipped, few.flip_certain) == (True, False)


def test_nothing_changed_is_no_evidence() -> None:
    table = images(9, 4, 6)
    result = paired_change(table, table, rng=rng())
    assert result.diversity.value == 0
    assert result.diversity.p_value == 1
    assert result.diversity.interval.low < 0 < result.diversity.interval.high
    assert result.flips == ()


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (2, 3)])
def test_nothing_judged_is_nan(shape: tuple[int, int]) -> None:
    table = np.full(shape, NAN)
    result = paired_change(table, table, rng=rng())
    assert math.isnan(result.diversity.value)
    assert math.isnan(result.bias.p_value)
    assert result.n == 0
    assert result.n_missing == table.size


def test_one_attribute_stands_for_no_others() -> None:
    result = paired_change([[1.0] * 9], [[0.0, 1.0] * 4 + [0.0]], rng=rng())
    assert math.isnan(result.diversity.interval.low)
    assert result.diversity.p_value == 1
    within = paired_change([[1.0] * 9], [[0.0, 1.0] * 4 + [0.0]], rng=rng(), unit="image")
    assert within.diversity.p_value < 0.1
    assert within.diversity.interval.high < 1


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_level_and_coverage_when_nothing_happens(unit: str) -> None:
    generator = rng(21)
    shares = generator.beta(0.8, 0.8, size=(20, 1))
    rejected, covered = 0, 0
    for _ in range(150):
        before = (generator.random((20, 9)) < shares).astype(np.float64)
        after = (generator.random((20, 9)) < shares).astype(np.float64)
        change = paired_change(
            before,
            after,
            rng=generator,
            unit=unit,
            resamples=499,  # type: ignore[arg-type]
        ).diversity
        rejected += change.p_value <= 0.05
        covered += change.interval.low <= 0 <= change.interval.high
    assert rejected / 150 < 0.1
    assert covered / 150 > 0.92


@pytest.mark.slow
def test_coverage_when_an_intervention_balances() -> None:
    generator = rng(22)
    shares = np.where(np.arange(20) % 2, 0.95, 0.05)[:, None]
    truth = 0.2 - 0.9
    covered = 0
    for _ in range(120):
        before = (generator.random((20, 9)) < shares).astype(np.float64)
        after = (generator.random((20, 9)) < 0.6).astype(np.float64)
        change = paired_change(before, after, rng=generator, unit="image", resamples=99).diversity
        covered += change.interval.low <= truth <= change.interval.high
    assert covered / 120 > 0.9
