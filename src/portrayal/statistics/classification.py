"""How well a classifier agrees with the truth, or with another classifier, class by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
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
        f1_interval: Wilson's, of the images of a class on both sides among those on either.
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
    confidence: float = 0.95,
) -> ConfusionResult:
    """Compare predicted with true classes, image by image.

    Every number runs from 0 to 1; larger is better. A class that is never predicted has no
    precision, one that never occurs no recall: NaN, left out of the averages. An image without one
    of the labels (None, NaN) is left out and counted; "unknown" is a label like any other. No image
    left: NaN throughout.

    F1 is 2q / (1 + q), where q is the share of images with the class on both sides among those with
    it on either: its interval is Wilson's for q on that scale. Averages have Wilson's interval with
    as many images as a plain share of their variance would have.

    Args:
        truth: True class of each image, or the other classifier's.
        predicted: Predicted class, in the same order.
        labels: Classes and their order; None: those that occur, sorted.
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
    return _scored(matrix, names, int((~both).sum()), confidence)


def confusion_scores(
    matrix: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    confidence: float = 0.95,
) -> ConfusionResult:
    """Return what follows from a confusion matrix that is already counted; see `confusion`.

    Args:
        matrix: Images by true class (rows) and predicted class (columns).
        labels: Names of the classes; None: their numbers.
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
    return _scored(counts, names, 0, confidence)


def _scored(
    matrix: NDArray[np.intp], labels: tuple[Any, ...], n_missing: int, confidence: float
) -> ConfusionResult:
    check_fraction("confidence", confidence)
    counts = matrix.astype(np.float64)
    right, support, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    either, n = support + predicted - right, float(matrix.sum())
    precision, recall = (_ClassShares.of(right, of) for of in (predicted, support))
    both = _ClassShares.of(right, either)
    harmonic = both.on_scale(_harmonic, _harmonic_slope, _shared_errors(counts))
    wilsons = [wilson(right, of, confidence=confidence) for of in (predicted, support, either)]
    accuracy = wilson(np.array([right.sum()]), np.array([n]), confidence=confidence)
    each = (precision, recall, harmonic)
    return ConfusionResult(
        labels=labels,
        matrix=matrix,
        precision=precision.value,
        precision_interval=wilsons[0],
        recall=recall.value,
        recall_interval=wilsons[1],
        f1=harmonic.value,
        f1_interval=Intervals(*(_harmonic(bound) for bound in wilsons[2])),
        support=support.astype(np.intp),
        accuracy=Score(
            float(_ratio(right.sum(), n)), Interval(float(accuracy.low[0]), float(accuracy.high[0]))
        ),
        macro=Average(*(one.average(np.ones(len(labels)), confidence) for one in each)),
        weighted=Average(*(one.average(support, confidence) for one in each)),
        n=int(n),
        n_missing=n_missing,
    )


class _ClassShares(NamedTuple):
    """A share of every class and the covariance of their errors, never 0 by luck.

    Attributes:
        value: The shares; NaN for a class without images.
        drawn_in: The same with half an image on either side more, at which errors are taken.
        covariance: Of all pairs of classes.
    """

    value: FloatArray
    drawn_in: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, right: FloatArray, total: FloatArray) -> _ClassShares:
        """Return shares of images that are in one class each."""
        near = (right + 0.5) / (total + 1)
        return cls(_ratio(right, total), near, np.diag(near * (1 - near) / np.maximum(total, 1)))

    def on_scale(
        self,
        scale: Callable[[FloatArray], FloatArray],
        slope: Callable[[FloatArray], FloatArray],
        correlation: FloatArray,
    ) -> _ClassShares:
        """Return shares on another scale, of classes whose errors go together."""
        deviation = slope(self.drawn_in) * np.sqrt(np.diag(self.covariance))
        return _ClassShares(
            scale(self.value), scale(self.drawn_in), correlation * np.outer(deviation, deviation)
        )

    def average(self, weights: FloatArray, confidence: float) -> Score:
        """Return the weighted mean over classes that have a share."""
        weight = np.where(np.isnan(self.value), 0.0, weights)
        if weight.sum() == 0:
            return Score(math.nan, UNKNOWN)
        weight = weight / weight.sum()
        value, near = float(weight @ np.nan_to_num(self.value)), float(weight @ self.drawn_in)
        return Score(
            value, averaged_share_interval(
                value, near, float(weight @ self.covariance @ weight), confidence=confidence
            ),
        )  # fmt: skip


def averaged_share_interval(
    value: float, drawn_in: float, variance: float, *, confidence: float
) -> Interval:
    """Return Wilson's interval with as many images as a plain share of this variance would have.

    Args:
        value: An average of shares.
        drawn_in: The same a little nearer to one half, so that its variance is not 0 by luck.
        variance: Of that.
        confidence: Of the interval.

    >>> [round(x, 2) for x in averaged_share_interval(0.9, 0.9, 0.9 * 0.1 / 30, confidence=0.95)]
    [0.74, 0.97]
    """
    images = np.array([drawn_in * (1 - drawn_in) / variance])
    low, high = wilson(images * value, images, confidence=confidence)
    return Interval(float(low[0]), float(high[0]))


def _harmonic(share: FloatArray) -> FloatArray:
    """Return F1 of the share of images with a class on both sides among those on either."""
    return np.asarray(2 * share / (1 + share))


def _harmonic_slope(share: FloatArray) -> FloatArray:
    return np.asarray(2 / (1 + share) ** 2)


def _shared_errors(counts: FloatArray) -> FloatArray:
    """Return the correlation of classes' F1: an image labelled wrongly is an error of two classes.

    One more error, spread over all pairs, stands for those that did not happen to occur.
    """
    k = len(counts)
    wrong = counts + counts.T + 1 / max(k * (k - 1) / 2, 1)
    np.fill_diagonal(wrong, 0.0)
    each = wrong.sum(axis=1)
    shared = wrong / np.sqrt(np.outer(each, each)) if k > 1 else np.zeros((k, k))
    np.fill_diagonal(shared, 1.0)
    return np.asarray(shared)


def _ratio(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    above, below = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))
