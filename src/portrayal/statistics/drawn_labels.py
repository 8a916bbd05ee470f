"""One answer from several: a statistic computed once from each of several sets of drawn labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats
from scipy.special import ndtr

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_fraction
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import UNKNOWN, Interval


@dataclass(frozen=True, slots=True)
class CombinedResult:
    """An answer that accounts for labels not being known.

    Attributes:
        value: Mean over draws.
        interval: Holds what each draw leaves open, and how draws differ.
        p_value: Two-sided, of the same mixture; NaN where no null value is given.
        between: Share of the variance that is due to labels not being known.
        draws: Sets of labels that gave an answer.
    """

    value: float
    interval: Interval
    p_value: float
    between: float
    draws: int


def combine_draws(
    values: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    *,
    within: tuple[float, float] = (-math.inf, math.inf),
    null: float | None = None,
    units: ArrayLike | None = None,
    confidence: float = 0.95,
) -> CombinedResult:
    """Combine answers from drawn labels: the mixture of what each of them leaves possible.

    An interval stands for a normal distribution whose spread differs below and above its value, so
    that skewed ones stay so; the mixture's quantiles are the combined interval.
    Values are moved apart by what so few draws leave open of their spread (Rubin's degrees of
    freedom). NaN values are left out; fewer than two: no interval.

    Where intervals are made from how units differ (occupations, attributes), labels that are drawn
    unit by unit make them differ more than they do, and the same noise is in how draws differ: it
    would count twice. With `units`, intervals are narrowed by the part of the units' variance that
    is noise of drawing (two-way analysis of variance), as Robins and Wang (2000) average the units'
    scores over draws before they take their variance.

    Args:
        values: The statistic, once per draw.
        lows: Lower bound of each.
        highs: Upper bound of each.
        within: What is possible.
        null: Value to be tested; None: no test.
        units: Each unit's part in the statistic, (draws, units), where the intervals are made from
            how units differ; None: they are not.
        confidence: Of the intervals, before and after.

    References: Rubin (1987), Multiple imputation for nonresponse in surveys, chapter 3; Barnard and
    Rubin (1999), Biometrika 86; Robins and Wang (2000), Inference for imputation estimators,
    Biometrika 87.

    >>> one = combine_draws([0.4, 0.5, 0.6], [0.3, 0.4, 0.5], [0.5, 0.6, 0.7])
    >>> round(one.value, 2), [round(x, 2) for x in one.interval]
    (0.5, [0.23, 0.77])
    """
    check_fraction("confidence", confidence)
    rows = np.array([values, lows, highs], dtype=np.float64)
    narrower = 1.0 if units is None else _units_own(np.asarray(units, dtype=np.float64))
    rows = rows[0] + np.array([[0.0], [narrower], [narrower]]) * (rows - rows[0])
    rows = rows[:, ~np.isnan(rows).any(axis=0)]
    m = rows.shape[1]
    if m < 2:
        value = float(rows[0].mean()) if m else math.nan
        return CombinedResult(value, UNKNOWN, math.nan, math.nan, m)
    value, z = float(rows[0].mean()), float(stats.norm.ppf(0.5 + confidence / 2))
    inside = float((((rows[2] - rows[1]) / (2 * z)) ** 2).mean())
    among = float(rows[0].var(ddof=1)) * (1 + 1 / m)
    part = among / (inside + among) if inside + among > 0 else 0.0
    free = (m - 1) / max(part, 1e-9) ** 2
    wider = math.sqrt(1 + 1 / m) * float(stats.t.ppf(0.5 + confidence / 2, free)) / z
    mixture = _Mixture(
        value + wider * (rows[0] - value),
        np.maximum(rows[0] - rows[1], 0) / z, np.maximum(rows[2] - rows[0], 0) / z,
    )  # fmt: skip
    tail = (1 - confidence) / 2
    low, high = mixture.quantile(tail), mixture.quantile(1 - tail)
    p_value = math.nan
    if null is not None:
        below = mixture.below(null)
        p_value = min(1.0, 2 * min(below, 1 - below))
    interval = Interval(max(min(low, value), within[0]), min(max(high, value), within[1]))
    return CombinedResult(value, interval, p_value, part, m)


class DrawnAnswers(NamedTuple):
    """A statistic and its bounds, once per set of drawn labels."""

    values: ArrayLike
    lows: ArrayLike
    highs: ArrayLike


def without_averaged_noise(
    values: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    *,
    plug_in: ArrayLike,
    confidence: float = 0.95,
) -> DrawnAnswers:
    """Return answers without the noise that a mean over draws evens out, for `combine_draws`.

    A statistic that is corrected for what chance adds to it (an imbalance) learns from every set of
    labels how much that is. What it learns differs from set to set even where the plug-in value,
    which labels alone decide, is the same. This noise is in every set's interval, and Rubin's rules
    count it again as a difference between sets; but the mean over sets has hardly any of it. (The
    rules are exact where the statistic uses all that labels tell: Meng's self-efficiency.)

    With B the variance of values over draws and R^2 the part of it that plug-in values explain
    (squared correlation, adjusted for so few draws), (1 - R^2) B is noise. Values are moved
    together and intervals narrowed until the variance of each is smaller by that much, but at most
    by the intervals' own. Nothing changes where plug-in values explain everything or do not differ,
    or where there are fewer than three draws. NaN values stay.

    Args:
        values: The statistic, once per draw.
        lows: Lower bound of each.
        highs: Upper bound of each.
        plug_in: The same statistic with what chance adds to it, once per draw.
        confidence: Of the intervals.

    References: Meng (1994), Multiple-imputation inferences with uncongenial sources of input,
    Statistical Science 9; Robins and Wang (2000), Inference for imputation estimators, Biometrika
    87; Xie and Meng (2017), Dissecting multiple imputation from a multi-phase inference
    perspective, Statistica Sinica 27.

    >>> values = np.array([0.4, 0.6, 0.4, 0.6])
    >>> rows = values, values - 0.3, values + 0.3
    >>> same = without_averaged_noise(*rows, plug_in=values / 2)
    >>> same.values.round(2), same.highs.round(2)
    (array([0.4, 0.6, 0.4, 0.6]), array([0.7, 0.9, 0.7, 0.9]))
    >>> other = without_averaged_noise(*rows, plug_in=[0.1, 0.1, 0.3, 0.3])
    >>> other.values.round(2), other.highs.round(2)
    (array([0.5, 0.5, 0.5, 0.5]), array([0.7, 0.7, 0.7, 0.7]))
    """
    check_fraction("confidence", confidence)
    rows = np.array([values, lows, highs, plug_in], dtype=np.float64)
    known = rows[:, ~np.isnan(rows).any(axis=0)]
    among = float(known[0].var(ddof=1)) if known.shape[1] > 2 else 0.0
    if not among > 0:
        return DrawnAnswers(*rows[:3])
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    inside = float((((known[2] - known[1]) / (2 * z)) ** 2).mean())
    noise = min((1 - _explained(known[0], known[3])) * among, inside)
    closer, narrower = (math.sqrt(1 - noise / one) if one else 1.0 for one in (among, inside))
    middle = known[0].mean() + closer * (rows[0] - known[0].mean())
    return DrawnAnswers(middle, *(middle + narrower * (rows[1:3] - rows[0])))


def _explained(values: FloatArray, plug_in: FloatArray) -> float:
    """Return the part of the variance of values that plug-in values explain (adjusted R^2)."""
    m, spread = values.size, float(np.std(values) * np.std(plug_in))
    if spread < 1e-12:
        return 1.0
    r = float(((values - values.mean()) * (plug_in - plug_in.mean())).mean()) / spread
    return min(max(1 - (1 - r**2) * (m - 1) / (m - 2), 0.0), 1.0)


def agreeing(
    interval: Interval, p_value: float, *, least: float, confidence: float = 0.95
) -> Interval:
    """Return an interval whose low end is the least possible value exactly where p keeps it.

    Args:
        interval: Of a statistic that cannot be below `least`, its null value.
        p_value: Of the test against that value; NaN: the interval stays.
        least: The least possible value.
        confidence: Of the interval.

    >>> agreeing(Interval(0.1, 0.4), 0.2, least=0.0)
    Interval(low=0.0, high=0.4)
    """
    if math.isnan(p_value):
        return interval
    kept = p_value > 1 - confidence
    return Interval(least if kept else max(interval.low, least + 1e-9), interval.high)


def _units_own(units: FloatArray) -> float:
    """Return which part of the units' standard deviation within a draw is not noise of drawing."""
    if units.ndim != 2:
        raise StatisticsError(f"units has shape {units.shape}; allowed: (draws, units)")
    known = units[~np.isnan(units).all(axis=1)]
    known = known[:, ~np.isnan(known).any(axis=0)]
    draws, n = known.shape
    if draws < 2 or n < 2:
        return 1.0
    middle = known.mean()
    of_units, of_draws = known.mean(axis=0) - middle, known.mean(axis=1) - middle
    left = known - middle - of_units - of_draws[:, None]
    noise = float((left**2).sum()) / ((draws - 1) * (n - 1))
    own = max(float((of_units**2).sum()) / (n - 1) - noise / draws, 0.0)
    return math.sqrt(own / (own + noise)) if own + noise > 0 else 1.0


def combine_p_values(p_values: ArrayLike) -> float:
    """Combine p-values of one test on several sets of drawn labels, where it has no sign.

    Rubin's D2: the squares of normal deviates are averaged, and reduced by how they differ.
    NaN values are left out; fewer than two: NaN.

    Reference: Li, Meng, Raghunathan, Rubin (1991), Statistica Sinica 1.

    >>> [round(combine_p_values(p), 3) for p in ([0.01, 0.01, 0.01], [0.02, 0.01, 0.03])]
    [0.01, 0.023]
    """
    p = np.asarray(p_values, dtype=np.float64)
    p = p[~np.isnan(p)]
    m = p.size
    if m < 2:
        return math.nan
    deviate = stats.norm.isf(np.clip(p, 1e-300, 1) / 2)
    r = (1 + 1 / m) * float(deviate.var(ddof=1))
    if r < 1e-12:
        return float(p.mean())
    statistic = (float((deviate**2).mean()) - (m + 1) / (m - 1) * r) / (1 + r)
    return float(stats.f.sf(max(statistic, 0.0), 1, (m - 1) * (1 + 1 / r) ** 2))


@dataclass(frozen=True, slots=True, eq=False)
class _Mixture:
    """Equal parts of normal distributions, each with its own spread below and above its middle."""

    middle: FloatArray
    down: FloatArray
    up: FloatArray

    def below(self, x: float) -> float:
        """Return the share of the mixture at or below x."""
        spread = np.where(x < self.middle, self.down, self.up)
        gap = x - self.middle
        z = np.divide(gap, spread, out=np.sign(gap) * 40, where=spread > 0)
        return float(ndtr(z).mean())

    def quantile(self, level: float) -> float:
        """Return the value with so much of the mixture below it."""
        least = float((self.middle - 9 * self.down).min()) - 1e-9
        most = float((self.middle + 9 * self.up).max()) + 1e-9
        return float(optimize.brentq(lambda x: self.below(x) - level, least, most, xtol=1e-9))
