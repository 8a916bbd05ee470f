"""Images of one prompt are alike: counts per prompt, and how much prompts differ beyond chance.

A prompt's share of a group is itself a draw from a distribution of prompts, with mean p and
variance p (1 - p) ICC: the intraclass correlation ICC runs from 0 (prompts differ by chance only)
to 1 (every prompt shows one group only). Counts per prompt are then beta-binomial.

Reference: Skellam (1948), J. Royal Statistical Society B 10.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, gammaln

from portrayal.statistics.counts import FloatArray

_EVEN_CELLS = 20
_FINE_BELOW = 0.06
_ONE_GROUP = 0.7


class Correlations(NamedTuple):
    """Values of the ICC and the weight of each beforehand."""

    values: FloatArray
    weights: FloatArray


def correlation_prior(most_images: float, *, cells: int = _EVEN_CELLS) -> Correlations:
    """Return the prior of the ICC on cells that are fine near 0.

    Few prompts cannot tell what the ICC is. Prompts either differ somewhat: then the variance of a
    prompt's share, ICC + (1 - ICC) / images, is uniform on the logarithmic scale, which makes
    intervals of a mean Student's where images are many (Jeffreys 1961). Or most show one group
    only: Beta(3, 1/2), without which intervals from four prompts that happen to lean the same way
    are too short. An ICC far below 1 / images does not differ from 0 in its effect, so the finest
    cell is a quarter of that.

    Args:
        most_images: Images of the largest prompt.
        cells: How many cells above the fine ones.

    >>> round(float(correlation_prior(9).weights.sum()), 6)
    1.0
    """
    finest = 0.25 / max(most_images, 1.0)
    fine = max(math.ceil(math.log2(_FINE_BELOW / finest)), 0) if finest < _FINE_BELOW else 0
    # Even on the scale of 1 - sqrt(1 - ICC), which is finer towards 1.
    low = 1 - np.sqrt(1 - np.geomspace(finest, _FINE_BELOW, fine + 1)[:fine])
    edges = np.r_[0.0, low, np.linspace(1 - math.sqrt(1 - _FINE_BELOW), 1.0, cells + 1)]
    middle = (edges[1:] + edges[:-1]) / 2
    ends, least = 1 - (1 - edges) ** 2, 1 / max(most_images, 1.0)
    smooth = np.diff(np.log(least + (1 - least) * ends) if least < 1 else ends)
    weights = (1 - _ONE_GROUP) * smooth / smooth.sum() + _ONE_GROUP * np.diff(betainc(3, 0.5, ends))
    return Correlations(np.asarray(1 - (1 - middle) ** 2), np.asarray(weights))


def log_likelihood(
    hits: FloatArray, totals: FloatArray, shares: FloatArray, correlations: FloatArray
) -> FloatArray:
    """Return the log-likelihood of every prompt's count, without its binomial coefficient.

    Args:
        hits: Images of the group, per prompt.
        totals: Images of any known group, per prompt.
        shares: Candidate values of p, strictly between 0 and 1.
        correlations: Candidate values of the ICC, strictly between 0 and 1.

    Returns:
        One row per prompt, then shares, then correlations.

    >>> one = np.array([1.0])
    >>> chance = log_likelihood(one, one, np.array([0.2]), np.array([0.5]))
    >>> round(float(np.exp(chance[0, 0, 0])), 3)
    0.2
    """
    if _few_with_many(totals):
        return _by_gamma(hits, totals, shares, correlations)
    k, n = hits.astype(np.intp), totals.astype(np.intp)
    step = np.arange(max(int(n.max(initial=0)), 1))[:, None, None] * correlations
    yes = _running(np.log(shares[:, None] * (1 - correlations) + step))
    no = _running(np.log((1 - shares)[:, None] * (1 - correlations) + step))
    any_group = _running(np.log(1 - correlations + step))
    return np.asarray(yes[k] + no[n - k] - any_group[n])


def summed_log_likelihood(
    hits: FloatArray,
    totals: FloatArray,
    repeats: FloatArray,
    shares: FloatArray,
    correlations: FloatArray,
) -> FloatArray:
    """Return the sum over prompts of `log_likelihood`, (shares, correlations).

    Args:
        hits: See `log_likelihood`.
        totals: See `log_likelihood`.
        repeats: How many prompts have these counts.
        shares: See `log_likelihood`.
        correlations: See `log_likelihood`.
    """
    if _few_with_many(totals):
        each = _by_gamma(hits, totals, shares, correlations)
        return np.asarray(np.tensordot(repeats, each, axes=1))
    found = -_sum_of_logs(totals, repeats, np.ones(1), correlations)
    for counts, share in ((hits, shares), (totals - hits, 1 - shares)):
        found = found + _sum_of_logs(counts, repeats, share, correlations)
    return np.asarray(found)


def _sum_of_logs(
    counts: FloatArray, repeats: FloatArray, shares: FloatArray, correlations: FloatArray
) -> FloatArray:
    """Return the sum over prompts of log(p (1 - ICC) + j ICC) for j below each count."""
    start = shares[:, None] * (1 - correlations)
    found, term = np.zeros_like(start), np.empty_like(start)
    steps = np.arange(int(counts.max(initial=0)))
    # How many prompts have more images than so many: each adds one factor.
    # One step at a time in one small array: all steps at once do not fit into the cache.
    for step, times in zip(steps, repeats @ (counts[:, None] > steps), strict=True):
        np.log(np.add(start, step * correlations, out=term), out=term)
        term *= times
        found += term
    return found


def _few_with_many(totals: FloatArray) -> bool:
    return bool(totals.max(initial=0) > 16 * max(totals.size, 4))


def _running(logs: FloatArray) -> FloatArray:
    """Return sums over the first 0, 1, 2, ... entries."""
    return np.concatenate([np.zeros_like(logs[:1]), np.cumsum(logs, axis=0)])


def _by_gamma(
    hits: FloatArray, totals: FloatArray, shares: FloatArray, correlations: FloatArray
) -> FloatArray:
    """Return the same where prompts are few and images many: no step per image."""
    size = (1 - correlations) / correlations
    a, b = shares[:, None] * size, (1 - shares)[:, None] * size
    k, n = hits[:, None, None], totals[:, None, None]
    return np.asarray(
        gammaln(a + k) - gammaln(a) + gammaln(b + n - k) - gammaln(b) + gammaln(size)
        - gammaln(size + n)
    )  # fmt: skip
