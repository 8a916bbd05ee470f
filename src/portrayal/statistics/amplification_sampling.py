"""Amplification from counts: images as well as occupations are a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.amplification import SWITCHING, Switching, switches
from portrayal.statistics.checks import check_fraction, check_option, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.imbalance import draw_imbalance
from portrayal.statistics.intervals import UNKNOWN, Interval

Occupations = Literal["random", "fixed"]
OCCUPATIONS: tuple[Occupations, ...] = ("random", "fixed")


@dataclass(frozen=True, slots=True, eq=False)
class AmplificationBootstrapResult:
    """Mean amplification over prompts and occupations, from counts.

    Attributes:
        mean: As in the paper: over occupations, then over prompts.
        interval: Accounts for images of both sides, and for the choice of occupations if random.
        p_value: Two-sided, of the same draws, so that it and the interval agree.
        corrected: The mean without what chance adds to percentages of few images.
        per_prompt: Mean over occupations of every prompt.
        n: Occupations counted for at least one prompt.
        n_images: Images counted.
        n_switched: Occupations that switch, summed over prompts.
        n_missing: Occupations without an image on one of the sides, summed over prompts.
        draws: Of the mean, from which the interval was read.
    """

    mean: float
    interval: Interval
    p_value: float
    corrected: float
    per_prompt: FloatArray
    n: int
    n_images: int
    n_switched: int
    n_missing: int
    draws: FloatArray = field(repr=False)


def amplification_bootstrap(
    generated: ArrayLike,
    training: ArrayLike,
    *,
    rng: np.random.Generator,
    switching: Switching = "exclude",
    occupations: Occupations = "random",
    resamples: int = 2000,
    confidence: float = 0.95,
) -> AmplificationBootstrapResult:
    """Return mean amplification with an interval that knows that percentages come from images.

    `|G - 50| - |T - 50|` per occupation and prompt, mean over occupations, then over prompts, in
    percentage points from -50 to 50; positive is amplified. Which occupations switch is decided by
    the counts as observed. |G - 50| of few images is too large by chance, and if one side has fewer
    images than the other, amplification appears or vanishes that is not there. So the true
    imbalances of all occupations on a side are drawn together from what the counts leave possible
    (`portrayal.statistics.imbalance`); `random` then draws occupations with replacement, each with
    all its prompts, `fixed` keeps them. For `random` interval and p-value are Student's, about the
    centre of the draws with their spread, repaired for few occupations as in `cluster_bootstrap`;
    for `fixed` they are read from the draws. The interval is widened to hold the mean as published.
    Nothing left: NaN; one occupation and `random`: no interval and no p-value.

    Args:
        generated: Images of the group and of the other, (occupations, 2) or (occupations, prompts,
            2).
        training: Likewise; (occupations, 2) serves all prompts.
        rng: Source of the draws.
        switching: What to do with occupations that switch, prompt by prompt.
        occupations: Whether they stand for others, or for themselves.
        resamples: How often to draw.
        confidence: Of the interval.

    References: The Bias Amplification Paradox in Text-to-Image Generation, section 3.3; Hesterberg
    (2015), What Teachers Should Know About the Bootstrap, section 5.3.

    >>> generated, training = [[50, 450], [400, 100]], [[125, 375], [350, 150]]
    >>> result = amplification_bootstrap(generated, training, rng=np.random.default_rng(0))
    >>> result.mean, result.n, result.n_images
    (12.5, 2, 2000)
    """
    check_fraction("confidence", confidence)
    check_option("switching", switching, SWITCHING)
    check_option("occupations", occupations, OCCUPATIONS)
    check_resamples(resamples)
    check_rng(rng)
    g, t = _by_prompt("generated", generated), _by_prompt("training", training)
    if g.shape[0] != t.shape[0] or t.shape[1] not in (1, g.shape[1]):
        raise StatisticsError(
            f"generated is (occupations, prompts) {g.shape[:2]} and training {t.shape[:2]}; "
            "allowed: the same occupations, and one training count or one per prompt"
        )
    percent_g, percent_t = _percent(g), _percent(t)
    per_item = np.abs(percent_g - 50) - np.abs(percent_t - 50)
    switched = switches(percent_g, percent_t)
    missing = np.isnan(per_item)
    used = ~missing & ~(switched & (switching == "exclude"))
    per_prompt = _column_means(per_item, used)
    mean = float(_row_mean(per_prompt))
    times = np.ones((resamples, len(g)))
    if occupations == "random":
        times = rng.multinomial(len(g), np.full(len(g), 1 / len(g)), size=resamples) * times
    drawn = 50 * (_draw(g, rng, resamples) - _draw(t, rng, resamples))
    draws = _row_mean(_column_means(drawn, times[..., None] * used))
    n = int(used.any(axis=1).sum())
    spread = (
        _few_units(draws, n, confidence)
        if occupations == "random"
        else _as_drawn(draws, confidence)
    )
    return AmplificationBootstrapResult(
        mean=mean,
        interval=_holding(spread.interval, mean),
        p_value=_p_value(spread, mean),
        corrected=spread.centre,
        per_prompt=per_prompt,
        n=n,
        n_images=int(g.sum() + t.sum()),
        n_switched=int(switched.sum()),
        n_missing=int(missing.sum()),
        draws=draws,
    )


class _DrawSummary(NamedTuple):
    """What draws say: their centre, an interval, and a two-sided p-value against 0."""

    centre: float
    interval: Interval
    p_value: float


def _few_units(draws: FloatArray, units: int, confidence: float) -> _DrawSummary:
    """Return Student's interval and p-value for draws of so many units."""
    known = draws[~np.isnan(draws)]
    centre = float(np.median(known)) if known.size else math.nan
    if units < 2:
        return _DrawSummary(centre, UNKNOWN, math.nan)
    error = math.sqrt(units / (units - 1)) * float(known.std())
    reach = float(stats.t.ppf(0.5 + confidence / 2, units - 1)) * error
    p_value = 2 * float(stats.t.sf(abs(centre) / error, units - 1)) if error else math.nan
    return _DrawSummary(centre, Interval(centre - reach, centre + reach), p_value)


def _as_drawn(draws: FloatArray, confidence: float) -> _DrawSummary:
    """Return the interval and twice the share of draws beyond 0, which is never quite 0."""
    known = draws[~np.isnan(draws)]
    if not known.size:
        return _DrawSummary(math.nan, UNKNOWN, math.nan)
    tails = [(1 - confidence) / 2, 0.5, (1 + confidence) / 2]
    low, centre, high = (float(value) for value in np.quantile(known, tails))
    beyond = int(min((known <= 0).sum(), (known >= 0).sum()))
    p_value = min(1.0, 2 * (beyond + 1) / (known.size + 1))
    return _DrawSummary(centre, Interval(low, high), p_value)


def _p_value(spread: _DrawSummary, mean: float) -> float:
    """Return the p-value; 1 where the published mean lies on the other side of 0."""
    apart = spread.centre * mean <= 0 and not math.isnan(spread.p_value)
    return 1.0 if apart else spread.p_value


def _holding(interval: Interval, value: float) -> Interval:
    return Interval(min(interval.low, value), max(interval.high, value))


def _by_prompt(name: str, values: ArrayLike) -> FloatArray:
    array = np.asarray(values)
    if array.ndim not in (2, 3) or array.shape[-1] != 2:
        raise StatisticsError(
            f"{name} has shape {array.shape}; allowed: (occupations, 2) or (occupations, prompts, "
            "2) with images of the group and of the other"
        )
    counts = as_counts(name, array, ndim=array.ndim)
    return counts[:, None] if array.ndim == 2 else counts


def _percent(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=-1)
    share = np.divide(counts[..., 0], total, out=np.full(total.shape, np.nan), where=total > 0)
    return np.asarray(100 * share)


def _draw(counts: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """Draw imbalances, (draws, occupations, prompts); prompts are drawn apart from each other."""
    total = counts.sum(axis=-1)
    drawn = np.zeros((draws, *total.shape))
    for prompt in range(total.shape[1]):
        seen = total[:, prompt] > 0
        if seen.any():
            first = counts[seen, prompt, 0]
            values = draw_imbalance(first, total[seen, prompt], rng=rng, draws=draws)
            drawn[:, seen, prompt] = values[:draws]
    return drawn


def _column_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weighted means over occupations (last axis but one); NaN where nothing has weight."""
    weight = np.asarray(weights, dtype=np.float64)
    whole = weight.sum(axis=-2)
    total = np.where(weight > 0, values, 0.0) * weight
    mean = np.full(whole.shape, np.nan)
    np.divide(total.sum(axis=-2), whole, out=mean, where=whole > 0)
    return mean


def _row_mean(values: FloatArray) -> FloatArray:
    """Return means over prompts that have one; NaN where none has."""
    present = ~np.isnan(values)
    number = present.sum(axis=-1)
    mean = np.full(number.shape, np.nan)
    np.divide(np.where(present, values, 0.0).sum(axis=-1), number, out=mean, where=number > 0)
    return mean
