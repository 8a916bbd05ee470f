"""Plain sentences for findings."""

from __future__ import annotations

import math
from collections.abc import Mapping


def number(value: float) -> str:
    """Write a number with three significant digits, without an exponent where it can be read."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 6)}f}" if abs(value) >= 1e-5 else f"{value:.1e}"


def between(low: float | None, high: float | None, confidence: float) -> str:
    """Write an interval: `95 % interval 0.1 to 0.2`, or "" where there is none."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return "no interval: too few units"
    return f"{100 * confidence:g} % interval {number(low)} to {number(high)}"


def between_shares(low: float | None, high: float | None, confidence: float) -> str:
    """Write an interval of shares: `95 % interval 12 % to 34 %`."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{100 * confidence:g} % interval {percent(low)} to {percent(high)}"


def chance(p: float) -> str:
    """Write a p-value: `p = 0.012`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def percent(share: float) -> str:
    """Write a share: `12 %`."""
    return f"{100 * share:.0f} %"


def counted(n: int, thing: str) -> str:
    """Write `1 prompt`, `2 prompts`."""
    return f"{n} {thing}{'' if n == 1 else 's'}"


def capital(text: str) -> str:
    """Return the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def not_enough(reason: str, dropped: Mapping[str, int], wanted: int) -> str:
    """Write why there is no answer, with what became of the images that were wanted."""
    counts = ", ".join(f"{n} {why}" for why, n in dropped.items())
    fate = f" (of {counted(wanted, 'image')} wanted: {counts})" if counts else ""
    return f"not enough data: {reason}{fate}"


def not_judged(axis: str, reason: str, dropped: Mapping[str, int], wanted: int) -> str:
    """Return the reason why no image was labelled on an axis; without images there is another."""
    if sum(dropped.values()) == wanted:
        return f"there is no image to judge on {axis}"
    return reason
