"""Co-occurrence: how often two words occur in one caption, against what chance would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import pyarrow as pa

from portrayal.corpora.folder import Corpus
from portrayal.corpora.matching import labels_sql
from portrayal.corpora.problems import Problem
from portrayal.corpora.search import Tally
from portrayal.corpora.terms import Term, checked
from portrayal.progress import OnProgress
from portrayal.statistics import share_interval


@dataclass(frozen=True, slots=True)
class Pair:
    """Counts of captions for two words.

    Attributes:
        word: The one.
        other: The other.
        with_word: Captions that contain the word.
        with_other: Captions that contain the other.
        both: Captions that contain both.
        expected: Captions that would hold both if the words had nothing to do with each other.
        share: Share of the word's captions that contain the other; None without any.
        low: Its interval (Wilson, 95%).
        high: Its interval.
        lift: both / expected: above 1 they seek each other, below 1 they avoid each other.
    """

    word: str
    other: str
    with_word: int
    with_other: int
    both: int
    expected: float
    share: float | None
    low: float | None
    high: float | None
    lift: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """All pairs, of how many captions, and what was left out."""

    captions: int
    pairs: tuple[Pair, ...]
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def cooccurrence(
    corpus: Corpus,
    words: Sequence[Term],
    others: Sequence[Term],
    *,
    on_progress: OnProgress | None = None,
) -> Cooccurrence:
    """Count captions for every pair of a word and another, in one pass.

    Args:
        corpus: Where.
        words: The ones; "doctor" counts with its plural if the term has it.
        others: The others; a term may be in both.
        on_progress: Told how many captions were looked at.
    """
    terms = list(dict.fromkeys([*checked(words), *checked(others)]))
    names = [term.name for term in checked(terms)]
    tally = Tally()
    together = _together(corpus, labels_sql(terms), tally, on_progress)
    captions = sum(together.values())
    for labels, count in together.items():
        for label in labels:
            tally.count(label, count)
    tally.finish(names)
    pairs = [
        _pair(terms, together, terms.index(word), terms.index(other))
        for word in words
        for other in others
        if word != other
    ]
    return Cooccurrence(captions, tuple(pairs), tuple(tally.problems))


def _together(
    corpus: Corpus, labels: str, tally: Tally, on_progress: OnProgress | None
) -> dict[frozenset[int], int]:
    """Return how many captions contain each set of terms; the empty set stands for none of them."""

    def look(cursor: duckdb.DuckDBPyConnection, rows: str, source: int) -> pa.Table:
        del source
        return cursor.sql(
            "SELECT labels, count(*) AS n, min(row) AS first FROM "
            f"(SELECT row, list_sort({labels}) AS labels FROM ({rows})) GROUP BY labels"
        ).to_arrow_table()

    found: dict[frozenset[int], int] = {}
    with corpus.reader() as reader:
        for seen in reader.look(corpus.readable(), look, on_progress=on_progress):
            tally.note(seen)
            for one in (row for table in seen.tables for row in table.to_pylist()):
                held = frozenset(one["labels"] or ())
                if any(label < 0 for label in held):
                    tally.mark(seen.source, min(held), one["n"], one["first"])
                else:
                    found[held] = found.get(held, 0) + one["n"]
    return found


def _pair(
    terms: Sequence[Term], together: Mapping[frozenset[int], int], one: int, two: int
) -> Pair:
    def captions(*wanted: int) -> int:
        return sum(count for held, count in together.items() if held.issuperset(wanted))

    both, with_word, with_other, of = captions(one, two), captions(one), captions(two), captions()
    expected = with_word * with_other / of if of else 0.0
    low, high = share_interval(both, with_word) if with_word else (None, None)
    return Pair(
        word=terms[one].name,
        other=terms[two].name,
        with_word=with_word,
        with_other=with_other,
        both=both,
        expected=expected,
        share=both / with_word if with_word else None,
        low=low,
        high=high,
        lift=both / expected if expected else None,
    )
