"""What raters said about a study's pictures, beside what the encoders say.

Raters' votes are kept with an audit (`portrayal annotate`, `portrayal import labels`). Studies with
axes get the raters' own scores and the agreement of machine and raters; association studies get the
share of raters by concept and Kendall's tau (T2IAT, section 5.5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from portrayal.analysis.data import StudyData
from portrayal.analysis.human_agreement import AxisRating, axis_agreement
from portrayal.analysis.raters import (
    LEAST_CONCEPTS,
    RatedConcept,
    compare_with_raters,
    rated_concepts,
    raters_table,
)
from portrayal.analysis.settings import AnalysisSettings
from portrayal.audit import Audit
from portrayal.labels import label_tables
from portrayal.labels.consensus import decide
from portrayal.labels.questions import ASSOCIATION, Question
from portrayal.labels.scoring import score_votes
from portrayal.labels.storage import load_votes, rater_names
from portrayal.labels.votes import Votes
from portrayal.records import Finding, StudyResult, Table
from portrayal.study import AssociationStudy, Axis, InterventionStudy, Study

STUDY = "raters"
KIND = "agreement"


@dataclass(frozen=True, slots=True)
class HumanSide:
    """What raters add to a study's result.

    Attributes:
        findings: Machine against raters.
        tables: The raters' own scores, and the comparison.
        concepts: Rated concepts by encoder: studies with the same attributes are set side by side.
    """

    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    concepts: dict[str, list[RatedConcept]] = field(default_factory=dict)

    def add(self, findings: Sequence[Finding], tables: Sequence[Table]) -> None:
        """Take in what was found."""
        self.findings.extend(findings)
        self.tables.extend(tables)

    def added_to(self, result: StudyResult) -> StudyResult:
        """Return the study's result with the raters' part at its end."""
        findings, tables = [*result.findings, *self.findings], [*result.tables, *self.tables]
        return replace(result, findings=findings, tables=tables)


def human_side(
    study: Study,
    audit: Audit,
    data: Sequence[StudyData],
    result: StudyResult,
    settings: AnalysisSettings,
) -> HumanSide:
    """Look for votes on a study's pictures.

    Args:
        study: The study.
        audit: Where votes are kept.
        data: The study's images, once for each encoder that looked at them.
        result: What the encoders say.
        settings: How.
    """
    side = HumanSide()
    names = rater_names(audit)
    for name in names:
        votes = load_votes(audit, name, prompts=study.prompts())
        if not votes.votes:
            continue
        who = "" if len(names) == 1 else f" · {name}"
        suffixes = [(f" · {one.label}" if len(data) > 1 else "") + who for one in data]
        if isinstance(study, AssociationStudy):
            for one, suffix in zip(data, suffixes, strict=True):
                drawn = _distributions(study, result, suffix.removesuffix(who))
                concepts, unused = _rated(study, votes, drawn)
                side.concepts.setdefault(f"{one.label}{who}", []).extend(concepts)
                side.add(*_of_concepts(study, concepts, unused, settings, suffix))
            continue
        for rating in _axis_ratings(study, votes, data, settings, suffixes):
            side.add(*axis_agreement(rating))
        side.add([], _scores(study, votes, settings, who))
    return side


def across_studies(
    studies: Sequence[Study], sides: Sequence[HumanSide], settings: AnalysisSettings
) -> StudyResult | None:
    """Set concepts of several studies with the same attributes side by side (T2IAT, table 2).

    Most of T2IAT's tests have two concepts, too few for an order of their own.
    """
    together: dict[tuple[tuple[str, ...], str], list[list[RatedConcept]]] = {}
    for study, side in zip(studies, sides, strict=True):
        if isinstance(study, AssociationStudy):
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


def _axis_ratings(
    study: Study,
    votes: Votes,
    data: Sequence[StudyData],
    settings: AnalysisSettings,
    suffixes: Sequence[str],
) -> list[AxisRating]:
    axes: Mapping[str, Axis] = getattr(study, "axes", {})
    decisions = decide(votes, rule=settings.consensus)
    return [
        AxisRating(
            study,
            axes[question.axis],
            question,
            dict(zip(decisions.images, decisions.axis_labels[question.id], strict=True)),
            one,
            settings,
            suffix,
        )
        for question in votes.questions.axes
        if question.axis in axes
        for one, suffix in zip(data, suffixes, strict=True)
    ]


def _scores(study: Study, votes: Votes, settings: AnalysisSettings, who: str) -> list[Table]:
    """Return the raters' own diversity, bias, quality and agreement."""
    by_sentence = isinstance(study, InterventionStudy)
    factors = [name for name in study.prompts()[0].factors if name != "template"]
    scored = score_votes(
        votes,
        rule=settings.consensus,
        attribute="attribute" if by_sentence else next(iter(factors), None),
        by=("category", "intervention") if by_sentence else (),
        confidence=settings.confidence,
        rng=settings.rng(study.name, "raters", who),
    )
    tables = label_tables(scored)
    return [replace(one, name=f"{one.name}{who}", title=f"{one.title}{who}") for one in tables]
