"""The images of selected captions, fetched from the corpus into an audit of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa

from portrayal.audit import AuditFolder, compact, training_folder
from portrayal.corpora import Corpus
from portrayal.progress import OnCount
from portrayal.records import ImageRecord

BATCH = 256
BATCH_BYTES = 64 * 2**20
"""Images are stored in parts of at most so many, and so large."""


@dataclass(frozen=True, slots=True)
class FetchSummary:
    """What became of the images that were wanted.

    Attributes:
        fetched: New ones.
        present: Those that were there.
        reasons: Those that cannot be had, by reason; each is asked for once.
    """

    fetched: int
    present: int
    reasons: Counter[str] = field(default_factory=Counter)

    def sentence(self) -> str:
        """Say it in one line."""
        parts = [f"{self.fetched:,} training images fetched, {self.present:,} reused"]
        parts += [f"{n:,} cannot be had: {why}" for why, n in self.reasons.most_common(3)]
        return ", ".join(parts)


def fetch_images(
    audit: AuditFolder, corpus: Corpus, selection: pa.Table, *, on_progress: OnCount | None = None
) -> FetchSummary:
    """Store the images of selected captions that are not there yet.

    Args:
        audit: The audit whose training side this is.
        corpus: Where images are.
        selection: Captions, in the layout of `audit.selections.SELECTION`.
        on_progress: Called after every part.

    Raises:
        AuditError: The training side is of another corpus.
    """
    training = AuditFolder.at(training_folder(audit), corpus.identity)
    wanted = _distinct(selection)
    there = {key for (key,) in training.images().select("key").fetchall()}
    missing = {place: row for place, row in wanted.items() if row[2] not in there}
    report = on_progress or (lambda done, total: None)
    present = len(wanted) - len(missing)
    report(present, len(wanted))
    reasons: Counter[str] = Counter()
    waiting: list[ImageRecord] = []
    size = fetched = 0
    for place, found in corpus.images(sorted(missing)):
        caption, seed, _ = missing[place]
        if isinstance(found, bytes):
            waiting.append(ImageRecord(caption, seed, "ok", None, found))
            size += len(found)
            fetched += 1
        else:
            waiting.append(ImageRecord(caption, seed, "failed", found.text))
            reasons[found.text] += 1
        if len(waiting) >= BATCH or size >= BATCH_BYTES:
            training.append_images(waiting)
            report(present + fetched + reasons.total(), len(wanted))
            waiting, size = [], 0
    training.append_images(waiting)
    report(len(wanted), len(wanted))
    if missing:
        compact(training)
    return FetchSummary(fetched, present, reasons)


def _distinct(selection: pa.Table) -> dict[tuple[int, int], tuple[str, int, str]]:
    """Return caption, seed and key of every image by its place in the corpus."""
    names = ("source", "row", "caption", "seed", "key")
    rows = zip(*(selection[name].to_pylist() for name in names), strict=True)
    return {(source, row): (caption, seed, key) for source, row, caption, seed, key in rows}
