"""Imbalance at a common number of images: what |2p - 1| of a share p looks like in m images.

The imbalance |2x/m - 1| of m images is larger than |2p - 1| on average, and the more so the fewer
images there are. Two sides with different numbers of images are therefore compared at the smaller
number: the larger side is thinned to it, as ecologists thin samples to compare how many species
they hold. The mean over all ways of thinning is known exactly, so nothing is drawn at random.

References: Hurlbert (1971), The nonconcept of species diversity, Ecology 52; Lehmann and Casella
(1998), Theory of Point Estimation, section 2.1 (the mean over thinned samples is the estimator
without bias that has the least variance).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import gammaln, ndtr

from portrayal.statistics.counts import FloatArray

_EXACT = 600
"""Images up to which thinning is summed exactly; beyond, the normal curve differs by < 1e-4."""

_FEW = 100
"""Images up to which moments are summed over all counts."""

# Evenly spaced: Gauss's nodes are no better where a function has a kink.
NODES: FloatArray = np.linspace(-4.5, 4.5, 41)
NODE_WEIGHTS: FloatArray = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()


class Noise(NamedTuple):
    """Moments of an imbalance around its mean, where only images are a sample."""

    variance: FloatArray
    third: FloatArray


def expected_imbalance(imbalance: FloatArray, n: FloatArray) -> FloatArray:
    """Return the mean of |2X/n - 1| over samples of n images of a share (1 + imbalance) / 2.

    From |imbalance| (many images) up to 1 (one image). By the identity
    x C(n, x) = n C(n - 1, x - 1), two distribution functions are all it takes.

    >>> expected_imbalance(np.array([0.0, 1.0]), np.array([4.0]))
    array([0.375, 1.   ])
    """
    n = np.asarray(n, dtype=np.float64)
    size = np.abs(imbalance)
    ahead = (1 + size) / 2
    finite = np.where(np.isfinite(n), n, 2.0)
    below = np.ceil(finite / 2) - 1
    fewer = stats.binom.cdf(below, finite, ahead)
    fewer_less_one = np.where(below >= 1, stats.binom.cdf(below - 1, finite - 1, ahead), 0.0)
    mean = size + 2 * (fewer - 2 * ahead * fewer_less_one)
    return np.where(np.isfinite(n), mean, size)


def thinned_imbalance(first: FloatArray, total: FloatArray, size: FloatArray) -> FloatArray:
    """Return the mean imbalance of `size` images drawn without replacement from those counted.

    Its mean over samples is `expected_imbalance` at `size` images, whatever the share.

    Args:
        first: Images of the group.
        total: Images of either group, at least `size`.
        size: Number of images to thin to, at least 1.

    >>> thinned_imbalance(np.array([3.0]), np.array([4.0]), np.array([2.0]))
    array([0.5])
    """
    signed = 2 * first / total - 1
    spread = np.sqrt(np.maximum(1 - signed**2, 0) * np.maximum(1 / size - 1 / total, 0))
    thinned = folded_mean(signed, spread)
    exact = (size <= _EXACT) & (size < total)
    if exact.any():
        thinned[exact] = _thinned_exactly(first[exact], total[exact], size[exact])
    return thinned


def _thinned_exactly(first: FloatArray, total: FloatArray, size: FloatArray) -> FloatArray:
    drawn = np.arange(int(size.max()) + 1)[None, :]
    x, n, m = first[:, None], total[:, None], size[:, None]
    possible = (drawn <= np.minimum(x, m)) & (m - drawn <= n - x)
    y = np.where(possible, drawn, np.minimum(x, m))
    log = (
        _log_choose(x, y)
        + _log_choose(n - x, np.clip(m - y, 0, n - x))
        - _log_choose(n, m)
    )  # fmt: skip
    chance = np.where(possible, np.exp(log), 0.0)
    return np.asarray((chance * np.abs(2 * y / m - 1)).sum(axis=1))


def _log_choose(n: FloatArray, k: FloatArray) -> FloatArray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def folded_mean(centre: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the mean of |Z| for a normal Z (Leone, Nelson and Nottingham 1961).

    >>> folded_mean(np.array([0.0]), np.array([1.0])).round(4)
    array([0.7979])
    """
    ratio = np.clip(centre / np.maximum(spread, 1e-290), -40, 40)
    density = np.exp(-(ratio**2) / 2)
    return np.asarray(centre * (2 * ndtr(ratio) - 1) + spread * density * math.sqrt(2 / math.pi))


def imbalance_noise(imbalance: FloatArray, total: FloatArray, size: FloatArray) -> Noise:
    """Return variance and third central moment of the thinned imbalance of `total` images.

    Summed over all counts where images are few; beyond, by the normal curve, folded at one half.

    Args:
        imbalance: True imbalance, 0 to 1.
        total: Images counted; infinite where the share is known.
        size: Images thinned to.
    """
    if total.size == 1 and size.size == 1 and float(total.flat[0]) <= _FEW:
        return _exact_noise(imbalance, int(total.flat[0]), int(size.flat[0]))
    left = np.maximum(1 - imbalance**2, 0)
    spread = np.sqrt(left / total)
    thinning = np.sqrt(left * np.maximum(1 / size - 1 / total, 0))
    centre = imbalance[..., None] + spread[..., None] * NODES
    seen = folded_mean(centre, thinning[..., None])
    away = seen - (seen @ NODE_WEIGHTS)[..., None]
    return Noise(away**2 @ NODE_WEIGHTS, away**3 @ NODE_WEIGHTS)


def _exact_noise(imbalance: FloatArray, total: int, size: int) -> Noise:
    counts = np.arange(total + 1.0)
    seen = thinned_imbalance(counts, np.full_like(counts, total), np.full_like(counts, size))
    chance = stats.binom.pmf(counts, total, (1 + imbalance[..., None]) / 2)
    away = seen - (chance @ seen)[..., None]
    return Noise((chance * away**2).sum(axis=-1), (chance * away**3).sum(axis=-1))
