"""Stored sets of captions: what a search found, a part of it, or the nearest to a prompt.

A set is one Parquet file in the corpus folder: term, source, row and caption, and whatever the
maker of the set knows besides (a prompt and a rank, say). Its footer says how it came about.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import replacing
from portrayal.corpora.problems import Problem, problem_from_dict
from portrayal.errors import CorpusError
from portrayal.records import Identity

COLUMNS: tuple[tuple[str, pa.DataType], ...] = (
    ("term", pa.string()),
    ("source", pa.int32()),
    ("row", pa.int64()),
    ("caption", pa.string()),
)
SCHEMA = pa.schema(list(COLUMNS))
_ABOUT = b"portrayal"
_NAME = re.compile(r"\w[\w.-]*")
_GROUP = 65_536


class CaptionSet:
    """Captions with the terms they were found by.

    Args:
        file: Its Parquet file.

    Raises:
        CorpusError: There is no such set, or the file is none.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = file.stem
        try:
            self._metadata = pq.read_metadata(file)
            about = json.loads((self._metadata.metadata or {})[_ABOUT])
            self.identity = Identity.from_dict(about["identity"])
            self.counts: dict[str, int] = {str(k): int(v) for k, v in about["counts"].items()}
            self.problems = tuple(problem_from_dict(one) for one in about["problems"])
            self.remarks: dict[str, Any] = dict(about.get("remarks", {}))
        except FileNotFoundError as error:
            raise CorpusError(f"{file.parent.parent}: no set {file.stem!r}") from error
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
            raise CorpusError(f"{file}: not a stored set; delete it and search again") from error

    def __len__(self) -> int:
        """How many rows: a caption that contains two terms has two."""
        return int(self._metadata.num_rows)

    @property
    def is_whole(self) -> bool:
        """Whether every source was read; one that was not may be readable the next time."""
        return all(one.kind != "unreadable" for one in self.problems)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, those without a caption too."""
        return tuple(self.counts)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the set, or some of its columns."""
        return pq.read_table(self.file, columns=None if columns is None else list(columns))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the set piece by piece, for sets that are larger than memory."""
        with pq.ParquetFile(self.file) as file:
            yield from file.iter_batches(_GROUP, columns=None if columns is None else list(columns))

    def where(
        self, chosen: npt.ArrayLike, name: str, *, remarks: Mapping[str, Any] | None = None
    ) -> CaptionSet:
        """Store a part of the set under another name.

        `counts` of the part are its own rows a term: how many captions of the corpus fit is not
        known of it.

        Args:
            chosen: A mask over the rows, or numbers of rows in the order wanted.
            name: What to call it.
            remarks: What to remember about it.

        Raises:
            CorpusError: The mask does not fit, or the name is that of another set.
        """
        rows = _rows(np.asarray(chosen), len(self))
        picked = hashlib.sha256(rows.astype("<i8").tobytes()).hexdigest()[:16]
        settings = {"of": self.identity.digest, "rows": picked}
        identity = Identity("captions", "part", settings)
        table = self.table().take(pa.array(rows))
        return write_set(
            self.file.with_name(f"{checked_name(name)}.parquet"),
            [table.replace_schema_metadata(None)],
            identity=identity,
            counts=term_counts(table, self.terms),
            remarks={**self.remarks, **(remarks or {})},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what is known about the set, JSON-ready."""
        return {
            "name": self.name,
            "identity": self.identity.as_dict(),
            "rows": len(self),
            "counts": self.counts,
            "problems": [one.as_dict() for one in self.problems],
            **({"remarks": self.remarks} if self.remarks else {}),
        }


def write_set(
    file: Path,
    tables: Iterable[pa.Table],
    *,
    identity: Identity,
    counts: Mapping[str, int],
    problems: Sequence[Problem] = (),
    remarks: Mapping[str, Any] | None = None,
    schema: pa.Schema | None = None,
) -> CaptionSet:
    """Store a set; one that is there under this name must be the same.

    Args:
        file: Where to.
        tables: Its rows.
        identity: How it came about.
        counts: Captions of the corpus that fit, by term. May be filled while tables are drawn.
        problems: What was left out. May be filled while tables are drawn.
        remarks: Whatever else is worth keeping.
        schema: Of the tables; needed where there may be none.
    """
    present = stored(file, identity)
    if present is not None:
        return present
    with replacing(file.parent) as temporary:
        waiting = iter(tables)
        first = next(waiting, None)
        shape = (first.schema if first is not None else schema) or SCHEMA
        with pq.ParquetWriter(temporary, shape, compression="zstd") as writer:
            while first is not None:
                writer.write_table(first.cast(shape), _GROUP)
                first = next(waiting, None)
            about = {
                "identity": identity.as_dict(),
                "counts": dict(counts),
                "problems": [one.as_dict() for one in problems],
                "remarks": dict(remarks or {}),
            }
            writer.add_key_value_metadata({_ABOUT.decode(): json.dumps(about, ensure_ascii=False)})
        temporary.replace(file)
    return CaptionSet(file)


def stored(file: Path, identity: Identity) -> CaptionSet | None:
    """Return the set in a file if it is the one that is meant.

    Raises:
        CorpusError: The name is taken by another set.
    """
    if not file.exists():
        return None
    present = CaptionSet(file)
    if present.identity.digest != identity.digest:
        raise CorpusError(
            f"{file.parent.parent}: a set {file.stem!r} is there and is another one; choose "
            "another name, or delete it"
        )
    return present


def checked_name(name: str) -> str:
    """Return a name that can be a file's."""
    if not _NAME.fullmatch(name):
        raise CorpusError(f"set name {name!r}: allowed: letters, digits, - _ .")
    return name


def term_counts(table: pa.Table, terms: Sequence[str]) -> dict[str, int]:
    """Return the rows of a table by term, 0 for terms that have none."""
    found = Counter(table.column("term").to_pylist())
    return {term: found.get(term, 0) for term in terms}


def _rows(chosen: npt.NDArray[Any], length: int) -> npt.NDArray[np.int64]:
    if chosen.dtype == bool:
        if chosen.shape != (length,):
            raise CorpusError(f"a mask of {chosen.size} for a set of {length} rows")
        return np.flatnonzero(chosen).astype(np.int64)
    if chosen.size and not np.issubdtype(chosen.dtype, np.integer):
        raise CorpusError(f"rows are {chosen.dtype}; allowed: a mask, or numbers of rows")
    rows = chosen.astype(np.int64).ravel()
    if rows.size and (rows.min() < 0 or rows.max() >= length):
        raise CorpusError(f"row {rows[(rows < 0) | (rows >= length)][0]} of a set of {length}")
    return rows
