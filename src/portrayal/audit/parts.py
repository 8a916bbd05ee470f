"""Append-only Parquet parts, each named after the moment it was written and the hash of its bytes.

The name ends with the SHA-256 of the file, so a truncated or altered part is found without a
manifest; pages carry checksums, so reading one column already notices damage in that column.
Several processes may append to one folder at once, and one may merge parts while others read: a
part is never changed, only added and removed, and a reader whose part has vanished lists again.
In an object store a part appears under its name as soon as it is written.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit.files import flush, quoted, replacing
from portrayal.audit.locations import object_path
from portrayal.audit.object_paths import ObjectPath, ObjectReader
from portrayal.errors import AuditError, DamagedPart

PREFIX = "part-"
SUFFIX = ".parquet"
IMAGES_PER_GROUP = 100
"""Rows in a row group of images: fetching one image reads no more than its group."""

ADDED = {
    "revised_prompt": pa.string(),
    "response": pa.string(),
    "pixel_hash": pa.string(),
    "coarse_pixels": pa.binary(),
}
"""Columns that parts of an earlier version lack."""

UNREADABLE = "it cannot be read as Parquet"

_ROWS_PER_GROUP = 65_536
_TRIES = 50
_DIGITS = 16
_AT_ONCE = 16

_SIZES: dict[ObjectPath, dict[str, int]] = {}
"""Of folders in object stores what the last listing said: a part never changes, so nobody needs to
ask again how large it is before reading it."""
_SEARCHED = ("key", "prompt", "seed", "status")

Check = Callable[[Path], None]
"""Raises where a part is not one that belongs to its folder."""


def unchecked(path: Path) -> None:
    """Take any part."""


def part_paths(folder: Path) -> list[Path]:
    """Return the finished parts of a folder, oldest first."""
    return [folder / name for name in part_names(folder)]


def part_names(folder: Path) -> list[str]:
    """Return the names of the finished parts of a folder, oldest first."""
    names = listing(folder)
    for _ in range(_TRIES):
        # A long listing is not atomic: while parts are being merged it can miss both the sources
        # and the merged one. Two equal ones in a row cannot.
        again = listing(folder)
        if names == again:
            break
        names = again
    return names


def listing(folder: Path) -> list[str]:
    """Return what one look finds; enough for the owner of the folder's lock."""
    stored = object_path(folder)
    if stored is not None:
        _SIZES[stored] = stored.sizes()
        return sorted(name for name in _SIZES[stored] if is_part(name))
    try:
        return sorted(name for name in os.listdir(folder) if is_part(name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise AuditError(f"{folder}: no permission to read") from error


def is_part(name: str) -> bool:
    """Tell a finished part from a temporary or a foreign file."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


@contextlib.contextmanager
def prepared(
    folder: Path, tables: Iterable[pa.Table], *, ahead_of: Sequence[Path] = ()
) -> Iterator[Callable[[], Path]]:
    """Write a part under a temporary name and flush it to disk; give what lets it appear.

    A part that was not made to appear by the end is removed. The caller flushes the folder: until
    then a power cut may undo the renaming, never tear the part.

    Args:
        folder: Where the part goes; created if absent.
        tables: Tables of one schema that are written one after the other.
        ahead_of: The part comes before all of these in the order of names, which else is that of
            time. See `compaction` for what that is good for.
    """
    if object_path(folder) is not None:
        yield _prepared_object(folder, tables, ahead_of)
        return
    with replacing(folder) as temporary:
        _write(temporary, iter(tables))
        with ThreadPoolExecutor(1) as beside:
            flushed = beside.submit(flush, temporary)  # the disk works while the processor hashes
            digest = _digest(temporary)
            flushed.result()

        def appear() -> Path:
            path = folder / _name(_moment(ahead_of), digest)
            temporary.rename(path)
            return path

        yield appear


def _prepared_object(
    folder: Path, tables: Iterable[pa.Table], ahead_of: Sequence[Path]
) -> Callable[[], Path]:
    buffer = pa.BufferOutputStream()
    _write(buffer, iter(tables))
    data = buffer.getvalue().to_pybytes()
    digest = hashlib.sha256(data).hexdigest()[:_DIGITS]

    def appear() -> Path:
        path = folder / _name(_moment(ahead_of), digest)
        path.write_bytes(data)
        return path

    return appear


def read_part(path: Path, columns: Sequence[str]) -> pa.Table:
    """Return columns of a part.

    Raises:
        FileNotFoundError: The part has been merged into another one meanwhile.
        DamagedPart: It cannot be read, or what was read is not what was written.
    """
    with opened(path) as file:
        return columns_of(path, file.read(list(columns)), columns)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a part; whatever Parquet says about its bytes in the block names the part."""
    with _source(path) as source:
        try:
            with pq.ParquetFile(
                source,
                page_checksum_verification=True,
                pre_buffer=object_path(path) is not None,  # fewer reads, as each is a request there
            ) as file:
                yield file
        # Damaged names of columns are no UTF-8.
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            if isinstance(error, OSError) and error.errno is not None:
                raise _unreadable(path, error) from error
            raise damaged(path, UNREADABLE) from error


def count_groups(path: Path) -> int:
    """Return how many row groups a part has."""
    with opened(path) as file:
        return int(file.num_row_groups)


def columns_of(path: Path, table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the table with just these columns; raise where one is not there.

    A column that was added later is empty in parts that are older.
    """
    names = [name.split(".")[0] for name in columns]
    for name in names:
        if name in ADDED and name not in table.column_names:
            table = table.append_column(name, pa.nulls(len(table), ADDED[name]))
    absent = [name for name in names if name not in table.column_names]
    if absent:
        raise damaged(path, f"it has no column {absent[0]}")
    return table.select(list(dict.fromkeys(names)))


def read_parts(
    folder: Path, columns: Sequence[str], *, check: Check = unchecked
) -> dict[Path, pa.Table]:
    """Return columns of all parts of a folder, oldest part first.

    A part that vanishes between listing and reading was merged: the folder is listed again.

    Args:
        folder: The folder.
        columns: What to read.
        check: Called with each part before it is read.
    """
    read: dict[Path, pa.Table] = {}
    for _ in range(_TRIES):
        paths = part_paths(folder)
        try:
            new = [path for path in paths if path not in read]
            read.update(read_each(new, columns, check=check))
        except FileNotFoundError:
            continue
        return {path: read[path] for path in paths}
    raise AuditError(f"{folder}: its parts change faster than they can be read; try again later")


def each_part(
    folder: Path, columns: Sequence[str], *, check: Check = unchecked
) -> Iterator[pa.Table]:
    """Yield columns of one part after the other, for readers that may see a row twice.

    Holds one part in memory at a time; rows come twice where parts are merged meanwhile.

    Args:
        folder: The folder.
        columns: What to read.
        check: Called with each part before it is read.
    """
    done: set[Path] = set()
    while paths := [path for path in part_paths(folder) if path not in done]:
        with contextlib.suppress(FileNotFoundError):  # merged into another: list again
            for path, table in read_each(paths, columns, check=check):
                done.add(path)
                yield table


def read_blocks(folder: Path, columns: Sequence[str], *, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield columns of all parts, so many rows at a time, for readers that may see a row twice.

    For columns of which one part may be too large for memory. Rows come twice where parts are
    merged meanwhile.
    """
    done: set[Path] = set()
    while paths := [path for path in part_paths(folder) if path not in done]:
        with contextlib.suppress(FileNotFoundError):  # merged into another: list again
            for path in paths:
                with opened(path) as file:
                    yield from file.iter_batches(rows, columns=list(columns))
                done.add(path)


def read_each(
    paths: Sequence[Path], columns: Sequence[str], *, check: Check = unchecked
) -> Iterator[tuple[Path, pa.Table]]:
    """Yield columns of one part after the other; see `read_part`.

    In an object store several are asked for at once: most of the time goes by waiting for answers.

    Args:
        paths: The parts.
        columns: What to read.
        check: Called with each part before it is read.
    """

    def read(path: Path) -> pa.Table:
        check(path)
        return read_part(path, columns)

    if not paths or object_path(paths[0]) is None:
        yield from ((path, read(path)) for path in paths)
        return
    with ThreadPoolExecutor(_AT_ONCE, "portrayal-read") as readers:
        for start in range(0, len(paths), 4 * _AT_ONCE):
            some = paths[start : start + 4 * _AT_ONCE]
            tables = readers.map(read, some)
            yield from zip(some, tables, strict=True)


def sizes(folder: Path) -> dict[Path, int]:
    """Return the parts of a folder with how many bytes they have, oldest first."""
    stored = object_path(folder)
    if stored is not None:
        return {folder / name: n for name, n in sorted(stored.sizes().items()) if is_part(name)}
    found = {}
    for path in part_paths(folder):
        with contextlib.suppress(FileNotFoundError):
            found[path] = path.stat().st_size
    return found


def verify(path: Path) -> None:
    """Read a whole part and compare it with the hash in its name.

    Raises:
        FileNotFoundError: The part has been merged into another one meanwhile.
        DamagedPart: Its bytes are not those that were written.
    """
    why = damage(path)
    if why is not None:
        raise damaged(path, why)


def damage(path: Path) -> str | None:
    """Return what is wrong with a part, None where its bytes are those that were written."""
    try:
        actual = _digest(path)
    except FileNotFoundError:
        if path.is_symlink():
            return "it is a link that leads nowhere"
        raise
    except OSError as error:
        raise _unreadable(path, error) from error
    if actual == path.name.removesuffix(SUFFIX).rsplit("-", 1)[-1]:
        return None
    try:
        with opened(path):
            pass
    except DamagedPart:
        return UNREADABLE
    return "its bytes are not those that were written"


def rows_per_group(schema: pa.Schema) -> int:
    """Return how many rows make a row group: few of images, many of anything else."""
    images = any(pa.types.is_struct(field.type) for field in schema)
    return IMAGES_PER_GROUP if images else _ROWS_PER_GROUP


def damaged(path: Path, why: str) -> DamagedPart:
    """Return the error that names a damaged part and the way out."""
    return DamagedPart(
        f"{path} is damaged: {why}; set it aside and make its contents again with: "
        f"portrayal repair {quoted(audit_of(path))}"
    )


def audit_of(path: Path) -> Path:
    """Return the audit that a part is in."""
    inside = path.parent.name in ("images", "votes", "looks")
    return path.parent.parent if inside else path.parent.parent.parent


def _write(path: Path | pa.NativeFile, tables: Iterator[pa.Table]) -> None:
    first = next(tables)
    schema = first.schema
    # Encoded images and float vectors do not shrink, and looking for repeats in them is slow.
    light = [field.name for field in schema if not pa.types.is_nested(field.type)]
    with pq.ParquetWriter(
        path,
        schema,
        compression=dict.fromkeys(light, "zstd") if len(light) < len(schema) else "zstd",
        use_dictionary=[name for name in light if pa.types.is_string(schema.field(name).type)],
        write_statistics=[name for name in light if name in _SEARCHED],
        write_page_checksum=True,
    ) as writer:
        for table in itertools.chain([first], tables):
            writer.write_table(table, rows_per_group(schema))


@contextlib.contextmanager
def _source(path: Path) -> Iterator[pa.NativeFile]:
    stored = object_path(path)
    try:
        source = pa.OSFile(str(path)) if stored is None else _object_source(stored)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error
    with source:
        yield source


def _object_source(path: ObjectPath) -> pa.PythonFile:
    size = _SIZES.get(path.parent, {}).get(path.name)
    return pa.PythonFile(ObjectReader(path, size=size), mode="r")


def _unreadable(path: Path, error: OSError) -> AuditError:
    if isinstance(error, PermissionError):
        return AuditError(f"{path}: no permission to read")
    return AuditError(f"{path}: cannot be read: {os.strerror(error.errno or errno.EIO)}")


def _digest(path: Path) -> str:
    if object_path(path) is not None:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]


def _name(moment: int, digest: str) -> str:
    return f"{PREFIX}{moment:020d}-{digest}{SUFFIX}"


def _moment(ahead_of: Sequence[Path]) -> int:
    """Return a moment for a part's name: now, or right before those in the names of others."""
    said = [path.name.removeprefix(PREFIX).partition("-")[0] for path in ahead_of]
    return min((int(moment) - 1 for moment in said), default=time.time_ns())
