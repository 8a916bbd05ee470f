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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.overdispersion import correlation_prior, log_likelihood

_CLASSES = 20
_POINTS = 40
_FEW_POINTS = 10
_WARM_UP = 25
LIKELY_BALANCE = 6.0
RARE_BALANCE = 0.25
_KEPT = 5
# The prior on class frequencies weighs as much as half an attribute: attributes speak for
# themselves.
_PRIOR_WEIGHT = 0.5


def _imbalance_at(position: FloatArray) -> FloatArray:
    """Map positions in 0..1 to imbalances, evenly spaced on Jeffreys' arcsine scale."""
    return np.asarray(np.cos(np.pi / 2 * (1 - position)))


def _cells(points: int) -> FloatArray:
    """Return the imbalance of every cell: those of exact balance first, then class by class."""
    position = (np.arange(_CLASSES * points) + 0.5) / (_CLASSES * points)
    return np.concatenate([np.zeros(points), _imbalance_at(position)])


def _likelihood(larger: FloatArray, total: FloatArray, points: int = _POINTS) -> FloatArray:
    """Return the likelihood of folded counts, (counts, 1 + classes, points), largest value 1."""
    ahead, smaller = (1 + _cells(points)) / 2, (total - larger)[:, None]
    log = np.logaddexp(
        xlogy(larger[:, None], ahead) + xlog1py(smaller, -ahead),
        xlogy(smaller, ahead) + xlog1py(larger[:, None], -ahead),
    )
    scaled = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(scaled.reshape(len(total), 1 + _CLASSES, points))


def _pick(weights: FloatArray, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw an index along the last axis with chances proportional to `weights`."""
    cumulative = np.cumsum(weights, axis=-1)
    drawn = rng.random((*weights.shape[:-1], 1)) * cumulative[..., -1:]
    return np.asarray(np.sum(cumulative < drawn, axis=-1))


class _Kinds(NamedTuple):
    """Attributes with the same counts are one kind: their likelihood is the same."""

    likelihood: FloatArray
    kind_of: NDArray[np.intp]
    repeats: NDArray[np.intp]


def _kinds(first: FloatArray, total: FloatArray, points: int) -> _Kinds:
    folded = np.stack([np.maximum(first, total - first), total], axis=1)
    kinds, kind_of, repeats = np.unique(folded, axis=0, return_inverse=True, return_counts=True)
    return _Kinds(_likelihood(kinds[:, 0], kinds[:, 1], points), kind_of.reshape(-1), repeats)


def draw_imbalance(
    first: FloatArray,
    total: FloatArray,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    balance: float = 1.0,
) -> FloatArray:
    """Draw imbalances |2p - 1| of all attributes from what their counts leave possible.

    Args:
        first: Images of the first group, one count per attribute.
        total: Images of either group, at least 1 per attribute.
        rng: Source of the draws.
        draws: How many, rounded up to a multiple of 5.
        balance: How common exact balance is beforehand, relative to any other class. Nothing in
            small counts tells slight imbalance from none, so bounds should be read from a large and
            a small value (`LIKELY_BALANCE`, `RARE_BALANCE`).

    Returns:
        One row per draw, one column per attribute.

    >>> draw = draw_imbalance(np.array([450.0]), np.array([500.0]), rng=np.random.default_rng(0))
    >>> bool(abs(np.median(draw) - 0.8) < 0.01)
    True
    """
    likelihood, kind_of, repeats = _kinds(first, total, _POINTS)
    return _draw(
        np.broadcast_to(likelihood.mean(axis=2), (-(-draws // _KEPT), len(repeats), 1 + _CLASSES)),
        lambda chosen: likelihood[kind_of, chosen],
        kind_of, repeats, balance=balance, rng=rng,
    )  # fmt: skip


def _draw(
    of_class: FloatArray,
    within: Callable[[NDArray[np.intp]], FloatArray],
    kind_of: NDArray[np.intp],
    repeats: NDArray[np.intp],
    *,
    balance: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Run one chain per row of `of_class` and keep the last draws of each.

    Args:
        of_class: Likelihood of each class: chains x kinds x classes.
        within: Returns the likelihood of a class's points, for a class per chain and attribute.
        kind_of: The kind of each attribute.
        repeats: How many attributes are of each kind.
        balance: How common exact balance is beforehand, relative to any other class.
        rng: Source of the draws.
    """
    prior = np.r_[balance, np.ones(_CLASSES)]
    shares = np.tile(prior / prior.sum(), (len(of_class), 1))
    prior *= _PRIOR_WEIGHT / prior.sum()
    kept = []
    for step in range(_WARM_UP + _KEPT):
        chance = shares[:, None, :] * of_class
        chance /= chance.sum(axis=2, keepdims=True)
        if step >= _WARM_UP:
            chosen = _pick(chance[:, kind_of], rng)
            cells = within(chosen)
            position = (chosen - 1) * cells.shape[-1] + _pick(cells, rng) + rng.random(chosen.shape)
            value = _imbalance_at(np.clip(position / (_CLASSES * cells.shape[-1]), 0, 1))
            kept.append(np.where(chosen == 0, 0.0, value))
        members = rng.multinomial(repeats, chance).sum(axis=1)
        drawn = rng.standard_gamma(members + prior) + 1e-12
        shares = drawn / drawn.sum(axis=1, keepdims=True)
    return np.concatenate(kept)


class PromptEvidence(NamedTuple):
    """What counts of several prompts per level say, for each value of the ICC.

    Attributes:
        logs: Log-likelihood: levels x cells x values of the ICC.
        correlations: The values.
        chances: Of each, from all levels together.
        balanced_chances: Of each if all levels are balanced.
    """

    logs: FloatArray
    correlations: FloatArray
    chances: FloatArray
    balanced_chances: FloatArray


def prompt_evidence(
    first: FloatArray, total: FloatArray, level: NDArray[np.intp]
) -> PromptEvidence:
    """Weigh imbalances of levels by counts of their prompts, which differ by one common ICC.

    Args:
        first: Images of the first group, one count per prompt.
        total: Images of either group, at least 1 per prompt.
        level: The level of each prompt, as 0 ... L-1.
    """
    prior = correlation_prior(float(total.max()))
    cells = _cells(_FEW_POINTS)
    places, inverse = np.unique(np.stack([first, total], axis=1), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    # The largest cell is just below 1, so that a share of 1 keeps a positive chance.
    shares = np.clip((1 + cells) / 2, 0.5, 1 - 1e-9)
    members = np.zeros((int(level.max()) + 1, len(places)))
    np.add.at(members, (level, inverse), 1.0)
    ahead, behind = (
        np.tensordot(
            members, log_likelihood(places[:, 0], places[:, 1], side, prior.values), axes=1
        )
        for side in (shares, 1 - shares)
    )
    logs = np.logaddexp(ahead, behind) - np.log(2)
    top = logs.max(axis=1, keepdims=True)
    spread = np.log(np.exp(logs - top)[:, _FEW_POINTS:].mean(axis=1)) + top[:, 0]
    return PromptEvidence(
        logs,
        prior.values,
        _normalised(np.log(prior.weights) + spread.sum(axis=0)),
        _normalised(np.log(prior.weights) + logs[:, 0].sum(axis=0)),
    )


def _normalised(logs: FloatArray) -> FloatArray:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def draw_level_imbalance(
    evidence: PromptEvidence,
    *,
    rng: np.random.Generator,
    draws: int = 2000,
    balance: float = 1.0,
) -> FloatArray:
    """Draw imbalances of all levels, as `draw_imbalance` does where prompts are the units."""
    levels = np.arange(len(evidence.logs))
    logs = evidence.logs - evidence.logs.max(axis=1, keepdims=True)
    likelihood = np.moveaxis(np.exp(logs), 2, 0).reshape(-1, levels.size, 1 + _CLASSES, _FEW_POINTS)
    place = rng.choice(len(evidence.chances), size=-(-draws // _KEPT), p=evidence.chances)
    return _draw(
        likelihood.mean(axis=3)[place],
        lambda chosen: likelihood[place[:, None], levels, chosen],
        levels, np.ones_like(levels), balance=balance, rng=rng,
    )  # fmt: skip
