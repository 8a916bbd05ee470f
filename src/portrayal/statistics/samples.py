"""Embeddings as a statistic sees them: unit vectors, grouped into units, each unit equally heavy.

Shared by the association statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import unit_labels

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Squared norms outside this range lose digits to under- or overflow; such rows are rescaled first.
_SAFE_SQUARE = (1e-200, 1e200)

# Numbers of a block in double precision: some megabytes, whatever the number of images.
_BLOCK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Embeddings of images, and the unit (prompt) that each image belongs to.

    A bare array stands for embeddings whose rows are units of their own.

    Attributes:
        vectors: One embedding per row, not necessarily normalised.
        units: One label per row; None: every row is a unit.
    """

    vectors: ArrayLike | PickedRows
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


class PickedRows:
    """Rows of a table, picked by their places: copied block by block where they are read.

    A set of images of a large audit is so a part of one table of all embeddings, which it may take
    gigabytes to copy.

    Args:
        table: One embedding per row.
        places: The rows that are meant, in this order.
    """

    def __init__(self, table: NDArray[np.floating], places: IntArray) -> None:
        self._table, self._places = table, places
        self.shape = (len(places), table.shape[1])
        self.ndim = 2
        self.dtype = table.dtype

    def __getitem__(self, rows: slice) -> NDArray[np.floating]:
        return self._table[self._places[rows]]

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[np.floating]:
        return np.asarray(self[:], dtype=dtype)  # type: ignore[call-overload,no-any-return]


Table = NDArray[np.floating] | PickedRows


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A set of images: directions, the unit of each, and the weight of each in the set's mean.

    A unit weighs the same however many of its images survived, so that a prompt with refused
    images neither vanishes from the mean nor is outvoted. `labels` is None when every row is its
    own unit. Embeddings stay as they were given; they are normalised block by block, in double
    precision, whenever they are read.
    """

    vectors: Table
    scale: FloatArray
    codes: IntArray
    counts: IntArray
    labels: tuple[object, ...] | None

    @property
    def n(self) -> int:
        """Number of images."""
        return int(self.vectors.shape[0])

    @property
    def width(self) -> int:
        """Numbers per embedding."""
        return int(self.vectors.shape[1])

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the directions of some images at a time, with where they are."""
        for rows, block in _blocks(self.vectors):
            yield rows, block * self.scale[rows, None]

    def times(self, directions: FloatArray) -> FloatArray:
        """Return the product of every image's direction with others, one per column."""
        found = np.empty((self.n, *directions.shape[1:]))
        for rows, block in self.blocks():
            found[rows] = block @ directions
        return found

    def total(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sum of all directions."""
        found = np.zeros(self.width)
        for rows, block in self.blocks():
            found += weights[rows] @ block
        return found

    @property
    def unit_rows(self) -> FloatArray:
        """Mean direction of every unit."""
        found = np.zeros((self.n_units, self.width))
        for rows, block in self.blocks():
            codes, at = np.unique(self.codes[rows], return_inverse=True)
            member = sparse.csr_matrix(
                (np.ones(len(block)), (at.reshape(-1), np.arange(len(block)))),
                shape=(codes.size, len(block)),
            )
            found[codes] += np.asarray(member @ block)
        return found / self.counts[:, None]

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
        return self.total(self.weights)

    def unit_means(self, values: FloatArray) -> FloatArray:
        """Return the mean of `values` (one row per image, or per unit already) in every unit."""
        if self.n_units == len(values):
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
            and self.width == other.width
            and all(
                np.array_equal(mine, theirs)
                for (_, mine), (_, theirs) in zip(self.blocks(), other.blocks(), strict=True)
            )
        )


def as_sample(given: Embeddings | ArrayLike, name: str) -> Sample:
    """Check embeddings and units, and normalise the rows.

    Args:
        given: Embeddings of any length but zero.
        name: What the set is called in an error line.
    """
    if not isinstance(given, Embeddings):
        given = Embeddings(given)
    vectors, scale = _directions(given.vectors, name)
    n = scale.size
    if given.units is None:
        return Sample(vectors, scale, np.arange(n), np.ones(n, dtype=np.intp), None)
    labels = unit_labels(given.units, n, name)
    unique = tuple(dict.fromkeys(labels))
    position = {label: index for index, label in enumerate(unique)}
    codes = np.array([position[label] for label in labels], dtype=np.intp)
    return Sample(vectors, scale, codes, np.bincount(codes).astype(np.intp), unique)


def _blocks(vectors: Table) -> Iterator[tuple[slice, FloatArray]]:
    step = max(1, _BLOCK_CELLS // max(vectors.shape[1], 1))
    for start in range(0, vectors.shape[0], step):
        rows = slice(start, start + step)
        yield rows, np.asarray(vectors[rows], dtype=np.float64)


def _directions(values: ArrayLike | PickedRows, name: str) -> tuple[Table, FloatArray]:
    """Return embeddings and what each has to be multiplied by to be of length one."""
    rows = _as_table(values, name)
    if rows.ndim != 2:
        raise StatisticsError(
            f"{name} has {rows.ndim} dimension(s), shape {rows.shape}; allowed: a table with one "
            "embedding per row (reshape a single embedding to (1, width))"
        )
    if 0 in rows.shape:
        raise StatisticsError(f"{name} is empty, shape {rows.shape}; give at least one embedding")
    squares = np.concatenate([np.einsum("ij,ij->i", block, block) for _, block in _blocks(rows)])
    low, high = _SAFE_SQUARE
    if not (squares.min() > low and squares.max() < high):
        own = np.array(rows, dtype=np.float64)
        _refuse_bad_rows(own, name)
        own /= np.abs(own).max(axis=1, keepdims=True)
        rows, squares = own, np.einsum("ij,ij->i", own, own)
    return rows, np.asarray(1.0 / np.sqrt(squares))


def _as_table(values: ArrayLike | PickedRows, name: str) -> Table:
    """Return floating-point numbers as they are, whatever else as such."""
    if isinstance(values, PickedRows):
        return values
    try:
        rows = np.asarray(values)
        return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} is not an array of numbers ({error}); one embedding of equal width per row"
        ) from None


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
    widths = {name: sample.width for name, sample in samples.items()}
    if len(set(widths.values())) > 1:
        got = ", ".join(f"{name} {width}" for name, width in widths.items())
        raise StatisticsError(
            f"embeddings have different widths: {got}; measure all sets with one encoder"
        )
