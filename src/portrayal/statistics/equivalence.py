"""Whether a difference is too small to matter: equivalence and non-inferiority."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.differences import DifferenceResult
from portrayal.statistics.intervals import UNKNOWN, Interval

Worse = Literal["higher", "lower"]
WORSE: tuple[Worse, ...] = ("higher", "lower")


@dataclass(frozen=True, slots=True)
class EquivalenceResult:
    """Whether a difference lies within a margin on both sides of 0.

    Attributes:
        margin: The largest difference that does not matter.
        p_value: The larger one of the two one-sided tests.
        interval: At confidence 1 - 2 level; inside the margin exactly where `equivalent`.
        equivalent: Whether p_value is at most the level.
    """

    margin: float
    p_value: float
    interval: Interval
    equivalent: bool


@dataclass(frozen=True, slots=True)
class NonInferiorityResult:
    """Whether a difference is worse than 0 by less than a margin.

    Attributes:
        margin: The largest loss that does not matter.
        worse: Which direction is a loss.
        p_value: One-sided.
        bound: The worst difference that is left at this level; within the margin exactly where
            `shown`.
        shown: Whether p_value is at most the level.
    """

    margin: float
    worse: Worse
    p_value: float
    bound: float
    shown: bool


def equivalence(
    difference: DifferenceResult, margin: float, *, level: float = 0.05
) -> EquivalenceResult:
    """Test whether two models differ by less than a margin, two one-sided tests (TOST).

    "No significant difference" is no proof of equality; this is, for what the margin leaves out.
    NaN and not equivalent where the difference has no standard error.

    Args:
        difference: Of two models.
        margin: The largest difference that does not matter, above 0.
        level: Of each of the two tests.

    Reference: Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15.

    >>> import numpy as np
    >>> from portrayal.statistics import share_difference
    >>> same = np.tile([0, 1], (4, 100))
    >>> found = share_difference(same, 1 - same, rng=np.random.default_rng(0), paired=False)
    >>> equivalence(found, 0.1).equivalent, equivalence(found, 0.01).equivalent
    (True, False)
    """
    _check(margin, level)
    tails = [
        _tail(difference, margin - difference.value),
        _tail(difference, margin + difference.value),
    ]
    p_value = max(tails, key=lambda one: math.inf if math.isnan(one) else one)
    reach = _quantile(difference, level) * difference.standard_error
    ends = Interval(difference.value - reach, difference.value + reach)
    if math.isnan(reach):
        ends = UNKNOWN
    elif math.isfinite(difference.reach):
        ends = Interval(max(ends.low, -difference.reach), min(ends.high, difference.reach))
    return EquivalenceResult(margin, p_value, ends, p_value <= level)


def non_inferiority(
    difference: DifferenceResult, margin: float, *, worse: Worse, level: float = 0.05
) -> NonInferiorityResult:
    """Test whether the second model is no worse than the first by a margin.

    Args:
        difference: Of two models.
        margin: The largest loss that does not matter; 0: no loss at all.
        worse: Whether higher or lower values are worse.
        level: Of the test.

    >>> from portrayal.statistics.differences import DifferenceResult
    >>> from portrayal.statistics.intervals import Interval
    >>> lost = DifferenceResult(0.1, 0.11, 0.01, Interval(-0.01, 0.03), 0.3, 0.01, 99, "image")
    >>> found = non_inferiority(lost, 0.05, worse="higher")
    >>> found.shown, round(found.bound, 3)
    (True, 0.027)
    """
    _check(margin, level, least="0 or more")
    check_option("worse", worse, WORSE)
    sign = 1 if worse == "higher" else -1
    p_value = _tail(difference, margin - sign * difference.value)
    bound = difference.value + sign * _quantile(difference, level) * difference.standard_error
    return NonInferiorityResult(margin, worse, p_value, bound, p_value <= level)


def _check(margin: float, level: float, *, least: str = "above 0") -> None:
    check_fraction("level", level)
    if not math.isfinite(margin) or margin < 0 or (margin == 0 and least == "above 0"):
        raise StatisticsError(f"margin is {margin}; allowed: a finite number {least}")


def _tail(difference: DifferenceResult, room: float) -> float:
    """Return the chance of an estimate so far inside a margin whose end is the truth."""
    error, freedom = difference.standard_error, difference.degrees_of_freedom
    if math.isnan(error):
        return math.nan
    if error == 0:
        return 0.0 if room > 0 else 1.0
    score = room / error
    if math.isinf(freedom):
        return float(stats.norm.sf(score))
    return float(stats.t.sf(score, freedom))


def _quantile(difference: DifferenceResult, level: float) -> float:
    freedom = difference.degrees_of_freedom
    if math.isnan(freedom):
        return math.nan
    return float(stats.norm.isf(level) if math.isinf(freedom) else stats.t.isf(level, freedom))
