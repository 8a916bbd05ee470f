"""One side of an amplification: counts of images or known shares, and what they leave possible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance_bounds import ImbalanceBounds
from portrayal.statistics.imbalance_distribution import GRID, imbalance_posterior
from portrayal.statistics.rarefaction import (
    Noise,
    expected_imbalance,
    imbalance_noise,
    thinned_imbalance,
)

LEAST_IMAGES = 2
"""One image is as uneven as can be, whatever the share: it says nothing."""


class CountedSide(NamedTuple):
    """Counts of one side, (occupations, prompts).

    Attributes:
        first: Images of the group.
        total: Images of either group; infinite where the share itself is known.
        signed: 2p - 1 as observed or known; NaN without images.
        shared: Whether all prompts have the same images (so that they err together).
    """

    first: FloatArray
    total: FloatArray
    signed: FloatArray
    shared: bool


def side_of_counts(counts: FloatArray, prompts: int) -> CountedSide:
    """Return the side of counts (occupations, 1 or prompts, 2)."""
    total = counts.sum(axis=-1)
    share = np.divide(counts[..., 0], total, out=np.full(total.shape, np.nan), where=total > 0)
    wide = (len(counts), prompts)
    first, total, signed = (
        np.broadcast_to(x, wide) for x in (counts[..., 0], total, 2 * share - 1)
    )
    return CountedSide(first, total, signed, shared=counts.shape[1] < prompts)


def side_of_shares(shares: FloatArray, prompts: int) -> CountedSide:
    """Return the side of known shares (occupations,), 0 to 1; NaN is missing."""
    signed = np.repeat((2 * shares - 1)[:, None], prompts, axis=1)
    total = np.where(np.isnan(signed), 0.0, np.inf)
    return CountedSide(np.zeros(signed.shape), total, signed, shared=True)


@dataclass(frozen=True, slots=True, eq=False)
class SideRead:
    """One side at the common number of images, one row per occupation and prompt that count."""

    signed: FloatArray
    total: FloatArray
    value: FloatArray
    imbalance: FloatArray
    chance: FloatArray
    noise: Noise
    known: bool

    def bounds(self) -> ImbalanceBounds:
        """Return estimates and bounds of the imbalances, each on its own."""
        return ImbalanceBounds(np.abs(self.signed), self.total)


def read_side(side: CountedSide, used: NDArray[np.bool_], size: FloatArray) -> SideRead:
    """Read a side at a common number of images.

    Args:
        side: Counts or known shares.
        used: Occupations and prompts that count.
        size: The common number of images of each that counts.
    """
    first, total, signed = (x[used] for x in (side.first, side.total, side.signed))
    if np.isinf(total).all():
        at, chance = np.abs(signed)[:, None], np.ones((signed.size, 1))
        none = np.zeros(signed.shape)
        value = expected_imbalance(np.abs(signed), size)
        return SideRead(signed, total, value, at, chance, Noise(none, none), known=True)
    chance = _chances(side, used)
    noise = side_noise(chance, total, size)
    value = thinned_imbalance(first, total, size)
    return SideRead(signed, total, value, GRID[None, :], chance, noise, known=False)


class RestRead(NamedTuple):
    """What is left of the whole without a part, and how many images that are."""

    read: SideRead
    left: FloatArray


def read_rest(part: CountedSide, whole: CountedSide, used: NDArray[np.bool_]) -> RestRead:
    """Read the rest; where nothing is left, one image stands in that then weighs nothing."""
    first, left = whole.first - part.first, whole.total - part.total
    total = np.maximum(left, 1)
    side = CountedSide(first, total, 2 * first / total - 1, whole.shared)
    return RestRead(read_side(side, used, np.minimum(part.total, total)[used]), left[used])


def _chances(side: CountedSide, used: NDArray[np.bool_]) -> FloatArray:
    """Return what the counts leave possible; images that prompts share are counted once."""
    if not side.shared:
        return imbalance_posterior(side.first[used], side.total[used])
    rows = used.any(axis=1)
    once = imbalance_posterior(side.first[rows, 0], side.total[rows, 0])
    return once[np.repeat(np.arange(len(once)), used[rows].sum(axis=1))]


def side_noise(chance: FloatArray, total: FloatArray, size: FloatArray) -> Noise:
    """Return moments of imbalances at a common number of images, for given imbalances.

    Args:
        chance: How likely each value of `GRID` is, one row per occupation and prompt.
        total: Images counted.
        size: The common number of images.
    """
    kinds, of = np.unique(total + 1j * size, return_inverse=True)
    tables = zip(*(_noise_table(kind.real, kind.imag) for kind in kinds.tolist()), strict=True)
    at = of.reshape(-1)
    return Noise(*((chance * np.stack(table)[at]).sum(axis=1) for table in tables))


@lru_cache(maxsize=2048)
def _noise_table(total: float, size: float) -> Noise:
    return imbalance_noise(GRID, np.array([total]), np.array([size]))
