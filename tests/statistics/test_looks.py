from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from ville._boundaries import normal_mixture

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    benjamini_hochberg,
    look_sizes,
    planned_looks,
    share_interval,
    spent_share,
    unplanned_looks,
)
from portrayal.statistics.validation import looks
from portrayal.statistics.validation.__main__ import validation_rows
from portrayal.statistics.validation.looks import EQUAL, IntervalsWorld, LooksWorld
from portrayal.statistics.validation.worlds import binomial_band

# Validation


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: spent_share(1.2), "fraction is 1.2"),
        (lambda: look_sizes(0), "maximum is 0"),
        (lambda: planned_looks([0.1], [0.2, 0.4]), r"one of each for every look"),
        (lambda: planned_looks([0.1, 0.2], [0.4, 0.4]), "fractions do not rise"),
        (lambda: planned_looks([0.1], [1.5]), "fractions end at 1.5"),
        (lambda: planned_looks([1.1], [0.5]), "not all between 0 and 1"),
        (lambda: planned_looks([0.1], [0.5], alpha=0), "alpha is 0"),
        (lambda: unplanned_looks([0.1], [0]), "sizes do not rise"),
        (lambda: unplanned_looks([0.1], [5], alpha=1), "alpha is 1"),
    ],
)
def test_bad_input_is_refused(call: Any, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        call()


# Known answers and agreement with independent implementations


def test_the_spending_function_is_that_of_lan_and_demets() -> None:
    """Cumulative alpha of alpha_2* at five equal looks, one-sided 0.025 (gsDesign: sfLDPocock)."""
    spent = [0.025 * spent_share(t) for t in EQUAL]
    assert spent == pytest.approx([0.0074, 0.0131, 0.0177, 0.0216, 0.025], abs=5e-5)
    assert spent_share(0.0) == 0.0


def test_a_single_planned_look_at_the_end_is_the_plain_test() -> None:
    found = planned_looks([0.031], [1.0])
    assert found.p_value == pytest.approx(0.031)
    assert found.level == pytest.approx(0.05)


@pytest.mark.parametrize("sizes", [[100], [100, 200], [30, 90, 600]])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_ville_agrees_where_an_unplanned_look_decides(sizes: list[int], alpha: float) -> None:
    """The deviate at which the mixture decides is the boundary of the sum over its root."""
    rho = sizes[0] / 4.0
    bound = float(normal_mixture(sizes[-1], alpha, rho)) / math.sqrt(sizes[-1])
    found = unplanned_looks([math.nan] * len(sizes), sizes, alpha=alpha)
    assert found.level == pytest.approx(2 * stats.norm.sf(bound), rel=1e-9)
    p_values = [1.0] * (len(sizes) - 1) + [found.level]
    assert unplanned_looks(p_values, sizes).p_value == pytest.approx(alpha, rel=1e-9)


def test_the_combined_p_is_where_the_level_of_a_look_meets_its_p() -> None:
    """p is the level at which the procedure, run at that level, would just have decided."""
    p_values, sizes = [0.2, 0.004, 0.03], [40, 80, 120]

    def margin(alpha: float) -> float:
        levels = [unplanned_looks([1.0] * k, sizes[:k], alpha=alpha).level for k in (1, 2, 3)]
        return max(math.log(level / p) for level, p in zip(levels, p_values, strict=True))

    alpha = optimize.brentq(margin, 1e-4, 0.999)
    assert unplanned_looks(p_values, sizes).p_value == pytest.approx(alpha, rel=1e-6)


# Invariants


@pytest.mark.parametrize("way", ["planned", "unplanned"])
def test_a_further_look_never_raises_p_and_a_sign_never_matters(way: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.2, 1.0, 400)
    sizes = [20, 40, 80, 160, 400]

    def combined(sample: Any, last: int) -> float:
        p = [float(stats.ttest_1samp(sample[:n], 0.0).pvalue) for n in sizes[:last]]
        if way == "planned":
            return planned_looks(p, np.array(sizes[:last]) / 400).p_value
        return unplanned_looks(p, sizes[:last]).p_value

    path = [combined(values, last) for last in range(1, 6)]
    assert path == sorted(path, reverse=True)
    assert path == [combined(-values, last) for last in range(1, 6)]
    assert path[-1] < 0.05


def test_levels_of_planned_looks_add_up() -> None:
    fractions = [0.1, 0.3, 0.7, 1.0]
    levels = [planned_looks([1.0] * k, fractions[:k]).level for k in (1, 2, 3, 4)]
    assert sum(levels) == pytest.approx(0.05)


# Degenerate input


def test_no_look_and_looks_without_a_p() -> None:
    for found in (planned_looks([], []), unplanned_looks([], [])):
        assert math.isnan(found.p_value)
        assert (found.level, found.n_looks) == (0.05, 0)
    assert math.isnan(planned_looks([math.nan], [0.5]).p_value)
    assert planned_looks([math.nan, 0.001], [0.5, 1.0]).p_value == pytest.approx(
        0.001 / (1 - spent_share(0.5))
    )
    assert unplanned_looks([0.0, 1.0], [10, 20]).p_value == pytest.approx(0.0, abs=1e-100)
    assert unplanned_looks([1.0], [10]).p_value == 1.0


@pytest.mark.parametrize(
    ("maximum", "sizes"),
    [(1, (1,)), (2, (2,)), (3, (2, 3)), (9, (2, 4, 9)), (100, (5, 10, 20, 40, 100))],
)
def test_looks_are_taken_at_whole_images(maximum: int, sizes: tuple[int, ...]) -> None:
    assert look_sizes(maximum) == sizes


# Simulated error


def test_looks_that_are_not_counted_mislead() -> None:
    """What the correction is for: five looks at eight tests find something in 1 world of 10."""
    (row,) = validation_rows([LooksWorld("eight tests", "not at all", EQUAL)], worlds=400, seed=3)
    assert binomial_band(row.rejection, row.worlds).low > 0.05


def test_false_discoveries_among_decisions_are_rare_where_some_effects_are_real() -> None:
    """Benjamini-Hochberg over combined p; looks stop when nothing new can be decided."""
    rng = np.random.default_rng(4)
    sizes = np.array(look_sizes(100))
    false = []
    for _ in range(300):
        values = rng.normal(size=(8, 100)) + np.repeat([0.6, 0.0], 4)[:, None]
        p = np.array([stats.ttest_1samp(values[:, :n], 0.0, axis=1).pvalue for n in sizes]).T
        stop = rng.integers(1, sizes.size + 1)
        combined = [planned_looks(row[:stop], sizes[:stop] / 100).p_value for row in p]
        decided = np.asarray(benjamini_hochberg(combined)) <= 0.05
        false.append(decided[4:].sum() / max(decided.sum(), 1))
    assert np.mean(false) <= 0.05


def test_intervals_of_all_unplanned_looks_hold_a_share_together() -> None:
    """Plain ones do not: five of them leave it out in one world of seven."""
    (row,) = validation_rows([IntervalsWorld("share", 0.3)], worlds=300, seed=3)
    assert row.coverage >= 0.97
    rng = np.random.default_rng(3)
    left_out = 0
    for _ in range(300):
        shown = rng.random(200) < 0.3
        ends = [share_interval(int(shown[:n].sum()), n) for n in (40, 80, 120, 160, 200)]
        left_out += not all(low <= 0.3 <= high for low, high in ends)
    assert left_out > 0.08 * 300


@pytest.mark.slow
@pytest.mark.parametrize("world", looks.settings(), ids=lambda world: world.setting)
def test_a_true_null_and_intervals_are_wrong_in_at_most_one_world_of_twenty(
    world: LooksWorld | IntervalsWorld,
) -> None:
    (row,) = validation_rows([world], seed=11)
    wrong = row.rejection if isinstance(world, LooksWorld) else 1 - row.coverage
    assert binomial_band(wrong, row.worlds).low <= 0.05, row
