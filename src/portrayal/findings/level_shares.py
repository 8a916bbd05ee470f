"""Group shares with intervals, and whether they differ between the levels of a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from portrayal.findings.data import FloatArray, IntArray
from portrayal.statistics import Interval, share_interval


def prompts_share_interval(
    hits: npt.ArrayLike, totals: npt.ArrayLike, *, confidence: float, clustered: bool
) -> Interval:
    """Return an interval for a share, from counts per prompt.

    Wilson's score interval. Where prompts count as a sample of prompts (`clustered`), the number of
    images is divided by the design effect (how much more prompts differ than chance allows) and
    Student's t takes the place of the normal quantile, as in surveys. NaN without images.

    Args:
        hits: Images of the group, per prompt.
        totals: Images of any known group, per prompt.
        confidence: Level.
        clustered: Whether other prompts might have been chosen.

    Reference: Dean and Pagano (2015), J. Survey Statistics and Methodology 3.
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    k, n = k[n > 0], n[n > 0]
    if not clustered or n.size < 2:
        return share_interval(int(k.sum()), int(n.sum()), confidence=confidence)
    total = float(n.sum())
    share = float(k.sum()) / total
    variance = n.size / (n.size - 1) * float(((k - share * n) ** 2).sum()) / total**2
    plain = share * (1 - share) / total
    effective = total / max(variance / plain, 1.0) if plain > 0 else total
    return _wilson(share, effective, float(stats.t.ppf(0.5 + confidence / 2, n.size - 1)))


def _wilson(share: float, n: float, quantile: float) -> Interval:
    z2 = quantile**2 / n
    centre = (share + z2 / 2) / (1 + z2)
    half = quantile / (1 + z2) * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


@dataclass(frozen=True, slots=True)
class LevelTest:
    """Whether groups and levels go together.

    Attributes:
        v: Cramér's V without its small-sample bias: 0, the same shares at every level, to 1.
        interval: For V; NaN where prompts were exchanged.
        p_value: Of the permutation test.
        n: Images.
        unit: What was exchanged: "prompt" or "image".
    """

    v: float
    interval: Interval
    p_value: float
    n: int
    unit: str


def level_test(
    counts: IntArray,
    levels: IntArray,
    *,
    by_prompt: bool,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> LevelTest | None:
    """Test whether group shares differ between levels, by exchanging prompts or images.

    The statistic is Pearson's chi-square of levels x groups. Prompts are exchanged where
    `by_prompt` and a level has more than one prompt; else images, and the answer holds for these
    very prompts. p = (b + 1) / (m + 1). None with fewer than two levels or groups that occur.

    Args:
        counts: One row per prompt, one column per group.
        levels: The level of each prompt, as 0 ... L-1.
        by_prompt: Whether prompts are the units.
        resamples: Random exchanges to look at.
        confidence: Of the interval for V.
        rng: Source of the exchanges.

    References: Bergsma (2013), J. Korean Statistical Society 42, for V; Smithson (2003),
    Confidence Intervals, for its interval through the noncentral chi-square.
    """
    used = counts.sum(axis=1) > 0
    counts, levels = counts[used][:, counts.sum(axis=0) > 0], levels[used]
    kept, codes = np.unique(levels, return_inverse=True)
    if kept.size < 2 or counts.shape[1] < 2:
        return None
    table = _cross(counts, codes[None, :], kept.size)[0]
    observed = float(_chi_square(table[None])[0])
    exchange_prompts = by_prompt and codes.size > kept.size
    if exchange_prompts:
        shuffled = rng.permuted(np.tile(codes, (resamples, 1)), axis=1)
        null = _chi_square(_cross(counts, shuffled, kept.size))
    else:
        margins = stats.random_table(table.sum(axis=1), table.sum(axis=0))
        null = _chi_square(margins.rvs(size=resamples, random_state=rng))
    more = int((null >= observed * (1 - 1e-12)).sum())
    n = int(table.sum())
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    scale = n * (min(table.shape) - 1)
    bounds = Interval(math.nan, math.nan)
    if not exchange_prompts:
        bounds = _v_interval(observed, freedom, scale, confidence)
    v = math.sqrt(min(1.0, max(0.0, observed - freedom) / scale))
    unit = "prompt" if exchange_prompts else "image"
    return LevelTest(v, bounds, (more + 1) / (resamples + 1), n, unit)


def _cross(counts: IntArray, codes: npt.NDArray[np.intp], n_levels: int) -> FloatArray:
    """Return levels x groups tables, one for each row of codes."""
    tables = np.empty((len(codes), n_levels, counts.shape[1]))
    for level in range(n_levels):
        tables[:, level] = (codes == level) @ counts
    return tables


def _chi_square(tables: npt.NDArray[np.number]) -> FloatArray:
    observed = np.asarray(tables, dtype=np.float64)
    rows, columns = observed.sum(axis=2), observed.sum(axis=1)
    expected = rows[:, :, None] * columns[:, None, :] / observed.sum(axis=(1, 2))[:, None, None]
    # A level that lost all its images in an exchange expects none and adds nothing.
    parts = np.divide(
        (observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0
    )
    return np.asarray(parts.sum(axis=(1, 2)))


def _v_interval(observed: float, freedom: int, scale: float, confidence: float) -> Interval:
    """Return the V's whose noncentral chi-square has the observed value in its middle part.

    A table more even than chance makes tables is no proof of V = 0: its upper bound is that of the
    median table without association.
    """

    def bound(value: float, part: float) -> float:
        if stats.chi2.cdf(value, freedom) <= part:
            return 0.0
        top = 2 * value + 10 * freedom + 100
        root = optimize.brentq(lambda shift: stats.ncx2.cdf(value, freedom, shift) - part, 0.0, top)
        return math.sqrt(min(1.0, root / scale))

    least = float(stats.chi2.ppf(0.5, freedom))
    return Interval(
        bound(observed, 0.5 + confidence / 2), bound(max(observed, least), 0.5 - confidence / 2)
    )
