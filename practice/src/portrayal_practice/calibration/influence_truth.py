"""What an influence study would find on `practice:painter` with endless images.

The share of every text is exact. Where texts are sampled, they stand for all those that were not
drawn: the truth then comes from many of them, with the interval of what is left unknown. Sets of
words are never sampled here. Questions are worded as in the analysis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

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
from portrayal.statistics.influence import combine, influence_weights
from portrayal.studies.words import split_words
from portrayal_practice.calibration.exact import exact_row, rounded, world_names
from portrayal_practice.errors import PracticeError
from portrayal_practice.truth import group_shares

_CONFIDENCE = 0.95


def is_told(study: InfluenceStudy) -> bool:
    """Tell whether every word of the study has a finding of its own, and so a truth."""
    return len(study.sources()) <= FEW_PROMPTS


def _without_sampled_sets(study: InfluenceStudy, draws: int) -> InfluenceStudy:
    for source in study.sources():
        n = count_subsets(len(split_words(source.text)), study.level)
        if n > MOST_SUBSETS:
            raise PracticeError(
                f"{study.name}: level {study.level} replaces {n:,} sets of words in "
                f"{source.text!r}; truths are known for up to {MOST_SUBSETS:,}: take a lower level"
            )
    return study.model_copy(update={"draws": draws, "subsets": None})


def influence_truth(study: InfluenceStudy, *, samples: int) -> list[dict[str, Any]]:
    """Say how every word of a study's prompts pushes, with endless images.

    Args:
        study: One whose words are told.
        samples: Texts for each set of replaced words, where texts are sampled.

    Raises:
        PracticeError: An axis or a group of which the world knows no truth.
        LanguageError: Words cannot be replaced.
    """
    prompts = len(study.sources())
    sampled = study.transmuter.choice == "sample"
    draws = max(study.draws, min(samples, MOST_DRAWS)) if sampled else study.draws
    full = draw_texts(_without_sampled_sets(study, draws))
    rows: list[dict[str, Any]] = []
    for axis, asked in study.axes.items():
        names = world_names(study, axis, asked.groups)
        groups = list(names)
        several = groups[:1] if len(groups) == 2 else groups
        spoken = [study.group] if study.group in groups else several
        for plan in full.plan():
            for group in spoken:
                rows += _words(full, plan, axis, (group, names[group]), several=prompts > 1)
    return rows


def _words(
    study: InfluenceStudy, plan: PromptPlan, axis: str, group: tuple[str, str], *, several: bool
) -> Iterator[dict[str, Any]]:
    called, planted = group
    number = {position: i for i, position in enumerate(plan.replaceable)}
    subsets = [frozenset(number[position] for position in one.words) for one in plan.sets]
    sampled = study.transmuter.choice == "sample"
    found = [_share(plan, one, axis, planted, sampled=sampled) for one in plan.sets]
    shares = np.array([share for share, _ in found])
    errors = np.array([error for _, error in found])
    level = min(study.level, len(number))
    weights = influence_weights(subsets, len(number), level)
    scores = combine(weights, shares)
    reach = stats.norm.ppf(0.5 + _CONFIDENCE / 2) * np.sqrt(combine(weights**2, errors**2))
    for position, i in number.items():
        question = word_question(plan, position, called, several=several)
        row = exact_row(study, question, INFLUENCE, float(scores[i]))
        if sampled:
            row["low"] = rounded(float(scores[i] - reach[i]))
            row["high"] = rounded(float(scores[i] + reach[i]))
            row["how"] = f"{study.draws} texts a set"
        yield row


def _share(
    plan: PromptPlan, one: WordSet, axis: str, group: str, *, sampled: bool
) -> tuple[float, float]:
    """Return the share of a group over the texts of a set, with its standard error.

    Texts count by how often they show a person. NaN where none does, or where a single one would
    stand for all that were not drawn.
    """
    texts = [text for text, _ in plan.draws(one)] if one.words else [plan.source.text]
    truths = group_shares(texts, axis=axis)
    known = [(truth.person, truth.shares[group]) for truth in truths if truth.person > 0]
    n = len(known)
    if n < (LEAST_TEXTS if sampled and one.words else 1):
        return math.nan, math.nan
    people, shares = np.array(known).T
    share = float(people @ shares / people.sum())
    if not sampled or not one.words:
        return share, 0.0
    variance = n / (n - 1) * float((people**2) @ (shares - share) ** 2)
    return share, math.sqrt(variance) / float(people.sum())
