"""Which keys a folder of parts contains: what an append asks before it writes.

A part never changes, so the index looks only at those that it has not seen: an append costs the
same in a folder of a hundred rows and of a million.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit import parts

RANKS = {"ok": 0, "refused": 1, "failed": 2}
"""A failed image may be made again later, so of two rows with one key the better one counts."""

FAILED = RANKS["failed"]


class Index:
    """The best row of every key in a folder: how it ended and which part it is in.

    Args:
        folder: A folder of parts.
        ranked: Whether rows have a status, so that one may be better than another.
    """

    def __init__(self, folder: Path, *, ranked: bool) -> None:
        self._folder = folder
        self._columns = ("key", "status") if ranked else ("key",)
        self._parts: list[str] = []
        self._entries: dict[str, int] = {}

    def refresh(self, *, alone: bool = False) -> None:
        """Look at the parts that came since the last look.

        Args:
            alone: The folder's lock is held, so that nobody merges parts meanwhile.
        """
        names = parts.listing(self._folder) if alone else parts.part_names(self._folder)
        known = set(self._parts)
        if not known.issubset(names):
            # Parts were merged or set aside: what they held may be elsewhere, or gone.
            self._parts, self._entries, known = [], {}, set()
        try:
            new = [self._folder / name for name in names if name not in known]
            for path, table in parts.read_each(new, self._columns):
                self.add(path.name, table["key"].to_pylist(), ranks(table))
        except FileNotFoundError:
            self.refresh()

    def add(self, name: str, keys: Iterable[str], ranks: Sequence[int]) -> None:
        """Take note of a part's rows."""
        self._parts.append(name)
        place = (len(self._parts) - 1) * len(RANKS)
        for key, rank in zip(keys, ranks, strict=True):
            held = self._entries.get(key)
            if held is None or rank < held % len(RANKS):
                self._entries[key] = place + rank

    def rank(self, key: str) -> int | None:
        """Return how a key's best row ended, None where there is no such row."""
        entry = self._entries.get(key)
        return None if entry is None else entry % len(RANKS)

    def parts_with(self, keys: Iterable[str]) -> list[Path]:
        """Return the parts that hold the best rows of these keys, oldest first."""
        entries = (self._entries.get(key) for key in keys)
        places = {entry // len(RANKS) for entry in entries if entry is not None}
        return [self._folder / name for name in sorted(self._parts[place] for place in places)]


def ranks(table: pa.Table) -> list[int]:
    """Return the rank of every row; 0 for rows that have no status."""
    if "status" not in table.column_names:
        return [0] * len(table)
    return [RANKS.get(status, FAILED) for status in table["status"].to_pylist()]


def doubled(keys: pa.ChunkedArray, ranks: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Mark the rows to leave out so that each key stays once: the best, and of equals the first."""
    encoded = keys.combine_chunks().dictionary_encode()
    extra = np.zeros(len(keys), dtype=np.bool_)
    if len(encoded.dictionary) == len(keys):
        return extra
    codes = encoded.indices.to_numpy()
    order = np.lexsort((np.asarray(ranks), codes))  # stable: of equals the first stays first
    ordered = codes[order]
    extra[order[1:]] = ordered[1:] == ordered[:-1]
    return extra


@dataclass(frozen=True, slots=True)
class DoubledRows:
    """Rows of a folder's parts that hold a key a second time."""

    rows: dict[Path, npt.NDArray[np.intp]]
    """For every part of the folder the row numbers to leave out."""
    relied_on: frozenset[Path]
    """The parts that hold the row that counts, wherever another one is left out."""


def doubled_rows(
    folder: Path, *, ranked: bool, check: parts.Check = parts.unchecked
) -> DoubledRows:
    """Find the rows that readers leave out."""
    found = parts.read_parts(folder, ["key", "status"] if ranked else ["key"], check=check)
    if not found:
        return DoubledRows({}, frozenset())
    table = pa.concat_tables(found.values())
    extra = doubled(table["key"], ranks(table))
    paths = list(found)
    place = np.repeat(np.arange(len(paths)), [len(part) for part in found.values()])
    ends = np.cumsum([len(part) for part in found.values()])
    rows = {
        path: np.flatnonzero(piece)
        for path, piece in zip(paths, np.split(extra, ends[:-1]), strict=True)
    }
    again = pc.is_in(table["key"], value_set=table["key"].filter(pa.array(extra)).combine_chunks())
    counting = np.unique(place[again.to_numpy() & ~extra])
    return DoubledRows(rows, frozenset(paths[i] for i in counting))
