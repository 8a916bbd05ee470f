"""How numbers are written, on the page and in the terminal."""

from __future__ import annotations

from typing import Any

DASH = "–"


def decimal(value: float | None, places: int = 3) -> str:
    """Write an estimate: `0.123`, or a dash where there is none."""
    return DASH if value is None else f"{value:.{places}f}"


def p_value(value: float | None) -> str:
    """Write a p-value: `.032`, `<.001`, or a dash."""
    if value is None:
        return DASH
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def percent(value: float | None) -> str:
    """Write a share: `12.3 %`, or a dash."""
    return DASH if value is None else f"{100 * value:.1f} %"


def interval(low: float | None, high: float | None, places: int = 3) -> str:
    """Write an interval: `[0.1, 0.2]`, or a dash."""
    if low is None or high is None:
        return DASH
    return f"[{decimal(low, places)}, {decimal(high, places)}]"


def count(value: int) -> str:
    """Write a number of things: `12,345`."""
    return f"{value:,}"


def cell(value: Any, column: str = "") -> str:
    """Write a table's value by its column: p-values and shares have their own way.

    Small numbers keep two digits instead of vanishing into zeros.
    """
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if not isinstance(value, float):
        return str(value)
    if column in ("p", "q"):
        return p_value(value)
    if column == "share":
        return percent(value)
    return f"{value:.2g}" if 0 < abs(value) < 0.01 else decimal(value)
