"""Before and after change places: the permutation distribution of paired images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from portrayal.statistics.counts import FloatArray

# A pair is (group before, group after) with None for an image that was not judged. Pairs that are
# alike on both sides are left out: swapping them changes nothing.
_KINDS: tuple[tuple[int | None, int | None], ...] = (
    (1, 0),
    (0, 1),
    (1, None),
    (None, 1),
    (0, None),
    (None, 0),
)
# What swapping one pair of each kind adds to the counts before; the counts after lose as much.
_FIRST_GAIN = np.array([(y == 1) - (x == 1) for x, y in _KINDS], dtype=np.float64)
_SECOND_GAIN = np.array([(y == 0) - (x == 0) for x, y in _KINDS], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts per attribute: of both groups on both sides, and of each kind of unequal pair.

    Attributes:
        first_before: Images of the first group before.
        second_before: Of the second group before.
        first_after: Of the first group after.
        second_after: Of the second group after.
        kinds: (attributes, kinds of unequal pairs).
        correlation: Of the two shares, from pairs judged on both sides, scaled by their part.
    """

    first_before: FloatArray
    second_before: FloatArray
    first_after: FloatArray
    second_after: FloatArray
    kinds: NDArray[np.int64]
    correlation: FloatArray

    @classmethod
    def of(cls, before: FloatArray, after: FloatArray) -> PairCounts:
        """Count groups (1, 0, NaN) of paired images, one row per attribute."""
        kinds = [_is(before, x) & _is(after, y) for x, y in _KINDS]
        return cls(
            (before == 1).sum(axis=1).astype(np.float64),
            (before == 0).sum(axis=1).astype(np.float64),
            (after == 1).sum(axis=1).astype(np.float64),
            (after == 0).sum(axis=1).astype(np.float64),
            np.stack([kind.sum(axis=1) for kind in kinds], axis=1).astype(np.int64),
            np.array([_phi(x, y) for x, y in zip(before, after, strict=True)], dtype=np.float64),
        )

    def only(self, k: int) -> PairCounts:
        """Return attribute `k` alone."""
        part = slice(k, k + 1)
        return PairCounts(
            self.first_before[part],
            self.second_before[part],
            self.first_after[part],
            self.second_after[part],
            self.kinds[part],
            self.correlation[part],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Swaps:
    """Counts under many swaps, one row per swap, with the chance of each row.

    Attributes:
        first_before: (swaps, attributes), like the fields of `PairCounts`.
        second_before: Likewise.
        first_after: Likewise.
        second_after: Likewise.
        chance: Of each row under the null hypothesis.
        exact: Whether the rows are all there are.
    """

    first_before: FloatArray
    second_before: FloatArray
    first_after: FloatArray
    second_after: FloatArray
    chance: FloatArray
    exact: bool

    def p_value(self, statistic: FloatArray, observed: float) -> float:
        """Return the two-sided p-value; a swap that leaves nothing to compare counts as extreme."""
        if math.isnan(observed):
            return math.nan
        extreme = np.isnan(statistic) | (np.abs(statistic) >= abs(observed) - 1e-12)
        if self.exact:
            return min(float(self.chance[extreme].sum()), 1.0)
        return float((extreme.sum() + 1) / (extreme.size + 1))


def swap_images(pairs: PairCounts, *, resamples: int, rng: np.random.Generator) -> Swaps:
    """Swap images of one attribute and seed, each pair with chance one half.

    Pairs of one kind are alike, so only how many of each kind are swapped matters.
    """
    flat = pairs.kinds.ravel()
    places = np.flatnonzero(flat)
    ways = math.prod(int(count) + 1 for count in flat[places])
    exact = ways <= resamples
    if exact:
        shape = tuple(flat[places] + 1)
        chosen = (
            np.indices(shape).reshape(len(shape), -1).T if shape else np.zeros((1, 0), np.int64)
        )
        chance = np.prod(stats.binom.pmf(chosen, flat[places], 0.5), axis=1)
    else:
        chosen = rng.binomial(flat[places], 0.5, size=(resamples, places.size))
        chance = np.full(resamples, 1 / resamples)
    swapped = np.zeros((len(chosen), flat.size))
    swapped[:, places] = chosen
    swapped = swapped.reshape(-1, *pairs.kinds.shape)
    return _moved(pairs, swapped @ _FIRST_GAIN, swapped @ _SECOND_GAIN, chance, exact)


def swap_attributes(pairs: PairCounts, *, resamples: int, rng: np.random.Generator) -> Swaps:
    """Swap all images of an attribute together, each attribute with chance one half."""
    gain_first = pairs.first_after - pairs.first_before
    gain_second = pairs.second_after - pairs.second_before
    unequal = np.flatnonzero((gain_first != 0) | (gain_second != 0))
    exact = 2**unequal.size <= resamples
    if exact:
        codes = np.arange(2**unequal.size)
        chosen = (codes[:, None] >> np.arange(unequal.size)) & 1
    else:
        chosen = rng.integers(0, 2, size=(resamples, unequal.size))
    swapped = np.zeros((len(chosen), gain_first.size))
    swapped[:, unequal] = chosen
    chance = np.full(len(chosen), 1 / len(chosen))
    return _moved(pairs, swapped * gain_first, swapped * gain_second, chance, exact)


def _moved(
    pairs: PairCounts, first: FloatArray, second: FloatArray, chance: FloatArray, exact: bool
) -> Swaps:
    return Swaps(
        pairs.first_before + first,
        pairs.second_before + second,
        pairs.first_after - first,
        pairs.second_after - second,
        chance,
        exact,
    )


def _is(groups: FloatArray, wanted: int | None) -> NDArray[np.bool_]:
    return np.isnan(groups) if wanted is None else np.asarray(groups == wanted)


def _phi(before: FloatArray, after: FloatArray) -> float:
    """Return Newcombe's corrected phi of complete pairs, scaled to shares over all images."""
    both = ~np.isnan(before) & ~np.isnan(after)
    x, y = before[both], after[both]
    n = float(x.size)
    margins = x.sum() * (n - x.sum()) * y.sum() * (n - y.sum())
    if margins == 0:
        return 0.0
    cross = float(
        (x * y).sum() * ((1 - x) * (1 - y)).sum() - (x * (1 - y)).sum() * ((1 - x) * y).sum()
    )
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    judged = math.sqrt(float((~np.isnan(before)).sum() * (~np.isnan(after)).sum()))
    return cross / math.sqrt(float(margins)) * n / judged
