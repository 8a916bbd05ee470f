"""How many images an interval of some width, or a test of some power, takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scipy import optimize, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.intervals import Interval, share_interval


def images_for_share_width(width: float, *, share: float = 0.5, confidence: float = 0.95) -> int:
    """Return the fewest images whose interval for a share is at most so wide.

    Wilson's interval of `share_interval`, from end to end, when the share of the images comes out
    as `share` (rounded to a whole number of images). 1/2 is the worst case. At least 1.

    Args:
        width: From the low to the high end, 0 to 1.
        share: Expected share, 0 to 1.
        confidence: Of the interval.

    Reference: Newcombe (1998), Statistics in Medicine 17, method 3, solved for n.

    >>> images_for_share_width(0.1), images_for_share_width(0.1, share=0.05)
    (381, 82)
    """
    check_fraction("width", width)
    check_fraction("confidence", confidence)
    if not 0.0 <= share <= 1.0:
        raise StatisticsError(f"share is {share}; allowed: 0 to 1")

    def is_enough(n: int) -> bool:
        low, high = share_interval(round(share * n), n, confidence=confidence)
        return high - low <= width

    most = 1
    while not is_enough(most):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if is_enough(middle) else (middle, most)
    return most


def difference_between_levels(n: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest difference of two shares that a permutation test would probably find.

    Shares lie evenly around 1/2, the worst case of a difference. Without discreteness the test
    takes m = 2 ((z_{1 - alpha/2} + z_power) / h)^2 images of each, h = 2 asin(difference); exact
    tests take m / 4 (1 + sqrt(1 + 4 / (m difference)))^2. Range 0 to 1; smaller is better. NaN when
    not even a difference of 1 would be found.

    Args:
        n: Images of each level.
        power: Wanted chance of finding it.
        alpha: Level of the test.

    References: Cohen (1988), ch. 6; Casagrande, Pike and Smith (1978), Biometrics 34.

    >>> round(difference_between_levels(50), 3), round(difference_between_levels(200), 3)
    (0.296, 0.145)
    """
    check_fraction("power", power)
    check_fraction("alpha", alpha)
    quantiles = float(stats.norm.ppf(1.0 - alpha / 2.0) + stats.norm.ppf(power))

    def lacking(difference: float) -> float:
        plain = 2.0 * (quantiles / (2.0 * math.asin(difference))) ** 2
        return plain / 4.0 * (1.0 + math.sqrt(1.0 + 4.0 / (plain * difference))) ** 2 - n

    if lacking(1.0) > 0.0:
        return math.nan
    return float(optimize.brentq(lacking, 1e-6, 1.0))


def least_p_of_levels(prompts: Sequence[int]) -> float:
    """Return the smallest p that exchanging prompts between levels can give.

    One over the number of ways to deal the prompts out to the levels, levels of one size being
    interchangeable: 1 / 3 for 2 + 2 prompts, 1 / 15 for 2 + 2 + 2. Range 0 to 1; no number of
    images makes it smaller. 1 with fewer than two levels.

    Args:
        prompts: Of each level, 1 or more.

    Reference: Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9(1).

    >>> round(least_p_of_levels([2, 2]), 3), round(least_p_of_levels([4, 4]), 3)
    (0.333, 0.029)
    """
    if min(prompts, default=1) < 1:
        raise StatisticsError(f"prompts are {list(prompts)}; allowed: 1 or more of each level")
    ways = math.lgamma(sum(prompts) + 1)
    alike = Counter(prompts).values()
    ways -= sum(math.lgamma(n + 1) for n in prompts) + sum(math.lgamma(n + 1) for n in alike)
    return min(1.0, math.exp(-ways))


def difference_between_levels_of_prompts(
    prompts: Sequence[int],
    images: int,
    *,
    correlation: float,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """Return the smallest difference of two shares that exchanging prompts would probably find.

    Two levels lie evenly around 1/2, all others at 1/2. On the scale of 2 asin(sqrt(share)) the
    share of a prompt has the variance r + (1 - r) / images; the test is taken as the F-test of
    all levels, at the largest level up to alpha that the number of splits allows. Range 0 to 1;
    smaller is better. NaN when not even a difference of 1 would be found, or no p can be as small
    as alpha (`least_p_of_levels`).

    Args:
        prompts: Of each level, 1 or more.
        images: Of each prompt.
        correlation: r, that of two images of one prompt, 0 to 1.
        power: Wanted chance of finding it.
        alpha: Level of the test.

    References: Cohen (1988), ch. 8; Donner and Klar (2000), ch. 5.

    >>> few, many = [4, 4], [10, 10]
    >>> round(difference_between_levels_of_prompts(few, 50, correlation=0.1), 2)
    0.45
    >>> round(difference_between_levels_of_prompts(many, 50, correlation=0.1), 2)
    0.23
    """
    check_fraction("power", power)
    check_fraction("alpha", alpha)
    if images < 1 or not 0.0 <= correlation <= 1.0:
        raise StatisticsError(
            f"images are {images} and correlation is {correlation}; allowed: 1 or more, and 0 to 1"
        )
    least = least_p_of_levels(prompts)
    between, within = len(prompts) - 1, sum(prompts) - len(prompts)
    if least > alpha or not within:
        return math.nan
    reached = least * math.floor(alpha / least)
    critical = float(stats.f.isf(reached, between, within))
    first, second = sorted(prompts)[:2]
    variance = (correlation + (1.0 - correlation) / images) * (1.0 / first + 1.0 / second)

    def lacking(difference: float) -> float:
        shift = (2.0 * math.asin(difference)) ** 2 / variance
        return power - float(stats.ncf.sf(critical, between, within, shift))

    if lacking(1.0) > 0.0:
        return math.nan
    return float(optimize.brentq(lacking, 1e-6, 1.0))


def images_from_pilot(
    images: int,
    interval: Interval | tuple[float, float],
    *,
    width: float | None = None,
    effect: float | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
) -> int:
    """Return the images that a width, or finding an effect, takes at a pilot's variance.

    The standard error of an estimate falls with the root of its images. A width W takes
    images * (pilot's width / W)^2; an effect E, found with the power wanted by a two-sided test at
    1 - confidence, images * ((z_{1 - alpha/2} + z_power) * pilot's standard error / E)^2. Rounded
    up, at least 1. Images must be the units: no number of images makes up for few prompts.

    Args:
        images: Of the pilot.
        interval: Of the pilot's estimate.
        width: Wanted, from end to end.
        effect: To be found; give one of the two.
        confidence: Of the pilot's interval and of the one wanted.
        power: Wanted chance of finding the effect.

    Reference: Julious (2004), Sample sizes for clinical trials with Normal data, Statistics in
    Medicine 23.

    >>> images_from_pilot(20, (0.3, 0.7), width=0.1), images_from_pilot(20, (0.3, 0.7), effect=0.2)
    (320, 41)
    """
    check_fraction("confidence", confidence)
    check_fraction("power", power)
    wanted = width if effect is None else effect
    if (width is None) == (effect is None) or wanted is None or not wanted > 0:
        raise StatisticsError(
            f"width is {width} and effect {effect}; allowed: one of the two, above 0"
        )
    low, high = interval
    if images < 1 or not high > low:
        raise StatisticsError(
            f"the pilot has {images} images and the interval {low} to {high}; allowed: 1 image or "
            "more, and an interval with a width"
        )
    ratio = (high - low) / wanted
    if effect is not None:
        quantile = float(stats.norm.ppf(0.5 + confidence / 2.0))
        ratio *= (quantile + float(stats.norm.ppf(power))) / (2.0 * quantile)
    return max(1, math.ceil(images * ratio**2 - 1e-9))
