"""What counts say about |2p - 1|, the distance of group shares p from one half, over attributes.

The plug-in |2x/n - 1| is too large on average: chance alone gives 9 images of a balanced attribute
an imbalance of 0.27, and no bootstrap of the counts notices, because every resample is just as
uneven. Averaging over attributes makes it worse: the noise averages out, the excess stays. So the
imbalances of all attributes are estimated together: they follow a beta distribution whose mean and
dispersion are learned from all counts (dispersion 0: all alike; 1: each is 0 or 1), and a part of
them may be exactly balanced. All of this is integrated out on a grid, as is the intraclass
correlation where several prompts make a level, so that nothing is drawn at random. Which group is
ahead is left out (attributes may lean either way).

References: Robbins (1956), An empirical Bayes approach to statistics; Kleinman (1973), Proportions
with extraneous variance, JASA 68 (beta family); Gelman et al. (2013), Bayesian Data Analysis,
section 5.3 (hyperparameters integrated on a grid).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import betainc, xlog1py, xlogy

from portrayal.statistics.counts import FloatArray, level_sums
from portrayal.statistics.intervals import Interval
from portrayal.statistics.overdispersion import correlation_prior, log_likelihood

_CELLS = 60
_POINTS = 40
_FEW_POINTS = 2
_MEANS = 30
_DISPERSIONS: FloatArray = np.array([0.0, 0.03, 0.08, 0.16, 0.28, 0.45, 0.7, 0.95])
_BALANCED: FloatArray = np.array([0.0, 0.5])
_BALANCED_PRIOR: FloatArray = np.array([0.9, 0.1])
_NEGLIGIBLE = 1e-3


class _Family(NamedTuple):
    """Beta distributions of imbalances.

    Attributes:
        chance: Of every cell, (distributions, cells).
        prior: Of each distribution.
    """

    chance: FloatArray
    prior: FloatArray


def _edges() -> FloatArray:
    """Return edges of cells of imbalance, evenly spaced on Jeffreys' arcsine scale."""
    return np.asarray(np.sin(np.pi / 2 * np.arange(_CELLS + 1) / _CELLS))


def _points(per_cell: int) -> FloatArray:
    """Return imbalances within every cell, (cells, points)."""
    position = (np.arange(_CELLS * per_cell) + 0.5) / (_CELLS * per_cell)
    return np.asarray(np.sin(np.pi / 2 * position)).reshape(_CELLS, per_cell)


@lru_cache(maxsize=1)
def _family() -> _Family:
    """Return the family: beta distributions, of which a part may be exactly balanced instead.

    Small dispersions count as much as large ones on a logarithmic scale, since attributes of a
    study are often alike.
    """
    mean, dispersion = (
        grid.ravel()
        for grid in np.meshgrid(
            np.sin(np.pi / 2 * (np.arange(_MEANS) + 0.5) / _MEANS), _DISPERSIONS, indexing="ij"
        )
    )
    edges, size = _edges()[None, :], (1 / np.maximum(dispersion, 1e-9) - 1)[:, None]
    below = np.where(
        dispersion[:, None] == 0,
        edges > mean[:, None],
        betainc(mean[:, None] * size, (1 - mean[:, None]) * size, edges),
    )
    spread = np.diff(below, axis=1)
    prior = np.tile(np.gradient(_DISPERSIONS) / (_DISPERSIONS + 0.03), _MEANS)
    balanced = np.eye(_CELLS)[0]
    return _Family(
        np.concatenate([part * balanced + (1 - part) * spread for part in _BALANCED]),
        np.concatenate([part * prior / prior.sum() for part in _BALANCED_PRIOR]),
    )


class _CellEvidence(NamedTuple):
    """What counts say of every cell: likelihood, and mean and square of the imbalance in it."""

    likelihood: FloatArray
    mean: FloatArray
    square: FloatArray


def _evidence(log: FloatArray, imbalance: FloatArray) -> _CellEvidence:
    """Sum up log-likelihoods (kinds, ..., cells, points) within cells; a kind's largest is 1."""
    top = log.max(axis=tuple(range(1, log.ndim)), keepdims=True)
    scaled = np.exp(np.maximum(log - top, -700))
    total = scaled.sum(axis=-1)
    return _CellEvidence(
        total / scaled.shape[-1],
        (scaled * imbalance).sum(axis=-1) / total,
        (scaled * imbalance**2).sum(axis=-1) / total,
    )


class ScorePosterior(NamedTuple):
    """What counts leave possible of a mean of imbalances: a mixture of beta distributions.

    Attributes:
        weight: Of each part.
        mean: Of each part.
        variance: Of each part.
    """

    weight: FloatArray
    mean: FloatArray
    variance: FloatArray

    @property
    def value(self) -> float:
        """The mean of the mixture."""
        return float(self.weight @ self.mean)

    @property
    def spread(self) -> float:
        """Its variance."""
        return float(self.weight @ (self.variance + (self.mean - self.value) ** 2))

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


def score_posterior(first: FloatArray, total: FloatArray, weights: FloatArray) -> ScorePosterior:
    """Return what counts leave possible of the weighted mean of |2p - 1| over attributes.

    Args:
        first: Images of the first group, one count per attribute.
        total: Images of either group, at least 1 per attribute.
        weights: Of the attributes; they sum to 1.

    >>> found = score_posterior(np.array([450.0]), np.array([500.0]), np.array([1.0]))
    >>> bool(abs(found.value - 0.8) < 0.01)
    True
    """
    folded = np.stack([np.maximum(first, total - first), total], axis=1)
    kinds, kind_of, repeats = np.unique(folded, axis=0, return_inverse=True, return_counts=True)
    larger, smaller = (x[:, None, None] for x in (kinds[:, 0], kinds[:, 1] - kinds[:, 0]))
    imbalance = _points(_POINTS)
    ahead = (1 + imbalance) / 2
    log = np.logaddexp(
        xlogy(larger, ahead) + xlog1py(smaller, -ahead),
        xlogy(smaller, ahead) + xlog1py(larger, -ahead),
    )
    kind_of = kind_of.reshape(-1)
    sums = np.zeros((2, len(kinds)))
    np.add.at(sums[0], kind_of, weights)
    np.add.at(sums[1], kind_of, weights**2)
    return _mixture(_evidence(log[:, None], imbalance), repeats, sums, np.ones(1))


def level_score_posterior(
    first: FloatArray, total: FloatArray, level: NDArray[np.intp]
) -> ScorePosterior:
    """Return the same where several prompts make a level, and differ by one common ICC.

    Levels weigh as much as they have images.

    Args:
        first: Images of the first group, one count per prompt.
        total: Images of either group, at least 1 per prompt.
        level: The level of each prompt, as 0 ... L-1.
    """
    icc = correlation_prior(float(total.max()))
    imbalance = _points(_FEW_POINTS)
    places, inverse = np.unique(np.stack([first, total], axis=1), axis=0, return_inverse=True)
    members = np.zeros((int(level.max()) + 1, len(places)))
    np.add.at(members, (level, inverse.reshape(-1)), 1.0)
    shares = (1 + imbalance.ravel()) / 2
    ahead, behind = (
        np.tensordot(members, log_likelihood(places[:, 0], places[:, 1], side, icc.values), axes=1)
        for side in (shares, 1 - shares)
    )
    log = np.moveaxis(np.logaddexp(ahead, behind), 2, 1)
    log = log.reshape(len(members), icc.values.size, _CELLS, _FEW_POINTS)
    weights = level_sums(total, level) / total.sum()
    return _mixture(
        _evidence(log, imbalance), np.ones(len(members), dtype=np.intp),
        np.stack([weights, weights**2]), icc.weights,
    )  # fmt: skip


def _mixture(
    evidence: _CellEvidence, repeats: NDArray[np.intp], sums: FloatArray, prior: FloatArray
) -> ScorePosterior:
    """Integrate out the family and the ICC.

    Args:
        evidence: Kinds x values of the ICC x cells.
        repeats: Attributes of each kind.
        sums: Of weights and squared weights, per kind.
        prior: Weight of each value of the ICC.
    """
    family = _family()
    chance, first, second = (
        np.moveaxis((evidence.likelihood * factor) @ family.chance.T, 0, -1)
        for factor in (1.0, evidence.mean, evidence.square)
    )
    chance = np.maximum(chance, 1e-300)
    log = np.log(chance) @ repeats + np.log(family.prior) + np.log(prior)[:, None]
    weight = np.exp(log - log.max())
    kept = weight > _NEGLIGIBLE * weight.max()
    mean = first[kept] / chance[kept]
    variance = np.maximum(second[kept] / chance[kept] - mean**2, 0.0)
    weight = weight[kept] / weight[kept].sum()
    return ScorePosterior(weight, mean @ sums[0], variance @ sums[1])
