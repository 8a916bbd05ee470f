"""The embeddings of an audit's images, read block by block: memory does not grow with their width.

An audit of 744,000 images of 768 numbers holds 2.3 GB of embeddings. What labels need of them are
cosines with a few directions, which one pass over the parts gives.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from portrayal.audit import AuditFolder, EmbeddingBlock
from portrayal.records import Identity
from portrayal.statistics import PickedRows

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Cosines = Callable[[FloatArray], FloatArray]
"""Directions of length one in, one per row; one row per image and one column per direction out."""


class _Block(NamedTuple):
    places: IntArray
    vectors: npt.NDArray[np.float32]


class StoredVectors:
    """Embeddings of some images, each at a place of its own.

    Attributes:
        place: The place of each image, by key.
        good: Which places have an embedding with a direction: finite and not zero.

    Args:
        audit: Where they are stored.
        measurer: Whose they are.
        keys: Only of these images; None: of all.
        n: At most so many images.
        directions: Directions whose cosines will be asked for, one per row: found on the way.
    """

    def __init__(
        self,
        audit: AuditFolder,
        measurer: Identity,
        *,
        keys: Container[str] | None,
        n: int,
        directions: FloatArray | None = None,
    ) -> None:
        self._audit, self._measurer = audit, measurer
        self._cosines: dict[bytes, FloatArray] = {}
        self._matrix: npt.NDArray[np.float32] | None = None
        self.place: dict[str, int] = {}
        self.good = np.zeros(n, dtype=bool)
        new = _distinct(directions)
        columns = np.full((len(new), n), np.nan)
        for block in self._numbered(keys):
            ok = self.good[block.places] = usable_rows(block.vectors)
            if len(new):
                columns[:, block.places] = _products(block.vectors, ok, new)
        self._keep(new, columns)
        if len(self.place) < n:
            self.good = self.good[: len(self.place)]
            self._cosines = {
                one: column[: len(self.place)] for one, column in self._cosines.items()
            }

    def cosines(self, directions: FloatArray) -> FloatArray:
        """Return one row per place and one column per direction; NaN where it has none itself."""
        new = _distinct(directions, known=self._cosines)
        if len(new):
            columns = np.full((len(new), len(self.good)), np.nan)
            for places, vectors in self._placed():
                columns[:, places] = _products(vectors, self.good[places], new)
            self._keep(new, columns)
        return np.column_stack([self._cosines[one.tobytes()] for one in directions])

    def rows(self, places: IntArray) -> npt.NDArray[np.float32]:
        """Return the embeddings at some places; from the first call on, all are in memory."""
        return np.asarray(self.picked(places))

    def picked(self, places: IntArray) -> PickedRows:
        """Return the same without a copy of them."""
        if self._matrix is None:
            for block in self._placed():
                if self._matrix is None:
                    shape = (len(self.good), block.vectors.shape[1])
                    self._matrix = np.full(shape, np.nan, dtype=np.float32)
                self._matrix[block.places] = block.vectors
        if self._matrix is None:
            return PickedRows(np.zeros((len(self.good), 0), dtype=np.float32), places)
        return PickedRows(self._matrix, places)

    def mean_directions(self, sets: Sequence[IntArray]) -> FloatArray:
        """Return the mean of the normalised embeddings of each of some sets of places."""
        sizes = [len(one) for one in sets]
        places = np.concatenate(sets) if sets else np.zeros(0, dtype=np.int64)
        weights = np.repeat([1.0 / max(size, 1) for size in sizes], sizes)
        owner = np.repeat(np.arange(len(sets)), sizes)
        shape = (len(sets), len(self.good))
        member = sparse.csc_matrix((weights, (owner, places)), shape=shape)
        total: FloatArray | None = None
        for block in self._placed():
            own = member[:, block.places]
            if total is None:
                total = np.zeros((len(sets), block.vectors.shape[1]))
            if own.nnz:
                unit = _directions(block.vectors, self.good[block.places])
                total += own @ unit.astype(np.float32).astype(np.float64)
        return np.zeros((len(sets), 0)) if total is None else total

    def _numbered(self, keys: Container[str] | None) -> Iterator[_Block]:
        """Yield every wanted image once, giving it its place."""
        for block in self._audit.embedding_blocks(self._measurer):
            chosen = []
            for row, key in enumerate(block.keys):
                if key not in self.place and (keys is None or key in keys):
                    self.place[key] = len(self.place)
                    chosen.append(row)
            yield _taken(block, chosen, [self.place[block.keys[row]] for row in chosen])

    def _placed(self) -> Iterator[_Block]:
        """Yield every image that has a place, once."""
        seen = np.zeros(len(self.good), dtype=bool)
        for block in self._audit.embedding_blocks(self._measurer):
            places = [self.place.get(key, -1) for key in block.keys]
            chosen = [row for row, place in enumerate(places) if place >= 0 and not seen[place]]
            own = [places[row] for row in chosen]
            seen[own] = True
            yield _taken(block, chosen, own)

    def _keep(self, directions: FloatArray, columns: FloatArray) -> None:
        for one, column in zip(directions, columns, strict=True):
            self._cosines[one.tobytes()] = column


def usable_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Tell which rows are finite and not zero: only these have a direction."""
    if not vectors.size:
        return np.zeros(len(vectors), dtype=bool)
    finite = np.isfinite(vectors).all(axis=1)
    return np.asarray(finite & (np.abs(np.where(finite[:, None], vectors, 0.0)).max(axis=1) > 0))


def normalised(vectors: npt.NDArray[np.floating]) -> FloatArray:
    """Return vectors of length one."""
    rows = np.asarray(vectors, dtype=np.float64)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def cosines_of(vectors: npt.ArrayLike) -> Cosines:
    """Return what compares vectors in memory, one per row, with directions."""
    rows = np.asarray(vectors, dtype=np.float64)
    # Without a single row nothing tells how wide one is.
    return lambda directions: (
        np.asarray(normalised(rows) @ directions.T) if len(rows) else np.zeros((0, len(directions)))
    )


def _distinct(
    directions: FloatArray | None, *, known: Container[bytes] = frozenset()
) -> FloatArray:
    """Return the directions that are not known yet, each once."""
    if directions is None:
        return np.zeros((0, 0))
    new = {one.tobytes(): one for one in directions if one.tobytes() not in known}
    return np.array(list(new.values()))


def _taken(block: EmbeddingBlock, rows: Sequence[int], places: Sequence[int]) -> _Block:
    vectors = block.vectors if len(rows) == len(block.keys) else block.vectors[list(rows)]
    return _Block(np.array(places, dtype=np.int64), vectors)


def _directions(vectors: npt.NDArray[np.float32], good: npt.NDArray[np.bool_]) -> FloatArray:
    return normalised(vectors if good.all() else np.where(good[:, None], vectors, 1.0))


def _products(
    vectors: npt.NDArray[np.float32], good: npt.NDArray[np.bool_], directions: FloatArray
) -> FloatArray:
    """Return cosines, one row per direction; NaN for vectors without a direction."""
    if not len(vectors):
        return np.zeros((len(directions), 0))
    found = directions @ _directions(vectors, good).T
    found[:, ~good] = np.nan
    return np.asarray(found)
