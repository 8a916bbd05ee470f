"""The interval of an effect size: how well the difference and the spread under it are known.

A difference of means over a deviation is taken apart as for Student's noncentral t: given how far
each side's variance may be off, the difference is normal; that is averaged over what the sample
variances leave open (a generalised fiducial interval; with normal images, equal spreads and one
image per unit it is the noncentral t interval). How far a variance is off depends on the tails of
the associations, which few units hardly show: what they show is drawn towards tails a good deal
heavier than normal, as if at least six more units, or a third as many again, had shown those.

References: Hannig, Iyer, Lai, Lee (2016), JASA 111, for fiducial intervals; Bonett (2006),
Computational Statistics & Data Analysis 50, for variances of samples that are not normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from portrayal.statistics.effect import Side
from portrayal.statistics.intervals import Interval
from portrayal.statistics.precision import Moves, Resample, Source, moves
from portrayal.statistics.samples import FloatArray

# Chosen by simulation between normal prompts (coverage up to 97%) and prompts with t(4) or
# exponential tails (down to 92%), 4 v 4 to 25 v 25.
_PRIOR_UNITS = 6.0
_PRIOR_SHARE = 0.35
_PRIOR_TAILS = 3.0

_NODES, _REST_NODES = 40, 8


class SideSpread(NamedTuple):
    """What one side tells about the difference and about the common variance.

    Attributes:
        score: Variance of its mean association.
        freedom: Degrees of freedom of that variance.
        part: Its part of the common variance.
        seen: Relative variance of that part, as the units show it.
        normal: The same if associations were normal.
        units: Units that tell (prompts, or images of given prompts).
    """

    score: float
    freedom: float
    part: float
    seen: float
    normal: float
    units: int


def side_spread(side: Side, source: Source, resample: Resample) -> SideSpread:
    """Return what a side's images tell.

    Args:
        side: A concept and its attribute images.
        source: The pulls of its neutral images, as `Side.sources` gives them.
        resample: Whether units or images are a sample.
    """
    own = moves([source], resample)
    part = float(side.images.weights @ source.scores[:, 1])
    score, square = own.variances.tolist()
    seen = square / part**2 if part > 0 else math.nan
    n, alone = side.images.n_units, side.images.n == side.images.n_units
    if resample == "images" and not alone:
        return SideSpread(score, float(own.degrees[0]), part, seen, seen, side.images.n)
    normal = 2.0 * _alike(side) / max(n - 1, 1)
    return SideSpread(score, max(n - 1.0, 1.0), part, seen * n / max(n - 1, 1), normal, n)


def _alike(side: Side) -> float:
    """Return the square of how much a unit's images err together, 1 where a unit has one image.

    Squared distances of m images of one unit, with intraclass correlation r, vary by r^2 plus
    (1 - r^2) / m of what those of one image do, if all is normal.
    """
    counts = side.images.counts
    if counts.max() == 1:
        return 1.0
    means = side.images.unit_means(side.associations)
    inside = (side.associations - means[side.images.codes]) ** 2
    within = float(inside.sum() / max(side.images.n - counts.size, 1))
    few = float((1.0 / counts).mean())
    between = max(float(means.var(ddof=1)) - within * few, 0.0) if means.size > 1 else 0.0
    if between + within <= 0:
        return 1.0
    r = between / (between + within)
    return r**2 + (1 - r**2) * few


def relative_error(sides: Sequence[SideSpread]) -> float:
    """Return the relative variance of the common variance, if associations were normal."""
    whole = sum(side.part for side in sides)
    return float(sum((side.part / whole) ** 2 * side.normal for side in sides))


def rest_variance(
    found: Moves, sources: Sequence[Source], effect: float, root: float, resample: Resample
) -> float:
    """Return the variance that all but the two sides' neutral images bring to the effect size.

    Attribute images move numerator and deviation together, so that much of it cancels.

    Args:
        found: Moves of all sources.
        sources: The neutral images of both sides.
        effect: The effect size.
        root: The deviation.
        resample: Whether units or images are a sample.
    """
    pull = np.array([1.0, -effect / (2.0 * root)]) / root
    own = sum(float(((moves([one], resample).values @ pull) ** 2).sum()) for one in sources)
    return max(float(((found.values @ pull) ** 2).sum()) - own, 0.0)


def effect_interval(
    effect: float,
    sides: Sequence[SideSpread],
    square: float,
    *,
    rest: float,
    rest_freedom: float,
    confidence: float,
) -> Interval:
    """Return the interval of a difference over a deviation.

    Args:
        effect: The difference over the deviation.
        sides: Both of them.
        square: The common variance.
        rest: Variance that everything else brings to the effect size.
        rest_freedom: Degrees of freedom of that.
        confidence: Of the interval.
    """
    if any(math.isnan(x) for x in (effect, square, rest, *sides[0], *sides[1])):
        return Interval(math.nan, math.nan)
    tails = _tails(sides)
    whole = sum(side.part for side in sides)
    scale, noise = np.zeros(1), np.zeros(1)
    weight = np.ones(1)
    for side in sides:
        spread = 2.0 / max(tails * side.normal, 1e-9)
        scale = _outer(np.add, scale, side.part / whole / _share_of_chi(spread, _NODES))
        # The same luck decides on a side's variance and on its error of the mean.
        noise = _outer(np.add, noise, side.score / square / _share_of_chi(side.freedom, _NODES))
        weight = _outer(np.multiply, weight, _legendre(_NODES)[1])
    other = rest / _share_of_chi(rest_freedom, _REST_NODES)
    scale = np.repeat(scale, _REST_NODES)
    noise = _outer(np.add, noise / scale[::_REST_NODES], other)
    weight = _outer(np.multiply, weight, _legendre(_REST_NODES)[1])
    centre, deviation = effect / np.sqrt(scale), np.sqrt(noise)
    tail = (1 - confidence) / 2
    low, high = (_quantile(level, centre, deviation, weight) for level in (tail, 1 - tail))
    return Interval(low, high)


def _tails(sides: Sequence[SideSpread]) -> float:
    """Return how much more variances vary than those of normal associations, tails guessed."""
    units = sum(side.units for side in sides)
    seen, normal = (
        sum(side.units**2 * x for side, x in zip(sides, values, strict=True))
        for values in ([s.seen for s in sides], [s.normal for s in sides])
    )
    shown = seen / normal * units / max(units - 3, 1) if normal > 0 else 1.0
    prior = max(_PRIOR_UNITS, _PRIOR_SHARE * units)
    return (units * shown + prior * _PRIOR_TAILS) / (units + prior)


def _outer(how: np.ufunc, first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(how.outer(first, second)).reshape(-1)


@lru_cache(maxsize=4)
def _legendre(nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return points of (0, 1), densest at its ends, and their weights."""
    at, weights = np.polynomial.legendre.leggauss(nodes)
    return (at + 1) / 2, weights / 2


def _share_of_chi(freedom: float, nodes: int) -> FloatArray:
    """Return quantiles of chi-square over its degrees of freedom."""
    level = _legendre(nodes)[0]
    half = min(freedom, 1e8) / 2
    return np.asarray(np.maximum(special.gammaincinv(half, level) / half, 1e-12))


def _quantile(level: float, centre: FloatArray, deviation: FloatArray, weight: FloatArray) -> float:
    """Return a quantile of a mixture of normal distributions."""

    def above(at: float) -> float:
        return float(weight @ special.ndtr((at - centre) / np.maximum(deviation, 1e-300))) - level

    reach = 12 * float(deviation.max()) + 1e-9
    return float(optimize.brentq(above, float(centre.min()) - reach, float(centre.max()) + reach))
