from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from portrayal.statistics.validation import diversity, shares
from portrayal.statistics.validation.diversity import ChangeWorld, ScoreWorld
from portrayal.statistics.validation.shares import LevelWorld, ShareWorld
from portrayal.statistics.validation.worlds import ValidationRow, binomial_band


def check(row: ValidationRow, excuse: str) -> None:
    """Hold a row to its bands; more than 97 % or less than 3.5 % wants a reason."""
    low, high = binomial_band(row.coverage, row.worlds)
    assert high >= 0.93, row
    assert low <= 0.97 or excuse, row
    if not math.isnan(row.rejection):
        least, most = binomial_band(row.rejection, row.worlds)
        assert least <= 0.065, row
        assert most >= 0.035 or excuse, row


def test_a_share_world_has_the_share_and_icc_it_says() -> None:
    for kind in ("beta", "logit-normal"):
        world = ShareWorld(0.2, 200_000, 1, 0.3, kind)  # type: ignore[arg-type]
        drawn = shares._prompt_shares(world, np.random.default_rng(0))
        assert drawn.mean() == pytest.approx(0.2, abs=0.004)
        assert drawn.var() / 0.16 == pytest.approx(0.3, abs=0.01)


def test_the_truth_of_a_level_world_is_cramers_v() -> None:
    assert LevelWorld("", ((0.7, 0.3), (0.3, 0.7)), 4, 9, 0.1).truth == pytest.approx(0.4)


@pytest.mark.parametrize(
    "world",
    [
        ShareWorld(0.3, 5, 9, 0.2),
        LevelWorld("few", ((0.5, 0.5),) * 3, 4, 9, 0.2),
        ScoreWorld("uniform", 4, 9),
        ChangeWorld("uniform", 8, 6, unknown_after=0.3),
    ],
)
def test_a_row_says_what_was_found(world: Any) -> None:
    module: Any = shares if isinstance(world, (ShareWorld, LevelWorld)) else diversity
    row = module.validate(world, worlds=25, rng=np.random.default_rng(1))
    assert row.worlds == 25
    assert row.coverage > 0.7
    assert abs(row.bias) < 0.3
    assert 0.3 < row.width_vs_oracle < 6


@pytest.mark.slow
@pytest.mark.parametrize("world", shares.settings(), ids=lambda world: world.setting)
def test_shares_and_levels(world: ShareWorld | LevelWorld) -> None:
    check(shares.validate(world, worlds=1000, rng=np.random.default_rng(7)), world.excuse)


@pytest.mark.slow
@pytest.mark.parametrize("world", diversity.settings(), ids=lambda world: world.setting)
def test_diversity(world: ScoreWorld | ChangeWorld) -> None:
    check(diversity.validate(world, worlds=1000, rng=np.random.default_rng(7)), world.excuse)
