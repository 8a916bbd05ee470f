"""Diversity and bias of an intervention study: how evenly groups are shown, and which one leads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.balance import balance_p_value, balance_p_value_of_prompts
from portrayal.statistics.checks import check_fraction, unit_labels
from portrayal.statistics.counts import FloatArray, Intervals, as_counts, level_sums, wilson
from portrayal.statistics.evenness import design_effects, even_p_value, evenness_posterior
from portrayal.statistics.imbalance import imbalance_score, level_imbalance_score
from portrayal.statistics.intervals import UNKNOWN, Interval

UnitWord = Literal["prompt", "image"]


@dataclass(frozen=True, slots=True)
class DiversityResult:
    """A diversity score with its uncertainty.

    Attributes:
        value: The score at unlimited images: Eq. 1 without what chance adds at this n.
        interval: Of that score.
        published: Eq. 1 as published, which chance makes too large at small n.
        n: Images that were counted.
        n_attributes: Attributes (levels) that were counted.
        n_missing: Attributes left out because no image of theirs showed either group.
        n_prompts: Prompts that were counted.
        unit: What the interval takes as drawn by chance.
    """

    value: float
    interval: Interval
    published: float
    n: int
    n_attributes: int
    n_missing: int
    n_prompts: int
    unit: UnitWord


@dataclass(frozen=True, slots=True, eq=False)
class BiasResult:
    """Bias scores, one per attribute.

    Attributes:
        value: The scores; NaN where an attribute has no image.
        interval: Bounds of each.
        n: Images of each.
        n_missing: Attributes without an image.
    """

    value: FloatArray
    interval: Intervals
    n: NDArray[np.intp]
    n_missing: int


@dataclass(frozen=True, slots=True)
class ManyGroupDiversityResult:
    """A many-group diversity with its uncertainty.

    Attributes:
        value: The estimate, right on average at any n.
        interval: For the quantity itself, within 0 to 1.
        n: Images that were counted.
        n_attributes: Attributes that were counted.
        n_missing: Attributes left out because they have fewer than two images.
        unit: What the interval takes as drawn by chance.
    """

    value: float
    interval: Interval
    n: int
    n_attributes: int
    n_missing: int
    unit: UnitWord


class GroupCounts(NamedTuple):
    """Images of two groups, one count per attribute."""

    first: FloatArray
    second: FloatArray


def group_counts(first: ArrayLike, second: ArrayLike) -> GroupCounts:
    """Return both counts per attribute, or refuse lists of different length."""
    a, b = as_counts("first", first), as_counts("second", second)
    if a.size != b.size:
        raise StatisticsError(
            f"first has {a.size} attributes and second has {b.size}; allowed: one count per "
            "attribute in each, in the same order"
        )
    return GroupCounts(a, b)


def pooled_imbalance(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return ENTIGEN's Eq. 1 of each row of counts; NaN for a row without images."""
    total = np.asarray((first + second).sum(axis=-1))
    gap = np.abs(first - second).sum(axis=-1)
    return np.asarray(np.divide(gap, total, out=np.full(total.shape, np.nan), where=total > 0))


def diversity_score(
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = 0.95,
    levels: ArrayLike | None = None,
) -> DiversityResult:
    """Return ENTIGEN's diversity score: how unevenly two groups are shown over attributes.

    `sum_k |a_k - b_k| / sum_k (a_k + b_k)` over attributes k with a_k and b_k images of the two
    groups: the absolute differences are summed before the division, so an attribute with more
    images weighs more. From 0 (every attribute balanced) to 1 (every attribute shows one group
    only): *smaller is more diverse*. Without any image: NaN. Attributes without an image are left
    out and counted.

    As published, the score is too large at small n (9 images of a balanced attribute score 0.27 by
    chance), and percentiles of a bootstrap inherit the error. `value` and `interval` are for the
    score at unlimited images: mean and quantiles of the posterior of
    `portrayal.statistics.imbalance`, which learns from all attributes together. Nothing is drawn at
    random. The low end is 0 exactly when complete balance, a single hypothesis that can be tested
    as such, is not rejected.

    With `levels`, rows are prompts, several of which may belong to one level, and levels take the
    place of attributes. Then the interval holds for other prompts: their shares vary around that of
    their level with one intraclass correlation, which is estimated along. Coverage in simulated
    worlds: docs/statistics/diversity.md.

    Args:
        first: Images of the first group, one count per attribute (or prompt).
        second: Images of the second group, in the same order.
        confidence: Of the interval.
        levels: The level of each prompt; None: every row is an attribute of its own.

    Reference: Bansal et al. (2022), How well can Text-to-Image Generative Models understand Ethical
    Natural Language Interventions?, Eq. 1.

    >>> result = diversity_score([4, 5], [0, 2])
    >>> round(result.published, 3), result.n, result.n_attributes
    (0.636, 11, 2)
    """
    check_fraction("confidence", confidence)
    a, b = group_counts(first, second)
    codes = _level_codes(levels, a.size)
    n_levels = int(codes.max(initial=-1)) + 1
    used = a + b > 0
    counted = np.unique(codes[used])
    n, missing = int((a + b).sum()), n_levels - counted.size
    a, b, codes = a[used], b[used], np.searchsorted(counted, codes[used])
    unit: UnitWord = "prompt" if codes.size > counted.size else "image"
    if n == 0:
        return DiversityResult(math.nan, UNKNOWN, math.nan, 0, 0, missing, 0, unit)
    first_sum, total_sum = level_sums(a, codes), level_sums(a + b, codes)
    published = float(pooled_imbalance(first_sum, total_sum - first_sum))
    if unit == "prompt":
        found = level_imbalance_score(a, a + b, codes, confidence=confidence)
        balanced = balance_p_value_of_prompts(a, a + b, codes)
    else:
        found = imbalance_score(first_sum, total_sum, total_sum / n, confidence=confidence)
        balanced = balance_p_value(a, a + b)
    low, high = found.interval
    low = 0.0 if balanced > 1 - confidence else low
    return DiversityResult(
        min(max(found.value, low), high), Interval(low, high), published, n, counted.size, missing,
        codes.size, unit,
    )  # fmt: skip


def _level_codes(levels: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if levels is None:
        return np.arange(n)
    places = {name: i for i, name in enumerate(dict.fromkeys(unit_labels(levels, n, "counts")))}
    return np.array([places[name] for name in unit_labels(levels, n, "counts")], dtype=np.intp)


def bias_score(first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95) -> BiasResult:
    """Return ENTIGEN's bias score of every attribute: which of two groups leads, and by how much.

    `(a_k - b_k) / (a_k + b_k)` for each attribute k. From -1 (second group only) over 0 (balanced)
    to 1 (first group only); swapping the groups flips the sign. An attribute without an image: NaN,
    counted in `n_missing`. The interval is Wilson's for the first group's share, on this scale.
    For the bias over all attributes together, pass the two sums.

    Args:
        first: Images of the first group, one count per attribute; or one number.
        second: Images of the second group, in the same order.
        confidence: Of the intervals.

    Reference: Bansal et al. (2022), Eq. 2.

    >>> result = bias_score([5, 0], [2, 4])
    >>> result.value.round(3), result.interval.low.round(3), result.interval.high.round(3)
    (array([ 0.429, -1.   ]), array([-0.282, -1.   ]), array([ 0.836, -0.02 ]))
    """
    check_fraction("confidence", confidence)
    a, b = group_counts(first, second)
    total = a + b
    value = np.divide(a - b, total, out=np.full(a.shape, np.nan), where=total > 0)
    share = wilson(a, total, confidence=confidence)
    # A single pair of numbers gets single numbers back.
    shape = np.shape(first) if np.ndim(first) == np.ndim(second) else a.shape
    low, high = (2 * bound.reshape(shape) - 1 for bound in share)
    n = total.astype(np.intp).reshape(shape)
    return BiasResult(value.reshape(shape), Intervals(low, high), n, int((total == 0).sum()))


def many_group_diversity(
    counts: ArrayLike, *, confidence: float = 0.95, levels: ArrayLike | None = None
) -> ManyGroupDiversityResult:
    """Return how often two images of one attribute show different groups, for any number of groups.

    Per attribute with n images, c_g of group g out of G: the share of the n (n - 1) / 2 pairs that
    differ, divided by (G - 1) / G, its value for perfectly even groups; then the mean over
    attributes, weighted by n. The quantity runs from 0 (one group only) to 1 (all groups equally
    often): *larger is more diverse*, the other way round than Eq. 1. Pairs make it right on average
    at any n; a sample more even than chance would give more than 1 and is cut there. Attributes
    with fewer than two images are left out and counted; none left: NaN.

    The interval is the middle part of the posterior of `portrayal.statistics.evenness`; nothing is
    drawn at random. It reaches up to 1 exactly where complete evenness is not rejected. With
    `levels`, rows are prompts, levels take the place of attributes, pairs are of images of
    different prompts, and the interval holds for other prompts.

    Args:
        counts: Images per attribute or prompt (rows) and group (columns); one row is one attribute.
        confidence: Of the interval.
        levels: The level of each prompt; None: every row is an attribute of its own.

    Reference: Simpson (1949), Measurement of diversity, Nature 163.

    >>> result = many_group_diversity([[4, 4, 1], [9, 0, 0]])
    >>> round(result.value, 3), result.n
    (0.5, 18)
    """
    check_fraction("confidence", confidence)
    table = as_counts("counts", np.atleast_2d(np.asarray(counts)), ndim=2)
    groups = table.shape[1]
    if groups < 2:
        raise StatisticsError(f"counts has {groups} groups; allowed: at least 2 columns")
    codes = _level_codes(levels, len(table))
    images = np.bincount(codes, weights=table.sum(axis=1), minlength=1)
    n_levels = int(codes.max(initial=-1)) + 1
    used = (images[codes] >= 2) & (table.sum(axis=1) > 0)
    counted, codes = np.unique(codes[used], return_inverse=True)
    table, n_missing = table[used], n_levels - counted.size
    n = int(table.sum())
    unit: UnitWord = "prompt" if codes.size > counted.size else "image"
    if n == 0:
        return ManyGroupDiversityResult(math.nan, UNKNOWN, 0, 0, n_missing, unit)
    codes = codes.reshape(-1)
    whole = level_sums(table, codes)
    effects = design_effects(table, codes) if unit == "prompt" else np.ones((1, len(whole)))
    found = evenness_posterior(whole, effects)
    low, high = found.interval(confidence)
    high = 1.0 if even_p_value(whole, effects) > 1 - confidence else high
    value = float(_differing_pairs(table, whole, codes) @ (whole.sum(axis=1) / n))
    # Where no two images differ, 0 itself is possible.
    low = 0.0 if value <= 0 else low
    return ManyGroupDiversityResult(
        min(max(value, low), high), Interval(low, high), n, counted.size, n_missing, unit
    )


def _differing_pairs(table: FloatArray, whole: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    """Return, per level, how often two images differ; of different prompts where it has several."""
    groups, n = whole.shape[1], whole.sum(axis=1)
    prompts, size = np.bincount(codes), table.sum(axis=1)
    single = prompts == 1
    same = (whole**2).sum(axis=1) - np.bincount(codes, weights=(table**2).sum(axis=1))
    pairs = n**2 - np.bincount(codes, weights=size**2)
    same = np.where(single, (whole * (whole - 1)).sum(axis=1), same)
    pairs = np.where(single, n * (n - 1), pairs)
    return np.asarray((1 - same / pairs) * groups / (groups - 1))
