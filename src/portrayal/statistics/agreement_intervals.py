"""Intervals for coefficients of agreement that hold with few items and with rare labels.

Drawing few items with replacement repeats the items that happen to be there: ten items in which
nobody disagreed can only be drawn as ten items in which nobody disagreed. So each possible value of
the coefficient is tested instead. Items are drawn from populations on a path through the data:
upwards the items are mixed with items on which all raters agree, downwards with items whose raters
answer independently, and further down with items whose raters differ as much as they can. The
frequencies of the labels stay what they are. A value belongs to the interval as long as its
population does not make the observed coefficient too unlikely on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy import special

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval

Coefficient = Callable[[FloatArray], FloatArray]
"""Takes (draws, patterns), how often each pattern was drawn; returns one value per draw."""

# Items of the fitted population that are added to those seen, so that what few items happen not to
# show remains possible: half an item, as in Jeffreys' prior for a share.
_ADDED = 0.5
# Patterns of one number of raters; where there are more, so many are drawn at random.
_MOST_PATTERNS = 200
_STEPS = 9
# Coefficients of populations are those of very many items.
_MANY = 1e9
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Which patterns of answers an item can have, how often each was seen, and three extremes.

    Attributes:
        patterns: One row per pattern.
        observed: Items that show it.
        agreeing: Share of agreeing pairs of raters in it.
        alike: Its chance where all raters give the same answer.
        independent: Its chance where raters answer independently.
        opposed: Its chance where raters differ as much as the labels' frequencies allow.
    """

    patterns: FloatArray
    observed: FloatArray
    agreeing: FloatArray
    alike: FloatArray
    independent: FloatArray
    opposed: FloatArray

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.observed.sum())

    def fitted(self) -> FloatArray:
        """Return the chance of each pattern: the items seen, and a little of what they suggest."""
        chance = float(self.independent @ self.agreeing)
        beyond = float(self.observed @ self.agreeing) / self.n - chance
        # Complete agreement of n items does not mean that raters always agree.
        excess = min(max(beyond / max(1.0 - chance, 1e-12), 0.0), 1.0) * self.n / (self.n + 1.0)
        model = excess * self.alike + (1.0 - excess) * self.independent
        return np.asarray((self.observed + _ADDED * model) / (self.n + _ADDED))


class _Path:
    """Populations from the most opposed (-2 or -1) over the fitted one (0) to agreement (1)."""

    def __init__(self, population: Population) -> None:
        fitted = population.fitted()
        stops = [population.opposed, fitted, population.alike]
        above = float((fitted - population.independent) @ population.agreeing) > 0
        if above:
            stops.insert(1, population.independent)
        self.stops = np.stack(stops)
        self.start = -2.0 if above else -1.0

    def at(self, place: float) -> FloatArray:
        index = min(math.floor(place - self.start), len(self.stops) - 2)
        part = place - self.start - index
        mixed = np.clip((1.0 - part) * self.stops[index] + part * self.stops[index + 1], 0.0, None)
        return np.asarray(mixed / mixed.sum())


def inverted_interval(
    coefficient: Coefficient,
    population: Population,
    *,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Interval:
    """Return all values of a coefficient that the items do not contradict.

    Values are compared by mid-p, as coefficients of few items take few values. Draws in which the
    coefficient is undefined do not count. NaN for fewer than two items, or where the coefficient of
    the data is undefined.

    Args:
        coefficient: Of draws of the population's patterns.
        population: What was seen, and what could have been.
        resamples: Draws from each population on the path.
        confidence: Of the interval.
        rng: Source of the draws.

    Reference: Carpenter (1999), Test inversion bootstrap confidence intervals, J. R. Statist. Soc.
    B 61(1); Lancaster (1961), JASA 56, for the mid-p.
    """
    n = population.n
    value = float(coefficient(population.observed[None])[0]) if n else math.nan
    if n < 2 or math.isnan(value):
        return UNKNOWN
    path = _Path(population)

    def tail(place: float, sign: float) -> float:
        drawn = coefficient(rng.multinomial(n, path.at(place), size=resamples).astype(np.float64))
        off = sign * (drawn[~np.isnan(drawn)] - value)
        return float(np.mean((off > _SAME) + 0.5 * (np.abs(off) <= _SAME))) if off.size else 1.0

    def reached(place: float) -> float:
        return float(coefficient(_MANY * path.at(place)[None])[0])

    limit = (1.0 - confidence) / 2.0
    low = reached(_last_inside(lambda place: tail(place, 1.0), path.start, limit))
    high = reached(_last_inside(lambda place: tail(place, -1.0), 1.0, limit))
    return Interval(min(low, value), max(high, value))


def _last_inside(tail: Callable[[float], float], end: float, limit: float) -> float:
    """Return the place between 0 and `end` where the tail falls to the limit."""
    outside, beyond = end, tail(end)
    if beyond > limit:
        return end
    inside, within = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (inside + outside) / 2.0
        found = tail(middle)
        if found > limit:
            inside, within = middle, found
        else:
            outside, beyond = middle, found
    return outside + (inside - outside) * (limit - beyond) / (within - beyond)


def population_of_counts(
    counts: FloatArray, rng: np.random.Generator, *, even: bool = False
) -> Population:
    """Return the population behind items whose raters may be anyone.

    Args:
        counts: Answers per item (rows) and label (columns), at least two answers per item, each
            label given at least once.
        rng: Source of patterns where there are too many to list.
        even: Give every label the same frequency in the extremes, and two labels at least: a
            coefficient that knows no chance may fall below what rare labels allow.
    """
    if even and counts.shape[1] == 1:
        counts = np.column_stack([counts, np.zeros(len(counts))])
    labels = counts.shape[1]
    pooled = (counts.sum(axis=0) + _ADDED / labels) / (counts.sum() + _ADDED)
    if even:
        pooled = np.full(labels, 1.0 / labels)
    found: dict[tuple[int, ...], FloatArray] = {}

    def add(column: int, patterns: NDArray[np.int64], chances: FloatArray) -> None:
        for pattern, chance in zip(map(tuple, patterns.tolist()), chances.tolist(), strict=True):
            found.setdefault(pattern, np.zeros(4))[column] += chance

    whole = counts.astype(np.int64)
    add(0, whole, np.ones(len(whole)))
    sizes, times = np.unique(whole.sum(axis=1), return_counts=True)
    for size, part in zip(sizes.tolist(), (times / len(whole)).tolist(), strict=True):
        add(1, size * np.eye(labels, dtype=np.int64), part * pooled)
        patterns, chances = _independent(size, pooled, rng)
        add(2, patterns, part * chances)
        patterns, chances = _opposed(size, pooled)
        add(3, patterns, part * chances)
    rows = np.array(list(found), dtype=np.float64)
    observed, alike, independent, opposed = np.array(list(found.values())).T
    return Population(rows, observed, agreeing_pairs(rows), alike, independent, opposed)


def agreeing_pairs(counts: FloatArray) -> FloatArray:
    """Return the share of agreeing pairs of answers of every item."""
    n = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def _independent(
    size: int, pooled: FloatArray, rng: np.random.Generator
) -> tuple[NDArray[np.int64], FloatArray]:
    """Return patterns of raters who answer independently, with their chances."""
    labels = len(pooled)
    if math.comb(size + labels - 1, labels - 1) > _MOST_PATTERNS:
        drawn = rng.multinomial(size, pooled, size=_MOST_PATTERNS)
        return drawn.astype(np.int64), np.full(_MOST_PATTERNS, 1.0 / _MOST_PATTERNS)
    chosen = combinations_with_replacement(range(labels), size)
    patterns = np.array([np.bincount(labels_, minlength=labels) for labels_ in chosen])
    ways = special.gammaln(size + 1.0) - special.gammaln(patterns + 1.0).sum(axis=1)
    return patterns, np.asarray(np.exp(ways + patterns @ np.log(pooled)))


def _opposed(size: int, pooled: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Return patterns as mixed as the labels' frequencies allow (a systematic sample of labels)."""
    ends = np.concatenate([[0.0], np.cumsum(size * pooled)])
    ends[-1] = size
    cuts = np.unique(np.concatenate([[0.0, 1.0], ends % 1.0]))
    middles = (cuts[1:] + cuts[:-1]) / 2.0
    patterns = np.diff(np.floor(ends[None, :] - middles[:, None]), axis=1)
    return patterns.astype(np.int64), np.diff(cuts)


def population_of_pairs(first: NDArray[np.intp], second: NDArray[np.intp]) -> Population:
    """Return the population behind items that the same two raters labelled.

    Each pattern is a pair of codes.

    Args:
        first: Codes from 0 by one rater, each code used by one rater or the other.
        second: Codes by the other.
    """
    labels = int(max(first.max(initial=0), second.max(initial=0))) + 1
    table = np.zeros((labels, labels))
    np.add.at(table, (first, second), 1.0)
    total = table.sum() + _ADDED
    mine, theirs = (table.sum(axis=axis) + _ADDED / labels for axis in (1, 0))
    independent = np.outer(mine, theirs) / total**2
    same = np.eye(labels)
    apart = independent * (1.0 - same)
    # With a single label there is nothing to differ in; its coefficient is undefined anyway.
    opposed = apart / apart.sum() if labels > 1 else same
    alike = np.diag(mine + theirs) / (2.0 * total)
    codes = np.indices(table.shape).reshape(2, -1).T.astype(np.float64)
    columns = (one.ravel() for one in (table, same, alike, independent, opposed))
    return Population(codes, *columns)
