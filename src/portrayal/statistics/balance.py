"""Whether counts could come from complete balance: every share exactly one half."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from portrayal.statistics.counts import FloatArray, level_sums
from portrayal.statistics.overdispersion import correlation_prior, summed_log_likelihood

_EXACT = 3000
"""Images up to which the distribution is summed exactly; beyond, a gamma curve has its moments."""


def balance_p_value(first: FloatArray, total: FloatArray) -> float:
    """Return the chance that balanced attributes are as uneven as these, or more so.

    The statistic is Eq. 1's numerator, the sum of |a - b|. Exact up to 3,000 images.

    Args:
        first: Images of the first group, one count per attribute.
        total: Images of either group.

    >>> round(balance_p_value(np.array([3.0, 0.0]), np.array([3.0, 3.0])), 4)  # both of one group
    0.0625
    """
    gap = float(np.abs(2 * first - total).sum())
    if total.sum() > _EXACT:
        each = np.sqrt(1 / total)
        return _gamma_tail(gap / float(total.sum()), total, each)
    chance = np.ones(1)
    for n in total.astype(int):
        chance = np.convolve(chance, _gap_chances(int(n)))
    return float(chance[round(gap) :].sum())


@lru_cache(maxsize=_EXACT)
def _gap_chances(n: int) -> FloatArray:
    """Return the chance of each |a - b|, from 0 to n, of n images of one balanced attribute."""
    first = np.arange(n + 1)
    chance = np.zeros(n + 1)
    np.add.at(chance, np.abs(2 * first - n), stats.binom.pmf(first, n, 0.5))
    chance.setflags(write=False)
    return chance


def balance_p_value_of_prompts(
    first: FloatArray, total: FloatArray, level: NDArray[np.intp]
) -> float:
    """Return the same for levels of several prompts, which may differ as much as these do.

    Args:
        first: Images of the first group, one count per prompt.
        total: Images of either group.
        level: The level of each prompt, as 0 ... L-1.
    """
    icc = correlation_prior(float(total.max()))
    log = summed_log_likelihood(first, total, np.ones_like(total), np.array([0.5]), icc.values)[0]
    weight = icc.weights * np.exp(log - log.max())
    images = level_sums(total, level)
    gap = float(np.abs(level_sums(2 * first - total, level)).sum() / images.sum())
    tails = []
    for value in icc.values:
        parts = total**2 * (value + (1 - value) / total)
        tails.append(_gamma_tail(gap, images, np.sqrt(level_sums(parts, level)) / images))
    return float(weight @ tails / weight.sum())


def _gamma_tail(gap: float, images: FloatArray, deviation: FloatArray) -> float:
    """Return the upper tail of a weighted sum of folded normals, by a gamma curve."""
    weight = images / images.sum()
    mean = float(weight @ deviation) * math.sqrt(2 / math.pi)
    variance = float(weight**2 @ deviation**2) * (1 - 2 / math.pi)
    return float(stats.gamma.sf(gap, mean**2 / variance, scale=variance / mean))
