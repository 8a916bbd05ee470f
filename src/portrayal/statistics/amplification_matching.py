"""Two sides of counts compared at a common number of images, occupation by occupation."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from portrayal.statistics.amplification_null import SideCounts, cancelling_noise, equal_noise
from portrayal.statistics.amplification_scale import (
    AmplificationScale,
    OneWayScale,
    Points,
    TwoWayScale,
)
from portrayal.statistics.amplification_sides import (
    LEAST_IMAGES,
    CountedSide,
    SideRead,
    read_rest,
    read_side,
)
from portrayal.statistics.amplification_single import SingleComparison
from portrayal.statistics.balance import balance_p_value
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.imbalance import ImbalanceScore, imbalance_score
from portrayal.statistics.imbalance_distribution import GRID
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.rarefaction import Noise, expected_imbalance

_ALL = 0.98
"""Trust in one side from which on the other is not asked."""

_HANDFUL = 6
"""Occupations up to which half of the skewness is taken out; Student's t has room for the rest."""

_SURE, _FARTHEST = 8.0, 40.0
"""Standard deviations beyond which p-values, and differences, are not told apart."""

_LEAST_SKEW, _MOST_SKEW = 1e-6, 6.0
"""Of a gamma distribution: from which it is no normal one, and up to which cubes are near it."""

_LEAST_MEAN = 1e-12
"""Differences below it come from rounding."""

_LEAST_LEFT = 0.05
"""Of a variance, what pairs leave at the least: they are never perfectly alike."""


class PairedNoise(NamedTuple):
    """What pairs of images, one of each side, say of differences of imbalances.

    Attributes:
        correlation: Of both sides' imbalances, one per occupation.
        null: Moments of differences if both sides are equally uneven, one per occupation.
    """

    correlation: FloatArray
    null: Noise


class MatchedSides:
    """Generated and training images (or any two sides) compared at a common number of images.

    Args:
        generated: The side that is expected to be further from one half.
        training: The other.
        nested: Whether the images of `generated` are a part of those of `training`.
        paired: What their pairs say, where images are paired.

    Attributes:
        used: Which occupations and prompts have enough images on both sides.
        difference: Mean over prompts of the difference of imbalances, one per occupation used.
    """

    def __init__(
        self,
        generated: CountedSide,
        training: CountedSide,
        *,
        nested: bool = False,
        paired: PairedNoise | None = None,
    ) -> None:
        self.used: NDArray[np.bool_] = (generated.total >= LEAST_IMAGES) & (
            training.total >= LEAST_IMAGES
        )
        self._rows = self.used.any(axis=1)
        cells = self.used[self._rows]
        self._prompts = cells.sum(axis=1)
        self._of = np.repeat(np.arange(len(cells)), self._prompts)
        self._share = 1 / self._prompts[self._of]
        self._sides = generated, training
        self._nested = nested
        self._paired = paired
        size = np.minimum(generated.total, training.total)[self.used]
        self._size = size
        self._generated, self._training = (
            read_side(side, self.used, size) for side in (generated, training)
        )
        self.difference = self._over_prompts(self._generated.value - self._training.value)

    @property
    def n(self) -> int:
        """Occupations that count."""
        return len(self._prompts)

    def _over_prompts(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self._of, values * self._share, self.n), np.float64)

    def _over_independent(self, values: FloatArray, power: int) -> FloatArray:
        return np.asarray(np.bincount(self._of, values * self._share**power, self.n), np.float64)

    def noise(self) -> Noise:
        """Return the moments of each occupation's difference, where only images are a sample."""
        moments = [self._generated.noise, self._training.noise]
        if self._nested:
            # A part against the whole is a part against the rest, in proportion to the rest.
            rest = read_rest(*self._sides, self.used)
            apart = rest.left / self._training.total
            moments = [
                Noise(apart**2 * one.variance, apart**3 * one.third)
                for one in (self._generated.noise, rest.read.noise)
            ]
        one, two = (
            self._side_noise(side, moment)
            for side, moment in zip(self._sides, moments, strict=True)
        )
        return Noise(one.variance + two.variance, one.third - two.third)

    def pairing(self) -> float:
        """Return what pairs leave of the standard error that unpaired images would have."""
        whole = float((self._generated.noise.variance + self._training.noise.variance).sum())
        left = 1 - 2 * self._shared_noise().sum() / whole if whole > 0 else 1.0
        return math.sqrt(min(max(left, _LEAST_LEFT), 2.0))

    def correlation(self) -> float:
        """Return how much both sides' imbalances err together, -1 to 1."""
        most = self._geometric_noise().sum()
        return float(self._shared_noise().sum() / most) if most > 0 else 0.0

    def _geometric_noise(self) -> FloatArray:
        return np.sqrt(self._generated.noise.variance * self._training.noise.variance)

    def _shared_noise(self) -> FloatArray:
        alike = 0.0 if self._paired is None else self._paired.correlation
        return alike * self._geometric_noise()

    def null_noise(self) -> Noise | None:
        """Return the moments of the sum of differences if both sides are equally uneven.

        Those of pairs may cancel. None where a side is known, is a part of the other, or has the
        same images for several prompts.
        """
        if self._paired is not None:
            null, own = (
                Noise(*(np.asarray(moment.sum()) for moment in moments))
                for moments in (self._paired.null, self.noise())
            )
            left = self.pairing()
            own = Noise(left**2 * own.variance, left**3 * own.third)
            return cancelling_noise(null, own, self.difference)
        sides = self._sides
        if self._nested or any(side.shared or np.isinf(side.total).any() for side in sides):
            return None
        one, two = (SideCounts(side.first[self.used], side.total[self.used]) for side in sides)
        each = equal_noise(one, two, self._size)
        return Noise(
            self._over_independent(each.variance, 2).sum(),
            self._over_independent(each.third, 3).sum(),
        )

    def _side_noise(self, side: CountedSide, moments: Noise) -> Noise:
        """Return a side's moments over prompts; images that prompts share err together."""
        if side.shared:
            deviation = self._over_prompts(np.sqrt(moments.variance))
            return Noise(deviation**2, self._over_prompts(moments.third))
        return Noise(
            self._over_independent(moments.variance, 2), self._over_independent(moments.third, 3)
        )

    def single(self) -> SingleComparison | None:
        """Return the only two shares there are, each estimated on its own; None if there are more.

        Such estimates are a little off near 50%; over many that adds up, for one it is small
        beside the noise.
        """
        if len(self._of) != 1:
            return None
        reads = [self._generated, self._training]
        sides = [None if read.known else read.bounds() for read in reads]
        one, two = (
            float((np.abs(read.signed) if side is None else side.estimate)[0])
            for read, side in zip(reads, sides, strict=True)
        )
        apart = 1.0
        if self._nested:
            rest = read_rest(*self._sides, self.used)
            apart = float(rest.left[0] / self._training.total[0])
            sides[1] = rest.read.bounds()
        return SingleComparison(one - two, sides[0], sides[1], apart * self.pairing())

    def separate(self, confidence: float) -> Interval | None:
        """Return the interval of the difference of both scores, each estimated on its own.

        Where a side may be even, or shows one group only, what the sides have in common says little
        about the difference; both intervals joined (MOVER) do. None elsewhere, and where one side
        is a part of the other.

        Args:
            confidence: Of the interval.

        Reference: Zou and Donner (2008), Statistics in Medicine 27.
        """
        if self._nested:
            return None
        one, two = (self._score(side, confidence) for side in self._sides)
        if not (_is_at_end(one) or _is_at_end(two)):
            return None
        difference, alike = one.value - two.value, self.correlation()
        return Interval(
            max(difference - _reach(one, two, alike), -1.0),
            min(difference + _reach(two, one, alike), 1.0),
        )

    def _score(self, side: CountedSide, confidence: float) -> ImbalanceScore:
        cells, weight = self.used, self._share / self.n
        if side.shared:
            cells = np.zeros_like(self.used)
            cells[np.arange(len(self.used)), self.used.argmax(axis=1)] = self._rows
            weight = np.full(self.n, 1 / self.n)
        first, total = side.first[cells], side.total[cells]
        if np.isinf(total).all():
            known = float(weight @ np.abs(side.signed[cells]))
            return ImbalanceScore(known, Interval(known, known))
        found = imbalance_score(first, total, weight, confidence=confidence)
        if balance_p_value(first, total) <= (1 - confidence) / 2:
            return found
        return ImbalanceScore(found.value, Interval(0.0, found.interval.high))

    def scale(self, error: float) -> TwoWayScale:
        """Return what differences stand for.

        Args:
            error: Standard error of the mean difference that is due to images.
        """
        sizes = [_harmonic(read.total) for read in (self._generated, self._training)]
        # Squares: a side counted three times as well gets nearly all the trust.
        trust = 1.0 if math.isinf(sizes[1]) else sizes[1] ** 2 / (sizes[0] ** 2 + sizes[1] ** 2)
        if trust > _ALL:
            return TwoWayScale(self._one_way(error, forward=True), None, 1.0)
        back = self._one_way(error, forward=False)
        if trust < 1 - _ALL:
            return TwoWayScale(None, back, 0.0)
        return TwoWayScale(self._one_way(error, forward=True), back, trust)

    def _one_way(self, error: float, *, forward: bool) -> OneWayScale:
        """Return the scale that starts from training data, or (not forward) from generated."""
        better, other = self._generated, self._training
        side, other_side = self._sides
        if forward:
            better, other, side, other_side = other, better, other_side, side
        weight = self._share / self.n
        scale = AmplificationScale(_points(better, weight, self._size))
        observed = float(self.difference.mean()) * (1 if forward else -1)
        whole = float(scale.shift.read(np.array(max(observed, error, 1e-9))))
        shift = _directed_shift(better, other, weight, nested=self._nested and forward)
        directed = min(max(shift / whole, 0.0), 1.0) if whole > 0 else 0.0
        variance = float(self._side_noise(side, better.noise).variance.sum()) / self.n**2
        units = self.n if other_side.shared else self.n**2 / float((self._share**2).sum())
        return OneWayScale(scale, variance, units, self._nested, directed)


class MatchedAnswer(NamedTuple):
    """Amplification between -1 and 1, its interval and test, and each occupation's part in it."""

    value: float
    interval: Interval
    p_value: float
    per_item: FloatArray


def answer(matched: MatchedSides, *, random: bool, confidence: float) -> MatchedAnswer:
    """Estimate amplification with interval and p-value of one model.

    Args:
        matched: Both sides.
        random: Whether occupations stand for others, or for themselves.
        confidence: Of the interval.
    """
    k, each = matched.n, matched.difference
    if not k:
        return MatchedAnswer(math.nan, UNKNOWN, math.nan, each)
    mean, noise = float(each.mean()), matched.noise()
    error = math.sqrt(float(noise.variance.sum())) / k
    alike = k > 1 and float(each.std()) < 1e-9
    scale = matched.scale(error)
    single = None if random else matched.single()
    if single is not None:
        value, (low, high) = scale.read(mean), single.interval(confidence)
        bounds = Interval(min(low, value), max(high, value))
        return MatchedAnswer(value, bounds, single.p_value(), np.array([value]))
    if not random or alike:
        bounds, p_value = _over_images(scale, mean, confidence, matched)
    elif k == 1:
        bounds, p_value = _Tested(UNKNOWN, math.nan)
    else:
        bounds, p_value = _over_occupations(each, noise, confidence)
    value = scale.read(mean)
    if math.isnan(bounds.low):
        return MatchedAnswer(value, UNKNOWN, p_value, value + each - mean)
    spread = error if not random or alike else float(each.std(ddof=1)) / math.sqrt(k)
    z = float(ndtri(0.5 + confidence / 2))
    interval = _joined(
        scale.interval(mean, bounds, z=z, error=spread),
        value,
        matched.separate(confidence),
        rejected=p_value <= 1 - confidence,
    )
    near = max(error, 1e-6)
    slope = (scale.read(mean + near) - scale.read(mean - near)) / (2 * near)
    return MatchedAnswer(value, interval, p_value, value + slope * (each - mean))


def _is_at_end(score: ImbalanceScore) -> bool:
    """Tell whether a score may be that of complete balance, or that of one group only."""
    return score.interval.low <= 0 or score.interval.high >= 1


def _reach(lower: ImbalanceScore, upper: ImbalanceScore, alike: float) -> float:
    """Return how much less one score and more the other may be, together.

    An end at which a score can go no further is all of its error: a score of complete balance is
    estimated too large in every sample. Such errors add up; others are as independent as images.
    """
    down, up = lower.value - lower.interval.low, upper.interval.high - upper.value
    if lower.interval.low <= 0 or upper.interval.high >= 1:
        return down + up
    return math.sqrt(down**2 + up**2 - 2 * alike * down * up)


def _joined(
    interval: Interval, value: float, separate: Interval | None, *, rejected: bool
) -> Interval:
    """Return an interval whose ends are not nearer than both sides on their own say.

    Where the test rejects a difference of 0, the end towards 0 is the test's, and stays.
    """
    low, high = interval
    if separate is not None and not (rejected and value < 0):
        high = max(high, separate.high)
    if separate is not None and not (rejected and value > 0):
        low = min(low, separate.low)
    return Interval(max(min(low, value), -1.0), min(max(high, value), 1.0))


class _Tested(NamedTuple):
    """Bounds of a mean difference, and its p-value against 0."""

    bounds: Interval
    p_value: float


def _over_occupations(each: FloatArray, noise: Noise, confidence: float) -> _Tested:
    """Return Student's bounds and p-value, corrected for the skewness that folding brings.

    Reference: Hall (1992), On the removal of skewness by transformation, JRSS B 54.
    """
    k, mean, spread = each.size, float(each.mean()), float(each.std(ddof=1))
    total = max(spread**2, float(noise.variance.mean()))
    skew = float(noise.third.mean()) / total**1.5 if k > 2 else 0.0
    skew *= 0.5 if k <= _HANDFUL else 1.0
    skew = math.copysign(max(abs(skew), 1e-6), skew)
    quantile = float(stdtrit(k - 1, 0.5 + confidence / 2))
    low, high = (
        mean - spread * 3 / skew * (float(np.cbrt(1 + skew * (q / k**0.5 - skew / (6 * k)))) - 1)
        for q in (quantile, -quantile)
    )
    at = ((1 + skew * mean / spread / 3) ** 3 - 1) / skew + skew / (6 * k)
    p_value = 2 * float(stdtr(k - 1, -abs(at) * math.sqrt(k)))
    return _Tested(Interval(low, high), p_value)


def _over_images(
    scale: TwoWayScale, mean: float, confidence: float, matched: MatchedSides
) -> _Tested:
    """Return bounds and p-value where only images are a sample."""
    mean = 0.0 if abs(mean) < _LEAST_MEAN else mean
    pairing, ratio, skew = matched.pairing(), 1.0, 0.0
    apart = reached = _reached(scale, mean)
    null, own = matched.null_noise(), float(matched.noise().variance.sum())
    if null is not None and null.variance > 0:
        apart = abs(mean) * matched.n / math.sqrt(float(null.variance))
        ratio = math.sqrt(float(null.variance) / own) if own > 0 else 1.0
        skew = float(null.third) / float(null.variance) ** 1.5
        skew = min(max(skew, -_MOST_SKEW), _MOST_SKEW)
    z, side = float(ndtri(0.5 + confidence / 2)), -1 if mean < 0 else 1
    deviate = min(_straightened(apart, skew * side), _SURE)
    p_value = min(2 * float(ndtr(-deviate)), 1.0) if mean else 1.0
    rejected = p_value <= 1 - confidence
    # The scale has an error of its own at 0; the test is not contradicted by it.
    ratio = min(ratio, reached / apart) if rejected else ratio

    def near(side: int) -> float:
        reach = _skewed(z, skew * side)
        return _near_end(scale, mean, reach, ratio, pairing, side=side, rejected=rejected)

    if not mean:
        return _Tested(Interval(near(1), near(-1)), p_value)
    far = scale.bounds(mean, pairing * _skewed(z, -skew * side))[1 if mean > 0 else 0]
    ends = (near(1), far) if mean > 0 else (far, near(-1))
    return _Tested(Interval(*ends), p_value)


def _reached(scale: TwoWayScale, mean: float) -> float:
    """Return the standard deviations at which bounds of a difference reach 0, by bisection."""
    least, most = 0.0, _FARTHEST
    for _ in range(40):
        middle = (least + most) / 2
        low, high = scale.bounds(mean, middle)
        least, most = (least, middle) if low <= 0 <= high else (middle, most)
    return least


def _near_end(
    scale: TwoWayScale,
    mean: float,
    reach: float,
    null: float,
    own: float,
    *,
    side: int,
    rejected: bool,
) -> float:
    """Return the end of the interval that is towards 0, or beyond it.

    A difference has its error without amplification at 0, and its own at the estimate; in between
    both are mixed. As far beyond 0 as the estimate is, the error is its own again, if larger.

    Args:
        scale: What differences stand for.
        mean: The difference as observed.
        reach: Standard deviations.
        null: The error without amplification, over that of unpaired images at the estimate.
        own: The error at the estimate, likewise.
        side: 1 if the end is the lower one, -1 if it is the upper one.
        rejected: What the test says of 0.
    """

    def end(part: float, least: float) -> float:
        wide = reach * math.sqrt(max((1 - part) * null**2 + part * own**2, least))
        found = scale.bounds(mean, wide)[0 if side > 0 else 1]
        return found if rejected else -side * max(-side * found, 0.0)

    near = end(0.0, 0.0)
    for _ in range(8):
        part = min(abs(near / mean), 1.0) if mean else 1.0
        moved = end(part, 0.0 if rejected else null**2)
        near = near if rejected and moved * mean <= 0 else moved
    return near


def _skewed(z: float, skew: float) -> float:
    """Return a quantile of a skewed distribution in place of a normal one, at least 0.

    It is that of a gamma distribution, by Wilson and Hilferty (1931), PNAS 17: it rises with z.
    """
    if abs(skew) < _LEAST_SKEW:
        return z
    return max(2 / skew * ((1 + skew * z / 6 - skew**2 / 36) ** 3 - 1), 0.0)


def _straightened(quantile: float, skew: float) -> float:
    """Return the normal quantile of which `_skewed` makes this one."""
    if abs(skew) < _LEAST_SKEW:
        return quantile
    return (float(np.cbrt(1 + skew * quantile / 2)) - 1 + skew**2 / 36) * 6 / skew


def _harmonic(total: FloatArray) -> float:
    return float("inf") if np.isinf(total).all() else float(1 / np.mean(1 / total))


def _points(read: SideRead, weight: FloatArray, size: FloatArray) -> Points:
    """Return where a side's shares lie, cells with (nearly) the same number of images together."""
    near = np.where(size <= 40, size, np.round(1.05 ** np.round(np.log(size) / np.log(1.05))))
    if read.known:
        return Points(read.imbalance[:, 0], weight, near)
    sizes, of = np.unique(near, return_inverse=True)
    held = np.zeros((sizes.size, GRID.size))
    np.add.at(held, of.reshape(-1), weight[:, None] * read.chance)
    return Points(np.tile(GRID, sizes.size), held.reshape(-1), np.repeat(sizes, GRID.size))


def _directed_shift(
    better: SideRead, other: SideRead, weight: FloatArray, *, nested: bool
) -> float:
    """Return by how much the other side leans further to the group that the better side shows."""
    seen = float(weight @ (np.sign(better.signed) * other.signed))
    imbalance, total = better.imbalance, better.total[:, None]
    spread = np.sqrt(np.maximum(1 - imbalance**2, 1e-12) / total)
    right = np.where(imbalance > 0, 2 * ndtr(imbalance / np.maximum(spread, 1e-12)) - 1, 0.0)
    # Images of a part lean with the whole by chance, too: they are in it.
    expected = expected_imbalance(imbalance, total) if nested else right * imbalance
    still = float(weight @ (better.chance * expected).sum(axis=1))
    certain = float(weight @ (better.chance * right).sum(axis=1))
    return (seen - still) / certain if certain > 1e-6 else 0.0
