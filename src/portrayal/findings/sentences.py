"""Plain sentences for findings."""

from __future__ import annotations

from collections.abc import Mapping

from portrayal.numbers import counted as counted  # noqa: PLC0414 (part of these sentences)


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
