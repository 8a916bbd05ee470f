"""Embeddings as a statistic sees them: unit vectors, grouped into units, each unit equally heavy.

Shared by the association statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import unit_labels

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Squared norms outside this range lose digits to under- or overflow; such rows are rescaled first.
_SAFE_SQUARE = (1e-200, 1e200)


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Embeddings of images, and the unit (prompt) that each image belongs to.

    A bare array stands for embeddings whose rows are units of their own.

    Attributes:
        vectors: One embedding per row, not necessarily normalised.
        units: One label per row; None: every row is a unit.
    """

    vectors: ArrayLike
    units: ArrayLike | None = None


class ConceptEmbeddings(NamedTuple):
    """A concept's images, and images of the same concept under attributes A and B.

    Attributes:
        images: The neutral images.
        a: Images of the concept under attribute A.
        b: Images of the concept under attribute B.
    """

    images: Embeddings | ArrayLike
    a: Embeddings | ArrayLike
    b: Embeddings | ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A set of images: directions, the unit of each, and the weight of each in the set's mean.

    A unit weighs the same however many of its images survived, so that a prompt with refused
    images neither vanishes from the mean nor is outvoted. `labels` is None when every row is its
    own unit.
    """

    rows: FloatArray
    codes: IntArray
    counts: IntArray
    labels: tuple[object, ...] | None

    @property
    def n(self) -> int:
        """Number of images."""
        return int(self.rows.shape[0])

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.counts.size)

    @property
    def weights(self) -> FloatArray:
        """Weight of each image; they sum to one."""
        return np.asarray(1.0 / (self.n_units * self.counts[self.codes]), dtype=np.float64)

    @property
    def mean(self) -> FloatArray:
        """Mean over units of the mean direction of each unit's images."""
        return np.asarray(self.weights @ self.rows)

    def unit_means(self, values: FloatArray) -> FloatArray:
        """Return the mean of `values` (one row per image) in every unit."""
        if self.n_units == self.n:
            # Units are numbered as they first appear, so one row each means in order.
            return values
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
        sums = np.add.reduceat(values[order], starts, axis=0)
        return np.asarray(sums / self.counts.reshape((-1,) + (1,) * (values.ndim - 1)))

    def same_as(self, other: Sample) -> bool:
        """Tell whether both hold the same images in the same units: then they are one sample."""
        return self is other or (
            self.labels == other.labels
            and np.array_equal(self.codes, other.codes)
            and np.array_equal(self.rows, other.rows)
        )


def as_sample(given: Embeddings | ArrayLike, name: str) -> Sample:
    """Check embeddings and units, and normalise the rows.

    Args:
        given: Embeddings of any length but zero.
        name: What the set is called in an error line.
    """
    if not isinstance(given, Embeddings):
        given = Embeddings(given)
    rows = _directions(given.vectors, name)
    n = rows.shape[0]
    if given.units is None:
        return Sample(rows, np.arange(n), np.ones(n, dtype=np.intp), None)
    labels = unit_labels(given.units, n, name)
    unique = tuple(dict.fromkeys(labels))
    position = {label: index for index, label in enumerate(unique)}
    codes = np.array([position[label] for label in labels], dtype=np.intp)
    return Sample(rows, codes, np.bincount(codes).astype(np.intp), unique)


def _directions(values: ArrayLike, name: str) -> FloatArray:
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} is not an array of numbers ({error}); one embedding of equal width per row"
        ) from None
    if rows.ndim != 2:
        raise StatisticsError(
            f"{name} has {rows.ndim} dimension(s), shape {rows.shape}; allowed: a table with one "
            "embedding per row (reshape a single embedding to (1, width))"
        )
    if rows.size == 0:
        raise StatisticsError(f"{name} is empty, shape {rows.shape}; give at least one embedding")
    squares = np.einsum("ij,ij->i", rows, rows)
    low, high = _SAFE_SQUARE
    if not (squares.min() > low and squares.max() < high):
        _refuse_bad_rows(rows, name)
        rows /= np.abs(rows).max(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", rows, rows)
    rows /= np.sqrt(squares)[:, None]
    return rows


def _refuse_bad_rows(rows: FloatArray, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        raise StatisticsError(
            f"{name} holds NaN or infinity in {bad.size} row(s), first row {bad[0]}; every "
            "embedding must be finite (drop the row and count it as missing)"
        )
    zero = np.flatnonzero(~rows.any(axis=1))
    if zero.size:
        raise StatisticsError(
            f"{name} holds {zero.size} zero vector(s), first row {zero[0]}; a zero embedding has "
            "no direction (drop the row and count it as missing)"
        )


def as_samples(given: Mapping[str, Embeddings | ArrayLike]) -> dict[str, Sample]:
    """Check several sets that are compared with each other, by name."""
    samples = {name: as_sample(one, name) for name, one in given.items()}
    _check_widths(samples)
    return samples


def _check_widths(samples: dict[str, Sample]) -> None:
    """Refuse embeddings of different width: they come from different encoders."""
    widths = {name: sample.rows.shape[1] for name, sample in samples.items()}
    if len(set(widths.values())) > 1:
        got = ", ".join(f"{name} {width}" for name, width in widths.items())
        raise StatisticsError(
            f"embeddings have different widths: {got}; measure all sets with one encoder"
        )
