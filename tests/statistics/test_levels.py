from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.levels import level_test


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def prompts(seed: int, levels: int = 3, each: int = 6) -> tuple[np.ndarray, np.ndarray]:
    source = rng(seed)
    hits = source.binomial(10, source.beta(2, 2, size=levels * each))
    return np.column_stack([hits, 10 - hits]), np.repeat(np.arange(levels), each)


def test_refuses() -> None:
    with pytest.raises(StatisticsError, match="one level for each of 2 prompts"):
        level_test([[1, 2], [2, 1]], [0], by_prompt=True, rng=rng())
    with pytest.raises(StatisticsError, match="counts holds -1"):
        level_test([[1, -1], [2, 1]], [0, 1], by_prompt=True, rng=rng())


def test_the_plug_in_is_scipys() -> None:
    table = np.array([[30, 10], [12, 28], [20, 20]])
    found = level_test(table, [0, 1, 2], by_prompt=False, rng=rng())
    assert found is not None
    assert found.plug_in == pytest.approx(stats.contingency.association(table, method="cramer"))
    # What chance adds: half a variance of each level's share over that of all images.
    share, mean = table[:, 0] / 40, 62 / 120
    chance = sum(40 * (2 / 3) * p * (1 - p) / 39 / (mean * (1 - mean)) for p in share)
    assert found.v == pytest.approx(math.sqrt((found.plug_in**2 * 120 - chance) / 120))
    assert found.interval.low < found.v < found.interval.high
    assert (found.unit, found.n, found.n_units) == ("image", 120, 120)


def test_p_of_prompts_is_that_of_all_exchanges() -> None:
    table, levels = prompts(3, levels=2, each=3)
    found = level_test(table, levels, by_prompt=True, rng=rng(), resamples=9999)
    assert found is not None

    def ratio(first: tuple[int, ...]) -> float:
        chosen = np.isin(np.arange(6), first)
        share = table[:, 0].sum() / table.sum()
        between = chance = 0.0
        for part in (table[chosen], table[~chosen]):
            p = part[:, 0].sum() / 30
            between += 30 * (p - share) ** 2 / (share * (1 - share))
            variance = 3 / 2 * ((part[:, 0] - 10 * p) ** 2).sum() / 900
            chance += 15 * variance / (share * (1 - share))
        return between / chance

    # Strong differences between prompts: neither guard against too little spread is at work.
    values = {first: ratio(first) for first in itertools.combinations(range(6), 3)}
    wanted = np.mean([value >= values[0, 1, 2] - 1e-9 for value in values.values()])
    assert found.p_value == pytest.approx(wanted, abs=0.06)
    assert found.unit == "prompt"


@pytest.mark.parametrize("by_prompt", [True, False])
def test_p_and_interval_agree(by_prompt: bool) -> None:
    outcomes = set()
    for seed in range(60):
        table, levels = prompts(seed)
        table[levels == 0] = (
            table[levels == 0][:, ::-1] if seed % 2 else table[levels == 0] + [4, 0]
        )
        found = level_test(table, levels, by_prompt=by_prompt, rng=rng(seed), resamples=199)
        assert found is not None
        assert (found.p_value <= 0.05) == (found.interval.low > 0)
        assert 0 <= found.interval.low <= found.interval.high <= 1
        outcomes.add(found.p_value <= 0.05)
    assert outcomes == {True, False}


def test_naming_groups_or_levels_otherwise_changes_nothing() -> None:
    table, levels = prompts(5)
    one = level_test(table, levels, by_prompt=True, rng=rng())
    groups = level_test(table[:, ::-1], levels, by_prompt=True, rng=rng())
    names = level_test(table, np.array(["b", "c", "d"])[levels], by_prompt=True, rng=rng())
    assert one is not None
    assert groups is not None
    assert groups.v == pytest.approx(one.v)
    assert groups.interval == pytest.approx(one.interval)
    assert names == one


def test_same_shares_everywhere() -> None:
    found = level_test(np.full((4, 2), 8), range(4), by_prompt=True, rng=rng())
    assert found is not None
    assert (found.v, found.plug_in, found.p_value, found.interval.low) == (0.0, 0.0, 1.0, 0.0)
    assert 0.2 < found.interval.high < 0.5


def test_prompts_that_agree_completely() -> None:
    found = level_test([[10, 0]] * 6 + [[0, 10]] * 6, [0] * 6 + [1] * 6, by_prompt=True, rng=rng())
    assert found is not None
    assert found.v == 1.0
    assert found.p_value < 0.01
    assert 0.5 < found.interval.low < found.interval.high == 1.0


def test_levels_of_one_prompt_learn_from_the_others() -> None:
    table, levels = prompts(7, levels=3, each=3)
    keep = [0, 1, 2, 3, 6, 7, 8]
    found = level_test(table[keep], levels[keep], by_prompt=True, rng=rng())
    assert found is not None
    assert found.unit == "prompt"
    assert 0 < found.p_value <= 1


def test_nothing_to_compare() -> None:
    assert level_test([[3, 4]], [0], by_prompt=True, rng=rng()) is None
    assert level_test([[3, 0], [4, 0]], [0, 1], by_prompt=True, rng=rng()) is None
    assert level_test(np.zeros((2, 2)), [0, 1], by_prompt=True, rng=rng()) is None
