"""One look at every caption: DuckDB streams each source once, several sources beside each other.

A source that cannot be read costs itself and nothing else. One that holds text which is not UTF-8,
at which DuckDB stops, is read again by pyarrow, which hands on what is text and counts the rest.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.corpora.matching import quoted
from portrayal.corpora.sources import Place, filesystem
from portrayal.errors import CorpusError
from portrayal.loading import first_line
from portrayal.progress import OnProgress

MEMORY = "1GB"
"""What DuckDB may hold; a pass needs a small part of it."""
_BATCH = 65_536
_UTF8 = "UTF8"
_OF_THE_SOURCE = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.ConversionException,
    duckdb.NotSupportedError,
)
"""What a damaged or odd file causes. Anything else is a fault of ours or of the machine: leaving a
source out for it would give small counts that look like answers."""

Look = Callable[[duckdb.DuckDBPyConnection, str, int], pa.Table]
"""Takes a connection, SQL for a table of (row, caption), and the source's number."""


@dataclass(frozen=True, slots=True)
class Readable:
    """A source as a pass sees it: Parquet with a column of text."""

    number: int
    label: str
    place: Place
    text: str
    rows: int


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What a look at one source gave.

    Attributes:
        source: The source.
        tables: What the look returned: one table, or several where text had to be sifted.
        not_utf8: Rows whose text is none.
        failure: Why the source could not be read; empty where it could.
    """

    source: Readable
    tables: Sequence[pa.Table]
    not_utf8: Sequence[int] = ()
    failure: str = ""


class Reader:
    """Looks at sources with a number of threads.

    Args:
        threads: At most so many at once; None: one a core.
        memory: What DuckDB may hold.
    """

    def __init__(self, *, threads: int | None = None, memory: str = MEMORY) -> None:
        self._threads = max(1, threads or os.cpu_count() or 1)
        self._memory = memory
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "threads": self._threads,
                "memory_limit": memory,
                "temp_directory": os.path.join(tempfile.gettempdir(), f"portrayal-{os.getpid()}"),
                "preserve_insertion_order": "false",
                # Nothing is fetched behind the user's back.
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )

    def __enter__(self) -> Reader:
        """Return itself."""
        return self

    def __exit__(self, *problem: object) -> None:
        """Close the database."""
        self._connection.close()

    def look(
        self,
        sources: Sequence[Readable],
        look: Look,
        *,
        on_progress: OnProgress | None = None,
    ) -> Iterator[SourceRead]:
        """Yield what a look gives for every source, in their order, each read once."""
        for protocol in {one.place.protocol for one in sources if one.place.is_remote}:
            self._connection.register_filesystem(filesystem(f"{protocol}://"))
        total = sum(one.rows for one in sources)
        done = 0
        for seen in self._in_order(sources, look):
            done += seen.source.rows
            if on_progress is not None:
                on_progress("captions", done, total)
            yield seen

    def _in_order(self, sources: Sequence[Readable], look: Look) -> Iterator[SourceRead]:
        """Run a few looks ahead, so that finished ones do not pile up in memory."""
        waiting = iter(sources)
        with ThreadPoolExecutor(self._threads) as pool:
            running: list[Future[SourceRead]] = []
            try:
                for source in itertools.islice(waiting, self._threads + 1):
                    running.append(pool.submit(self._one, source, look))
                while running:
                    yield running.pop(0).result()
                    for source in itertools.islice(waiting, 1):
                        running.append(pool.submit(self._one, source, look))
            finally:
                for future in running:
                    future.cancel()

    def _one(self, source: Readable, look: Look) -> SourceRead:
        with self._connection.cursor() as cursor:
            try:
                return SourceRead(source, [look(cursor, _parquet(source), source.number)])
            except duckdb.OutOfMemoryException as error:
                raise self._too_little(source) from error
            except _OF_THE_SOURCE as error:
                if _UTF8 not in str(error):
                    return SourceRead(source, (), failure=first_line(error))
            except Exception as error:
                if not source.place.is_remote or not _is_of_a_store(error):
                    raise
                return SourceRead(source, (), failure="the store failed while it was read")
            try:
                return self._sifted(cursor, source, look)
            except duckdb.OutOfMemoryException as error:
                raise self._too_little(source) from error
            except CorpusError as error:
                return SourceRead(source, (), failure=str(error))
            except (pa.ArrowException, OSError, *_OF_THE_SOURCE) as error:
                return SourceRead(source, (), failure=first_line(error))

    def _too_little(self, source: Readable) -> CorpusError:
        return CorpusError(
            f"{source.label}: {self._memory} of memory are too little to search it; keep fewer "
            "captions a term, or all of them"
        )

    def _sifted(
        self, cursor: duckdb.DuckDBPyConnection, source: Readable, look: Look
    ) -> SourceRead:
        tables, refused = [], []
        start = 0
        with source.place.open() as file, pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(_BATCH, columns=[source.text]):
                captions, bad = _text(batch.column(0))
                refused += [start + at for at in bad]
                rows = np.arange(start, start + len(captions))
                start += len(captions)
                text = np.ones(len(captions), bool)
                text[bad] = False
                kept = pa.table({"row": rows, "caption": captions}).filter(pa.array(text))
                cursor.register("sifted", kept)
                tables.append(look(cursor, "SELECT row, caption FROM sifted", source.number))
                cursor.unregister("sifted")
        return SourceRead(source, tables, refused)


def _is_of_a_store(error: Exception) -> bool:
    """Tell whether Python code that DuckDB called has failed: a file system of fsspec.

    DuckDB then raises the root of its errors with all of a traceback, whose words may hold secrets.
    """
    return type(error) is duckdb.Error or not isinstance(error, duckdb.Error)


def escaped(path: str) -> str:
    """Return a path in which no character means a pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


def _parquet(source: Readable) -> str:
    column = '"' + source.text.replace('"', '""') + '"'
    path = source.place.path
    file = quoted(path if source.place.is_remote else escaped(path))
    return (
        f"SELECT file_row_number AS row, {column}::VARCHAR AS caption FROM "
        f"read_parquet({file}, file_row_number = true, binary_as_string = true)"
    )


def _text(column: pa.Array) -> tuple[pa.Array, list[int]]:
    """Return a column as strings, NULL where it is not UTF-8, and the places of those."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    large = column.cast(pa.large_binary())
    try:
        return large.cast(pa.large_string()), []
    except pa.ArrowInvalid:
        values: list[Any] = large.to_pylist()
    bad = [at for at, value in enumerate(values) if value is not None and not _is_utf8(value)]
    for at in bad:
        values[at] = None
    return pa.array(values, pa.large_binary()).cast(pa.large_string()), bad


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
