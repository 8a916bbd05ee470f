"""Refusals that every statistic shares: one line each, what was got and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError, one_of


def unit_labels(units: ArrayLike, n: int, name: str) -> list[object]:
    """Return one label per row, or refuse units that do not fit the rows."""
    array = np.asarray(units)
    if array.ndim != 1 or array.size != n:
        raise StatisticsError(
            f"units of {name} have shape {array.shape}; allowed: one label for each of the "
            f"{n} rows of {name}"
        )
    labels: list[object] = array.tolist()
    missing = [i for i, label in enumerate(labels) if label is None or label != label]
    if missing:
        raise StatisticsError(f"units of {name} hold no label (None or NaN) in row {missing[0]}")
    return labels


def check_option(name: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse an option value that is not one of `allowed`."""
    if value not in allowed:
        raise StatisticsError(f"{name} is {value!r}; allowed: {one_of(tuple(allowed))}")


def check_rng(rng: Any) -> None:
    """Refuse anything but a numpy Generator: a result must be repeatable from its seed."""
    if not isinstance(rng, np.random.Generator):
        raise StatisticsError(
            f"rng is {type(rng).__name__}; allowed: numpy.random.Generator "
            "(np.random.default_rng(seed))"
        )


def check_fraction(name: str, value: float) -> None:
    """Refuse a confidence, level or power that is not strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise StatisticsError(f"{name} is {value}; allowed: a number strictly between 0 and 1")


def check_resamples(value: int) -> None:
    """Refuse a number of resamples below one, or one that is not whole."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise StatisticsError(f"resamples is {value!r}; allowed: a whole number of at least 1")
