"""Gender indicators (appendix A.5 of the amplification paper): what a caption's words give away.

Three kinds of indicators: gender words, pronouns, and first names of people. The words are those of
the paper's code; a word before an apostrophe counts too ("the woman's", "he'll"), and hyphens part
words ("male-dominated"). Names come from a recogniser (see `portrayal.language.names`), which is
part of the identity of every result. A label says what the words indicate and nothing about the
people in an image; "unknown" means that no indicator was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import folder_name, replacing
from portrayal.corpora.captions import CaptionSet
from portrayal.language import Gender, NameRecogniser, SaysWords
from portrayal.records import Identity, digest
from portrayal.statistics import share_interval
from portrayal.studies import FEMALE, MALE, tokens

Label = Literal["male", "female", "both", "unknown"]
LABELS: tuple[Label, ...] = ("male", "female", "both", "unknown")


def indicators(captions: Sequence[str], recogniser: NameRecogniser) -> list[Label]:
    """Return which gender the words and names of each caption indicate.

    >>> from portrayal.language.names import NoNames
    >>> indicators(["A nurse and her patient", "an engineer"], NoNames())
    ['female', 'unknown']
    """
    names = recogniser.genders(captions)
    say = recogniser.said if isinstance(recogniser, SaysWords) else _words
    return [_label(say(caption) | own) for caption, own in zip(captions, names, strict=True)]


def indicator_identity(recogniser: NameRecogniser) -> Identity:
    """Return what changes labels: the recogniser and the lists of words."""
    words = digest([sorted(MALE), sorted(FEMALE)])
    names = recogniser.identity.as_dict()
    return Identity("indicators", recogniser.identity.name, {"names": names, "words": words})


def label_set(captions: CaptionSet, recogniser: NameRecogniser) -> list[Label]:
    """Return the labels of a stored set's rows; kept in the corpus folder for the next time."""
    identity = indicator_identity(recogniser)
    corpus = captions.file.parent.parent
    folder = corpus / "labels" / folder_name(identity)
    file = folder / f"{captions.identity.digest}.parquet"
    if file.exists():
        known: list[Label] = pq.read_table(file)["label"].to_pylist()
        return known
    labels = [
        label
        for batch in captions.batches(["caption"])
        for label in indicators(batch.column(0).to_pylist(), recogniser)
    ]
    _store(folder, file, labels)
    return labels


@dataclass(frozen=True, slots=True)
class TermShares:
    """How the captions of a term are labelled.

    Attributes:
        term: The term.
        n: Captions that were labelled.
        male, female, both, unknown: How many have each label.
        share_female: Share of captions with a female indicator ("both" counts); None for n = 0.
        share_male: The same for male ones.
        share_unknown: Share of captions without any indicator.
        low: Interval of the share of female indicators (Wilson, 95%).
        high: Its upper bound.
    """

    term: str
    n: int
    male: int
    female: int
    both: int
    unknown: int
    share_female: float | None
    share_male: float | None
    share_unknown: float | None
    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def shares_by_term(
    terms: Iterable[str], row_terms: Sequence[str], labels: Sequence[Label]
) -> list[TermShares]:
    """Return the labels of a set summed up by term.

    Args:
        terms: The terms, those without captions too.
        row_terms: The term of each row.
        labels: The label of each row.
    """
    found: dict[str, dict[Label, int]] = {term: dict.fromkeys(LABELS, 0) for term in terms}
    for term, label in zip(row_terms, labels, strict=True):
        found[term][label] += 1
    return [_shares(term, counts) for term, counts in found.items()]


def _shares(term: str, counts: dict[Label, int]) -> TermShares:
    n = sum(counts.values())
    female, male = counts["female"] + counts["both"], counts["male"] + counts["both"]
    low, high = share_interval(female, n) if n else (None, None)
    return TermShares(
        term=term,
        n=n,
        male=counts["male"],
        female=counts["female"],
        both=counts["both"],
        unknown=counts["unknown"],
        share_female=female / n if n else None,
        share_male=male / n if n else None,
        share_unknown=counts["unknown"] / n if n else None,
        low=low,
        high=high,
    )


def _words(caption: str) -> frozenset[Gender]:
    said: set[str] = set()
    for token in tokens(caption):
        said.update((token, token.partition("'")[0]))
    lists: tuple[tuple[Gender, frozenset[str]], ...] = (("male", MALE), ("female", FEMALE))
    return frozenset(gender for gender, words in lists if not words.isdisjoint(said))


def _label(genders: frozenset[Gender]) -> Label:
    if {"male", "female"} <= genders:
        return "both"
    return "male" if "male" in genders else "female" if "female" in genders else "unknown"


def _store(folder: Path, file: Path, labels: Sequence[Label]) -> None:
    table = pa.table({"label": pa.array(labels, pa.string())})
    with replacing(folder) as temporary:
        pq.write_table(table, temporary, compression="zstd")
        temporary.replace(file)
