"""Bias amplification: is a model's group share further from one half than its training data's?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.influence import all_subsets, influence_weights
from portrayal.statistics.intervals import UNKNOWN, Interval

Switching = Literal["exclude", "include"]
SWITCHING: tuple[Switching, ...] = ("exclude", "include")


@dataclass(frozen=True, slots=True, eq=False)
class AmplificationResult:
    """Mean amplification over occupations.

    Attributes:
        mean: In percentage points.
        interval: Student's t over occupations.
        n: Occupations in the mean.
        n_switched: Occupations that lean to different groups in training and generated images.
        n_missing: Occupations without a percentage on either side.
        t: One-sample t statistic against 0.
        p_value: Two-sided.
        per_item: Amplification of every occupation; NaN where excluded or missing.
    """

    mean: float
    interval: Interval
    n: int
    n_switched: int
    n_missing: int
    t: float
    p_value: float
    per_item: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ReductionResult:
    """How much smaller amplification is with one subset of the training data than with another.

    Attributes:
        value: Mean over occupations of baseline - corrected, in percentage points.
        interval: Student's t over occupations.
        relative: `value` as a share of the baseline's mean over the same occupations.
        relative_interval: Of that share.
        n: Occupations in both.
        n_missing: Occupations in only one of the two, or in none.
        t: Paired t statistic.
        p_value: Two-sided.
        per_item: Reduction of every occupation; NaN where it is not in both.
    """

    value: float
    interval: Interval
    relative: float
    relative_interval: Interval
    n: int
    n_missing: int
    t: float
    p_value: float
    per_item: FloatArray


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """What one correction explains.

    Attributes:
        value: In percentage points.
        interval: Student's t over occupations.
        share: `value` as a share of the naive amplification.
        share_interval: Of that share.
    """

    value: float
    interval: Interval
    share: float
    share_interval: Interval


@dataclass(frozen=True, slots=True)
class DecompositionResult:
    """The naive amplification, split.

    Attributes:
        naive: Without any correction.
        parts: What each correction explains, by name.
        remaining: With all corrections.
        n: Occupations counted in every subset.
        n_missing: Occupations missing from at least one.
    """

    naive: float
    parts: dict[str, ExplainedPart]
    remaining: ExplainedPart
    n: int
    n_missing: int


class PerItem(Protocol):
    """A result in which every occupation has a part."""

    @property
    def per_item(self) -> FloatArray:
        """The part of every occupation; NaN where it has none."""


class ItemMean(NamedTuple):
    """A mean over occupations with Student's interval and test against 0."""

    value: float
    interval: Interval
    t: float
    p_value: float
    n: int


def amplification(
    generated: ArrayLike,
    training: ArrayLike,
    *,
    switching: Switching = "exclude",
    confidence: float = 0.95,
) -> AmplificationResult:
    """Return how much further from 50% generated images are than training images.

    Per occupation `A = |G - 50| - |T - 50|` with G and T the percentages of one group; then the
    mean over occupations. From -50 to 50: positive means amplified, negative de-amplified, and it
    is the same whichever of the two groups is counted. An occupation switches when G and T lie on
    different sides of 50; exactly 50 is no side, so it never switches. The paper excludes those
    that switch; `include` keeps them. NaN on either side is missing. Nothing left: NaN; a single
    occupation has a mean but no interval. Any other baseline, such as shares in the labour market,
    can stand in for the training data.

    The t-test takes occupations as a random sample, and their percentages as they are; for images
    as a source of uncertainty see `amplification_from_counts`.

    Args:
        generated: Percentage of the group in generated images, one per occupation.
        training: Percentage in training images, in the same order.
        switching: What to do with occupations that switch.
        confidence: Of the interval.

    Reference: The Bias Amplification Paradox in Text-to-Image Generation, section 3.3; Zhao et al.
    (2017), Men also like shopping.

    >>> result = amplification([10, 80, 45], [25, 70, 60])
    >>> result.mean, result.n, result.n_switched, result.per_item
    (12.5, 2, 1, array([15., 10., nan]))
    """
    check_fraction("confidence", confidence)
    check_option("switching", switching, SWITCHING)
    g, t = as_percentages("generated", generated), as_percentages("training", training)
    if g.size != t.size:
        raise StatisticsError(
            f"generated has {g.size} occupations and training has {t.size}; allowed: one "
            "percentage per occupation in each, in the same order"
        )
    switched = switches(g, t)
    per_item = np.abs(g - 50) - np.abs(t - 50)
    n_missing = int(np.isnan(per_item).sum())
    if switching == "exclude":
        per_item = np.where(switched, np.nan, per_item)
    used = per_item[~np.isnan(per_item)]
    mean = item_mean(used, confidence=confidence)
    return AmplificationResult(
        mean=mean.value,
        interval=_possible(mean.interval),
        n=int(used.size),
        n_switched=int(switched.sum()),
        n_missing=n_missing,
        t=mean.t,
        p_value=mean.p_value,
        per_item=per_item,
    )


def switches(generated: FloatArray, training: FloatArray) -> NDArray[np.bool_]:
    """Tell which percentages lie on different sides of 50; 50 itself is on neither side."""
    return np.asarray(np.sign(generated - 50) * np.sign(training - 50) < 0)


def amplification_reduction(
    baseline: PerItem, corrected: PerItem, *, confidence: float = 0.95
) -> ReductionResult:
    """Return how much amplification a better comparison takes away, occupation by occupation.

    Mean over occupations that both results count of baseline - corrected: positive means that the
    correction reduces amplification. The paper compares two means that may stand on different
    occupations; here both stand on the same. No common occupation: NaN.

    Args:
        baseline: For instance the naive subset.
        corrected: For instance captions without gender indicators; same occupations, same order.
        confidence: Of the intervals.

    Percentages are taken as they are; from counts, `reduction_from_counts` knows that a subset of
    few images looks more uneven by chance.

    Reference: The Bias Amplification Paradox, section 5.

    >>> naive = amplification([10, 80, 95], [25, 70, 80])
    >>> better = amplification([10, 80, 95], [15, 75, 90])
    >>> result = amplification_reduction(naive, better)
    >>> round(result.value, 3), result.relative, result.n
    (8.333, 0.625, 3)
    """
    check_fraction("confidence", confidence)
    if baseline.per_item.size != corrected.per_item.size:
        raise StatisticsError(
            f"baseline has {baseline.per_item.size} occupations and corrected has "
            f"{corrected.per_item.size}; allowed: the same occupations in the same order"
        )
    per_item = baseline.per_item - corrected.per_item
    both = ~np.isnan(per_item)
    mean = item_mean(per_item[both], confidence=confidence)
    part = _part(per_item[both], baseline.per_item[both], confidence)
    return ReductionResult(
        value=mean.value,
        interval=part.interval,
        relative=part.share,
        relative_interval=part.share_interval,
        n=int(both.sum()),
        n_missing=int((~both).sum()),
        t=mean.t,
        p_value=mean.p_value,
        per_item=per_item,
    )


def decomposition(
    results: Mapping[frozenset[str], PerItem], *, confidence: float = 0.95
) -> DecompositionResult:
    """Split the naive amplification into what each correction explains and what remains.

    A correction's effect depends on which others are already made, so it is averaged over all
    orders of making them (Shapley value); the parts and the remainder add up to the naive
    amplification exactly. With two corrections a and b: a's part is
    `((A - A_a) + (A_b - A_ab)) / 2`. Only occupations counted in every subset enter; none: NaN.

    Args:
        results: Amplification for every combination of corrections, by the set of their names; the
            empty set is the naive subset. Same occupations, same order.
        confidence: Of the intervals.

    References: The Bias Amplification Paradox, Table 3; Shorrocks (2013), Decomposition procedures
    for distributional analysis, J. Economic Inequality 11.

    >>> made = {(): [12.0, 14.0], ("a",): [9.0, 9.0], ("b",): [6.0, 8.0], ("a", "b"): [4.0, 4.0]}
    >>> results = {
    ...     frozenset(key): amplification([100.0, 100.0], [100.0 - a for a in values])
    ...     for key, values in made.items()
    ... }
    >>> split = decomposition(results)
    >>> split.naive, split.parts["a"].value, split.parts["b"].value, split.remaining.value
    (13.0, 3.5, 5.5, 4.0)
    """
    check_fraction("confidence", confidence)
    names = sorted(frozenset().union(*results)) if results else []
    if not names:
        raise StatisticsError(
            "results names no correction; allowed: at least one, and the empty set"
        )
    sizes = {result.per_item.size for result in results.values()}
    if len(sizes) > 1:
        raise StatisticsError(f"results have {sorted(sizes)} occupations; allowed: the same in all")
    common = ~np.isnan(np.stack([result.per_item for result in results.values()])).any(axis=0)
    subsets = all_subsets(len(names), len(names))
    table = []
    for subset in subsets:
        key = frozenset(names[i] for i in subset)
        if key not in results:
            text = " + ".join(sorted(key)) or "no correction (the empty set)"
            raise StatisticsError(f"results lacks {text}; allowed: every combination of {names}")
        table.append(results[key].per_item[common])
    explained = influence_weights(subsets, len(names), len(names)) / len(names) @ np.stack(table)
    naive, final = table[0], table[-1]
    return DecompositionResult(
        naive=float(naive.mean()) if naive.size else math.nan,
        parts={name: _part(explained[i], naive, confidence) for i, name in enumerate(names)},
        remaining=_part(final, naive, confidence),
        n=int(common.sum()),
        n_missing=int((~common).sum()),
    )


def as_percentages(name: str, values: ArrayLike) -> FloatArray:
    """Return one percentage per occupation, NaN for missing, or refuse what cannot be one."""
    try:
        array = np.array(values, dtype=np.float64, ndmin=1)
    except (TypeError, ValueError) as error:
        raise StatisticsError(f"{name} contains no numbers; allowed: percentages") from error
    if array.ndim != 1:
        raise StatisticsError(f"{name} has shape {array.shape}; allowed: one number per occupation")
    wrong = ~(np.isnan(array) | ((array >= 0) & (array <= 100)))
    if wrong.any():
        raise StatisticsError(
            f"{name} holds {array[wrong][0]}; allowed: percentages from 0 to 100, NaN for missing"
        )
    return array


def item_mean(values: FloatArray, *, confidence: float) -> ItemMean:
    """Return the mean of one number per occupation; NaN is missing.

    >>> found = item_mean(np.array([10.0, 20.0, np.nan]), confidence=0.95)
    >>> found.value, round(found.t, 1), found.n
    (15.0, 3.0, 2)
    """
    known = values[~np.isnan(values)]
    n = int(known.size)
    if n < 2:
        value = float(known[0]) if n else math.nan
        return ItemMean(value, UNKNOWN, math.nan, math.nan, n)
    mean, error = float(known.mean()), float(known.std(ddof=1)) / math.sqrt(n)
    reach = float(stats.t.ppf(0.5 + confidence / 2, n - 1)) * error
    t = mean / error if error else math.copysign(math.inf, mean) if mean else math.nan
    p_value = float(2 * stats.t.sf(abs(t), n - 1))
    return ItemMean(mean, Interval(mean - reach, mean + reach), t, p_value, n)


def ratio_interval(values: FloatArray, whole: FloatArray, *, confidence: float) -> Interval:
    """Return Fieller's interval of the ratio of two means, item by item paired.

    It holds every ratio that the data leave possible, so it holds 0 where Student's interval of
    `values` does. None where the mean of `whole` may be 0: then any ratio is possible.

    Reference: Fieller (1954), Some problems in interval estimation, JRSS B 16.
    """
    n = values.size
    if n < 2:
        return UNKNOWN
    square = float(stats.t.ppf(0.5 + confidence / 2, n - 1)) ** 2 / n
    (vary, both), (_, vary_whole) = np.cov(values, whole)
    top, bottom = float(values.mean()), float(whole.mean())
    a, b, c = bottom**2 - square * vary_whole, top * bottom - square * both, top**2 - square * vary
    if a <= 0:
        return UNKNOWN
    reach = math.sqrt(max(b * b - a * c, 0.0))
    return Interval((b - reach) / a, (b + reach) / a)


def _part(values: FloatArray, whole: FloatArray, confidence: float) -> ExplainedPart:
    """Return the mean of `values`, and its ratio to the mean of `whole`, item by item paired."""
    mean = item_mean(values, confidence=confidence)
    total = float(whole.mean()) if whole.size else math.nan
    share = mean.value / total if total else math.nan
    return ExplainedPart(
        mean.value,
        _possible(mean.interval),
        share,
        ratio_interval(values, whole, confidence=confidence),
    )


def _possible(interval: Interval) -> Interval:
    """Return the part of an interval that imbalances in points can differ by."""
    if math.isnan(interval.low):
        return interval
    return Interval(max(interval.low, -50.0), min(interval.high, 50.0))
