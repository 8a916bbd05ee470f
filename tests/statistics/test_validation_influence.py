from __future__ import annotations

import math

import numpy as np
import pytest

from portrayal.statistics.validation.influence import InfluenceWorld, settings, validate
from portrayal.statistics.validation.worlds import binomial_band


def test_texts_show_the_planted_shares() -> None:
    world = InfluenceWorld("", 4000, 3, alike=0.4, level=2)
    counts = world.counts(np.random.default_rng(0))
    for subset, table in counts.items():
        shown = table[:, 0].sum() / table.sum()
        assert shown == pytest.approx(world.true_share(subset), abs=0.02)
    assert world.truth == pytest.approx(-0.6), "twice -.3, at level 2"


def test_a_row_says_what_was_found() -> None:
    world = InfluenceWorld("few", 12, 1, estimator="null word")
    row = validate(world, worlds=60, rng=np.random.default_rng(1))
    assert (row.estimator, row.setting, row.worlds) == ("influence_estimate", "few", 60)
    assert row.coverage == pytest.approx(1 - row.rejection), "intervals and p agree"
    assert row.coverage > 0.85
    assert abs(row.bias) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("world", settings(), ids=lambda world: world.name)
def test_level_and_coverage(world: InfluenceWorld) -> None:
    row = validate(world, worlds=2000, rng=np.random.default_rng(7))
    low, high = binomial_band(row.coverage, row.worlds)
    assert high >= 0.93, row
    assert low <= 0.97, row
    if not math.isnan(row.rejection):
        assert binomial_band(row.rejection, row.worlds).low <= 0.065, row
