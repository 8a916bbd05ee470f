"""How much an imbalance changes, without what chance adds to it on either side.

|2x/n - 1| is too large by an amount that depends on n, so a difference of two of them is wrong as
soon as one side has fewer known images. Here every attribute gets a score h(x) instead, chosen such
that its expectation is as close to |2p - 1| as the noise of that many attributes allows; and both
sides of an attribute are scored as if they had the images of the smaller one (the mean over all
ways to leave images out). Then, whatever the two numbers of images, equal shares give a difference
of 0 on average: exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance import LIKELY_BALANCE, RARE_BALANCE, draw_imbalance
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.relabelling import (
    IntArray,
    PairedCounts,
    Relabelled,
    agreeing_interval_end,
)

_GRID = 200
_BALANCED_PART = 0.1
_FEWEST_ATTRIBUTES = 4
_MOST_IMAGES = 120
_SLOPES = (0.3, 1.5)
_PLAINLY = 1.96
_DRAWS = 300


@dataclass(frozen=True, slots=True)
class Estimate:
    """A change with its test.

    Attributes:
        value: The change.
        interval: Of it; holds 0 exactly where p_value is above 1 - confidence.
        p_value: Two-sided.
        exact: Whether all relabellings were enumerated.
        middle: Mean of both sides' imbalances; NaN where none was asked for.
    """

    value: float
    interval: Interval
    p_value: float
    exact: bool
    middle: float = math.nan


def attribute_estimate(
    weights: FloatArray, changes: FloatArray, *, confidence: float
) -> Estimate | None:
    """Return a weighted mean of changes for other attributes: Student's t, interval and p.

    None with one attribute, or where all change alike: their spread then says nothing.
    """
    k, value = weights.size, float(weights @ changes)
    if k < 2:
        return None
    # Its spread is that of what each attribute adds beyond its own weight.
    size = np.abs(weights)
    spread = float((k * (weights * changes - size * value)).std(ddof=1)) / math.sqrt(k)
    if spread <= 1e-12:
        return None
    reach = float(stats.t.ppf(0.5 + confidence / 2, k - 1)) * spread
    p_value = float(2 * stats.t.sf(abs(value) / spread, k - 1))
    return Estimate(value, Interval(value - reach, value + reach), p_value, False)


def image_estimate(
    relabelled: Relabelled, null: FloatArray, value: float, error: float, *, confidence: float
) -> Estimate:
    """Return a change for other images of these attributes, from its relabellings.

    Args:
        relabelled: All or random relabellings.
        null: The change under each.
        value: The change observed.
        error: Its standard error.
        confidence: Of the interval.
    """
    p_value = relabelled.mid_p(null, value) if abs(value) > 1e-12 else 1.0
    reach = float(stats.norm.ppf(0.5 + confidence / 2)) * error
    near = agreeing_interval_end(
        abs(value), relabelled.critical(null, 1 - confidence), reach,
        rejected=p_value <= 1 - confidence,
    )  # fmt: skip
    far = abs(value) + reach
    # Rejected, but only just: the end must not be 0 itself.
    near = max(near, 1e-9) if p_value <= 1 - confidence else min(near, 0.0)
    interval = Interval(near, far) if value >= 0 else Interval(-far, -near)
    return Estimate(value, interval, p_value, relabelled.exact)


@lru_cache(maxsize=256)
def _score(n: int, attributes: int) -> FloatArray:
    """Return h(0) ... h(n): least mean squared bias plus variance / attributes.

    The mean is over imbalances spread evenly on Jeffreys' scale, a tenth of them exactly 0.
    """
    imbalance, weight = _grid()
    chances = np.asarray(stats.binom.pmf(np.arange(n + 1), n, (1 + imbalance[:, None]) / 2))
    folded = chances + chances[:, ::-1]
    folded = folded[:, : n // 2 + 1]
    if n % 2 == 0:
        folded[:, -1] /= 2
    part = 1 / max(attributes, _FEWEST_ATTRIBUTES)
    cross = (folded.T * weight) @ folded
    matrix = (1 - part) * cross + part * np.diag(weight @ folded)
    target = (folded.T * weight) @ imbalance
    half = np.asarray(np.linalg.lstsq(matrix, target, rcond=None)[0], dtype=np.float64)
    return np.concatenate([half, half[: (n + 1) // 2][::-1]])


class _Grid(NamedTuple):
    """Imbalances and the weight of each."""

    imbalance: FloatArray
    weight: FloatArray


@lru_cache(maxsize=1)
def _grid() -> _Grid:
    position = (np.arange(_GRID) + 0.5) / _GRID
    imbalance = np.r_[0.0, np.cos(np.pi / 2 * (1 - position))]
    weight = np.r_[_BALANCED_PART, np.full(_GRID, (1 - _BALANCED_PART) / _GRID)]
    return _Grid(imbalance, weight)


@lru_cache(maxsize=256)
def thinned_score(m: int, n: int, attributes: int) -> FloatArray:
    """Return the score of x = 0 ... n of n images, as if only m of them had been looked at.

    >>> thinned_score(9, 9, 25).round(2)[:5]
    array([ 0.99,  0.8 ,  0.63,  0.2 , -0.19])
    """
    score = _score(m, attributes)
    if m == n:
        return score
    counts = np.unique(np.linspace(0, n, min(n, 400) + 1).round().astype(np.int64))
    kept = stats.hypergeom.pmf(np.arange(m + 1), n, counts[:, None], m) @ score
    return np.asarray(np.interp(np.arange(n + 1), counts, kept))


def mirrored(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return `after` with both groups exchanged where an attribute's majority plainly flips.

    An imbalance is the same in the mirror. But relabelling images of a flipped attribute would mix
    two opposite majorities into a balance that neither side has.
    """
    n = [(~np.isnan(side)).sum(axis=1) for side in (before, after)]
    first = [(side == 1).sum(axis=1) for side in (before, after)]
    share = [x / np.maximum(total, 1) for x, total in zip(first, n, strict=True)]
    pooled = (first[0] + first[1]) / np.maximum(n[0] + n[1], 1)
    square = pooled * (1 - pooled) * (1 / np.maximum(n[0], 1) + 1 / np.maximum(n[1], 1))
    apart = (share[0] - share[1]) ** 2 > _PLAINLY**2 * square
    flipped = apart & ((share[0] - 0.5) * (share[1] - 0.5) < 0)
    return np.where(flipped[:, None], 1 - after, after)


def imbalance_change(
    pairs: PairedCounts,
    weights: FloatArray,
    *,
    by_attribute: bool,
    relabelled: Relabelled,
    confidence: float,
    rng: np.random.Generator,
) -> Estimate:
    """Return the change of the weighted mean of |2p - 1| over attributes with known images.

    Args:
        pairs: Counts of attributes with an image on both sides.
        weights: Of the attributes; they sum to 1.
        by_attribute: Whether the answer is for other attributes, else for other images of these.
        relabelled: Relabellings of `pairs`.
        confidence: Of the interval.
        rng: Source of the draws.
    """
    k = weights.size
    least = np.minimum(np.minimum(pairs.n_before, pairs.n_after), _MOST_IMAGES)
    scores = [
        (thinned_score(int(m), int(x), k), thinned_score(int(m), int(y), k))
        for m, x, y in zip(least, pairs.n_before, pairs.n_after, strict=True)
    ]
    changes = np.array([
        after[y] - before[x]
        for (before, after), x, y in zip(scores, pairs.first_before, pairs.first_after, strict=True)
    ])  # fmt: skip
    moments = _moments(pairs, least, weights, rng)
    found = attribute_estimate(weights, changes, confidence=confidence) if by_attribute else None
    if by_attribute and k < 2:
        found = Estimate(float(weights @ changes), UNKNOWN, math.nan, False)
    if found is None:
        null = np.zeros(relabelled.chance.size)
        for j, (before, after) in enumerate(scores):
            null += weights[j] * (
                after[relabelled.first_after[:, j]] - before[relabelled.first_before[:, j]]
            )
        found = image_estimate(
            relabelled, null, float(weights @ changes), moments.error, confidence=confidence
        )
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    scaled = _rescaled(found, moments.slope, z * moments.slope_error)
    if math.isnan(scaled.interval.low):
        return replace(scaled, value=moments.change, middle=moments.middle)
    value = min(max(moments.change, scaled.interval.low), scaled.interval.high)
    return replace(scaled, value=value, middle=moments.middle)


def _rescaled(found: Estimate, slope: float, reach: float) -> Estimate:
    """Turn a change of scores into one of imbalances, whose slope is known up to `reach`.

    What the slope leaves open is in proportion to a change: an end at 0 stays there.
    """
    value = found.value / slope

    def end(bound: float) -> float:
        bound /= slope
        # The slope matters in proportion to the end or, beyond it, to the value.
        size = min(abs(bound), abs(value)) if bound * value > 0 else 0.0
        step = math.copysign(math.hypot(bound - value, reach * size / slope), bound - value)
        moved = value + step
        if bound * value > 0 and abs(bound) < abs(value) and moved * value <= 0:
            moved = math.copysign(1e-9, value)
        return min(max(moved, -1.0), 1.0)

    interval = Interval(end(found.interval.low), end(found.interval.high))
    return Estimate(min(max(value, -1.0), 1.0), interval, found.p_value, found.exact)


@dataclass(frozen=True, slots=True)
class _Moments:
    """What a change of scores says of a change of imbalances.

    Attributes:
        error: Standard error of the change of scores.
        slope: Its change per change of |2p - 1|: 1 where images are many; with few, scores move
            less than imbalances near balance.
        slope_error: What counts leave open of it: nothing in them tells slight imbalance from none.
        middle: Mean imbalance of both sides.
        change: Of the imbalance: the median of its posterior, which few images do not make wild.
    """

    error: float
    slope: float
    slope_error: float
    middle: float
    change: float


class _Expected(NamedTuple):
    """Mean and variance of a score, one of each per imbalance."""

    mean: FloatArray
    variance: FloatArray


def _moments(
    pairs: PairedCounts, least: IntArray, weights: FloatArray, rng: np.random.Generator
) -> _Moments:
    spread = np.zeros((2, weights.size))
    scores, imbalances, middles = (np.zeros(2 * _DRAWS) for _ in range(3))
    sides = ((pairs.first_before, pairs.n_before), (pairs.first_after, pairs.n_after))
    sources = rng.spawn(2)
    # The same draws for the same counts, whichever side they are: reversing a comparison must only
    # change signs.
    folded = [tuple(np.maximum(first, n - first)) + tuple(n) for first, n in sides]
    if folded[0] > folded[1]:
        sources = sources[::-1]
    for side, (first, n) in enumerate(sides):
        drawn = np.concatenate([
            draw_imbalance(
                first.astype(np.float64), n.astype(np.float64), rng=sources[side], draws=_DRAWS,
                balance=balance,
            )
            for balance in (LIKELY_BALANCE, RARE_BALANCE)
        ])  # fmt: skip
        imbalances += (2 * side - 1) * (drawn @ weights)
        middles += drawn @ weights / 2
        for k, (m, total) in enumerate(zip(least, n, strict=True)):
            table = _expected(int(m), int(total), weights.size)
            mean, variance = (np.interp(drawn[:, k], _grid().imbalance, part) for part in table)
            spread[side, k] = variance.mean()
            scores += (2 * side - 1) * weights[k] * mean
    # Seeds that lean alike on both sides move both scores alike.
    lean = np.sign([2 * first - n for first, n in sides]).prod(axis=0)
    shared = 2 * pairs.correlation * np.sqrt(spread.prod(axis=0)) * lean
    error = math.sqrt(float(weights**2 @ np.maximum(spread.sum(axis=0) - shared, 0.0)))
    square, middle = float((imbalances**2).mean()), float(np.median(middles))
    if square < 1e-12:
        return _Moments(error, 1.0, 0.0, middle, 0.0)
    slope = min(max(float((scores * imbalances).mean()) / square, _SLOPES[0]), _SLOPES[1])
    rest = math.sqrt(float(((scores - slope * imbalances) ** 2).mean()) / square)
    return _Moments(error, slope, rest, middle, float(np.median(imbalances)))


@lru_cache(maxsize=256)
def _expected(m: int, n: int, attributes: int) -> _Expected:
    """Return mean and variance of a score of n images, for every imbalance of the grid."""
    score = thinned_score(m, n, attributes)
    chances = stats.binom.pmf(np.arange(n + 1), n, (1 + _grid().imbalance[:, None]) / 2)
    mean = chances @ score
    return _Expected(mean, np.maximum(chances @ score**2 - mean**2, 0.0))
