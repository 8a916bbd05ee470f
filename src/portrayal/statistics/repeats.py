"""Raters' own error, from images that were answered twice."""

from __future__ import annotations

import math
from dataclasses import dataclass

from portrayal.errors import StatisticsError
from portrayal.statistics.intervals import UNKNOWN, Interval, share_interval


@dataclass(frozen=True, slots=True)
class RepeatResult:
    """How often two answers about one image differ, and what that says of one answer.

    Attributes:
        disagreement: Share of pairs that differ; NaN without a pair.
        interval: Of that share.
        error: How often one answer is wrong, if errors are independent and as frequent in both
            groups; 0.5 where pairs differ as often as by chance.
        error_interval: Of that rate.
        n: Pairs.
    """

    disagreement: float
    interval: Interval
    error: float
    error_interval: Interval
    n: int


def repeat_error(differ: int, pairs: int, *, confidence: float = 0.95) -> RepeatResult:
    """Estimate raters' error from pairs of answers about one image, two groups.

    Two answers that are wrong with probability e, independently, differ with probability
    d = 2 e (1 - e), so e = (1 - sqrt(1 - 2 d)) / 2. One rater who remembers an image repeats an
    error, so that e is too small: it is a lower limit.

    Args:
        differ: Pairs whose answers differ.
        pairs: All pairs.
        confidence: Of the intervals.

    Reference: Hui and Walter (1980), Estimating the error rates of diagnostic tests, Biometrics 36,
    for errors from repeated answers without a known truth.

    >>> found = repeat_error(3, 20)
    >>> round(found.disagreement, 2), round(found.error, 3)
    (0.15, 0.082)
    """
    if not 0 <= differ <= pairs:
        raise StatisticsError(f"differ is {differ}; allowed: 0 to the {pairs} pairs")
    if not pairs:
        return RepeatResult(math.nan, UNKNOWN, math.nan, UNKNOWN, 0)
    interval = share_interval(differ, pairs, confidence=confidence)
    return RepeatResult(
        differ / pairs, interval, _error(differ / pairs),
        Interval(_error(interval.low), _error(interval.high)), pairs,
    )  # fmt: skip


def _error(disagreement: float) -> float:
    return (1 - math.sqrt(max(1 - 2 * disagreement, 0.0))) / 2


def without_error(share: float, error: float) -> float:
    """Return what a share of one of two groups would be without raters' errors.

    (share - e) / (1 - 2 e), within 0 to 1; NaN where answers are no better than chance.

    >>> round(without_error(0.3, 0.1), 3)
    0.25
    """
    if math.isnan(share) or not error < 0.5:
        return math.nan
    return min(1.0, max(0.0, (share - error) / (1 - 2 * error)))
