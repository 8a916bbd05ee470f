"""Confidence intervals and the bootstrap that other statistics are built from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
    unit_labels,
)

ShareMethod = Literal["wilson", "exact"]
SHARE_METHODS: tuple[ShareMethod, ...] = ("wilson", "exact")


BootstrapMethod = Literal["t", "percentile"]
BOOTSTRAP_METHODS: tuple[BootstrapMethod, ...] = ("t", "percentile")


class Interval(NamedTuple):
    """Lower and upper bound; both NaN when there is not enough data to say."""

    low: float
    high: float


UNKNOWN = Interval(math.nan, math.nan)
UNLIMITED = Interval(-math.inf, math.inf)
"""Of numbers that may have any value."""


def widen_interval(
    bounds: Interval,
    value: float,
    confidence: float,
    wanted: float,
    *,
    within: Interval = UNLIMITED,
) -> Interval:
    """Return an interval at a higher confidence, widened as a normal one would be.

    For confidences at which an interval cannot be computed: tails of a bootstrap are short. Where
    no more is wanted than there is, the interval stays as it is.

    Args:
        bounds: The interval.
        value: The estimate inside it.
        confidence: Of the interval.
        wanted: Of the one to be returned.
        within: What is possible.

    >>> low, high = widen_interval(Interval(0.0, 2.0), 1.0, 0.95, 0.99)
    >>> round(low, 2), round(high, 2)
    (-0.31, 2.31)
    """
    if confidence >= wanted:
        return bounds
    factor = float(stats.norm.ppf((1 + wanted) / 2) / stats.norm.ppf((1 + confidence) / 2))
    low = value - factor * (value - bounds.low)
    high = value + factor * (bounds.high - value)
    return Interval(max(low, within.low), min(high, within.high))


def share_interval(
    successes: int, n: int, *, confidence: float = 0.95, method: ShareMethod = "wilson"
) -> Interval:
    """Return an interval for a share of n independent images.

    `wilson` (Wilson 1927) covers about as often as promised; `exact` (Clopper and Pearson 1934)
    never less often, and is wider. Within 0 to 1; (NaN, NaN) for n = 0.

    Args:
        successes: How many of the images show the group.
        n: How many images there are.
        confidence: Of the interval.
        method: Which of the two.

    >>> low, high = share_interval(15, 148)
    >>> round(low, 4), round(high, 4)
    (0.0624, 0.1605)
    """
    check_fraction("confidence", confidence)
    check_option("method", method, SHARE_METHODS)
    if n != int(n) or successes != int(successes) or not 0 <= successes <= n:
        raise StatisticsError(
            f"successes is {successes} of n = {n}; allowed: whole numbers with 0 <= successes <= n"
        )
    if n == 0:
        return UNKNOWN
    if method == "wilson":
        return _wilson(int(successes), int(n), confidence)
    ci = stats.binomtest(int(successes), int(n)).proportion_ci(confidence, method=method)
    return Interval(float(ci.low), float(ci.high))


def _wilson(successes: int, n: int, confidence: float) -> Interval:
    """Return Wilson's interval; scipy's binomtest finds a p-value as well, which takes longer."""
    z = float(special.ndtri(0.5 + confidence / 2))
    middle = (2 * successes + z**2) / (2 * (n + z**2))
    reach = z * math.sqrt(4 * successes * (n - successes) / n + z**2) / (2 * (n + z**2))
    return Interval(
        0.0 if successes == 0 else middle - reach, 1.0 if successes == n else middle + reach
    )


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapResult:
    """An estimate with its bootstrap.

    Attributes:
        estimate: The statistic of the data.
        interval: By the method asked for.
        standard_error: Of the estimate, small numbers of units repaired.
        n: Rows.
        n_units: Units that were drawn from.
        distribution: The statistic of every resample.
    """

    estimate: float
    interval: Interval
    standard_error: float
    n: int
    n_units: int
    distribution: NDArray[np.float64] = field(repr=False)


def cluster_bootstrap(
    statistic: Callable[[NDArray[Any]], float],
    values: ArrayLike,
    units: ArrayLike | None = None,
    *,
    resamples: int = 9999,
    confidence: float = 0.95,
    method: BootstrapMethod = "t",
    rng: np.random.Generator,
) -> BootstrapResult:
    """Draw whole units with replacement, and see how much a statistic moves.

    A bootstrap of k units is too narrow by sqrt((k - 1) / k); the standard error is repaired by
    that factor. `t` is the estimate -/+ Student's t with k - 1 degrees of freedom times the
    standard error: it covers with few units (4 units: 95%, where plain percentiles reach 79%).
    `percentile` follows a skewed distribution, with levels moved outward to
    Phi(-sqrt(k / (k - 1)) t), and wants 20 units or more. No row, or one unit: NaN.

    Args:
        statistic: Takes rows of `values` and returns one number.
        values: One row (or one number) per image.
        units: Unit of each row; None: every row is its own unit.
        resamples: How often to draw.
        confidence: Of the interval.
        method: How the interval is made.
        rng: Source of the draws.

    Reference: Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American
    Statistician 69(4), section 5.3.

    >>> rng = np.random.default_rng(0)
    >>> result = cluster_bootstrap(np.mean, [1, 1, 2, 2, 6, 6], list("aabbcc"), rng=rng)
    >>> result.estimate, result.n_units, round(result.standard_error, 1)
    (3.0, 3, 1.5)
    """
    check_fraction("confidence", confidence)
    check_option("method", method, BOOTSTRAP_METHODS)
    check_resamples(resamples)
    check_rng(rng)
    rows = np.asarray(values)
    if rows.ndim == 0:
        raise StatisticsError("values is a single number; allowed: one row or number per image")
    n = rows.shape[0]
    estimate = float(statistic(rows)) if n else math.nan
    labels = list(range(n)) if units is None else unit_labels(units, n, "values")
    places: dict[object, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    members = [np.array(found) for found in places.values()]
    k = len(members)
    if k < 2:
        return BootstrapResult(estimate, UNKNOWN, math.nan, n, k, np.full(resamples, math.nan))
    drawn = rng.integers(0, k, size=(resamples, k))
    distribution = np.array(
        [float(statistic(rows[np.concatenate([members[j] for j in draw])])) for draw in drawn]
    )
    repair = math.sqrt(k / (k - 1.0))
    error = repair * float(distribution.std())
    quantile = float(stats.t.ppf(0.5 + confidence / 2.0, k - 1))
    if method == "t":
        interval = Interval(estimate - quantile * error, estimate + quantile * error)
    else:
        level = float(stats.norm.cdf(-repair * quantile))
        low, high = np.quantile(distribution, [level, 1.0 - level])
        interval = Interval(float(low), float(high))
    return BootstrapResult(estimate, interval, error, n, k, distribution)
