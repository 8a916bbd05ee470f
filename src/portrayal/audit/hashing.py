"""A new file that is hashed while it is written: the second processor works beside the first."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would else change line ends."""


class HashedFile:
    """A file to write to from the beginning to the end; on disk when the block ends.

    Args:
        path: Where; nothing may be there yet.
    """

    closed = False

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        self._hash = hashlib.sha256()
        self._beside = ThreadPoolExecutor(1, "portrayal-hash")
        self._size = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of everything written, once the block has ended."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> int:
        """Write bytes."""
        self._beside.submit(self._hash.update, data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._handle, rest) :]
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._size

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Say that nothing more comes; the block's end does the rest."""
        self.closed = True

    def readable(self) -> bool:
        """It is for writing alone."""
        return False

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def seekable(self) -> bool:
        """It knows no way back."""
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                os.fsync(self._handle)
        finally:
            os.close(self._handle)
            self._beside.shutdown()
