"""Agreement between raters and between classifiers, beyond chance or not.

Ratings are given as one sequence per rater, `percent_agreement(first, second, third)`, or as a
single table with one row per rater and one column per item. None and NaN mean no answer. Intervals
take the items as a sample (see `agreement_intervals`); without `rng` there is no drawing and the
interval is (NaN, NaN).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.agreement_intervals import (
    Coefficient,
    Population,
    agreeing_pairs,
    inverted_interval,
    population_of_counts,
    population_of_pairs,
)
from portrayal.statistics.checks import check_fraction, check_option, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.ratings import as_ratings

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """A coefficient of agreement.

    Attributes:
        value: The coefficient.
        interval: Values that the items do not contradict; they are taken as a sample of items.
        n: Items that count.
        n_missing: Items that too few raters answered.
    """

    value: float
    interval: Interval
    n: int
    n_missing: int

    def __float__(self) -> float:
        """Return the coefficient."""
        return self.value


def percent_agreement(
    *ratings: ArrayLike,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> AgreementResult:
    """Return the share of pairs of raters who agree, averaged over items.

    From 0 to 1; larger is more agreement. It does not know that agreement happens by chance: see
    the kappas and alpha. Items with fewer than two answers are left out; none left: NaN.

    Args:
        *ratings: One sequence of labels per rater, or one (raters, items) table.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Fleiss (1971), Measuring nominal scale agreement among many raters, P-bar.

    >>> float(percent_agreement(["man", "woman", "man"], ["man", "woman", "woman"]).value)
    0.6666666666666666
    """
    return _many_raters("percent", ratings, rng, resamples, confidence)


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> AgreementResult:
    """Return Cohen's kappa of two raters: agreement beyond what their label frequencies give.

    `(p_o - p_e) / (1 - p_e)`. At most 1 (complete agreement); 0 is chance, negative is worse than
    chance. Items without both answers are left out; none left, or both raters using one and the
    same label throughout: NaN.

    Args:
        first: Labels by one rater.
        second: Labels by the other, in the same order.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Cohen (1960), A coefficient of agreement for nominal scales.

    >>> round(cohen_kappa([1, 1, 0, 0, 1, 0], [1, 1, 0, 1, 1, 0]).value, 3)
    0.667
    """
    _check(rng, resamples, confidence)
    table = as_ratings((first, second))
    both = (table.codes >= 0).all(axis=0)
    # Labels that only items without a second answer have are no labels of these pairs.
    codes = np.unique(table.codes[:, both], return_inverse=True)[1].reshape(2, -1)
    population = population_of_pairs(codes[0], codes[1])
    a, b = (population.patterns[:, [column]] == np.arange(codes.max(initial=0) + 1)
            for column in (0, 1))  # fmt: skip

    def coefficient(times: FloatArray) -> FloatArray:
        n = times.sum(axis=1)
        observed = times @ population.agreeing / n
        return _beyond_chance(observed, ((times @ a) * (times @ b)).sum(axis=1) / n**2)

    return _result(coefficient, population, int((~both).sum()), rng, resamples, confidence)


def fleiss_kappa(
    *ratings: ArrayLike,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> AgreementResult:
    """Return Fleiss' kappa: pairwise agreement beyond what the overall label frequencies give.

    `(P - P_e) / (1 - P_e)` with P the mean share of agreeing pairs per item and P_e the sum of
    squared label frequencies. At most 1; 0 is chance. Raters need not be the same persons from item
    to item, and items may have different numbers of answers. Items with fewer than two are left
    out; none left, or only one label in use: NaN.

    Args:
        *ratings: One sequence of labels per rater, or one (raters, items) table.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Fleiss (1971), Measuring nominal scale agreement among many raters.

    >>> round(fleiss_kappa(["a", "a", "b"], ["a", "b", "b"], ["a", "a", "b"]).value, 3)
    0.55
    """
    return _many_raters("fleiss", ratings, rng, resamples, confidence)


def krippendorff_alpha(
    *ratings: ArrayLike,
    level: Level = "nominal",
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> AgreementResult:
    """Return Krippendorff's alpha: 1 - observed over expected disagreement, for any raters.

    With n_ic answers c on item i, m_i answers on it, n_c answers c in all and n answers in all,
    `alpha = 1 - (n - 1) sum_i sum_ck n_ic n_ik d_ck / (m_i - 1) / sum_ck n_c n_k d_ck`, where d is
    the squared difference of two answers: 1 for two labels that differ (nominal), (c - k)^2
    (interval), ((c - k) / (c + k))^2 (ratio), or the squared number of answers between them, each
    end counted half (ordinal). At most 1 (complete agreement); 0 is chance, negative is systematic
    disagreement. Missing answers are allowed. Items with fewer than two answers are left out; none
    left, or only one label in use: NaN.

    Args:
        *ratings: One sequence of labels per rater, or one (raters, items) table.
        level: `nominal` for groups; `ordinal`, `interval` and `ratio` want numbers.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    >>> round(krippendorff_alpha([1, 2, 3, 3, 2], [1, 2, 3, 3, 2], [None, 3, 3, 3, 2]).value, 3)
    0.78
    """
    check_option("level", level, LEVELS)
    return _many_raters(level, ratings, rng, resamples, confidence)


def _many_raters(
    kind: Level | Literal["percent", "fleiss"],
    ratings: tuple[ArrayLike, ...],
    rng: np.random.Generator | None,
    resamples: int,
    confidence: float,
) -> AgreementResult:
    """Return a coefficient of raters who may be anyone: only how often each label counts."""
    _check(rng, resamples, confidence)
    table = as_ratings(ratings)
    if kind in ("ordinal", "interval", "ratio") and not all(
        isinstance(label, (int, float)) for label in table.labels
    ):
        raise StatisticsError(f"level is {kind!r} but labels are {table.labels}; allowed: numbers")
    enough = table.counts.sum(axis=1) >= 2
    used = table.counts[enough]
    given = used.any(axis=0)
    used, labels = (
        used[:, given],
        [x for x, known in zip(table.labels, given, strict=True) if known],
    )
    if rng is None or not len(used):
        nothing = np.zeros(len(used))
        population = Population(
            used, np.ones(len(used)), agreeing_pairs(used), nothing, nothing, nothing
        )
    else:
        population = population_of_counts(used, rng, even=kind == "percent")
    if kind == "percent":
        coefficient = _percent(population)
    elif kind == "fleiss":
        coefficient = _fleiss(population)
    elif kind == "ordinal":
        coefficient = _ordinal_alpha(population.patterns)
    else:
        coefficient = _alpha(population.patterns, _squared_differences(labels, kind))
    return _result(coefficient, population, int((~enough).sum()), rng, resamples, confidence)


def _percent(population: Population) -> Coefficient:
    def coefficient(times: FloatArray) -> FloatArray:
        return np.asarray(times @ population.agreeing / times.sum(axis=1))

    return coefficient


def _fleiss(population: Population) -> Coefficient:
    def coefficient(times: FloatArray) -> FloatArray:
        labels = times @ population.patterns
        labels = labels / labels.sum(axis=1, keepdims=True)
        observed = times @ population.agreeing / times.sum(axis=1)
        return _beyond_chance(observed, (labels**2).sum(axis=1))

    return coefficient


def _squared_differences(labels: Sequence[float], level: str) -> FloatArray:
    """Return d of every two labels; the names of nominal labels do not matter."""
    if level == "nominal":
        return 1.0 - np.eye(len(labels))
    values = np.array(labels, dtype=np.float64)
    apart = values[:, None] - values
    if level == "ratio":
        sums = values[:, None] + values
        apart = np.divide(apart, sums, out=np.zeros_like(apart), where=sums != 0)
    return np.asarray(apart**2)


def _alpha(patterns: FloatArray, differences: FloatArray) -> Coefficient:
    own = ((patterns @ differences) * patterns).sum(axis=1) / (patterns.sum(axis=1) - 1)

    def coefficient(times: FloatArray) -> FloatArray:
        labels = times @ patterns
        expected = ((labels @ differences) * labels).sum(axis=1)
        return _one_minus(times @ own, expected, labels)

    return coefficient


def _ordinal_alpha(patterns: FloatArray) -> Coefficient:
    """Ordinal differences are those of the labels' mean ranks, which each draw has of its own."""
    sizes = patterns.sum(axis=1)

    def coefficient(times: FloatArray) -> FloatArray:
        labels = times @ patterns
        ranks = np.cumsum(labels, axis=1) - labels / 2
        ranks /= labels.sum(axis=1, keepdims=True)
        squares, sums = ranks**2 @ patterns.T, ranks @ patterns.T
        own = 2 * (sizes * squares - sums**2) / (sizes - 1)
        all_squares, all_sums = (labels * ranks**2).sum(axis=1), (labels * ranks).sum(axis=1)
        expected = 2 * (labels.sum(axis=1) * all_squares - all_sums**2)
        return _one_minus((times * own).sum(axis=1), expected, labels)

    return coefficient


def _one_minus(observed: FloatArray, expected: FloatArray, labels: FloatArray) -> FloatArray:
    value = np.full(observed.shape, np.nan)
    several = (labels > 0).sum(axis=1) > 1
    np.divide((labels.sum(axis=1) - 1) * observed, expected, out=value, where=several)
    return 1 - value


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    room = 1 - expected
    value = np.full(room.shape, np.nan)
    # Rounding leaves about 1e-16 of room where there is none.
    np.divide(observed - expected, room, out=value, where=room > 1e-12)
    return value


def _check(rng: np.random.Generator | None, resamples: int, confidence: float) -> None:
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    if rng is not None:
        check_rng(rng)


def _result(
    coefficient: Coefficient,
    population: Population,
    n_missing: int,
    rng: np.random.Generator | None,
    resamples: int,
    confidence: float,
) -> AgreementResult:
    n = population.n
    value = float(coefficient(population.observed[None])[0]) if n else math.nan
    interval = UNKNOWN
    if rng is not None:
        interval = inverted_interval(
            coefficient, population, resamples=resamples, confidence=confidence, rng=rng
        )
    return AgreementResult(value, interval, n, n_missing)
