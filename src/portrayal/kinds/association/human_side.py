"""What raters said about neutral images, beside the association scores (T2IAT, section 5.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from portrayal.audit import Audit
from portrayal.findings.data import StudyData
from portrayal.findings.human_side import HumanSide, votes_on
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds.association.rated_concepts import (
    LEAST_CONCEPTS,
    RatedConcept,
    compare_with_raters,
    rated_concepts,
    raters_table,
)
from portrayal.kinds.association.schema import AssociationStudy
from portrayal.raters.questions import ASSOCIATION, Question
from portrayal.raters.votes import Votes
from portrayal.records import Finding, StudyResult, Table

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
    audit: Audit,
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
    for rated in votes_on(study, audit, data):
        for one, suffix in zip(data, rated.suffixes, strict=True):
            drawn = _distributions(study, result, suffix.removesuffix(rated.who))
            concepts, unused = _rated(study, rated.votes, drawn)
            side.concepts.setdefault(f"{one.label}{rated.who}", []).extend(concepts)
            side.add(*_of_concepts(study, concepts, unused, settings, suffix))
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
            together.setdefault((tuple(study.attributes), encoder), []).append(concepts)
    findings, tables = [], []
    for (attributes, encoder), parts in together.items():
        concepts = [one for mine in parts for one in mine]
        if len(parts) < 2 or len(concepts) < LEAST_CONCEPTS:
            continue
        what = f"{attributes[0]} rather than {attributes[1]} · {encoder}"
        finding = compare_with_raters(STUDY, concepts, settings)
        findings.append(replace(finding, question=f"{what}: {finding.question}"))
        table = raters_table(concepts, settings)
        tables.append(replace(table, name=f"raters-{what}", title=f"{table.title}: {what}"))
    if not findings:
        return None
    return StudyResult(STUDY, KIND, "Machine against raters over all studies", findings, tables)


def first_shares(votes: Votes, question: Question, first: str, second: str) -> dict[str, float]:
    """Return the share of raters who chose the first of two answers, by image; NaN for nobody."""
    shares = {}
    for image, mine in votes.by_image().items():
        given = [vote.answers.get(question.id) for vote in mine]
        chosen = given.count(first) + given.count(second)
        shares[image] = given.count(first) / chosen if chosen else math.nan
    return shares


def _distributions(study: AssociationStudy, result: StudyResult, suffix: str) -> list[Table]:
    name = f"images-{next(iter(study.attributes))}{suffix}".replace(" ", "-")
    return [one for one in result.tables if one.role == "distribution" and one.name == name]


def _rated(
    study: AssociationStudy, votes: Votes, drawn: Sequence[Table]
) -> tuple[list[RatedConcept], int]:
    """Return the concepts with raters' answers; none where raters were asked something else."""
    asked = [one for one in votes.questions.choices if set(study.attributes) <= set(one.keys)]
    if len(study.attributes) != 2 or not asked:
        return [], 0
    question = next((one for one in asked if one.id == ASSOCIATION), asked[0])
    return rated_concepts(drawn, first_shares(votes, question, *study.attributes))


def _of_concepts(
    study: AssociationStudy,
    concepts: Sequence[RatedConcept],
    unused: int,
    settings: AnalysisSettings,
    suffix: str,
) -> tuple[list[Finding], list[Table]]:
    if not concepts:
        return [], []
    table = raters_table(concepts, settings)
    title = f"{table.title}: {' rather than '.join(study.attributes)}{suffix}"
    tables = [replace(table, name=f"raters{suffix}", title=title)]
    if len(study.concepts) < LEAST_CONCEPTS:
        return [], tables
    finding = compare_with_raters(study.name, concepts, settings, n_missing=unused)
    return [replace(finding, question=f"{finding.question}{suffix}")], tables
