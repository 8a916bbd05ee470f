"""Files that are wholly there or not at all, and the lock between two who append.

Everything an audit folder holds is written under a temporary name, flushed to disk and renamed, so
a reader sees the old file or the new one and a killed process leaves nothing but a temporary file.
An object store does so by itself, and has no locks, no temporary names and nothing to flush.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shlex
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from portrayal.audit.locations import object_path
from portrayal.errors import AuditError

TEMPORARY = ".writing-"
LOCK = ".lock"
ABANDONED_AFTER_S = 3600.0
"""A temporary file older than this has no living writer: writing one takes seconds."""

# Of the machine's name only a hash: the folder may be shared with people who need not know it.
_HOST = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
_CANNOT_WRITE = (
    errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EIO, errno.ENAMETOOLONG,
    errno.EFBIG,
)  # fmt: skip


def temporary_in(folder: Path) -> Path:
    """Return a fresh temporary name that tells which process on which machine writes it."""
    return folder / f"{TEMPORARY}{_HOST}-{os.getpid()}-{uuid.uuid4().hex}"


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a temporary name in a folder; whatever is left under it at the end is removed."""
    with writing(folder):
        _make(folder)
        temporary = temporary_in(folder)
        try:
            yield temporary
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # /proc and the like, where no folder can be made
        raise AuditError(f"{folder}: no folder can be made there; choose another `out`") from error


def write_text(path: Path, text: str, *, keep: bool = False) -> None:
    """Replace a small text file so that a reader sees the old or the new one, never a half.

    Args:
        path: The file.
        text: Its content.
        keep: Leave a file that is already there as it is: of two writers, the first one wins.
    """
    write_bytes(path, text.encode("utf-8"), keep=keep)


def write_bytes(path: Path, data: bytes, *, keep: bool = False) -> None:
    """Replace a small file; see `write_text`."""
    stored = object_path(path)
    if stored is not None:
        stored.write_bytes(data, keep=keep)
        return
    with replacing(path.parent) as temporary:
        temporary.write_bytes(data)
        flush(temporary)
        if keep:
            _name_unless_taken(temporary, path)
        else:
            temporary.replace(path)
        flush_folder(path.parent)


def names_in(folder: Path) -> list[str]:
    """Return the names of what a folder contains, in no order."""
    stored = object_path(folder)
    return os.listdir(folder) if stored is None else list(stored.sizes())


def leftovers(folder: Path, *, now: float | None = None) -> Iterator[Path]:
    """Yield the temporary files of a folder whose writer is dead."""
    moment = time.time() if now is None else now
    if object_path(folder) is None and folder.is_dir():
        for path in sorted(folder.glob(f"{TEMPORARY}*")):
            with contextlib.suppress(FileNotFoundError):  # its writer has just finished it
                if moment - path.stat().st_mtime > ABANDONED_AFTER_S or _writer_is_gone(path.name):
                    yield path


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what the operating system says about writing into one clear line."""
    try:
        yield
    except PermissionError as error:
        raise AuditError(
            f"{folder}: no permission to write; choose another `out`, or copy the audit elsewhere"
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise AuditError(
                f"{folder}: the disk is full; free some space and run the same command again, "
                "it continues where it stopped"
            ) from error
        if error.errno in _CANNOT_WRITE:
            raise AuditError(
                f"{folder}: cannot write there: {os.strerror(error.errno)}; choose another `out`, "
                "or copy the audit elsewhere"
            ) from error
        raise


@contextlib.contextmanager
def appending(folder: Path) -> Iterator[None]:
    """Hold a folder's advisory lock for the moment between a last look and an append.

    The kernel drops it with the process, so nobody can be locked out by a dead one. Where the file
    system has no locks two processes may store a row twice; readers then see it once.
    """
    if object_path(folder) is not None:
        yield
        return
    with writing(folder):
        _make(folder)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(handle, "LOCK_EX")
        yield
    finally:
        # Said aloud: a process forked meanwhile has the handle too, and would keep the lock.
        _lock(handle, "LOCK_UN")
        os.close(handle)


def flush(path: Path) -> None:
    """Make a file's bytes survive a power cut."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the platform can."""
    if object_path(folder) is not None:
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def quoted(path: Path) -> str:
    """Return a path as it can be pasted into a shell, for the command in an error line."""
    return shlex.quote(str(path))


def _name_unless_taken(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            temporary.replace(path)


def _lock(handle: int, operation: str) -> None:
    try:
        import fcntl

        fcntl.flock(handle, getattr(fcntl, operation))
    except (ImportError, OSError):
        return


def _writer_is_gone(name: str) -> bool:
    """Tell whether the process in a temporary name ran on this machine and has ended."""
    host, _, rest = name.removeprefix(TEMPORARY).partition("-")
    pid = rest.partition("-")[0]
    if host != _HOST or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it lives and belongs to someone else
        return False
    return False
