"""Embeddings that were computed elsewhere become measurements of an audit's images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from portrayal.audit import AuditFolder, ImageNames
from portrayal.errors import ImportFileError
from portrayal.importers.entries import Problems
from portrayal.importers.vectors import Chunk, read_chunks
from portrayal.records import Identity, Measurement

KIND = "embeddings"
"""The kind of the measurer identity of imported embeddings."""

LOGIT_SCALE = 100.0
"""What CLIP models are trained to multiply similarities with, before the softmax."""

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingsSummary:
    """What an import of embeddings did."""

    encoder: Identity
    images: int
    """Images that have an embedding now and had none before."""
    texts: int
    """Texts that have an embedding now and had none before."""
    present: int
    """Embeddings that were there from an earlier import."""
    without: int
    """Images of the audit that still have none."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "encoder": self.encoder.as_dict(),
            "images": self.images,
            "texts": self.texts,
            "present": self.present,
            "without": self.without,
        }

    def sentence(self) -> str:
        """Return the summary in words."""
        return (
            f"{self.encoder.name}: {self.images} images and {self.texts} texts added, "
            f"{self.present} present before, {self.without} images without an embedding"
        )


def import_embeddings(
    audit: AuditFolder | str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    encoder: str,
    logit_scale: float = LOGIT_SCALE,
) -> EmbeddingsSummary:
    """Store embeddings of images (and of texts) under an encoder's name.

    A Parquet file has a column `embedding`, and `key`, or `prompt` and `seed`, or `image` (the path
    that an import was told); rows with a `text` embed that text. An .npz holds arrays of the same
    names, with `text` and `text_embedding` apart. It is read without pickle.

    Args:
        audit: The audit with the images.
        file: Parquet or .npz.
        encoder: The encoder's name, for reports.
        logit_scale: What the encoder multiplies similarities with before a softmax.

    Raises:
        ImportFileError: Something in the file is wrong; the audit is as it was.
    """
    target = audit if isinstance(audit, AuditFolder) else AuditFolder(audit)
    identity = Identity(KIND, encoder, {"logit_scale": float(logit_scale)})
    path = Path(file)
    checked = _Checked(target, identity, path)
    for chunk in read_chunks(path):
        checked.look_at(chunk)
    checked.problems.raise_any()
    if not checked.rows:
        raise ImportFileError(f"{path}: contains no embeddings")
    images = texts = 0
    for chunk in read_chunks(path):
        if chunk.texts is not None:
            unknown: list[None] = [None] * len(chunk.texts)
            texts += target.append_texts(
                identity, chunk.texts, chunk.vectors, tokens=unknown, truncated=unknown
            )
        else:
            found = zip(checked.keys_of(chunk), chunk.vectors, strict=True)
            rows = [Measurement(key, {"embedding": row}) for keys, row in found for key in keys]
            images += target.append_measurements(identity, {"embedding": "vector"}, rows)
    present = checked.rows - images - texts
    return EmbeddingsSummary(identity, images, texts, present, checked.count_without())


class _Checked:
    """Looks at every row of a file before any is stored."""

    def __init__(self, audit: AuditFolder, encoder: Identity, file: Path) -> None:
        self._audit = audit
        self._encoder = encoder
        self._images = ImageNames(audit)
        keys, matrix = audit.embeddings(encoder)
        self._stored: dict[tuple[str, str], npt.NDArray[np.float32]] = {
            ("image", key): row for key, row in zip(keys, matrix, strict=True)
        }
        known = [row[0] for row in audit.texts(encoder).select("text").fetchall()]
        for text, row in zip(known, audit.text_embeddings(encoder, known), strict=True):
            self._stored["text", text] = row
        self._width = len(next(iter(self._stored.values()))) if self._stored else None
        self._first: dict[tuple[str, str], str] = {}
        self.problems = Problems(str(file))
        self.rows = 0

    def look_at(self, chunk: Chunk) -> None:
        """Take note of whatever is wrong with the rows of a chunk."""
        if self._width is None:
            self._width = chunk.vectors.shape[1]
        if chunk.vectors.shape[1] != self._width:
            self.problems.add(
                chunk.where(0), f"width {chunk.vectors.shape[1]}; wanted: {self._width}"
            )
            return
        for i, row in enumerate(chunk.vectors):
            where = chunk.where(i)
            if not np.isfinite(row).all():
                self.problems.add(where, "the embedding holds NaN or infinity")
            elif not row.any():
                self.problems.add(where, "the embedding is all zeros, which has no direction")
            for subject in self._subjects(chunk, i):
                self._look_at(subject, row, where)

    def keys_of(self, chunk: Chunk) -> list[Sequence[str]]:
        """Return the images that every row is about."""
        return [self._images.keys(name, shown=chunk.shown(i)) for i, name in enumerate(chunk.names)]

    def count_without(self) -> int:
        """Return how many images have no embedding under this encoder now."""
        measured = set(self._audit.embeddings(self._encoder)[0])
        made = {key for key, status in self._images.statuses.items() if status == "ok"}
        return len(made - measured)

    def _subjects(self, chunk: Chunk, i: int) -> list[tuple[str, str]]:
        """Return what a row embeds: a text, or images."""
        if chunk.texts is not None:
            return [("text", chunk.texts[i])]
        try:
            keys = self._images.keys(chunk.names[i], shown=chunk.shown(i))
        except ImportFileError as error:
            self.problems.add(chunk.where(i), str(error))
            return []
        return [("image", key) for key in keys]

    def _look_at(self, subject: tuple[str, str], row: Matrix, where: str) -> None:
        self.rows += 1
        before = self._first.setdefault(subject, where)
        stored = self._stored.get(subject)
        if before != where:
            self.problems.add(where, f"the same {subject[0]} is in {before} already")
        elif stored is not None and not np.array_equal(stored, row):
            self.problems.add(
                where,
                f"the {subject[0]} has another embedding under this name; choose another `encoder`",
            )
