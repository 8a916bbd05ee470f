"""Permutation tests: which units count as the first group is shuffled, everything else stays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from portrayal.statistics.samples import FloatArray

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

Members = NDArray[np.uint8]
"""One row per split, one column per unit: 1 where the unit is in the first group."""

# Cells of a chunk: a few megabytes stay in the processor's cache and bound the memory.
_CHUNK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class PermutationResult:
    """The statistic under every split that was looked at, and the rank of the observed one."""

    observed: float
    p_value: float
    exact: bool
    null_distribution: FloatArray


def permutation_test(
    statistic: Callable[[Members], FloatArray],
    n_first: int,
    n_second: int,
    *,
    alternative: Alternative,
    resamples: int,
    tolerance: float,
    rng: np.random.Generator,
) -> PermutationResult:
    """Compare a statistic of a split into two groups with its value under other splits.

    Every split is looked at when there are at most `resamples`; then p = b / m, the observed split
    being one of the m. Otherwise `resamples` random splits are drawn and p = (b + 1) / (m + 1)
    (Phipson and Smyth 2010). b counts splits at least as extreme; `two-sided` is twice the smaller
    one-sided p, at most 1, as in scipy.stats.permutation_test.

    Args:
        statistic: Takes members (splits x units) and returns one value per split.
        n_first: Units in the first group; they are the first columns of the observed split.
        n_second: Units in the second group.
        alternative: `greater` asks whether the observed value is unusually large.
        resamples: The most splits to look at.
        tolerance: Values this close count as equal, so that rounding breaks no tie.
        rng: Source of the random splits; not used when every split is looked at.
    """
    n = n_first + n_second
    exact = math.comb(n, n_first) <= resamples
    chunks = _all_splits(n, n_first) if exact else _random_splits(n, n_first, resamples, rng)
    null = np.concatenate([statistic(members) for members in chunks])
    first = np.zeros((1, n), dtype=np.uint8)
    first[0, :n_first] = 1
    observed = float(statistic(first)[0])
    extra = 0 if exact else 1
    greater = (int((null >= observed - tolerance).sum()) + extra) / (null.size + extra)
    less = (int((null <= observed + tolerance).sum()) + extra) / (null.size + extra)
    p_values = {"greater": greater, "less": less, "two-sided": min(1.0, 2.0 * min(greater, less))}
    return PermutationResult(observed, p_values[alternative], exact, null)


def _all_splits(n: int, k: int) -> Iterator[Members]:
    """Yield every way to choose k of n units, in chunks."""
    combinations = itertools.combinations(range(n), k)
    size = max(1, _CHUNK_CELLS // n)
    while chosen := list(itertools.islice(combinations, size)):
        members = np.zeros((len(chosen), n), dtype=np.uint8)
        np.put_along_axis(members, np.array(chosen, dtype=np.intp), 1, axis=1)
        yield members


def _random_splits(n: int, k: int, resamples: int, rng: np.random.Generator) -> Iterator[Members]:
    """Yield random choices of k of n units, in chunks."""
    size = max(1, _CHUNK_CELLS // n)
    for start in range(0, resamples, size):
        yield random_members(n, k, min(size, resamples - start), rng)


def random_members(n: int, k: int, splits: int, rng: np.random.Generator) -> Members:
    """Draw subsets of exactly k of n units, every subset equally likely.

    Each unit is tossed in or out with a chance near k / n; then units drawn at random are put in
    (or taken out) until the count is k. No step tells one unit from another, so the subset is
    uniform; and only about sqrt(n) units per split are touched twice, where a shuffle moves all n.
    """
    tossed = rng.integers(0, 256, size=(splits, n), dtype=np.uint8) < round(256 * k / n)
    members: Members = tossed.view(np.uint8)
    cells = members.reshape(-1)
    lacking = k - members.sum(axis=1, dtype=np.int64)
    rows = np.flatnonzero(lacking)
    starts, left = rows * n, np.abs(lacking[rows])
    wanted = (lacking[rows] > 0).view(np.uint8)
    while left.size:
        drawn = starts + rng.integers(0, n, size=left.size, dtype=np.int32)
        fits = cells[drawn] != wanted
        cells[drawn] ^= fits.view(np.uint8)
        left -= fits
        if not left.all():
            keep = left > 0
            starts, wanted, left = starts[keep], wanted[keep], left[keep]
    return members
