"""Counts of images per group: checks, and Wilson's interval for many shares at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError

FloatArray = NDArray[np.float64]


class Intervals(NamedTuple):
    """Lower and upper bounds, one of each per item; NaN where there is not enough data to say."""

    low: FloatArray
    high: FloatArray


def as_counts(name: str, values: ArrayLike, *, ndim: int = 1) -> FloatArray:
    """Return counts as floats, or refuse what cannot be a count of images.

    Args:
        name: Of the argument, for the error line.
        values: Whole numbers of at least 0; a single number counts as one item.
        ndim: Number of axes wanted.
    """
    try:
        array = np.array(values, dtype=np.float64, ndmin=min(ndim, 1))
    except (TypeError, ValueError) as error:
        raise StatisticsError(f"{name} contains no numbers; allowed: counts of images") from error
    if array.ndim != ndim:
        raise StatisticsError(f"{name} has shape {array.shape}; allowed: {ndim} axes of counts")
    wrong = ~(np.isfinite(array) & (array >= 0) & (array == np.floor(array)))
    if wrong.any():
        raise StatisticsError(
            f"{name} holds {array[wrong][0]}; allowed: whole numbers of images, at least 0"
        )
    return array


def wilson(successes: FloatArray, totals: FloatArray, *, confidence: float) -> Intervals:
    """Return Wilson's score interval of every share; NaN where a total is 0.

    Reference: Wilson (1927), JASA 22.

    >>> wilson(np.array([15.0]), np.array([148.0]), confidence=0.95).low.round(4)
    array([0.0624])
    """
    return wilson_bounds(successes, totals, float(stats.norm.ppf(0.5 + confidence / 2)))


def wilson_bounds(successes: FloatArray, totals: FloatArray, z: float | FloatArray) -> Intervals:
    """Return Wilson's interval of every share, z standard errors to each side."""
    square = np.square(z)
    n = np.where(totals > 0, totals, np.nan)
    share = successes / n
    centre = (share + square / (2 * n)) / (1 + square / n)
    reach = np.sqrt(square * (share * (1 - share) / n + square / (4 * n**2))) / (1 + square / n)
    # At 0 and n the bounds are 0 and 1 exactly; rounding must not step past the share.
    low = np.where(successes == 0, share, centre - reach)
    high = np.where(successes == totals, share, centre + reach)
    return Intervals(low, high)


def level_sums(values: FloatArray, levels: NDArray[np.intp]) -> FloatArray:
    """Return sums of rows per level, given as 0 ... L-1."""
    sums = np.zeros((int(levels.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, levels, values)
    return sums
