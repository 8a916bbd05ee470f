"""What an intervention leaves of the leaning that attributes usually have."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.change import UNITS, Change, Unit, _groups, _newcombe
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.counts import FloatArray, wilson
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.swaps import PairCounts, Swaps, swap_attributes, swap_images


@dataclass(frozen=True, slots=True)
class LeaningResult:
    """The leaning before and after.

    Attributes:
        leaning: The weighted bias before and after, and its change.
        n_attributes: Attributes judged on both sides whose usual leaning is known and not 0.
        n_missing: Attributes left out.
    """

    leaning: Change
    n_attributes: int
    n_missing: int


def leaning_change(
    before: ArrayLike,
    after: ArrayLike,
    usual: ArrayLike,
    *,
    rng: np.random.Generator,
    unit: Unit = "attribute",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> LeaningResult:
    """Return how much an intervention takes from the leaning that attributes usually have.

    `sum_k u_k b_k / sum_k |u_k|` with b_k the bias score (ENTIGEN's Eq. 2) of attribute k and u_k
    its usual bias, *from other images than those compared*. 1: every attribute shows only the group
    it usually leans to; 0: no trace of the usual leaning; below 0: turned round. A negative change
    means that less of it is left. Without a usual leaning or an image on one side: NaN.

    Eq. 1 asks how uneven a handful of images is, and chance makes them uneven; here chance has no
    direction and averages out. So the same images tell a change apart from chance more often: with
    3 images of each of 25 attributes, two times in three where Eq. 1 does one time in four
    (docs/studies/intervention.md).

    p-values swap before and after, as in `paired_change`; the usual leaning stays as it is. The
    interval holds for other attributes (Student's t) or, with `image`, for other images of these
    (Newcombe's intervals put together), with the usual leaning as it was found. Where all
    attributes change alike, as when nothing changes, their spread says nothing: then it is the
    interval for other images.

    Args:
        before: Groups without the intervention: attributes x seeds, 1 first group, 0 second, NaN.
        after: Groups with it, same shape.
        usual: Bias of each attribute in other images, -1 to 1; NaN where it is not known.
        rng: Source of the draws.
        unit: What is swapped and drawn.
        resamples: Largest number of swaps to enumerate, and how many to draw beyond.
        confidence: Of the interval.

    References: Bansal et al. (2022), Eq. 2; Zou, Huang, Zhu, Donner (2009), MOVER, for sums of
    intervals.

    >>> before, after = [[1, 1, 1, 1], [0, 0, 0, 0]], [[1, 0, 1, 0], [0, 1, 0, 0]]
    >>> result = leaning_change(before, after, [0.9, -0.6], rng=np.random.default_rng(0))
    >>> result.leaning.before, round(result.leaning.after, 2), result.n_attributes
    (1.0, 0.2, 2)
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    check_option("unit", unit, UNITS)
    check_resamples(resamples)
    x, y = _groups("before", before), _groups("after", after)
    weights = _weights(usual, x, y)
    both = (~np.isnan(x)).any(axis=1) & (~np.isnan(y)).any(axis=1)
    used = both & (np.nan_to_num(weights) != 0)
    n, missing = int(used.sum()), int((~used).sum())
    if n == 0:
        nothing = Change(math.nan, math.nan, math.nan, UNKNOWN, math.nan, False)
        return LeaningResult(nothing, 0, missing)
    w = weights[used] / np.abs(weights[used]).sum()
    pairs = PairCounts.of(x[used], y[used])
    make = swap_attributes if unit == "attribute" else swap_images
    swaps = make(pairs, resamples=resamples, rng=rng)
    bias_before = _bias(pairs.first_before, pairs.second_before)
    bias_after = _bias(pairs.first_after, pairs.second_after)
    value = float(w @ (bias_after - bias_before))
    change = Change(
        before=float(w @ bias_before),
        after=float(w @ bias_after),
        value=value,
        interval=_interval(w, pairs, bias_after - bias_before, unit, confidence),
        p_value=swaps.p_value(_changes(swaps) @ w, value),
        exact=swaps.exact,
    )
    return LeaningResult(change, n, missing)


def _weights(usual: ArrayLike, before: FloatArray, after: FloatArray) -> FloatArray:
    weights = np.asarray(usual, dtype=np.float64)
    if before.shape != after.shape:
        raise StatisticsError(
            f"before has shape {before.shape} and after {after.shape}; allowed: the same "
            "attributes (rows) and seeds (columns) in both"
        )
    if weights.shape != (len(before),):
        raise StatisticsError(
            f"usual has shape {weights.shape}; allowed: one bias for each of "
            f"{len(before)} attributes"
        )
    if (np.abs(weights) > 1).any():
        raise StatisticsError(f"usual holds {weights[np.abs(weights) > 1][0]}; allowed: -1 to 1")
    return weights


def _changes(swaps: Swaps) -> FloatArray:
    """Return the change of each attribute's bias under each swap; 0 where a side is empty."""
    before = _bias(swaps.first_before, swaps.second_before)
    after = _bias(swaps.first_after, swaps.second_after)
    return np.nan_to_num(after - before)


def _bias(first: FloatArray, second: FloatArray) -> FloatArray:
    total = first + second
    empty = np.full(total.shape, np.nan)
    return np.asarray(np.divide(first - second, total, out=empty, where=total > 0))


def _interval(
    w: FloatArray, pairs: PairCounts, changes: FloatArray, unit: Unit, confidence: float
) -> Interval:
    if unit == "attribute":
        found = _attributes_interval(w, changes, confidence)
        if w.size < 2 or found.high > found.low:
            return found
    return _images_interval(w, pairs, confidence)


def _attributes_interval(w: FloatArray, changes: FloatArray, confidence: float) -> Interval:
    k, value = w.size, float(w @ changes)
    if k < 2:
        return UNKNOWN
    # A weighted mean: its spread is that of what each attribute adds beyond its own weight.
    spread = float((k * (w * changes - np.abs(w) * value)).std(ddof=1)) / math.sqrt(k)
    reach = float(stats.t.ppf(0.5 + confidence / 2, k - 1)) * spread
    return Interval(max(value - reach, -2.0), min(value + reach, 2.0))


def _images_interval(w: FloatArray, pairs: PairCounts, confidence: float) -> Interval:
    n_before = pairs.first_before + pairs.second_before
    n_after = pairs.first_after + pairs.second_after
    p, q = pairs.first_before / n_before, pairs.first_after / n_after
    share_before = wilson(pairs.first_before, n_before, confidence=confidence)
    share_after = wilson(pairs.first_after, n_after, confidence=confidence)
    bounds = _newcombe(p, q, share_before, share_after, pairs.correlation)
    down, up = 2 * (q - p - bounds.low), 2 * (bounds.high - (q - p))
    below = np.abs(w) * np.where(w > 0, down, up)
    above = np.abs(w) * np.where(w > 0, up, down)
    value = float(w @ (2 * (q - p)))
    return Interval(value - math.hypot(*below), value + math.hypot(*above))
