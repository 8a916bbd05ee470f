"""Contrasts of an association study: S, d and p of T2IAT for each pair of concepts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from portrayal.errors import StatisticsError
from portrayal.findings import AnalysisSettings, Finding, one_sided
from portrayal.kinds.association.concepts import ConceptImages, lack_of
from portrayal.kinds.association.headlines import contrast_headline, contrast_sentence
from portrayal.kinds.association.schema import Contrast
from portrayal.kinds.association.view import Poles, View
from portrayal.numbers import number
from portrayal.statistics import (
    AssociationResult,
    ConceptEmbeddings,
    PermutationResult,
    association_permutation_test,
    association_test,
    cohen_size_word,
)

EFFECT = "d"
SCORE = "S"


def contrast_findings(
    view: View, contrast: Contrast, poles: Poles, concepts: dict[str, ConceptImages]
) -> list[Finding]:
    """Return d (with p) and S of one contrast, or a finding that says why there are none."""
    question = view.question(str(contrast), poles)
    x, y = concepts[contrast.x], concepts[contrast.y]
    settings = view.settings
    by_prompt = settings.unit == "prompt"
    if by_prompt and settings.permute == "stimuli":
        x, y = x.whole(), y.whole()
    missing = x.n_missing + y.n_missing
    counts = {"n": x.neutral.n + y.neutral.n, "n_missing": missing}
    lack = lack_of((x, y), prompts_as_units=by_prompt)
    if lack:
        return [view.unanswered(question, EFFECT, lack, **counts)]
    try:
        sides = [
            side.between(poles.first_attributes, poles.second_attributes, units=by_prompt)
            for side in (x, y)
        ]
        result = association_test(
            *sides,
            effect=settings.effect,
            alternative=settings.alternative,
            resample=settings.resample,
            confidence=settings.confidence,
        )
        paper = _paper_test(view, contrast, poles, sides)
    except StatisticsError as error:
        return [view.unanswered(question, EFFECT, str(error), **counts)]
    if not math.isfinite(result.effect_size):
        reason = "all images of both sides have the same association, so d has no unit"
        return [view.unanswered(question, EFFECT, reason, **counts)]
    details = {
        **one_sided(settings.alternative),
        **_details(contrast, poles, result),
        **_paper_details(settings, result, paper),
    }
    used = {"n": result.n_x + result.n_y, "n_missing": missing}
    effect = view.asked(question, EFFECT, details=details).answered(
        _estimate(result),
        result.effect_interval,
        p=result.p_value,
        sentence=contrast_sentence(x, y, poles, result),
        **used,
    )
    headline = contrast_headline(x, y, poles, result, _estimate(result), settings.alternative)
    effect = effect.with_headline(headline)
    score = view.asked(f"{question} (score S)", SCORE, details=details).answered(
        result.score,
        result.interval,
        sentence=_score_sentence(contrast, poles, result),
        **used,
    )
    return [effect, score]


def _paper_test(
    view: View, contrast: Contrast, poles: Poles, sides: Sequence[ConceptEmbeddings]
) -> PermutationResult:
    settings = view.settings
    return association_permutation_test(
        *sides,
        permute=settings.permute if settings.unit == "prompt" else "targets",
        alternative=settings.alternative,
        resamples=settings.resamples,
        rng=settings.rng(view.study.name, view.data.encoder.digest, str(contrast), poles.first),
    )


def _estimate(result: AssociationResult) -> float:
    """Return the bias-corrected d where there is one, else that of the paper's formula."""
    corrected = result.effect_size_corrected
    return corrected if math.isfinite(corrected) else result.effect_size


def _details(contrast: Contrast, poles: Poles, result: AssociationResult) -> dict[str, Any]:
    estimate = _estimate(result)
    return {
        "contrast": str(contrast),
        "x": contrast.x,
        "y": contrast.y,
        "attributes": [poles.first, poles.second],
        "score": result.score,
        "score_low": result.interval.low,
        "score_high": result.interval.high,
        "d": estimate,
        "d_paper": result.effect_size,
        "d_low": result.effect_interval.low,
        "d_high": result.effect_interval.high,
        "size": cohen_size_word(estimate),
        "p": result.p_value,
        "n_x": result.n_x,
        "n_y": result.n_y,
        "prompts_x": result.n_units_x,
        "prompts_y": result.n_units_y,
        "images_attributes": list(result.n_attributes),
    }


def _paper_details(
    settings: AnalysisSettings, result: AssociationResult, paper: PermutationResult
) -> dict[str, Any]:
    """Return what the paper's test says, and the smallest p it can give with so many units."""
    tails = 2 if settings.alternative == "two-sided" else 1
    splits = math.comb(result.n_units_x + result.n_units_y, result.n_units_x)
    return {
        "p_paper": paper.p_value,
        "exact": paper.exact,
        "splits": int(paper.null_distribution.size),
        "least_p_paper": min(1.0, tails / min(splits, settings.resamples + 1)),
    }


def _score_sentence(contrast: Contrast, poles: Poles, result: AssociationResult) -> str:
    first, second = poles.first, poles.second
    more = "higher" if result.score >= 0 else "lower"
    return (
        f"The mean cosine with {first} less that with {second} is {number(abs(result.score))} "
        f"{more} for {contrast.x} than for {contrast.y}."
    )
