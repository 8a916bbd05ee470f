"""Covariances of mean directions, block by block: memory does not grow with the images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from portrayal.statistics.precision import Resample, Source, moves
from portrayal.statistics.samples import FloatArray, Sample


class Covariance(NamedTuple):
    """A covariance of directions.

    Attributes:
        values: Rows whose products add up to it, where they are fewer than it has; else itself.
        whole: Whether it is itself.
    """

    values: FloatArray
    whole: bool

    @property
    def table(self) -> FloatArray:
        """The covariance itself."""
        return self.values if self.whole else np.asarray(self.values.T @ self.values)

    def common(self, other: Covariance) -> float:
        """Return the variance of a product of two directions that vary so, independently."""
        if self.whole or other.whole:
            return float(np.vdot(self.table, other.table))
        products = self.values @ other.values.T
        return float(np.vdot(products, products))


def weighted_products(sample: Sample, weights: FloatArray, centre: FloatArray) -> Covariance:
    """Return the weighted sum of products of directions around a centre.

    Args:
        sample: The images.
        weights: Of each.
        centre: What is taken off each direction: one row, or one per unit.
    """
    whole = sample.n > sample.width
    found = np.zeros((sample.width if whole else sample.n, sample.width))
    for rows, block in sample.blocks():
        own = centre if centre.ndim == 1 else centre[sample.codes[rows]]
        apart = np.sqrt(weights[rows])[:, None] * (block - own)
        if whole:
            found += apart.T @ apart
        else:
            found[rows] = apart
    return Covariance(found, whole)


def mean_covariance(samples: Mapping[str, tuple[Sample, float]], resample: Resample) -> Covariance:
    """Return the covariance of a sum of mean directions, each times a sign.

    The same as that of the `moves` of the directions themselves, which would be as large as they.

    Args:
        samples: Samples with their signs, by a name of their own.
        resample: Whether units or images are a sample.
    """
    if resample == "units" and any(one.labels is not None for one, _ in samples.values()):
        # Units that several samples share move together, and are few.
        sources = [Source(one, sign * one.unit_rows, "astray") for one, sign in samples.values()]
        return Covariance(moves(sources, resample).values, whole=False)
    found = [_alone(one) for one, _ in samples.values()]
    if any(one.whole for one in found):
        return Covariance(np.sum([one.table for one in found], axis=0), whole=True)
    return Covariance(np.concatenate([one.values for one in found]), whole=False)


def _alone(sample: Sample) -> Covariance:
    """Return the covariance of a mean direction, where images are a sample (of their units)."""
    counts, n = sample.counts, sample.n
    if counts.max() == 1:
        if n < 2:
            return Covariance(np.full((1, sample.width), np.nan), whole=False)
        return weighted_products(sample, np.full(n, 1.0 / (n * (n - 1.0))), sample.mean)
    per_row = counts[sample.codes]
    factors = per_row / np.maximum(per_row - 1.0, 1.0)
    centres = sample.unit_rows
    single = counts == 1
    alone = int(single.sum())
    if alone:
        # As in `moves`: such units are pooled, which counts their differences as noise.
        pool = centres[single].mean(axis=0) if alone > 1 else sample.total(np.full(n, 1.0 / n))
        centres[single] = pool
        factors[per_row == 1] = alone / max(alone - 1.0, 1.0)
    return weighted_products(sample, sample.weights**2 * factors, centres)
