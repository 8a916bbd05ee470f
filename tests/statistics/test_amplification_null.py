"""How far equally uneven sides differ by chance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from portrayal.statistics.amplification_null import (
    SideCounts,
    cancelling_noise,
    dealt_out_noise,
    equal_noise,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.rarefaction import Noise, imbalance_noise, thinned_imbalance


def _side(first: object, total: float) -> SideCounts:
    counts = np.atleast_1d(np.asarray(first, dtype=np.float64))
    return SideCounts(counts, np.full(counts.size, total))


def _sizes(side: SideCounts, size: float) -> FloatArray:
    return np.full(side.first.size, size)


def test_one_image_more_on_a_side_is_one_step() -> None:
    # The only image of the other group is on this side or on that: a difference of +-2/9.
    found = dealt_out_noise(_side(9, 9), _side(8, 9), np.array([9.0]))
    assert found.variance == pytest.approx((2 / 9) ** 2)
    assert found.third == pytest.approx(0)


def test_moments_are_those_of_all_ways_one_by_one() -> None:
    images, seen = np.array([1, 1, 1, 1, 1, 0, 0, 0]), []
    for chosen in combinations(range(8), 5):
        mine = images[list(chosen)].sum()
        thinned = thinned_imbalance(np.array([float(mine)]), np.array([5.0]), np.array([3.0]))
        seen.append(float(thinned[0]) - abs(2 * (images.sum() - mine) / 3 - 1))
    found = dealt_out_noise(_side(4, 5), _side(1, 3), np.array([3.0]))
    assert np.mean(seen) == pytest.approx(0)
    assert found.variance == pytest.approx(np.mean(np.square(seen)))
    assert found.third == pytest.approx(np.mean(np.power(seen, 3)))


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8, 0.95])
def test_the_variance_is_right_on_average_whatever_the_share(share: float) -> None:
    one, two = (grid.ravel() for grid in np.meshgrid(np.arange(10.0), np.arange(7.0)))
    chance = stats.binom.pmf(one, 9, share) * stats.binom.pmf(two, 6, share)
    found = dealt_out_noise(_side(one, 9), _side(two, 6), np.full(one.size, 6.0))
    at, six = np.array([2 * share - 1]), np.array([6.0])
    noise = [imbalance_noise(at, np.array([n]), six) for n in (9.0, 6.0)]
    assert chance @ found.variance == pytest.approx((noise[0].variance + noise[1].variance)[0])
    assert chance @ found.third == pytest.approx((noise[0].third - noise[1].third)[0])


def test_many_images_agree_with_few() -> None:
    # 200 images are summed exactly, 201 are not.
    other = _side([4, 11, 30, 38, 52], 60)
    few, many = (
        dealt_out_noise(_side([7, 36, 63, 98, 132], n), other, np.full(5, 60.0)) for n in (140, 141)
    )
    np.testing.assert_allclose(many.variance, few.variance, rtol=0.06)
    np.testing.assert_allclose(many.third, few.third, atol=0.1 * np.abs(few.third).max())


def test_exchanging_sides_flips_the_third_moment_only() -> None:
    one, two = _side([8, 5, 9], 9), _side([5, 3, 1], 6)
    found = equal_noise(one, two, np.full(3, 6.0))
    turned = equal_noise(two, one, np.full(3, 6.0))
    np.testing.assert_allclose(turned.variance, found.variance)
    np.testing.assert_allclose(turned.third, -found.third)


def test_either_group_may_be_counted() -> None:
    one, two = _side([8, 5, 9], 9), _side([5, 3, 1], 6)
    others = [SideCounts(side.total - side.first, side.total) for side in (one, two)]
    found, again = equal_noise(one, two, np.full(3, 6.0)), equal_noise(*others, np.full(3, 6.0))
    np.testing.assert_allclose(again.variance, found.variance)
    np.testing.assert_allclose(again.third, found.third)


def test_sides_may_lean_to_different_groups() -> None:
    one, two = _side([28, 27, 3, 29], 30), _side([27, 28, 27, 1], 30)
    turned = SideCounts(np.array([27.0, 28.0, 3.0, 29.0]), two.total)
    found = equal_noise(one, two, _sizes(one, 30))
    wanted = dealt_out_noise(one, turned, _sizes(one, 30))
    np.testing.assert_allclose(found.variance, wanted.variance, rtol=1e-4)


def test_images_of_one_group_only_leave_nothing_to_chance() -> None:
    found = dealt_out_noise(_side([9, 0], 9), _side([9, 0], 9), np.full(2, 9.0))
    np.testing.assert_allclose(found.variance, 0, atol=1e-12)
    nothing = equal_noise(_side([], 9), _side([], 9), np.zeros(0))
    assert nothing.variance.size == 0


def _moments(variance: float, third: float = 0.0) -> Noise:
    return Noise(np.array(variance), np.array(third))


def test_changes_that_cancel_are_compared_with_noise_of_either_side() -> None:
    changes = np.array([0.5, -0.6, 0.7, -0.4, 0.5, -0.6])
    # p of Cochran's Q is below 10%: the smaller it is, the less counts the noise without a change.
    q = float(((changes - changes.mean()) ** 2).sum()) / (1.1 / 6)
    p = float(stats.chi2.sf(q, 5))
    assert 0.01 < p < 0.09
    found = cancelling_noise(_moments(1.1, 0.2), _moments(0.7, 0.1), changes)
    assert found.variance == pytest.approx(0.7 + 0.4 * p / 0.1)
    assert found.third == pytest.approx(0.1 + 0.1 * p / 0.1)
    large = cancelling_noise(_moments(1.1, 0.2), _moments(0.7, 0.1), 10 * changes)
    assert large == (pytest.approx(0.7), pytest.approx(0.1))


def test_reversing_changes_that_cancel_flips_the_third_moment_only() -> None:
    changes = np.array([0.5, -0.6, 0.7, -0.4, 0.5, -0.6])
    found = cancelling_noise(_moments(1.1, 0.2), _moments(0.7, 0.1), changes)
    turned = cancelling_noise(_moments(1.1, -0.2), _moments(0.7, -0.1), -changes)
    assert turned.variance == pytest.approx(found.variance)
    assert turned.third == pytest.approx(-found.third)


@pytest.mark.parametrize(
    ("changes", "own"),
    [
        ([0.6] * 6, 0.7),  # all the same
        ([0.1, -0.1] * 3, 0.7),  # chance makes more of a difference
        ([0.9, -0.9] * 3, 1.2),  # no smaller noise
        ([0.9], 0.7),
        ([], 0.0),
    ],
)
def test_changes_that_do_not_differ_keep_the_noise_without_a_change(
    changes: list[float], own: float
) -> None:
    found = cancelling_noise(_moments(1.1, 0.2), _moments(own, 0.1), np.array(changes))
    assert found == _moments(1.1, 0.2)


def test_images_that_are_all_alike_leave_no_noise_to_mix() -> None:
    assert cancelling_noise(_moments(0.0), _moments(0.0), np.zeros(3)).variance == 0
