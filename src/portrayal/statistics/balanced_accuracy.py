"""Balanced accuracy: how often a classifier is right, with every group counting the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.counts import as_counts
from portrayal.statistics.intervals import UNKNOWN, Interval, share_interval


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
    interval joins the groups' Wilson intervals by their distances from the estimates (MOVER), so
    it is not empty where every image is right or wrong. Images count as independent. NaN, with
    NaN bounds, where a group has no image, or with fewer than two groups.

    Args:
        right: Images of each group that were labelled rightly.
        totals: Images of each group with a label.
        confidence: Of the interval.

    References: Brodersen et al. (2010), ICPR, for balanced accuracy; Zou and Donner (2008),
    Statistics in Medicine 27, for joining intervals.

    >>> found = balanced_accuracy([20, 0], [20, 20])
    >>> found.value, round(found.interval.high, 2)
    (0.5, 0.58)
    """
    check_fraction("confidence", confidence)
    hits, n = as_counts("right", right), as_counts("totals", totals)
    if hits.shape != n.shape or (hits > n).any():
        raise StatisticsError("right must be counts of the same groups as totals, at most these")
    images = int(n.sum())
    if n.size < 2 or (n == 0).any():
        return BalancedAccuracyResult(math.nan, UNKNOWN, images)
    recalls = hits / n
    bounds = [
        share_interval(int(k), int(m), confidence=confidence) for k, m in zip(hits, n, strict=True)
    ]
    below = math.hypot(*(recalls - np.array([one.low for one in bounds]))) / n.size
    above = math.hypot(*(np.array([one.high for one in bounds]) - recalls)) / n.size
    value = float(recalls.mean())
    return BalancedAccuracyResult(
        value, Interval(max(0.0, value - below), min(1.0, value + above)), images
    )
