"""The names of columns in tables that people write: ours in any case, each one once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from portrayal.errors import ImportFileError


def column_names(heads: Sequence[str], own: Collection[str]) -> list[str]:
    """Return the names of columns; our own in lower case, however they are written."""
    plain = [head.strip() for head in heads]
    return [head.lower() if head.lower() in own else head for head in plain]


def require_distinct(names: Sequence[str], file: Path) -> None:
    """Raise where two columns have the same name.

    Raises:
        ImportFileError: They have.
    """
    doubled = next((name for name in names if name and names.count(name) > 1), None)
    if doubled is not None:
        raise ImportFileError(
            f"{file}: two columns are called {doubled!r}; remove or rename one of them"
        )
