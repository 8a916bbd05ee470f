from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    amplification,
    amplification_against_shares,
    amplification_from_counts,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def counts(generator: np.random.Generator, shares: np.ndarray, n: int) -> np.ndarray:
    group = generator.binomial(n, shares)
    return np.stack([group, n - group], axis=-1)


# Validation


@pytest.mark.parametrize(
    ("generated", "training", "message"),
    [
        ([[1, 2]], [[1, 2], [3, 4]], "the same occupations"),
        ([[1, 2, 3]], [[1, 2]], "generated has shape"),
        ([[1, -2]], [[1, 2]], "generated holds -2.0"),
        ([[[1, 2], [1, 2]]], [[[1, 2], [1, 2], [1, 2]]], "one training count or one per prompt"),
    ],
)
def test_refuses(generated: object, training: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        amplification_from_counts(generated, training)  # type: ignore[arg-type]


def test_refuses_shares() -> None:
    with pytest.raises(StatisticsError, match="generated has 1 occupations and percentages has 2"):
        amplification_against_shares([[1, 2]], [40, 50])
    with pytest.raises(StatisticsError, match="percentages holds 140"):
        amplification_against_shares([[1, 2]], [140])
    with pytest.raises(StatisticsError, match="occupations is 'all'"):
        amplification_from_counts([[1, 2]], [[1, 2]], occupations="all")  # type: ignore[arg-type]


# Known answers


def test_plug_in_is_the_papers() -> None:
    generator = rng(1)
    generated = counts(generator, generator.random((12, 4)), 40)
    training = counts(generator, generator.random(12), 40)
    training[3] = 0
    for switching in ("exclude", "include"):
        result = amplification_from_counts(generated, training, switching=switching)
        with np.errstate(invalid="ignore"):
            percent = [100 * part[..., 0] / part.sum(axis=-1) for part in (generated, training)]
        each = [amplification(percent[0][:, j], percent[1], switching=switching) for j in range(4)]
        np.testing.assert_allclose(result.per_prompt, [prompt.mean for prompt in each])
        assert result.plug_in == pytest.approx(np.mean([prompt.mean for prompt in each]))
        assert result.n_switched == sum(prompt.n_switched for prompt in each)
        assert result.n_missing == 4
        assert result.n == 11


def test_far_from_half_it_is_the_plug_in() -> None:
    # Nothing folds: 90 v 75 % and 80 v 70 % of 500 images, as in the paper's figure 1.
    result = amplification_from_counts([[450, 50], [100, 400]], [[375, 125], [150, 350]])
    assert result.mean == pytest.approx(12.5, abs=0.01)
    np.testing.assert_allclose(result.per_item, [15, 10], atol=0.05)
    assert result.n_images == 2000


@pytest.mark.parametrize("k", [3, 8, 40])
def test_with_large_counts_it_is_the_t_test_over_occupations(k: int) -> None:
    # With a million images the shares are known: what is left is the choice of occupations.
    generator = rng(6)
    training = generator.uniform(0.6, 0.8, k)
    generated = training + generator.normal(0.01, 0.02, k)
    sides = [counts(generator, shares, 10**6) for shares in (generated, training)]
    percent = [100 * side[:, 0] / 1e6 for side in sides]
    wanted = stats.ttest_1samp(percent[0] - percent[1], 0)
    for result in (
        amplification_from_counts(*sides),
        amplification_against_shares(sides[0], percent[1]),
    ):
        assert result.p_value == pytest.approx(wanted.pvalue, rel=1e-3)
        assert result.interval == pytest.approx(tuple(wanted.confidence_interval()), abs=1e-3)


def test_one_fixed_occupation_far_from_half_is_newcombes_difference() -> None:
    # Newcombe (1998), method 10, of 56/70 and 48/80: 0.0524 to 0.3339.
    result = amplification_from_counts([[56, 14]], [[48, 32]], occupations="fixed")
    assert result.mean == pytest.approx(20, abs=0.5)
    one, two = stats.binomtest(56, 70), stats.binomtest(48, 80)
    a, b = (test.proportion_ci(method="wilson") for test in (one, two))
    low = 0.2 - math.hypot(0.8 - a.low, b.high - 0.6)
    high = 0.2 + math.hypot(a.high - 0.8, 0.6 - b.low)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert result.interval == pytest.approx((100 * low, 100 * high), abs=0.8)


def test_few_images_on_one_side_do_not_make_amplification() -> None:
    # Both sides are balanced in truth; 8 generated images look uneven, 4,000 others do not.
    generator = rng(2)
    generated = counts(generator, np.full(30, 0.5), 8)
    training = counts(generator, np.full(30, 0.5), 4000)
    result = amplification_from_counts(generated, training, switching="include")
    assert result.plug_in > 10
    assert result.interval.low <= 0 <= result.interval.high
    assert result.p_value > 0.1
    known = amplification_against_shares(generated, np.full(30, 50.0), switching="include")
    assert known.plug_in > 10
    assert known.p_value > 0.1


# Invariants


def test_exchanging_the_sides_flips_the_sign() -> None:
    generator = rng(3)
    shares = generator.random(9)
    for sizes in ((30, 200), (200, 30), (50, 50)):
        one, two = (counts(generator, shares, n) for n in sizes)
        for occupations in ("random", "fixed"):
            ahead = amplification_from_counts(one, two, occupations=occupations)
            back = amplification_from_counts(two, one, occupations=occupations)
            assert back.mean == pytest.approx(-ahead.mean)
            assert back.p_value == pytest.approx(ahead.p_value)
            assert back.interval == pytest.approx((-ahead.interval.high, -ahead.interval.low))


def test_either_group_may_be_counted() -> None:
    generator = rng(4)
    generated = counts(generator, generator.random((8, 2)), 21)
    training = counts(generator, generator.random(8), 90)
    one = amplification_from_counts(generated, training)
    other = amplification_from_counts(generated[..., ::-1], training[..., ::-1])
    assert other.mean == pytest.approx(one.mean)
    assert other.interval == pytest.approx(one.interval)
    assert other.p_value == pytest.approx(one.p_value)


@pytest.mark.parametrize("occupations", ["random", "fixed"])
@pytest.mark.parametrize("k", [2, 3, 5, 15])
def test_interval_is_possible_and_agrees_with_p(occupations: str, k: int) -> None:
    generator = rng(5)
    clear = []
    for grown in np.linspace(-0.2, 0.2, 15):
        shares = generator.uniform(0.55, 0.95, k)
        result = amplification_from_counts(
            counts(generator, np.clip(shares + grown, 0, 1), 40),
            counts(generator, shares, 60),
            occupations=occupations,  # type: ignore[arg-type]
        )
        low, high = result.interval
        assert -50 <= low <= result.mean <= high <= 50
        assert (low > 0 or high < 0) == (result.p_value < 0.05)
        clear.append(result.p_value < 0.05)
    assert k < 5 or 2 < sum(clear) < 13, "some are clear of 0 and some are not"


def test_interval_agrees_with_p_near_half() -> None:
    generator = rng(9)
    clear = 0
    for _ in range(150):
        shares = generator.uniform(0.45, 0.55, 8)
        one, two = counts(generator, shares, 40), counts(generator, shares, 60)
        for occupations in ("random", "fixed"):
            result = amplification_from_counts(one, two, occupations=occupations)
            low, high = result.interval
            assert (low > 0 or high < 0) == (result.p_value < 0.05)
            clear += result.p_value < 0.05
    assert clear > 3


def test_sides_that_may_be_even_lie_inside_their_intervals() -> None:
    # 50% and 57% in 50 images each: either side alone may be even.
    generator = rng(13)
    inside = []
    for _ in range(100):
        generated, training = (counts(generator, np.full(12, p), 50) for p in (0.57, 0.5))
        low, high = amplification_from_counts(generated, training, occupations="fixed").interval
        inside.append(low <= 7 <= high)
    assert np.mean(inside) > 0.9


def test_the_same_counts_on_both_sides_have_a_symmetric_interval() -> None:
    same = amplification_from_counts(
        [[7, 3], [4, 6]], [[7, 3], [4, 6]], occupations="fixed"
    )  # fmt: skip
    assert same.mean == pytest.approx(0)
    assert same.interval.low == pytest.approx(-same.interval.high)
    assert same.p_value == 1


def test_the_estimate_does_not_depend_on_the_confidence() -> None:
    found = [
        amplification_from_counts(
            [[1, 1]], [[4047, 953]], occupations="fixed", confidence=confidence
        )
        for confidence in (0.5, 0.95)
    ]
    assert found[0].mean == found[1].mean
    assert all(one.interval.low <= one.mean <= one.interval.high for one in found)


def test_per_item_adds_up() -> None:
    generator = rng(7)
    shares = generator.random(20)
    result = amplification_from_counts(
        counts(generator, shares, 20), counts(generator, shares, 300)
    )
    assert result.per_item.mean() == pytest.approx(result.mean)


# Degenerate input


def test_degenerate() -> None:
    none = amplification_from_counts([[0, 0]], [[3, 4]])
    assert math.isnan(none.mean)
    assert math.isnan(none.interval.low)
    assert math.isnan(none.p_value)
    assert (none.n, none.n_missing) == (0, 1)
    one_image = amplification_from_counts([[1, 0], [9, 1]], [[3, 4], [7, 3]])
    assert (one_image.n, one_image.n_missing) == (1, 1), "one image says nothing"
    switched = amplification_from_counts([[9, 1]], [[1, 9]], occupations="fixed")
    assert math.isnan(switched.plug_in)
    assert switched.mean == pytest.approx(0)
    assert switched.p_value == 1
    single = amplification_from_counts([[9, 1]], [[7, 3]])
    assert math.isnan(single.interval.low), "one occupation says nothing of others"
    assert math.isnan(single.p_value)
    alike = amplification_from_counts([[10, 0], [10, 0]], [[5, 5], [5, 5]])
    assert 0 < alike.p_value < 0.05, "equal counts leave no spread; images are a sample still"
    assert alike.interval.high <= 50
    missing = amplification_against_shares([[9, 1], [8, 2], [3, 7]], [75, math.nan, 40])
    assert (missing.n, missing.n_missing) == (2, 1)


def test_extreme_counts() -> None:
    generator = rng(8)
    generated = [[20, 0]] * 6
    training = counts(generator, np.full(6, 0.9), 500)
    for occupations in ("random", "fixed"):
        result = amplification_from_counts(generated, training, occupations=occupations)
        assert 0 < result.mean <= 11
        assert result.interval.low < result.interval.high


def test_one_image_of_another_group_is_not_certain() -> None:
    # 1 of 1,307 images is of the other group, and it is among the 27: 2% by chance, one side.
    found = amplification_from_counts(
        [[500, 0], [480, 0], [300, 0]], [[8, 1], [9, 0], [9, 0]], occupations="fixed"
    )
    assert 0.001 < found.p_value < 0.05
    many = amplification_from_counts(
        [[499, 1], [480, 0], [300, 0]], [[9, 0], [9, 0], [9, 0]], occupations="fixed"
    )
    assert many.p_value > 0.5
    assert many.interval.low < many.mean < 0 < many.interval.high
