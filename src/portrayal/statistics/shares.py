"""Group shares over prompts: an interval that holds for other prompts of the same kind."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.intervals import UNKNOWN, Interval, share_interval
from portrayal.statistics.overdispersion import correlation_prior, summed_log_likelihood

_CELLS = 240
_NEGLIGIBLE = 1e-7


def prompts_share_interval(
    hits: ArrayLike, totals: ArrayLike, *, confidence: float = 0.95, clustered: bool = True
) -> Interval:
    """Return an interval for a share, from counts per prompt.

    Where prompts count as a sample of prompts (`clustered`), counts are beta-binomial, and the
    interval is the middle part of the posterior of the mean share: Jeffreys' prior for the share,
    and the intraclass correlation integrated out (`correlation_prior`), since a few prompts cannot
    tell it. A share of 0 (1) has a lower (upper) bound of exactly 0 (1). Otherwise, or with one
    prompt, it is Wilson's interval, for other images of these prompts. Within 0 to 1; NaN without
    images.

    Args:
        hits: Images of the group, per prompt.
        totals: Images of any known group, per prompt.
        confidence: Of the interval.
        clustered: Whether other prompts might have been chosen.

    References: Skellam (1948), J. Royal Statistical Society B 10, for the beta-binomial; Brown,
    Cai and DasGupta (2001), Statistical Science 16, for Jeffreys' interval, which this is when
    every prompt has one image.

    >>> low, high = prompts_share_interval([0, 9, 0, 1], [9, 9, 9, 9])
    >>> round(low, 2), round(high, 2)
    (0.08, 0.76)
    """
    check_fraction("confidence", confidence)
    k, n = as_counts("hits", hits), as_counts("totals", totals)
    if k.shape != n.shape or (k > n).any():
        raise StatisticsError(
            "hits must be counts of the same prompts as totals, each at most its total"
        )
    k, n = k[n > 0], n[n > 0]
    if n.size == 0:
        return UNKNOWN
    if not clustered or n.size < 2:
        return share_interval(int(k.sum()), int(n.sum()), confidence=confidence)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    found = _posterior(k, n)
    low, high = np.sin(np.interp(tails, found.cumulative, found.edges)) ** 2
    return Interval(0.0 if k.sum() == 0 else float(low), 1.0 if k.sum() == n.sum() else float(high))


def prompts_share_p_value(hits: ArrayLike, totals: ArrayLike, share: float) -> float:
    """Return p of the test that a share over prompts is a given one, from counts per prompt.

    It is twice the smaller part of the posterior of `prompts_share_interval`, for prompts that
    count as a sample, on either side of the share: below 1 - confidence exactly where that interval
    leaves the share out. Not below 2e-7, which is as far as the posterior is computed. 1 without
    images.

    Args:
        hits: Images of the group, per prompt.
        totals: Images of any known group, per prompt.
        share: The share under the null, above 0 and below 1.

    >>> round(prompts_share_p_value([4, 4, 4], [4, 4, 4], 0.4), 3)
    0.017
    """
    k, n = as_counts("hits", hits), as_counts("totals", totals)
    k, n = k[n > 0], n[n > 0]
    if n.size == 0:
        return 1.0
    found = _posterior(k, n)
    below = float(np.interp(math.asin(math.sqrt(share)), found.edges, found.cumulative))
    return min(1.0, 2 * max(min(below, 1 - below), _NEGLIGIBLE))


class _Posterior(NamedTuple):
    """The posterior of a mean share on the arcsine scale, where Jeffreys' prior is flat."""

    edges: FloatArray
    cumulative: FloatArray


def _posterior(k: FloatArray, n: FloatArray) -> _Posterior:
    # A report says one share in a headline, a finding and a table.
    return _posterior_of(tuple(sorted(zip(k.tolist(), n.tolist(), strict=True))))


@functools.lru_cache(maxsize=512)
def _posterior_of(counts: tuple[tuple[float, float], ...]) -> _Posterior:
    kinds, repeats = np.unique(np.array(counts), axis=0, return_counts=True)
    icc = correlation_prior(float(kinds[:, 1].max()))
    start, stop = 0.0, np.pi / 2
    # The second look is at the part that matters, so that many images do not fall into one cell.
    for _ in range(2):
        edges = np.linspace(start, stop, _CELLS + 1)
        shares = np.sin((edges[1:] + edges[:-1]) / 2) ** 2
        log = summed_log_likelihood(
            kinds[:, 0], kinds[:, 1], repeats.astype(np.float64), shares, icc.values
        )
        cumulative = np.r_[0.0, np.cumsum(np.exp(log - log.max()) @ icc.weights)]
        cumulative /= cumulative[-1]
        inside = np.flatnonzero((cumulative > _NEGLIGIBLE) & (cumulative < 1 - _NEGLIGIBLE))
        first = max(int(inside.min(initial=_CELLS)) - 1, 0)
        last = min(int(inside.max(initial=0)) + 1, _CELLS)
        found = _Posterior(edges, cumulative)
        if first < last:
            start, stop = float(edges[first]), float(edges[last])
    return found
