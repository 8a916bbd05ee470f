"""How far from one half the shares of many prompts are: a distribution learned from their counts.

Each prompt's imbalance |2p - 1| is one of a grid of values; how common each value is is learned
from all prompts together (nonparametric maximum likelihood, smoothed by one pseudo-prompt that is
spread evenly), and what a prompt's own counts leave possible follows from Bayes' rule. Which group
is ahead is left out.

References: Kiefer and Wolfowitz (1956), Annals of Mathematical Statistics 27; Robbins (1956), An
empirical Bayes approach to statistics.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlog1py, xlogy

from portrayal.statistics.counts import FloatArray

GRID: FloatArray = (1 - np.cos(np.pi * np.arange(61) / 60)) / 2
"""Imbalances, finer towards 0 and 1: there the fold at one half and small variances matter."""

EVEN: FloatArray = np.gradient(GRID) / np.gradient(GRID).sum()
"""All imbalances alike."""

_STEPS = 60


def learned_distribution(
    likelihood: FloatArray, repeats: FloatArray, *, prior: FloatArray = EVEN
) -> FloatArray:
    """Return how common each value (of `GRID`) is, by steps of an EM algorithm.

    One prompt more, spread as `prior` says, keeps it smooth.

    Args:
        likelihood: Of every value, one row per kind of count.
        repeats: How many prompts (or attributes) have such a count.
        prior: How common each value is taken to be before counts are seen.
    """
    n = repeats.sum() + 1
    weights, floor, columns = repeats / n, prior / n, np.ascontiguousarray(likelihood.T)
    common = prior
    for _ in range(_STEPS):
        common = common * (columns @ (weights / (likelihood @ common))) + floor
    return common


def folded_log_likelihood(larger: FloatArray, smaller: FloatArray) -> FloatArray:
    """Return the log-likelihood of every value of `GRID`, whichever group is ahead.

    Args:
        larger: Images of the group that has more, one count per prompt.
        smaller: Images of the other.
    """
    a, b, ahead = larger[:, None], smaller[:, None], (1 + GRID) / 2
    one, other = (xlogy(x, ahead) + xlog1py(y, -ahead) for x, y in ((a, b), (b, a)))
    return np.asarray(np.logaddexp(one, other))


def imbalance_posterior(first: FloatArray, total: FloatArray) -> FloatArray:
    """Return how likely each value of `GRID` is for each prompt, (prompts, values).

    Args:
        first: Images of the group, one count per prompt.
        total: Images of either group, at least 1 per prompt.

    >>> chance = imbalance_posterior(np.array([450.0, 100.0]), np.array([500.0, 500.0]))
    >>> (chance @ GRID).round(1)
    array([0.8, 0.6])
    """
    # A complex number per prompt: sorting pairs takes numpy ten times as long.
    folded = total + 1j * np.maximum(first, total - first)
    kinds, kind_of, repeats = np.unique(folded, return_inverse=True, return_counts=True)
    larger = kinds.imag
    log = folded_log_likelihood(larger, kinds.real - larger)
    # A floor keeps a share between two grid values possible, however many images there are.
    likelihood = np.exp(np.maximum(log - log.max(axis=1, keepdims=True), -700))
    chance = likelihood * learned_distribution(likelihood, repeats.astype(np.float64))
    chance /= chance.sum(axis=1, keepdims=True)
    return np.asarray(chance[kind_of.reshape(-1)])
