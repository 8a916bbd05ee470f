"""Average influence of a word over all prompts that contain it (figure 3 of Lin et al. 2023).

The word of a factor's level is found in the prompt by its spelling. A level of several words
("police officer") has the sum of their influences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from portrayal.findings import FloatArray
from portrayal.kinds.influence.word_scores import PromptScores
from portrayal.statistics import mean_influence
from portrayal.studies import split_words


@dataclass(frozen=True, slots=True)
class MeanInfluence:
    """Mean influence of one level of a factor towards one answer.

    The interval and the two-sided p are Student's over prompts and generalise to other prompts of
    the same kind. NaN with fewer than two prompts, or where their scores do not differ.
    """

    factor: str
    level: str
    value: float
    low: float
    high: float
    p: float
    prompts: int
    n_missing: int
    largest: float = 1.0
    scores: tuple[float, ...] = ()


def factor_averages(
    scores: Sequence[PromptScores], column: int, *, confidence: float
) -> list[MeanInfluence]:
    """Average over prompts, for every level of every factor whose words occur in the prompts.

    Factor by factor, levels in the order of the prompts.

    Args:
        scores: The words of all prompts.
        column: Which answer.
        confidence: Of the intervals.
    """
    found: dict[tuple[str, str], list[float]] = {}
    largest: dict[tuple[str, str], int] = {}
    for one in scores:
        for factor, level in one.counts.plan.source.factors.items():
            places = words_of_level(one.counts.plan.words, level)
            if places:
                found.setdefault((factor, level), []).append(_influence(one, places, column))
                reach = one.main.level * len(places) if one.main else 1
                largest[factor, level] = max(largest.get((factor, level), 1), reach)
    factors = list(dict.fromkeys(factor for factor, _ in found))
    ordered = sorted(found.items(), key=lambda item: factors.index(item[0][0]))
    return [
        _average(*key, np.array(values), largest=largest[key], confidence=confidence)
        for key, values in ordered
    ]


def words_of_level(words: Sequence[str], level: str) -> list[int]:
    """Return the positions of a level's words in a prompt; none where it does not hold them."""
    wanted = [word.text.casefold() for word in split_words(level)]
    prompt = [word.casefold() for word in words]
    for start in range(len(prompt) - len(wanted) + 1 if wanted else 0):
        if prompt[start : start + len(wanted)] == wanted:
            return list(range(start, start + len(wanted)))
    return []


def _influence(one: PromptScores, places: Sequence[int], column: int) -> float:
    if one.main is None:
        return math.nan
    return float(one.main.scores[list(places), column].sum())


def _average(
    factor: str, level: str, values: FloatArray, *, largest: float, confidence: float
) -> MeanInfluence:
    found = mean_influence(values, largest=largest, confidence=confidence)
    numbers = (found.value, *found.interval, found.p_value, found.n, found.n_missing)
    return MeanInfluence(factor, level, *numbers, float(largest), tuple(values.tolist()))
