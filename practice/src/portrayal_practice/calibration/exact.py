"""What truths from the planted table share: the table's names for groups, and the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from portrayal.errors import one_of
from portrayal.studies.schema import Study
from portrayal_practice.errors import PracticeError
from portrayal_practice.planted import AXES
from portrayal_practice.truth import group_shares

EXACT = "exact"
_WORLD_GROUPS = {"dark skin": "dark", "light skin": "light"}
"""What studies call a group where the planted table has a shorter name."""

_DIGITS = 6


def world_names(study: Study, axis: str, groups: Mapping[str, Any]) -> dict[str, str]:
    """Return what the planted table calls each group of an axis.

    Raises:
        PracticeError: The axis or a group is not planted.
    """
    if axis not in AXES:
        raise PracticeError(
            f"{study.name}: the axis {axis!r} is not planted; allowed: {one_of(tuple(AXES))}"
        )
    planted = group_shares(["a person"], axis=axis)[0].shares
    names = {group: _WORLD_GROUPS.get(group, group) for group in groups}
    for group, name in names.items():
        if name not in planted:
            raise PracticeError(
                f"{study.name}: the group {group!r} of {axis} is not planted; "
                f"allowed: {one_of(tuple(planted))}"
            )
    return names


def exact_row(study: Study, question: str, statistic: str, truth: float) -> dict[str, Any]:
    """Return the row of an exact truth, which is its own interval."""
    value = rounded(truth)
    return {
        "study": study.name,
        "question": question,
        "statistic": statistic,
        "truth": value,
        "low": value,
        "high": value,
        "how": EXACT,
    }


def rounded(value: float | None) -> float | None:
    """Return a number with as many digits as are told, None where there is none."""
    return None if value is None or not math.isfinite(value) else round(value, _DIGITS)
