"""Cells of a CSV file that no spreadsheet takes for a formula."""

from __future__ import annotations

from typing import Any

# What makes a spreadsheet take a cell for a formula, in half and full width.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: a quote goes before what looks so."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
