"""Cells of tables: such as no spreadsheet takes for a formula, and those that hold factors."""

from __future__ import annotations

import json
from typing import Any

# What makes a spreadsheet take a cell for a formula, in half and full width.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: a quote goes before what looks so."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def read_factors(cell: str | None) -> dict[str, str]:
    """Return the factors of an image; what is no JSON object, as in parts of others, has none."""
    try:
        found = json.loads(cell or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in found.items()
    }
