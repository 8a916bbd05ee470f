"""How far from a score its bounds lie, and the p that agrees with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from portrayal.statistics.counts import FloatArray, Intervals

# Normal deviations, and halvings, between which a p-value is sought: p from 1 down to 1e-300.
_MOST_DEVIATIONS = 37.0
_HALVINGS = 40


class Reach(NamedTuple):
    """How far the bounds of scores lie from them, at any confidence.

    Attributes:
        known: (sets, groups), shares.
        worth: (sets, 1), independent images behind each.
        scaled: (words, sets), weight of each share in each score.
        chosen: (words, groups), variance by the choice of sets.
        freedom: (words, groups), degrees of freedom; NaN where nothing is known.
    """

    known: FloatArray
    worth: FloatArray
    scaled: FloatArray
    chosen: FloatArray
    freedom: FloatArray

    def stretch(self, z: FloatArray) -> FloatArray:
        """Return Student's quantile over the normal one."""
        return np.asarray(-special.stdtrit(self.freedom, special.ndtr(-z)) / z)

    def at(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how far below and above the scores the bounds lie, z normal deviations out.

        Wilson's intervals of the shares, for the z of each score, added up in squares.
        """
        square = z[:, None, :] ** 2 / self.worth
        centre = (self.known + square / 2) / (1 + square)
        half = np.sqrt(square * (self.known * (1 - self.known) + square / 4)) / (1 + square)
        down, up = (self.known - centre + half) ** 2, (centre + half - self.known) ** 2
        # At shares of 0 and 1 the bound is the share itself; rounding must not step past it.
        down, up = np.where(self.known == 0, 0.0, down), np.where(self.known == 1, 0.0, up)
        rising, falling = np.maximum(self.scaled, 0) ** 2, np.minimum(self.scaled, 0) ** 2
        chosen = z**2 * self.chosen
        below = np.einsum("ws,wsg->wg", rising, down) + np.einsum("ws,wsg->wg", falling, up)
        above = np.einsum("ws,wsg->wg", rising, up) + np.einsum("ws,wsg->wg", falling, down)
        stretch = self.stretch(z)
        return stretch * np.sqrt(below + chosen), stretch * np.sqrt(above + chosen)

    def p_value(self, value: FloatArray) -> FloatArray:
        """Return the two-sided p: at that level the bound on the side of zero touches it."""
        low, high = np.full(value.shape, 1e-9), np.full(value.shape, _MOST_DEVIATIONS)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below, above = self.at(middle)
            inside = np.where(value > 0, below, above) >= np.abs(value)
            low, high = np.where(inside, low, middle), np.where(inside, middle, high)
        p = np.where(value == 0, 1.0, 2 * special.ndtr(-(low + high) / 2))
        return np.where(np.isnan(self.freedom) | np.isnan(value), np.nan, p)


def cut_at(interval: Intervals, largest: float) -> Intervals:
    """Cut intervals where no influence can be.

    Args:
        interval: Bounds; NaN stays NaN.
        largest: The largest influence in size that is possible.
    """
    return Intervals(*(np.clip(bound, -largest, largest) for bound in interval))
