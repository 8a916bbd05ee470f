"""How each concept leans by itself: the mean of Eq. 2, and the leaning among many attributes."""

from __future__ import annotations

from portrayal.errors import StatisticsError
from portrayal.findings import Finding, FloatArray
from portrayal.kinds.association.concepts import ConceptImages
from portrayal.kinds.association.view import Poles, View
from portrayal.numbers import number
from portrayal.statistics import (
    SingleAssociationResult,
    association_scores,
    multi_association,
    single_association,
)

ASSOCIATION = "association"


def concept_unit(view: View, concept: ConceptImages) -> str:
    """Return the unit of a concept's estimate: images where it has a single prompt."""
    return view.settings.unit if concept.neutral.n_units > 1 else "image"


def concept_finding(view: View, concept: ConceptImages, poles: Poles, *, tested: bool) -> Finding:
    """Return the mean association of a concept, or why there is none.

    Args:
        view: Study, encoder, settings.
        concept: Its images.
        poles: The two attributes.
        tested: Whether its p-value counts among the audit's questions. Where concepts are
            contrasted the contrast is the question.
    """
    question = view.question(concept.name, poles)
    counts = {"n": concept.neutral.n, "n_missing": concept.n_missing}
    lack = concept.lack()
    if lack:
        return view.unanswered(question, ASSOCIATION, lack, **counts)
    try:
        result = _single(view, concept, poles)
    except StatisticsError as error:
        return view.unanswered(question, ASSOCIATION, str(error), **counts)
    details = {
        "concept": concept.name,
        "attributes": [poles.first, poles.second],
        "p": result.p_value,
        "prompts": concept.neutral.n_units,
        "images_attributes": [result.n_a, result.n_b],
    }
    asked = view.asked(question, ASSOCIATION, unit=concept_unit(view, concept), details=details)
    return asked.answered(
        result.score,
        result.interval,
        p=result.p_value if tested else None,
        n=result.n,
        n_missing=concept.n_missing,
        sentence=_sentence(concept, poles, result),
    )


def _single(view: View, concept: ConceptImages, poles: Poles) -> SingleAssociationResult:
    by_prompt = concept_unit(view, concept) == "prompt"
    return single_association(
        *concept.between(poles.first_attributes, poles.second_attributes, units=by_prompt),
        resample=view.settings.resample if by_prompt else "units",
        confidence=view.settings.confidence,
    )


def image_values(concept: ConceptImages, poles: Poles) -> FloatArray | None:
    """Return Eq. 2 for every neutral image of a concept; None where data is lacking."""
    if concept.lack():
        return None
    return association_scores(
        *concept.between(poles.first_attributes, poles.second_attributes, units=False)
    )


def vector_findings(view: View, concept: ConceptImages) -> list[Finding]:
    """Return how a concept leans among more than two attributes, with simultaneous intervals."""
    names = list(view.study.attributes)
    questions = {
        name: f"{concept.name}: {name} rather than the average attribute{view.suffix}"
        for name in names
    }
    lack = concept.lack()
    if lack:
        counts = {"n": concept.neutral.n, "n_missing": concept.n_missing}
        return [
            view.unanswered(question, ASSOCIATION, lack, **counts)
            for question in questions.values()
        ]
    unit = concept_unit(view, concept)
    by_prompt = unit == "prompt"
    settings = view.settings
    result = multi_association(
        concept.embeddings(concept.neutral, units=by_prompt),
        {
            name: concept.embeddings(images, units=by_prompt)
            for name, images in concept.attributes.items()
        },
        resample=settings.resample if by_prompt else "units",
        resamples=settings.resamples,
        confidence=settings.confidence,
        rng=settings.rng(view.study.name, view.data.encoder.digest, concept.name),
    )
    return [
        view.asked(
            questions[name],
            ASSOCIATION,
            unit=unit,
            details={"concept": concept.name, "attribute": name, "simultaneous": len(names)},
        ).answered(
            float(score),
            interval,
            n=result.n,
            n_missing=concept.n_missing,
            sentence=(
                f"Images of {concept.name} are {number(abs(float(score)))} "
                f"{'closer to' if score >= 0 else 'farther from'} {name} than to the average "
                f"attribute in mean cosine; the intervals of all {len(names)} hold together."
            ),
        )
        for name, score, interval in zip(result.names, result.scores, result.intervals, strict=True)
    ]


def _sentence(concept: ConceptImages, poles: Poles, result: SingleAssociationResult) -> str:
    first, second = poles.first, poles.second
    near, far = (first, second) if result.score >= 0 else (second, first)
    closer = f"Images of {concept.name} are closer to {near} than to {far}"
    return f"{closer} by {number(abs(result.score))} in mean cosine."
