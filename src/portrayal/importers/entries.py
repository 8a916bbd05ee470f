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


def broken(where: str, prompt: str, why: str, seed: int | None = None) -> Entry:
    """Return the entry of an image that is skipped: a request that failed, with the reason."""
    return Entry(where, prompt, seed, None, None, status="failed", reason=f"not imported: {why}")


class Problems:
    """Collects what is wrong, so that one error tells about all rows before anything is written.

    Args:
        source: What is read, as an error names it.
        skip: Skip what is broken instead of raising an error.
        fix: What to do about it, where that is the same for all.
    """

    def __init__(self, source: str, *, skip: bool = False, fix: str = "") -> None:
        self.source = source
        self.fix = fix
        self.skip = skip
        self._found: dict[str, str] = {}

    @property
    def found(self) -> dict[str, str]:
        """What is wrong, by place."""
        return dict(self._found)

    def add(self, where: str, what: str) -> None:
        """Take note of what is wrong at a place; the first thing said about a place counts."""
        self._found.setdefault(where, what)

    def raise_any(self) -> None:
        """Raise one line where anything was wrong, and is not skipped."""
        if not self._found or self.skip:
            return
        (where, what), *others = self._found.items()
        more = ""
        if others:
            places = ", ".join(place for place, _ in others[:5])
            rest = len(others) - 5
            more = f" (and {len(others)} more: {places}{f' and {rest} others' if rest > 0 else ''})"
        place = "" if what.startswith(f"{where}: ") else f"{where}: "
        fix = f"; {self.fix}" if self.fix else ""
        raise ImportFileError(f"{self.source}: {place}{what}{more}{fix}")
