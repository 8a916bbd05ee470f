"""One folder of parts whose rows have keys: append what is new, read every key once."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from portrayal.audit import parts
from portrayal.audit.files import appending, flush_folder
from portrayal.audit.index import FAILED, Index, doubled, doubled_rows, ranks
from portrayal.audit.keys import KeyRule
from portrayal.audit.tables import check_widths

FLUSH_EVERY_S = 1.0
"""A power cut undoes at most the appends of this long, besides the one under way."""

_READERS = 4
"""Row groups that are verified or read at once: one thread is slower than many that decode."""

Choice = Callable[[pa.Table], pa.ChunkedArray]
"""Rows in, true for each that is wanted."""


class Store:
    """Rows in a folder of parts, unique by their column `key`.

    Args:
        folder: Where the parts are or will be.
        schema: The columns of a row.
        rule: What keys follow from; every part is held to it once, before it is first read.
    """

    def __init__(self, folder: Path, schema: pa.Schema, rule: KeyRule | None = None) -> None:
        self.folder = folder
        self.schema = schema
        self._rule = rule
        self._checked: set[str] = set()
        self._ranked = "status" in schema.names
        self._index = Index(folder, ranked=self._ranked)
        self._widths: dict[str, int] = {}
        self._turn = threading.RLock()
        self._flushed = -math.inf
        self.written: set[str] = set()
        """Names of the parts that were appended here."""

    def append(self, table: pa.Table, *, again: bool = False) -> int:
        """Write the rows whose keys are not here yet as one part; return how many they were.

        Args:
            table: See `append_new`.
            again: See `append_new`.
        """
        return len(self.append_new(table, again=again))

    def append_new(self, table: pa.Table, *, again: bool = False) -> pa.Table:
        """Write the rows whose keys are not here yet as one part; return them.

        Args:
            table: The rows. Of two with one key the better one is taken.
            again: Also write a row that is better than the failed one here.
        """
        with self._turn:
            self._index.refresh()
            fresh = self._without_known(table, again=again)
        while len(fresh):
            # Written, flushed and hashed before the lock is asked for: others need not wait.
            with (
                parts.prepared(self.folder, [fresh]) as appear,
                self._turn,
                appending(self.folder),
            ):
                self._index.refresh(alone=True)
                still = self._without_known(fresh, again=again)
                if len(still) == len(fresh):
                    self._check_widths(fresh)
                    name = appear().name
                    self.written.add(name)
                    self._index.add(name, fresh["key"].to_pylist(), ranks(fresh))
                    break
            fresh = still  # somebody else was faster with the others
        self._flush()
        return fresh

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns of all rows, each key once, in the order they were written."""
        names = list(columns or self.schema.names)
        table, extra = self._rows(names)
        return (table.filter(pa.array(~extra)) if extra.any() else table).select(names)

    def each_part(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield columns of one part after the other; a key may come again."""
        return parts.each_part(self.folder, columns, check=self._check)

    def blocks(self, columns: Sequence[str], *, rows: int) -> Iterator[pa.RecordBatch]:
        """Yield columns of all rows, so many at a time; a key may come again: its first counts."""
        return parts.read_blocks(self.folder, columns, rows=rows)

    def doubled_rows(self) -> dict[Path, npt.NDArray[np.intp]]:
        """Return the rows that `table` leaves out: row numbers within each part, for all parts."""
        return doubled_rows(self.folder, ranked=self._ranked, check=self._check).rows

    def batches(self, columns: Sequence[str], choose: Choice) -> Iterator[pa.Table]:
        """Yield columns of chosen rows, a row group at a time, from parts that were verified.

        The next groups are verified and read while the caller works on this one. Rows are not made
        unique: while parts are being merged, a row may come twice. Parts that are added meanwhile
        are read as well.

        Args:
            columns: What to read.
            choose: Given all but the bulky columns, which rows are wanted.
        """
        done: set[Path] = set()
        with ThreadPoolExecutor(_READERS, "portrayal-read") as readers:

            def pieces(paths: Sequence[Path]) -> Iterator[Callable[[], pa.Table | Path | None]]:
                """Give the groups of each part, then its path."""
                for path in paths:
                    self._check(path)
                    if self._holds_any(path, columns, choose):
                        verified = readers.submit(parts.verify, path)
                        for group in range(parts.count_groups(path)):
                            yield partial(self._verified, verified, path, group, columns, choose)
                    yield partial(_itself, path)

            while paths := [path for path in parts.part_paths(self.folder) if path not in done]:
                with contextlib.suppress(FileNotFoundError):  # merged into another: list again
                    for piece in _ahead(readers, pieces(paths)):
                        if isinstance(piece, pa.Table):
                            yield piece
                        elif piece is not None:
                            done.add(piece)

    def take(self, keys: Collection[str], columns: Sequence[str]) -> pa.Table:
        """Return columns of the rows with these keys, reading only the row groups they are in."""
        names = self._identifying(columns)
        wanted = pa.array(list(keys), pa.string())
        found = [self.schema.empty_table().select(names)]
        while True:
            with self._turn:
                self._index.refresh()
                paths = self._index.parts_with(keys)
            try:
                for path in paths:
                    self._check(path)
                    found += self._chosen(
                        path, names, lambda table: pc.is_in(table["key"], value_set=wanted)
                    )
            except FileNotFoundError:
                del found[1:]
                continue
            table = pa.concat_tables(found)
            return table.filter(pa.array(~doubled(table["key"], ranks(table)))).select(
                list(columns)
            )

    def width(self, column: str) -> int | None:
        """Return the width of a vector column, None while there is no vector."""
        with self._turn:
            if column not in self._widths:
                for path in parts.part_paths(self.folder):
                    try:
                        table = parts.read_part(path, [column])
                    except FileNotFoundError:
                        continue
                    found = check_widths(table[column], str(path))
                    if found is not None:
                        self._widths[column] = found
                        break
            return self._widths.get(column)

    def _rows(self, names: Sequence[str]) -> tuple[pa.Table, npt.NDArray[np.bool_]]:
        found = parts.read_parts(self.folder, self._identifying(names), check=self._check)
        if not found:
            return self.schema.empty_table(), np.zeros(0, dtype=np.bool_)
        table = pa.concat_tables(found.values())
        return table, doubled(table["key"], ranks(table))

    def _check(self, path: Path) -> None:
        known = path.name in self._checked or path.name in self.written
        if self._rule is not None and not known:
            self._rule.check(path)
            self._checked.add(path.name)

    def _identifying(self, names: Sequence[str]) -> list[str]:
        """Return the columns with those that tell which of two rows with one key counts."""
        return list(dict.fromkeys([*names, "key", *(["status"] if self._ranked else [])]))

    def _without_known(self, table: pa.Table, *, again: bool) -> pa.Table:
        own = ranks(table)
        new = ~doubled(table["key"], own)
        for i, (key, rank) in enumerate(zip(table["key"].to_pylist(), own, strict=True)):
            held = self._index.rank(key)
            if held is not None:
                new[i] &= again and held == FAILED and rank < FAILED
        return table if new.all() else table.filter(pa.array(new))

    def _flush(self) -> None:
        if time.monotonic() - self._flushed > FLUSH_EVERY_S:
            self._flushed = time.monotonic()
            flush_folder(self.folder)

    def _check_widths(self, table: pa.Table) -> None:
        for field in self.schema:
            if pa.types.is_list(field.type):
                expected = self.width(field.name)
                width = check_widths(table[field.name], str(self.folder), expected=expected)
                if width is not None:
                    self._widths[field.name] = width

    def _holds_any(self, path: Path, columns: Sequence[str], choose: Choice) -> bool:
        return bool(pc.any(choose(parts.read_part(path, self._light(columns)))).as_py())

    def _verified(
        self, verified: Future[None], path: Path, group: int, columns: Sequence[str], choose: Choice
    ) -> pa.Table | None:
        """Return the chosen rows of a row group, once its part was found to be whole."""
        verified.result()
        with parts.opened(path) as file:
            return self._of_group(path, file, group, columns, choose)

    def _chosen(self, path: Path, columns: Sequence[str], choose: Choice) -> Iterator[pa.Table]:
        with parts.opened(path) as file:
            for group in range(file.num_row_groups):
                table = self._of_group(path, file, group, columns, choose)
                if table is not None:
                    yield table

    def _of_group(
        self, path: Path, file: pq.ParquetFile, group: int, columns: Sequence[str], choose: Choice
    ) -> pa.Table | None:
        light = self._light(columns)
        about = file.read_row_group(group, columns=light)
        chosen = choose(parts.columns_of(path, about, light))
        if not pc.any(chosen).as_py():
            return None
        table = parts.columns_of(path, file.read_row_group(group, columns=list(columns)), columns)
        return table if pc.all(chosen).as_py() else table.filter(chosen)

    def _light(self, columns: Sequence[str]) -> list[str]:
        return [name for name in columns if not pa.types.is_nested(self.schema.field(name).type)]


def _itself(path: Path) -> Path:
    return path


def _ahead(readers: ThreadPoolExecutor, calls: Iterable[Callable[[], Any]]) -> Iterator[Any]:
    """Yield what calls return, in their order, while the next ones are under way."""
    coming: deque[Future[Any]] = deque()
    for call in calls:
        coming.append(readers.submit(call))
        if len(coming) > _READERS:
            yield coming.popleft().result()
    while coming:
        yield coming.popleft().result()
