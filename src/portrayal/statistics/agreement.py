"""Agreement between raters, between classifiers, and between rankings.

Ratings are given as one sequence per rater, `percent_agreement(first, second, third)`, or as a
single table with one row per rater and one column per item. None and NaN mean no answer. Intervals
draw items with replacement; without `rng` there is no drawing and the interval is (NaN, NaN).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import krippendorff
import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval, share_interval
from portrayal.statistics.ratings import as_ratings, is_missing

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """A coefficient of agreement.

    Attributes:
        value: The coefficient.
        interval: By drawing items with replacement.
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


@dataclass(frozen=True, slots=True)
class RankCorrelationResult:
    """A rank correlation.

    Attributes:
        value: The coefficient.
        p_value: Two-sided, against no association.
        interval: By drawing items with replacement.
        n: Items with both values.
        n_missing: Items without one of them.
    """

    value: float
    p_value: float
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
    counts = _shared_items(ratings)
    agree = _agreeing(counts.used)

    def coefficient(times: FloatArray) -> FloatArray:
        return np.asarray(times @ agree / times.sum(axis=1))

    return _with_interval(coefficient, counts, rng, resamples, confidence, beyond_chance=False)


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
    table = as_ratings((first, second))
    both = (table.codes >= 0).all(axis=0)
    a, b = np.eye(len(table.labels))[table.codes[:, both]]
    counts = _Items(a + b, int((~both).sum()))

    def coefficient(times: FloatArray) -> FloatArray:
        n = times.sum(axis=1)
        observed = times @ (a * b).sum(axis=1) / n
        return _beyond_chance(observed, ((times @ a) * (times @ b)).sum(axis=1) / n**2)

    return _with_interval(coefficient, counts, rng, resamples, confidence)


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
    counts = _shared_items(ratings)
    agree = _agreeing(counts.used)

    def coefficient(times: FloatArray) -> FloatArray:
        labels = times @ counts.used
        labels = labels / labels.sum(axis=1, keepdims=True)
        return _beyond_chance(times @ agree / times.sum(axis=1), (labels**2).sum(axis=1))

    return _with_interval(coefficient, counts, rng, resamples, confidence)


def krippendorff_alpha(
    *ratings: ArrayLike,
    level: Level = "nominal",
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> AgreementResult:
    """Return Krippendorff's alpha: 1 - observed over expected disagreement, for any raters.

    At most 1 (complete agreement); 0 is chance, negative is systematic disagreement. Missing
    answers are allowed. Items with fewer than two answers are left out; none left, or only one
    label in use: NaN.

    Args:
        *ratings: One sequence of labels per rater, or one (raters, items) table.
        level: `nominal` for groups; `ordinal`, `interval` and `ratio` want numbers.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Krippendorff (2011), Computing Krippendorff's alpha-reliability; computed by the
    package krippendorff.

    >>> round(krippendorff_alpha([1, 2, 3, 3, 2], [1, 2, 3, 3, 2], [None, 3, 3, 3, 2]).value, 3)
    0.78
    """
    check_option("level", level, LEVELS)
    table = as_ratings(ratings)
    if level != "nominal" and not all(isinstance(label, (int, float)) for label in table.labels):
        raise StatisticsError(f"level is {level!r} but labels are {table.labels}; allowed: numbers")
    counts = _Items.of(table.counts)
    domain = table.labels if level != "nominal" else range(len(table.labels))

    def coefficient(times: FloatArray) -> FloatArray:
        values = np.full(len(times), np.nan)
        for i, row in enumerate(times.astype(np.intp)):
            drawn = np.repeat(counts.used, row, axis=0)
            if (drawn.sum(axis=0) > 0).sum() > 1:
                values[i] = krippendorff.alpha(
                    value_counts=drawn, value_domain=list(domain), level_of_measurement=level
                )
        return values

    return _with_interval(coefficient, counts, rng, resamples, confidence)


def kendall_tau(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> RankCorrelationResult:
    """Return Kendall's tau-b: whether two measures put items into the same order.

    `(concordant - discordant pairs) / sqrt((pairs - ties in x) (pairs - ties in y))`. From -1
    (reversed) over 0 to 1 (same order). NaN and None are missing. Fewer than two items, or a
    measure that is the same for all: NaN.

    Args:
        x: One number per item.
        y: Another number per item, in the same order.
        rng: Source of the draws; None: no interval.
        resamples: How often to draw.
        confidence: Of the interval.

    Reference: Kendall (1945), The treatment of ties in ranking problems; value and p-value by
    scipy.stats.kendalltau.

    >>> round(kendall_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]).value, 4)
    -0.4714
    """
    a, b = _numbers("x", x), _numbers("y", y)
    if a.size != b.size:
        raise StatisticsError(f"x has {a.size} items and y has {b.size}; allowed: as many in each")
    both = ~np.isnan(a) & ~np.isnan(b)
    n_missing = int((~both).sum())
    a, b = a[both], b[both]
    signs_a, signs_b = np.sign(a[:, None] - a), np.sign(b[:, None] - b)
    products = (signs_a * signs_b, signs_a**2, signs_b**2)

    def coefficient(times: FloatArray) -> FloatArray:
        both, of_a, of_b = (((times @ product) * times).sum(axis=1) for product in products)
        scale = np.sqrt(of_a * of_b)
        return np.asarray(np.divide(both, scale, out=np.full(len(times), np.nan), where=scale > 0))

    if a.size < 2 or not (signs_a.any() and signs_b.any()):
        value, p_value = math.nan, math.nan
    else:
        value, p_value = (float(number) for number in stats.kendalltau(a, b))
    interval = _drawn_interval(coefficient, a.size, rng, resamples, confidence)
    return RankCorrelationResult(value, p_value, interval, int(a.size), n_missing)


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Answers per item and label, of items with at least two; and how many items have fewer."""

    used: FloatArray
    n_missing: int

    @classmethod
    def of(cls, counts: FloatArray) -> _Items:
        enough = counts.sum(axis=1) >= 2
        return cls(counts[enough], int((~enough).sum()))


def _shared_items(ratings: tuple[ArrayLike, ...]) -> _Items:
    return _Items.of(as_ratings(ratings).counts)


def _agreeing(counts: FloatArray) -> FloatArray:
    """Return the share of agreeing pairs of answers of every item."""
    n = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    room = 1 - expected
    value = np.full(room.shape, np.nan)
    # Rounding leaves about 1e-16 of room where there is none.
    np.divide(observed - expected, room, out=value, where=room > 1e-12)
    return value


def _with_interval(
    coefficient: Callable[[FloatArray], FloatArray],
    items: _Items,
    rng: np.random.Generator | None,
    resamples: int,
    confidence: float,
    *,
    beyond_chance: bool = True,
) -> AgreementResult:
    n = len(items.used)
    value = float(coefficient(np.ones((1, n)))[0]) if n else math.nan
    interval = _drawn_interval(coefficient, n, rng, resamples, confidence)
    if value == 1 and rng is not None:
        # Draws from complete agreement agree completely. So take the share of items with
        # disagreement that Wilson's interval still allows, relative to what chance would give.
        pooled = items.used.sum(axis=0) / items.used.sum()
        room = 1 - float((pooled**2).sum()) if beyond_chance else 1.0
        shortfall = 1 - share_interval(n, n, confidence=confidence).low
        interval = Interval(max(1 - shortfall / room, -1.0), 1.0)
    return AgreementResult(value, interval, n, items.n_missing)


def _drawn_interval(
    coefficient: Callable[[FloatArray], FloatArray],
    n: int,
    rng: np.random.Generator | None,
    resamples: int,
    confidence: float,
) -> Interval:
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    if rng is None:
        return UNKNOWN
    check_rng(rng)
    if n < 2:
        return UNKNOWN
    times = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)
    drawn = coefficient(times)
    if np.isnan(drawn).all():
        return UNKNOWN
    low, high = np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def _numbers(name: str, values: ArrayLike) -> FloatArray:
    given = np.asarray(values, dtype=object)
    if given.ndim != 1:
        raise StatisticsError(f"{name} has shape {given.shape}; allowed: one number per item")
    try:
        numbers = [math.nan if is_missing(value) else float(value) for value in given.tolist()]
    except (TypeError, ValueError) as error:
        raise StatisticsError(f"{name} holds no numbers; allowed: one number per item") from error
    return np.array(numbers, dtype=np.float64)
