"""Fewer, larger parts: merging small ones and dropping doubled rows, at no moment losing a row.

What replaces parts is written, flushed and visible before they are removed. A crash in between
leaves rows twice: readers see each once, and the next compaction or repair drops the second.

In an object store, and where a file system has no locks, nothing keeps two who merge apart. So what
replaces a part comes before it in the order of names, and a row is only ever removed for a better
one or one that comes before it: the very order by which readers choose. Of all rows that a key ever
had the first of the best is removed by nobody, whoever else merges, drops or is killed meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from portrayal.audit import parts
from portrayal.audit.files import appending, flush_folder, writing
from portrayal.audit.folder import AuditFolder
from portrayal.audit.index import doubled_rows
from portrayal.audit.keys import key_rule

TARGET_BYTES = 128 * 2**20
MANY = 64


@dataclass(frozen=True, slots=True)
class CompactionSummary:
    """What a compaction did."""

    before: int
    """Parts before, in the folders that were touched."""
    after: int
    """Parts after, in the same folders."""


def compact(
    audit: AuditFolder, *, many: int = MANY, target_bytes: int = TARGET_BYTES
) -> CompactionSummary:
    """Merge small parts wherever a folder of the audit has many of them.

    Other processes may read and append meanwhile.

    Args:
        audit: The audit.
        many: Leave folders alone that have no more small parts than this.
        target_bytes: About how large a merged part becomes; one of half that size is not small.

    Raises:
        DamagedPart: A part is not as it was written, or belongs to another audit; it is left as it
            is.
    """
    before = after = 0
    for folder in part_folders(audit.path):
        count = len(parts.part_names(folder))
        if count > many and len(_small(folder, target_bytes)) > many:
            rule = key_rule(folder, audit.generator)
            drop_doubled_rows(folder)
            _merge(folder, target_bytes, parts.unchecked if rule is None else rule.check)
            before += count
            after += len(parts.part_names(folder))
    return CompactionSummary(before, after)


def part_folders(audit: Path) -> list[Path]:
    """Return all folders of an audit that hold parts."""
    several = [*audit.glob("measurements/*"), *audit.glob("texts/*")]
    single = [audit / "images", audit / "votes", audit / "looks"]
    return [one for one in [*single, *sorted(several)] if one.is_dir()]


def drop_doubled_rows(folder: Path) -> int:
    """Write parts that hold doubled rows again without them; return how many rows were dropped.

    A row is dropped only after the part with the row that counts instead was verified.
    """
    dropped = 0
    with appending(folder), _unless_gone():
        found = doubled_rows(folder, ranked=folder.name == "images")
        touched = {path: rows for path, rows in found.rows.items() if len(rows)}
        for path in sorted(found.relied_on | touched.keys()):
            parts.verify(path)
        for path, rows in touched.items():
            _replace(folder, [path], _groups(path, without=rows))
            dropped += len(rows)
    return dropped


def _merge(folder: Path, target_bytes: int, check: parts.Check = parts.unchecked) -> None:
    for chosen in _bundles(_small(folder, target_bytes), target_bytes):
        # The lock is taken for each bundle, so that those who append wait for a moment only.
        with appending(folder), _unless_gone():
            present = [path for path in chosen if path.exists()]
            for path in present:
                parts.verify(path)
                check(path)
            if len(present) > 1:
                _replace(folder, present, (t for path in present for t in _groups(path)))


def _unless_gone() -> contextlib.AbstractContextManager[None]:
    """Leave it where parts vanish before they are replaced: without locks, another merges them."""
    return contextlib.suppress(FileNotFoundError)


def _small(folder: Path, target_bytes: int) -> list[tuple[Path, int]]:
    """Return the small parts of a folder with their sizes, oldest first."""
    return [one for one in parts.sizes(folder).items() if one[1] < target_bytes // 2]


def _bundles(sized: Sequence[tuple[Path, int]], target_bytes: int) -> Iterator[list[Path]]:
    """Put parts of one schema together until they are about as large as a part should be."""
    bundle: list[Path] = []
    total = 0
    schema = None
    for path, size in sized:
        try:
            with parts.opened(path) as file:
                own = file.schema_arrow
        except FileNotFoundError:  # somebody else has merged it
            continue
        if bundle and (total + size > target_bytes or own != schema):
            yield bundle
            bundle, total = [], 0
        bundle.append(path)
        total += size
        schema = own
    yield bundle


def _groups(path: Path, without: npt.NDArray[np.intp] | None = None) -> Iterator[pa.Table]:
    """Yield the rows of a part, a row group at a time, without some of them."""
    start = 0
    with parts.opened(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            if without is not None:
                keep = ~np.isin(np.arange(start, start + len(table)), without)
                start += len(table)
                table = table.filter(pa.array(keep))
            yield table


def _replace(folder: Path, sources: Sequence[Path], tables: Iterable[pa.Table]) -> None:
    """Let one part with these rows appear, then remove the parts that they came from."""
    filled = _filled(tables)
    first = next(filled, None)
    if first is not None:
        with parts.prepared(folder, _with(first, filled), ahead_of=sources) as appear:
            appear()
        flush_folder(folder)  # the new part must survive a power cut before the old ones go
    with writing(folder):
        for path in sources:
            path.unlink(missing_ok=True)


def _filled(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the same rows in tables of the right size for a row group, none of them empty."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= parts.rows_per_group(table.schema):
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if any(len(table) for table in waiting):
        yield pa.concat_tables(waiting).combine_chunks()


def _with(first: pa.Table, rest: Iterable[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest
