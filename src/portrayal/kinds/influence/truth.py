"""What an influence study would find with unlimited images.

The share of every text is exact. Where texts are sampled, they stand for all those that were not
drawn: the truth then comes from many of them, with the interval of what is left unknown. Sets of
words are never sampled here. Questions are worded as in the analysis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from portrayal.errors import StudyError
from portrayal.generators import StatesTruth
from portrayal.kinds import Truth, exact, rounded
from portrayal.kinds.composition import share_truths
from portrayal.kinds.influence.analysis import FEW_PROMPTS, INFLUENCE, word_question
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.schema import (
    MOST_DRAWS,
    MOST_SUBSETS,
    InfluenceStudy,
    PromptPlan,
    WordSet,
)
from portrayal.kinds.influence.subsets import count_subsets
from portrayal.kinds.influence.word_sets import LEAST_TEXTS
from portrayal.statistics import combine, influence_weights
from portrayal.studies import split_words

_CONFIDENCE = 0.95


def is_told(study: InfluenceStudy) -> bool:
    """Tell whether every word of the study has a finding of its own, and so a truth."""
    return len(study.sources()) <= FEW_PROMPTS


def _without_sampled_sets(study: InfluenceStudy, draws: int) -> InfluenceStudy:
    for source in study.sources():
        n = count_subsets(len(split_words(source.text)), study.level)
        if n > MOST_SUBSETS:
            raise StudyError(
                f"{study.name}: level {study.level} replaces {n:,} sets of words in "
                f"{source.text!r}; truths are known for up to {MOST_SUBSETS:,}: take a lower level"
            )
    return study.model_copy(update={"draws": draws, "subsets": None})


def influence_truths(study: InfluenceStudy, world: StatesTruth, *, samples: int) -> list[Truth]:
    """Return how every word of a study's prompts pushes, with unlimited images.

    A study with too many prompts for a finding per word has the shares of its prompts.

    Args:
        study: The study.
        world: The generator.
        samples: Texts for each set of replaced words, where texts are sampled.

    Raises:
        StudyError: There are too many sets of words.
        LanguageError: Words cannot be replaced.
    """
    if not is_told(study):
        return list(share_truths(study, world))
    prompts = len(study.sources())
    sampled = study.transmuter.choice == "sample"
    draws = max(study.draws, min(samples, MOST_DRAWS)) if sampled else study.draws
    full = draw_texts(_without_sampled_sets(study, draws))
    rows: list[Truth] = []
    for axis, asked in study.axes.items():
        groups = list(asked.groups)
        several = groups[:1] if len(groups) == 2 else groups
        spoken = [study.group] if study.group in groups else several
        for plan in full.plan():
            for group in spoken:
                stated = _Stated(world, axis, groups, group)
                rows += _words(full, plan, stated, several=prompts > 1)
    return rows


@dataclass(frozen=True, slots=True)
class _Stated:
    """The shares of one group, as the generator states them."""

    world: StatesTruth
    axis: str
    groups: Sequence[str]
    group: str

    def of(self, texts: Sequence[str]) -> list[tuple[float, float]]:
        """Return how often a text shows a person, and the group's share, where one is shown."""
        stated = self.world.shares(texts, axis=self.axis, groups=self.groups)
        return [(one.person, one.shares[self.group]) for one in stated if one.person > 0]


def _words(
    study: InfluenceStudy, plan: PromptPlan, stated: _Stated, *, several: bool
) -> Iterator[Truth]:
    number = {position: i for i, position in enumerate(plan.replaceable)}
    subsets = [frozenset(number[position] for position in one.words) for one in plan.sets]
    sampled = study.transmuter.choice == "sample"
    found = [_share(plan, one, stated, sampled=sampled) for one in plan.sets]
    shares = np.array([share for share, _ in found])
    errors = np.array([error for _, error in found])
    level = min(study.level, len(number))
    weights = influence_weights(subsets, len(number), level)
    scores = combine(weights, shares)
    reach = stats.norm.ppf(0.5 + _CONFIDENCE / 2) * np.sqrt(combine(weights**2, errors**2))
    for position, i in number.items():
        question = word_question(plan, position, stated.group, several=several)
        row = exact(study, question, INFLUENCE, float(scores[i]))
        if sampled:
            row = replace(
                row,
                low=rounded(float(scores[i] - reach[i])),
                high=rounded(float(scores[i] + reach[i])),
                how=f"{study.draws} texts per set",
            )
        yield row


def _share(
    plan: PromptPlan, one: WordSet, stated: _Stated, *, sampled: bool
) -> tuple[float, float]:
    """Return the share of a group over the texts of a set, with its standard error.

    Texts count by how often they show a person. NaN where none does, or where a single one would
    stand for all that were not drawn.
    """
    texts = [text for text, _ in plan.draws(one)] if one.words else [plan.source.text]
    known = stated.of(texts)
    n = len(known)
    if n < (LEAST_TEXTS if sampled and one.words else 1):
        return math.nan, math.nan
    people, shares = np.array(known).T
    share = float(people @ shares / people.sum())
    if not sampled or not one.words:
        return share, 0.0
    variance = n / (n - 1) * float((people**2) @ (shares - share) ** 2)
    return share, math.sqrt(variance) / float(people.sum())
