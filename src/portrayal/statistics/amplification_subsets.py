"""What a better comparison takes away from amplification, from counts of images."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.amplification import (
    DecompositionResult,
    ReductionResult,
    decomposition,
    item_mean,
    ratio_interval,
)
from portrayal.statistics.amplification_matching import MatchedSides, answer
from portrayal.statistics.amplification_sampling import (
    OCCUPATIONS,
    Occupations,
    counts_by_prompt,
)
from portrayal.statistics.amplification_sides import LEAST_IMAGES, side_of_counts
from portrayal.statistics.checks import check_fraction, check_option
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval


class _Items(NamedTuple):
    """Something that occupations have a part in."""

    per_item: FloatArray


def reduction_from_counts(
    generated: ArrayLike,
    baseline: ArrayLike,
    corrected: ArrayLike,
    *,
    nested: bool = False,
    occupations: Occupations = "random",
    confidence: float = 0.95,
) -> ReductionResult:
    """Return how much amplification a better comparison takes away, from counts of images.

    Both comparisons have the same generated images, so what is taken away is how much further from
    50% the subset is than the baseline: mean over occupations of `|T' - 50| - |T - 50|`, of true
    percentages. A subset has fewer images than the baseline and looks more uneven by chance; both
    are compared at the smaller number, as in `amplification_from_counts`. Positive: the correction
    reduces amplification. No common occupation: NaN.

    Args:
        generated: Images of the group and of the other, (occupations, 2) or (occupations, prompts,
            2); they say which occupations count, and what `relative` is a share of.
        baseline: Training images, likewise; for instance the naive subset.
        corrected: Training images, likewise; for instance of captions without indicators.
        nested: Whether the images of `corrected` are among those of `baseline`.
        occupations: Whether they stand for others, or for themselves.
        confidence: Of the intervals.

    References: The Bias Amplification Paradox, section 5; the interval of the share is Fieller's
    (1954), JRSS B 16, for occupations as a sample; none where the baseline itself may be 0.

    >>> generated = [[50, 450], [400, 100], [90, 410]]
    >>> naive, better = [[125, 375], [350, 150], [150, 350]], [[15, 85], [75, 25], [22, 78]]
    >>> result = reduction_from_counts(generated, naive, better, nested=True)
    >>> round(result.value, 1), round(result.relative, 2), result.n
    (7.7, 0.62, 3)
    """
    check_fraction("confidence", confidence)
    check_option("occupations", occupations, OCCUPATIONS)
    g, before, after = _sides(generated, {"baseline": baseline, "corrected": corrected})
    g, before, after = _common([g, before, after])
    less = _items(after, before, nested=nested, occupations=occupations, confidence=confidence)
    whole = _items(g, before, nested=False, occupations=occupations, confidence=confidence)
    value = 50 * less.value
    known: NDArray[np.bool_] = np.asarray(~np.isnan(less.per_item))
    total = 50 * whole.value
    share = UNKNOWN
    if occupations == "random" and known.sum() > 1:
        share = _share_interval(less, whole.per_item[known], confidence)
    return ReductionResult(
        value=value,
        interval=Interval(50 * less.interval.low, 50 * less.interval.high),
        relative=value / total if total else math.nan,
        relative_interval=share,
        n=int(known.sum()),
        n_missing=int((~known).sum()),
        t=item_mean(less.per_item, confidence=confidence).t,
        p_value=less.p_value,
        per_item=less.per_item,
    )


def decomposition_from_counts(
    generated: ArrayLike,
    subsets: Mapping[frozenset[str], ArrayLike],
    *,
    confidence: float = 0.95,
) -> DecompositionResult:
    """Split the naive amplification into what each correction explains, from counts of images.

    As `decomposition`, with each subset compared with the naive one as in `reduction_from_counts`.
    Only occupations with two images or more everywhere enter; none: NaN.

    Args:
        generated: Images of the group and of the other, (occupations, 2) or (occupations, prompts,
            2).
        subsets: Training images likewise, for every combination of corrections, by the set of their
            names; the empty set is the naive subset.
        confidence: Of the intervals.

    >>> generated = [[50, 450], [400, 100], [90, 410]]
    >>> naive, better = [[125, 375], [350, 150], [150, 350]], [[15, 85], [75, 25], [22, 78]]
    >>> subsets = {frozenset(): naive, frozenset({"no indicators"}): better}
    >>> split = decomposition_from_counts(generated, subsets)
    >>> round(split.naive, 1), round(split.parts["no indicators"].value, 1)
    (12.3, 7.7)
    """
    check_fraction("confidence", confidence)
    if frozenset() not in subsets:
        raise StatisticsError("subsets lacks no correction (the empty set); allowed: with it")
    names = {" + ".join(sorted(key)) or "no correction": key for key in subsets}
    g, *found = _sides(generated, {name: subsets[key] for name, key in names.items()})
    g, *found = _common([g, *found])
    by_key = dict(zip(names.values(), found, strict=True))
    naive = by_key[frozenset()]
    whole = _items(g, naive, nested=False, occupations="random", confidence=confidence)
    items = {}
    for key, counts in by_key.items():
        less = np.zeros(len(g))
        if key:
            less = _items(
                counts, naive, nested=False, occupations="random", confidence=confidence
            ).per_item
        items[key] = _Items(whole.per_item - less)
    return decomposition(items, confidence=confidence)


class _Found(NamedTuple):
    value: float
    interval: Interval
    p_value: float
    per_item: FloatArray


def _items(
    one: FloatArray, two: FloatArray, *, nested: bool, occupations: Occupations, confidence: float
) -> _Found:
    """Return how much further from 50% one side is than the other; per item in points."""
    prompts = max(one.shape[1], two.shape[1])
    matched = MatchedSides(
        side_of_counts(one, prompts), side_of_counts(two, prompts), nested=nested
    )
    found = answer(matched, random=occupations == "random", confidence=confidence)
    per_item = np.full(len(one), np.nan)
    per_item[matched.used.any(axis=1)] = 50 * found.per_item
    return _Found(found.value, found.interval, found.p_value, per_item)


def _share_interval(less: _Found, whole: FloatArray, confidence: float) -> Interval:
    """Return Fieller's interval, with what is taken away reaching as far up and down as it does."""
    items = less.per_item[~np.isnan(less.per_item)]
    centre = 50 * less.value
    even = item_mean(items, confidence=confidence).interval
    reach = (even.high - even.low) / 2
    if not reach > 0:
        return ratio_interval(items, whole, confidence=confidence)
    down, up = (
        ratio_interval(centre + by / reach * (items - centre), whole, confidence=confidence)
        for by in (centre - 50 * less.interval.low, 50 * less.interval.high - centre)
    )
    return Interval(down.low, up.high) if whole.mean() > 0 else Interval(up.low, down.high)


def _sides(generated: ArrayLike, training: Mapping[str, ArrayLike]) -> list[FloatArray]:
    g = counts_by_prompt("generated", generated)
    found = [g]
    for name, counts in training.items():
        side = counts_by_prompt(name, counts)
        if side.shape[0] != g.shape[0] or side.shape[1] not in (1, g.shape[1]):
            raise StatisticsError(
                f"generated is (occupations, prompts) {g.shape[:2]} and {name} {side.shape[:2]}; "
                "allowed: the same occupations, and one training count or one per prompt"
            )
        found.append(side)
    return found


def _common(sides: list[FloatArray]) -> list[FloatArray]:
    """Return counts without those of occupations that lack images on a side."""
    enough = [(side.sum(axis=-1) >= LEAST_IMAGES).any(axis=1) for side in sides]
    kept = np.all(enough, axis=0)
    return [side * kept[:, None, None] for side in sides]
