"""How a measurer labels images of each group: error tables, drawn from what labelled images say.

How often each of the measurer's answers is which of the people's answers is drawn from the labelled
images, stratified by the measurer's answer (so that over all images the shares are those of
prediction-powered inference), and turned round. Few labels leave tables possible that the other
images contradict: a measurer that is hardly better than guessing would not give the same answer to
nearly all images of a prompt. Of many candidates, each is therefore drawn as often as it explains
how images of one prompt go together. That is the part of the likelihood that the candidates were
not drawn from: no answer counts twice.

References: Rogan and Gladen (1978), American Journal of Epidemiology 107; Rubin (1988), Using the
SIR algorithm to simulate posterior distributions, Bayesian Statistics 3.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, softmax

from portrayal.statistics.counts import FloatArray

IntArray = NDArray[np.intp]

_CANDIDATES = 60
_LEAST_COUNTING = 1.5
"""Candidates that must count, per table that is drawn."""

_CORRELATIONS: FloatArray = np.array(
    [0.0005, 0.004, 0.015, 0.04, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9]
)
_POINTS = 24
"""Shares of prompts, evenly spread over their distribution, for each correlation."""


class CheckedCounts(NamedTuple):
    """Images per prompt.

    Attributes:
        other: Those without a label by people, by the measurer's answer.
        known: Those with one, by people's answer.
    """

    other: IntArray
    known: IntArray

    @classmethod
    def of(
        cls, f: IntArray, y: IntArray, cell: IntArray, *, shape: tuple[int, int]
    ) -> CheckedCounts:
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
        return cls(other.reshape(height, width), known.reshape(height, answers))

    def of_prompts(self, chosen: NDArray[np.bool_]) -> CheckedCounts:
        """Return the counts of some of the prompts."""
        return CheckedCounts(self.other[chosen], self.known[chosen])


class ErrorTables(NamedTuple):
    """How the measurer labels images of each group, drawn several times.

    Attributes:
        tables: P(measurer's answer | people's answer), (draws, people's answers, measurer's).
        means: Shares of people's answers over all images, (draws, people's answers).
    """

    tables: FloatArray
    means: FloatArray


def draw_error_tables(
    f: IntArray, y: IntArray, w: FloatArray, images: CheckedCounts, *, draws: int,
    rng: np.random.Generator,
) -> ErrorTables:  # fmt: skip
    """Draw error tables.

    Where hardly any candidate explains all images, weights are evened out until enough of them
    count: tables then fall back on what the labelled images say.

    Args:
        f: The measurer's answer, per image.
        y: People's answer; -1 where nobody was asked.
        w: One over the probability of being asked.
        images: The same images by prompt.
        draws: How many tables.
        rng: Source of the draws.
    """
    shape = images.known.shape[1], images.other.shape[1]
    joint = _candidates(f, y, w, shape=shape, rng=rng)
    found = ErrorTables(joint / joint.sum(axis=2, keepdims=True), joint.sum(axis=2))
    both, repeats = np.unique(np.hstack(images), axis=0, return_counts=True)
    alike = CheckedCounts(both[:, : shape[1]], both[:, shape[1] :])
    logs = np.array([_log_evidence(*one, alike, repeats) for one in zip(*found, strict=True)])
    weights = _weights(logs, least=_LEAST_COUNTING * draws)
    flat = joint.reshape(len(joint), -1)
    # Sorted along the line on which tables differ most, evenly spaced places spread the draws.
    order = np.argsort(flat @ np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)[2][0])
    places = (rng.permutation(draws) + rng.random()) / draws
    chosen = np.searchsorted(np.cumsum(weights[order]), places)
    kept = order[np.minimum(chosen, len(order) - 1)]
    return ErrorTables(found.tables[kept], found.means[kept])


def _candidates(
    f: IntArray, y: IntArray, w: FloatArray, *, shape: tuple[int, int], rng: np.random.Generator
) -> FloatArray:
    """Draw P(people's and measurer's answer) that the labelled images leave possible."""
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
    images: FloatArray = np.bincount(f, minlength=width).astype(np.float64) + 1 / width
    given = _spread_dirichlet(images, _CANDIDATES, rng)
    joint = np.maximum(meant * given[:, None], 1e-9)
    return np.asarray(joint / joint.sum(axis=(1, 2), keepdims=True))


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


def _log_evidence(
    table: FloatArray, mean: FloatArray, images: CheckedCounts, repeats: IntArray
) -> float:
    """Return what prompts say of a candidate that it was not drawn from, as a log-likelihood.

    That is how images of one prompt go together, under the likeliest ICC: the likelihood of all
    images over what it would be if prompts were alike. The likeliest ICC, not their average:
    prompts that are all alike say nothing about a measurer's errors.
    """
    fit = _fit(table, mean, images, _possible_shares(mean))
    return float((repeats @ _by_correlation(fit)).max())


def _fit(
    table: FloatArray, mean: FloatArray, images: CheckedCounts, shares: FloatArray
) -> FloatArray:
    """Return the log-likelihood of each prompt's images at shares that it may have.

    Over that at the mean; (prompts, correlations, shares).
    """
    answers = np.log(np.maximum(shares @ table, 1e-12) / np.maximum(mean @ table, 1e-12))
    people = np.log(shares / np.maximum(mean, 1e-12))
    fit = np.tensordot(images.other, answers, axes=(1, 2))
    return np.asarray(fit + np.tensordot(images.known, people, axes=(1, 2)))


def _by_correlation(fit: FloatArray) -> FloatArray:
    """Return the log-likelihood of each prompt's counts, averaged over its possible shares."""
    top = fit.max(axis=(1, 2), keepdims=True)
    each = np.exp((fit - top).astype(np.float32)).mean(axis=2)
    return np.asarray(np.log(np.maximum(each, 1e-30)) + top[:, 0])


def draw_possible_shares(
    table: FloatArray, mean: FloatArray, images: CheckedCounts, rng: np.random.Generator
) -> FloatArray:
    """Draw shares that images leave possible, under one ICC of all prompts, (prompts, answers)."""
    shares = _possible_shares(mean)
    fit = _fit(table, mean, images, shares)
    icc = rng.choice(fit.shape[1], p=softmax(_by_correlation(fit).sum(axis=0)))
    edges = np.cumsum(softmax(fit[:, icc], axis=1), axis=1)
    chosen = (edges[:, :-1] < rng.random((len(edges), 1))).sum(axis=1)
    return np.asarray(shares[icc, chosen])


def _possible_shares(mean: FloatArray) -> FloatArray:
    """Return shares of prompts around a mean, (correlations, shares, answers)."""
    weights = np.maximum((1 / _CORRELATIONS[:, None] - 1) * mean, 1e-3)
    left, parts = np.ones((len(weights), _POINTS)), []
    for i, places in enumerate(_places(len(mean) - 1)):
        part = betaincinv(weights[:, i, None], weights[:, i + 1 :].sum(axis=1)[:, None], places)
        parts.append(left * part)
        left = left * (1 - part)
    return np.maximum(np.stack([*parts, left], axis=-1), 1e-12)


@lru_cache(maxsize=16)
def _places(parts: int) -> FloatArray:
    """Return quantiles, evenly spread for each part and in another order for each."""
    rng = np.random.default_rng(0)
    return np.array([(rng.permutation(_POINTS) + 0.5) / _POINTS for _ in range(parts)])
