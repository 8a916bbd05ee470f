"""What a composition study may say about pairs of axes and about targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from portrayal.errors import one_of
from portrayal.studies import Axis

EVEN, TRAINING, AUDIT = "even", "training", "audit"
BETWEEN = " x "
"""Between the names of two axes, or of the groups of a cell."""

Target = str | dict[str, Any]


def cell_names(axes: Sequence[Axis]) -> tuple[str, ...]:
    """Return the groups of an axis, or the cells of two, row by row."""
    names = [""]
    for axis in axes:
        names = [f"{one}{BETWEEN if one else ''}{group}" for one in names for group in axis.groups]
    return tuple(names)


def wrong_target(target: object) -> str:
    """Say that something is no target, and what is."""
    return (
        f"is {target!r}; allowed: {EVEN!r}, {TRAINING!r}, a table of shares, or "
        f'{{ {AUDIT} = "FOLDER" }}'
    )


def check_target(target: Target, groups: Sequence[str]) -> None:
    """Raise where a target is none for these groups.

    Raises:
        ValueError: It is of another kind, lacks a group, or its shares do not sum to 1.
    """
    if isinstance(target, str):
        if target not in (EVEN, TRAINING):
            raise ValueError(wrong_target(target))
        return
    if set(target) == {AUDIT} and AUDIT not in groups:
        if not isinstance(target[AUDIT], str) or not target[AUDIT]:
            raise ValueError(f"has {AUDIT} = {target[AUDIT]!r}; allowed: the folder of an audit")
        return
    for group in (*target, *groups):
        if group not in groups:
            raise ValueError(f"has a share of {group!r}; allowed: {one_of(list(groups))}")
        if group not in target:
            raise ValueError(f"has no share of {group!r}; allowed: one for each group")
        share = target[group]
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ValueError(f"gives {group!r} the share {share!r}; allowed: 0 to 1")
    total = math.fsum(target.values())
    if not math.isclose(total, 1, abs_tol=1e-3):
        raise ValueError(f"sums to {total:g}; allowed: shares that sum to 1")
