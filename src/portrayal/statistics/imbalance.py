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
from scipy.special import ndtr, ndtri, xlog1py, xlogy

from portrayal.statistics.counts import FloatArray, level_sums
from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.imbalance_distribution import EVEN, GRID, learned_distribution
from portrayal.statistics.imbalance_estimate import AHEAD, AttributeCounts, estimate_score
from portrayal.statistics.intervals import Interval
from portrayal.statistics.overdispersion import correlation_prior, log_likelihood

_MOST_SKEW = 0.8
_NEGLIGIBLE = 1e-3
_ICC_CELLS = 8
_TILTS: FloatArray = np.concatenate(
    [-np.geomspace(3000, 0.02, 130), [0.0], np.geomspace(0.02, 3000, 130)]
)


class ImbalanceScore(NamedTuple):
    """A mean of imbalances at unlimited images, and its interval."""

    value: float
    interval: Interval


class _Hypotheses(NamedTuple):
    """Scores, and the normal deviate at which each leaves what was seen.

    Attributes:
        score: Possible scores, ascending.
        deviate: Of what was seen.
        no_less: Of what complete balance leads one to expect, where less was seen: counts that are
            more even than chance makes them are no proof of balance.
    """

    score: FloatArray
    deviate: FloatArray
    no_less: FloatArray


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
    # In order, so that no sum depends on the order of attributes.
    kinds, repeats = np.unique(
        np.stack([total, larger, weights], axis=1), axis=0, return_counts=True
    )
    total, larger, weights = kinds.T
    smaller = total - larger
    log = np.logaddexp(
        xlogy(larger[:, None], AHEAD) + xlog1py(smaller[:, None], -AHEAD),
        xlogy(smaller[:, None], AHEAD) + xlog1py(larger[:, None], -AHEAD),
    )
    counts = AttributeCounts(
        larger, total, np.zeros_like(total), weights, repeats.astype(np.float64)
    )
    learned = _learned(log, counts.repeats)
    found = _score([_hypotheses(counts, learned)], np.ones(1), confidence)
    return _of_one_group(found) if not smaller.any() else found


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
        for side in (AHEAD, 1 - AHEAD)
    )
    images, squares = level_sums(total, level), level_sums(total**2, level)
    count = level_sums(first, level)
    larger = np.maximum(count, images - count)
    order = np.lexsort((larger, images))  # no sum depends on the order of levels
    images, squares, larger = images[order], squares[order], larger[order]
    log = np.logaddexp(ahead, behind)[order]
    once = np.ones(len(images))
    learned = [_learned(one, once) for one in np.moveaxis(log, 2, 0)]
    weight = np.log(icc.weights) + [one.evidence for one in learned]
    weight = np.exp(weight - weight.max())
    kept = np.flatnonzero(weight > _NEGLIGIBLE)
    pairs = np.maximum(images * (images - 1), 1)
    alike = (squares - images) / pairs
    found = [
        _hypotheses(
            AttributeCounts(larger, images, icc.values[i] * alike, images / images.sum(), once),
            learned[i],
        )
        for i in kept
    ]
    score = _score(found, weight[kept] / weight[kept].sum(), confidence)
    return _of_one_group(score) if (larger == images).all() else score


def _of_one_group(found: ImbalanceScore) -> ImbalanceScore:
    """Return the score of attributes that show one group each: nothing contradicts a score of 1."""
    return ImbalanceScore(found.value, Interval(found.interval.low, 1.0))


def _score(found: list[_Hypotheses], weight: FloatArray, confidence: float) -> ImbalanceScore:
    """Average tails over values of the ICC, and cut them."""
    scores = np.unique(np.concatenate([one.score for one in found]))
    seen, no_less = (
        sum(
            part * ndtr(np.interp(scores, one.score, deviate))
            for part, one, deviate in zip(weight, found, each, strict=True)
        )
        for each in ([one.deviate for one in found], [one.no_less for one in found])
    )
    tail = (1 - confidence) / 2
    low, value = np.interp([tail - 1, -0.5], -np.asarray(seen), scores)
    high = np.interp(-tail, -np.asarray(no_less), scores)
    # The first and the last score stand for 0 and 1.
    value = {scores[0]: 0.0, scores[-1]: 1.0}.get(value, value)
    return ImbalanceScore(float(value), Interval(float(low), max(float(high), float(value))))


def _hypotheses(counts: AttributeCounts, found: _Learned) -> _Hypotheses:
    """Return how far the estimate is from what every score leads one to expect."""
    units = 1 / float(counts.repeats @ counts.weight**2)
    seen, curves, sharp = estimate_score(counts, units, found.common)
    learned = (counts.repeats * counts.weight) @ found.own + 1e-9 * EVEN
    tilted = learned * np.exp(_TILTS[:, None] * GRID - np.maximum(_TILTS, 0)[:, None])
    tilted /= tilted.sum(axis=1, keepdims=True)
    score, alike = tilted @ GRID, 1 / math.sqrt(units)

    def drawn(learned: FloatArray, same: FloatArray) -> FloatArray:
        return (1 - alike) * (tilted @ learned) + alike * np.interp(score, GRID, same)

    off = curves.mean - GRID
    mean = drawn(sharp.mean, curves.mean)
    variance = np.maximum(drawn(sharp.variance, curves.variance), 1e-14)
    left_over = np.maximum(drawn(off**2, off**2) - (mean - score) ** 2, 0.0)
    spread = np.sqrt(variance + left_over)
    skew = np.clip(drawn(sharp.third, curves.third) / variance**1.5, -_MOST_SKEW, _MOST_SKEW)

    def deviates(value: float) -> FloatArray:
        z = (value - mean) / spread
        # Cornish and Fisher; far out, where it turns back, the plain deviate says enough.
        found = np.where(np.abs(z) > 4, z, z - skew * (z**2 - 1) / 6)
        return np.minimum.accumulate(found)

    return _Hypotheses(score, deviates(seen), deviates(max(seen, float(mean[0]))))


class _Learned(NamedTuple):
    """What counts say of how imbalances are spread.

    Attributes:
        common: How common each imbalance of `GRID` is.
        own: How likely each imbalance of `GRID` is, per attribute.
        evidence: Log-likelihood of all counts, each under what the others teach.
    """

    common: FloatArray
    own: FloatArray
    evidence: float


def _learned(log: FloatArray, repeats: FloatArray) -> _Learned:
    """Learn how common each imbalance is from all attributes."""
    top = log.max(axis=1, keepdims=True)
    likelihood = np.exp(np.maximum(log - top, -700))
    common = learned_distribution(likelihood, repeats)
    own = likelihood * common
    own /= own.sum(axis=1, keepdims=True)
    others = (repeats @ own - own + EVEN) / repeats.sum()
    evidence = np.log((likelihood * others).sum(axis=1)) + top[:, 0]
    return _Learned(common, own, float(repeats @ evidence))
