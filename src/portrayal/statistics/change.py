"""What an intervention changes: the same attributes and seeds, before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import (
    check_fraction,
    check_option,
    check_resamples,
    check_rng,
)
from portrayal.statistics.counts import FloatArray, Intervals, wilson
from portrayal.statistics.diversity import pooled_imbalance
from portrayal.statistics.imbalance import LIKELY_BALANCE, RARE_BALANCE, draw_imbalance
from portrayal.statistics.intervals import UNKNOWN, Interval
from portrayal.statistics.swaps import PairCounts, Swaps, swap_attributes, swap_images

Unit = Literal["attribute", "image"]
UNITS: tuple[Unit, ...] = ("attribute", "image")
_BALANCES = (LIKELY_BALANCE, RARE_BALANCE)
_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after.

    Attributes:
        before: Without the intervention.
        after: With it.
        value: after - before.
        interval: Of the change.
        p_value: Two-sided.
        exact: Whether all swaps were enumerated.
    """

    before: float
    after: float
    value: float
    interval: Interval
    p_value: float
    exact: bool


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """The bias of one attribute before and after.

    Attributes:
        name: Of the attribute.
        bias: Its bias score (Eq. 2), and the change; the p-value swaps images of one seed.
        n_before: Images judged without the intervention.
        n_after: Images judged with it.
        flipped: Whether the leading group changed.
        flip_certain: Whether, besides, neither interval of the two biases holds 0.
    """

    name: str
    bias: Change
    n_before: int
    n_after: int
    flipped: bool
    flip_certain: bool


@dataclass(frozen=True, slots=True)
class PairedChangeResult:
    """What an intervention changed.

    Attributes:
        diversity: Eq. 1 over all attributes.
        bias: Mean of Eq. 2 over attributes judged on both sides.
        attributes: Eq. 2 of every attribute.
        flips: Names of attributes whose leading group changed.
        n: Pairs of images of one attribute and seed, both judged.
        n_missing: Pairs of which one or both images were not judged.
        unit: What was swapped and drawn.
    """

    diversity: Change
    bias: Change
    attributes: tuple[AttributeChange, ...]
    flips: tuple[str, ...]
    n: int
    n_missing: int
    unit: Unit


def paired_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    rng: np.random.Generator,
    attributes: Sequence[str] | None = None,
    unit: Unit = "attribute",
    resamples: int = 9999,
    confidence: float = 0.95,
) -> PairedChangeResult:
    """Compare images without and with an intervention, made from the same seeds.

    Rows are attributes, columns seeds; 1 is an image of the first group, 0 of the second, NaN one
    that was not judged. Changes are after - before: a negative change of diversity means more
    diverse, a positive change of bias means towards the first group. Diversity changes run from -1
    to 1, bias changes from -2 to 2. Nothing judged on a side: NaN.

    p-values: if the intervention does nothing, before and after can change places. `attribute`
    swaps whole attributes, and so asks whether the intervention works beyond the attributes tried
    (with k attributes, no p is below 2 / 2^k); `image` swaps single pairs, and asks whether it did
    anything at all to these. All swaps are enumerated when there are at most `resamples`, else
    drawn, p = (b + 1) / (m + 1). Intervals match: new attributes, or new images of these. The
    interval of diversity is freed of what chance adds at small n as in `diversity_score` (and holds
    the change as published); intervals of single biases are Newcombe's for paired shares, with the
    correlation scaled down where not every seed was judged on both sides.

    Args:
        before: Groups of the images without the intervention.
        after: Groups with it, same shape.
        rng: Source of the draws.
        attributes: Names of the rows; None: their numbers.
        unit: What is swapped and drawn.
        resamples: Largest number of swaps to enumerate, and how many to draw beyond.
        confidence: Of the intervals.

    References: Bansal et al. (2022), Eq. 1 and 2; Newcombe (1998), Improved confidence intervals
    for the difference between binomial proportions based on paired data, Statistics in Medicine
    17, method 10.

    >>> before, after = [[1, 1, 1, 1], [1, 1, 1, 0]], [[1, 0, 1, 0], [0, 0, 0, 1]]
    >>> result = paired_change(before, after, rng=np.random.default_rng(0), attributes=["a", "b"])
    >>> result.diversity.value, result.bias.value, result.flips
    (-0.5, -1.0, ('b',))
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    check_option("unit", unit, UNITS)
    check_resamples(resamples)
    x, y = _groups("before", before), _groups("after", after)
    if x.shape != y.shape:
        raise StatisticsError(
            f"before has shape {x.shape} and after {y.shape}; allowed: the same attributes (rows) "
            "and seeds (columns) in both"
        )
    names = tuple(str(name) for name in (range(len(x)) if attributes is None else attributes))
    if len(names) != len(x):
        raise StatisticsError(
            f"attributes has {len(names)} names; allowed: one for each of {len(x)}"
        )
    pairs = PairCounts.of(x, y)
    single = _attribute_changes(pairs, names, resamples=resamples, confidence=confidence, rng=rng)
    make = swap_attributes if unit == "attribute" else swap_images
    swaps = make(pairs, resamples=resamples, rng=rng)
    n = int((~np.isnan(x) & ~np.isnan(y)).sum())
    return PairedChangeResult(
        diversity=_diversity_change(pairs, swaps, unit=unit, confidence=confidence, rng=rng),
        bias=_bias_change(swaps, single, unit=unit, confidence=confidence),
        attributes=single,
        flips=tuple(change.name for change in single if change.flipped),
        n=n,
        n_missing=x.size - n,
        unit=unit,
    )


def _groups(name: str, values: ArrayLike) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"{name} is no table of numbers; allowed: rows of equal length with 1, 0 or NaN"
        ) from error
    if array.ndim != 2:
        raise StatisticsError(f"{name} has shape {array.shape}; allowed: (attributes, seeds)")
    wrong = ~(np.isnan(array) | (array == 0) | (array == 1))
    if wrong.any():
        raise StatisticsError(
            f"{name} holds {array[wrong][0]}; allowed: 1 (first group), 0 (second), NaN (unjudged)"
        )
    return array


def _diversity_change(
    pairs: PairCounts, swaps: Swaps, *, unit: Unit, confidence: float, rng: np.random.Generator
) -> Change:
    before = float(pooled_imbalance(pairs.first_before, pairs.second_before))
    after = float(pooled_imbalance(pairs.first_after, pairs.second_after))
    value = after - before
    if math.isnan(value):
        return Change(before, after, value, UNKNOWN, math.nan, swaps.exact)
    p_value = swaps.p_value(
        pooled_imbalance(swaps.first_after, swaps.second_after)
        - pooled_imbalance(swaps.first_before, swaps.second_before),
        value,
    )
    k = pairs.first_before.size
    if unit == "attribute" and k < 2:
        return Change(before, after, value, UNKNOWN, p_value, swaps.exact)
    # Both sides draw the same attributes: the comparison stays paired.
    times = rng.multinomial(k, np.full(k, 1 / k), size=_DRAWS) if unit == "attribute" else 1.0
    (likely_after, rare_after), (likely_before, rare_before) = (
        [_drawn_score(first, second, times, balance, rng) for balance in _BALANCES]
        for first, second in (
            (pairs.first_after, pairs.second_after),
            (pairs.first_before, pairs.second_before),
        )
    )
    low = np.nanquantile(likely_after - rare_before, (1 - confidence) / 2)
    high = np.nanquantile(rare_after - likely_before, (1 + confidence) / 2)
    interval = Interval(min(float(low), value), max(float(high), value))
    return Change(before, after, value, interval, p_value, swaps.exact)


def _drawn_score(
    first: FloatArray,
    second: FloatArray,
    times: NDArray[np.int64] | float,
    balance: float,
    rng: np.random.Generator,
) -> FloatArray:
    total = first + second
    imbalance = np.zeros((_DRAWS, total.size))
    judged = total > 0
    imbalance[:, judged] = draw_imbalance(
        first[judged], total[judged], rng=rng, draws=_DRAWS, balance=balance
    )
    weight = np.broadcast_to(times * total, imbalance.shape)
    whole = weight.sum(axis=1)
    score = np.full(_DRAWS, np.nan)
    np.divide((weight * imbalance).sum(axis=1), whole, out=score, where=whole > 0)
    return score


def _mean_bias_change(counts: Swaps) -> FloatArray:
    """Return each row's mean over attributes judged on both sides; NaN where there is none."""
    total_before = counts.first_before + counts.second_before
    total_after = counts.first_after + counts.second_after
    both = (total_before > 0) & (total_after > 0)
    before = (counts.first_before - counts.second_before) / np.maximum(total_before, 1)
    after = (counts.first_after - counts.second_after) / np.maximum(total_after, 1)
    number = both.sum(axis=-1)
    change = ((after - before) * both).sum(axis=-1)
    return np.asarray(
        np.divide(change, number, out=np.full(number.shape, np.nan), where=number > 0)
    )


def _bias_change(
    swaps: Swaps,
    single: Sequence[AttributeChange],
    *,
    unit: Unit,
    confidence: float,
) -> Change:
    both = [change.bias for change in single if not math.isnan(change.bias.value)]
    if not both:
        return Change(math.nan, math.nan, math.nan, UNKNOWN, math.nan, swaps.exact)
    values = np.array([change.value for change in both])
    value = float(values.mean())
    if unit == "attribute":
        interval = UNKNOWN
        if len(both) > 1:
            spread = float(values.std(ddof=1)) / math.sqrt(len(both))
            reach = float(stats.t.ppf(0.5 + confidence / 2, len(both) - 1)) * spread
            interval = Interval(max(value - reach, -2.0), min(value + reach, 2.0))
    else:
        below = [change.value - change.interval.low for change in both]
        above = [change.interval.high - change.value for change in both]
        interval = Interval(
            value - math.hypot(*below) / len(both), value + math.hypot(*above) / len(both)
        )
    return Change(
        before=float(np.mean([change.before for change in both])),
        after=float(np.mean([change.after for change in both])),
        value=value,
        interval=interval,
        p_value=swaps.p_value(_mean_bias_change(swaps), value),
        exact=swaps.exact,
    )


def _attribute_changes(
    pairs: PairCounts,
    names: Sequence[str],
    *,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[AttributeChange, ...]:
    n_before = pairs.first_before + pairs.second_before
    n_after = pairs.first_after + pairs.second_after
    share_before = wilson(pairs.first_before, n_before, confidence=confidence)
    share_after = wilson(pairs.first_after, n_after, confidence=confidence)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = pairs.first_before / n_before, pairs.first_after / n_after
        bounds = _newcombe(p, q, share_before, share_after, pairs.correlation)
    certain = [_side(share_before, k) * _side(share_after, k) < 0 for k in range(len(names))]
    changes = []
    for k, name in enumerate(names):
        value = 2 * float(q[k] - p[k])
        swaps = swap_images(pairs.only(k), resamples=resamples, rng=rng)
        p_value = swaps.p_value(_mean_bias_change(swaps), value)
        interval = Interval(2 * float(bounds.low[k]), 2 * float(bounds.high[k]))
        bias = Change(
            2 * float(p[k]) - 1, 2 * float(q[k]) - 1, value, interval, p_value, swaps.exact
        )
        flipped = bias.before * bias.after < 0
        changes.append(
            AttributeChange(name, bias, int(n_before[k]), int(n_after[k]), flipped, certain[k])
        )
    return tuple(changes)


def _side(share: Intervals, k: int) -> int:
    """Return 1 or -1 when an interval lies on one side of one half, else 0."""
    return int(share.low[k] > 0.5) - int(share.high[k] < 0.5)


def _newcombe(
    p: FloatArray, q: FloatArray, low: Intervals, high: Intervals, correlation: FloatArray
) -> Intervals:
    """Return bounds of q - p from the bounds of p (`low`) and q (`high`) and their correlation."""
    down, up = q - high.low, high.high - q
    p_down, p_up = p - low.low, low.high - p
    below = np.sqrt(down**2 - 2 * correlation * down * p_up + p_up**2)
    above = np.sqrt(up**2 - 2 * correlation * up * p_down + p_down**2)
    return Intervals(q - p - below, q - p + above)
