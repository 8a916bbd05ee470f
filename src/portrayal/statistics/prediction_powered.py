"""Shares from a measurer's labels on all images, corrected by human labels on a few of them.

The estimate is right on average whatever the measurer's errors, as long as the labelled images were
drawn at random with known probabilities: it is what people would say of all images.

References: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023), Science 382; Angelopoulos, Duchi,
Zrnic (2023), PPI++, arXiv:2311.01453; Särndal, Swensson, Wretman (1992), Model assisted survey
sampling, chapter 6, for the same estimator under a sampling design.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, unit_labels
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval

# Squared disagreement added to what was seen, as Agresti and Coull (1998) add successes: no
# disagreement among 60 labels is not taken for none to be found.
_UNSEEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class CheckedSample:
    """Images that a measurer labelled, some of which people labelled as well: one row per image.

    Attributes:
        predictions: The measurer's answer: 0 or 1, or a probability; NaN where it names no group.
        labels: What people said; NaN where they could not tell, and where nobody was asked.
        labelled: Whether people were asked.
        weights: One over the probability of being asked; 1 for all where it was the same.
        strata: Stratum that images were drawn from, as codes.
        clusters: Prompt of each image, as codes; every image its own where images are the unit.
    """

    predictions: FloatArray
    labels: FloatArray
    labelled: NDArray[np.bool_]
    weights: FloatArray
    strata: NDArray[np.intp]
    clusters: NDArray[np.intp]

    @classmethod
    def of(
        cls,
        predictions: ArrayLike,
        labels: ArrayLike,
        *,
        labelled: ArrayLike | None = None,
        chances: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> CheckedSample:
        """Check arrays, one entry per image.

        Args:
            predictions: See `CheckedSample`.
            labels: See `CheckedSample`.
            labelled: Whether people were asked; None: wherever `labels` is not NaN.
            chances: Probability with which each image was drawn for people; None: the same.
            strata: Stratum of each image, any values; None: one.
            clusters: Prompt of each image, any values; None: images are independent.
        """
        f, y = _shares("predictions", predictions), _shares("labels", labels)
        if y.size != f.size:
            raise StatisticsError(
                f"{y.size} labels but {f.size} predictions; give one of each per image, NaN where "
                "nobody was asked"
            )
        asked = ~np.isnan(y) if labelled is None else np.asarray(labelled, dtype=np.bool_)
        if asked.shape != y.shape or (~asked & ~np.isnan(y)).any():
            raise StatisticsError("labelled must be one truth value per image, true where labelled")
        chance = np.ones(y.size) if chances is None else np.asarray(chances, dtype=np.float64)
        if chance.shape != y.shape or not ((chance[asked] > 0) & (chance[asked] <= 1)).all():
            raise StatisticsError(
                "chances must be one number per image, above 0 and at most 1 where labelled"
            )
        weights = np.where(asked, 1 / np.where(asked, chance, 1.0), 0.0)
        return cls(f, y, asked, weights, _codes(strata, y.size), _own_codes(clusters, y.size))

    @property
    def n(self) -> int:
        """Number of images."""
        return int(self.predictions.size)

    @property
    def uncorrected(self) -> float:
        """What the measurer says alone."""
        known = self.predictions[~np.isnan(self.predictions)]
        return float(known.mean()) if known.size else math.nan


@dataclass(frozen=True, slots=True)
class PredictionPoweredResult:
    """A share, or a difference of two, as people would label all images.

    Attributes:
        value: The corrected estimate; NaN without labelled images.
        interval: Its interval, within what is possible.
        p_value: Two-sided, that a difference is 0; NaN for a share.
        uncorrected: What the measurer says alone.
        weight: How far the measurer is trusted, 0 (not at all) to 1; NaN for a difference.
        n_labelled: Images with an answer by people, "cannot tell" included.
        n_clusters: Prompts with such an image.
        n: All images.
    """

    value: float
    interval: Interval
    p_value: float
    uncorrected: float
    weight: float
    n_labelled: int
    n_clusters: int
    n: int


def prediction_powered_share(
    sample: CheckedSample, *, confidence: float = 0.95, weight: float | None = None
) -> PredictionPoweredResult:
    """Estimate a share from few human labels and many predictions.

    In every stratum, mean(y - w f) over labelled images plus w mean(f) over all images; strata
    count by their images. The weight w (PPI++) minimises the variance: cov(y, f) / var(f), at most
    1 + n / (N - n), which is plain prediction-powered inference; 0 leaves the labels alone. Images
    on which people cannot tell leave numerator and denominator, both estimated so.

    The standard error is a jackknife over prompts (the weight estimated again each time). The
    interval is Wilson's with the number of independent images that would have this error, and
    Student's t with as many degrees of freedom as prompts with labels, less one. NaN without a
    labelled image; no interval with labels in fewer than two prompts.

    Args:
        sample: The images.
        confidence: Of the interval.
        weight: Fixes w as a share of plain prediction-powered inference; None: from the data.

    References: those of the module; Franco, Little, Louis, Slud (2019), Journal of Survey
    Statistics and Methodology 7, for Wilson's interval with an effective number of images.

    >>> y = [1, 0, 1, 0] + [np.nan] * 8
    >>> sample = CheckedSample.of([1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1], y)
    >>> result = prediction_powered_share(sample)
    >>> round(result.uncorrected, 3), round(result.value, 3), round(result.weight, 3)
    (0.75, 0.5, 0.407)
    """
    _check(confidence, weight)
    found = _estimate(sample, weight)
    if found is None:
        return PredictionPoweredResult(
            math.nan, UNKNOWN, math.nan, sample.uncorrected, math.nan, 0, 0, sample.n
        )
    interval = _wilson(found, confidence=confidence) if found.n_clusters > 1 else UNKNOWN
    value = min(1.0, max(0.0, found.value))
    return PredictionPoweredResult(
        value, interval, math.nan, sample.uncorrected, found.weight, found.n_labelled,
        found.n_clusters, sample.n,
    )  # fmt: skip


def prediction_powered_difference(
    first: CheckedSample, second: CheckedSample, *, confidence: float = 0.95
) -> PredictionPoweredResult:
    """Estimate the share of `first` less that of `second`, each with errors of its own.

    Clusters with the same code on both sides are the same prompt and are left out together by the
    jackknife. The interval is Student's, the p-value of the same model.

    Args:
        first: Images of one side.
        second: Images of the other.
        confidence: Of the interval.

    >>> a = CheckedSample.of([1, 1, 1, 0, 1, 0], [1, 0, 1, 0, np.nan, np.nan])
    >>> b = CheckedSample.of([1, 0, 0, 0, 1, 0], [1, 0, 0, 0, np.nan, np.nan])
    >>> round(prediction_powered_difference(a, b).value, 3)
    0.152
    """
    _check(confidence, None)
    sides = [_estimate(one, None) for one in (first, second)]
    uncorrected = first.uncorrected - second.uncorrected
    n = first.n + second.n
    a, b = sides
    if a is None or b is None:
        return PredictionPoweredResult(math.nan, UNKNOWN, math.nan, uncorrected, math.nan, 0, 0, n)
    value = min(1.0, max(0.0, a.value)) - min(1.0, max(0.0, b.value))
    places = np.union1d(a.clusters, b.clusters)
    moved = np.zeros(places.size)
    moved[np.searchsorted(places, a.clusters)] += a.moved
    moved[np.searchsorted(places, b.clusters)] -= b.moved
    shared = np.intersect1d(a.clusters, b.clusters).size > 0
    variance = _variance(moved) if shared else a.variance + b.variance
    variance += (a.unseen + b.unseen) if shared else 0.0
    n_labelled, n_clusters = a.n_labelled + b.n_labelled, a.n_clusters + b.n_clusters
    result = (uncorrected, math.nan, n_labelled, n_clusters, n)
    if min(a.n_clusters, b.n_clusters) < 2:
        return PredictionPoweredResult(value, UNKNOWN, math.nan, *result)
    # Welch and Satterthwaite: each side has the degrees of freedom of its own prompts.
    parts = [(one.variance, one.n_clusters - 1) for one in (a, b)]
    free = sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts)
    error = math.sqrt(variance)
    half = float(stats.t.ppf(0.5 + confidence / 2, free)) * error
    interval = Interval(max(-1.0, value - half), min(1.0, value + half))
    p_value = float(2 * stats.t.sf(abs(value) / error, free))
    return PredictionPoweredResult(value, interval, p_value, *result)


class _Estimate(NamedTuple):
    """A share with what its standard error is made of.

    Attributes:
        value: The share, not cut to 0..1.
        weight: Of the predictions.
        clusters: Codes of the prompts.
        moved: How far the share moves without each of them.
        unseen: Variance for disagreement that was not seen.
        n_labelled: Images labelled.
        n_clusters: Prompts with a labelled image.
    """

    value: float
    weight: float
    clusters: NDArray[np.intp]
    moved: FloatArray
    unseen: float
    n_labelled: int
    n_clusters: int

    @property
    def variance(self) -> float:
        return _variance(self.moved) + self.unseen


def _variance(moved: FloatArray) -> float:
    """Return the jackknife's variance."""
    return float((moved.size - 1) / moved.size * ((moved - moved.mean()) ** 2).sum())


def _estimate(sample: CheckedSample, weight: float | None) -> _Estimate | None:
    n = int(sample.labelled.sum())
    told = sample.labelled & ~np.isnan(sample.labels)
    if not told.any():
        return None
    codes, clusters = np.unique(sample.clusters, return_inverse=True)
    strata = _merged(sample, clusters.reshape(-1))
    named = ~np.isnan(sample.predictions)
    group = _sums(sample, clusters, strata, sample.predictions, sample.labels)
    known = _sums(sample, clusters, strata, named.astype(np.float64), told.astype(np.float64))
    total, known_total = group.sum(axis=0), known.sum(axis=0)
    top, w = _means(total[None], weight)
    bottom, _ = _means(known_total[None], weight)
    tops, _ = _means(total - group, weight)
    bottoms, _ = _means(known_total - known, weight)
    value = float(top[0] / max(bottom[0], 1e-9))
    moved = tops / np.maximum(bottoms, 1e-9) - value
    n_clusters = int(np.unique(clusters[sample.labelled]).size)
    size, labelled = total[:, 5], np.maximum(total[:, 4], 1.0)
    unseen = float((_UNSEEN * (size / size.sum() / labelled) ** 2).sum())
    return _Estimate(value, float(w[0]), codes, moved, unseen, n, n_clusters)


def _sums(
    sample: CheckedSample,
    clusters: NDArray[np.intp],
    strata: NDArray[np.intp],
    predictions: FloatArray,
    labels: FloatArray,
) -> FloatArray:
    """Return (prompts, strata, 8) sums: w, wy, wf, wyf, labelled; 1, f, ff over all images."""
    f = np.where(np.isnan(predictions), 0.0, predictions)
    y = np.where(np.isnan(labels), 0.0, labels)
    w = sample.weights
    height, width = int(clusters.max()) + 1, int(strata.max()) + 1
    place = clusters * width + strata
    columns = (
        w,
        w * y,
        w * f,
        w * y * f,
        sample.labelled.astype(np.float64),
        np.ones(f.size),
        f,
        f * f,
    )
    found = [np.bincount(place, weights=one, minlength=height * width) for one in columns]
    sums = np.stack(found, axis=-1).reshape(height, width, len(columns))
    return np.asarray(sums, dtype=np.float64)


class _Means(NamedTuple):
    value: FloatArray
    weight: FloatArray


def _means(sums: FloatArray, weight: float | None) -> _Means:
    """Return the corrected mean and its weight for each row of (rows, strata, 8) sums."""
    w, wy, wf, wyf, labelled, total, f, ff = np.moveaxis(sums, -1, 0)
    there = w > 1e-12
    part = np.where(there, 1 / np.where(there, w, 1.0), 0.0)
    y_mean, f_mean, together = wy * part, wf * part, wyf * part
    share = total * there
    share = share / np.maximum(share.sum(axis=1, keepdims=True), 1e-12)
    n_all = np.maximum(total, 1e-12)
    all_mean = f / n_all
    spread = np.maximum(ff / n_all - all_mean**2, 0.0) * n_all / np.maximum(n_all - 1, 1.0)
    n, count = labelled.sum(axis=1), total.sum(axis=1)
    most = np.where(count > n, count / np.maximum(count - n, 1e-12), 0.0)
    if weight is None:
        covariance = (share * (together - y_mean * f_mean)).sum(axis=1)
        variance = (share * spread).sum(axis=1)
        ok = variance > 1e-12
        best = np.where(ok, covariance / np.where(ok, variance, 1.0), 0.0)
        best = np.clip(best, 0.0, most)
    else:
        best = weight * most
    value = (share * (y_mean + best[:, None] * (all_mean - f_mean))).sum(axis=1)
    return _Means(value, np.where(most > 0, best / np.where(most > 0, most, 1.0), 0.0))


def _merged(sample: CheckedSample, clusters: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return strata, those with labels in fewer than two prompts joined: they have no variance."""
    width = int(sample.strata.max(initial=0)) + 1
    pairs = np.unique(
        np.stack([sample.strata[sample.labelled], clusters[sample.labelled]], axis=1), axis=0
    )
    small = np.bincount(pairs[:, 0], minlength=width) < 2
    if not small.any() or width == 1:
        return sample.strata
    joined = sample.strata.copy()
    size = np.bincount(sample.strata, minlength=width)
    large = np.flatnonzero(~small)
    # Small strata together first; where they still are too few, the largest stratum takes them.
    left = np.isin(pairs[:, 0], np.flatnonzero(small))
    alone = np.unique(pairs[left, 1]).size < 2
    target = int(large[np.argmax(size[large])]) if alone and large.size else int(np.argmax(small))
    joined[small[sample.strata]] = target
    return joined


def _wilson(found: _Estimate, *, confidence: float) -> Interval:
    """Return Wilson's interval for as many independent images as would have this error."""
    t = float(stats.t.ppf(0.5 + confidence / 2, found.n_clusters - 1))
    share = min(1.0, max(0.0, found.value))
    # As many unseen disagreements as in the error: without a hit, n is that of labels alone.
    smooth = (share * found.n_labelled + _UNSEEN) / (found.n_labelled + 2 * _UNSEEN)
    n = smooth * (1 - smooth) / found.variance
    middle = (share + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t / (1 + t**2 / n) * math.sqrt(share * (1 - share) / n + t**2 / (4 * n**2))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def _check(confidence: float, weight: float | None) -> None:
    check_fraction("confidence", confidence)
    if weight is not None and not 0.0 <= weight <= 1.0:
        raise StatisticsError(f"weight is {weight}; allowed: 0 to 1, or None to choose it")


def _codes(values: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if values is None:
        return np.zeros(n, dtype=np.intp)
    return _own_codes(values, n)


def _own_codes(values: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if values is None:
        return np.arange(n)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.shape == (n,):
        return values.astype(np.intp)
    places = {name: i for i, name in enumerate(dict.fromkeys(unit_labels(values, n, "images")))}
    return np.array([places[name] for name in unit_labels(values, n, "images")], dtype=np.intp)


def _shares(name: str, values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise StatisticsError(f"{name} have {array.ndim} dimensions; allowed: one number per image")
    known = array[~np.isnan(array)]
    if known.size and not (known.min() >= 0.0 and known.max() <= 1.0):
        wrong = known[(known < 0.0) | (known > 1.0)][0]
        raise StatisticsError(f"{name} hold {wrong}; allowed: 0 to 1, or NaN for missing")
    return array
