"""How far group shares lie from a target: total variation distance, over prompts or images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_resamples, check_rng
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.design_effect import DesignEffect, design_effect
from portrayal.statistics.intervals import Interval
from portrayal.statistics.levels import level_test
from portrayal.statistics.shares import prompts_share_interval, prompts_share_p_value

_DRAWS = 400
ONE_SIDED = 1.8


@dataclass(frozen=True, slots=True)
class TargetDistance:
    """How far shares lie from a target.

    Attributes:
        distance: Total variation, without what chance adds: 0, as the target, to 1. It is the share
            of images that would have to show another group.
        plug_in: The same of the observed shares; chance makes it larger than 0.
        interval: For the distance; its low end is 0 exactly where p_value is above 1 - confidence.
        p_value: Of the test that the shares are those of the target.
        more: Groups that are shown more often than in the target, by column.
        n: Images.
        n_units: Prompts or images that count as drawn by chance.
    """

    distance: float
    plug_in: float
    interval: Interval
    p_value: float
    more: tuple[int, ...]
    n: int
    n_units: int


def target_distance(
    counts: ArrayLike,
    target: ArrayLike,
    *,
    by_prompt: bool,
    resamples: int = 9999,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> TargetDistance | None:
    """Compare group shares with a target: shares that are known, or counts of another sample.

    The distance is TV = sum |p - t| / 2 = P(A) - T(A) with A the groups shown more often than in
    the target. What chance adds to it, found by drawing multinomial counts about the observed
    shares at the effective number of images, is taken off.

    Against known shares of two groups, p agrees with the interval of either share
    (`prompts_share_interval`): with prompts as units it is that of `prompts_share_p_value`, with
    images that of Pearson's chi-square, whose interval is Wilson's. Of more groups and prompts it
    is that of Pearson's chi-square over its design effect (Rao and Scott's first correction: how
    much more shares vary between prompts than images would; `design_effect`), by F. Against counts
    it is that of `level_test` with the two samples as levels: a sampled target is never taken as
    known. The interval is that of P(A) - T(A) (`prompts_share_interval` on each side, joined as
    MOVER does), less what chance adds; where p is above 1 - confidence it begins at 0, otherwise
    above. Its high end is the largest of all sets A that the data do not tell apart
    (`others_above`). Counts that are nearer to the target than chance makes them are no proof of
    it: the high end is then that of usual counts.

    Args:
        counts: Images: one row per prompt, one column per group.
        target: A share for each group, which sum to 1; or counts of other prompts.
        by_prompt: Whether prompts are the units; otherwise, or with a single one, images are.
        resamples: Random exchanges, where the target is counts.
        confidence: Of the interval.
        rng: Source of draws.

    Returns:
        None where there is no image on a side.

    References: Rao and Scott (1981), JASA 76; Zou and Donner (2008), Statistics in Medicine 27, for
    MOVER.

    >>> rng = np.random.default_rng(0)
    >>> found = target_distance([[30, 10], [28, 12]], [0.5, 0.5], by_prompt=False, rng=rng)
    >>> round(found.plug_in, 3), found.p_value < 0.001, found.more
    (0.225, True, (0,))
    """
    check_fraction("confidence", confidence)
    check_resamples(resamples)
    check_rng(rng)
    table = as_counts("counts", counts, ndim=2)
    table = table[table.sum(axis=1) > 0]
    known = np.asarray(target, dtype=np.float64)
    other = None if known.ndim == 1 else as_counts("target", target, ndim=2)
    if known.shape[-1] != table.shape[1]:
        raise StatisticsError(
            f"target has {known.shape[-1]} groups; allowed: {table.shape[1]}, as many as counts"
        )
    if other is None and not (np.all(known >= 0) and math.isclose(known.sum(), 1, abs_tol=1e-6)):
        raise StatisticsError(f"target sums to {known.sum():g}; allowed: shares that sum to 1")
    if not table.size or (other is not None and not other.sum()):
        return None
    clustered = by_prompt and len(table) > 1
    ours = _Sampled(table, clustered=clustered)
    theirs = None
    if other is not None:
        theirs = _Sampled(other[other.sum(axis=1) > 0], clustered=by_prompt and len(other) > 1)
    goal = known if theirs is None else theirs.shares
    gaps = ours.shares - goal
    plug_in = float(np.abs(gaps).sum() / 2)
    if theirs is None:
        p_value = ours.p_value(goal)
    else:
        levels = [0] * len(ours.table) + [1] * len(theirs.table)
        test = level_test(
            np.concatenate([ours.table, theirs.table]), levels, by_prompt=by_prompt,
            resamples=resamples, confidence=confidence, rng=rng,
        )  # fmt: skip
        p_value = 1.0 if test is None else test.p_value
    extra = _extra(ours, theirs, goal, plug_in, rng)
    more = np.flatnonzero(gaps > 0)
    return TargetDistance(
        max(0.0, plug_in - extra),
        plug_in,
        _interval(ours, theirs, goal, more, extra, p_value, confidence),
        p_value,
        tuple(more.tolist()),
        int(ours.table.sum()),
        len(table) if clustered else int(table.sum()),
    )


class _Sampled:
    """Counts of a sample, with how much more its shares vary than single images would."""

    def __init__(self, table: FloatArray, *, clustered: bool) -> None:
        self.table = table
        self.clustered = clustered
        self.n = float(table.sum())
        self.shares = np.asarray(table.sum(axis=0) / self.n)
        self.design = design_effect(table) if clustered else DesignEffect(1.0, self.n)

    @property
    def effective(self) -> int:
        """Images that would tell as much if each were a unit."""
        return max(1, round(self.n / self.design.effect))

    def p_value(self, target: FloatArray) -> float:
        """Return p against known shares: of two groups that of the share's own interval."""
        possible = target > 0
        if self.shares[~possible].any():
            return 0.0
        freedom = int(possible.sum()) - 1
        if freedom < 1:
            return 1.0
        if self.clustered and freedom == 1:
            one = int(np.flatnonzero(possible)[0])
            hits, totals = self.table[:, one], self.table.sum(axis=1)
            return prompts_share_p_value(hits, totals, float(target[one]))
        square = self.n * float(
            ((self.shares[possible] - target[possible]) ** 2 / target[possible]).sum()
        )
        if not self.clustered:
            return float(stats.chi2.sf(square, freedom))
        effect, units = self.design
        return float(stats.f.sf(square / effect / freedom, freedom, freedom * units))


def _extra(
    ours: _Sampled,
    theirs: _Sampled | None,
    goal: FloatArray,
    plug_in: float,
    rng: np.random.Generator,
) -> float:
    """Return what chance adds to the distance, on average."""
    drawn = rng.multinomial(ours.effective, ours.shares, size=_DRAWS) / ours.effective
    goals = goal
    if theirs is not None:
        goals = rng.multinomial(theirs.effective, theirs.shares, size=_DRAWS) / theirs.effective
    return max(0.0, float((np.abs(drawn - goals).sum(axis=1) / 2).mean()) - plug_in)


def _interval(
    ours: _Sampled,
    theirs: _Sampled | None,
    goal: FloatArray,
    more: np.ndarray,
    extra: float,
    p_value: float,
    confidence: float,
) -> Interval:
    unclear = p_value > 1 - confidence
    if unclear:
        # The low end is 0 and cannot miss: more of the error may be spent on the high end.
        confidence = 1 - ONE_SIDED * (1 - confidence)
    images = [one.effective for one in (ours, theirs) if one is not None]
    gaps = ours.shares - goal
    found = [
        _gap_interval(ours, theirs, goal, groups, confidence)
        for groups in (more, *others_above(gaps, goal, images, confidence))
    ]
    high = max(one.high for one in found)
    if unclear:
        return Interval(0.0, min(1.0, max(high, usual_high(images, goal, confidence))))
    return Interval(max(found[0].low - extra, float(gaps[more].sum()) * 0.01), min(1.0, high))


def _gap_interval(
    ours: _Sampled,
    theirs: _Sampled | None,
    goal: FloatArray,
    groups: np.ndarray,
    confidence: float,
) -> Interval:
    """Return the interval of how much more often some groups together are shown, by MOVER."""
    share, aim = float(ours.shares[groups].sum()), float(goal[groups].sum())
    own = _bounds(ours, groups, confidence)
    base = Interval(aim, aim) if theirs is None else _bounds(theirs, groups, confidence)
    gap = share - aim
    return Interval(
        gap - math.hypot(share - own.low, base.high - aim),
        gap + math.hypot(own.high - share, aim - base.low),
    )


def others_above(
    gaps: FloatArray, goal: FloatArray, images: Sequence[int], confidence: float
) -> list[np.ndarray]:
    """Return the other sets of groups that may be those above the target, for all the data tell.

    The distance is the largest P(A) - T(A) of all sets A. Near its target a group is on either side
    by chance, so that the observed A may be another one than the true one; the high end has to hold
    for both. Up to two groups change sides: those nearest to their target, in standard errors,
    whose own interval has the target inside. None of two groups, where one is above.

    Args:
        gaps: Shares less those of the target.
        goal: The target.
        images: The effective number of each sample.
        confidence: Of the interval.
    """
    if ((goal > 0) | (gaps != 0)).sum() < 3:
        return []
    errors = np.sqrt(goal * (1 - goal) * sum(1 / n for n in images))
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * errors
    near = np.flatnonzero(np.abs(gaps) < reach)
    first = near[np.argsort(np.abs(gaps[near]) / errors[near], kind="stable")][:2]
    found = []
    for changed in (*combinations(first, 1), *combinations(first, 2)):
        above = gaps > 0
        above[list(changed)] ^= True
        if 0 < above.sum() < len(gaps):
            found.append(np.flatnonzero(above))
    return found


def usual_high(images: Sequence[int], goal: FloatArray, confidence: float) -> float:
    """Return the high end of counts as far from the target as chance makes them on average.

    Of two groups one exceeds the target, and its own interval is what chance leaves open. Of more,
    chance also chooses which ones: that adds all but 1 / (G - 1) of the mean distance by chance.

    Args:
        images: The effective number of each sample.
        goal: The target.
        confidence: Of the interval.
    """
    per_image = math.sqrt(sum(1 / n for n in images))
    # The groups that exceed the target have about one half of its images.
    summed = np.sort(goal)[::-1].cumsum()
    half = float(summed[np.abs(summed - 0.5).argmin()])
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * math.sqrt(half * (1 - half)) * per_image
    added = float(np.sqrt(goal * (1 - goal)).sum()) * per_image / math.sqrt(2 * math.pi)
    return reach + added * (1 - 1 / max(len(goal) - 1, 1))


def _bounds(sample: _Sampled, columns: np.ndarray, confidence: float) -> Interval:
    return prompts_share_interval(
        sample.table[:, columns].sum(axis=1),
        sample.table.sum(axis=1),
        confidence=confidence,
        clustered=sample.clustered,
    )
