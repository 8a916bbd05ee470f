"""What raters said about a study's images, beside what the encoders say.

Raters' votes are kept with an audit (`portrayal annotate`, `portrayal import votes`). Studies with
axes get the raters' own scores, and the agreement of machine and raters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from portrayal.audit import AuditFolder
from portrayal.findings.copies import Prints, repeated
from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.human_agreement import AxisRating, axis_agreement
from portrayal.findings.parts import DataTable, Part
from portrayal.findings.rater_tables import vote_tables
from portrayal.findings.results import StudyResult
from portrayal.findings.settings import AnalysisSettings
from portrayal.raters import RATERS, Votes, decide, has_votes, load_votes, score_votes
from portrayal.studies import Study


@dataclass(frozen=True, slots=True)
class HumanSide:
    """What raters add to a study's result.

    Attributes:
        findings: Machine against raters.
        tables: The raters' own scores, and the comparison.
    """

    findings: list[Finding] = field(default_factory=list)
    tables: list[Part] = field(default_factory=list)

    def add(self, findings: Sequence[Finding], tables: Sequence[Part]) -> None:
        """Take in what was found."""
        self.findings.extend(findings)
        self.tables.extend(tables)

    def added_to(self, result: StudyResult) -> StudyResult:
        """Return the study's result with the raters' part at its end."""
        findings, parts = [*result.findings, *self.findings], [*result.parts, *self.tables]
        return replace(result, findings=findings, parts=parts)


@dataclass(frozen=True, slots=True)
class RatedStudy:
    """The votes on a study's images.

    Attributes:
        votes: What raters said.
        suffixes: Names the encoder where there are several, one for each.
    """

    votes: Votes
    suffixes: Sequence[str]


def votes_on(study: Study, audit: AuditFolder, data: Sequence[StudyData]) -> RatedStudy | None:
    """Return the votes on a study's images; None where there are none.

    Args:
        study: The study.
        audit: Where votes are kept.
        data: The study's images, once for each encoder.
    """
    if not has_votes(audit):
        return None
    votes = load_votes(audit, prompts=study.prompts())
    hashes = Prints(audit, [prompt.text for prompt in study.prompts()]).hashes()
    votes = votes.without(repeated(votes.by_image(), hashes))
    if not votes.votes:
        return None
    several = sum(one.encoder.kind != RATERS for one in data) > 1
    return RatedStudy(votes, [f" · {one.label}" if several else "" for one in data])


def axes_beside_raters(
    study: Study, audit: AuditFolder, data: Sequence[StudyData], settings: AnalysisSettings
) -> HumanSide:
    """Set encoders' labels and raters' answers side by side, axis by axis.

    Args:
        study: The study.
        audit: Where votes are kept.
        data: The study's images, once for each encoder.
        settings: How.
    """
    side = HumanSide()
    rated = votes_on(study, audit, data)
    if rated is not None:
        for rating in _axis_ratings(study, rated.votes, data, settings, rated.suffixes):
            side.add(*axis_agreement(rating))
        side.add([], _scores(study, rated.votes, settings))
    return side


def _axis_ratings(
    study: Study,
    votes: Votes,
    data: Sequence[StudyData],
    settings: AnalysisSettings,
    suffixes: Sequence[str],
) -> list[AxisRating]:
    axes = study.asked_axes()
    decisions = decide(votes, rule=settings.consensus)
    return [
        AxisRating(
            study,
            axes[question.axis],
            question,
            {
                image: label
                for image, label in zip(
                    decisions.images, decisions.axis_labels[question.id], strict=True
                )
                if votes.was_asked(image, question.id)
            },
            one,
            settings,
            suffix,
        )
        for question in votes.questions.axes
        if question.axis in axes
        for one, suffix in zip(data, suffixes, strict=True)
        if one.encoder.kind != RATERS
    ]


def _scores(study: Study, votes: Votes, settings: AnalysisSettings) -> list[DataTable]:
    """Return the raters' own diversity, bias, quality and agreement."""
    by = study.scoring()
    scored = score_votes(
        votes,
        rule=settings.consensus,
        attribute=by.attribute,
        by=by.by,
        confidence=settings.confidence,
        rng=settings.rng(study.name, "raters", ""),
    )
    return vote_tables(scored)
