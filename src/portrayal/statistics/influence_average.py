"""The mean influence of a word over several prompts (figure 3 of Lin et al. 2023)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.intervals import UNKNOWN, Interval


@dataclass(frozen=True, slots=True)
class MeanInfluenceResult:
    """A word's mean influence.

    Attributes:
        value: Mean over prompts; NaN for none.
        interval: For the mean over all prompts of the kind, within the possible range.
        p_value: Two-sided, against a mean of zero; it is below 1 - confidence exactly where the
            interval leaves out zero.
        n: Prompts with a score.
        n_missing: Prompts without one.
    """

    value: float
    interval: Interval
    p_value: float
    n: int
    n_missing: int


def mean_influence(
    scores: ArrayLike, *, largest: float = 1.0, confidence: float = 0.95
) -> MeanInfluenceResult:
    """Return the mean influence of a word over the prompts that contain it, prompts as units.

    Interval and p-value are those of Student's t over prompts, the interval cut at the largest
    influence that is possible. They generalise to other prompts of the same kind; what images of a
    prompt add to the uncertainty is part of how much the scores differ. Fewer than two prompts, or
    scores that do not differ at all, leave interval and p-value unknown (NaN): nothing shows how
    much other prompts would differ.

    Args:
        scores: Influence of the word in each prompt; NaN where there is none.
        largest: Largest influence that is possible, in size: the level of `word_influence`, times
            the words that were added up.
        confidence: Of the interval.

    Reference: Student (1908), The probable error of a mean; Lin et al. (2023), Figure 3.

    >>> result = mean_influence([0.5, -0.5])
    >>> result.value, result.interval, result.p_value
    (0.0, Interval(low=-1.0, high=1.0), 1.0)
    """
    check_fraction("confidence", confidence)
    given = np.asarray(scores, dtype=np.float64)
    if given.ndim != 1 or not largest > 0 or (np.abs(given) > largest + 1e-9).any():
        raise StatisticsError(
            f"scores of shape {given.shape} reach {np.abs(given).max(initial=0.0):g} in size; "
            f"allowed: one score per prompt, at most {largest:g} in size (raise largest where "
            "levels or words are added up)"
        )
    known = given[~np.isnan(given)]
    n, missing = len(known), len(given) - len(known)
    value = float(known.mean()) if n else math.nan
    if n < 2 or np.ptp(known) <= 1e-12 * largest:
        return MeanInfluenceResult(value, UNKNOWN, math.nan, n, missing)
    error = float(known.std(ddof=1)) / math.sqrt(n)
    half = float(stats.t.ppf(0.5 + confidence / 2.0, n - 1)) * error
    p_value = float(2.0 * stats.t.sf(abs(value) / error, n - 1))
    interval = Interval(max(value - half, -float(largest)), min(value + half, float(largest)))
    return MeanInfluenceResult(value, interval, p_value, n, missing)
