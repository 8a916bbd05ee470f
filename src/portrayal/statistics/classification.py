"""How well a classifier agrees with the truth, or with another classifier, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray, Intervals, as_counts, wilson
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.ratings import as_ratings


class Score(NamedTuple):
    """A number and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Average:
    """Precision, recall and F1, averaged over classes."""

    precision: Score
    recall: Score
    f1: Score


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionResult:
    """A confusion matrix and what follows from it.

    Attributes:
        labels: Classes, in the order of rows and columns.
        matrix: Images by true class (rows) and predicted class (columns).
        precision: Of each class: how many predicted so are so.
        precision_interval: Wilson's.
        recall: Of each class: how many that are so are predicted so.
        recall_interval: Wilson's.
        f1: Harmonic mean of the two.
        f1_interval: By drawing images with replacement.
        support: Images of each true class.
        accuracy: Share of images predicted right; Wilson's interval.
        macro: Plain mean over classes.
        weighted: Mean over classes weighted by support.
        n: Images.
        n_missing: Images without one of the two labels.
    """

    labels: tuple[Any, ...]
    matrix: NDArray[np.intp]
    precision: FloatArray
    precision_interval: Intervals
    recall: FloatArray
    recall_interval: Intervals
    f1: FloatArray
    f1_interval: Intervals
    support: NDArray[np.intp]
    accuracy: Score
    macro: Average
    weighted: Average
    n: int
    n_missing: int


def confusion(
    truth: ArrayLike,
    predicted: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> ConfusionResult:
    """Compare predicted with true classes, image by image.

    Every number runs from 0 to 1; larger is better. A class that is never predicted has no
    precision, one that never occurs no recall: NaN, left out of the averages. An image without one
    of the labels (None, NaN) is left out and counted; "unknown" is a label like any other. No image
    left: NaN throughout.

    Args:
        truth: True class of each image, or the other classifier's.
        predicted: Predicted class, in the same order.
        labels: Classes and their order; None: those that occur, sorted.
        rng: Source of the draws for F1 and averages; None: these have no interval.
        resamples: How often to draw.
        confidence: Of the intervals.

    Reference: van Rijsbergen (1979), Information Retrieval, ch. 7; Lin et al. (2023), tables 3, 4.

    >>> result = confusion(["man", "man", "woman"], ["man", "woman", "woman"])
    >>> result.labels, result.matrix.tolist(), result.recall.tolist()
    (('man', 'woman'), [[1, 1], [0, 1]], [0.5, 1.0])
    """
    table = as_ratings((truth, predicted))
    names = table.labels if labels is None else tuple(labels)
    unknown = [label for label in table.labels if label not in names]
    if unknown or len(set(names)) != len(names):
        raise StatisticsError(
            f"labels are {names}; allowed: each class once, and all that occur: {table.labels}"
        )
    place = np.array([names.index(label) for label in table.labels], dtype=np.intp)
    both = (table.codes >= 0).all(axis=0)
    matrix = np.zeros((len(names), len(names)), dtype=np.intp)
    if place.size:
        np.add.at(matrix, tuple(place[table.codes[:, both]]), 1)
    return _scored(matrix, names, int((~both).sum()), rng, resamples, confidence)


def confusion_scores(
    matrix: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> ConfusionResult:
    """Return what follows from a confusion matrix that is already counted; see `confusion`.

    Args:
        matrix: Images by true class (rows) and predicted class (columns).
        labels: Names of the classes; None: their numbers.
        rng: Source of the draws for F1 and averages; None: these have no interval.
        resamples: How often to draw.
        confidence: Of the intervals.

    Reference: Lin et al. (2023), Table 4.

    >>> result = confusion_scores([[12, 1], [21, 106]], labels=["female", "male"])
    >>> result.precision.round(2), result.recall.round(2), round(result.accuracy.value, 2)
    (array([0.36, 0.99]), array([0.92, 0.83]), 0.84)
    """
    counts = as_counts("matrix", matrix, ndim=2).astype(np.intp)
    names = tuple(range(len(counts))) if labels is None else tuple(labels)
    if counts.shape[0] != counts.shape[1] or len(names) != len(counts):
        raise StatisticsError(
            f"matrix has shape {counts.shape} for {len(names)} labels; allowed: one row and one "
            "column per class"
        )
    return _scored(counts, names, 0, rng, resamples, confidence)


class _Scores(NamedTuple):
    """(..., classes) each, and (..., 3) averages of precision, recall and F1."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    macro: FloatArray
    weighted: FloatArray


def _scored(
    matrix: NDArray[np.intp],
    labels: tuple[Any, ...],
    n_missing: int,
    rng: np.random.Generator | None,
    resamples: int,
    confidence: float,
) -> ConfusionResult:
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    counts = matrix.astype(np.float64)
    right, support, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    scores = _scores(counts)
    n = int(matrix.sum())
    drawn = None
    if rng is not None:
        check_rng(rng)
        if n > 1:
            again = rng.multinomial(n, counts.ravel() / n, size=resamples)
            drawn = _scores(again.reshape(-1, *counts.shape).astype(np.float64))
    f1 = _bounds(None if drawn is None else drawn.f1, scores.f1.size, confidence)
    total = np.array([float(n)])
    accuracy = wilson(np.array([right.sum()]), total, confidence=confidence)
    return ConfusionResult(
        labels=labels,
        matrix=matrix,
        precision=scores.precision,
        precision_interval=wilson(right, predicted, confidence=confidence),
        recall=scores.recall,
        recall_interval=wilson(right, support, confidence=confidence),
        f1=scores.f1,
        f1_interval=f1,
        support=support.astype(np.intp),
        accuracy=Score(
            float(_ratio(right.sum(), total)[0]),
            Interval(float(accuracy.low[0]), float(accuracy.high[0])),
        ),
        macro=_average(scores.macro, None if drawn is None else drawn.macro, confidence),
        weighted=_average(scores.weighted, None if drawn is None else drawn.weighted, confidence),
        n=n,
        n_missing=n_missing,
    )


def _scores(counts: FloatArray) -> _Scores:
    """Score matrices (..., classes, classes)."""
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    support, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    precision, recall = _ratio(right, predicted), _ratio(right, support)
    f1 = _ratio(2 * right, support + predicted)
    each = np.stack([precision, recall, f1], axis=-1)
    present = ~np.isnan(each)
    filled = np.where(present, each, 0.0)
    weight = support[..., None] * present
    return _Scores(
        precision,
        recall,
        f1,
        macro=_ratio(filled.sum(axis=-2), present.sum(axis=-2)),
        weighted=_ratio((filled * weight).sum(axis=-2), weight.sum(axis=-2)),
    )


def _ratio(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    above, below = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def _bounds(drawn: FloatArray | None, size: int, confidence: float) -> Intervals:
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    if drawn is not None:
        for i in range(size):
            column = drawn[~np.isnan(drawn[:, i]), i]
            if column.size:
                tails = [(1 - confidence) / 2, (1 + confidence) / 2]
                low[i], high[i] = np.quantile(column, tails)
    return Intervals(low, high)


def _average(values: FloatArray, drawn: FloatArray | None, confidence: float) -> Average:
    bounds = _bounds(drawn, 3, confidence)
    scores = [
        Score(float(values[i]), Interval(float(bounds.low[i]), float(bounds.high[i])))
        if drawn is not None
        else Score(float(values[i]), UNKNOWN)
        for i in range(3)
    ]
    return Average(*scores)
