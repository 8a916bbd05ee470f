"""Intervals that stay true however often one looks: make images until the answer is clear."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.intervals import Interval


def anytime_share_interval(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Return an interval for a share that holds at every n at once.

    With probability `confidence`, the share is inside the intervals of *all* n = 1, 2, ...; so a
    run may be stopped when the interval is short enough, or leaves out 1/2, without cheating. All p
    with B(s + 1/2, f + 1/2) / B(1/2, 1/2) < p^s (1 - p)^f / (1 - confidence), where s of n = s + f
    images show the group: a mixture of likelihood ratios is a martingale, and Ville's inequality
    bounds how often it grows large. Within 0 to 1; (0, 1) for n = 0: nothing is known yet. At
    n = 100 about 1.6 times as wide as Wilson's, the price of looking often. Images must be
    independent draws with one share; where prompts differ, use `anytime_mean` on rounds of one
    image per prompt.

    Args:
        successes: How many of the images show the group.
        n: How many images there are so far.
        confidence: That all intervals hold.

    Reference: Robbins (1970), Ann. Math. Statist. 41; Howard, Ramdas, McAuliffe, Sekhon (2021),
    Ann. Statist. 49(2).

    >>> low, high = anytime_share_interval(70, 100)
    >>> round(low, 3), round(high, 3)
    (0.537, 0.834)
    """
    check_fraction("confidence", confidence)
    if n != int(n) or successes != int(successes) or not 0 <= successes <= n:
        raise StatisticsError(
            f"successes is {successes} of n = {n}; allowed: whole numbers with 0 <= successes <= n"
        )
    failures = n - successes
    bound = -math.log1p(-confidence) - float(
        special.betaln(successes + 0.5, failures + 0.5) - special.betaln(0.5, 0.5)
    )

    def excess(p: float) -> float:
        """Log likelihood of p minus the least that keeps p in."""
        return float(special.xlogy(successes, p) + special.xlog1py(failures, -p)) + bound

    best = successes / n if n else 0.5
    low = 0.0 if excess(0.0) >= 0 else optimize.brentq(excess, 1e-300, best)
    high = 1.0 if excess(1.0) >= 0 else optimize.brentq(excess, best, 1.0 - 1e-16)
    return Interval(float(low), float(high))


@dataclass(frozen=True, slots=True, eq=False)
class AnytimeResult:
    """A mean and the interval that held from the first value to the last.

    Attributes:
        value: Mean of the values; NaN for none.
        interval: After the last value, all earlier ones counted.
        n: Values.
        low: Lower bound after each value; never falls.
        high: Upper bound after each value; never rises.
    """

    value: float
    interval: Interval
    n: int
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)


def anytime_mean(values: ArrayLike, *, confidence: float = 0.95, grid: int = 1001) -> AnytimeResult:
    """Return an interval for the mean of values in 0 to 1 that holds at every moment at once.

    A gambler bets against each possible mean m, before every value, with stakes that past values
    suggest; if m is the mean, his capital is a martingale and exceeds 1 / (1 - confidence) with a
    chance of at most 1 - confidence. The m that have not made him that rich form the interval
    (hedged capital, predictable plug-in bets). For a share over several prompts, one value is one
    round: the fraction of prompts whose new image shows the group. Rounds have the same mean even
    where prompts differ. Without values: NaN and (0, 1). Bounds are NaN when no mean is left,
    because the values contradict a constant mean.

    Args:
        values: In the order they came, each in 0 to 1.
        confidence: That the interval holds at every moment.
        grid: Possible means looked at; the interval is rounded outward to it.

    Reference: Waudby-Smith and Ramdas (2024), Estimating Means of Bounded Random Variables by
    Betting, J. R. Statist. Soc. B 86(1), section 4.

    >>> result = anytime_mean([0.25, 0.5, 0.25, 0.0] * 25)
    >>> result.value, tuple(round(float(bound), 2) for bound in result.interval)
    (0.25, (0.2, 0.31))
    """
    check_fraction("confidence", confidence)
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or not np.all((x >= 0.0) & (x <= 1.0)):
        raise StatisticsError("values are not a list of numbers in 0 to 1; NaN is not allowed")
    if grid < 3:
        raise StatisticsError(f"grid is {grid}; allowed: 3 possible means or more")
    means = np.linspace(0.0, 1.0, grid)
    bets = _bets(x, 1.0 - confidence)
    for_larger, for_smaller = np.zeros(grid), np.zeros(grid)
    alive = np.ones(grid, dtype=bool)
    low, high = np.empty(x.size), np.empty(x.size)
    # Half of the capital bets that the mean is larger than m, half that it is smaller.
    threshold = math.log(2.0) - math.log1p(-confidence)
    for i, (value, bet) in enumerate(zip(x, bets, strict=True)):
        up = np.minimum(bet, 0.5 / np.maximum(means, 1e-12))
        down = np.minimum(bet, 0.5 / np.maximum(1.0 - means, 1e-12))
        for_larger += np.log1p(up * (value - means))
        for_smaller += np.log1p(-down * (value - means))
        alive &= np.maximum(for_larger, for_smaller) < threshold
        inside = means[alive]
        step = 1.0 / (grid - 1)
        low[i] = max(0.0, inside[0] - step) if inside.size else math.nan
        high[i] = min(1.0, inside[-1] + step) if inside.size else math.nan
    value = float(x.mean()) if x.size else math.nan
    interval = Interval(float(low[-1]), float(high[-1])) if x.size else Interval(0.0, 1.0)
    return AnytimeResult(value, interval, x.size, low, high)


def _bets(x: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return stakes, each computed from earlier values only."""
    t = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return np.asarray(np.sqrt(2.0 * math.log(2.0 / alpha) / (before * t * np.log1p(t))))
