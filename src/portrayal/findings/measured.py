"""What one measurer stored of an audit's images, and why an image cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from portrayal.audit import AuditFolder
from portrayal.measurers import Labels
from portrayal.records import Identity

NOT_MEASURED = "not measured"
NO_EMBEDDING = "no embedding (the encoder gave a reason)"
NO_LABELS = "no labels (the measurer gave a reason)"
NOT_FINITE = "embedding is NaN, infinite or zero"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one measurer stored of an audit's images.

    Attributes:
        keys: The images of which it said anything.
        place: The row of each key.
        vectors: One embedding per key; of width 0 where it gives none.
        good: Which keys can be used: an embedding must have a direction.
        labels: The labels that it gave itself, by image key.
        without: Images of which it said why not.
        embeds: Whether it gives embeddings.
    """

    keys: Sequence[str]
    place: Mapping[str, int] = field(repr=False)
    vectors: npt.NDArray[np.float32]
    good: npt.NDArray[np.bool_]
    labels: Mapping[str, Labels]
    without: Set[str]
    embeds: bool

    def lack(self, key: str) -> str | None:
        """Say why an image cannot be used, or None."""
        row = self.place.get(key)
        if row is not None:
            return None if self.good[row] else NOT_FINITE
        if key not in self.without:
            return NOT_MEASURED
        return NO_EMBEDDING if self.embeds else NO_LABELS


def read_measured(
    audit: AuditFolder, measurer: Identity, prompts: Iterable[str] | None = None
) -> Measured:
    """Read what a measurer stored.

    Args:
        audit: Of which audit.
        measurer: Who looked.
        prompts: Only images of these prompts; None: all.
    """
    columns = audit.columns(measurer)
    embeds = "embedding" in columns
    about = ["key", "reason", *(["labels"] if "labels" in columns else [])]
    rows = audit.measurements(measurer, columns=about).to_arrow_table()
    found = rows.filter(pc.is_null(rows["reason"]))
    keys = found["key"].to_pylist()
    labels = {}
    if "labels" in columns:
        stored = found["labels"].to_pylist(maps_as_pydicts="strict")
        labels = dict(zip(keys, stored, strict=True))
    if embeds:
        keys, vectors = audit.embeddings(measurer, prompts)
        good = usable_rows(vectors)
    else:
        vectors, good = np.zeros((len(keys), 0), np.float32), np.ones(len(keys), dtype=bool)
    without = set(rows["key"].to_pylist()) - set(found["key"].to_pylist())
    place = {key: row for row, key in enumerate(keys)}
    return Measured(keys, place, vectors, good, labels, without, embeds)


def usable_rows(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Tell which rows are finite and not zero: only these have a direction."""
    if not vectors.size:
        return np.zeros(len(vectors), dtype=bool)
    finite = np.isfinite(vectors).all(axis=1)
    return np.asarray(finite & (np.abs(np.where(finite[:, None], vectors, 0.0)).max(axis=1) > 0))
