"""Average influence of a word over all prompts that hold it (figure 3 of Lin et al. 2023).

The word of a factor's level is found in the prompt by its spelling. A level of several words
("police officer") has the sum of their influences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.findings import FloatArray
from portrayal.kinds.influence.word_scores import PromptScores
from portrayal.studies import split_words


@dataclass(frozen=True, slots=True)
class MeanInfluence:
    """Mean influence of one level of a factor towards one answer.

    The interval and the two-sided p are Student's over prompts: it speaks of other prompts of the
    same kind. NaN with fewer than two prompts.
    """

    factor: str
    level: str
    value: float
    low: float
    high: float
    p: float
    prompts: int
    n_missing: int


def factor_averages(
    scores: Sequence[PromptScores], column: int, *, confidence: float
) -> list[MeanInfluence]:
    """Average over prompts, for every level of every factor whose words stand in the prompts.

    Factor by factor, levels in the order of the prompts.

    Args:
        scores: The words of all prompts.
        column: Which answer.
        confidence: Of the intervals.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for one in scores:
        for factor, level in one.counts.plan.source.factors.items():
            places = words_of_level(one.counts.plan.words, level)
            if places:
                found.setdefault((factor, level), []).append(_influence(one, places, column))
    factors = list(dict.fromkeys(factor for factor, _ in found))
    ordered = sorted(found.items(), key=lambda item: factors.index(item[0][0]))
    return [_average(*key, np.array(values), confidence) for key, values in ordered]


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


def _average(factor: str, level: str, values: FloatArray, confidence: float) -> MeanInfluence:
    known = values[~np.isnan(values)]
    n, missing = len(known), len(values) - len(known)
    if n < 2:
        mean = float(known[0]) if n else math.nan
        return MeanInfluence(factor, level, mean, math.nan, math.nan, math.nan, n, missing)
    mean = float(known.mean())
    error = float(known.std(ddof=1)) / math.sqrt(n)
    half = float(stats.t.ppf(0.5 + confidence / 2, n - 1)) * error
    p = 2 * float(stats.t.sf(abs(mean) / error, n - 1)) if error > 0 else float(mean == 0)
    return MeanInfluence(factor, level, mean, mean - half, mean + half, p, n, missing)
