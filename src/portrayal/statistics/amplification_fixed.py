"""Amplification of a few given occupations: each share is estimated on its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.intervals import Interval

_SURE = 8.0
"""Standard deviations beyond which p-values are not told apart."""


class Reach(NamedTuple):
    """How far a mean difference reaches down and up."""

    down: float
    up: float


@dataclass(frozen=True, slots=True, eq=False)
class FixedSides:
    """Differences of imbalances, and how far each side's images let them reach.

    The reaches of all shares are squared and added, up and down apart (Newcombe 1998; Zou and
    Donner 2008).

    Attributes:
        each: Difference of each occupation.
        sides: Bounds of generated and training imbalances, one per occupation and prompt; None
            where shares are known.
        shared: Whether all prompts have the same images, for each side.
        of: Occupation of each row.
        share: What each row counts in its occupation.
        apart: What a difference is multiplied by, where one side is a part of the other.
    """

    each: FloatArray
    sides: tuple[ImbalanceBounds | None, ...]
    shared: tuple[bool, bool]
    of: NDArray[np.intp]
    share: FloatArray
    apart: FloatArray

    def interval(self, confidence: float) -> Interval:
        """Return the interval of the mean difference."""
        mean = float(self.each.mean())
        down, up = self._reach(float(stats.norm.ppf(0.5 + confidence / 2)))
        return Interval(mean - down, mean + up)

    def p_value(self) -> float:
        """Return 1 less the confidence at which the interval just reaches 0, by bisection."""
        mean = float(self.each.mean())
        if mean == 0:
            return 1.0
        least, most = 0.0, _SURE
        for _ in range(30):
            z = (least + most) / 2
            down, up = self._reach(z)
            least, most = (least, z) if (down if mean > 0 else up) >= abs(mean) else (z, most)
        return float(2 * ndtr(-least))

    def _reach(self, z: float) -> Reach:
        down, up = 0.0, 0.0
        for sign, side, shared in zip((1, -1), self.sides, self.shared, strict=True):
            if side is None:
                continue
            reach = side.reach(z)
            towards, away = (self._square(x * self.apart, shared=shared) for x in reach)
            down, up = (down + towards, up + away) if sign > 0 else (down + away, up + towards)
        return Reach(math.sqrt(down) / self.each.size, math.sqrt(up) / self.each.size)

    def _square(self, reach: FloatArray, *, shared: bool) -> float:
        """Add squares over occupations; images that prompts share err together."""
        if shared:
            return float((np.bincount(self.of, reach * self.share) ** 2).sum())
        return float(((reach * self.share) ** 2).sum())
