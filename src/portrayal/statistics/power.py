"""What a planned study could detect, before a GPU hour is spent."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.permutation import ALTERNATIVES, Alternative


def detectable_effect(
    units_x: int,
    units_y: int,
    *,
    images_per_unit: float = 1.0,
    unit_correlation: float = 0.5,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the smallest effect size d that an association test would probably detect.

    The test compares unit means; with n images per unit of which any two are correlated by r, a
    unit mean has (r + (1 - r) / n) of an image's variance. d solves power = P(|T| > t) for a
    noncentral t with units_x + units_y - 2 degrees of freedom and noncentrality
    d / sqrt((r + (1 - r) / n) (1 / units_x + 1 / units_y)). Range 0 to infinity; smaller is better;
    d is in deviations over images, as in `association_test`. More images per unit help until r
    dominates; then only more prompts do. The attribute images are taken as many. NaN when nothing
    can be detected: fewer than two units a side, or so few that not even the most extreme split
    reaches alpha (3 + 3 units at 5%, two-sided).

    Args:
        units_x: Units (prompts) of concept X.
        units_y: Units of concept Y.
        images_per_unit: Images of each unit.
        unit_correlation: Correlation r of associations of two images of one unit, 0 to 1.
        power: Wanted chance of detecting it.
        alpha: Level of the test.
        alternative: One-sided tests detect smaller effects on their side.

    Reference: Cohen (1988), ch. 2; Donner and Klar (2000), Design and Analysis of Cluster
    Randomization Trials, ch. 5.

    >>> round(detectable_effect(25, 25, images_per_unit=10), 2)
    0.6
    >>> round(detectable_effect(64, 64), 3)  # G*Power 3.1: 128 persons detect d = 0.5
    0.499
    """
    check_fraction("power", power)
    check_fraction("alpha", alpha)
    check_option("alternative", alternative, ALTERNATIVES)
    if not 0.0 <= unit_correlation <= 1.0:
        raise StatisticsError(f"unit_correlation is {unit_correlation}; allowed: 0 to 1")
    if min(units_x, units_y) < 0 or not images_per_unit > 0:
        raise StatisticsError(
            f"units {units_x} and {units_y} with {images_per_unit} images each; allowed: "
            "units of 0 or more, images above 0"
        )
    sides = 2 if alternative == "two-sided" else 1
    if min(units_x, units_y) < 2 or sides / math.comb(units_x + units_y, units_x) > alpha:
        return math.nan
    variance = unit_correlation + (1.0 - unit_correlation) / images_per_unit
    scale = math.sqrt(variance * (1.0 / units_x + 1.0 / units_y))
    freedom = units_x + units_y - 2
    critical = float(stats.t.ppf(1.0 - alpha / sides, freedom))

    def chance(noncentrality: float) -> float:
        upper = float(stats.nct.sf(critical, freedom, noncentrality))
        lower = float(stats.nct.cdf(-critical, freedom, noncentrality)) if sides == 2 else 0.0
        return upper + (0.0 if math.isnan(lower) else lower)

    return scale * _smallest(chance, power, upper=critical)


def _smallest(chance: Callable[[float], float], power: float, upper: float) -> float:
    """Return where an increasing chance reaches the power wanted."""
    if chance(0.0) >= power:
        return 0.0
    while chance(upper) < power:
        upper *= 2.0
    return float(optimize.brentq(lambda value: chance(value) - power, 0.0, upper, xtol=1e-10))


def detectable_share_difference(
    n_first: int, n_second: int, *, baseline: float = 0.5, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest difference of two shares that a two-sided test would probably detect.

    Cohen's h = (z_{1 - alpha/2} + z_power) sqrt(1 / n_first + 1 / n_second), turned into a share:
    sin^2(asin sqrt(baseline) + h / 2) - baseline, upward or downward, whichever is larger and
    possible. Range 0 to 1; smaller is better. NaN when n is 0, or when no share differs enough.

    Args:
        n_first: Images that the baseline share is measured on.
        n_second: Images that the other share is measured on.
        baseline: Share in the first.
        power: Wanted chance of detecting it.
        alpha: Level of the test.

    Reference: Cohen (1988), ch. 6.

    >>> round(detectable_share_difference(100, 100), 3)
    0.193
    """
    check_fraction("power", power)
    check_fraction("alpha", alpha)
    if not 0.0 <= baseline <= 1.0 or min(n_first, n_second) < 0:
        raise StatisticsError(
            f"baseline {baseline} with {n_first} and {n_second} images; allowed: a share from 0 to "
            "1, and 0 images or more"
        )
    if min(n_first, n_second) == 0:
        return math.nan
    quantiles = float(stats.norm.ppf(1.0 - alpha / 2.0) + stats.norm.ppf(power))
    h = max(quantiles, 0.0) * math.sqrt(1.0 / n_first + 1.0 / n_second)
    angle = math.asin(math.sqrt(baseline))
    ends = [angle + h / 2.0, angle - h / 2.0]
    found = [abs(math.sin(end) ** 2 - baseline) for end in ends if 0.0 <= end <= math.pi / 2.0]
    return max(found, default=math.nan)


def detectable_share(
    n: int, *, null: float = 0.5, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest share above `null` that an exact two-sided test would probably detect.

    The test rejects when either tail of Binomial(n, null) is at most alpha / 2. Range `null` to 1;
    the same distance below `null` when null is 1/2. NaN when n is so small that the test never
    rejects (n = 0 included; n < 6 at 5%).

    Args:
        n: Images.
        null: The share to tell it from, strictly between 0 and 1.
        power: Wanted chance of detecting it.
        alpha: Level of the test.

    Reference: Cohen (1988), ch. 5; G*Power 3.1, "Proportion: difference from constant (exact)".

    >>> round(detectable_share(100), 3)
    0.645
    """
    check_fraction("null", null)
    check_fraction("power", power)
    check_fraction("alpha", alpha)
    if n < 0:
        raise StatisticsError(f"n is {n}; allowed: 0 or more")
    counts = np.arange(n + 1)
    high = counts[stats.binom.sf(counts - 1, n, null) <= alpha / 2.0]
    low = counts[stats.binom.cdf(counts, n, null) <= alpha / 2.0]
    if not high.size:
        return math.nan

    def chance(distance: float) -> float:
        share = null + distance
        upper = float(stats.binom.sf(high[0] - 1, n, share))
        return upper + (float(stats.binom.cdf(low[-1], n, share)) if low.size else 0.0)

    if chance(0.0) >= power:
        return null
    room = 1.0 - null
    return null + float(optimize.brentq(lambda value: chance(value) - power, 0.0, room))
