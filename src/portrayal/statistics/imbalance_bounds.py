"""Bounds of an imbalance |2p - 1| from its count alone: Wilson's idea, folded at one half.

A value belongs to the interval if what was seen lies within z standard deviations of what it leads
to one to expect, both taken at that value (a score test, inverted). Far from one half that is
Wilson's interval; near it, the expected imbalance and its spread are those of a folded count.

Reference: Wilson (1927), JASA 22.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.rarefaction import expected_imbalance, imbalance_noise

_GRID: FloatArray = (np.arange(161) / 160) ** 2


class ImbalanceReach(NamedTuple):
    """How far imbalances reach towards one half and away from it."""

    towards: FloatArray
    away: FloatArray


class ImbalanceBounds:
    """Estimates and bounds of imbalances, one per prompt.

    Args:
        seen: Imbalances as counted.
        total: Images counted.

    Attributes:
        estimate: The imbalance of which `seen` is the expectation; 0 where none is so small.

    >>> bounds = ImbalanceBounds(np.array([0.8]), np.array([500.0]))
    >>> (bounds.estimate - bounds.reach(1.96).towards).round(3)  # 2 * 0.8706 - 1 by Wilson
    array([0.741])
    """

    def __init__(self, seen: FloatArray, total: FloatArray) -> None:
        sizes, of = np.unique(total, return_inverse=True)
        self._seen, self._of = seen, of.reshape(-1)
        sizes = sizes[:, None]
        self._expected = expected_imbalance(_GRID[None, :], sizes)
        self._spread = np.sqrt(imbalance_noise(_GRID[None, :], sizes, sizes).variance)
        self.estimate = self._where(self._expected)

    def reach(self, z: float) -> ImbalanceReach:
        """Return how far each imbalance reaches at z standard deviations."""
        low = self._where(np.maximum.accumulate(self._expected + z * self._spread, axis=1))
        lower = (self._expected - z * self._spread)[:, ::-1]
        high = self._where(np.minimum.accumulate(lower, axis=1)[:, ::-1])
        centre = self.estimate
        return ImbalanceReach(np.maximum(centre - low, 0), np.maximum(high - centre, 0))

    def _where(self, curves: FloatArray) -> FloatArray:
        """Return the imbalance at which each prompt's rising curve reaches what was seen."""
        curve = curves[self._of]
        place = np.clip((curve < self._seen[:, None]).sum(axis=1), 1, _GRID.size - 1)
        below, above = _at(curve, place - 1), _at(curve, place)
        flat = (self._seen > below).astype(np.float64)
        part = np.divide(self._seen - below, above - below, out=flat, where=above > below)
        left, right = _GRID[place - 1], _GRID[place]
        return np.asarray(left + np.clip(part, 0, 1) * (right - left))


def _at(table: FloatArray, place: NDArray[np.intp]) -> FloatArray:
    return np.asarray(np.take_along_axis(table, place[:, None], axis=1)[:, 0])
