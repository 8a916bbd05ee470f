"""One concept beside its attribute images, and the effect size between two such concepts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from portrayal.statistics.covariance import Covariance, mean_covariance, weighted_products
from portrayal.statistics.precision import Resample, Source, moves
from portrayal.statistics.samples import ConceptEmbeddings, FloatArray, Sample, as_samples

EffectKind = Literal["pooled", "union"]
EFFECTS: tuple[EffectKind, ...] = ("pooled", "union")

# Of the plain variance, the least that is left when the attribute images' noise is taken out.
# Below it the attribute direction is mostly noise, and a smaller rest would be a chance result.
_LEAST_SIGNAL = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A concept's images with the images of the same concept under attributes A and B."""

    images: Sample
    a: Sample
    b: Sample
    centre: FloatArray
    associations: FloatArray
    mean: float
    variance: float
    pull: FloatArray

    @property
    def squares(self) -> FloatArray:
        """Squared distance of each image's association from the mean."""
        return np.asarray((self.associations - self.mean) ** 2)

    def sources(self, name: str, sign: float, share: float) -> list[Source]:
        """Return how every image pulls on the score and on the variance of associations.

        Args:
            name: The side's name; equal unit labels are one unit within a side.
            sign: Change of the score when this side's mean grows by one.
            share: Change of the common variance when this side's variance grows by one.
        """
        images = np.column_stack([sign * self.associations, share * self.squares])
        direction = np.column_stack([sign * self.centre, 2.0 * share * self.pull])
        return [
            Source(self.images, images, name),
            Source(self.a, self.a.times(direction), name),
            Source(self.b, -self.b.times(direction), name),
        ]

    def astray(self, resample: Resample) -> Covariance:
        """Return the covariance of the attribute direction (mean of A minus mean of B)."""
        return mean_covariance({"a": (self.a, 1.0), "b": (self.b, -1.0)}, resample)

    def large_sample_variance(self, resample: Resample) -> float:
        """Estimate the variance of associations that unlimited images would show.

        The plain variance is too small by the uncertainty of its own mean, and too large because a
        mean of few attribute images points a little astray, which spreads the associations.
        """
        own = moves([Source(self.images, self.associations[:, None], "own")], resample)
        spread = weighted_products(self.images, self.images.weights, self.centre)
        noise = spread.common(self.astray(resample))
        return float(self.variance + own.variances[0] - noise)

    def counted_twice(self, resample: Resample) -> float:
        """Return the variance of the score that its first-order moves count twice.

        Images and attribute direction are both uncertain, and each one's moves are measured along
        an estimate of the other. The product of the two uncertainties so enters twice, but is there
        once; that holds when both are drawn apart, as images of given units are.
        """
        own = mean_covariance({"own": (self.images, 1.0)}, resample)
        return own.common(self.astray(resample))


def sides_of(**concepts: ConceptEmbeddings) -> list[Side]:
    """Check the embeddings of concepts, which are named for error lines, and compute Eq. 2.

    >>> sides_of(x=ConceptEmbeddings([[1, 0]], a=[[1, 0]], b=[[0, 1, 0]]))
    Traceback (most recent call last):
    portrayal.errors.StatisticsError: embeddings have different widths: x.images 2, x.a 2, \
x.b 3; measure all sets with one encoder
    """
    samples = as_samples(
        {
            f"{name}.{part}": given
            for name, concept in concepts.items()
            for part, given in zip(ConceptEmbeddings._fields, concept, strict=True)
        }
    )
    return [
        side_of(*(samples[f"{name}.{part}"] for part in ConceptEmbeddings._fields))
        for name in concepts
    ]


def side_of(images: Sample, a: Sample, b: Sample) -> Side:
    """Compute Eq. 2 of T2IAT for every image, and what the intervals need."""
    associations = images.times(a.mean - b.mean)
    weights = images.weights
    mean = float(weights @ associations)
    centred = associations - mean
    return Side(
        images, a, b, images.mean, associations, mean,
        float(weights @ centred**2), images.total(weights * centred),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class EffectSize:
    """Cohen's d by the paper's formula, and what the d of unlimited images is made from.

    Attributes:
        plain: The paper's formula.
        variance: Large-sample variance of associations within a concept.
        share_x: What X's variance contributes to it.
        share_y: What Y's variance contributes to it.
        between: For `union`, the weight of the squared score in the variance of the union; else 0.
    """

    plain: float
    variance: float
    share_x: float
    share_y: float
    between: float

    def of_kind(self, pooled: float) -> float:
        """Turn a large-sample d over the pooled deviation into one of the kind asked for."""
        if math.isinf(pooled):
            return math.copysign(math.inf if self.between == 0 else self.between**-0.5, pooled)
        return pooled / math.sqrt(1.0 + self.between * pooled**2)


def effect_size(x: Side, y: Side, kind: EffectKind, resample: Resample) -> EffectSize:
    """Divide the difference of means by the pooled deviation, or by that of the union.

    NaN when a side has fewer than two units, or when no image differs from another.
    """
    n_x, n_y = x.images.n, y.images.n
    n = n_x + n_y
    score = x.mean - y.mean
    within = n_x * x.variance + n_y * y.variance
    # Cosines are rounded at 1e-16; a deviation of that size is no deviation.
    if min(x.images.n_units, y.images.n_units) < 2 or not within > n * 1e-28:
        return EffectSize(math.nan, math.nan, math.nan, math.nan, 0.0)
    if kind == "pooled":
        share_x, share_y, between = (n_x - 1) / (n - 2), (n_y - 1) / (n - 2), 0.0
        plain = score / math.sqrt(within / (n - 2))
    else:
        share_x, share_y, between = n_x / n, n_y / n, n_x * n_y / n**2
        plain = score / math.sqrt((within + n * between * score**2) / (n - 1))
    variance = share_x * x.large_sample_variance(resample)
    variance += share_y * y.large_sample_variance(resample)
    # max() would hide NaN: an attribute set of one unit, whose uncertainty nobody knows.
    if not math.isnan(variance):
        variance = max(variance, _LEAST_SIGNAL * within / n)
    return EffectSize(plain, variance, share_x, share_y, between)


def cohen_size_word(d: float) -> str:
    """Return Cohen's word for the size of an effect.

    Below 0.2 in absolute value `negligible`, below 0.5 `small`, below 0.8 `medium`, else `large`;
    `unknown` for NaN (no data). The sign is not looked at.

    Reference: Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, p. 25-27.

    >>> [cohen_size_word(d) for d in (0.19, -0.2, 0.5, 1.49, float("nan"))]
    ['negligible', 'small', 'medium', 'large', 'unknown']
    """
    if math.isnan(d):
        return "unknown"
    for bound, word in ((0.2, "negligible"), (0.5, "small"), (0.8, "medium")):
        if abs(d) < bound:
            return word
    return "large"
