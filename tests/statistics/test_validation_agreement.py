from __future__ import annotations

import math

import numpy as np
import pytest

from portrayal.statistics.validation.agreement import RankWorld, RaterWorld, settings, validate
from portrayal.statistics.validation.worlds import ValidationRow, binomial_band

# Coverage above 97 % for a reason. Few items: the coefficient takes few values, and complete
# agreement is likely, where the bound is 1 for all of them. Four items: no p is below .083.
DISCRETE = {
    "4 items, tau 0",
    "4 items, tau .5",
    "10 items, tau .5",
    "10 items, tau .8",
    "10 items, 3 labels",
    "10 items, 5 raters",
    "rare label, own shares",
}


def test_bands_are_wilsons() -> None:
    low, high = binomial_band(0.95, 1000)
    assert (low, high) == pytest.approx((0.92909, 0.96497), abs=1e-5)
    assert binomial_band(0.0, 1000).low == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("model", ["truth", "shared"])
def test_raters_agree_as_much_as_planted(model: str) -> None:
    world = RaterWorld("", "percent_agreement", 40_000, 2, (0.2, 0.3, 0.5), 0.4, model)  # type: ignore[arg-type]
    first, second = world.ratings(np.random.default_rng(0))
    assert (first == second).mean() == pytest.approx(world.target, abs=0.01)
    assert np.bincount(first.astype(int)) / 40_000 == pytest.approx([0.2, 0.3, 0.5], abs=0.01)


def test_a_row_says_what_was_found() -> None:
    row = validate(RankWorld("few", 8, 0.0), worlds=40, rng=np.random.default_rng(1))
    assert (row.estimator, row.setting, row.worlds) == ("kendall_tau", "few", 40)
    assert row.coverage > 0.8
    assert row.rejection < 0.2
    assert math.isnan(row.power)


@pytest.mark.slow
@pytest.mark.parametrize("world", settings(), ids=lambda world: world.name)
def test_intervals_cover(world: RaterWorld | RankWorld) -> None:
    worlds = 4000 if isinstance(world, RankWorld) else 1000
    row: ValidationRow = validate(world, worlds=worlds, rng=np.random.default_rng(7))
    low, high = binomial_band(row.coverage, row.worlds)
    assert high >= 0.93, row
    assert low <= 0.97 or world.name in DISCRETE, row
    if not math.isnan(row.rejection):
        assert binomial_band(row.rejection, row.worlds).low <= 0.065, row
