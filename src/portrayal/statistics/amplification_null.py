"""How far two sides differ by chance if both are equally uneven: images change sides.

If both sides have the same share, which of their images lie on which side is chance: given how many
images of either group both have together, all ways to deal them out are equally likely. How much
the difference of imbalances varies over these ways is, on average, exactly how much it varies over
samples, whatever the share. Averages over shares that counts leave possible are not: near one half,
and near 100%, an imbalance varies less than in between, and such averages level that out.

Equally uneven sides may also lean to different groups. Then images change sides with the groups of
one side swapped. Which of the two it is, attribute by attribute, follows from Bayes' rule; how
common either is is learned from all attributes, as is how their imbalances are spread.

References: Farrington and Manning (1990), Statistics in Medicine 9 (variances under the null
hypothesis); Lehmann and Romano (2005), Testing Statistical Hypotheses, section 5.8 (conditional
tests); Cochran (1954), The combination of estimates from different experiments, Biometrics 10.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, gammaln

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance_distribution import (
    EVEN,
    GRID,
    folded_log_likelihood,
    learned_distribution,
)
from portrayal.statistics.rarefaction import (
    NODE_WEIGHTS,
    NODES,
    Noise,
    folded_mean,
    thinned_imbalance,
)

_EXACT = 200
"""Images of both sides up to which moments are summed over all ways to deal them out."""

_RARE = 30
"""Images of the smaller group up to which they are also with more: few are dealt out unevenly."""

_DIFFER = 0.1
"""Level below which changes are taken to differ; the usual one of Cochran's Q, of low power."""


class SideCounts(NamedTuple):
    """Images of one side, one count per attribute (or occupation and prompt).

    Attributes:
        first: Of the group.
        total: Of either group.
    """

    first: FloatArray
    total: FloatArray


def equal_noise(one: SideCounts, two: SideCounts, size: FloatArray) -> Noise:
    """Return moments of differences of imbalances, first less second, if both are equally uneven.

    Args:
        one: Images of one side.
        two: Images of the other.
        size: Number of images that imbalances are compared at.

    >>> sides = [SideCounts(np.array([x]), np.array([9.0])) for x in (9.0, 8.0)]
    >>> equal_noise(*sides, np.array([9.0])).variance.round(4)  # (2 / 9)^2
    array([0.0494])
    """
    swapped = SideCounts(two.total - two.first, two.total)
    kept, turned = (dealt_out_noise(one, other, size) for other in (two, swapped))
    return mixed_noise(chance_of_same_lean(one, two), kept, turned)


def mixed_noise(same: FloatArray, kept: Noise, turned: Noise) -> Noise:
    """Return moments where both sides lean alike with a given chance.

    Args:
        same: The chance, per attribute.
        kept: Moments if they do.
        turned: Moments if they lean to different groups.
    """
    return Noise(*(same * x + (1 - same) * y for x, y in zip(kept, turned, strict=True)))


def cancelling_noise(null: Noise, own: Noise, changes: FloatArray) -> Noise:
    """Return moments of a sum of changes that is 0 because none changes, or because they cancel.

    Where changes cancel, a side's images are not like those of the other, and dealing both out
    again lets chance do more than it does. The less likely chance alone makes changes differ as
    much as these (Cochran's Q), the more of both sides' own moments is taken, if smaller. Below the
    level, the weight rises from 0 to 1: no image decides alone.

    Args:
        null: Moments of the sum if nothing changes.
        own: Moments if either side keeps to its own shares; too small where nothing changes.
        changes: One per attribute.

    >>> null, own = (Noise(np.array(x), np.array(0.0)) for x in (2.0, 1.0))
    >>> for change in (0.5, 1.0):
    ...     print(cancelling_noise(null, own, np.array([change, -change] * 4)).variance.round(2))
    2.0
    1.0
    """
    if changes.size < 2 or own.variance >= null.variance:
        return null
    spread = float(((changes - changes.mean()) ** 2).sum())
    q = spread * changes.size / float(null.variance)
    weight = max(1 - float(chdtrc(changes.size - 1, q)) / _DIFFER, 0.0)
    return Noise(
        *(np.asarray((1 - weight) * x + weight * y) for x, y in zip(null, own, strict=True))
    )


def chance_of_same_lean(one: SideCounts, two: SideCounts) -> FloatArray:
    """Return how likely it is, per attribute, that both sides lean to the same group.

    Args:
        one: Images of one side.
        two: Images of the other, as uneven as the first.
    """
    total = one.total + two.total
    larger = [
        np.maximum(both, total - both)
        for both in (one.first + two.first, one.first + two.total - two.first)
    ]
    kinds, of, repeats = np.unique(
        np.stack([total, *larger]), axis=1, return_inverse=True, return_counts=True
    )
    log = np.hstack([folded_log_likelihood(ahead, kinds[0] - ahead) for ahead in kinds[1:]])
    likelihood = np.exp(np.maximum(log - log.max(axis=1, keepdims=True), -700))
    # Neither is taken to be more common before counts are seen.
    prior = np.tile(EVEN, 2) / 2
    chance = likelihood * learned_distribution(likelihood, repeats.astype(np.float64), prior=prior)
    same = chance[:, : GRID.size].sum(axis=1) / chance.sum(axis=1)
    return np.asarray(same[of.reshape(-1)])


def dealt_out_noise(one: SideCounts, two: SideCounts, size: FloatArray) -> Noise:
    """Return moments of differences over all ways to deal out the images of both sides.

    Args:
        one: Images of one side.
        two: Images of the other.
        size: Number of images that imbalances are compared at.
    """
    both, total = one.first + two.first, one.total + two.total
    smaller = np.minimum(both, total - both)
    few = smaller <= np.where(total <= _EXACT, total / 2, _RARE)
    found = np.zeros((2, both.size))
    kinds, of = np.unique(np.stack([one.total, two.total, size]), axis=1, return_inverse=True)
    for place, kind in enumerate(kinds.T.tolist()):
        here = few & (of.reshape(-1) == place)
        if here.any():
            found[:, here] = np.stack(_exactly(*kind))[:, smaller[here].astype(np.intp)]
    many = ~few
    found[:, many] = _by_normal_curve(both[many], one.total[many], two.total[many], size[many])
    return Noise(*found)


@lru_cache(maxsize=2048)
def _exactly(one: float, two: float, size: float) -> Noise:
    """Return moments for every number of images of the smaller group that is summed exactly."""
    most = (one + two) // 2 if one + two <= _EXACT else _RARE
    both = np.arange(most + 1)[:, None]
    mine = np.arange(min(most, one) + 1)[None, :]
    theirs = np.clip(both - mine, 0, two)
    log = _log_ways(one, mine) + _log_ways(two, theirs) - _log_ways(one + two, both)
    chance = np.where(theirs == both - mine, np.exp(log), 0.0)
    of_one, of_two = (
        thinned_imbalance(x, np.full_like(x, n), np.full_like(x, size))
        for x, n in ((mine[0], one), (np.arange(min(most, two) + 1), two))
    )
    apart = of_one - of_two[theirs.astype(np.intp)]
    return Noise((chance * apart**2).sum(axis=1), (chance * apart**3).sum(axis=1))


def _log_ways(n: float, k: FloatArray) -> FloatArray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _by_normal_curve(both: FloatArray, one: FloatArray, two: FloatArray, size: FloatArray) -> Noise:
    """Return moments where images are many: how many of the group a side has is nearly normal.

    What little skewness it has is added to the nodes (Cornish and Fisher).
    """
    total = one + two
    mean = 2 * both / total - 1
    # In units of shares, times 2: what one side has more, the other has less.
    spread = np.sqrt(np.maximum(1 - mean**2, 0) * one * two / (total - 1))
    uneven = 2 * mean * (one - two) / (np.maximum(spread, 1e-9) * (total - 2))
    away = NODES + np.clip(uneven, -1, 1)[:, None] * (NODES**2 - 1) / 6
    seen = []
    for n, way in ((one, 1), (two, -1)):
        signed = np.clip(mean[:, None] + way * (spread / n)[:, None] * away, -1, 1)
        left = np.maximum(1 / size - 1 / n, 0)[:, None]
        seen.append(folded_mean(signed, np.sqrt(np.maximum(1 - signed**2, 0) * left)))
    apart = seen[0] - seen[1]
    return Noise(apart**2 @ NODE_WEIGHTS, apart**3 @ NODE_WEIGHTS)
