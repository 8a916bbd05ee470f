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

_EVEN: FloatArray = np.gradient(GRID) / np.gradient(GRID).sum()
_STEPS = 60


def imbalance_posterior(first: FloatArray, total: FloatArray) -> FloatArray:
    """Return how likely each value of `GRID` is for each prompt, (prompts, values).

    Args:
        first: Images of the group, one count per prompt.
        total: Images of either group, at least 1 per prompt.

    >>> chance = imbalance_posterior(np.array([450.0, 100.0]), np.array([500.0, 500.0]))
    >>> (chance @ GRID).round(1)
    array([0.8, 0.6])
    """
    folded = np.stack([np.maximum(first, total - first), total], axis=1)
    kinds, kind_of, repeats = np.unique(folded, axis=0, return_inverse=True, return_counts=True)
    larger, smaller = kinds[:, :1], kinds[:, 1:] - kinds[:, :1]
    ahead = (1 + GRID) / 2
    log = np.logaddexp(
        xlogy(larger, ahead) + xlog1py(smaller, -ahead),
        xlogy(smaller, ahead) + xlog1py(larger, -ahead),
    )
    # A floor keeps a share between two grid values possible, however many images there are.
    likelihood = np.exp(np.maximum(log - log.max(axis=1, keepdims=True), -700))
    common = _EVEN
    for _ in range(_STEPS):
        evidence = repeats / (likelihood @ common)
        common = (common * (evidence @ likelihood) + _EVEN) / (repeats.sum() + 1)
    chance = likelihood * common
    chance /= chance.sum(axis=1, keepdims=True)
    return np.asarray(chance[kind_of.reshape(-1)])
