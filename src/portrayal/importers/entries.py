"""What an import finds in its source: one entry an image, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from portrayal.errors import ImportFileError
from portrayal.records import Status


@dataclass(frozen=True, slots=True)
class Entry:
    """One image that the source names, not read yet."""

    where: str
    """The place to name in an error: `manifest.csv row 3`."""
    prompt: str
    seed: int | None
    path: str | None
    """The image's name within the source; None for a request without an image."""
    read: Callable[[], bytes] | None
    """Reads the encoded bytes; raises `ImportFileError` where that cannot be done."""
    status: Status = "ok"
    reason: str | None = None
    factors: Mapping[str, str] = field(default_factory=dict)


class Problems:
    """Collects what is wrong, so that one error tells about all rows before anything is written."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._found: dict[str, str] = {}

    def add(self, where: str, what: str) -> None:
        """Take note of what is wrong at a place; the first thing said about a place counts."""
        self._found.setdefault(where, what)

    def raise_any(self) -> None:
        """Raise one line where anything was wrong."""
        if not self._found:
            return
        (where, what), *others = self._found.items()
        more = ""
        if others:
            places = ", ".join(place for place, _ in others[:5])
            rest = len(others) - 5
            more = f" (and {len(others)} more: {places}{f' and {rest} others' if rest > 0 else ''})"
        raise ImportFileError(f"{self._source}: {where}: {what}{more}")
