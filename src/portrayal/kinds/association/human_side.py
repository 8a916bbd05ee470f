"""What raters said about neutral images, beside the association scores (T2IAT, section 5.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from portrayal.audit import AuditFolder
from portrayal.findings import (
    AnalysisSettings,
    Distribution,
    Finding,
    HumanSide,
    Part,
    PublishedNumber,
    PublishedNumbers,
    StudyData,
    StudyResult,
    published_numbers,
    votes_on,
)
from portrayal.kinds.association.rated_concepts import (
    ALL,
    LEAST_CONCEPTS,
    SHARE,
    TAU,
    RatedConcept,
    compare_with_raters,
    image_share,
    order_asked,
    rated_concepts,
    raters_table,
)
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.raters import ASSOCIATION, Question, Votes

STUDY = "raters"
KIND = "agreement"


@dataclass(frozen=True, slots=True)
class ConceptsBesideRaters(HumanSide):
    """What raters add to an association study.

    Attributes:
        concepts: Rated concepts by encoder: studies with the same attributes are set side by side.
    """

    concepts: dict[str, list[RatedConcept]] = field(default_factory=dict)


def concepts_beside_raters(
    study: AssociationStudy,
    audit: AuditFolder,
    data: Sequence[StudyData],
    result: StudyResult,
    settings: AnalysisSettings,
) -> ConceptsBesideRaters:
    """Set association scores and raters' answers side by side, concept by concept.

    Args:
        study: The study.
        audit: Where votes are kept.
        data: The study's images, once for each encoder.
        result: What the encoders say.
        settings: How.
    """
    side = ConceptsBesideRaters()
    rated = votes_on(study, audit, data)
    if rated is None:
        return side
    for one, suffix in zip(data, rated.suffixes, strict=True):
        concepts, unused = _rated(study, rated.votes, _distributions(study, result, one.label))
        side.concepts.setdefault(one.label, []).extend(concepts)
        asked = order_asked(study.name, study.kind, one.label, after=suffix)
        if len(study.concepts) >= LEAST_CONCEPTS and concepts:
            found = compare_with_raters(asked, concepts, settings, n_missing=unused)
            side.findings.append(found)
        if concepts:
            about = f"{' rather than '.join(study.attributes)}{suffix}"
            side.tables.append(raters_table(concepts, settings, f"raters{suffix}", about))
    alone = _rated_alone(study, rated.votes)
    if not any(side.concepts.values()) and alone:
        about = " rather than ".join(study.attributes)
        side.tables.append(raters_table(alone, settings, "raters", about))
    ours = {(one.name, SHARE): image_share(one, settings) for one in alone}
    beside = published_numbers(study, data[0], ours, suffix=" · raters", measurer="raters")
    side.tables.extend([] if beside is None else [beside])
    return side


def rated_together(
    studies: Sequence[AssociationStudy],
    sides: Sequence[ConceptsBesideRaters],
    settings: AnalysisSettings,
) -> StudyResult | None:
    """Set concepts of several studies with the same attributes side by side (T2IAT, table 2).

    Most of T2IAT's tests have two concepts, too few for an order of their own.
    """
    together: dict[tuple[tuple[str, ...], str], list[list[RatedConcept]]] = {}
    for study, side in zip(studies, sides, strict=True):
        for encoder, concepts in side.concepts.items():
            key = (tuple(study.attributes), encoder)
            together.setdefault(key, []).append(concepts)
    findings: list[Finding] = []
    tables: list[Part] = []
    whole: dict[str, Finding] = {}
    for (attributes, encoder), parts in together.items():
        concepts = [one for mine in parts for one in mine]
        if len(parts) < 2 or len(concepts) < LEAST_CONCEPTS:
            continue
        what = f"{attributes[0]} rather than {attributes[1]} · {encoder}"
        asked = order_asked(STUDY, KIND, encoder, before=f"{what}: ")
        findings.append(compare_with_raters(asked, concepts, settings))
        tables.append(raters_table(concepts, settings, f"raters-{what}", what))
        whole[encoder] = findings[-1]
    for encoder in dict.fromkeys(encoder for _, encoder in together):
        own = [parts for (_, by), parts in together.items() if by == encoder]
        if len(own) > 1:
            # Where all studies have the same attributes, this would ask the same question again.
            whole.pop(encoder, None)
            found = _over_all(encoder, own, settings)
            if found is not None:
                findings.append(found)
                whole[encoder] = found
    for encoder, found in whole.items():
        row = PublishedNumber(ALL, TAU, found.estimate, found.low, found.high)
        title = f"{TAU} over all concepts"
        tables.append(PublishedNumbers(f"tau · {encoder}", title, [row], measurer="raters"))
    if not findings:
        return None
    return StudyResult(STUDY, KIND, "Machine against raters over all studies", findings, tables)


def _over_all(
    encoder: str, own: Sequence[Sequence[Sequence[RatedConcept]]], settings: AnalysisSettings
) -> Finding | None:
    """Return one tau over the concepts of all studies, whatever their attributes (T2IAT, 5.5)."""
    concepts = [one for parts in own for mine in parts for one in mine]
    if len(concepts) < LEAST_CONCEPTS:
        return None
    asked = order_asked(STUDY, KIND, encoder, before=f"{ALL} · {encoder}: ")
    return compare_with_raters(asked, concepts, settings)


def first_shares(votes: Votes, question: Question, first: str, second: str) -> dict[str, float]:
    """Return the share of raters who chose the first of two answers, by image; NaN for nobody."""
    shares = {}
    for image, mine in votes.by_image().items():
        if not votes.was_asked(image, question.id):
            continue
        given = [vote.answers.get(question.id) for vote in mine]
        chosen = given.count(first) + given.count(second)
        shares[image] = given.count(first) / chosen if chosen else math.nan
    return shares


def _distributions(
    study: AssociationStudy, result: StudyResult, measurer: str
) -> list[Distribution]:
    """Return what one encoder says about every image, on the study's first attribute."""
    first = next(iter(study.attributes))
    return [
        one
        for one in result.parts
        if isinstance(one, Distribution) and (one.measurer, one.first) == (measurer, first)
    ]


def _rated(
    study: AssociationStudy, votes: Votes, seen: Sequence[Distribution]
) -> tuple[list[RatedConcept], int]:
    """Return the concepts with raters' answers; none where raters were asked something else."""
    question = _question(study, votes)
    if question is None:
        return [], 0
    return rated_concepts(seen, first_shares(votes, question, *study.attributes))


def _rated_alone(study: AssociationStudy, votes: Votes) -> list[RatedConcept]:
    """Return the concepts with raters' answers where no encoder embedded the images."""
    question = _question(study, votes)
    if question is None:
        return []
    shares: dict[str, list[float]] = {name: [] for name in study.concepts}
    for image, share in first_shares(votes, question, *study.attributes).items():
        concept = votes.images[image].factors.get("concept", "")
        if concept in shares and not math.isnan(share):
            shares[concept].append(share)
    concepts = [RatedConcept(name, np.array(one), np.zeros(0)) for name, one in shares.items()]
    return [one for one in concepts if one.chosen.size]


def _question(study: AssociationStudy, votes: Votes) -> Question | None:
    """Return the question about the study's attributes; None where raters were not asked."""
    asked = [one for one in votes.questions.choices if set(study.attributes) <= set(one.keys)]
    if len(study.attributes) != 2 or not asked:
        return None
    return next((one for one in asked if one.id.startswith(ASSOCIATION)), asked[0])
