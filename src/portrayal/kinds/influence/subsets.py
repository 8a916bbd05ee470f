"""Sets of words to be replaced together: all up to a size, or a balanced sample of them.

The sample serves every word. Sets of one size are the windows of a circle of words in random order,
so within one circle every word is in as many windows as every other; each window alone is equally
likely to be any set of its size. A longer sample begins with the shorter one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from portrayal.records import digest

Subset = tuple[int, ...]
"""Positions of the replaced words, ascending; () is the prompt as it is."""


def count_subsets(words: int, level: int) -> int:
    """Return how many sets of up to `level` words there are, the empty one among them."""
    return sum(math.comb(words, size) for size in range(min(level, words) + 1))


def all_subsets(positions: Sequence[int], level: int) -> list[Subset]:
    """Return every set of up to `level` words, smaller ones first."""
    ordered = sorted(positions)
    return [s for size in range(level + 1) for s in itertools.combinations(ordered, size)]


def sampled_subsets(positions: Sequence[int], level: int, limit: int, *, seed: int) -> list[Subset]:
    """Return at least the sets of no and of one word, and samples of the larger ones.

    Sizes take turns, one circle of windows at a time, until the next circle would pass the limit.

    Args:
        positions: The words that can be replaced.
        level: The largest size.
        limit: How many sets at most; the sets of up to one word and one circle of each size are
            always there, since every word needs them.
        seed: Start of the random numbers.
    """
    chosen = dict.fromkeys(all_subsets(positions, min(level, 1)))
    sizes = range(2, level + 1)
    turns = {size: _circles(positions, size, seed) for size in sizes}
    for size in sizes:
        chosen.update(dict.fromkeys(next(turns[size])))
    waiting = [size for size in sizes if not _complete(chosen, positions, size)]
    while waiting:
        for size in list(waiting):
            new = [subset for subset in next(turns[size]) if subset not in chosen]
            if len(chosen) + len(new) > limit:
                return sorted(chosen, key=lambda subset: (len(subset), subset))
            chosen.update(dict.fromkeys(new))
            if _complete(chosen, positions, size):
                waiting.remove(size)
    return sorted(chosen, key=lambda subset: (len(subset), subset))


def _circles(positions: Sequence[int], size: int, seed: int) -> Iterator[list[Subset]]:
    """Yield the windows of one circle after another."""
    rng = np.random.default_rng(int(digest(["subsets", seed, sorted(positions), size]), 16))
    n = len(positions)
    while True:
        circle = [int(word) for word in rng.permutation(sorted(positions))] * 2
        yield [tuple(sorted(circle[start : start + size])) for start in range(n)]


def _complete(chosen: dict[Subset, None], positions: Sequence[int], size: int) -> bool:
    found = sum(len(subset) == size for subset in chosen)
    return found == math.comb(len(positions), size)
