"""Captions that contain two words, to read; and their images, to be rated (ENTIGEN, section 4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.corpora.folder import Corpus
from portrayal.corpora.terms import Term
from portrayal.errors import CorpusError
from portrayal.progress import OnProgress
from portrayal.records import ImageRecord


@dataclass(frozen=True, slots=True)
class CaptionOfPair:
    """A caption that contains two words.

    Attributes:
        source: The number of its source.
        row: Its row there.
        caption: Its text.
        pair: The two words.
    """

    source: int
    row: int
    caption: str
    pair: tuple[str, str]


def captions_of_pairs(
    corpus: Corpus, word: Term, others: list[Term], *, on_progress: OnProgress | None = None
) -> list[CaptionOfPair]:
    """Return the captions that contain a word and one of some others, pair by pair.

    Args:
        corpus: Where.
        word: The one.
        others: The others.
        on_progress: Told how many captions were looked at.
    """
    found = corpus.search([word, *others], per_term=None, on_progress=on_progress)
    texts: dict[tuple[int, int], str] = {}
    terms: dict[tuple[int, int], set[str]] = {}
    for batch in found.batches(("source", "row", "caption", "term")):
        for one in batch.to_pylist():
            place = (one["source"], one["row"])
            texts[place] = one["caption"]
            terms.setdefault(place, set()).add(one["term"])
    return [
        CaptionOfPair(*place, texts[place], (word.name, other.name))
        for other in others
        for place, own in sorted(terms.items())
        if {word.name, other.name} <= own
    ]


def store_images(corpus: Corpus, captions: list[CaptionOfPair], out: Path) -> Counter[str]:
    """Store the images of captions as an audit, so that people can rate them.

    Args:
        corpus: Where the images are.
        captions: Whose.
        out: The audit; made where it is not there.

    Returns:
        How many were stored ("stored"), and how many cannot be had, by reason.

    Raises:
        CorpusError: No caption is given.
        AuditError: The audit is about something else.
    """
    if not captions:
        raise CorpusError("no caption contains both words; there is no image to store")
    audit = AuditFolder.at(out, corpus.identity)
    by_place = {(one.source, one.row): one for one in captions}
    there = {text for (text,) in audit.images().select("prompt").fetchall()}
    wanted = sorted(place for place, one in by_place.items() if one.caption not in there)
    counts: Counter[str] = Counter()
    records = []
    for place, found in corpus.images(wanted):
        one = by_place[place]
        if isinstance(found, bytes):
            factors = {"words": " + ".join(one.pair)}
            records.append(ImageRecord(one.caption, place[1], "ok", data=found, factors=factors))
            counts["stored"] += 1
        else:
            counts[found.text] += 1
    audit.append_images(records)
    return counts
