"""A place in an object store with the part of pathlib's interface that audits use.

There are no folders in an object store, only names with slashes: making one does nothing, and one
is there as long as something is in it. An object appears wholly when its writing ends, so nothing
here is written under another name first.
"""

from __future__ import annotations

import fnmatch
import io
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from portrayal.audit.object_stores import answering, open_store
from portrayal.errors import AuditError

_TAIL = 64 * 2**10


class ObjectPath(PurePosixPath):
    """`s3://bucket/some/name`, or the rest of one from a folder on.

    Names, parents and `/` are pathlib's. Whatever asks for a path of this machine's own, as `open`
    does, gets an error of one line instead of a file in the wrong place.
    """

    __slots__ = ()

    def __str__(self) -> str:
        scheme, *rest = self.parts or ("",)
        return f"{scheme}//{'/'.join(rest)}" if scheme.endswith(":") else super().__str__()

    def __fspath__(self) -> str:
        raise AuditError(f"{self}: is in an object store; this needs a folder of this machine")

    @property
    def store(self) -> Any:
        """The fsspec file system."""
        return open_store(self.parts[0].removesuffix(":"), self.parts[1])

    # --- looking -----------------------------------------------------------------------------

    def exists(self) -> bool:
        """Tell whether there is an object of this name, or one below it."""
        return self._kind() is not None

    def is_dir(self) -> bool:
        """Tell whether there are objects below this name."""
        return self._kind() == "directory"

    def is_file(self) -> bool:
        """Tell whether there is an object of this name."""
        return self._kind() == "file"

    def is_symlink(self) -> bool:
        """Return False: there are no links."""
        return False

    def size(self) -> int:
        """Return how many bytes the object has."""
        with answering(str(self)):
            return int(self.store.info(self._name)["size"])

    def sizes(self) -> dict[str, int]:
        """Return the names right below this one with the bytes they have; 0 for folders."""
        try:
            with answering(str(self)):
                found = self.store.ls(self._name, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        own = len(PurePosixPath(self._name).parts)
        below = ((PurePosixPath(one["name"]).parts, one) for one in found)
        return {parts[-1]: int(one["size"] or 0) for parts, one in below if len(parts) == own + 1}

    def iterdir(self) -> Iterator[ObjectPath]:
        """Yield what is right below this name."""
        yield from (self / name for name in self.sizes())

    def glob(self, pattern: str) -> Iterator[ObjectPath]:
        """Yield what fits a pattern such as `measurements/*/_identity.json`."""
        head, _, rest = pattern.partition("/")
        if any(sign in head for sign in "*?["):
            found = [
                self / name for name in sorted(self.sizes()) if fnmatch.fnmatchcase(name, head)
            ]
        else:
            found = [self / head]
        for one in found:
            if rest:
                yield from one.glob(rest)
            elif any(sign in head for sign in "*?[") or one.exists():
                yield one

    def resolve(self) -> ObjectPath:
        """Return the same: it is a full address already."""
        return self

    # --- reading -----------------------------------------------------------------------------

    def read_bytes(self) -> bytes:
        """Return the whole object."""
        with answering(str(self)):
            return bytes(self.store.cat_file(self._name))

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the whole object as text."""
        return self.read_bytes().decode(encoding)

    def read_range(self, start: int, end: int) -> bytes:
        """Return the bytes from `start` up to `end`."""
        with answering(str(self)):
            return bytes(self.store.cat_file(self._name, start=start, end=end))

    # --- writing -----------------------------------------------------------------------------

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Do nothing: what is written below makes the folder."""

    def write_bytes(self, data: bytes, *, keep: bool = False) -> int:
        """Write the object; it appears wholly at the end, and an earlier one vanishes with that.

        Args:
            data: What it holds.
            keep: Leave an object that is already there as it is: of two writers, the first wins.
        """
        with answering(str(self), "write"):
            try:
                self.store.pipe_file(self._name, data, mode="create" if keep else "overwrite")
            except FileExistsError:
                if not keep:
                    raise
        return len(data)

    def write_text(self, text: str, encoding: str = "utf-8") -> int:
        """Write the object; see `write_bytes`."""
        return self.write_bytes(text.encode(encoding))

    def unlink(self, *, missing_ok: bool = False) -> None:
        """Remove the object."""
        try:
            with answering(str(self), "remove"):
                self.store.rm_file(self._name)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, goal: ObjectPath) -> ObjectPath:
        """Copy the object, or all below this name, within the store; then remove what was here."""
        objects = [self] if self.is_file() else list(self._below())
        for one in objects:
            target = goal / one.relative_to(self) if one != self else goal
            with answering(str(target), "write"):
                self.store.cp_file(one._name, target._name)
        for one in objects:
            one.unlink(missing_ok=True)
        return goal

    # --- inside ------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        """The name as the file system has it."""
        return str(self.store._strip_protocol(str(self)))

    def _kind(self) -> str | None:
        if len(self.parts) < 2:
            return None
        try:
            with answering(str(self)):
                return str(self.store.info(self._name)["type"])
        except FileNotFoundError:
            return None

    def _below(self) -> Iterator[ObjectPath]:
        own = len(PurePosixPath(self._name).parts)
        with answering(str(self)):
            names = self.store.find(self._name)
        for name in names:
            yield self.joinpath(*PurePosixPath(name).parts[own:])


class ObjectReader(io.RawIOBase):
    """An object as a file that is read here and there: every read asks for just its bytes.

    The end of it is kept once it was asked for: Parquet has its table of contents there, and of a
    small file that is all.

    Args:
        path: The object.
        size: How many bytes it has, where that is known.
    """

    def __init__(self, path: ObjectPath, *, size: int | None = None) -> None:
        self._path = path
        self._size = path.size() if size is None else size
        self._tail_from = max(0, self._size - _TAIL)
        self._tail: bytes | None = None
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return where the next read begins."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go elsewhere."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        wanted = self._size if size is None or size < 0 else self._at + size
        end = min(wanted, self._size)
        if end <= self._at:
            return b""
        data = self._range(self._at, end)
        self._at += len(data)
        return data

    def _range(self, start: int, end: int) -> bytes:
        if start < self._tail_from:
            return self._path.read_range(start, end)
        if self._tail is None:
            self._tail = self._path.read_range(self._tail_from, self._size)
        return self._tail[start - self._tail_from : end - self._tail_from]
