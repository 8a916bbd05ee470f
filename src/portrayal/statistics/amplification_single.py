"""Amplification of one given occupation: both its shares are estimated on their own."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import stats
from scipy.special import ndtr

from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.intervals import Interval

_SURE = 8.0
"""Standard deviations beyond which p-values are not told apart."""


class SingleComparison(NamedTuple):
    """A difference of two imbalances, and how far the images of each let it reach.

    The reaches are squared and added, up and down apart (Newcombe 1998; Zou and Donner 2008).

    Attributes:
        difference: Of the two.
        generated: Bounds of the first; None where it is known.
        training: Bounds of the second; likewise.
        apart: What a reach is multiplied by, where one side is a part of the other.
    """

    difference: float
    generated: ImbalanceBounds | None
    training: ImbalanceBounds | None
    apart: float

    def interval(self, confidence: float) -> Interval:
        """Return the interval of the difference, within what is possible."""
        low, high = self._bounds(float(stats.norm.ppf(0.5 + confidence / 2)))
        return Interval(max(low, -1.0), min(high, 1.0))

    def p_value(self) -> float:
        """Return 1 less the confidence at which the interval just reaches 0, by bisection."""
        if self.difference == 0:
            return 1.0
        least, most = 0.0, _SURE
        for _ in range(30):
            z = (least + most) / 2
            low, high = self._bounds(z)
            least, most = (least, z) if low <= 0 <= high else (z, most)
        return float(2 * ndtr(-least))

    def _bounds(self, z: float) -> Interval:
        down, up = 0.0, 0.0
        if self.generated is not None:
            towards, away = (self.apart * float(x[0]) for x in self.generated.reach(z))
            down, up = math.hypot(down, towards), math.hypot(up, away)
        if self.training is not None:
            towards, away = (self.apart * float(x[0]) for x in self.training.reach(z))
            down, up = math.hypot(down, away), math.hypot(up, towards)
        return Interval(self.difference - down, self.difference + up)
