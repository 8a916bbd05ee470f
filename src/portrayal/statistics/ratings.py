"""Ratings as agreement statistics see them: one row per rater, one column per item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.counts import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels as codes.

    Attributes:
        codes: (raters, items); -1 where a rater gave no answer.
        labels: What each code stands for, sorted.
    """

    codes: NDArray[np.intp]
    labels: tuple[Any, ...]

    @property
    def counts(self) -> FloatArray:
        """(items, labels): how many raters chose each label."""
        wanted = np.arange(len(self.labels))[:, None, None]
        return np.asarray((self.codes == wanted).sum(axis=1).T, dtype=np.float64)


def is_missing(value: object) -> bool:
    """Tell None and NaN from an answer."""
    return value is None or value != value


def as_ratings(ratings: tuple[ArrayLike, ...], *, least: int = 2) -> Ratings:
    """Read ratings, given as one sequence per rater or as a single (raters, items) table.

    Args:
        ratings: The arguments of an agreement function. None and NaN mean no answer.
        least: Smallest number of raters allowed.
    """
    given: Any = ratings[0] if len(ratings) == 1 else ratings
    try:
        rows = [list(row) for row in given]
    except TypeError:
        rows = []
    if not rows or any(isinstance(row, str) for row in given):
        raise StatisticsError(
            "ratings are no table; allowed: one sequence of labels per rater, or one table with a "
            "row per rater"
        )
    lengths = {len(row) for row in rows}
    if len(rows) < least or len(lengths) != 1:
        raise StatisticsError(
            f"ratings come from {len(rows)} raters with {sorted(lengths)} items; allowed: at least "
            f"{least} raters, each with one label per item (None where there is no answer)"
        )
    values = [_plain(value) for row in rows for value in row]
    present = {value for value in values if not is_missing(value)}
    labels = _ordered(present)
    code = {label: i for i, label in enumerate(labels)}
    codes = [-1 if is_missing(value) else code[value] for value in values]
    return Ratings(np.array(codes, dtype=np.intp).reshape(len(rows), -1), labels)


def _plain(value: Any) -> Any:
    """Turn a numpy scalar into a Python one, so that 1 and np.int64(1) are one label."""
    return value.item() if isinstance(value, np.generic) else value


def _ordered(labels: set[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(labels))
    except TypeError:
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, str(label))))
