"""Pearson's correlation with an interval: do two numbers rise together over occupations?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction


@dataclass(frozen=True, slots=True)
class CorrelationResult:
    """A correlation.

    Attributes:
        estimate: Pearson's r, -1 to 1; NaN where it has no answer.
        low: Lower bound of the interval.
        high: Upper bound.
        p_value: Two-sided, of the t-test against no correlation.
        n: Pairs that count.
        n_missing: Pairs in which a number is missing (NaN).
    """

    estimate: float
    low: float
    high: float
    p_value: float
    n: int
    n_missing: int


def pearson_correlation(
    x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95
) -> CorrelationResult:
    """Return Pearson's r of pairs, with the interval of Fisher's z.

    r = cov(x, y) / (sd(x) sd(y)); the interval is tanh(atanh(r) -+ z / sqrt(n - 3)) (Fisher 1921),
    the test that of t = r sqrt((n - 2) / (1 - r^2)). Positive: they rise together. Fewer than three
    pairs, or numbers that are all alike, have no answer: NaN. The interval needs four pairs.

    Args:
        x: One number a unit (an occupation, say).
        y: Another one for each.
        confidence: Of the interval.

    >>> result = pearson_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(result.estimate, 3), round(result.low, 3), round(result.high, 3)
    (0.8, -0.28, 0.986)
    """
    check_fraction("confidence", confidence)
    one, two = np.asarray(x, float), np.asarray(y, float)
    if one.ndim != 1 or one.shape != two.shape:
        raise StatisticsError(
            f"x has shape {one.shape}, y {two.shape}; wanted: two rows of equal length"
        )
    known = np.isfinite(one) & np.isfinite(two)
    one, two = one[known], two[known]
    n, missing = len(one), int((~known).sum())
    nothing = CorrelationResult(math.nan, math.nan, math.nan, math.nan, n, missing)
    if n < 3 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return nothing
    a, b = one - one.mean(), two - two.mean()
    r = float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1.0, 1.0))
    if abs(r) == 1.0:
        return CorrelationResult(r, r, r, 0.0, n, missing)
    t = r * math.sqrt((n - 2) / (1 - r * r))
    p = float(2 * stats.t.sf(abs(t), n - 2))
    if n < 4:
        return CorrelationResult(r, math.nan, math.nan, p, n, missing)
    half = float(stats.norm.ppf(0.5 + confidence / 2)) / math.sqrt(n - 3)
    z = math.atanh(r)
    return CorrelationResult(r, math.tanh(z - half), math.tanh(z + half), p, n, missing)
