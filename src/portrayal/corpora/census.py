"""What a corpus contains: captions, what is wrong with them, how long they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from portrayal.corpora.matching import every_caption_sql
from portrayal.corpora.problems import Problem
from portrayal.corpora.reading import Readable, Reader
from portrayal.corpora.search import Tally
from portrayal.progress import OnProgress

LENGTHS = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Census:
    """Counts over all sources.

    Attributes:
        sources: Files.
        rows: Captions, those that are left out too.
        captions: Captions that can be searched.
        words: Words of a caption at the 10th, 50th and 90th percentile; None without captions.
        problems: What is left out, by kind.
    """

    sources: int
    rows: int
    captions: int
    words: tuple[int, int, int] | None
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def take(
    reader: Reader, sources: Sequence[Readable], *, on_progress: OnProgress | None = None
) -> Census:
    """Count in one pass; the distribution of lengths is exact, since captions have few of them."""

    def look(cursor: duckdb.DuckDBPyConnection, rows: str, source: int) -> pa.Table:
        del source
        words = "len(regexp_split_to_array(trim(caption), e'\\\\s+'))"
        return cursor.sql(
            f"SELECT labels[1] AS label, CASE WHEN labels[1] = 0 THEN {words} END AS words, "
            "count(*) AS n, min(row) AS first FROM "
            f"(SELECT row, caption, {every_caption_sql()} AS labels FROM ({rows})) GROUP BY ALL"
        ).to_arrow_table()

    tally = Tally()
    lengths: dict[int, int] = {}
    for seen in reader.look(sources, look, on_progress=on_progress):
        tally.note(seen)
        for table in seen.tables:
            for one in table.to_pylist():
                if one["label"] == 0:
                    lengths[one["words"]] = lengths.get(one["words"], 0) + one["n"]
                else:
                    tally.mark(seen.source, one["label"], one["n"], one["first"])
    tally.finish(())
    return Census(
        sources=len(sources),
        rows=sum(one.rows for one in sources),
        captions=sum(lengths.values()),
        words=_percentiles(lengths),
        problems=tuple(tally.problems),
    )


def _percentiles(lengths: dict[int, int]) -> tuple[int, int, int] | None:
    if not lengths:
        return None
    words = np.array(sorted(lengths))
    reached = np.cumsum([lengths[int(count)] for count in words])
    low, middle, high = (
        int(words[np.searchsorted(reached, share * reached[-1])]) for share in LENGTHS
    )
    return low, middle, high
