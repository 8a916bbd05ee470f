"""How far group shares lie from a target, from labels that are drawn several times."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction, check_rng
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.design_effect import DesignEffect, design_effect
from portrayal.statistics.drawn_labels import combine_draws
from portrayal.statistics.intervals import Interval
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.targets import ONE_SIDED, others_above, usual_high

_DRAWS = 1000


class DrawnDistance(NamedTuple):
    """How far shares lie from a target, labels not being known.

    Attributes:
        value: Total variation, without what chance and drawn labels add.
        interval: For it; its low end is 0 exactly where p_value is above 1 - confidence.
        p_value: Of the test that the shares are those of the target.
    """

    value: float
    interval: Interval
    p_value: float


def drawn_target_distance(
    drawn: ArrayLike,
    target: ArrayLike,
    *,
    by_prompt: bool,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> DrawnDistance | None:
    """Compare group shares with shares that are known, given several sets of drawn labels.

    The distance of every set is too large, since labels that are not known move shares away from
    the target, and all sets may be moved alike; a mean of distances would keep that. So shares are
    averaged over sets and compared once, as `target_distance` does. Their variance is the one
    within sets, plus 1 + 1 / m times the one between m sets (Rubin's rules); what chance adds is
    found at that variance.

    Of two groups, p is that of the share's interval over sets (`combine_draws`); of more, that of
    the pooled Wald test (D1), by F with at most as many degrees of freedom as prompts leave. The
    interval is that of P(A) - T(A) over sets, A being the groups above the target; its high end is
    the largest of all A that the data do not tell apart (`others_above`).

    Args:
        drawn: Images: (sets, prompts, groups).
        target: A share for each group, which sum to 1.
        by_prompt: Whether prompts are the units; otherwise, or with a single one, images are.
        confidence: Of the interval.
        rng: Source of draws.

    Returns:
        None with fewer than two sets that have an image.

    References: Rubin (1987), Multiple imputation for nonresponse in surveys, chapter 3; Li,
    Raghunathan, Rubin (1991), JASA 86, for D1.

    >>> counts = np.array([[[60, 40]], [[70, 30]], [[65, 35]]])
    >>> found = drawn_target_distance(
    ...     counts, [0.5, 0.5], by_prompt=False, rng=np.random.default_rng(0)
    ... )
    >>> round(found.value, 2), found.p_value < 0.05
    (0.15, True)
    """
    check_fraction("confidence", confidence)
    check_rng(rng)
    tables, goal = as_counts("drawn", drawn, ndim=3), np.asarray(target, dtype=np.float64)
    if goal.shape != tables.shape[2:] or not math.isclose(goal.sum(), 1, abs_tol=1e-6):
        raise StatisticsError(
            f"target has shape {goal.shape} and sums to {goal.sum():g}; allowed: a share for each "
            f"of {tables.shape[2]} groups, which sum to 1"
        )
    sets = [_Set.of(table, by_prompt=by_prompt) for table in tables if table.sum()]
    if len(sets) < 2:
        return None
    shares = np.array([one.shares for one in sets])
    mean = shares.mean(axis=0)
    pooled = _Pooled.of(shares, float(np.mean([one.effective for one in sets])))
    gaps = mean - goal
    more = np.flatnonzero(gaps > 0)
    plug_in, over = float(np.abs(gaps).sum() / 2), float(goal[more].sum())
    moved = rng.multivariate_normal(gaps, pooled.covariance, size=_DRAWS, method="svd")
    extra = max(0.0, float(np.abs(moved).sum(axis=1).mean() / 2) - plug_in)
    p_value = _p_value(sets, pooled, goal, more)
    unclear = p_value > 1 - confidence
    if unclear:
        confidence = 1 - ONE_SIDED * (1 - confidence)
    ends = _combined(sets, more, confidence)
    high = ends.high - over
    for groups in others_above(gaps, goal, [pooled.effective], confidence):
        high = max(high, _combined(sets, groups, confidence).high - float(goal[groups].sum()))
    if unclear:
        high = max(high, usual_high([pooled.effective], goal, confidence))
        interval = Interval(0.0, min(1.0, high))
    else:
        interval = Interval(max(ends.low - over - extra, 0.01 * plug_in), min(1.0, high))
    return DrawnDistance(max(0.0, plug_in - extra), interval, p_value)


class _Set(NamedTuple):
    """One set of labels: counts by prompt and group, how many images they are worth, and units."""

    table: FloatArray
    clustered: bool
    effective: float
    units: float

    @classmethod
    def of(cls, table: FloatArray, *, by_prompt: bool) -> _Set:
        table = table[table.sum(axis=1) > 0]
        clustered = by_prompt and len(table) > 1
        n = float(table.sum())
        design = design_effect(table) if clustered else DesignEffect(1.0, n)
        return cls(table, clustered, n / design.effect, design.units)

    @property
    def shares(self) -> FloatArray:
        return np.asarray(self.table.sum(axis=0) / self.table.sum())

    def bounds(self, groups: np.ndarray, confidence: float) -> Interval:
        hits, totals = self.table[:, groups].sum(axis=1), self.table.sum(axis=1)
        return prompts_share_interval(hits, totals, confidence=confidence, clustered=self.clustered)


class _Pooled(NamedTuple):
    """Sets of labels together.

    Attributes:
        mean: Shares.
        within: Images that they are worth within a set.
        added: How much larger variances are because labels are not known, over those within.
        draws: Sets.
        covariance: Of the mean shares.
    """

    mean: FloatArray
    within: float
    added: float
    draws: int
    covariance: FloatArray

    @classmethod
    def of(cls, shares: FloatArray, within: float) -> _Pooled:
        mean, m = shares.mean(axis=0), len(shares)
        own = (np.diag(mean) - np.outer(mean, mean)) / within
        between = (1 + 1 / m) * np.cov(shares, rowvar=False)
        occurs = mean > 0
        freedom = max(int(occurs.sum()) - 1, 1)
        # The trace of one over the other: the inverse of a multinomial covariance is diagonal.
        added = float((np.diag(between)[occurs] / mean[occurs]).sum()) * within / freedom
        return cls(mean, within, added, m, own + between)

    @property
    def effective(self) -> int:
        """Images that would tell as much if their labels were known."""
        return max(1, round(self.within / (1 + self.added)))


def _combined(sets: list[_Set], groups: np.ndarray, confidence: float) -> Interval:
    """Return the interval of the share of some groups together."""
    return combine_draws(*_answers(sets, groups, confidence), within=(0.0, 1.0),
                         confidence=confidence).interval  # fmt: skip


def _answers(sets: list[_Set], groups: np.ndarray, confidence: float) -> FloatArray:
    """Return the share of some groups together and its bounds, (3, sets)."""
    rows = [(float(one.shares[groups].sum()), *one.bounds(groups, confidence)) for one in sets]
    return np.array(rows).T


def _p_value(sets: list[_Set], pooled: _Pooled, goal: FloatArray, more: np.ndarray) -> float:
    possible = goal > 0
    freedom = int(possible.sum()) - 1
    if pooled.mean[~possible].any():
        return 0.0
    if freedom < 1:
        return 1.0
    if freedom == 1:
        if not more.size:
            return 1.0
        rows = _answers(sets, more, 0.95)
        return combine_draws(*rows, within=(0.0, 1.0), null=float(goal[more].sum())).p_value
    gaps = (pooled.mean - goal)[possible]
    square = pooled.within * float((gaps**2 / goal[possible]).sum())
    statistic = square / freedom / (1 + pooled.added)
    left = freedom * (pooled.draws - 1)
    units = 4 + (left - 4) * (1 + (1 - 2 / left) / max(pooled.added, 1e-9)) ** 2
    if sets[0].clustered:
        units = min(units, freedom * float(np.mean([one.units for one in sets])))
    return float(stats.f.sf(statistic, freedom, units))
