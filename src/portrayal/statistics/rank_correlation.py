"""Kendall's tau with an interval that agrees with its p."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.ratings import is_missing

# Of the way from zero to the estimate: from there on the spread that the items show counts in full.
_NEAR_ZERO = 1.0 / 3.0
# Items that the spread under the normal model is worth, against the spread that the items show.
_MODEL_ITEMS = 10.0
_LEAST_RATIO, _MOST_RATIO = 0.3, 4.0


@dataclass(frozen=True, slots=True)
class RankCorrelationResult:
    """A rank correlation.

    Attributes:
        value: The coefficient.
        p_value: Two-sided, against no association.
        interval: It leaves out zero where p is below 1 - confidence, and only there.
        n: Items with both values.
        n_missing: Items without one of them.
    """

    value: float
    p_value: float
    interval: Interval
    n: int
    n_missing: int

    def __float__(self) -> float:
        """Return the coefficient."""
        return self.value


def kendall_tau(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> RankCorrelationResult:
    """Return Kendall's tau-b: whether two measures put items into the same order.

    `(concordant - discordant pairs) / sqrt((pairs - ties in x) (pairs - ties in y))`. From -1
    (reversed) over 0 to 1 (same order). NaN and None are missing. Fewer than two items, or a
    measure that is the same for all: NaN.

    The interval holds all t with `|tau - t| <= z sd(t)`: sd(t) is that of tau under a bivariate
    normal distribution whose true tau is t, which shrinks towards +-1 and so keeps the bounds
    inside. The spread that the items themselves show (jackknife) scales it, the more the more items
    there are. Towards t = 0, where the test says exactly what chance does, the scale gives way to
    the one that makes the bound agree with p.

    Args:
        x: One number per item.
        y: Another number per item, in the same order.
        rng: Taken like everywhere in this package; nothing is drawn.
        resamples: Likewise.
        confidence: Of the interval.

    References: Kendall (1945), The treatment of ties in ranking problems; value and p-value by
    scipy.stats.kendalltau (exact without ties up to 33 items); Esscher (1924), On a method of
    determining correlation from the ranks of the variates, for the variance.

    >>> result = kendall_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    >>> round(result.value, 4), result.interval.low > -1, result.interval.high > 0
    (-0.4714, True, True)
    """
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    if rng is not None:
        check_rng(rng)
    a, b = _numbers("x", x), _numbers("y", y)
    if a.size != b.size:
        raise StatisticsError(f"x has {a.size} items and y has {b.size}; allowed: as many in each")
    both = ~np.isnan(a) & ~np.isnan(b)
    n_missing = int((~both).sum())
    a, b = a[both], b[both]
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return RankCorrelationResult(math.nan, math.nan, UNKNOWN, int(a.size), n_missing)
    value, p_value = (float(number) for number in stats.kendalltau(a, b))
    distance = _distance(value, p_value, int(a.size), _jackknife_variance(a, b))
    interval = _inverted(distance, value, float(stats.norm.ppf(0.5 + confidence / 2.0)))
    return RankCorrelationResult(value, p_value, interval, int(a.size), n_missing)


def normal_variance(tau: float, n: int) -> float:
    """Return the variance of Kendall's tau of n items of a bivariate normal distribution.

    `2 / (n (n - 1)) (1 - t^2 + 2 (n - 2) (1 / 9 - (2 / pi asin(r / 2))^2))`, r = sin(pi t / 2). At
    t = 0 it is that of independent measures, `2 (2 n + 5) / (9 n (n - 1))`; at -1 and 1 it is 0.

    Args:
        tau: The true tau.
        n: Items, at least 2.

    Reference: Esscher (1924); Kendall and Gibbons (1990), Rank Correlation Methods, chapter 9.

    >>> round(normal_variance(0.0, 10), 6), 2 * 25 / (9 * 90)
    (0.061728, 0.06172839506172839)
    """
    half = 2.0 / math.pi * math.asin(math.sin(math.pi * tau / 2.0) / 2.0)
    return max(2.0 / (n * (n - 1)) * (1.0 - tau**2 + 2.0 * (n - 2) * (1.0 / 9.0 - half**2)), 0.0)


def _distance(value: float, p_value: float, n: int, seen: float) -> Callable[[float], float]:
    """Return how many standard errors a true tau lies from the estimate.

    Args:
        value: The estimate.
        p_value: Of the test against no association.
        n: Items.
        seen: Variance by the jackknife.
    """
    expected = normal_variance(value, n)
    ratio = 1.0
    if expected > 0 and not math.isnan(seen):
        kept = max(n - 3.0, 0.0) / (n - 3.0 + _MODEL_ITEMS)
        ratio = min(max(seen / expected, _LEAST_RATIO), _MOST_RATIO) ** kept
    plain = abs(value) / math.sqrt(normal_variance(0.0, n))
    at_zero = float(stats.norm.isf(p_value / 2.0)) / plain if value != 0 else 1.0

    def distance(tau: float) -> float:
        variance = normal_variance(tau, n)
        if variance == 0.0:
            return 0.0 if tau == value else math.inf
        seen_part = 1.0 if value == 0 else min(max(tau / (_NEAR_ZERO * value), 0.0), 1.0)
        scale = math.pow(at_zero, 1.0 - seen_part) / math.pow(ratio, seen_part / 2.0)
        return abs(value - tau) / math.sqrt(variance) * scale

    return distance


def _inverted(distance: Callable[[float], float], value: float, reach: float) -> Interval:
    """Return the bounds that lie `reach` standard errors from the estimate."""
    bounds = []
    for end in (-1.0, 1.0):
        if abs(value - end) < 1e-12 or distance(end) <= reach:
            bounds.append(end)
            continue
        near = value + 1e-12 * (end - value)
        # The variance is zero at the end itself; a step inside, the distance is finite.
        far = end - 1e-9 * (end - value)
        inside = distance(far) <= reach
        bounds.append(end if inside else optimize.brentq(lambda t: distance(t) - reach, near, far))
    return Interval(float(bounds[0]), float(bounds[1]))


def _jackknife_variance(a: FloatArray, b: FloatArray) -> float:
    """Return the jackknife variance of tau-b; NaN where leaving out an item leaves no order."""
    n = a.size
    signs_a, signs_b = np.sign(a[:, None] - a), np.sign(b[:, None] - b)
    left = [
        part.sum() - 2.0 * part.sum(axis=1) for part in (signs_a * signs_b, signs_a**2, signs_b**2)
    ]
    scale = np.sqrt(left[1] * left[2])
    if n < 3 or not (scale > 0).all():
        return math.nan
    without = left[0] / scale
    return float((n - 1) / n * ((without - without.mean()) ** 2).sum())


def _numbers(name: str, values: ArrayLike) -> FloatArray:
    given = np.asarray(values, dtype=object)
    if given.ndim != 1:
        raise StatisticsError(f"{name} has shape {given.shape}; allowed: one number per item")
    try:
        numbers = [math.nan if is_missing(value) else float(value) for value in given.tolist()]
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} contains no numbers; allowed: one number per item"
        ) from error
    return np.array(numbers, dtype=np.float64)
