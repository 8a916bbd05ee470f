"""How evenly any number of groups is shown: what counts leave possible of 1 - sum p^2.

Shares of an attribute follow a Dirichlet distribution around equal or around common shares; which
it is, and how concentrated, is learned from all counts and integrated out on a grid. Where several
prompts make a level, its counts are worth fewer images than they are: they are divided by the
design effect (Rao and Scott 1981, JASA 76), whose own uncertainty is that of an analysis of
variance over prompts.

Reference: Simpson (1949), Measurement of diversity, Nature 163; Good (1965), The Estimation of
Probabilities (concentration integrated out).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import betainc, gammaln

from portrayal.statistics.counts import FloatArray, level_sums
from portrayal.statistics.intervals import Interval

_SIZES: FloatArray = np.geomspace(0.05, 2000, 44)
_NEGLIGIBLE = 1e-4
_NODES: FloatArray = (np.arange(15) + 0.5) / 15


class EvennessPosterior(NamedTuple):
    """What counts leave possible of an evenness: a mixture of beta distributions.

    Attributes:
        weight: Of each part.
        mean: Of each part.
        variance: Of each part.
    """

    weight: FloatArray
    mean: FloatArray
    variance: FloatArray

    def quantile(self, level: float) -> float:
        """Return a quantile, by Brent's method."""
        mean = np.clip(self.mean, 1e-9, 1 - 1e-9)
        size = mean * (1 - mean) / np.maximum(self.variance, 1e-12) - 1
        size = np.maximum(size, 1e-3)
        a, b = mean * size, (1 - mean) * size
        return float(optimize.brentq(
            lambda x: float(self.weight @ betainc(a, b, x)) - level, 0.0, 1.0, xtol=1e-9
        ))  # fmt: skip

    def interval(self, confidence: float) -> Interval:
        """Return the middle part."""
        tail = (1 - confidence) / 2
        return Interval(self.quantile(tail), self.quantile(1 - tail))


def evenness_posterior(counts: FloatArray, effects: FloatArray) -> EvennessPosterior:
    """Return what counts leave possible of the evenness, weighted by images.

    Args:
        counts: Images per attribute (rows) and group (columns).
        effects: Equally likely design effects, (effects, attributes); ones where images are units.
    """
    weights = counts.sum(axis=1) / counts.sum()
    parts = [_given(counts / effect[:, None], weights) for effect in effects]
    # What counts say of concentrations is relative to a design effect; these are equally likely.
    weight = np.array([np.exp(part.weight - part.weight.max()) for part in parts])
    weight = (weight / weight.sum(axis=1, keepdims=True)).ravel()
    kept = weight > _NEGLIGIBLE * weight.max()
    mean, variance = (
        np.concatenate([getattr(part, name) for part in parts])[kept]
        for name in ("mean", "variance")
    )
    return EvennessPosterior(weight[kept] / weight[kept].sum(), mean, variance)


def _given(counts: FloatArray, weights: FloatArray) -> EvennessPosterior:
    """Return log-evidence and moments for every concentration around equal or common shares.

    Common shares are estimated: what they leave open adds to the variance in proportion to how much
    attributes lean on them, and they pay for it (Schwarz 1978, Annals of Statistics 6).
    """
    groups, n = counts.shape[1], counts.sum(axis=1)
    even = _around(counts, weights, np.full(groups, 1 / groups))
    total = counts.sum(axis=0)
    common = (total + 0.5) / (total.sum() + groups / 2)
    found = _around(counts, weights, common)
    worth = total.sum() * (1 + _SIZES) / (n.mean() + _SIZES)
    lean = _SIZES / (n.mean() + _SIZES)
    moved = _evenness_moments(common * worth[:, None]).variance
    found = found._replace(
        weight=found.weight - (groups - 1) / 2 * np.log(np.maximum(worth, 1)),
        variance=found.variance + lean**2 * moved,
    )
    return EvennessPosterior(*(np.concatenate(pair) for pair in zip(even, found, strict=True)))


def _around(counts: FloatArray, weights: FloatArray, shares: FloatArray) -> EvennessPosterior:
    """Return the same around given shares."""
    added = _SIZES[:, None, None] * shares
    own = counts + added
    log = (gammaln(own) - gammaln(added)).sum(axis=2) - gammaln(own.sum(axis=2))
    moments = _evenness_moments(own)
    return EvennessPosterior(
        (log + gammaln(_SIZES)[:, None]).sum(axis=1),
        moments.mean @ weights,
        moments.variance @ weights**2,
    )


class _Evenness(NamedTuple):
    mean: FloatArray
    variance: FloatArray


def _evenness_moments(sizes: FloatArray) -> _Evenness:
    """Return mean and variance of the evenness under Dirichlet distributions (..., groups)."""
    scale = sizes.shape[-1] / (sizes.shape[-1] - 1)
    whole, pair = sizes.sum(axis=-1), sizes * (sizes + 1)
    same = pair.sum(axis=-1) / (whole * (whole + 1))
    four = (pair * (sizes + 2) * (sizes + 3)).sum(axis=-1) + pair.sum(axis=-1) ** 2
    four = (four - (pair**2).sum(axis=-1)) / (whole * (whole + 1) * (whole + 2) * (whole + 3))
    return _Evenness((1 - same) * scale, np.maximum(four - same**2, 0.0) * scale**2)


def design_effects(counts: FloatArray, level: NDArray[np.intp]) -> FloatArray:
    """Return equally likely design effects per level, (effects, levels), from how prompts differ.

    Args:
        counts: Images per prompt and group.
        level: The level of each prompt, as 0 ... L-1.
    """
    n = counts.sum(axis=1)
    images = level_sums(n, level)
    share = level_sums(counts, level) / images[:, None]
    own = counts / n[:, None]
    between = float((n[:, None] * (own - share[level]) ** 2).sum())
    within = float((n * (1 - (own**2).sum(axis=1))).sum())
    freedom = counts.shape[0] - images.size
    left = float(n.sum()) - counts.shape[0]
    size = level_sums(n**2, level) / images
    typical = float(size.mean())
    square = between / freedom
    total = (square + (typical - 1) * within / left) / typical if left > 0 else square
    if total <= 0:
        return np.ones((1, images.size))
    seen = square / total * freedom / stats.chi2.ppf(_NODES, freedom)
    icc = np.clip((seen - 1) / max(typical - 1, 1e-9), 0.0, 1.0)
    return np.asarray(1 + icc[:, None] * (size - 1))


def even_p_value(counts: FloatArray, effects: FloatArray) -> float:
    """Return Pearson's p for all groups equally often in every attribute, by Rao and Scott (1981).

    Args:
        counts: Images per attribute (rows) and group (columns).
        effects: Equally likely design effects, (effects, attributes).

    >>> round(even_p_value(np.array([[9.0, 0.0]]), np.ones((1, 1))), 4)
    0.0027
    """
    groups, n = counts.shape[1], counts.sum(axis=1)
    squares = groups * (counts**2).sum(axis=1) / n - n
    freedom = counts.shape[0] * (groups - 1)
    return float(np.mean(stats.chi2.sf((squares / effects).sum(axis=1), freedom)))
