"""How far paired images differ by chance if an intervention changes no imbalance."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from portrayal.statistics.change_null import exchanged_noise
from portrayal.statistics.rarefaction import Noise
from portrayal.statistics.relabelling import PairedCounts

Array = NDArray[np.float64]
NAN = np.nan


def noise(before: Array, after: Array) -> Noise:
    return exchanged_noise(PairedCounts.of(before, after), PairedCounts.of(before, 1 - after))


def change(before: Array, after: Array) -> float:
    return float(abs(2 * after.mean() - 1) - abs(2 * before.mean() - 1))


def test_one_unequal_pair_is_one_step() -> None:
    before, after = np.ones((40, 9)), np.ones((40, 9))
    after[0, 0] = 0
    found = noise(before, after)
    assert found.variance[0] == pytest.approx((2 / 9) ** 2, rel=1e-3)
    np.testing.assert_allclose(found.third, 0, atol=1e-12)


def test_moments_are_those_of_all_swaps_one_by_one() -> None:
    # Attributes that all lean one way are not taken to be turned around.
    lean = np.ones((60, 12))
    before = np.array([1.0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1])
    after = np.array([1.0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1])
    seen = []
    for swapped in product([False, True], repeat=12):
        one, two = np.where(swapped, after, before), np.where(swapped, before, after)
        seen.append(change(one, two))
    found = noise(np.vstack([before, lean]), np.vstack([after, lean]))
    assert np.mean(seen) == pytest.approx(0)
    assert found.variance[0] == pytest.approx(np.mean(np.square(seen)), rel=1e-3)


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("share", [0.7, 0.9])
def test_the_variance_is_right_on_average_however_alike_pairs_are(
    share: float, alike: float
) -> None:
    generator = np.random.default_rng(3)
    drawn = generator.random((2, 4000, 30))
    drawn[1] = np.where(generator.random(drawn[0].shape) < alike, drawn[0], drawn[1])
    before, after = (drawn < share).astype(np.float64)
    found = noise(before, after)
    seen = np.abs(2 * after.mean(axis=1) - 1) - np.abs(2 * before.mean(axis=1) - 1)
    assert found.variance.mean() == pytest.approx(float((seen**2).mean()), rel=0.08)
    turned = noise(before, 1 - after)
    assert turned.variance.mean() == pytest.approx(float((seen**2).mean()), rel=0.08)


def test_exchanging_sides_flips_the_third_moment_only() -> None:
    generator = np.random.default_rng(1)
    before, after = (generator.random((2, 8, 9)) < 0.7).astype(np.float64)
    after[:, 4:] = np.where(generator.random((8, 5)) < 0.6, NAN, after[:, 4:])
    found, turned = noise(before, after), noise(after, before)
    np.testing.assert_allclose(turned.variance, found.variance)
    np.testing.assert_allclose(turned.third, -found.third)
    assert np.abs(found.third).max() > 0


def test_either_group_may_be_counted() -> None:
    generator = np.random.default_rng(2)
    before, after = (generator.random((2, 8, 9)) < 0.7).astype(np.float64)
    found, again = noise(before, after), noise(1 - before, 1 - after)
    np.testing.assert_allclose(again.variance, found.variance)


def test_equal_images_leave_nothing_to_chance() -> None:
    found = noise(np.ones((3, 5)), np.ones((3, 5)))
    np.testing.assert_allclose(found.variance, 0, atol=0.01)
    assert noise(np.ones((0, 5)), np.ones((0, 5))).variance.size == 0
