"""Pearson's correlation with an interval: do two numbers rise together over occupations?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.integrate import simpson
from scipy.special import hyp2f1

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction

_STEPS = 801


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
    """Return Pearson's r of pairs, with the exact interval for normal pairs.

    r = cov(x, y) / (sd(x) sd(y)); the test is that of t = r sqrt((n - 2) / (1 - r^2)), and the
    interval holds every correlation under which r is not among the most extreme, by the exact
    distribution of r (Hotelling 1953). At no correlation that is the t-test, so the two agree; with
    many pairs it is Fisher's z. Positive: they rise together. Fewer than three pairs, or numbers
    that are all alike, have no answer: NaN. The interval needs four pairs.

    Args:
        x: One number per unit (an occupation, say).
        y: Another one for each.
        confidence: Of the interval.

    Reference: Hotelling (1953), New light on the correlation coefficient and its transforms, JRSS
    B 15.

    >>> result = pearson_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(result.estimate, 3), round(result.low, 3), round(result.high, 3)
    (0.8, -0.222, 0.972)
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
    tail = (1 - confidence) / 2
    low, high = _correlation_with(r, n, 1 - tail), _correlation_with(r, n, tail)
    return CorrelationResult(r, low, high, p, n, missing)


def _correlation_with(r: float, n: int, below: float) -> float:
    """Return the correlation under which r or less has this probability, by bisection."""
    centre, reach = math.atanh(r), 20 / math.sqrt(n - 3)
    least, most = centre - reach, centre + reach
    for _ in range(50):
        middle = (least + most) / 2
        higher = _chance_below(r, math.tanh(middle), n) > below
        least, most = (middle, most) if higher else (least, middle)
    return math.tanh((least + most) / 2)


def _chance_below(r: float, rho: float, n: int) -> float:
    """Return the probability of r or less in n normal pairs of correlation rho (Hotelling 1953).

    The density is integrated over atanh(r), where it is smooth, from both ends to r.
    """
    centre, reach = math.atanh(rho), 40 / math.sqrt(n - 2)
    at = math.atanh(r)
    sides = []
    for end in (min(centre, at) - reach, max(centre, at) + reach):
        z = np.linspace(end, at, _STEPS)
        value = np.tanh(z)
        size = np.abs(z)
        log_rest = 2 * (math.log(2) - size - np.log1p(np.exp(-2 * size)))  # of 1 - r^2
        log = (n - 2) / 2 * log_rest - (n - 1.5) * np.log1p(-rho * value)
        density = np.exp(log - log.max()) * hyp2f1(0.5, 0.5, n - 0.5, (1 + rho * value) / 2)
        area = float(simpson(density, dx=abs(at - end) / (_STEPS - 1)))
        sides.append((math.log(area) if area > 0 else -math.inf) + float(log.max()))
    below, above = sides
    return float(1 / (1 + math.exp(min(above - below, 700.0))))
