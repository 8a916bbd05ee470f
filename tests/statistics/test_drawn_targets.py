"""Distances from known shares over several sets of drawn labels."""

from __future__ import annotations

import numpy as np
import pytest

from portrayal.errors import StatisticsError
from portrayal.statistics import combine_p_values, drawn_target_distance, target_distance

EVEN = np.full(4, 0.25)
WORLDS = 120


def sets(shares: np.ndarray, rng: np.random.Generator, spread: float = 150.0) -> np.ndarray:
    """Return 20 sets of 600 images whose labels tell shares no better than `spread` images do."""
    told = rng.dirichlet(shares * spread)
    return np.stack([[rng.multinomial(600, rng.dirichlet(told * spread))] for _ in range(20)])


def test_bad_input_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(StatisticsError, match=r"target has shape \(3,\) and sums to 1; allowed"):
        drawn_target_distance(np.ones((2, 1, 4)), [0.5, 0.3, 0.2], by_prompt=False, rng=rng)
    with pytest.raises(StatisticsError, match=r"sums to 1\.2; allowed"):
        drawn_target_distance(np.ones((2, 1, 2)), [0.6, 0.6], by_prompt=False, rng=rng)
    nothing = np.zeros((3, 1, 2))
    assert drawn_target_distance(nothing, [0.5, 0.5], by_prompt=False, rng=rng) is None


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.65, 0.35], [0.25] * 4, [0.4, 0.1, 0.2, 0.3]])
@pytest.mark.parametrize("prompts", [1, 12])
def test_sets_that_are_alike_say_what_one_says(shares: list[float], prompts: int) -> None:
    rng = np.random.default_rng(4)
    counts = rng.multinomial(240 // prompts, shares, size=prompts)
    goal = np.full(len(shares), 1 / len(shares))
    one = target_distance(counts, goal, by_prompt=True, rng=rng)
    found = drawn_target_distance(np.stack([counts] * 20), goal, by_prompt=True, rng=rng)
    assert one is not None
    assert found is not None
    assert found.value == pytest.approx(one.distance, abs=0.02)
    assert found.interval == pytest.approx(one.interval, abs=0.03)
    assert (found.p_value <= 0.05) == (one.p_value <= 0.05)
    assert found.p_value == pytest.approx(one.p_value, abs=0.12)


def test_the_high_end_holds_on_whichever_side_a_group_near_its_target_is() -> None:
    rng, even = np.random.default_rng(6), np.full(3, 1 / 3)
    drawn = np.array([[[85, 51, 14]], [[85, 52, 13]], [[84, 51, 15]]] * 4)
    found = drawn_target_distance(drawn, even, by_prompt=False, rng=rng)
    first = np.stack([drawn[:, :, 0], drawn[:, :, 1] + drawn[:, :, 2]], axis=2)
    alone = drawn_target_distance(first, [1 / 3, 2 / 3], by_prompt=False, rng=rng)
    assert found is not None
    assert alone is not None
    assert found.interval.high == pytest.approx(alone.interval.high)


def test_sets_that_are_all_moved_alike_are_no_distance() -> None:
    rng = np.random.default_rng(1)
    rejected, values, alone, each = [], [], [], []
    for _ in range(WORLDS):
        drawn = sets(EVEN, rng, spread=50.0)
        found = drawn_target_distance(drawn, EVEN, by_prompt=False, rng=rng)
        assert found is not None
        assert (found.interval.low == 0) == (found.p_value > 0.05)
        rejected.append(found.p_value <= 0.05)
        values.append(found.value)
        one = [target_distance(x, EVEN, by_prompt=False, rng=rng) for x in drawn]
        each.append(combine_p_values([x.p_value for x in one if x is not None]) <= 0.05)
        alone.append(np.mean([x.distance for x in one if x is not None]))
    assert np.mean(rejected) <= 0.11
    assert np.mean(values) < 0.5 * np.mean(alone), "a mean of distances keeps what moved them all"
    assert np.mean(each) > 0.2, "their p-values together reject far too often"


@pytest.mark.parametrize("shares", [[0.4, 0.1, 0.2, 0.3], [0.7, 0.3], [0.55, 0.45]])
def test_a_distance_lies_inside_its_interval(shares: list[float]) -> None:
    rng, p = np.random.default_rng(2), np.array(shares)
    goal = np.full(p.size, 1 / p.size)
    truth, inside, values = np.abs(p - goal).sum() / 2, [], []
    for _ in range(WORLDS):
        found = drawn_target_distance(sets(p, rng), goal, by_prompt=False, rng=rng)
        assert found is not None
        inside.append(found.interval.low <= truth <= found.interval.high)
        values.append(found.value)
    assert np.mean(inside) >= 0.89
    assert np.mean(values) == pytest.approx(truth, abs=0.015)
