"""What counts say about |2p - 1|, the distance of a group share p from one half.

The plug-in |2x/n - 1| is too large on average: chance alone gives 9 images of a balanced prompt an
imbalance of 0.27, and no bootstrap of the counts notices, because every resample is just as uneven.
Averaging over prompts makes it worse: the noise averages out, the excess stays. So the imbalances
of all prompts are estimated together: each prompt belongs to one of a few classes of imbalance
(exact balance is a class of its own), how common each class is is learned from all prompts, and
draws from the posterior distribution are returned. Which group is ahead is left out (prompts may
lean either way), which is why the counts are folded first.

References: Robbins (1956), An empirical Bayes approach to statistics; Ishwaran and James (2001),
Gibbs sampling methods for stick-breaking priors, JASA 96 (finite Dirichlet priors).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from portrayal.statistics.counts import FloatArray

_CLASSES = 20
_POINTS = 40
_WARM_UP = 25
LIKELY_BALANCE = 6.0
RARE_BALANCE = 0.25
_KEPT = 5
# The prior on class frequencies weighs as much as half a prompt: prompts speak for themselves.
_PRIOR_WEIGHT = 0.5


def _imbalance_at(position: FloatArray) -> FloatArray:
    """Map positions in 0..1 to imbalances, evenly spaced on Jeffreys' arcsine scale."""
    return np.asarray(np.cos(np.pi / 2 * (1 - position)))


def _likelihood(larger: FloatArray, total: FloatArray) -> FloatArray:
    """Return the likelihood of folded counts, (counts, 1 + classes, points), largest value 1."""
    position = (np.arange(_CLASSES * _POINTS) + 0.5) / (_CLASSES * _POINTS)
    imbalance = np.r_[np.zeros(_POINTS), _imbalance_at(position)]
    ahead, smaller = (1 + imbalance) / 2, (total - larger)[:, None]
    log = np.logaddexp(
        xlogy(larger[:, None], ahead) + xlog1py(smaller, -ahead),
        xlogy(smaller, ahead) + xlog1py(larger[:, None], -ahead),
    )
    scaled = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(scaled.reshape(len(total), 1 + _CLASSES, _POINTS))


def _pick(weights: FloatArray, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw an index along the last axis with chances proportional to `weights`."""
    cumulative = np.cumsum(weights, axis=-1)
    drawn = rng.random((*weights.shape[:-1], 1)) * cumulative[..., -1:]
    return np.asarray(np.sum(cumulative < drawn, axis=-1))


def draw_imbalance(
    first: FloatArray,
    total: FloatArray,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    balance: float = 1.0,
) -> FloatArray:
    """Draw imbalances |2p - 1| of all prompts from what their counts leave possible.

    Args:
        first: Images of the first group, one count per prompt.
        total: Images of either group, at least 1 per prompt.
        rng: Source of the draws.
        draws: How many, rounded up to a multiple of 5.
        balance: How common exact balance is beforehand, relative to any other class. Nothing in
            small counts tells slight imbalance from none, so bounds should be read from a large and
            a small value (`LIKELY_BALANCE`, `RARE_BALANCE`).

    Returns:
        One row per draw, one column per prompt.

    >>> draw = draw_imbalance(np.array([450.0]), np.array([500.0]), rng=np.random.default_rng(0))
    >>> bool(abs(np.median(draw) - 0.8) < 0.01)
    True
    """
    folded = np.stack([np.maximum(first, total - first), total], axis=1)
    kinds, kind_of, repeats = np.unique(folded, axis=0, return_inverse=True, return_counts=True)
    kind_of = kind_of.reshape(-1)
    likelihood = _likelihood(kinds[:, 0], kinds[:, 1])
    of_class = likelihood.mean(axis=2)
    chains = -(-draws // _KEPT)
    prior = np.r_[balance, np.ones(_CLASSES)]
    shares = np.tile(prior / prior.sum(), (chains, 1))
    prior *= _PRIOR_WEIGHT / prior.sum()
    kept = []
    for step in range(_WARM_UP + _KEPT):
        chance = shares[:, None, :] * of_class
        chance /= chance.sum(axis=2, keepdims=True)
        if step >= _WARM_UP:
            chosen = _pick(chance[:, kind_of], rng)
            point = _pick(likelihood[kind_of, chosen], rng)
            position = (chosen - 1) * _POINTS + point + rng.random(point.shape)
            value = _imbalance_at(np.clip(position / (_CLASSES * _POINTS), 0, 1))
            kept.append(np.where(chosen == 0, 0.0, value))
        members = rng.multinomial(repeats, chance).sum(axis=1)
        drawn = rng.standard_gamma(members + prior) + 1e-12
        shares = drawn / drawn.sum(axis=1, keepdims=True)
    return np.concatenate(kept)
