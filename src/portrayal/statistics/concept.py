"""One concept's leaning: to one of two attributes, or among many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_option, check_resamples, check_rng
from portrayal.statistics.effect import side_of
from portrayal.statistics.intervals import Interval
from portrayal.statistics.precision import RESAMPLE, Moves, Resample, Source, moves
from portrayal.statistics.samples import Embeddings, FloatArray, Sample, as_samples


@dataclass(frozen=True, slots=True, eq=False)
class SingleAssociationResult:
    """How one concept leans.

    Attributes:
        score: Mean association; positive leans to A.
        interval: For the score.
        p_value: Two-sided, for a true score of 0; NaN when the interval is.
        n: Images.
        n_units: Units.
        n_a: Images of attribute A.
        n_b: Images of attribute B.
        associations: Eq. 2 for every image.
    """

    score: float
    interval: Interval
    p_value: float
    n: int
    n_units: int
    n_a: int
    n_b: int
    associations: FloatArray = field(repr=False)


def single_association(
    images: Embeddings | ArrayLike,
    a: Embeddings | ArrayLike,
    b: Embeddings | ArrayLike,
    *,
    resample: Resample = "units",
    confidence: float = 0.95,
) -> SingleAssociationResult:
    """Tell how one concept's images lean between two attributes.

    Score = mean over images (over unit means) of mean cosine to A minus mean cosine to B. Range -2
    to 2; positive leans to A. Interval and p-value (Student's t) count the sampling of images and
    of attribute images; `resample` as in `association_test`. One unit, or one image: the interval
    and p are NaN. No image is an error.

    Args:
        images: Embeddings of neutral images, with their units or as a bare array.
        a: Embeddings of the concept's images under attribute A.
        b: Embeddings under attribute B.
        resample: What the interval takes as drawn by chance: other units, or other images of these.
        confidence: Of the interval.

    Reference: Wang et al. (2023), Eq. 2 and section 5.3.

    >>> result = single_association([[2, 1], [1, 1]], a=[[1, 0], [1, 0]], b=[[0, 1], [0, 3]])
    >>> round(result.score, 4), result.n, result.n_units
    (0.2236, 2, 2)
    """
    check_option("resample", resample, RESAMPLE)
    check_fraction("confidence", confidence)
    side = side_of(**as_samples({"images": images, "a": a, "b": b}))
    found = moves(side.sources("side", 1.0, 0.0), resample)
    twice = side.counted_twice(resample) if resample == "images" else 0.0
    return SingleAssociationResult(
        score=side.mean,
        interval=_in_range(found.interval(side.mean, confidence=confidence, twice=twice)),
        p_value=found.p_value(side.mean, twice=twice),
        n=side.images.n,
        n_units=side.images.n_units,
        n_a=side.a.n,
        n_b=side.b.n,
        associations=side.associations,
    )


@dataclass(frozen=True, slots=True, eq=False)
class MultiAssociationResult:
    """How one concept leans among several attributes.

    Attributes:
        names: The attributes, in the order given.
        scores: Centred association with each; they sum to zero.
        intervals: Simultaneous: all hold together with the confidence asked for.
        n: Images.
        n_units: Units.
        n_attributes: Images of each attribute.
    """

    names: tuple[str, ...]
    scores: FloatArray
    intervals: tuple[Interval, ...]
    n: int
    n_units: int
    n_attributes: tuple[int, ...]


def multi_association(
    images: Embeddings | ArrayLike,
    attributes: Mapping[str, Embeddings | ArrayLike],
    *,
    resample: Resample = "units",
    resamples: int = 9999,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> MultiAssociationResult:
    """Tell how one concept's images lean among two or more attributes.

    score_k = mean cosine to attribute k's images minus the mean of that over all attributes. Range
    -2 to 2; positive: closer to k than to the average attribute. With two attributes, score_1 is
    half of `single_association`. The intervals hold together: their common quantile is that of the
    largest |t| among the scores when units (or images) are exchanged at random (a multiplier
    bootstrap with Student's correction for few units). One unit, or one image, in a set: NaN. No
    image is an error.

    Args:
        images: Embeddings of neutral images, with their units or as a bare array.
        attributes: Embeddings of the concept's images under each attribute.
        resample: What the intervals take as drawn by chance, as in `association_test`.
        resamples: Random exchanges.
        confidence: That all intervals hold.
        rng: Source of the exchanges.

    Reference: Chernozhukov, Chetverikov, Kato (2013), Ann. Statist. 41(6) for the bootstrap of a
    maximum; beyond T2IAT.

    >>> rng = np.random.default_rng(0)
    >>> parts = {"day": [[1, 0], [2, 0]], "night": [[0, 1], [0, 1]], "dusk": [[1, 1], [2, 2]]}
    >>> result = multi_association([[1, 0], [3, 1]], parts, rng=rng)
    >>> result.names, result.scores.round(3).tolist()
    (('day', 'night', 'dusk'), [0.33, -0.486, 0.156])
    """
    check_option("resample", resample, RESAMPLE)
    check_resamples(resamples)
    check_fraction("confidence", confidence)
    check_rng(rng)
    if len(attributes) < 2:
        raise StatisticsError(
            f"attributes are {', '.join(attributes) or 'none'}; allowed: two attributes or more"
        )
    named = {f"attributes[{name!r}]": given for name, given in attributes.items()}
    sample, *sets = as_samples({"images": images, **named}).values()
    means = np.array([attribute.mean for attribute in sets])
    centred = means - means.mean(axis=0)
    scores = centred @ sample.mean
    found = moves(_sources(sample, sets, centred), resample)
    half = _common_quantile(found, confidence, resamples, rng) * np.sqrt(found.variances)
    return MultiAssociationResult(
        names=tuple(attributes),
        scores=scores,
        intervals=tuple(
            _in_range(Interval(float(value - width), float(value + width)))
            for value, width in zip(scores, half, strict=True)
        ),
        n=sample.n,
        n_units=sample.n_units,
        n_attributes=tuple(attribute.n for attribute in sets),
    )


def _in_range(interval: Interval) -> Interval:
    """Cut an interval at -2 and 2, the largest differences of cosines; NaN stays NaN."""
    low, high = (float(np.clip(bound, -2.0, 2.0)) for bound in interval)
    return Interval(low, high)


def _sources(sample: Sample, sets: Sequence[Sample], centred: FloatArray) -> list[Source]:
    """Return how every image pulls on every attribute's score."""
    centre = sample.mean
    weights = np.eye(len(sets)) - 1.0 / len(sets)
    return [
        Source(sample, sample.times(centred.T), "side"),
        *(
            Source(attribute, np.outer(attribute.times(centre), weights[k]), "side")
            for k, attribute in enumerate(sets)
        ),
    ]


def _common_quantile(
    found: Moves, confidence: float, resamples: int, rng: np.random.Generator
) -> float:
    """Return the quantile of the largest |t| when every move gets a random sign and size."""
    errors = np.sqrt(found.variances)
    if np.isnan(errors).any():
        return math.nan
    scaled = found.values / np.where(errors > 0, errors, 1.0)
    # The sum of moves times normal multipliers, drawn directly from their joint distribution.
    joint = rng.multivariate_normal(np.zeros(errors.size), scaled.T @ scaled, size=resamples)
    freedom = float(found.degrees[errors > 0].min()) if (errors > 0).any() else math.inf
    spread = np.sqrt(rng.chisquare(freedom, size=resamples) / freedom) if freedom < 1e6 else 1.0
    single = float(stats.t.ppf(0.5 + confidence / 2.0, freedom))
    # Never below the quantile of a single interval, whatever the chance draws say.
    return max(single, float(np.quantile(np.abs(joint).max(axis=1) / spread, confidence)))
