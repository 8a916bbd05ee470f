"""Balanced accuracy: how often a classifier is right, with every group counting the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.classification import averaged_share_interval
from portrayal.statistics.counts import as_counts
from portrayal.statistics.intervals import UNKNOWN, Interval


@dataclass(frozen=True, slots=True)
class BalancedAccuracyResult:
    """Balanced accuracy with its interval.

    Attributes:
        value: The mean of the groups' recalls; NaN where a group has no image.
        interval: Its interval.
        n: Images, over all groups.
    """

    value: float
    interval: Interval
    n: int


def balanced_accuracy(
    right: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95
) -> BalancedAccuracyResult:
    r"""Return the mean of the groups' recalls, \(\frac{1}{k}\sum_i r_i / n_i\).

    Range 0 to 1, higher is better; guessing gives 1/k on average, whatever the groups' sizes. The
    interval is Wilson's with as many images as a plain share of this variance would have, so that
    it is not empty where every image is right or wrong. Images count as independent. NaN, with
    NaN bounds, where a group has no image, or with fewer than two groups.

    Args:
        right: Images of each group that were labelled rightly.
        totals: Images of each group with a label.
        confidence: Of the interval.

    Reference: Brodersen et al. (2010), ICPR.

    >>> found = balanced_accuracy([20, 0], [20, 20])
    >>> found.value, round(found.interval.high, 2)
    (0.5, 0.55)
    """
    check_fraction("confidence", confidence)
    hits, n = as_counts("right", right), as_counts("totals", totals)
    if hits.shape != n.shape or (hits > n).any():
        raise StatisticsError("right must be counts of the same groups as totals, at most these")
    images = int(n.sum())
    if n.size < 2 or (n == 0).any():
        return BalancedAccuracyResult(math.nan, UNKNOWN, images)
    value, near = float((hits / n).mean()), (hits + 0.5) / (n + 1)
    variance = float((near * (1 - near) / n).sum()) / n.size**2
    interval = averaged_share_interval(value, float(near.mean()), variance, confidence=confidence)
    return BalancedAccuracyResult(value, interval, images)
