"""Machine against raters on the axes of a study: how often does the encoder say what people say?

ENTIGEN (section 2.3) reports 78-85% for perceived gender and 67-78% for skin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from portrayal.findings.classifier_check import check_classifier, check_table, labels_by_key
from portrayal.findings.data import StudyData
from portrayal.findings.finding import Asked, Finding
from portrayal.findings.parts import DataTable
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.numbers import between, percent
from portrayal.raters import ComparisonResult, Question, compare_labels
from portrayal.studies import Axis, Study

AGREEMENT = "agreement with raters"


@dataclass(frozen=True, slots=True)
class AxisRating:
    """One axis as raters and one encoder see it.

    Attributes:
        study: The study.
        axis: The axis.
        question: What raters were asked.
        human: Their consensus by image key; None where there is none.
        data: What the encoder saw.
        settings: How.
        suffix: Which encoder and raters, where there are several.
    """

    study: Study
    axis: Axis
    question: Question
    human: Mapping[str, str | None]
    data: StudyData
    settings: AnalysisSettings
    suffix: str

    @property
    def asked(self) -> str:
        """The question that a finding answers."""
        return f"{self.question.axis}: does the encoder say what raters say?{self.suffix}"

    def named(self, kind: str) -> str:
        """Return the name of a table."""
        return f"{kind}-{self.question.axis}{self.suffix}".replace(" ", "-")


def axis_agreement(rating: AxisRating) -> tuple[list[Finding], list[DataTable]]:
    """Return the share of images with the same group, the confusion matrix and the scores.

    Nothing where the measurer says nothing on the axis: the study says so itself.
    """
    seen = labels_by_key(rating.study.prompts(), rating.question.axis, rating.axis, rating.data)
    if seen is None:
        return [], []
    merged = rating.question.merged(rating.axis.groups) or {}
    machine = {key: merged.get(label, label) for key, label in seen.items()}
    keys = [key for key in rating.human if key in machine]
    settings = rating.settings
    result = compare_labels(
        [rating.human[key] for key in keys],
        [machine[key] for key in keys],
        groups=rating.question.groups,
        rng=settings.rng(rating.study.name, rating.asked),
        confidence=settings.confidence,
    )
    finding = _finding(rating, result, unseen=len(rating.human) - len(keys))
    if not result.n:
        return [finding], []
    checked = check_classifier(
        {key: label for key in keys if (label := rating.human[key]) is not None},
        machine,
        classes=list(rating.question.groups),
        confidence=settings.confidence,
    )
    rule = f"Raters' consensus by the rule {settings.consensus} counts as right."
    title = f"{rating.data.label} against raters: {rating.question.axis}{rating.suffix}"
    scores = check_table(checked, name=rating.named("check-raters"), title=title, note=rule)
    return [finding], [_confusion_table(rating, result, rule), scores]


def _finding(rating: AxisRating, result: ComparisonResult, *, unseen: int) -> Finding:
    interval, undecided = result.agreement.interval, result.n_machine_undecided
    missing = undecided + result.n_human_undecided + unseen
    asked = Asked.of(
        rating.study, rating.asked, AGREEMENT,
        unit="image", measurer=rating.data.label, details={"kappa": result.kappa.value},
    )  # fmt: skip
    if not result.n:
        why = "no image has both a group by raters and one by the measurer"
        return asked.unanswered(why, n=0, n_missing=missing)
    return asked.answered(
        result.agreement.value,
        interval,
        n=result.n,
        n_missing=missing,
        sentence=f"{rating.data.label} names the raters' group in "
        f"{percent(result.agreement.value)} of {counted(result.n, 'image')} where both name one "
        f"({between(*interval, rating.settings.confidence, form=percent)}); Cohen's kappa "
        f"{result.kappa.value:.2f}. It leaves {counted(undecided, 'rated image')} open, raters "
        f"leave {result.n_human_undecided}.",
    )


def _confusion_table(rating: AxisRating, result: ComparisonResult, rule: str) -> DataTable:
    labels = list(result.confusion.labels)
    rows: list[list[Any]] = [
        [group, *(int(count) for count in result.confusion.matrix[labels.index(group)])]
        for group in result.groups
    ]
    return DataTable(
        rating.named("confusion"),
        f"Raters (rows) and {rating.data.label} (columns): {rating.question.axis}{rating.suffix}",
        ["raters", *labels],
        rows,
        note=f"{rule} Counts of images.",
    )
