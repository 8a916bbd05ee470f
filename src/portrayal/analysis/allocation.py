"""Where more pictures help most: the sets of words behind the widest interval.

The variance of a word's influence is the sum over sets of weight^2 x variance of one draw / draws.
Draws go one by one to the set that takes most off the variance of the word whose variance is
largest. Variances are estimated with half a picture added to every answer, so that a set whose few
pictures all look alike is not taken for settled.
"""

from __future__ import annotations

import numpy as np

from portrayal.analysis.data import FloatArray
from portrayal.analysis.word_sets import PromptCounts, SetCounts
from portrayal.statistics.influence import influence_weights

Subset = tuple[int, ...]


def allocate(
    counts: PromptCounts, column: int, level: int, *, draws: int, images: int
) -> dict[Subset, int]:
    """Return how many more draws each set should get.

    Args:
        counts: The pictures so far.
        column: The group whose intervals are to be narrowed.
        level: The level of the scores.
        draws: Draws to deal out.
        images: Images per draw.
    """
    subsets = list(counts.sets)
    number = {position: i for i, position in enumerate(counts.plan.replaceable)}
    sets = [frozenset(number[position] for position in subset) for subset in subsets]
    weights = influence_weights(sets, len(number), min(level, len(number)))
    squares = np.nan_to_num(weights) ** 2
    one = np.array([draw_variance(counts.sets[s], column, images=images) for s in subsets])
    had = np.array([float(word_set.draws) for word_set in counts.plan.sets])
    more = np.zeros(len(subsets), dtype=np.int64)
    for _ in range(draws):
        now = had + more
        widest = int((squares * (one / now)).sum(axis=1).argmax())
        more[int((squares[widest] * one / (now * (now + 1))).argmax())] += 1
    return {subset: int(n) for subset, n in zip(subsets, more, strict=True) if n}


def draw_variance(one: SetCounts, column: int, *, images: int) -> float:
    """Return the variance of the share in one draw of a set.

    Chance alone gives p (1 - p) / images; texts that differ give more.
    """
    table = one.table[one.table.sum(axis=1) > 0]
    total = float(table.sum())
    answers = one.table.shape[1]
    share = (float(table[:, column].sum()) + 0.5) / (total + answers / 2)
    alone: float = share * (1 - share) / images
    if not one.words or len(table) < 2:
        return alone
    shares: FloatArray = table[:, column] / table.sum(axis=1)
    return max(alone, float(shares.var(ddof=1)))
