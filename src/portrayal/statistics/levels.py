"""Whether group shares differ between the levels of a factor: Cramér's V over prompts or images."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.intervals import Interval

LevelUnit = Literal["prompt", "image"]

_UNSEEN = 0.3
"""Intraclass correlation of prompts that all show one group only, and so do not tell theirs."""
_MORE = 1.7
"""Units by which levels are smoothed, times the root of the number of levels."""
_SPREAD_OUT = 2.4
"""Units of all groups alike that all levels together get, for how much levels that differ vary."""
_FEW = 10.0
"""Units beyond one per level with which the spread within levels counts as half known."""


@dataclass(frozen=True, slots=True)
class LevelTest:
    """Whether groups and levels go together.

    Attributes:
        v: Cramér's V without what chance adds: 0, the same shares at every level, to 1.
        plug_in: Cramér's V as usually printed; chance makes it larger than 0 without a difference.
        interval: For V; its low end is 0 exactly where p_value is above 1 - confidence.
        p_value: Of the permutation test.
        n: Images.
        n_units: Prompts or images that were exchanged.
        unit: What was exchanged.
    """

    v: float
    plug_in: float
    interval: Interval
    p_value: float
    n: int
    n_units: int
    unit: LevelUnit


class _LevelSpread(NamedTuple):
    """How far shares lie apart between levels, and how far chance alone would put them apart.

    Attributes:
        between: Pearson's chi-square of levels x groups.
        chance: Its expectation without a difference, right on average.
        guarded: The same, never 0 because few units happen to agree; for the test and interval.
        moved: Variance of `between` that is due to levels that do lie apart.
    """

    between: FloatArray
    chance: FloatArray
    guarded: FloatArray
    moved: FloatArray

    @property
    def ratio(self) -> FloatArray:
        """The statistic of the test."""
        return np.asarray(self.between / self.guarded)


def level_test(
    counts: ArrayLike,
    levels: ArrayLike,
    *,
    by_prompt: bool,
    resamples: int = 9999,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> LevelTest | None:
    """Test whether group shares differ between levels, by exchanging prompts or images.

    Pearson's chi-square of levels x groups is compared with its expectation when levels have the
    same shares, which comes from how much units of one level differ (level by level, so that
    levels may be of different spread). Units are prompts where `by_prompt` and some level has more
    than one; otherwise images, and the answer holds for these prompts. The ratio of the two is the
    statistic, units are exchanged, p = (b + 1) / (m + 1). What exceeds the expectation gives V,
    bias-corrected. Fewer than two levels or groups that occur: None.

    The interval takes chi-square as noncentral, on the scale on which its critical value is that of
    the permutation test: so p and interval agree. Near V = 0 all of the error is spent on the low
    end, as the test does; further away half.

    Args:
        counts: Images: one row per prompt, one column per group.
        levels: The level of each prompt.
        by_prompt: Whether prompts are the units.
        resamples: Random exchanges.
        confidence: Of the interval for V.
        rng: Source of the exchanges.

    References: Bergsma (2013), J. Korean Statistical Society 42, for the bias of V; Brunner, Dette
    and Munk (1997), JASA 92, for the ratio; Puza and O'Neill (2006), Canadian J. Statistics 34,
    for the split of the error; Smithson (2003), Confidence Intervals.

    >>> rng = np.random.default_rng(0)
    >>> found = level_test([[9, 0], [8, 1], [1, 8], [0, 9]], "aabb", by_prompt=False, rng=rng)
    >>> round(found.v, 2), found.p_value < 0.001, found.unit
    (0.89, True, 'image')
    """
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    check_rng(rng)
    table, codes = _used(counts, levels)
    n_levels = int(codes.max(initial=-1)) + 1
    if n_levels < 2 or table.shape[1] < 2:
        return None
    exchange_prompts = by_prompt and codes.size > n_levels
    draw = _exchange_prompts if exchange_prompts else _exchange_images
    observed, null = draw(table, codes, n_levels, resamples, rng)
    more = int((null.ratio >= observed.ratio[0] * (1 - 1e-12)).sum())
    p_value = (more + 1) / (resamples + 1)
    n = int(table.sum())
    scale = n * (min(n_levels, table.shape[1]) - 1)
    between, chance = float(observed.between[0]), float(observed.chance[0])
    return LevelTest(
        v=math.sqrt(min(1.0, max(0.0, between - chance) / scale)),
        plug_in=math.sqrt(min(1.0, between / scale)),
        interval=_interval(
            observed, null, p_value, most=(n_levels - 1) * (table.shape[1] - 1), scale=scale,
            known=(codes.size if exchange_prompts else n) - n_levels, confidence=confidence,
        ),
        p_value=p_value,
        n=n,
        n_units=codes.size if exchange_prompts else n,
        unit="prompt" if exchange_prompts else "image",
    )  # fmt: skip


def _used(counts: ArrayLike, levels: ArrayLike) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return counts of prompts and groups that occur, and the level of each prompt as 0 ... L-1."""
    table = as_counts("counts", counts, ndim=2)
    names = np.asarray(list(levels) if isinstance(levels, str) else levels)
    if names.shape != (len(table),):
        raise StatisticsError(
            f"levels has shape {names.shape}; allowed: one level for each of {len(table)} prompts"
        )
    used = table.sum(axis=1) > 0
    codes = np.unique(names[used], return_inverse=True)[1].reshape(-1)
    return table[used][:, table.sum(axis=0) > 0], codes.astype(np.intp)


def _exchange_prompts(
    table: FloatArray,
    codes: NDArray[np.intp],
    n_levels: int,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[_LevelSpread, _LevelSpread]:
    shuffled = rng.permuted(np.tile(codes, (resamples, 1)), axis=1)
    return _prompt_spread(table, codes[None], n_levels), _prompt_spread(table, shuffled, n_levels)


def _prompt_spread(table: FloatArray, codes: NDArray[np.intp], n_levels: int) -> _LevelSpread:
    """Return chi-square and what prompts of one level let expect of it, per row of codes."""
    n, groups = table.sum(axis=1), table.shape[1]
    share = table.sum(axis=0) / n.sum()
    # Sums over a level's prompts of all that its variance is made of.
    parts = np.column_stack([table, n, np.ones_like(n), table**2, table * n[:, None], n**2])
    members = [(codes == level).astype(np.float64) @ parts for level in range(n_levels)]
    sums = np.stack(members, axis=1)
    total, prompts, squared = sums[..., groups], sums[..., groups + 1], sums[..., -1]
    mean = sums[..., :groups] / total[..., None]
    square, cross = sums[..., groups + 2 : 2 * groups + 2], sums[..., 2 * groups + 2 : -1]
    spread = np.maximum(square - 2 * mean * cross + mean**2 * squared[..., None], 0.0)
    alone = prompts == 1
    factor = np.where(alone, 0.0, prompts / np.maximum(prompts - 1, 1))
    # A level with one prompt cannot tell how much its prompts differ; the others tell for it.
    weight = (squared / np.maximum(factor, 1.0) * ~alone).sum(axis=1)
    pooled = np.where(alone[..., None], 0.0, spread).sum(axis=1) / weight[:, None]
    variance = np.where(
        alone[..., None],
        (squared / total**2)[..., None] * pooled[:, None, :],
        factor[..., None] * spread / (total**2)[..., None],
    )
    return _spread(mean, share, variance, total, prompts)


def _spread(
    mean: FloatArray, share: FloatArray, variance: FloatArray, total: FloatArray, units: FloatArray
) -> _LevelSpread:
    """Put together both parts.

    Args:
        mean: Shares: resamples x levels x groups.
        share: Of each group over all levels.
        variance: Of `mean`.
        total: Images: resamples x levels.
        units: Prompts or images that `mean` was taken over, likewise.
    """
    weight = total * (1 - total / total.sum(axis=1, keepdims=True))
    between = (total[..., None] * (mean - share) ** 2 / share).sum(axis=(1, 2))
    plain = mean * (1 - mean)
    # Near 0 and 1 a few units hardly show that they vary: as if some more, of all groups alike,
    # were spread over the levels.
    more = _MORE / math.sqrt(mean.shape[1])
    near = _smoothed(mean, units, more)
    lacking = np.maximum(near * (1 - near) - plain, 0.0) / total[..., None]
    effect = _design_effect(variance, plain / total[..., None], lacking, total / units)
    lacking *= effect[:, None, None]
    chance = (weight[..., None] * variance / share).sum(axis=(1, 2))
    # Prompts that agree better than images drawn by chance can are luck.
    least = (weight[..., None] * near * (1 - near) / total[..., None] / share).sum(axis=(1, 2))
    guarded = (weight[..., None] * (variance + lacking) / share).sum(axis=(1, 2))
    moved = effect * _moved(mean, share, units, total, total / effect[:, None])
    return _LevelSpread(between, chance, np.maximum(guarded, least), moved)


def _smoothed(mean: FloatArray, units: FloatArray, more: float) -> FloatArray:
    """Return shares of levels as if they had some more units, of all groups alike."""
    return np.asarray((mean * units[..., None] + more / mean.shape[2]) / (units[..., None] + more))


def _design_effect(
    variance: FloatArray, plain: FloatArray, lacking: FloatArray, images: FloatArray
) -> FloatArray:
    """Return how much more shares vary than single images would make them, per row.

    Prompts of one group only do not show how much prompts differ. Where they are all there is,
    prompts count as differing with an intraclass correlation of `_UNSEEN`.
    """
    unseen = 1 + _UNSEEN * (images - 1)
    guessed = (unseen[..., None] * lacking).sum(axis=(1, 2))
    whole = (plain + lacking).sum(axis=(1, 2))
    found = (variance.sum(axis=(1, 2)) + guessed) / np.where(whole > 0, whole, 1.0)
    return np.asarray(np.maximum(found, 1.0))


def _moved(
    mean: FloatArray, share: FloatArray, units: FloatArray, total: FloatArray, single: FloatArray
) -> FloatArray:
    """Return the variance of chi-square to first order, images being drawn by chance.

    Levels near 0 and 1 move it most: smoothed as for the test, each would count as if it varied
    more than it does. All levels together get a few units more, and what shares of few images lack
    of their variance is added.

    Args:
        mean: See `_spread`.
        share: See `_spread`.
        units: See `_spread`.
        total: See `_spread`.
        single: Single images that would tell as much as a level's: resamples x levels.
    """
    near = _smoothed(mean, units, _SPREAD_OUT / mean.shape[1])
    lacking = single / np.maximum(single - 1, 1)
    apart = mean - share
    of_share = (total[..., None] * apart**2).sum(axis=1, keepdims=True) / share**2
    pull = 2 * apart / share - of_share / total.sum(axis=1)[:, None, None]
    centred = pull - (near * pull).sum(axis=2, keepdims=True)
    return np.asarray(((total * lacking)[..., None] * near * centred**2).sum(axis=(1, 2)))


def _exchange_images(
    table: FloatArray,
    codes: NDArray[np.intp],
    n_levels: int,
    resamples: int,
    rng: np.random.Generator,
) -> tuple[_LevelSpread, _LevelSpread]:
    cross = np.stack([table[codes == level].sum(axis=0) for level in range(n_levels)])
    margins = stats.random_table(cross.sum(axis=1).astype(int), cross.sum(axis=0).astype(int))
    share, n = cross.sum(axis=0) / cross.sum(), cross.sum(axis=1)[None]

    def spread(tables: FloatArray) -> _LevelSpread:
        mean = tables / n[..., None]
        own = mean * (1 - mean) / np.maximum(n - 1, 1)[..., None]
        # One image cannot tell how much images of its level vary.
        variance = np.where((n == 1)[..., None], share * (1 - share), own)
        return _spread(mean, share, variance, np.broadcast_to(n, mean.shape[:2]), n)

    drawn = np.asarray(margins.rvs(size=resamples, random_state=rng), dtype=np.float64)
    return spread(cross[None]), spread(drawn.reshape(-1, *cross.shape))


def _interval(
    observed: _LevelSpread,
    null: _LevelSpread,
    p_value: float,
    *,
    most: int,
    scale: float,
    known: int,
    confidence: float,
) -> Interval:
    """Return the bounds for V on the scale that gives the test and chi-square one critical value.

    Args:
        observed: One row.
        null: One row per exchange.
        p_value: Of the observed ratio.
        most: Degrees of freedom if all images were independent.
        scale: Chi-square at V = 1.
        known: Units beyond one per level, which tell how much units vary.
        confidence: Of the interval.
    """
    error = 1 - confidence
    ratio, ratios = observed.ratio[0], np.sort(null.ratio)[::-1]
    place = math.floor(error * (ratios.size + 1)) - 1
    if place < 0:
        return Interval(0.0, 1.0)
    # The smallest ratio whose p is at most `error`; the p itself decides on which side ours lies.
    critical = float(ratios[place])
    critical = min(critical, ratio) if p_value <= error else max(critical, ratio * (1 + 1e-9))
    moved = float(null.between.var())
    freedom = most if moved == 0 else min(max(2 * null.between.mean() ** 2 / moved, 1.0), most)
    limit = float(stats.chi2.ppf(confidence, freedom)) / critical
    unit = float(observed.guarded[0]) / limit
    between = float(observed.between[0])
    spread = float(observed.moved[0]) / (4 * unit * between) if between > 0 else 1.0
    # Few units do not tell the spread within levels, and so not where it is smaller either.
    spread = 1 + (spread - 1) * known / (known + _FEW)
    low, high = _shifts(float(ratio) * limit, float(freedom), error, spread)
    unit /= scale
    return Interval(math.sqrt(min(1.0, low * unit)), math.sqrt(min(1.0, high * unit)))


def _shifts(value: float, freedom: float, error: float, spread: float) -> Interval:
    """Return the noncentralities whose chi-square has `value` in its middle part.

    A table more even than chance makes tables is no proof of V = 0: the high end is at least that
    of the median table without a difference.

    Args:
        value: Chi-square.
        freedom: Its degrees of freedom.
        error: Outside the middle part.
        spread: What levels that lie apart add to its variance, over what they add where all levels
            vary as they do on average: less where most lie near 0 or 1.
    """

    def below(shift: float) -> float:
        return error / 2 * shift / (shift + freedom)

    def scaled(at: float, shift: float) -> float:
        wide = (2 * freedom + 4 * shift * spread) / (2 * freedom + 4 * shift)
        return max(freedom + shift + (at - freedom - shift) / math.sqrt(wide), 0.0)

    def low_end(shift: float) -> float:
        return float(stats.ncx2.sf(scaled(value, shift), freedom, shift)) - (error - below(shift))

    top = (4 * value + 20 * freedom + 200) * max(spread, 1.0)
    low = 0.0
    if float(stats.chi2.sf(value, freedom)) <= error:
        low = float(optimize.brentq(low_end, 1e-9, top))
    shown = max(value, float(stats.chi2.ppf(0.5, freedom)))
    high = optimize.brentq(
        lambda shift: float(stats.ncx2.cdf(scaled(shown, shift), freedom, shift)) - below(shift),
        1e-9, top,
    )  # fmt: skip
    return Interval(low, float(high))
