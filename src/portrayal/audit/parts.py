"""Append-only Parquet parts: written under a temporary name, flushed to disk, renamed.

A part's name ends with the SHA-256 of its bytes, so a truncated or altered part is found without a
manifest, and nothing but a whole part is ever visible under its final name. Several processes may
append to one folder at once.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.errors import AuditError, DamagedPart

PREFIX = "part-"
SUFFIX = ".parquet"
TEMPORARY = ".writing-"


def part_paths(folder: Path) -> list[Path]:
    """Return the finished parts of a folder, oldest first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [folder / name for name in sorted(names) if is_part(name)]


def is_part(name: str) -> bool:
    """Tell a finished part from a temporary or a foreign file."""
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def write_part(folder: Path, table: pa.Table, *, plain_columns: frozenset[str]) -> Path:
    """Write one part so that it is either wholly there or not at all.

    Args:
        folder: Where the part goes; made if absent.
        table: The rows.
        plain_columns: Columns that are stored uncompressed (encoded images do not shrink).
    """
    sink = pa.BufferOutputStream()
    columns = [name for name in table.column_names if name not in plain_columns]
    pq.write_table(
        table,
        sink,
        compression={name: "zstd" for name in columns} if columns else "none",
        use_dictionary=[name for name in columns if pa.types.is_string(table[name].type)],
        write_statistics=[name for name in columns if name in ("key", "prompt", "seed", "status")],
    )
    data = sink.getvalue()
    name = f"{PREFIX}{time.time_ns():020d}-{_digest(data)}{SUFFIX}"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f"{TEMPORARY}{os.getpid()}-{uuid.uuid4().hex}"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(folder / name)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _flush_folder(folder)
    return folder / name


def write_text(path: Path, text: str) -> None:
    """Replace a small text file so that a reader sees the old or the new one, never a half."""
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{uuid.uuid4().hex}")
        try:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _flush_folder(path.parent)


def check_footer(path: Path) -> None:
    """Raise `DamagedPart` where the part is no readable Parquet file."""
    try:
        pq.read_metadata(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(path, "its footer cannot be read") from error


def check_digest(path: Path) -> None:
    """Raise `DamagedPart` where the part's bytes are not those that were written."""
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    if actual != path.name.removesuffix(SUFFIX).rsplit("-", 1)[-1]:
        raise damaged(path, "its bytes are not those that were written")


def damaged(path: Path, why: str) -> DamagedPart:
    """Return the error that names a damaged part and the way out."""
    audit = path.parent.parent if path.parent.name == "images" else path.parent.parent.parent
    return DamagedPart(
        f"{path} is damaged: {why}; set it aside and make its contents again with: "
        f"portrayal repair {audit}"
    )


def leftovers(folder: Path) -> Iterator[Path]:
    """Yield temporary files that a killed process left behind."""
    if folder.is_dir():
        yield from sorted(folder.glob(f"{TEMPORARY}*"))


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what the operating system says about writing into one clear line."""
    try:
        yield
    except PermissionError as error:
        raise AuditError(f"{folder}: no permission to write; choose another --out") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise AuditError(
                f"{folder}: the disk is full; free some space and run the same command again, "
                "it continues where it stopped"
            ) from error
        if error.errno in (errno.EROFS, errno.ENOTDIR, errno.EIO, errno.ENAMETOOLONG):
            raise AuditError(f"{folder}: cannot write there: {error.strerror}") from error
        raise


@contextlib.contextmanager
def appending(folder: Path) -> Iterator[None]:
    """Hold a folder's advisory lock for the moment between a last look and an append.

    The kernel drops it with the process, so nobody can be locked out by a dead one. Where the file
    system has no locks two processes may store an image twice; readers then see it once.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return


def _flush_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the platform can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _digest(data: pa.Buffer) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
