"""Influence of the words of one prompt: scores at every level, Shapley values, pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from portrayal.findings import FloatArray
from portrayal.kinds.influence.word_sets import PromptCounts
from portrayal.statistics import (
    InfluenceResult,
    InteractionResult,
    Texts,
    hoeffding_margin,
    influence_estimate,
    interaction_estimate,
)

SLIGHT = 0.05
"""An influence up to this, 5 points, is no cause worth naming."""

SHAPLEY = 0
"""Stands for "Shapley value" where else a level is named."""


@dataclass(frozen=True, slots=True)
class WordScore:
    """One number with what is known about it; NaN where there is no answer.

    `p` is two-sided and agrees with the interval: it is below 5% where a 95% interval leaves out
    zero.
    """

    value: float
    low: float
    high: float
    p: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class WordScores:
    """The influence of every word of a prompt on every answer, at one level.

    Attributes:
        level: Largest number of words replaced together; `SHAPLEY` for Shapley values.
        exact: Whether every set of words up to the level was painted.
        scores: (words, answers), NaN for words that cannot be replaced.
        low: Lower bounds.
        high: Upper bounds.
        p: Two-sided p-values.
        p_beyond: The same against an influence of at most `SLIGHT`; NaN for Shapley values.
        leads: (words, answers): share of resamples in which the word's influence on the answer is
            the largest in size.
        margin: Half the width of Theorem 1's interval; NaN where it does not hold.
    """

    level: int
    exact: bool
    scores: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    p: FloatArray = field(repr=False)
    p_beyond: FloatArray = field(repr=False)
    leads: FloatArray = field(repr=False)
    margin: float = math.nan

    def of(self, word: int, answer: int) -> WordScore:
        """Return the score of one word, by position, on one answer, by column."""
        at = (word, answer)
        return WordScore(*(float(one[at]) for one in (self.scores, self.low, self.high, self.p)))

    def shapley(self, words: int) -> WordScores:
        """Return Shapley values, where these are the scores with all words replaceable at once."""
        scaled = {name: getattr(self, name) / words for name in ("scores", "low", "high", "margin")}
        unknown = np.full_like(self.p_beyond, np.nan)
        return replace(self, level=SHAPLEY, p_beyond=unknown, **scaled)

    @property
    def name(self) -> str:
        """What the scores are called."""
        return "Shapley value" if self.level == SHAPLEY else f"influence at level {self.level}"


@dataclass(frozen=True, slots=True)
class PromptScores:
    """Everything about the words of one prompt.

    Attributes:
        counts: The images.
        levels: Scores at level 1, 2, ...; Shapley values last where all words are reached.
        pairs: Interactions of every two words; None below level 2 or where sets are missing.
        looks: Images at each look at the words, this one the last; none: it is the first.
    """

    counts: PromptCounts
    levels: tuple[WordScores, ...]
    pairs: InteractionResult | None
    looks: tuple[int, ...] = ()

    @property
    def main(self) -> WordScores | None:
        """The scores at the study's level."""
        found = [one for one in self.levels if one.level != SHAPLEY]
        return found[-1] if found else None


def score_prompt(
    counts: PromptCounts,
    level: int,
    *,
    sampled_texts: bool,
    resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> PromptScores:
    """Score every word of a prompt on every answer.

    Args:
        counts: Its images.
        level: The study's level; no more than there are replaceable words counts.
        sampled_texts: Whether texts were drawn at random, or are all there are.
        resamples: Draws for intervals.
        confidence: Of the intervals.
        rng: Source of the draws.
    """
    tables = counts.for_statistics(sampled=sampled_texts)
    words = len(counts.plan.replaceable)
    level = min(level, words)
    if frozenset() not in tables:
        return PromptScores(counts, (), None)
    texts: Texts = "sampled" if sampled_texts else "fixed"
    found: list[WordScores] = []
    for at in range(1, level + 1):
        result = influence_estimate(
            tables, words, at, rng=rng, texts=texts, resamples=resamples, confidence=confidence
        )
        margin = math.nan
        if result.exact:
            least = _least(counts, at, sampled_texts=sampled_texts)
            margin = hoeffding_margin(words, at, least, confidence=confidence)
        whole = _placed(counts, at, result, margin=margin)
        found.append(whole)
        if at == words > 1:
            found.append(whole.shapley(words))
    pairs = None
    if level >= 2 and _has_pairs(tables, words):
        pairs = interaction_estimate(
            tables, words, rng=rng, texts=texts, resamples=resamples, confidence=confidence
        )
    return PromptScores(counts, tuple(found), pairs)


def _placed(
    counts: PromptCounts, level: int, result: InfluenceResult, *, margin: float
) -> WordScores:
    """Put scores of replaceable words at the positions that these have in the prompt."""
    shape = (len(counts.plan.words), len(counts.answers))
    rows = list(counts.plan.replaceable)

    def place(values: FloatArray) -> FloatArray:
        whole = np.full(shape, np.nan)
        whole[rows] = values
        return whole

    size = np.nan_to_num(np.abs(result.draws), nan=-1.0)
    return WordScores(
        level,
        result.exact,
        scores=place(result.scores),
        low=place(result.interval.low),
        high=place(result.interval.high),
        p=place(result.p_value),
        p_beyond=place(result.p_beyond(SLIGHT)),
        leads=place((size == size.max(axis=1, keepdims=True)).mean(axis=0)),
        margin=margin,
    )


def _least(counts: PromptCounts, level: int, *, sampled_texts: bool) -> int:
    """Return the number of independent pieces of the poorest set, for Theorem 1.

    Images of one sampled text are not independent, but their mean lies between 0 and 1 as one
    image's answer does, so texts take the place of images.
    """
    found = []
    for words, one in counts.sets.items():
        if len(words) <= level:
            texts = int((one.table.sum(axis=1) > 0).sum())
            found.append(texts if words and sampled_texts else int(one.table.sum()))
    return max(1, min(found))


def _has_pairs(tables: Mapping[frozenset[int], object], words: int) -> bool:
    wanted = [frozenset(), *(frozenset({i}) for i in range(words))]
    pairs = (frozenset({i, j}) for i in range(words) for j in range(i))
    return all(one in tables for one in (*wanted, *pairs))


def pair_rows(scores: PromptScores) -> Iterator[tuple[int, int, int, int]]:
    """Yield (row in the result, first position, second position, column) of every pair."""
    if scores.pairs is None:
        return
    positions = scores.counts.plan.replaceable
    for row, (i, j) in enumerate(zip(scores.pairs.first, scores.pairs.second, strict=True)):
        for column in range(len(scores.counts.answers)):
            yield row, positions[int(i)], positions[int(j)], column
