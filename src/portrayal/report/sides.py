"""Images of both sides of an amplification study, for a click on an occupation."""

from __future__ import annotations

from collections.abc import Sequence

from portrayal.audit import AuditFolder, training_audit
from portrayal.findings import SideImage
from portrayal.report.thumbnails import thumbnails

SMALL = 72
"""Longest side of an image in pixels."""


def side_images(
    audit: AuditFolder, rows: Sequence[SideImage], *, at_most: int
) -> dict[str, dict[str, dict[str, list[dict[str, str]]]]]:
    """Return images by subset, occupation and side, each with its text and group.

    Args:
        audit: The audit; its training side is looked at as well.
        rows: Which images.
        at_most: Different images on a page; with more, every side gets fewer.
    """
    for each in (4, 2, 1):
        chosen = _first(rows, each)
        if len({row.key for row in chosen}) <= at_most:
            break
    else:
        return {}
    training = training_audit(audit)
    found: dict[str, dict[str, str]] = {}
    for side, where in (("training", training), ("generated", audit)):
        keys = list(dict.fromkeys(row.key for row in chosen if row.side == side))
        found[side] = {} if where is None else thumbnails(where, keys, side=SMALL)
    shown: dict[str, dict[str, dict[str, list[dict[str, str]]]]] = {}
    for row in chosen:
        if row.key not in found[row.side]:
            continue
        sides = shown.setdefault(row.subset, {}).setdefault(row.occupation, {})
        sides.setdefault(row.side, []).append(
            {"src": found[row.side][row.key], "text": row.text, "group": row.group}
        )
    return shown


def _first(rows: Sequence[SideImage], each: int) -> list[SideImage]:
    counts: dict[tuple[str, str, str], int] = {}
    chosen = []
    for row in rows:
        place = (row.subset, row.occupation, row.side)
        counts[place] = counts.get(place, 0) + 1
        if counts[place] <= each:
            chosen.append(row)
    return chosen
