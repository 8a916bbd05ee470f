"""What one measurer stored of an audit's images, and why an image cannot be used."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from portrayal.audit import AuditFolder
from portrayal.findings.vectors import FloatArray, StoredVectors
from portrayal.measurers import Labels
from portrayal.raters import RATERS, rater_labels
from portrayal.records import Identity

NOT_MEASURED = "not measured"
NOT_RATED = "not rated"
NO_EMBEDDING = "no embedding (the encoder gave a reason)"
NO_LABELS = "no labels (the measurer gave a reason)"
NOT_FINITE = "embedding is NaN, infinite or zero"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one measurer stored of an audit's images.

    Attributes:
        place: The images of which it said anything, numbered.
        good: Which places can be used: an embedding must have a direction.
        vectors: Its embeddings, at the same places; None where it gives none.
        labels: The labels that it gave itself, by image key.
        without: Images of which it said why not.
        absent: What is said of images that it has no answer about.
    """

    place: Mapping[str, int] = field(repr=False)
    good: npt.NDArray[np.bool_]
    vectors: StoredVectors | None
    labels: Mapping[str, Labels]
    without: Set[str]
    absent: str = NOT_MEASURED

    def lack(self, key: str) -> str | None:
        """Say why an image cannot be used, or None."""
        row = self.place.get(key)
        if row is not None:
            return None if self.good[row] else NOT_FINITE
        if key not in self.without:
            return self.absent
        return NO_LABELS if self.vectors is None else NO_EMBEDDING


def read_measured(
    audit: AuditFolder,
    measurer: Identity,
    *,
    keys: Container[str] | None = None,
    directions: FloatArray | None = None,
) -> Measured:
    """Read what a measurer stored.

    Args:
        audit: Of which audit.
        measurer: Who looked.
        keys: Embeddings of these images only; None: of all.
        directions: Directions that its embeddings will be compared with, one per row.
    """
    if by_people(measurer):
        return _rated(audit, measurer)
    columns = audit.columns(measurer)
    about = ["key", "reason", *(["labels"] if "labels" in columns else [])]
    rows = audit.measurements(measurer, columns=about).to_arrow_table()
    has = pc.is_null(rows["reason"])
    found = rows.filter(has)
    labels = {}
    if "labels" in columns:
        stored = found["labels"].to_pylist(maps_as_pydicts="strict")
        labels = dict(zip(found["key"].to_pylist(), stored, strict=True))
    without = set(rows.filter(pc.invert(has))["key"].to_pylist())
    if "embedding" in columns:
        vectors = StoredVectors(audit, measurer, keys=keys, n=len(found), directions=directions)
        return Measured(vectors.place, vectors.good, vectors, labels, without)
    place = {key: row for row, key in enumerate(found["key"].to_pylist())}
    return Measured(place, np.ones(len(place), dtype=bool), None, labels, without)


def by_people(measurer: Identity) -> bool:
    """Tell whether a measurer stands for an audit's raters."""
    return measurer.kind == RATERS


def _rated(audit: AuditFolder, raters: Identity) -> Measured:
    """Read what people say, from their votes."""
    labels = rater_labels(audit, raters)
    place = {key: row for row, key in enumerate(sorted(labels))}
    good = np.ones(len(place), dtype=bool)
    return Measured(place, good, None, labels, frozenset(), NOT_RATED)
