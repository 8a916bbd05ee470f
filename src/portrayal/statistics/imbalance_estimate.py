"""The estimate of a mean imbalance |2p - 1| that is nearly right on average, from few images.

It has the least mean square error where K attributes err in the same direction and their noise
averages out; no distribution of shares is assumed.

Reference: Cai and Low (2011), Testing composite hypotheses, Hermite polynomials and optimal
estimation of a nonsmooth functional, Annals of Statistics 39.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance_distribution import EVEN, GRID
from portrayal.statistics.overdispersion import log_likelihood
from portrayal.statistics.rarefaction import expected_imbalance, imbalance_noise

_PLAIN = 400
"""Images of an attribute from which on the plain imbalance is used: it is off near 0 only."""

_BALANCED = 0.2
"""Weight of complete balance, where plain imbalances are off most, in choosing an estimator."""

_ALIKE_ERRORS = 4.0
"""How much more than noise an error that attributes share counts in choosing it."""

_LEAST_ICC = 1e-9
_AIM: FloatArray = (1 - _BALANCED) * EVEN + _BALANCED * (GRID == 0)

AHEAD: FloatArray = np.clip((1 + GRID) / 2, 0, 1 - 1e-9)
"""Share of the group ahead."""


class EstimateCurves(NamedTuple):
    """Mean, variance and third moment of an estimate, at every imbalance of `GRID`."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray


class AttributeCounts(NamedTuple):
    """Counts of attributes; equal ones are one row.

    Attributes:
        larger: Images of the group that is ahead.
        total: Images.
        icc: Correlation of an attribute's images.
        weight: Of an attribute.
        repeats: Attributes with such a count.
    """

    larger: FloatArray
    total: FloatArray
    icc: FloatArray
    weight: FloatArray
    repeats: FloatArray


class SeenScore(NamedTuple):
    """The estimate as seen, and its moments.

    Attributes:
        seen: The estimate.
        alike: Its moments were all attributes at one imbalance.
        learned: The same, to be averaged over imbalances as they were learned from counts.
    """

    seen: float
    alike: EstimateCurves
    learned: EstimateCurves


def estimate_score(counts: AttributeCounts, units: float, common: FloatArray) -> SeenScore:
    """Return the estimate of the score, and what to expect of it.

    What counts leave possible is spread more widely than the imbalances themselves: averages over
    it level peaks and fill dips. They are learned once more from counts of what was learned, and
    what that changes is taken out (a bootstrap's correction of bias, or twicing).

    Args:
        counts: Of attributes.
        units: Attributes that would tell as much if all weighed alike.
        common: How common each imbalance of `GRID` is, as learned.

    Reference: Stuetzle and Mittal (1979), Some comments on the asymptotic behavior of robust
    smoothers, Lecture Notes in Mathematics 757.
    """
    seen = 0.0
    alike, learned = np.zeros((3, GRID.size)), np.zeros((3, GRID.size))
    designs, of = np.unique(
        np.stack([counts.total, counts.icc], axis=1), axis=0, return_inverse=True
    )
    for i, (n, correlation) in enumerate(designs):
        own = of.reshape(-1) == i
        larger, weight, repeats = counts.larger[own], counts.weight[own], counts.repeats[own]
        spread = correlation + (1 - correlation) / n  # variance over that of one image
        if n >= _PLAIN and spread <= 1 / _PLAIN:
            values, worth = 2 * larger / n - 1, np.array([round(1 / spread)], np.float64)
            noise = imbalance_noise(GRID, worth, worth)
            moments = sharp = np.stack([expected_imbalance(GRID, worth), *noise])
        else:
            # Of many images that are alike, as many as matter: the variance stays.
            size = min(int(n), _PLAIN)
            left = max((spread - 1 / size) / (1 - 1 / size), 0.0) if size > 1 else 0.0
            chance = _count_chances(size, float(left))
            table, curves = _best_values(size, float(left), units)
            moments = np.stack(curves)
            sharp = _sharpened(moments, chance, common)
            ahead = np.round(larger * (size / n)) - math.ceil(size / 2)
            values = table[ahead.astype(np.intp)]
        powers = np.stack([repeats @ weight**power for power in (1, 2, 3)])[:, None]
        seen += float((repeats * weight) @ values)
        alike += powers * moments
        learned += powers * sharp
    return SeenScore(seen, EstimateCurves(*alike), EstimateCurves(*learned))


def _sharpened(moments: FloatArray, chance: FloatArray, common: FloatArray) -> FloatArray:
    """Return moments less what learning from counts of the same imbalances would change them."""
    given = chance * common[:, None]
    given = given / np.maximum(given.sum(axis=0), 1e-300)
    change = (moments @ given) @ chance.T - moments
    # Scores are learned with the same error; only what the estimate is off by is taken out.
    change[0] -= (GRID @ given) @ chance.T - GRID
    sharp = moments - change
    return np.asarray(np.vstack([sharp[:1], np.maximum(sharp[1:2], 0.0), sharp[2:]]))


class _BestValues(NamedTuple):
    values: FloatArray
    curves: EstimateCurves


# Sets of labels and halves of the seeds have the same numbers of images again and again.
@functools.lru_cache(maxsize=256)
def _best_values(n: int, icc: float, units: float) -> _BestValues:
    """Return an estimate of the imbalance for every count of the group ahead, out of n.

    It has the least sum of squared error and noise / (4 K), a ridge regression of imbalances on
    chances of counts.
    """
    chance = _count_chances(n, icc)
    shared = 1 / (_ALIKE_ERRORS * units)
    ridge = np.maximum(_AIM @ chance, 1e-300) * shared
    spread = (1 - shared) * _AIM
    inside = np.flatnonzero(spread > 0)
    part = chance[inside]
    # Woodbury: as many equations as imbalances, not as counts.
    system = (part / ridge) @ part.T + np.diag(1 / np.maximum(spread[inside], 1e-12))
    goal = _AIM * GRID
    right = (goal @ chance) / ridge
    values = right - (part / ridge).T @ np.linalg.solve(system, part @ right)
    mean = chance @ values
    square = chance @ values**2
    third = chance @ values**3 - 3 * mean * square + 2 * mean**3
    return _BestValues(values, EstimateCurves(mean, np.maximum(square - mean**2, 0.0), third))


@functools.lru_cache(maxsize=64)
def _count_chances(n: int, icc: float) -> FloatArray:
    """Return the chance of every count of the group ahead, (imbalances, counts)."""
    counts = np.arange(math.ceil(n / 2), n + 1, dtype=np.float64)
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    totals = np.full(counts.size, float(n))
    values = np.array([max(icc, _LEAST_ICC)])
    ahead, behind = (
        np.exp(ways[:, None] + log_likelihood(counts, totals, side, values)[:, :, 0])
        for side in (AHEAD, 1 - AHEAD)
    )
    return np.asarray(ahead + np.where(2 * counts == n, 0.0, 1.0)[:, None] * behind).T
