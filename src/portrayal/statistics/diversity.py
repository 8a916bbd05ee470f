"""Diversity and bias of an intervention study: how evenly groups are shown, and which one leads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_rng, unit_labels
from portrayal.statistics.counts import FloatArray, Intervals, as_counts, wilson
from portrayal.statistics.imbalance import (
    LIKELY_BALANCE,
    RARE_BALANCE,
    PromptEvidence,
    draw_imbalance,
    draw_level_imbalance,
    prompt_evidence,
)
from portrayal.statistics.intervals import UNKNOWN, Interval

_NULL_DRAWS = 2000
_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class DiversityResult:
    """A diversity score with its uncertainty.

    Attributes:
        value: The score that endless images would have: Eq. 1 without what chance adds at this n.
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
    unit: Literal["prompt", "image"]


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
    """

    value: float
    interval: Interval
    n: int
    n_attributes: int
    n_missing: int


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
    rng: np.random.Generator,
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
    score at endless images: median and quantiles of the posterior of
    `portrayal.statistics.imbalance`, which learns from all attributes together, the low quantile
    with exact balance likely beforehand, the high one with exact balance rare. The low end is 0
    exactly when complete balance, a single hypothesis that can be tested as such, is not rejected.

    With `levels`, rows are prompts, several of which may belong to one level, and levels take the
    place of attributes. Then the interval holds for other prompts: their shares vary around that of
    their level with one intraclass correlation, which is estimated along. Coverage in simulated
    worlds: docs/statistics/diversity.md.

    Args:
        first: Images of the first group, one count per attribute (or prompt).
        second: Images of the second group, in the same order.
        rng: Source of the draws.
        confidence: Of the interval.
        levels: The level of each prompt; None: every row is an attribute of its own.

    Reference: Bansal et al. (2022), How well can Text-to-Image Generative Models understand Ethical
    Natural Language Interventions?, Eq. 1.

    >>> result = diversity_score([4, 5], [0, 2], rng=np.random.default_rng(0))
    >>> round(result.published, 3), result.n, result.n_attributes
    (0.636, 11, 2)
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    a, b = group_counts(first, second)
    codes = _level_codes(levels, a.size)
    n_levels = int(codes.max(initial=-1)) + 1
    used = a + b > 0
    counted = np.unique(codes[used])
    n, missing = int((a + b).sum()), n_levels - counted.size
    a, b, codes = a[used], b[used], np.searchsorted(counted, codes[used])
    unit: Literal["prompt", "image"] = "prompt" if codes.size > counted.size else "image"
    if n == 0:
        return DiversityResult(math.nan, UNKNOWN, math.nan, 0, 0, missing, 0, unit)
    member = np.eye(counted.size)[codes]
    published = float(pooled_imbalance(a @ member, b @ member))
    draw = _draw_prompts if unit == "prompt" else _draw_images
    drawn = draw(a, a + b, codes, rng)
    tail = (1 - confidence) / 2
    value = float(np.median([drawn.likely, drawn.rare]))
    low, high = float(np.quantile(drawn.likely, tail)), float(np.quantile(drawn.rare, 1 - tail))
    balanced = float(np.quantile(drawn.balanced, confidence, method="higher"))
    low = 0.0 if published <= balanced + 1e-12 else low
    return DiversityResult(
        min(max(value, low), high), Interval(low, high), published, n, counted.size, missing,
        codes.size, unit,
    )  # fmt: skip


def _level_codes(levels: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if levels is None:
        return np.arange(n)
    places = {name: i for i, name in enumerate(dict.fromkeys(unit_labels(levels, n, "counts")))}
    return np.array([places[name] for name in unit_labels(levels, n, "counts")], dtype=np.intp)


class _Drawn(NamedTuple):
    """Scores drawn with exact balance likely and rare, and published scores of complete balance."""

    likely: FloatArray
    rare: FloatArray
    balanced: FloatArray


def _draw_images(
    first: FloatArray, total: FloatArray, codes: NDArray[np.intp], rng: np.random.Generator
) -> _Drawn:
    first, total = first[np.argsort(codes)], total[np.argsort(codes)]
    likely, rare = (
        draw_imbalance(first, total, rng=rng, draws=_DRAWS, balance=balance) @ (total / total.sum())
        for balance in (LIKELY_BALANCE, RARE_BALANCE)
    )
    heads = rng.binomial(total.astype(np.int64), 0.5, size=(_NULL_DRAWS, total.size))
    return _Drawn(likely, rare, pooled_imbalance(heads.astype(np.float64), total - heads))


def _draw_prompts(
    first: FloatArray, total: FloatArray, codes: NDArray[np.intp], rng: np.random.Generator
) -> _Drawn:
    evidence = prompt_evidence(first, total, codes)
    weight = np.bincount(codes, weights=total) / total.sum()
    likely, rare = (
        draw_level_imbalance(evidence, rng=rng, draws=_DRAWS, balance=balance) @ weight
        for balance in (LIKELY_BALANCE, RARE_BALANCE)
    )
    return _Drawn(likely, rare, _balanced_prompts(evidence, total, codes, rng))


def _balanced_prompts(
    evidence: PromptEvidence, total: FloatArray, codes: NDArray[np.intp], rng: np.random.Generator
) -> FloatArray:
    """Return published scores of levels that are balanced, with prompts that differ as ours do."""
    icc = rng.choice(evidence.correlations, size=_NULL_DRAWS, p=evidence.balanced_chances)[:, None]
    shape = (1 - icc) / icc / 2
    shares = rng.beta(shape, shape, size=(_NULL_DRAWS, total.size))
    heads = rng.binomial(total.astype(np.int64), shares).astype(np.float64)
    member = np.eye(int(codes.max()) + 1)[codes]
    return pooled_imbalance(heads @ member, (total - heads) @ member)


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
    counts: ArrayLike, *, rng: np.random.Generator, confidence: float = 0.95
) -> ManyGroupDiversityResult:
    """Return how often two images of one attribute show different groups, for any number of groups.

    Per attribute with n images, c_g of group g out of G: the share of the n (n - 1) / 2 pairs that
    differ, divided by (G - 1) / G, its value for perfectly even groups; then the mean over
    attributes, weighted by n. The quantity runs from 0 (one group only) to 1 (all groups equally
    often): *larger is more diverse*, the other way round than Eq. 1. Pairs make the estimate right
    on average at any n; the price is that a sample more even than chance gives up to n / (n - 1).
    Attributes with fewer than two images are left out and counted; none left: NaN.

    The interval is the widest of three (draws from each attribute's Dirichlet posterior, moved so
    that their mean is the estimate, and a parametric bootstrap around lightly smoothed shares, read
    forwards and backwards), with the spread enlarged for the shares being estimated.

    Args:
        counts: Images per attribute (rows) and group (columns); one row is one attribute.
        rng: Source of the draws.
        confidence: Of the interval.

    Reference: Simpson (1949), Measurement of diversity, Nature 163.

    >>> result = many_group_diversity([[4, 4, 1], [9, 0, 0]], rng=np.random.default_rng(0))
    >>> round(result.value, 3), result.n
    (0.5, 18)
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    table = as_counts("counts", np.atleast_2d(np.asarray(counts)), ndim=2)
    groups = table.shape[1]
    if groups < 2:
        raise StatisticsError(f"counts has {groups} groups; allowed: at least 2 columns")
    used = table.sum(axis=1) >= 2
    n_missing = int((~used).sum())
    table = table[used]
    n = int(table.sum())
    if n == 0:
        return ManyGroupDiversityResult(math.nan, UNKNOWN, 0, 0, n_missing)
    weight = table.sum(axis=1) / n
    value = float(_differing_pairs(table) @ weight)
    low, high = _evenness_interval(table, value, rng=rng, confidence=confidence)
    # Without small-sample bias an estimate may come out above 1, where no truth is; an interval
    # that leaves out its own estimate would puzzle more than one that reaches up to it.
    interval = Interval(min(float(low), value), max(float(high), value))
    return ManyGroupDiversityResult(value, interval, n, int(used.sum()), n_missing)


def _evenness_interval(
    table: FloatArray, value: float, *, rng: np.random.Generator, confidence: float
) -> Interval:
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    n = table.sum(axis=1)
    weight = n / n.sum()
    # Posterior spread is right for few attributes, the bootstrap for many with few images each.
    drawn = rng.standard_gamma(table + 0.5, size=(_DRAWS, *table.shape))
    posterior = _evenness(drawn / drawn.sum(axis=-1, keepdims=True)) @ weight
    moved = np.quantile(posterior - posterior.mean(), tails)
    smooth = (table + 1 / table.shape[1]) / (n[:, None] + 1)
    again = rng.multinomial(n.astype(np.int64), smooth, size=(_DRAWS, n.size)).astype(np.float64)
    ahead = np.quantile((_differing_pairs(again) - _evenness(smooth)) @ weight, tails)
    stretch = math.sqrt(float(n.sum() / (n - 1).sum()))
    low = value + stretch * min(moved[0], ahead[0], -ahead[1])
    high = value + stretch * max(moved[1], ahead[1], -ahead[0])
    return Interval(min(max(low, 0.0), 1.0), min(max(high, value, 0.0), 1.0))


def _evenness(shares: FloatArray) -> FloatArray:
    groups = shares.shape[-1]
    return np.asarray((1 - (shares**2).sum(axis=-1)) * groups / (groups - 1))


def _differing_pairs(counts: FloatArray) -> FloatArray:
    groups, n = counts.shape[-1], counts.sum(axis=-1)
    same = (counts * (counts - 1)).sum(axis=-1) / (n * (n - 1))
    return np.asarray((1 - same) * groups / (groups - 1))
