"""Which side an image is from is shuffled, which images are unknown stays: paired images.

If an intervention does nothing, the two images of one seed can change places. Where one of them is
unknown they cannot without moving the unknown along, and a rate of unknowns that differs between
the sides would count as an effect. So known groups of complete pairs are swapped, and those whose
partner is unknown are dealt out again among such places of their attribute. This is valid if,
within an attribute and side, whether an image is unknown has nothing to do with its group; the
rates of unknowns may differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

from portrayal.statistics.counts import FloatArray

IntArray = NDArray[np.int64]
_SAME = 1e-12


class RelabelledPlaces(NamedTuple):
    """What relabelling may move in one attribute; see `PairedCounts`."""

    alike: int
    unequal: int
    single_before: int
    single_after: int
    single_first: int

    def counts_before(self) -> FloatArray:
        """Return the counts before that an attribute can get, with the chance of each."""
        n, ones, drawn = (
            self.single_before + self.single_after, self.single_first, self.single_before
        )  # fmt: skip
        swapped = np.arange(self.unequal + 1)
        dealt = np.arange(max(0, drawn - (n - ones)), min(ones, drawn) + 1)
        chances = np.convolve(
            stats.binom.pmf(swapped, self.unequal, 0.5),
            stats.hypergeom.pmf(dealt, n, ones, drawn) if n else np.ones(1),
        )
        return np.column_stack([self.alike + dealt[0] + np.arange(chances.size), chances])


@dataclass(frozen=True, slots=True, eq=False)
class PairedCounts:
    """Counts per attribute of images of two sides with the same seeds.

    Attributes:
        first_before: Images of the first group before.
        n_before: Images of either group before.
        first_after: Images of the first group after.
        n_after: Images of either group after.
        alike: Complete pairs that show the first group on both sides.
        unequal: Complete pairs that differ.
        single_before: Images before whose partner is unknown.
        single_after: Likewise after.
        single_first: How many of both kinds of singles show the first group.
        correlation: Of the two shares, from complete pairs, scaled by their part.
        covariance: Of the two images of a seed, from complete pairs; 0 with fewer than two.
    """

    first_before: IntArray
    n_before: IntArray
    first_after: IntArray
    n_after: IntArray
    alike: IntArray
    unequal: IntArray
    single_before: IntArray
    single_after: IntArray
    single_first: IntArray
    correlation: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, before: FloatArray, after: FloatArray) -> PairedCounts:
        """Count groups (1, 0, NaN) of paired images, one row per attribute."""
        known_x, known_y = ~np.isnan(before), ~np.isnan(after)
        both = known_x & known_y
        only_x, only_y = known_x & ~both, known_y & ~both

        def count(cells: NDArray[np.bool_]) -> IntArray:
            return np.asarray(cells.sum(axis=1), dtype=np.int64)

        one_x, one_y = before == 1, after == 1
        return cls(
            count(one_x), count(known_x), count(one_y), count(known_y),
            count(one_x & one_y), count(both & (one_x != one_y)), count(only_x), count(only_y),
            count((one_x & only_x) | (one_y & only_y)),
            np.array([_phi(x, y) for x, y in zip(before, after, strict=True)], dtype=np.float64),
            _covariance(before, after, both),
        )  # fmt: skip

    def imbalance_correlation(self) -> FloatArray:
        """Return the correlation of both sides' imbalances |2p - 1|, one per attribute.

        Seeds that lean alike on both sides move both imbalances alike; near one half, where either
        group may be ahead, as far as absolute values of two correlated normal deviates vary
        together (Nabeya 1951, Annals of the Institute of Statistical Mathematics 3). All attributes
        have one correlation of images. What few pairs show of it is drawn towards 0: a variance
        that is too small by luck rejects too often (after James and Stein 1961).
        """
        complete = self.n_before - self.single_before
        shares = [self.first_before / self.n_before, self.first_after / self.n_after]
        # Near one half an imbalance follows its share in part: by how surely it leans there, which
        # chance alone makes look surer by one squared standard deviation.
        lean = np.ones(complete.size)
        for share, n in zip(shares, (self.n_before, self.n_after), strict=True):
            far = (2 * share - 1) * np.sqrt(n)
            lean *= np.sign(far) * (2 * ndtr(np.sqrt(np.maximum(far**2 - 1, 0))) - 1)
        variances = [
            share * (1 - share) * n / np.maximum(n - 1, 1)
            for share, n in zip(shares, (self.n_before, self.n_after), strict=True)
        ]
        usual = complete * np.sqrt(variances[0] * variances[1])
        if usual.sum() <= 0:
            return np.zeros(complete.size)
        seen = min(max(float(complete @ self.covariance / usual.sum()), -1.0), 1.0)
        pairs = float(np.maximum(complete - 1, 0)[usual > 0].sum())
        alike = seen * max(1 - 2 / (pairs * seen**2), 0.0) if seen and pairs else 0.0
        folded = (math.sqrt(1 - alike**2) + alike * math.asin(alike) - 1) / (math.pi / 2 - 1)
        both = complete / np.sqrt(self.n_before * self.n_after)
        return np.asarray(both * (lean * alike + (1 - np.abs(lean)) * folded))

    def standard_error(self, weights: FloatArray, correlation: FloatArray | None = None) -> float:
        """Return that of a weighted mean over attributes of the shares after less those before.

        Args:
            weights: Of the attributes.
            correlation: Of the two shares of each attribute; None: `correlation`.
        """
        variances = []
        for first, n in ((self.first_before, self.n_before), (self.first_after, self.n_after)):
            # Agresti and Caffo (2000): one more image of each group; few alike are no proof.
            share = (first + 1) / (n + 2)
            variances.append(share * (1 - share) / (n + 2))
        alike = self.correlation if correlation is None else correlation
        shared = 2 * alike * np.sqrt(variances[0] * variances[1])
        return math.sqrt(float(weights**2 @ (variances[0] + variances[1] - shared)))

    def places(self) -> list[RelabelledPlaces]:
        """Return what relabelling may move, one per attribute."""
        columns = (
            self.alike, self.unequal, self.single_before, self.single_after, self.single_first
        )  # fmt: skip
        return [RelabelledPlaces(*kind) for kind in np.stack(columns, axis=1).tolist()]

    def rows(self, chosen: NDArray[np.bool_]) -> PairedCounts:
        """Return some of the attributes."""
        return PairedCounts(*(getattr(self, name)[chosen] for name in self.__slots__))


@dataclass(frozen=True, slots=True, eq=False)
class Relabelled:
    """Counts of the first group on both sides, one row per relabelling, with its chance.

    Attributes:
        first_before: (relabellings, attributes).
        first_after: Likewise.
        chance: Of each row under the null hypothesis.
        exact: Whether the rows are all there are.
    """

    first_before: IntArray
    first_after: IntArray
    chance: FloatArray
    exact: bool

    def mid_p(self, statistic: FloatArray, observed: float) -> float:
        """Return the two-sided mid-p: of relabellings just as extreme, one half counts.

        Counts are discrete, and without the half a test of few images hardly ever rejects.
        """
        gap = np.abs(statistic) - abs(observed)
        beyond, equal = gap > _SAME, np.abs(gap) <= _SAME
        if self.exact:
            return min(float(self.chance[beyond].sum() + self.chance[equal].sum() / 2), 1.0)
        return float((beyond.sum() + (equal.sum() + 1) / 2) / (gap.size + 1))

    def critical(self, statistic: FloatArray, error: float) -> float:
        """Return about the smallest distance from 0 whose mid-p is at most `error`."""
        size = np.abs(statistic)
        order = np.argsort(size)[::-1]
        tail = np.cumsum(self.chance[order]) - self.chance[order] / 2
        place = int(np.searchsorted(tail, error, side="right")) - 1
        return float(size[order][max(place, 0)])


def relabel(pairs: PairedCounts, *, resamples: int, rng: np.random.Generator) -> Relabelled:
    """Swap complete pairs and deal out singles: all ways where they are few, else random ones."""
    supports = [places.counts_before() for places in pairs.places()]
    ways = math.prod(len(one) for one in supports)
    if ways <= resamples:
        grid = np.indices([len(one) for one in supports]).reshape(len(supports), ways)
        before = np.stack([one[i, 0] for one, i in zip(supports, grid, strict=True)], axis=1)
        chance = np.prod([one[i, 1] for one, i in zip(supports, grid, strict=True)], axis=0)
        before = before.astype(np.int64)
    else:
        swapped = rng.binomial(pairs.unequal, 0.5, size=(resamples, pairs.unequal.size))
        rest = pairs.single_before + pairs.single_after - pairs.single_first
        dealt = rng.hypergeometric(pairs.single_first, rest, pairs.single_before, swapped.shape)
        before = pairs.alike + swapped + dealt
        chance = np.full(resamples, 1 / resamples)
    return Relabelled(
        before, pairs.first_before + pairs.first_after - before, chance, ways <= resamples
    )


def agreeing_interval_end(
    distance: float, null_reach: float, reach: float, *, rejected: bool
) -> float:
    """Return how far from 0 the interval's near end lies, towards the estimate; negative: beyond.

    A value v is in the interval if the estimate is no further from it than chance puts it. At v = 0
    that distance is the test's own; at the estimate it is `reach`; in between, variances are mixed.

    Args:
        distance: Of the estimate from 0, at least 0.
        null_reach: The test's critical distance.
        reach: The critical distance if the estimate is the truth.
        rejected: What the test says of 0.
    """
    if distance == 0:
        return -reach
    null_reach = min(null_reach, distance) if rejected else max(null_reach, distance)

    def allowed(value: float) -> float:
        part = min(abs(value) / distance, 1.0)
        return math.sqrt((1 - part) * null_reach**2 + part * reach**2)

    low, high = (0.0, distance) if rejected else (-distance - null_reach - reach, 0.0)
    return _crossing(lambda value: distance - value - allowed(value), low, high)


def _crossing(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is at least 0 at `low` and at most 0 at `high` changes sign."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return (low + high) / 2


def _covariance(before: FloatArray, after: FloatArray, both: NDArray[np.bool_]) -> FloatArray:
    n = both.sum(axis=1)
    x, y = np.where(both, before, 0.0), np.where(both, after, 0.0)
    cross = (x * y).sum(axis=1) - x.sum(axis=1) * y.sum(axis=1) / np.maximum(n, 1)
    return np.where(n > 1, cross / np.maximum(n - 1, 1), 0.0)


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
