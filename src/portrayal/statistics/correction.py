"""Correction for asking many questions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return q-values: the false discovery rate at which each question would count as answered.

    Sorted, q_(i) = min over j >= i of p_(j) * m / j, at most 1; in the order and shape given. Of
    the questions with q <= 0.05, at most 5% are expected to be false discoveries (questions
    independent or positively dependent). A NaN stays NaN and does not count among the m: a question
    without an answer costs the others nothing. No p-value gives an empty array.

    Args:
        p_values: Raw p-values, 0 to 1 or NaN.

    Reference: Benjamini and Hochberg (1995), J. R. Statist. Soc. B 57(1).

    >>> benjamini_hochberg([0.01, float("nan"), 0.04, 0.03, 0.5]).round(4).tolist()
    [0.04, nan, 0.0533, 0.0533, 0.5]
    """
    try:
        p = np.array(p_values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"p_values are not numbers ({error}); allowed: 0 to 1 or NaN"
        ) from None
    known = ~np.isnan(p)
    wrong = p[known & ~((p >= 0.0) & (p <= 1.0))]
    if wrong.size:
        raise StatisticsError(f"p_values hold {wrong[0]}; allowed: 0 to 1 or NaN")
    q = np.full_like(p, np.nan)
    if known.any():
        q[known] = stats.false_discovery_control(p[known], method="bh")
    return q
