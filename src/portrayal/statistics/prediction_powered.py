"""Shares from a classifier's answers on many images, corrected by human labels on a few."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.intervals import UNKNOWN, Interval

# Squared disagreement added to what was seen, as Agresti and Coull (1998) add successes: chosen by
# simulation, tests/statistics/test_prediction_powered.py.
_UNSEEN = 0.5


@dataclass(frozen=True, slots=True)
class PredictionPoweredResult:
    """A share with human labels and a classifier at work together.

    Attributes:
        value: The corrected share; NaN when there is no labelled image.
        interval: For the share that raters would give over all images.
        uncorrected: What the classifier alone says, over all images.
        weight: How far the classifier is trusted, 0 (not at all) to 1.
        n_labelled: Images with a label and a prediction.
        n_predicted: Images with a prediction only.
        n_missing: Images left out because a label or a prediction is NaN.
    """

    value: float
    interval: Interval
    uncorrected: float
    weight: float
    n_labelled: int
    n_predicted: int
    n_missing: int


def prediction_powered_share(
    labels: ArrayLike,
    predictions: ArrayLike,
    other_predictions: ArrayLike,
    *,
    confidence: float = 0.95,
    weight: float | None = None,
) -> PredictionPoweredResult:
    """Estimate a share from few human labels and many predictions.

    value = w * mean(f over other images) + mean(y - w * f over labelled images). Without bias
    whatever the classifier's errors, as long as the labelled images were picked at random; the
    better the classifier, the shorter the interval. The weight w (PPI++) minimises the variance:
    w = cov(y, f) / ((1 + n / N) var(f)), cut to 0..1; w = 1 is plain prediction-powered inference,
    w = 0 the labels alone. Value and interval are cut to 0..1. The interval takes Student's t,
    n - 1, and half a disagreement more than was seen, where ppi-python takes z and n: the same for
    many labels; for 20 labels it covers 96 %, not 92 %, and no disagreement seen is not taken for
    none to be found. NaN without a labelled image, interval NaN with fewer than two. Without other
    images the labels speak alone.

    Args:
        labels: What raters said of the labelled images: 0 or 1, or a fraction of raters.
        predictions: The classifier's answer on the same images: 0 or 1, or a probability.
        other_predictions: The classifier's answer on images without a label.
        confidence: Of the interval.
        weight: Fixes w; None chooses it from the data.

    Reference: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos,
    Duchi, Zrnic (2023), PPI++, arXiv:2311.01453.

    >>> result = prediction_powered_share([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1])
    >>> round(result.uncorrected, 3), round(result.value, 3), round(result.weight, 3)
    (0.75, 0.5, 0.407)
    """
    check_fraction("confidence", confidence)
    y, f = _shares("labels", labels), _shares("predictions", predictions)
    other = _shares("other_predictions", other_predictions)
    if y.size != f.size:
        raise StatisticsError(
            f"{y.size} labels but {f.size} predictions; give one prediction per labelled image"
        )
    if weight is not None and not 0.0 <= weight <= 1.0:
        raise StatisticsError(f"weight is {weight}; allowed: 0 to 1, or None to choose it")
    known = ~(np.isnan(y) | np.isnan(f))
    missing = int((~known).sum() + np.isnan(other).sum())
    y, f, other = y[known], f[known], other[~np.isnan(other)]
    n, n_other = y.size, other.size
    if n == 0:
        alone = float(other.mean()) if n_other else math.nan
        return PredictionPoweredResult(math.nan, UNKNOWN, alone, math.nan, 0, n_other, missing)
    w = _weight(y, f, other) if weight is None else weight
    w = w if n_other else 0.0
    value = float((y - w * f).mean() + (w * other.mean() if n_other else 0.0))
    interval = UNKNOWN
    if n > 1:
        residuals = y - w * f
        squares = float(((residuals - residuals.mean()) ** 2).sum()) + _UNSEEN
        variance = squares / (n - 1.0) / n
        variance += w**2 * other.var(ddof=min(1, n_other - 1)) / n_other if n_other else 0.0
        half = stats.t.ppf(0.5 + confidence / 2.0, n - 1) * math.sqrt(variance)
        interval = Interval(max(0.0, value - half), min(1.0, value + half))
    uncorrected = float(np.concatenate([f, other]).mean())
    value = min(1.0, max(0.0, value))
    return PredictionPoweredResult(value, interval, uncorrected, w, n, n_other, missing)


def _weight(y: NDArray[np.float64], f: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the weight that minimises the variance, as ppi-python computes it."""
    everything = np.concatenate([f, other])
    if not other.size or everything.var() == 0.0:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    best = covariance / ((1.0 + y.size / other.size) * float(everything.var(ddof=1)))
    return min(1.0, max(0.0, best))


def _shares(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise StatisticsError(f"{name} have {array.ndim} dimensions; allowed: one number per image")
    known = array[~np.isnan(array)]
    if known.size and not (known.min() >= 0.0 and known.max() <= 1.0):
        wrong = known[(known < 0.0) | (known > 1.0)][0]
        raise StatisticsError(f"{name} hold {wrong}; allowed: 0 to 1, or NaN for missing")
    return array
