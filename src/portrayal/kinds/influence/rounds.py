"""What is left of a budget, spent on undecided words; then rewritten prompts to verify."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from portrayal.findings import AnalysisSettings, StudyData
from portrayal.kinds.influence.allocation import allocate
from portrayal.kinds.influence.analysis import prompt_scores
from portrayal.kinds.influence.drawing import draw_texts
from portrayal.kinds.influence.schema import DrawnSubset, InfluenceStudy, PromptPlan
from portrayal.kinds.influence.subsets import Subset
from portrayal.kinds.influence.suggestions import rewritten
from portrayal.kinds.influence.verdicts import undecided
from portrayal.kinds.influence.word_scores import PromptScores

STAGES = (0.75, 1.0)
"""Shares of a budget that are spent after each round; a later one decides on more images."""


def next_round(
    study: InfluenceStudy, data: Callable[[], Sequence[StudyData]], settings: AnalysisSettings
) -> InfluenceStudy | None:
    """Return the study with more draws, or with rewritten prompts; None where nothing is left.

    Of several measurers the first one's labels decide. Prompts share what is dealt out evenly.

    Args:
        study: The study, with its drawn texts.
        data: Gives its images so far, once for each measurer.
        settings: How it will be analyzed.
    """
    draws = _affordable(study)
    if draws < 1 and (not study.verify or study.rewrites):
        return None
    name, column = spoken_of(study)
    seen = data()
    scores = prompt_scores(study, name, study.axes[name], seen[0], settings) if seen else None
    if scores is None:
        return None
    if draws >= 1:
        more = _dealt_out(study, scores, column, draws)
        if any(more.values()):
            return draw_texts(_with_more(study, more))
    if not study.verify or study.rewrites:
        return None
    texts = [text for one in scores for text in rewritten(one, column, target=study.target)]
    return study.model_copy(update={"rewrites": tuple(texts)}) if texts else None


def _dealt_out(
    study: InfluenceStudy, scores: Sequence[PromptScores], column: int, draws: int
) -> dict[str, Mapping[Subset, int]]:
    more: dict[str, Mapping[Subset, int]] = {}
    for number, one in enumerate(scores):
        share = draws // len(scores) + (number < draws % len(scores))
        more[one.counts.plan.source.text] = allocate(
            one.counts, column, study.level, draws=share, images=study.images,
            undecided=undecided(one, column),
        )  # fmt: skip
    return more


def spoken_of(study: InfluenceStudy) -> tuple[str, int]:
    """Return the axis and the column of the group that a study speaks of first."""
    for name, axis in study.axes.items():
        if study.group in axis.groups:
            return name, list(axis.groups).index(study.group)
    return next(iter(study.axes)), 0


def _affordable(study: InfluenceStudy) -> int:
    """Return how many draws the next stage of the budget pays for."""
    if study.budget is None:
        return 0
    spent = study.cost().images
    left = (int(study.budget * stage) - spent for stage in STAGES)
    return next((n for images in left if (n := images // study.images) >= 1), 0)


def _with_more(study: InfluenceStudy, more: Mapping[str, Mapping[Subset, int]]) -> InfluenceStudy:
    """Return the study with more draws wanted of some sets of words."""
    assert study.drawn is not None
    plans = {plan.source.text: plan for plan in study.plan()}
    prompts = []
    for known in study.drawn.prompts:
        plan = plans.get(known.prompt)
        if plan is None:  # drawn for a prompt that is no longer asked about
            prompts.append(known)
            continue
        subsets = {one.words: one for one in known.subsets}
        for words, draws in _wanted(plan, more.get(known.prompt, {})).items():
            record = subsets.get(words, DrawnSubset(words=words))
            subsets[words] = record.model_copy(update={"draws": draws})
        prompts.append(known.model_copy(update={"subsets": tuple(subsets.values())}))
    drawn = study.drawn.model_copy(update={"prompts": tuple(prompts)})
    return study.model_copy(update={"drawn": drawn})


def _wanted(plan: PromptPlan, more: Mapping[Subset, int]) -> dict[Subset, int]:
    return {one.words: one.draws + more.get(one.words, 0) for one in plan.sets}
