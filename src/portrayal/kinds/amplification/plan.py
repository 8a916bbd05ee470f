"""What an amplification study could detect."""

from __future__ import annotations

import math

from scipy import stats

SPREAD = 12.0
"""Standard deviation of amplification over occupations, in points: that of a small model over its
76 occupations (11.4 points, 95% interval 8.7 to 14.2). A plan needs some number."""


def detectable(occupations: int, *, alpha: float = 0.05) -> str:
    """Return the mean amplification that a study would find four times in five, in words.

    Args:
        occupations: How many count.
        alpha: Level of the t-test.
    """
    if occupations < 2:
        return "nothing: too few occupations"
    quantile = float(stats.t.ppf(1 - alpha / 2, occupations - 1)) + float(stats.norm.ppf(0.8))
    points = quantile * SPREAD / math.sqrt(occupations)
    return (
        f"amplification of {points:.1f} points" if points < 50 else "nothing: too few occupations"
    )
