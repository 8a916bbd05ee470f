"""Two models on the same prompts: differences of shares, of means, and of any two estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.change_estimates import Estimate, attribute_estimate, image_estimate
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.relabelling import PairedCounts, relabel

PromptUnit = Literal["prompt", "image"]
PROMPT_UNITS: tuple[PromptUnit, ...] = ("prompt", "image")
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class DifferenceResult:
    """A number of two models, and how far the second one's is from the first one's.

    Attributes:
        first: Of the first model: the mean over prompts with values of both models.
        second: Of the second one.
        value: second - first.
        interval: Of the difference; holds 0 exactly where p_value is above 1 - confidence.
        p_value: Two-sided, of no difference.
        standard_error: Of the difference; of two intervals, that of the wider side.
        degrees_of_freedom: Of the standard error; infinite for a normal distribution.
        unit: What the answer generalises to: other prompts, or other images of these.
        n_prompts: Prompts that are compared.
        n_first: Values of the first model that are compared.
        n_second: Values of the second one.
        n_pairs: Of these, pairs of the same prompt and seed.
        exact: Whether p counts every relabelling.
        reach: How far a difference can be from 0; infinite where nothing bounds it.
    """

    first: float
    second: float
    value: float
    interval: Interval
    p_value: float
    standard_error: float
    degrees_of_freedom: float
    unit: PromptUnit
    n_prompts: int = 0
    n_first: int = 0
    n_second: int = 0
    n_pairs: int = 0
    exact: bool = False
    reach: float = math.inf


def share_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator,
    paired: bool = True,
    unit: PromptUnit = "prompt",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> DifferenceResult:
    """Compare the share of a group between two models that were given the same prompts.

    Rows are prompts, columns seeds; 1 is an image of the group, 0 one of another group, NaN one
    without a known group. Every prompt counts alike, whatever its number of images; prompts without
    a known image of either model are left out. From -1 to 1; nothing to compare: NaN.

    `prompt` asks about other prompts of the same sort: Student's t over the prompts' differences,
    for p and interval. With one prompt, or where all prompts differ by the same, that says nothing,
    and `image` takes its place. `image` asks about other images of these prompts: which model an
    image is from is shuffled within each prompt (`portrayal.statistics.relabelling`), mid-p;
    images of one seed change places with each other. The interval's near end is where that test
    would stop rejecting, the far end takes the standard error of Agresti and Caffo, less what
    pairs of one seed share. So p and interval agree.

    Args:
        first: Groups of the first model's images.
        second: Groups of the second one's, same prompts.
        rng: Source of the draws.
        paired: Whether columns are the same seeds in both; if not, their numbers may differ.
        unit: What the answer generalises to.
        resamples: Largest number of relabellings to enumerate, and how many to draw beyond.
        confidence: Of the interval.

    References: Agresti and Caffo (2000), The American Statistician 54; Miller (2024), Adding error
    bars to evals, arXiv 2411.00640, for paired differences clustered by question.

    >>> first, second = [[1, 1, 1, 0], [1, 1, 0, 0]], [[1, 0, 0, 0], [1, 0, 0, 0]]
    >>> found = share_difference(first, second, rng=np.random.default_rng(0), unit="image")
    >>> found.first, found.second, found.value, found.n_pairs, found.p_value
    (0.625, 0.25, -0.375, 8, 0.125)
    """
    check_rng(rng)
    check_resamples(resamples)
    sides = _Sides.of(first, second, paired=paired)
    _check_choices(unit, confidence)
    for name, values in (("first", sides.first), ("second", sides.second)):
        wrong = ~(np.isnan(values) | (values == 0) | (values == 1))
        if wrong.any():
            raise StatisticsError(
                f"{name} holds {values[wrong][0]}; allowed: 1 (of the group), 0 (of another), "
                "NaN (unknown)"
            )
    if not len(sides.first):
        return _nothing(unit, reach=1.0)
    pairs = PairedCounts.of(sides.first, sides.second)
    before, after = pairs.first_before / pairs.n_before, pairs.first_after / pairs.n_after
    weights = np.full(len(before), 1 / len(before))
    value = float(weights @ (after - before))
    by_prompt = unit == "prompt"
    found = (
        attribute_estimate(weights, after - before, confidence=confidence) if by_prompt else None
    )
    if found is None:
        relabelled = relabel(pairs, resamples=resamples, rng=rng)
        null = relabelled.first_after / pairs.n_after - relabelled.first_before / pairs.n_before
        error, freedom = pairs.standard_error(weights, sides.correlation()), math.inf
        found = image_estimate(relabelled, null @ weights, value, error, confidence=confidence)
        unit = "image"
    else:
        error, freedom = _t_error(found, confidence, len(before) - 1), len(before) - 1.0
    return _result(sides, found, error, freedom, unit, reach=1.0)


def mean_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    paired: bool = True,
    unit: PromptUnit = "prompt",
    confidence: float = 0.95,
) -> DifferenceResult:
    """Compare the mean of a number between two models that were given the same prompts.

    As `share_difference`, for numbers of any size. `image` takes Student's t with the variance of
    images within their prompts, less what pairs of one seed share. Numbers that do not vary: NaN.

    Args:
        first: Numbers of the first model's images: rows are prompts, columns seeds, NaN is missing.
        second: Those of the second one, same prompts.
        paired: Whether columns are the same seeds in both.
        unit: What the answer generalises to.
        confidence: Of the interval.

    >>> found = mean_difference([[1.0, 2.0], [3.0, 5.0]], [[2.0, 3.0], [5.0, 7.0]])
    >>> found.value, round(found.p_value, 3)
    (1.5, 0.205)
    """
    sides = _Sides.of(first, second, paired=paired)
    _check_choices(unit, confidence)
    if not len(sides.first):
        return _nothing(unit)
    changes = np.nanmean(sides.second, axis=1) - np.nanmean(sides.first, axis=1)
    weights = np.full(len(changes), 1 / len(changes))
    if unit == "prompt":
        found = attribute_estimate(weights, changes, confidence=confidence)
        if found is not None:
            freedom = len(changes) - 1
            error = _t_error(found, confidence, freedom)
            return _result(sides, found, error, float(freedom), "prompt")
    error, freedom = sides.image_error(weights)
    value = float(weights @ changes)
    if not error > _SAME * max(abs(value), 1.0) or freedom < 1:
        none = Estimate(value, UNKNOWN, math.nan, False)
        return _result(sides, none, math.nan, math.nan, "image")
    reach = float(stats.t.ppf(0.5 + confidence / 2, freedom)) * error
    p_value = float(2 * stats.t.sf(abs(value) / error, freedom))
    found = Estimate(value, Interval(value - reach, value + reach), p_value, False)
    return _result(sides, found, error, float(freedom), "image")


def estimate_difference(
    first: float,
    first_interval: Interval,
    second: float,
    second_interval: Interval,
    *,
    unit: PromptUnit = "prompt",
    confidence: float = 0.95,
) -> DifferenceResult:
    """Compare two estimates by their intervals: any statistic of two models.

    Zou and Donner's interval (MOVER): each end takes the parts of both intervals that face it, so
    that lopsided intervals stay lopsided, and the difference stays in its range. p is that of the
    interval whose end is 0, with ends that move as those of a normal distribution. It takes the two
    estimates as independent; where both models answer the same prompts they are rather alike, and
    the interval is wider than need be. NaN in: NaN out.

    Args:
        first: Estimate of the first model.
        first_interval: Its interval.
        second: Estimate of the second one.
        second_interval: Its interval.
        unit: What both intervals generalise to.
        confidence: Of both intervals, and of the new one.

    Reference: Zou and Donner (2008), Statistics in Medicine 27.

    >>> found = estimate_difference(0.2, Interval(0.1, 0.4), 0.5, Interval(0.3, 0.6))
    >>> round(found.value, 2), round(found.interval.low, 3), round(found.interval.high, 3)
    (0.3, 0.017, 0.441)
    """
    _check_choices(unit, confidence)
    value = second - first
    below = math.hypot(second - second_interval.low, first_interval.high - first)
    above = math.hypot(second_interval.high - second, first - first_interval.low)
    if any(math.isnan(one) for one in (value, below, above)):
        return DifferenceResult(first, second, value, UNKNOWN, math.nan, math.nan, math.nan, unit)
    facing = below if value > 0 else above
    quantile = float(stats.norm.ppf(0.5 + confidence / 2))
    p_value = float(2 * stats.norm.sf(quantile * abs(value) / facing)) if facing > 0 else 0.0
    p_value = 1.0 if abs(value) <= _SAME else p_value
    interval = Interval(value - below, value + above)
    error = max(below, above) / quantile
    return DifferenceResult(first, second, value, interval, p_value, error, math.inf, unit)


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Values of both models, one row per prompt that both have, columns that belong together."""

    first: FloatArray
    second: FloatArray

    @classmethod
    def of(cls, first: ArrayLike, second: ArrayLike, *, paired: bool) -> _Sides:
        x, y = _table("first", first), _table("second", second)
        if len(x) != len(y) or (paired and x.shape != y.shape):
            what = "prompts (rows) and seeds (columns)" if paired else "prompts (rows)"
            raise StatisticsError(
                f"first has shape {x.shape} and second {y.shape}; allowed: the same {what} in both"
            )
        if not paired:
            x, y = (
                np.hstack([x, np.full(y.shape, np.nan)]),
                np.hstack([np.full(x.shape, np.nan), y]),
            )
        both = (~np.isnan(x)).any(axis=1) & (~np.isnan(y)).any(axis=1)
        return cls(x[both], y[both])

    def correlation(self) -> FloatArray:
        """Return how alike the two shares of each prompt are, from pairs of one seed.

        The correlation within prompts is pooled over prompts: few seeds cannot tell their own. Two
        pairs that have nothing in common are added, so that few that agree are no proof.
        """
        both = ~np.isnan(self.first) & ~np.isnan(self.second)
        paired = both.sum(axis=1)
        rests = []
        for side in (self.first, self.second):
            values = np.where(both, side, 0.0)
            mean = values.sum(axis=1) / np.maximum(paired, 1)
            rests.append(np.where(both, side - mean[:, None], 0.0))
        spreads = [float((rest**2).sum()) + 0.5 for rest in rests]
        pooled = float((rests[0] * rests[1]).sum()) / math.sqrt(spreads[0] * spreads[1])
        counts = [(~np.isnan(side)).sum(axis=1) for side in (self.first, self.second)]
        return np.asarray(pooled * paired / np.sqrt(counts[0] * counts[1]))

    def image_error(self, weights: FloatArray) -> tuple[float, int]:
        """Return the standard error of a weighted mean over prompts, and its degrees of freedom.

        Variances within prompts are pooled over prompts: one image of a prompt has none.
        """
        known = [~np.isnan(side) for side in (self.first, self.second)]
        counts = [one.sum(axis=1) for one in known]
        rests = [
            np.where(there, side - np.nanmean(side, axis=1, keepdims=True), 0.0)
            for there, side in zip(known, (self.first, self.second), strict=True)
        ]
        freedom = [int((n - 1).sum()) for n in counts]
        both = known[0] & known[1]
        shared = int(np.maximum(both.sum(axis=1) - 1, 0).sum())
        if min(freedom) < 1:
            return math.nan, 0
        variances = [float((rest**2).sum()) / n for rest, n in zip(rests, freedom, strict=True)]
        together = float((rests[0] * rests[1] * both).sum()) / shared if shared else 0.0
        spread = (
            variances[0] / counts[0]
            + variances[1] / counts[1]
            - 2 * together * both.sum(axis=1) / (counts[0] * counts[1])
        )
        return math.sqrt(max(float(weights**2 @ spread), 0.0)), min(freedom)


def _table(name: str, values: ArrayLike) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} is no table of numbers; allowed: rows of equal length, NaN for what is missing"
        ) from error
    if array.ndim != 2:
        raise StatisticsError(f"{name} has shape {array.shape}; allowed: (prompts, seeds)")
    if np.isinf(array).any():
        raise StatisticsError(f"{name} holds an infinite number; allowed: finite numbers, or NaN")
    return array


def _check_choices(unit: str, confidence: float) -> None:
    check_fraction("confidence", confidence)
    check_option("unit", unit, PROMPT_UNITS)


def _t_error(found: Estimate, confidence: float, freedom: int) -> float:
    return (found.interval.high - found.value) / float(stats.t.ppf(0.5 + confidence / 2, freedom))


def _nothing(unit: PromptUnit, *, reach: float = math.inf) -> DifferenceResult:
    nan = math.nan
    return DifferenceResult(nan, nan, nan, UNKNOWN, nan, nan, nan, unit, reach=reach)


def _result(
    sides: _Sides,
    found: Estimate,
    error: float,
    freedom: float,
    unit: PromptUnit,
    *,
    reach: float = math.inf,
) -> DifferenceResult:
    known = [~np.isnan(side) for side in (sides.first, sides.second)]
    low, high = (min(max(end, -reach), reach) for end in found.interval)
    interval = found.interval if math.isnan(found.interval.low) else Interval(low, high)
    return DifferenceResult(
        float(np.nanmean(sides.first, axis=1).mean()),
        float(np.nanmean(sides.second, axis=1).mean()),
        found.value, interval, found.p_value, error, freedom, unit,
        len(sides.first), int(known[0].sum()), int(known[1].sum()),
        int((known[0] & known[1]).sum()), found.exact, reach,
    )  # fmt: skip
