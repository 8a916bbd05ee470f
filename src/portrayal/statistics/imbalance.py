"""What counts say about |2p - 1|, the distance of group shares p from one half, over attributes.

The plug-in |2x/n - 1| is too large on average: chance alone gives 9 images of a balanced attribute
an imbalance of 0.27, and no bootstrap of the counts notices, because every resample is just as
uneven. Averaging over attributes makes it worse: the noise averages out, the excess stays. No
function of n images is right on average for all shares, but some are nearly so: here, the one that
has the least mean square error where K attributes err in the same direction and their noise
averages out. What it is still off by depends on how shares are spread; that is learned from all
counts (smoothed nonparametric maximum likelihood) and taken out, and how far it differs among the
shares that are possible counts as an error of its own.

An imbalance S belongs to the interval if what was seen lies within z standard deviations of what S
leads one to expect (a score test, inverted, as Wilson's), where the learned distribution is tilted
until its mean is S. A few attributes hardly tell how they are spread: the distribution is therefore
drawn towards attributes that are all alike, by 1 / sqrt(K), which one attribute is by definition.
Which group is ahead is left out (attributes may lean either way). Nothing is drawn at random.

References: Cai and Low (2011), Testing composite hypotheses, Hermite polynomials and optimal
estimation of a nonsmooth functional, Annals of Statistics 39; Kiefer and Wolfowitz (1956), Annals
of Mathematical Statistics 27; Efron (1981), Nonparametric standard errors and confidence intervals
(tilting), Canadian Journal of Statistics 9; Armstrong and Kolesar (2018), Optimal inference in a
class of regression models, Econometrica 86 (bias that is left over).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, xlog1py, xlogy

from portrayal.statistics.counts import FloatArray, level_sums
from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.imbalance_distribution import GRID
from portrayal.statistics.intervals import Interval
from portrayal.statistics.overdispersion import correlation_prior, log_likelihood
from portrayal.statistics.rarefaction import expected_imbalance, imbalance_noise

_PLAIN = 400
"""Images of an attribute from which on the plain imbalance is used: it is off near 0 only."""

_BALANCED = 0.2
"""Weight of complete balance, where plain imbalances are off most, in choosing an estimator."""

_ALIKE_ERRORS = 4.0
"""How much more than noise an error that attributes share counts in choosing it."""

_LEFT_OVER = 0.75
"""Standard deviations of the error among possible shares that count as error of the estimate."""

_STEPS = 5
_MOST_SKEW = 0.8
_NEGLIGIBLE = 1e-3
_ICC_CELLS = 8
_TILTS: FloatArray = np.concatenate(
    [-np.geomspace(3000, 0.02, 130), [0.0], np.geomspace(0.02, 3000, 130)]
)

_LEAST_ICC = 1e-9
_AHEAD: FloatArray = np.clip((1 + GRID) / 2, 0, 1 - 1e-9)
"""Share of the group ahead."""

_EVEN: FloatArray = np.gradient(GRID) / np.gradient(GRID).sum()
_AIM: FloatArray = (1 - _BALANCED) * _EVEN + _BALANCED * (GRID == 0)


class ImbalanceScore(NamedTuple):
    """A mean of imbalances at unlimited images, and its interval."""

    value: float
    interval: Interval


class _Curves(NamedTuple):
    """Mean, variance and third moment of an estimate, at every imbalance of `GRID`."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray


class _Hypotheses(NamedTuple):
    """Scores, and the normal deviate at which each leaves what was seen."""

    score: FloatArray
    deviate: FloatArray


def imbalance_score(
    first: FloatArray, total: FloatArray, weights: FloatArray, *, confidence: float
) -> ImbalanceScore:
    """Return the weighted mean of |2p - 1| over attributes, and its interval.

    Args:
        first: Images of the first group, one count per attribute.
        total: Images of either group, at least 1 per attribute.
        weights: Of the attributes; they sum to 1.
        confidence: Of the interval.

    >>> found = imbalance_score(
    ...     np.array([450.0]), np.array([500.0]), np.array([1.0]), confidence=0.95
    ... )
    >>> [round(x, 2) for x in (found.value, *found.interval)]
    [0.8, 0.74, 0.85]
    """
    larger = np.maximum(first, total - first)
    if len(total) == 1:
        return _single(2 * larger / total - 1, total, confidence)
    smaller = total - larger
    log = np.logaddexp(
        xlogy(larger[:, None], _AHEAD) + xlog1py(smaller[:, None], -_AHEAD),
        xlogy(smaller[:, None], _AHEAD) + xlog1py(larger[:, None], -_AHEAD),
    )
    found = _hypotheses(larger, total, np.zeros_like(total), weights, log)
    return _score([found], np.ones(1), confidence)


def _single(seen: FloatArray, total: FloatArray, confidence: float) -> ImbalanceScore:
    """Return the imbalance of one attribute, which nothing can be learned from others about."""
    bounds = ImbalanceBounds(seen, total)
    towards, away = bounds.reach(float(ndtri(0.5 + confidence / 2)))
    value = float(bounds.estimate[0])
    return ImbalanceScore(value, Interval(value - float(towards[0]), value + float(away[0])))


def level_imbalance_score(
    first: FloatArray, total: FloatArray, level: NDArray[np.intp], *, confidence: float
) -> ImbalanceScore:
    """Return the same where several prompts make a level, and differ by one common ICC.

    Levels weigh as much as they have images. A level's count has the variance that its prompts and
    the ICC bring; what the prompts say of the ICC weighs its values.

    Args:
        first: Images of the first group, one count per prompt.
        total: Images of either group, at least 1 per prompt.
        level: The level of each prompt, as 0 ... L-1.
        confidence: Of the interval.
    """
    icc = correlation_prior(float(total.max()), cells=_ICC_CELLS)
    places, inverse = np.unique(np.stack([first, total], axis=1), axis=0, return_inverse=True)
    members = np.zeros((int(level.max()) + 1, len(places)))
    np.add.at(members, (level, inverse.reshape(-1)), 1.0)
    ahead, behind = (
        np.tensordot(members, log_likelihood(places[:, 0], places[:, 1], side, icc.values), axes=1)
        for side in (_AHEAD, 1 - _AHEAD)
    )
    log = np.logaddexp(ahead, behind)
    images, squares = level_sums(total, level), level_sums(total**2, level)
    count = level_sums(first, level)
    larger = np.maximum(count, images - count)
    weight = np.log(icc.weights) + [_learned(one).evidence for one in np.moveaxis(log, 2, 0)]
    weight = np.exp(weight - weight.max())
    kept = np.flatnonzero(weight > _NEGLIGIBLE)
    pairs = np.maximum(images * (images - 1), 1)
    found = [
        _hypotheses(
            larger, images, icc.values[i] * (squares - images) / pairs, images / images.sum(),
            log[:, :, i],
        )
        for i in kept
    ]  # fmt: skip
    return _score(found, weight[kept] / weight[kept].sum(), confidence)


def _score(found: list[_Hypotheses], weight: FloatArray, confidence: float) -> ImbalanceScore:
    """Average tails over values of the ICC, and cut them."""
    scores = np.unique(np.concatenate([one.score for one in found]))
    chance = sum(
        part * ndtr(np.interp(scores, one.score, one.deviate))
        for part, one in zip(weight, found, strict=True)
    )
    tail = (1 - confidence) / 2
    low, value, high = np.interp([tail - 1, -0.5, -tail], -np.asarray(chance), scores)
    return ImbalanceScore(float(value), Interval(float(low), float(high)))


def _hypotheses(
    larger: FloatArray, total: FloatArray, icc: FloatArray, weights: FloatArray, log: FloatArray
) -> _Hypotheses:
    """Return how far the estimate is from what every score leads one to expect.

    Args:
        larger: Images of the group that is ahead, per attribute.
        total: Images.
        icc: Correlation of an attribute's images.
        weights: Of the attributes.
        log: Log-likelihood of every imbalance of `GRID`, per attribute.
    """
    order = np.lexsort((weights, larger, total))  # sums do not depend on the order of rows
    larger, total, icc, weights, log = (x[order] for x in (larger, total, icc, weights, log))
    units = 1 / float((weights**2).sum())
    seen, curves = _estimate(larger, total, icc, weights, units)
    learned = weights @ _learned(log).own + 1e-9 * _EVEN
    tilted = learned * np.exp(_TILTS[:, None] * GRID - np.maximum(_TILTS, 0)[:, None])
    tilted /= tilted.sum(axis=1, keepdims=True)
    score, alike = tilted @ GRID, 1 / math.sqrt(units)

    def drawn(curve: FloatArray) -> FloatArray:
        return (1 - alike) * (tilted @ curve) + alike * np.interp(score, GRID, curve)

    off = curves.mean - GRID
    mean, variance = drawn(curves.mean), np.maximum(drawn(curves.variance), 1e-14)
    left_over = np.maximum(drawn(off**2) - (mean - score) ** 2, 0.0)
    z = (seen - mean) / np.sqrt(variance + _LEFT_OVER**2 * left_over)
    skew = np.clip(drawn(curves.third) / variance**1.5, -_MOST_SKEW, _MOST_SKEW)
    # Cornish and Fisher; far out, where it turns back, the plain deviate says enough.
    deviate = np.where(np.abs(z) > 4, z, z - skew * (z**2 - 1) / 6)
    return _Hypotheses(score, np.minimum.accumulate(deviate))


class _Learned(NamedTuple):
    """What counts say of how imbalances are spread.

    Attributes:
        own: How likely each imbalance of `GRID` is, per attribute.
        evidence: Log-likelihood of all counts, each under what the others teach.
    """

    own: FloatArray
    evidence: float


def _learned(log: FloatArray) -> _Learned:
    """Learn how common each imbalance is from all attributes, by steps of an EM algorithm."""
    top = log.max(axis=1, keepdims=True)
    likelihood = np.exp(np.maximum(log - top, -700))
    common = _EVEN
    for _ in range(_STEPS):
        own = likelihood * common
        own /= own.sum(axis=1, keepdims=True)
        common = (own.sum(axis=0) + _EVEN) / (len(log) + 1)
    others = (own.sum(axis=0) - own + _EVEN) / len(log)
    evidence = np.log((likelihood * others).sum(axis=1)) + top[:, 0]
    own = likelihood * common
    return _Learned(own / own.sum(axis=1, keepdims=True), float(evidence.sum()))


class _SeenScore(NamedTuple):
    seen: float
    curves: _Curves


def _estimate(
    larger: FloatArray, total: FloatArray, icc: FloatArray, weights: FloatArray, units: float
) -> _SeenScore:
    """Return the estimate of the score, and its moments were all attributes at one imbalance."""
    seen = 0.0
    mean, variance, third = (np.zeros(GRID.size) for _ in range(3))
    designs, of = np.unique(np.stack([total, icc], axis=1), axis=0, return_inverse=True)
    for i, (n, correlation) in enumerate(designs):
        own = of.reshape(-1) == i
        weight = weights[own]
        spread = correlation + (1 - correlation) / n  # variance over that of one image
        if n >= _PLAIN and spread <= 1 / _PLAIN:
            values, worth = 2 * larger[own] / n - 1, np.array([round(1 / spread)], np.float64)
            noise = imbalance_noise(GRID, worth, worth)
            curves = _Curves(expected_imbalance(GRID, worth), *noise)
        else:
            # Of many images that are alike, as many as matter: the variance stays.
            size = min(int(n), _PLAIN)
            left = max((spread - 1 / size) / (1 - 1 / size), 0.0) if size > 1 else 0.0
            table, curves = _best_values(size, float(left), units)
            ahead = np.round(larger[own] * (size / n)) - math.ceil(size / 2)
            values = table[ahead.astype(np.intp)]
        seen += float(weight @ values)
        mean += weight.sum() * curves.mean
        variance += (weight**2).sum() * curves.variance
        third += (weight**3).sum() * curves.third
    return _SeenScore(seen, _Curves(mean, variance, third))


class _BestValues(NamedTuple):
    values: FloatArray
    curves: _Curves


def _best_values(n: int, icc: float, units: float) -> _BestValues:
    """Return an estimate of the imbalance for every count of the group ahead, ceil(n / 2) ... n.

    It has the least sum of squared error and noise / (4 K), a ridge regression of imbalances on
    chances of counts.
    """
    chance = _count_chances(n, icc)
    shared = 1 / (_ALIKE_ERRORS * units)
    ridge = np.maximum(_AIM @ chance, 1e-300) * shared
    spread = (1 - shared) * _AIM
    inside = np.flatnonzero(spread > 0)
    part = chance[inside]
    # Woodbury: as many equations as imbalances, not as counts.
    system = (part / ridge) @ part.T + np.diag(1 / np.maximum(spread[inside], 1e-12))
    goal = _AIM * GRID
    right = (goal @ chance) / ridge
    values = right - (part / ridge).T @ np.linalg.solve(system, part @ right)
    mean = chance @ values
    square = chance @ values**2
    third = chance @ values**3 - 3 * mean * square + 2 * mean**3
    return _BestValues(values, _Curves(mean, np.maximum(square - mean**2, 0.0), third))


def _count_chances(n: int, icc: float) -> FloatArray:
    """Return the chance of every count of the group ahead, (imbalances, counts)."""
    counts = np.arange(math.ceil(n / 2), n + 1, dtype=np.float64)
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    totals = np.full(counts.size, float(n))
    values = np.array([max(icc, _LEAST_ICC)])
    ahead, behind = (
        np.exp(ways[:, None] + log_likelihood(counts, totals, side, values)[:, :, 0])
        for side in (_AHEAD, 1 - _AHEAD)
    )
    return np.asarray(ahead + np.where(2 * counts == n, 0.0, 1.0)[:, None] * behind).T
