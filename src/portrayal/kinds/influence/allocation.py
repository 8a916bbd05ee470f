"""Where more images help most: the sets of words behind undecided words.

The variance of a word's influence is the sum over sets of weight^2 x variance of one draw / draws.
Draws go one by one to the set that takes most off the variances of all undecided words together:
the prompt as it is, which serves every word, gets most (Neyman's allocation; with k words of equal
variance about the root of k times as many as each of them, as Dunnett 1955 has it).
Variances are estimated with half an image added to every answer, so that a set whose few images all
look alike is not taken for settled, and with what other sets say about how much texts differ, so
that few texts do not mislead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from portrayal.findings import FloatArray
from portrayal.kinds.influence.word_sets import PromptCounts, SetCounts
from portrayal.statistics import influence_weights

Subset = tuple[int, ...]

BORROWED = 8.0
"""What all sets together say about differing texts counts like so many texts of a set's own."""


def allocate(
    counts: PromptCounts,
    column: int,
    level: int,
    *,
    draws: int,
    images: int,
    undecided: Collection[int] | None = None,
) -> dict[Subset, int]:
    """Return how many more draws each set should get.

    Args:
        counts: The images so far.
        column: The group whose intervals are to be narrowed.
        level: The level of the scores.
        draws: Draws to deal out.
        images: Images per draw.
        undecided: Positions of the words whose intervals matter; None: all.

    A set that can have no more texts gets none.
    """
    subsets = list(counts.sets)
    number = {position: i for i, position in enumerate(counts.plan.replaceable)}
    sets = [frozenset(number[position] for position in subset) for subset in subsets]
    weights = influence_weights(sets, len(number), min(level, len(number)))
    squares = np.nan_to_num(weights) ** 2
    if undecided:
        squares[[i for position, i in number.items() if position not in undecided]] = 0.0
    one = draw_variances([counts.sets[subset] for subset in subsets], column, images=images)
    serves = one * squares.sum(axis=0)
    had = np.array([float(word_set.draws) for word_set in counts.plan.sets])
    room = np.array([word_set.room for word_set in counts.plan.sets])
    more = np.zeros(len(subsets), dtype=np.int64)
    for _ in range(draws):
        now = np.maximum(had + more, 1)
        gain = np.where(more < room, serves / (now * (now + 1)), 0.0)
        if not gain.any():
            break
        more[int(gain.argmax())] += 1
    return {subset: int(n) for subset, n in zip(subsets, more, strict=True) if n}


def draw_variances(sets: Sequence[SetCounts], column: int, *, images: int) -> FloatArray:
    """Return the variance of the share in one draw of each set.

    Chance alone gives p (1 - p) / images; texts that differ give more, by a ratio that is estimated
    from the set's own texts and, as far as these are few, from those of all sets.
    """
    alone = np.array([_chance_variance(one, column, images) for one in sets])
    ratio, weight = np.ones(len(sets)), np.zeros(len(sets))
    for i, one in enumerate(sets):
        table = one.table[one.table.sum(axis=1) > 0]
        if one.words and len(table) > 1:
            shares: FloatArray = table[:, column] / table.sum(axis=1)
            ratio[i] = max(1.0, float(shares.var(ddof=1)) / alone[i])
            weight[i] = len(table) - 1.0
    drawn = weight > 0
    if drawn.any():
        together = float(np.average(ratio[drawn], weights=weight[drawn]))
        ratio[drawn] = (weight * ratio + BORROWED * together)[drawn] / (weight + BORROWED)[drawn]
    return alone * ratio


def _chance_variance(one: SetCounts, column: int, images: int) -> float:
    total = float(one.table.sum())
    share = (float(one.table[:, column].sum()) + 0.5) / (total + one.table.shape[1] / 2)
    variance: float = share * (1 - share) / images
    return variance
