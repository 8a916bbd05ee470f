"""Several processes at work on one folder of parts: what others stored, and who walks from where.

There is no server: parts that appear tell what others have made, and locks that the kernel drops
with their process tell the processes apart.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from portrayal.audit.locations import object_path
from portrayal.audit.parts import listing, read_part

_PLACES = 64


class Arrivals:
    """The image parts that have come into a folder since the last look.

    Args:
        folder: The folder of image parts.
        own: Names of the parts that this process has appended; grows while it works.
        seen: Names of the parts that were there at the first look.
    """

    def __init__(self, folder: Path, own: Set[str], seen: Iterable[str]) -> None:
        self._folder = folder
        self._own = own
        self._seen = set(seen)

    def look(self, *, failed_too: bool) -> Iterator[tuple[list[str], list[int]]]:
        """Yield prompts and seeds of every new part, except those that this process appended.

        Args:
            failed_too: Whether a request that failed elsewhere is done with.
        """
        names = listing(self._folder)
        new = [name for name in names if name not in self._seen and name not in self._own]
        self._seen.update(new)
        for name in new:
            try:
                table = read_part(self._folder / name, ["prompt", "seed", "status"])
            except FileNotFoundError:  # merged or set aside; the append itself looks again
                continue
            if not failed_too:
                table = table.filter(pc.not_equal(table["status"], "failed"))
            yield table["prompt"].to_pylist(), table["seed"].to_pylist()


@contextlib.contextmanager
def own_place(folder: Path) -> Iterator[int]:
    """Hold the lowest free place among the processes that work on a folder.

    A place is a lock that the kernel drops with its process. Where a file system has no locks,
    and in an object store, a place at random keeps processes apart well enough.
    """
    handle, place = _lowest_free_place(folder)
    try:
        yield place
    finally:
        if handle is not None:
            os.close(handle)


def _lowest_free_place(folder: Path) -> tuple[int | None, int]:
    fcntl: Any
    if object_path(folder) is not None:
        return None, _PLACES
    try:
        import fcntl
    except ImportError:  # Windows
        return None, _PLACES
    for place in range(_PLACES):
        try:
            handle = os.open(folder / f".place-{place}", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError:
            return None, _PLACES
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
        except OSError:
            os.close(handle)
            return None, _PLACES
        else:
            return handle, place
    return None, _PLACES
