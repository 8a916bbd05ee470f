"""From a difference of imbalances at a common number of images to amplification itself.

Near one half the imbalance of m images says little about the share: a shift from 51% to 57% moves
the mean imbalance of 50 images by 2.6 points, not by 6. Far from one half it says all: a shift from
71% to 77% moves it by 6. How much of the way a difference stands for follows from how far from
one half the better counted side is. No difference stands for no amplification, exactly.

What the shares near one half do is not visible occupation by occupation. Three ways are followed:
all move further to the side they lean to (shift), each moves to either side (scatter), or all
come nearer to one half (shrinking, for negative differences). Shift and scatter differ by a fifth
at most; the data say which it is, by whether the less well counted side leans the same way. In
place of shrinking, some may become even while others stay (vanishing), for which a difference
stands for more; nothing says which it is, so bounds lie half way between the two.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import Interval
from portrayal.statistics.rarefaction import expected_imbalance, folded_mean, imbalance_noise

_STEPS: FloatArray = (np.arange(48) / 47) ** 2
_FINE: FloatArray = (np.arange(401) / 400) ** 2
_SHRINKING: FloatArray = np.arange(48) / 47
_ANGLES: FloatArray = np.array([0.0, 0.3, 0.6, 0.9])
_WIDEST = 3.0


class Points(NamedTuple):
    """Where the shares of the better counted side lie.

    Attributes:
        imbalance: True imbalances, 0 to 1.
        weight: What each counts; they add up to 1.
        size: Number of images at which the two sides are compared there.
    """

    imbalance: FloatArray
    weight: FloatArray
    size: FloatArray


class SharePath(NamedTuple):
    """One way of moving, step by step.

    Attributes:
        difference: Of imbalances at a common number of images.
        amplification: What has become of them.
    """

    difference: FloatArray
    amplification: FloatArray

    def read(self, difference: FloatArray) -> FloatArray:
        """Return the amplification that a difference stands for."""
        return np.asarray(np.interp(difference, self.difference, self.amplification))


class AmplificationScale:
    """Reads amplification off a difference; rises with it, and passes through 0.

    Each of the three ways is followed when it is first asked for.

    Args:
        points: Where the better counted side is.

    >>> half = Points(np.array([0.02]), np.array([1.0]), np.array([50.0]))
    >>> far = Points(np.array([0.42]), np.array([1.0]), np.array([50.0]))
    >>> [AmplificationScale(p).shift.read(np.array([0.052])).round(2) for p in (half, far)]
    [array([0.12]), array([0.05])]
    """

    def __init__(self, points: Points) -> None:
        self.points = points
        self._start = points.imbalance[:, None]

    @cached_property
    def shift(self) -> SharePath:
        """All move further to the side they lean to."""
        return self._path(np.minimum(self._start + _STEPS, 1))

    @cached_property
    def scatter(self) -> SharePath:
        """Each moves to either side."""
        return _scatter(self.points)

    @cached_property
    def shrinking(self) -> SharePath:
        """All come nearer to one half."""
        return self._path(self._start * _SHRINKING)

    def vanished(self, difference: float) -> float:
        """Return what a negative difference stands for if some become even and others stay."""
        seen, whole = float(self.shrinking.difference[0]), float(self.shrinking.amplification[0])
        return min(difference / seen, 1.0) * whole if seen < -1e-12 else 0.0

    def read(self, difference: float, *, directed: float) -> float:
        """Return amplification, within what the better counted side leaves possible.

        Args:
            difference: Of imbalances at a common number of images.
            directed: How much of a positive difference is shift rather than scatter, 0 to 1.
        """
        at = np.array(difference)
        if difference <= 0:
            return float(self.shrinking.read(at))
        up = directed * float(self.shift.read(at))
        if directed < 1:
            up += (1 - directed) * float(self.scatter.read(at))
        return min(up, float(self.shift.amplification[-1]))

    def bounds(self, difference: float, z: float, *, fixed: float, units: float) -> Interval:
        """Return the differences that are compatible with one, where only images are a sample.

        A score test, inverted: a difference is tested with the variance that images have there.

        Args:
            difference: As observed.
            z: Standard deviations.
            fixed: Variance that the better counted side brings.
            units: Independent imbalances that the other side's mean is over.
        """
        path = np.concatenate([self.shrinking.difference[:-1], self.shift.difference])
        spread = z * np.sqrt(np.maximum(fixed + self._variance / units, 0))
        most = np.minimum.accumulate((path - spread)[::-1])[::-1]
        least = np.maximum.accumulate(path + spread)
        low, high = np.interp(difference, least, path), np.interp(difference, most, path)
        return Interval(min(float(low), difference), max(float(high), difference))

    @cached_property
    def _variance(self) -> FloatArray:
        """Variance of one imbalance of so many images, from shrinking to shift."""
        ways = self._start * _SHRINKING[:-1], np.minimum(self._start + _STEPS, 1)
        weight = self.points.weight
        return np.concatenate([weight @ self._looked_up(way, "variance") for way in ways])

    def _path(self, way: FloatArray) -> SharePath:
        weight = self.points.weight
        seen, still = (self._looked_up(one, "expected") for one in (way, self._start))
        return SharePath(weight @ (seen - still), weight @ (way - self._start))

    def _looked_up(self, way: FloatArray, moment: Literal["expected", "variance"]) -> FloatArray:
        sizes = self.points.size
        if (sizes == sizes[0]).all():
            return np.asarray(np.interp(way, _FINE, getattr(_table(float(sizes[0])), moment)))
        found = np.empty(way.shape)
        for size in np.unique(sizes):
            here, table = sizes == size, _table(float(size))
            found[here] = np.interp(way[here], _FINE, getattr(table, moment))
        return found


class OneWayScale(NamedTuple):
    """A scale, and what is known of the images behind it.

    Attributes:
        scale: Reads amplification.
        variance: That the better counted side brings to the mean difference.
        units: Independent imbalances that the other side's mean is over.
        nested: Whether the other side's images are among those of the better counted one.
        directed: How much of a positive difference is shift rather than scatter, 0 to 1.
    """

    scale: AmplificationScale
    variance: float
    units: float
    nested: bool
    directed: float

    def read(self, difference: float) -> float:
        """Return the amplification that a difference stands for."""
        return self.scale.read(difference, directed=self.directed)

    def bounds(self, difference: float, z: float) -> Interval:
        """Return the differences that are compatible with one, where only images are a sample."""
        # Images of a part are in the whole: its noise is taken away, not added.
        fixed = -self.variance if self.nested else self.variance
        return self.scale.bounds(difference, z, fixed=fixed, units=self.units)

    def farthest(
        self, difference: float, bound: float, *, upper: bool, z: float, error: float
    ) -> float:
        """Return the amplification that a bound of the difference stands for at the most.

        Where the better counted side lies is uncertain, too, and near one half that matters: a
        difference stands for more if that side is nearer to one half than its counts say. Both
        errors are followed along their common ellipse (a profile bound). A bound of 0 stands for
        0 in any case.

        Args:
            difference: As observed.
            bound: Of the difference.
            upper: Whether it is the upper one.
            z: Standard deviations at which it is one.
            error: Standard error of the difference.
        """
        first = self.read(bound)
        straight = abs(first - bound) + abs(self.read(difference) - difference)
        if self.variance == 0 or straight < 0.02 * abs(bound - difference):
            return first
        own = math.sqrt(self.variance)
        # An error of the better counted side moves the difference the other way.
        tilt = 0.0 if self.nested else math.asin(min(own / error, 1.0))
        found = [first]
        for angle in _ANGLES[_ANGLES + tilt <= math.pi / 2] + tilt:
            moved = (-1 if upper else 1) * z * math.sin(angle) * own
            there = difference + math.cos(angle - tilt) * (bound - difference)
            scale = AmplificationScale(self._moved(moved))
            found.append(scale.read(there, directed=self.directed))
        if bound < min(difference, 0):
            found.append((first + self.scale.vanished(bound)) / 2)
        # Shares at one half exactly would make nothing of any bound; a bound is never nothing.
        found = [value for value in found if value * bound > 0] or [first]
        return max(found) if upper else min(found)

    def _moved(self, seen: float) -> Points:
        """Return the points so moved that their imbalances as counted differ by so much."""
        path = self.scale.shift if seen > 0 else self.scale.shrinking
        points = self.scale.points
        start = points.imbalance
        by = float(np.interp(seen, path.difference, _STEPS if seen > 0 else _SHRINKING))
        return points._replace(imbalance=np.minimum(start + by, 1) if seen > 0 else start * by)


class TwoWayScale(NamedTuple):
    """Reads amplification starting from training data, from generated images, or in between.

    Attributes:
        forward: The scale that starts from training data; None where it is not trusted.
        back: The scale that starts from generated images; likewise.
        trust: What the first counts.
    """

    forward: OneWayScale | None
    back: OneWayScale | None
    trust: float

    def read(self, difference: float) -> float:
        """Return amplification, from -1 to 1."""
        value = 0.0
        if self.forward is not None:
            value += self.trust * self.forward.read(difference)
        if self.back is not None:
            value -= (1 - self.trust) * self.back.read(-difference)
        return value

    def interval(self, difference: float, bounds: Interval, *, z: float, error: float) -> Interval:
        """Return the amplification that bounds of a difference stand for at the most."""
        low, high = 0.0, 0.0
        if self.forward is not None:
            low, high = (
                self.trust * self.forward.farthest(difference, x, upper=upper, z=z, error=error)
                for x, upper in zip(bounds, (False, True), strict=True)
            )
        if self.back is not None:
            two = [
                self.back.farthest(-difference, -x, upper=upper, z=z, error=error)
                for x, upper in zip(bounds, (True, False), strict=True)
            ]
            low, high = low - (1 - self.trust) * two[0], high - (1 - self.trust) * two[1]
        return Interval(low, high)

    def bounds(self, difference: float, z: float) -> Interval:
        """Return the differences that are compatible with one, where only images are a sample."""
        low, high = 0.0, 0.0
        if self.forward is not None:
            one = self.forward.bounds(difference, z)
            low, high = self.trust * one.low, self.trust * one.high
        if self.back is not None:
            two = self.back.bounds(-difference, z)
            low, high = low - (1 - self.trust) * two.high, high - (1 - self.trust) * two.low
        return Interval(low, high)


class _NoiseTable(NamedTuple):
    """Mean and variance of the imbalance of so many images, for every value of `_FINE`."""

    expected: FloatArray
    variance: FloatArray


@lru_cache(maxsize=512)
def _table(size: float) -> _NoiseTable:
    images = np.array([size])
    variance = imbalance_noise(_FINE, images, images).variance
    return _NoiseTable(expected_imbalance(_FINE, images), variance)


def _scatter(points: Points) -> SharePath:
    """Follow normal scatter; what leaves the range is no concern near one half, where it counts."""
    start = points.imbalance[:, None]
    image = np.sqrt((1 - start**2) / points.size[:, None])
    wide = _WIDEST * _STEPS[None, :]
    moved = folded_mean(start, wide) - start
    seen = folded_mean(start, np.sqrt(wide**2 + image**2)) - folded_mean(start, image)
    return SharePath(points.weight @ seen, points.weight @ moved)
