"""What an intervention changes: the same attributes and seeds, before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.amplification_matching import MatchedSides, PairedNoise, answer
from portrayal.statistics.amplification_sides import LEAST_IMAGES, side_of_counts
from portrayal.statistics.change_estimates import Estimate, attribute_estimate, image_estimate
from portrayal.statistics.change_null import exchanged_noise
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.counts import FloatArray, Intervals, wilson, wilson_bounds
from portrayal.statistics.diversity import pooled_imbalance
from portrayal.statistics.imbalance import imbalance_score
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.relabelling import PairedCounts, relabel

Unit = Literal["attribute", "image"]
UNITS: tuple[Unit, ...] = ("attribute", "image")
_DIFFERENT = 0.05


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """Eq. 1 as published, before and after; chance adds to both, and more where images are few."""

    before: float
    after: float

    @property
    def value(self) -> float:
        """After - before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after.

    Attributes:
        before: Without the intervention.
        after: With it.
        value: after - before.
        interval: Of the change; holds 0 exactly where p_value is above 1 - confidence.
        p_value: Two-sided.
        exact: Whether all relabellings were enumerated.
        published: Of a diversity score: as the paper computes it.
        per_attribute: Each attribute's part in `value`, which is their mean, where the interval is
            for other attributes; NaN where one does not count.
    """

    before: float
    after: float
    value: float
    interval: Interval
    p_value: float
    exact: bool
    published: PublishedScores | None = None
    per_attribute: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class UnknownResult:
    """Images without a known group, and what they could hide.

    Attributes:
        before: Their share without the intervention.
        after: Their share with it.
        p_value: McNemar's exact test of whether an image is unknown more often on one side.
        differ: Whether p_value is at most 0.05: then the change of diversity rests on the
            assumption that, within an attribute and side, being unknown does not depend on the
            group, and `bounds` belongs beside it.
        bounds: Smallest and largest change of the published score of these images, whatever the
            unknown ones show.
    """

    before: float
    after: float
    p_value: float
    differ: bool
    bounds: Interval


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """The bias of one attribute before and after.

    Attributes:
        name: Of the attribute.
        bias: Its bias score (Eq. 2), and the change; p is the one at which the interval ends at 0.
        n_before: Images judged without the intervention.
        n_after: Images judged with it.
        flipped: Whether the leading group changed.
        flip_certain: Whether, besides, neither interval of the two biases holds 0.
    """

    name: str
    bias: Change
    n_before: int
    n_after: int
    flipped: bool
    flip_certain: bool


@dataclass(frozen=True, slots=True)
class PairedChangeResult:
    """What an intervention changed.

    Attributes:
        diversity: Eq. 1 at unlimited images, over attributes with known images on both sides.
        bias: Mean of Eq. 2 over attributes judged on both sides.
        attributes: Eq. 2 of every attribute.
        flips: Names of attributes whose leading group changed.
        n: Pairs of images of one attribute and seed, both judged.
        n_missing: Pairs of which one or both images were not judged.
        unit: What the answer generalises to: other attributes, or other images of these.
        unknown: Images without a known group on both sides.
    """

    diversity: Change
    bias: Change
    attributes: tuple[AttributeChange, ...]
    flips: tuple[str, ...]
    n: int
    n_missing: int
    unit: Unit
    unknown: UnknownResult


def paired_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    attributes: Sequence[str] | None = None,
    unit: Unit = "attribute",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> PairedChangeResult:
    """Compare images without and with an intervention, made from the same seeds.

    Rows are attributes, columns seeds; 1 is an image of the first group, 0 of the second, NaN one
    that was not judged. Changes are after - before: a negative change of diversity means more
    diverse, a positive change of bias means towards the first group. Diversity changes run from -1
    to 1, bias changes from -2 to 2. Nothing judged on a side: NaN.

    `attribute` asks whether the intervention works beyond the attributes tried: Student's t over
    attributes, for p and interval. `image` asks whether it did anything to these: for biases, which
    side an image is from is shuffled (`portrayal.statistics.relabelling`), mid-p, and the
    interval's near end is where that test would stop rejecting; all relabellings are enumerated
    when there are at most `resamples`. Either way p and interval agree. Both stay valid where more
    images are unknown on one side, if within an attribute and side being unknown does not depend on
    the group; `unknown` tells the rates, and bounds without that assumption.

    The change of diversity is at unlimited images, a mean over attributes with two images or more
    on both sides: as in `amplification_from_counts`, both sides are compared at the smaller of
    their numbers of images, and nothing is drawn. The published scores stand beside. Intervals of
    single biases are Newcombe's for paired shares, with the correlation scaled down where not every
    seed is known on both sides.

    Args:
        before: Groups of the images without the intervention.
        after: Groups with it, same shape.
        rng: Source of the draws.
        attributes: Names of the rows; None: their numbers.
        unit: What the answer generalises to.
        resamples: Largest number of relabellings to enumerate, and how many to draw beyond.
        confidence: Of the intervals.

    References: Bansal et al. (2022), Eq. 1 and 2; Newcombe (1998), Improved confidence intervals
    for the difference between binomial proportions based on paired data, Statistics in Medicine
    17, method 10.

    >>> before, after = [[1, 1, 1, 1], [1, 1, 1, 0]], [[1, 0, 1, 0], [0, 0, 0, 1]]
    >>> result = paired_change(before, after, rng=np.random.default_rng(0), attributes=["a", "b"])
    >>> result.diversity.published.value, result.bias.value, result.flips
    (-0.5, -1.0, ('b',))
    """
    settings = ChangeSettings.checked(unit, resamples, confidence, rng)
    x, y = _sides(before, after)
    names = tuple(str(name) for name in (range(len(x)) if attributes is None else attributes))
    if len(names) != len(x):
        raise StatisticsError(
            f"attributes has {len(names)} names; allowed: one for each of {len(x)}"
        )
    pairs = PairedCounts.of(x, y)
    single = _attribute_changes(pairs, names, confidence=confidence)
    n = int((~np.isnan(x) & ~np.isnan(y)).sum())
    return PairedChangeResult(
        diversity=_diversity_change(x, y, pairs, settings),
        bias=_mean_bias_change(pairs, settings),
        attributes=single,
        flips=tuple(change.name for change in single if change.flipped),
        n=n,
        n_missing=x.size - n,
        unit=unit,
        unknown=_unknown(x, y),
    )


def paired_bias_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    unit: Unit = "attribute",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> Change:
    """Return the change of bias alone, as `paired_change` finds it.

    Args:
        before: See `paired_change`.
        after: See `paired_change`.
        rng: See `paired_change`.
        unit: See `paired_change`.
        resamples: See `paired_change`.
        confidence: See `paired_change`.

    >>> paired_bias_change(
    ...     [[1, 1, 1, 1], [1, 1, 1, 0]], [[1, 0, 1, 0], [0, 0, 0, 1]], rng=np.random.default_rng(0)
    ... ).value
    -1.0
    """
    settings = ChangeSettings.checked(unit, resamples, confidence, rng)
    return _mean_bias_change(PairedCounts.of(*_sides(before, after)), settings)


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """How a change is tested: the options of `paired_change`."""

    unit: Unit
    resamples: int
    confidence: float
    rng: np.random.Generator

    @classmethod
    def checked(
        cls, unit: Unit, resamples: int, confidence: float, rng: np.random.Generator
    ) -> ChangeSettings:
        """Return settings, or raise where one is not allowed."""
        check_fraction("confidence", confidence)
        check_rng(rng)
        check_option("unit", unit, UNITS)
        check_resamples(resamples)
        return cls(unit, resamples, confidence, rng)


class _GroupTables(NamedTuple):
    """Groups of the images, (attributes, seeds)."""

    before: FloatArray
    after: FloatArray


def _sides(before: ArrayLike, after: ArrayLike) -> _GroupTables:
    x, y = _groups("before", before), _groups("after", after)
    if x.shape != y.shape:
        raise StatisticsError(
            f"before has shape {x.shape} and after {y.shape}; allowed: the same attributes (rows) "
            "and seeds (columns) in both"
        )
    return _GroupTables(x, y)


def _groups(name: str, values: ArrayLike) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} is no table of numbers; allowed: rows of equal length with 1, 0 or NaN"
        ) from error
    if array.ndim != 2:
        raise StatisticsError(f"{name} has shape {array.shape}; allowed: (attributes, seeds)")
    wrong = ~(np.isnan(array) | (array == 0) | (array == 1))
    if wrong.any():
        raise StatisticsError(
            f"{name} holds {array[wrong][0]}; allowed: 1 (first group), 0 (second), NaN (unjudged)"
        )
    return array


_NOTHING = Change(math.nan, math.nan, math.nan, UNKNOWN, math.nan, False)


def _diversity_change(
    before: FloatArray, after: FloatArray, pairs: PairedCounts, settings: ChangeSettings
) -> Change:
    """Return how much further from one half shares are after than before, at unlimited images."""
    published = PublishedScores(_published(before), _published(after))
    both = np.minimum(pairs.n_before, pairs.n_after) >= LEAST_IMAGES
    if not both.any():
        return replace(_NOTHING, published=published)
    used = pairs.rows(both)
    sides = ((used.first_before, used.n_before), (used.first_after, used.n_after))
    counts = [np.stack([first, n - first], axis=1).astype(np.float64) for first, n in sides]
    matched = MatchedSides(
        side_of_counts(counts[1][:, None], 1), side_of_counts(counts[0][:, None], 1),
        paired=PairedNoise(
            used.imbalance_correlation(),
            exchanged_noise(used, PairedCounts.of(before, 1 - after).rows(both)),
        ),
    )  # fmt: skip
    found = answer(matched, random=settings.unit == "attribute", confidence=settings.confidence)
    weights = np.full(len(counts[0]), 1 / len(counts[0]))
    middle = sum(
        imbalance_score(x[:, 0], x.sum(axis=1), weights, confidence=settings.confidence).value / 2
        for x in counts
    )
    middle = min(max(middle, abs(found.value) / 2), 1 - abs(found.value) / 2)
    parts = found.per_item if settings.unit == "attribute" else None
    return Change(
        middle - found.value / 2, middle + found.value / 2, found.value, found.interval,
        found.p_value, False, published, in_places(parts, both),
    )  # fmt: skip


def in_places(parts: FloatArray | None, used: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return parts of the attributes that are used among all of them; nothing without parts."""
    if parts is None:
        return ()
    found = np.full(used.size, np.nan)
    found[used] = parts
    return tuple(found.tolist())


def _published(groups: FloatArray) -> float:
    first, second = (groups == 1).sum(axis=1), (groups == 0).sum(axis=1)
    return float(pooled_imbalance(first.astype(np.float64), second.astype(np.float64)))


def _unknown(before: FloatArray, after: FloatArray) -> UnknownResult:
    x, y = np.isnan(before), np.isnan(after)
    if x.size == 0:
        return UnknownResult(math.nan, math.nan, math.nan, False, UNKNOWN)
    only_x, only_y = int((x & ~y).sum()), int((y & ~x).sum())
    p_value = float(stats.binomtest(only_x, only_x + only_y).pvalue) if only_x + only_y else 1.0
    least_x, most_x = _possible(before)
    least_y, most_y = _possible(after)
    bounds = Interval(least_y - most_x, most_y - least_x)
    return UnknownResult(float(x.mean()), float(y.mean()), p_value, p_value <= _DIFFERENT, bounds)


def _possible(groups: FloatArray) -> Interval:
    """Return the smallest and largest published score, whatever the unknown images show."""
    gap = np.abs((groups == 1).sum(axis=1) - (groups == 0).sum(axis=1))
    unknown = np.isnan(groups).sum(axis=1)
    n = groups.shape[1]
    least = np.where(unknown >= gap, (gap + unknown) % 2, gap - unknown)
    return Interval(float(least.mean() / n), float((gap + unknown).mean() / n))


def _mean_bias_change(pairs: PairedCounts, settings: ChangeSettings) -> Change:
    both = (pairs.n_before > 0) & (pairs.n_after > 0)
    return bias_change(pairs.rows(both), np.full(both.sum(), 1 / max(both.sum(), 1)), settings)


def bias_change(pairs: PairedCounts, weights: FloatArray, settings: ChangeSettings) -> Change:
    """Return the change of a weighted mean of biases, Eq. 2.

    Args:
        pairs: Counts of attributes with known images on both sides.
        weights: Of the attributes, of either sign; their sizes sum to 1.
        settings: How to test.
    """
    if weights.size == 0:
        return _NOTHING
    before = 2 * pairs.first_before / pairs.n_before - 1
    after = 2 * pairs.first_after / pairs.n_after - 1
    value = float(weights @ (after - before))
    found = None
    if settings.unit == "attribute":
        found = attribute_estimate(weights, after - before, confidence=settings.confidence)
        if weights.size < 2:
            found = Estimate(value, UNKNOWN, math.nan, False)
    if found is None:
        found = _bias_of_images(pairs, weights, value, settings)
    low, high = (min(max(end, -2.0), 2.0) for end in found.interval)
    interval = found.interval if math.isnan(found.interval.low) else Interval(low, high)
    parts = ()
    if settings.unit == "attribute":
        own = weights.size * (weights * (after - before) - np.abs(weights) * value)
        parts = tuple((value + own).tolist())
    return Change(
        float(weights @ before), float(weights @ after), value, interval, found.p_value,
        found.exact, per_attribute=parts,
    )  # fmt: skip


def _bias_of_images(
    pairs: PairedCounts, weights: FloatArray, value: float, settings: ChangeSettings
) -> Estimate:
    relabelled = relabel(pairs, resamples=settings.resamples, rng=settings.rng)
    null = 2 * (relabelled.first_after / pairs.n_after - relabelled.first_before / pairs.n_before)
    error = 2 * pairs.standard_error(weights)
    return image_estimate(relabelled, null @ weights, value, error, confidence=settings.confidence)


def _attribute_changes(
    pairs: PairedCounts, names: Sequence[str], *, confidence: float
) -> tuple[AttributeChange, ...]:
    n_before, n_after = pairs.n_before.astype(np.float64), pairs.n_after.astype(np.float64)
    share_before = wilson(pairs.first_before.astype(np.float64), n_before, confidence=confidence)
    share_after = wilson(pairs.first_after.astype(np.float64), n_after, confidence=confidence)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = pairs.first_before / n_before, pairs.first_after / n_after
    z = np.full(len(names), float(stats.norm.ppf(0.5 + confidence / 2)))
    bounds = _paired_bounds(pairs, z)
    p_values = _paired_p_values(pairs)
    changes = []
    for k, name in enumerate(names):
        interval = Interval(2 * float(bounds.low[k]), 2 * float(bounds.high[k]))
        value = 2 * float(q[k] - p[k])
        bias = Change(
            2 * float(p[k]) - 1, 2 * float(q[k]) - 1, value, interval, float(p_values[k]), False
        )
        flipped = bias.before * bias.after < 0
        certain = _side(share_before, k) * _side(share_after, k) < 0
        changes.append(
            AttributeChange(name, bias, int(n_before[k]), int(n_after[k]), flipped, certain)
        )
    return tuple(changes)


def _paired_bounds(pairs: PairedCounts, z: FloatArray) -> Intervals:
    """Return Newcombe's interval for the change of every attribute's share, -/+ z errors."""
    n_before, n_after = pairs.n_before.astype(np.float64), pairs.n_after.astype(np.float64)
    share_before = wilson_bounds(pairs.first_before.astype(np.float64), n_before, z)
    share_after = wilson_bounds(pairs.first_after.astype(np.float64), n_after, z)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = pairs.first_before / n_before, pairs.first_after / n_after
        return _newcombe(p, q, share_before, share_after, pairs.correlation)


def _paired_p_values(pairs: PairedCounts) -> FloatArray:
    """Return, for every attribute, 1 - the largest confidence whose interval leaves out 0."""
    low, high = np.zeros(pairs.n_before.size), np.full(pairs.n_before.size, 40.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        change = pairs.first_after / pairs.n_after - pairs.first_before / pairs.n_before
    for _ in range(50):
        middle = (low + high) / 2
        bounds = _paired_bounds(pairs, middle)
        out = (bounds.low > 0) | (bounds.high < 0)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    p_values = 2 * stats.norm.sf((low + high) / 2)
    return np.where(np.isnan(change), np.nan, np.where(change == 0, 1.0, p_values))


def _side(share: Intervals, k: int) -> int:
    """Return 1 or -1 when an interval lies on one side of one half, else 0."""
    return int(share.low[k] > 0.5) - int(share.high[k] < 0.5)


def _newcombe(
    p: FloatArray, q: FloatArray, low: Intervals, high: Intervals, correlation: FloatArray
) -> Intervals:
    """Return bounds of q - p from the bounds of p (`low`) and q (`high`) and their correlation."""
    down, up = q - high.low, high.high - q
    p_down, p_up = p - low.low, low.high - p
    below = np.sqrt(down**2 - 2 * correlation * down * p_up + p_up**2)
    above = np.sqrt(up**2 - 2 * correlation * up * p_down + p_down**2)
    return Intervals(q - p - below, q - p + above)
