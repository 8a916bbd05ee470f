from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from portrayal.errors import StatisticsError
from portrayal.statistics import amplification_from_counts, paired_bias_change, paired_change
from portrayal.statistics.change import Unit
from portrayal.statistics.change_null import exchanged_noise
from portrayal.statistics.relabelling import PairedCounts

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
    published = result.diversity.published
    assert published is not None
    assert published.before == pytest.approx((4 + 2 + 2) / 10)
    assert published.after == pytest.approx((0 + 2 + 0) / 12)
    assert published.value == published.after - published.before
    assert result.diversity.value == pytest.approx(result.diversity.after - result.diversity.before)
    assert result.bias.value == pytest.approx(np.mean([0 - 1, -0.5 - 0.5, 0 - -1]))
    assert result.flips == ("police",)
    assert (result.n, result.n_missing) == (10, 2)
    assert [change.n_before for change in result.attributes] == [4, 4, 2]


@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_the_change_of_bias_alone_is_the_same(unit: Unit) -> None:
    before, after = images(1, 9, 8), images(2, 9, 8, share=0.4)
    whole = paired_change(before, after, rng=rng(), unit=unit, resamples=199)
    assert paired_bias_change(before, after, rng=rng(), unit=unit, resamples=199) == whole.bias
    assert whole.bias.value == pytest.approx(mean_bias_change(before, after))


def test_image_p_values_are_those_of_all_swaps_one_by_one() -> None:
    before, after = images(1, 3, 3, missing=0), images(2, 3, 3, share=0.3, missing=0)
    result = paired_change(before, after, rng=rng(), unit="image")
    changes = []
    for swap in itertools.product([False, True], repeat=9):
        swapped = np.array(swap).reshape(3, 3)
        x, y = np.where(swapped, after, before), np.where(swapped, before, after)
        changes.append(mean_bias_change(x, y))
    size, seen = np.abs(changes), abs(changes[0])
    wanted = np.mean(size > seen + 1e-9) + np.mean(np.abs(size - seen) < 1e-9) / 2
    assert result.bias.exact
    assert result.bias.p_value == pytest.approx(1.0 if seen < 1e-9 else wanted)


def test_changes_of_diversity_are_compared_at_a_common_number_of_images() -> None:
    # All known before, a third after: the change is that of `amplification_from_counts`.
    before, after = images(1, 9, 12, missing=0), images(2, 9, 12, share=0.5, missing=0.6)
    found = paired_change(before, after, rng=rng()).diversity
    counts = [
        np.stack([(side == 1).sum(axis=1), (side == 0).sum(axis=1)], axis=1)
        for side in (after, before)
    ]
    wanted = amplification_from_counts(*counts)
    assert found.value == pytest.approx(wanted.mean / 50)
    assert found.interval == pytest.approx([bound / 50 for bound in wanted.interval])
    assert found.p_value == pytest.approx(wanted.p_value)


def test_pairs_that_are_alike_narrow_the_change_of_diversity() -> None:
    before = images(11, 20, 12, share=0.8, missing=0)
    same = before.copy()
    same[:, :2] = 1 - same[:, :2]
    mixed = rng(3).permuted(same, axis=1)
    one, other = (
        paired_change(before, side, rng=rng(), unit="image").diversity for side in (same, mixed)
    )
    assert one.value == pytest.approx(other.value)
    width = [found.interval.high - found.interval.low for found in (one, other)]
    assert width[0] < 0.8 * width[1]


def test_attribute_answers_are_students() -> None:
    before, after = images(3, 9, 6, 0.8), images(4, 9, 6, 0.6)
    change = paired_change(before, after, rng=rng()).bias
    wanted = stats.ttest_rel(np.nanmean(after, axis=1), np.nanmean(before, axis=1))
    assert change.p_value == pytest.approx(wanted.pvalue)
    bounds = wanted.confidence_interval(0.95)
    assert change.interval == pytest.approx((2 * bounds.low, 2 * bounds.high))


def test_a_single_attributes_interval_ends_at_zero_at_its_p() -> None:
    before = np.array([[1.0] * 9 + [0.0] * 3 + [1.0] * 4])
    after = np.array([[0.0] * 9 + [1.0] * 3 + [1.0] * 4])
    change = paired_change(before, after, rng=rng()).attributes[0].bias
    at_p = paired_change(before, after, rng=rng(), confidence=1 - change.p_value)
    assert at_p.attributes[0].bias.interval.high == pytest.approx(0, abs=1e-9)
    # Between the exact test, which is too cautious, and the one without a correction.
    assert stats.norm.sf(6 / math.sqrt(12)) < change.p_value < stats.binomtest(3, 12).pvalue


@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_p_and_interval_agree(unit: str) -> None:
    generator, outcomes = rng(17), set()
    for _ in range(60):
        shares = generator.beta(1, 1, size=(8, 1))
        before = (generator.random((8, 6)) < shares).astype(np.float64)
        after = (generator.random((8, 6)) < 0.5 + 0.4 * (shares - 0.5)).astype(np.float64)
        after[generator.random(after.shape) < 0.3] = NAN
        found = paired_change(before, after, rng=generator, unit=unit, resamples=199)  # type: ignore[arg-type]
        for change in (found.diversity, found.bias, *(one.bias for one in found.attributes)):
            if math.isnan(change.value):
                continue
            outcomes.add(change.p_value <= 0.05)
            assert (change.p_value <= 0.05) != (change.interval.low <= 0 <= change.interval.high)
            assert change.interval.low <= change.value <= change.interval.high
    assert outcomes == {True, False}


def test_drawn_p_values_are_near_the_exact_ones() -> None:
    before, after = images(3, 4, 6, 0.8, 0), images(4, 4, 6, 0.6, 0)
    exact = paired_change(before, after, rng=rng(), unit="image")
    drawn = paired_change(before, after, rng=rng(), unit="image", resamples=200)
    assert exact.bias.exact
    assert not drawn.bias.exact
    assert drawn.bias.p_value == pytest.approx(exact.bias.p_value, abs=0.1)


def test_unknown_images_bound_the_published_change() -> None:
    before = np.array([[1, 1, NAN], [0, 1, NAN]])
    after = np.array([[1, NAN, NAN], [0, NAN, 1]])
    found = paired_change(before, after, rng=rng()).unknown
    assert (found.before, found.after) == (pytest.approx(2 / 6), pytest.approx(3 / 6))

    def completed(table: Array) -> list[float]:
        places = np.argwhere(np.isnan(table))
        scores = []
        for groups in itertools.product([0.0, 1.0], repeat=len(places)):
            full = table.copy()
            full[tuple(places.T)] = groups
            scores.append(eq_1(full))
        return scores

    x, y = completed(before), completed(after)
    assert found.bounds == pytest.approx((min(y) - max(x), max(y) - min(x)))
    assert not found.differ


def test_rates_of_unknown_that_differ_are_told() -> None:
    before, after = images(1, 6, 9, missing=0), images(2, 6, 9, missing=0.5)
    found = paired_change(before, after, rng=rng()).unknown
    assert found.differ
    assert found.p_value == pytest.approx(stats.binomtest(0, int(np.isnan(after).sum())).pvalue)
    assert found.bounds.low < found.bounds.high


def test_reversing_the_comparison_flips_the_signs() -> None:
    before, after = images(5, 6, 9), images(6, 6, 9, 0.3)
    there = paired_change(before, after, rng=rng())
    back = paired_change(after, before, rng=rng())
    assert back.diversity.value == pytest.approx(-there.diversity.value)
    assert back.diversity.interval.low == pytest.approx(-there.diversity.interval.high)
    assert back.bias.value == pytest.approx(-there.bias.value)
    assert back.bias.interval.low == pytest.approx(-there.bias.interval.high)
    assert back.diversity.p_value == pytest.approx(there.diversity.p_value)
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
    assert math.isnan(result.diversity.p_value)
    within = paired_change([[1.0] * 9], [[0.0, 1.0] * 4 + [0.0]], rng=rng(), unit="image")
    assert within.diversity.p_value < 0.1
    assert within.diversity.interval.high < 1


@pytest.mark.parametrize("unit", ["attribute", "image"])
def test_strong_changes_lie_inside_their_intervals(unit: Unit) -> None:
    draw = rng(5)
    inside = []
    for _ in range(60):
        before = np.ones((8, 9)) if draw.random() < 0.5 else (draw.random((8, 9)) < 0.95) * 1.0
        after = (draw.random((8, 9)) < 0.5) * 1.0
        score = paired_change(before, after, rng=draw, unit=unit, resamples=99).diversity
        assert -1 <= score.interval.low <= score.value <= score.interval.high <= 1
        truth = -1.0 if before.all() else -0.9
        inside.append(score.interval.low <= truth <= score.interval.high)
    assert np.mean(inside) > 0.85


def _covers(shares: Array, moved: Array, images: int, worlds: int) -> float:
    draw, truth = rng(6), float((np.abs(2 * moved - 1) - np.abs(2 * shares - 1)).mean())
    inside = []
    for _ in range(worlds):
        before, after = (
            (draw.random((len(p), images)) < p[:, None]) * 1.0 for p in (shares, moved)
        )
        low, high = paired_change(
            before, after, rng=draw, unit="image", resamples=1
        ).diversity.interval
        inside.append(low <= truth <= high)
    return float(np.mean(inside))


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.65), (0.7, 0.5)])
def test_changes_from_or_to_balance_lie_inside_their_intervals(before: float, after: float) -> None:
    assert _covers(np.full(12, before), np.full(12, after), 9, 100) > 0.9


def test_a_few_attributes_that_become_even_lie_inside_the_interval() -> None:
    shares = (np.arange(62) + 0.5) / 62
    moved = np.where(np.arange(62) % 6 == 0, 0.5, shares)
    assert _covers(shares, moved, 12, 100) > 0.88


def test_intervals_are_nested_in_their_confidence() -> None:
    for seed in range(40):
        draw = rng(seed)
        shares = draw.beta(1, 1, 4)
        before, after = ((draw.random((4, 9)) < shares[:, None]) * 1.0 for _ in range(2))
        found = [
            paired_change(
                before, after, rng=draw, unit="image", resamples=1, confidence=confidence
            ).diversity.interval
            for confidence in (0.8, 0.9, 0.95, 0.99)
        ]
        for inner, outer in itertools.pairwise(found):
            assert outer.low <= inner.low + 1e-9
            assert inner.high <= outer.high + 1e-9


def test_reversing_few_images_mirrors_the_interval() -> None:
    before = np.array([[1, NAN, 1], [1, 1, 1], [1, 0, 1]])
    after = np.array([[NAN, 0, 1], [1, NAN, 1], [1, NAN, 0]])
    one, two = (
        paired_change(x, y, rng=rng(), unit="image").diversity
        for x, y in ((before, after), (after, before))
    )
    assert one.value == pytest.approx(-two.value)
    assert one.interval == pytest.approx((-two.interval.high, -two.interval.low))


def test_nothing_contradicts_a_change_from_one_group_only_to_balance() -> None:
    before, after = np.ones((25, 9)), np.resize([1.0, 0.0], (25, 9))
    score = paired_change(before, after, rng=rng(), unit="image").diversity
    assert score.interval.low == -1
    assert score.value == pytest.approx(-0.97, abs=0.01)
    turned = paired_change(after, before, rng=rng(), unit="image").diversity
    assert turned.interval == (-score.interval.high, -score.interval.low)


def test_an_exchange_of_images_is_the_null_of_a_change_of_diversity() -> None:
    # One image of the other group, on one side of 25 attributes: chance puts it there every time.
    before = np.ones((25, 9))
    after = before.copy()
    after[3, 5] = 0
    change = paired_change(before, after, rng=rng(), unit="image").diversity
    assert change.p_value == pytest.approx(2 * stats.norm.sf(1), abs=0.05)
    # Four, all on one side: two standard deviations of a fair coin.
    after[[7, 9, 20], 5] = 0
    change = paired_change(before, after, rng=rng(), unit="image").diversity
    assert change.p_value == pytest.approx(2 * stats.norm.sf(2), abs=0.01)


def test_changes_that_cancel_are_not_compared_with_images_dealt_out_again() -> None:
    # 5 of 9 images before and 8 after in seven attributes, the reverse in five.
    low, high = (np.repeat([1.0, 0.0], [first, 9 - first]) for first in (5, 8))
    before = np.array([low] * 7 + [high] * 5)
    after = np.array([high] * 7 + [low] * 5)
    score = paired_change(before, after, rng=rng(), unit="image").diversity
    null = exchanged_noise(PairedCounts.of(before, after), PairedCounts.of(before, 1 - after))
    dealt = eq_1(after) - eq_1(before)
    p_dealt = 2 * stats.norm.sf(12 * dealt / math.sqrt(null.variance.sum()))
    assert score.p_value < 0.75 * p_dealt
    assert (score.interval.low > 0) == (score.p_value <= 0.05)
    turned = paired_change(after, before, rng=rng(), unit="image").diversity
    assert turned.p_value == pytest.approx(score.p_value)
    assert turned.interval == pytest.approx((-score.interval.high, -score.interval.low))
