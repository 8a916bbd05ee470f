"""How a measurer labels images of each group: error tables, drawn from what labelled images say.

How often each of the measurer's answers is which of the people's answers is drawn from the labelled
images, stratified by the measurer's answer (so that over all images the shares are those of
prediction-powered inference), and turned round. Few labels leave tables possible that the other
images contradict: a measurer that is hardly better than guessing would not give the same answer to
nearly all images of a prompt. Of many candidates, each is therefore drawn as often as it explains
the measurer's answers on all images, whatever the prompts' shares are and however much they vary.

References: Rogan and Gladen (1978), American Journal of Epidemiology 107; Rubin (1988), Using the
SIR algorithm to simulate posterior distributions, Bayesian Statistics 3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, logsumexp, softmax

from portrayal.statistics.counts import FloatArray

IntArray = NDArray[np.intp]

_CANDIDATES = 60
_LEAST_COUNTING = 1.5
"""Candidates that must count, per table that is drawn."""

# Shares of prompts that evidence is averaged over: so many evenly spread ones of each way to vary.
_MEANS, _POINTS = 8, 16
_CORRELATIONS = (0.02, 0.1, 0.3, 0.55, 0.8)


class PromptCounts(NamedTuple):
    """Images per prompt.

    Attributes:
        other: Those without a label by people, by the measurer's answer.
        known: Those with one, by people's answer.
    """

    other: IntArray
    known: FloatArray

    @classmethod
    def of(
        cls, f: IntArray, y: IntArray, cell: IntArray, *, shape: tuple[int, int]
    ) -> PromptCounts:
        """Count images.

        Args:
            f: The measurer's answer, per image.
            y: People's answer; -1 where nobody was asked.
            cell: Prompt.
            shape: How many answers people give, and how many the measurer.
        """
        (answers, width), height, asked = shape, int(cell.max()) + 1, y >= 0
        other = np.bincount(cell[~asked] * width + f[~asked], minlength=height * width)
        known = np.bincount(cell[asked] * answers + y[asked], minlength=height * answers)
        return cls(other.reshape(height, width), known.reshape(height, answers).astype(np.float64))


def draw_error_tables(
    f: IntArray, y: IntArray, w: FloatArray, images: PromptCounts, *, draws: int,
    rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """Draw P(measurer's answer | people's answer), (draws, people's answers, measurer's answers).

    Where hardly any candidate explains all images, weights are evened out until enough of them
    count: tables then fall back on what the labelled images say.

    Args:
        f: The measurer's answer, per image.
        y: People's answer; -1 where nobody was asked.
        w: One over the probability of being asked.
        images: The same images by prompt.
        draws: How many.
        rng: Source of the draws.
    """
    tables = _candidates(f, y, w, shape=(images.known.shape[1], images.other.shape[1]), rng=rng)
    both, repeats = np.unique(np.hstack(images), axis=0, return_counts=True)
    width = images.other.shape[1]
    alike = PromptCounts(both[:, :width].astype(np.intp), both[:, width:].astype(np.float64))
    logs = np.array([_log_evidence(one, alike, repeats.astype(np.float64)) for one in tables])
    weights = _weights(logs, least=_LEAST_COUNTING * draws)
    flat = tables.reshape(len(tables), -1)
    # Sorted along the line on which tables differ most, evenly spaced places spread the draws.
    order = np.argsort(flat @ np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)[2][0])
    places = (rng.permutation(draws) + rng.random()) / draws
    chosen = np.searchsorted(np.cumsum(weights[order]), places)
    return np.asarray(tables[order[np.minimum(chosen, len(order) - 1)]])


def _candidates(
    f: IntArray, y: IntArray, w: FloatArray, *, shape: tuple[int, int], rng: np.random.Generator
) -> FloatArray:
    """Draw tables that the labelled images leave possible."""
    answers, width = shape
    asked = y >= 0
    pairs = y[asked] * width + f[asked]
    sums = np.bincount(pairs, weights=w[asked], minlength=answers * width)
    counts = np.bincount(f[asked], minlength=width)
    weight = np.bincount(f[asked], weights=w[asked], minlength=width)
    scale = counts / np.maximum(weight, 1e-300)
    table: FloatArray = np.asarray(sums.reshape(answers, width) * scale, dtype=np.float64)
    meant = np.stack(
        [_spread_dirichlet(table[:, j] + 1 / answers, _CANDIDATES, rng) for j in range(width)], -1
    )
    joint = meant * (np.bincount(f, minlength=width) / f.size)
    joint = np.maximum(joint, 1e-9)
    return np.asarray(joint / joint.sum(axis=2, keepdims=True))


def _spread_dirichlet(weights: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw from a Dirichlet distribution, each part spread evenly over its quantiles."""
    left = np.ones(draws)
    parts = []
    for i, one in enumerate(weights[:-1]):
        places = (rng.permutation(draws) + rng.random(draws)) / draws
        part = betaincinv(one, float(weights[i + 1 :].sum()), places)
        parts.append(left * part)
        left = left * (1 - part)
    return np.stack([*parts, left], axis=1)


def _weights(logs: FloatArray, *, least: float) -> FloatArray:
    """Return weights of which at least so many count (Kish's effective number)."""
    power = 1.0
    while True:
        weights = softmax(power * logs)
        if 1 / float((weights**2).sum()) >= min(least, len(logs)) - 1e-6:
            return np.asarray(weights)
        power /= 2


def _log_evidence(table: FloatArray, images: PromptCounts, repeats: FloatArray) -> float:
    """Return the log-likelihood of prompts' counts, averaged over how their shares may vary."""
    fit = _fit(table, images)
    top = fit.max(axis=1, keepdims=True)
    ways = np.exp((fit - top).astype(np.float32)).reshape(len(fit), -1, _POINTS).mean(axis=2)
    return float(logsumexp(repeats @ (np.log(np.maximum(ways, 1e-30)) + top)))


def draw_possible_shares(
    table: FloatArray, images: PromptCounts, rng: np.random.Generator
) -> FloatArray:
    """Draw shares that each prompt's own counts leave possible, (prompts, answers)."""
    edges = np.cumsum(softmax(_fit(table, images), axis=1), axis=1)
    chosen = (edges[:, :-1] < rng.random((len(edges), 1))).sum(axis=1)
    return np.asarray(_shares(len(table))[chosen])


def _fit(table: FloatArray, images: PromptCounts) -> FloatArray:
    """Return the log-likelihood of each prompt's counts, (prompts, shares)."""
    shares = _shares(len(table))
    seen = np.log(np.maximum(shares @ table, 1e-12))
    return np.asarray(images.other @ seen.T + images.known @ np.log(shares).T)


@lru_cache(maxsize=16)
def _shares(answers: int) -> FloatArray:
    """Return shares that a prompt may have: points of every way in which prompts may vary."""
    rng = np.random.default_rng(0)
    means = _spread_dirichlet(np.ones(answers), _MEANS, rng)
    found = [
        _spread_dirichlet(np.maximum((1 / icc - 1) * mean, 1e-3), _POINTS, rng)
        for icc in _CORRELATIONS for mean in means
    ]  # fmt: skip
    return np.maximum(np.concatenate(found), 1e-12)
