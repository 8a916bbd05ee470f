"""What is wrong with a corpus: counted, named in one line each, and no reason to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

_SENTENCES = {
    "missing": ("caption is missing (null)", "captions are missing (null)"),
    "empty": ("caption is empty", "captions are empty"),
    "too long": ("caption is longer than 10,000 bytes", "captions are longer than 10,000 bytes"),
    "not UTF-8": ("caption is not UTF-8", "captions are not UTF-8"),
    "damaged": ("line cannot be read", "lines cannot be read"),
    "cut off": ("archive is cut off, the rest of it", "archives are cut off, the rest of them"),
    "not read": ("file is of a kind that is not read", "files are of kinds that are not read"),
    "unreadable": ("source could not be read", "sources could not be read"),
    "no text": ("source has no text column", "sources have no text column"),
    "no caption": ("term occurs in no caption", "terms occur in no caption"),
}
"""Kinds of problems, and how one and several are said."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of problem: how often it was met, and where first."""

    kind: str
    count: int
    where: str
    """The first place: a source and row, a source and what was said of it, or a term."""

    def line(self) -> str:
        """Say it in one line."""
        what = _SENTENCES[self.kind][self.count != 1]
        first = "" if self.count == 1 else "first: "
        return f"{self.count:,} {what}, left out ({first}{self.where})"

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def summed(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return one problem a kind: counts added, the first place kept."""
    found: dict[str, Problem] = {}
    for one in problems:
        before = found.get(one.kind)
        count = one.count + (before.count if before else 0)
        found[one.kind] = Problem(one.kind, count, before.where if before else one.where)
    return tuple(found[kind] for kind in _SENTENCES if kind in found)


def problem_from_dict(data: Mapping[str, Any]) -> Problem:
    """Read what `as_dict` wrote."""
    return Problem(str(data["kind"]), int(data["count"]), str(data["where"]))
