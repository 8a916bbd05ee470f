"""How numbers are written where people read them: one format per quantity, rounded half up.

Two significant digits and no more decimals than that (`0.64`, `-2.2`, `17`), shares as `62%`,
p-values as `.012` and `< .001`, intervals as `95% CI 0.39 to 0.81`. A number that is not 0 never
reads as 0, but for the rounding of a computer, and a share that is not whole never as 0% or 100%.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

USUAL_LEVELS = (0.005, 0.01, 0.025, 0.05, 0.1)
"""Levels of tests: a p-value below one never reads as one that has reached it."""

BESIDE_ZERO = 1e-6
"""Bounds closer to 0 than this are 0 but for the side on which a test puts them."""

ROUNDING = 1e-12
"""Estimates closer to 0 than this are 0: what is left is the rounding of sums that cancel."""

DASH = "–"
"""Where there is no number."""


def number(value: float | None) -> str:
    """Write an estimate with two significant digits: `0.64`, `-2.2`, `17`.

    >>> number(0.636), number(-2.22), number(124.5), number(0.0042), number(None), number(-5e-17)
    ('0.64', '-2.2', '125', '0.0042', '–', '0')
    """
    if value is None or math.isnan(value):
        return DASH
    if abs(value) < ROUNDING:
        return "0"
    if math.isinf(value):
        return f"{value:g}".replace("inf", "∞")
    if abs(value) < 1e-5:
        return f"{value:.1e}"
    places = max(0, 1 - math.floor(math.log10(abs(value))))
    text = _rounded(value, places)
    grown = abs(float(text)) >= 10 ** (2 - places)  # 0.995 became 1.00
    return _rounded(value, places - 1) if grown and places else text


def percent(share: float | None) -> str:
    """Write a share: `62%`; `<1%` and `>99%` where rounding would hide that it is not whole.

    >>> percent(0.625), percent(0.002), percent(0.999), percent(1.0)
    ('63%', '<1%', '>99%', '100%')
    """
    if share is None or math.isnan(share):
        return DASH
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{_rounded(100 * share, 0)}%"


def p_value(value: float | None) -> str:
    """Write a p-value: `.35`, `.012`, `< .001`, or a dash.

    Where rounding would reach a usual level from below, it is cut after four digits instead.

    >>> p_value(0.35), p_value(0.0124), p_value(0.0004), p_value(1.0), p_value(0.0497)
    ('.35', '.012', '< .001', '1', '.0497')
    """
    if value is None or math.isnan(value):
        return DASH
    if value < 0.001:
        return "< .001"
    text = _rounded(value, 2 if value >= 0.0995 else 3)
    if any(value < level <= float(text) for level in USUAL_LEVELS):
        text = _rounded(value, 4, ROUND_DOWN)
    return "1" if float(text) >= 1 else text.removeprefix("0")


def p_in_words(name: str, value: float) -> str:
    """Write a test's result: `p = .012`, `q < .001`."""
    text = p_value(value)
    return f"{name} {text}" if text.startswith("<") else f"{name} = {text}"


def interval(
    low: float | None, high: float | None, *, form: Callable[[float | None], str] = number
) -> str:
    """Write an interval: `0.39 to 0.81`, or a dash.

    A bound that a test has put beside 0 is written so: `-1.3 to just below 0`.
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return DASH
    return f"{bound(low, form=form)} to {bound(high, form=form)}"


def bound(value: float | None, *, form: Callable[[float | None], str] = number) -> str:
    """Write one end of an interval.

    >>> bound(-1e-9), bound(-0.25), bound(1e-9, form=percent)
    ('just below 0', '-0.25', '<1%')
    """
    if value is None or form is percent or not 0 < abs(value) < BESIDE_ZERO:
        return form(value)
    return "just below 0" if value < 0 else "just above 0"


def between(
    low: float | None,
    high: float | None,
    confidence: float,
    *,
    form: Callable[[float | None], str] = number,
) -> str:
    """Write an interval with its confidence: `95% CI 0.39 to 0.81`.

    >>> between(0.386, 0.814, 0.95), between(0.386, 0.814, 0.9, form=percent)
    ('95% CI 0.39 to 0.81', '90% CI 39% to 81%')
    """
    found = interval(low, high, form=form)
    if found == DASH or "∞" in found:
        return "no interval: too few units"
    return f"{100 * confidence:g}% CI {found}"


def fraction_among_percentages(written: Mapping[str, str]) -> str:
    """Say which of some percentages is written as a fraction, and what to write; "" where none is.

    Nothing tells 0.4% from 40% there. A percentage below 1 that is meant as one carries a percent
    sign. What is no number is passed over.

    Args:
        written: The percentages as they are written, by where they are.

    >>> fraction_among_percentages({"line 2": "89", "line 3": "0.9%"})
    ''
    >>> fraction_among_percentages({"line 2": "89", "line 3": "0.14"})[:44]
    "line 3 is '0.14' beside '89' in line 2; allo"
    """
    fractions, percents = [], []
    for where, text in written.items():
        try:
            value = float(text.strip().removesuffix("%"))
        except ValueError:
            continue
        if text.strip().endswith("%") or value > 1:
            percents.append(f" beside {text.strip()!r} in {where}")
        elif 0 < value < 1:
            fractions.append((where, text.strip(), f"{100 * value:g}"))
    if not fractions:
        return ""
    where, text, whole = fractions[0]
    return (
        f"{where} is {text!r}{percents[0] if percents else ''}; allowed: all from 0 to 100 "
        f"(write {whole} for a fraction, or '{text}%' if less than 1% is meant)"
    )


def count(value: int) -> str:
    """Write a number of things: `12,345`."""
    return f"{value:,}"


def counted(n: int, thing: str) -> str:
    """Write `1 prompt`, `2 prompts`."""
    return f"{n} {thing}{'' if n == 1 else 's'}"


Q_OF_ALL_LOOKS = "q, all looks"
"""The column of tables beside "q" where questions were looked at several times."""

BOUNDS_OF_ALL_LOOKS = ("low, all looks", "high, all looks")
"""The columns beside "low" and "high" where intervals count all looks."""


def cell(value: Any, column: str = "") -> str:
    """Write a table's value by its column: p-values and shares have their own way."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if not isinstance(value, float):
        return str(value)
    if column in ("p", "q", Q_OF_ALL_LOOKS):
        return p_value(value)
    if column in ("low", "high"):
        return bound(value)
    return percent(value) if column in ("share", "corrected share") else number(value)


def cells(row: Sequence[Any], columns: Sequence[str]) -> list[str]:
    """Write a table's row; beside a share, its bounds are shares too.

    >>> cells(["nurse", 0.25, 0.05, 0.7, 4], ["level", "share", "low", "high", "n"])
    ['nurse', '25%', '5%', '70%', '4']
    """
    bounds = ("low", "high") if "share" in columns else ()
    return [
        cell(value, "share" if name in bounds else name)
        for value, name in zip(row, columns, strict=True)
    ]


def _rounded(value: float, places: int, rounding: str = ROUND_HALF_UP) -> str:
    """Round half up, as people do; `repr` gives the decimal that a reader would round."""
    return f"{Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-places), rounding):f}"


def with_minus(text: object) -> str:
    """Return a text with true minus signs before its numbers.

    >>> with_minus("well-known: -0.5 to -.1")
    'well-known: \u22120.5 to \u2212.1'
    """
    return re.sub(r"(?<![\w-])-(?=[\d.∞])", "\u2212", str(text))
