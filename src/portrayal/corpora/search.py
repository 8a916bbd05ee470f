"""Search: all captions that contain any of many terms, counted and sampled in one pass.

The sample is the same whatever the number of threads, files at a time or machines: every caption
has a number that only its place and the seed decide (a hash), and those with the smallest numbers
are taken. So the first 100 of a sample of 500 are the sample of 100, and sources that are added
later do not stir up what was drawn from the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.corpora.captions import SCHEMA
from portrayal.corpora.matching import EMPTY, MISSING, NOT_UTF8, TOO_LONG
from portrayal.corpora.problems import Problem, summed
from portrayal.corpora.reading import Readable, Reader, SourceRead
from portrayal.errors import CorpusError
from portrayal.progress import OnProgress

MAX_SAMPLE = 1_000_000
"""Per term; DuckDB keeps no more in its heap."""
KINDS = {MISSING: "missing", EMPTY: "empty", TOO_LONG: "too long", NOT_UTF8: "not UTF-8"}

_KEPT = pa.schema([("label", pa.int32()), ("order", pa.uint64()), *SCHEMA.remove(0)])


@dataclass(slots=True)
class Tally:
    """Counts of a pass, filled while it goes."""

    matches: dict[int, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def count(self, label: int, number: int) -> None:
        """Add matches of a term."""
        self.matches[label] = self.matches.get(label, 0) + number

    def note(self, seen: SourceRead) -> None:
        """Take down what a source says about itself."""
        if seen.failure:
            where = f"{seen.source.label}: {seen.failure}"
            self.problems.append(Problem("unreadable", 1, where))
        if seen.not_utf8:
            self.mark(seen.source, NOT_UTF8, len(seen.not_utf8), seen.not_utf8[0])

    def mark(self, source: Readable, label: int, count: int, first: int) -> None:
        """Take down captions that cannot be searched."""
        self.problems.append(Problem(KINDS[label], count, f"{source.label} row {first}"))

    def finish(self, names: Sequence[str]) -> None:
        """Sum up, and name the terms that no caption contains."""
        absent = [name for label, name in enumerate(names) if not self.matches.get(label)]
        if absent:
            shown = ", ".join(absent[:10]) + (" ..." if len(absent) > 10 else "")
            self.problems.append(Problem("no caption", len(absent), shown))
        self.problems[:] = summed(self.problems)


def sampled(
    reader: Reader,
    sources: Sequence[Readable],
    labels: str,
    *,
    per_term: int,
    seed: int,
    tally: Tally,
    on_progress: OnProgress | None = None,
) -> pa.Table:
    """Return at most `per_term` captions a label, in hash order within each.

    Args:
        reader: Looks at the sources.
        sources: All of them.
        labels: SQL for the labels of a caption.
        per_term: How many to keep; 0 only counts.
        seed: Another seed, another sample.
        tally: Gets the counts.
        on_progress: Told how many captions were looked at.
    """
    if not 0 <= per_term <= MAX_SAMPLE:
        raise CorpusError(f"per_term is {per_term}; allowed: 0 to {MAX_SAMPLE:,}, or none for all")

    def look(cursor: duckdb.DuckDBPyConnection, rows: str, source: int) -> pa.Table:
        order = f"md5_number_lower('{int(seed)}:{source}:' || row)"
        kept = f"min_by({{'order': {order}, 'row': row, 'caption': caption}}, {order}, {per_term})"
        keep = f"{kept} FILTER (WHERE label >= 0)" if per_term else "NULL"
        return cursor.sql(
            f"SELECT label, count(*) AS n, min(row) AS first, {keep} AS kept "
            f"FROM ({_labelled(rows, labels)}) GROUP BY label"
        ).to_arrow_table()

    best = _KEPT.empty_table()
    for seen in reader.look(sources, look, on_progress=on_progress):
        tally.note(seen)
        pieces = [best]
        for table in seen.tables:
            pieces.append(_kept(table, seen.source, tally))
        best = _smallest(pa.concat_tables(pieces), per_term)
    return best


def every(
    reader: Reader,
    sources: Sequence[Readable],
    labels: str,
    *,
    names: Sequence[str],
    tally: Tally,
    on_progress: OnProgress | None = None,
) -> Iterator[pa.Table]:
    """Yield all captions with their terms, source by source, in the order of rows."""

    def look(cursor: duckdb.DuckDBPyConnection, rows: str, source: int) -> pa.Table:
        caption = "CASE WHEN label >= 0 THEN caption END AS caption"
        return cursor.sql(
            f"SELECT label, row, {caption} FROM ({_labelled(rows, labels)}) ORDER BY row, label"
        ).to_arrow_table()

    for seen in reader.look(sources, look, on_progress=on_progress):
        tally.note(seen)
        for table in seen.tables:
            for label, count, first in _label_counts(table):
                if label >= 0:
                    tally.count(label, count)
                else:
                    tally.mark(seen.source, label, count, first)
            found = table.filter(pc.greater_equal(table["label"], 0))
            yield _as_set(found, seen.source.number, names)


def in_order(kept: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return a sample as the rows of a set: by term as they were asked for, then in hash order."""
    ordered = kept.sort_by([("label", "ascending"), ("order", "ascending")])
    terms = pa.array(list(names), pa.string()).take(ordered["label"].combine_chunks())
    columns = [terms, ordered["source"], ordered["row"], ordered["caption"]]
    return pa.table(columns, schema=SCHEMA)


def _labelled(rows: str, labels: str) -> str:
    # Nothing comes of unnesting NULL. Asking for what is not NULL would look at captions twice:
    # the question is pushed below, and the expression with it.
    return f"SELECT row, caption, unnest({labels}) AS label FROM ({rows})"


def _kept(table: pa.Table, source: Readable, tally: Tally) -> pa.Table:
    """Count what one look found, and return what it kept."""
    for answer in table.select(["label", "n", "first"]).to_pylist():
        if answer["label"] < 0:
            tally.mark(source, answer["label"], answer["n"], answer["first"])
        else:
            tally.count(answer["label"], answer["n"])
    kept = table["kept"].combine_chunks()
    if not pa.types.is_list(kept.type):  # nothing was to be kept
        return _KEPT.empty_table()
    rows = kept.flatten()
    columns = {
        "label": table["label"].combine_chunks().take(kept.value_parent_indices()),
        "order": rows.field("order"),
        "source": pa.repeat(pa.scalar(source.number, pa.int32()), len(rows)),
        "row": rows.field("row"),
        "caption": rows.field("caption"),
    }
    return pa.table(columns).cast(_KEPT)


def _smallest(rows: pa.Table, per_term: int) -> pa.Table:
    """Keep the rows with the smallest numbers of each label."""
    if not len(rows):
        return rows
    ordered = rows.sort_by([(name, "ascending") for name in ("label", "order", "source", "row")])
    labels = ordered["label"].to_numpy()
    starts = labels.searchsorted(labels)  # where each row's label begins
    return ordered.filter(pa.array(np.arange(len(labels)) - starts < per_term))


def _label_counts(table: pa.Table) -> list[tuple[int, int, int]]:
    found = table.group_by("label").aggregate([("row", "count"), ("row", "min")])
    return [(one["label"], one["row_count"], one["row_min"]) for one in found.to_pylist()]


def _as_set(found: pa.Table, source: int, names: Sequence[str]) -> pa.Table:
    terms = pa.array(list(names), pa.string()).take(found["label"].combine_chunks())
    numbers = pa.array([source] * len(found), pa.int32())
    return pa.table([terms, numbers, found["row"], found["caption"]], schema=SCHEMA)
