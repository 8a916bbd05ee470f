"""Every question that audits with the same study can be asked together, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from portrayal.comparison.differences import Better, Measure, ModelDifference
from portrayal.comparison.matching import MatchedStudy
from portrayal.comparison.models import ComparedAudit
from portrayal.comparison.values import (
    Labels,
    Values,
    labels_of,
    mapped,
    of_group,
    only,
    outcomes,
    similarities,
)
from portrayal.findings import StudyData, plural, unlabelled
from portrayal.raters import decide, has_votes, load_votes
from portrayal.records import Identity, Prompt
from portrayal.studies import NOBODY, UNKNOWN, Axis


@dataclass(frozen=True, slots=True, eq=False)
class ComparedQuestion:
    """A question, and the numbers that answer it.

    Attributes:
        study: The study's name.
        measure: What is compared.
        question: In a few words; unique within the study.
        prompts: Whose images count.
        values: The numbers of every audit.
        about: Further fields of the differences: measurer, axis, group, factor, level.
        statistic: "share", or what the numbers are.
        better: Which direction is better, where that is known.
    """

    study: str
    measure: Measure
    question: str
    prompts: Sequence[str]
    values: Sequence[Values]
    about: Mapping[str, Any] = field(default_factory=dict)
    statistic: str = "share"
    better: Better = ""

    def between(self, first: str, second: str) -> ModelDifference:
        """Return the question about two models, not answered yet."""
        return ModelDifference(
            first, second, self.study, self.measure, self.statistic, self.question,
            better=self.better, **self.about,
        )  # fmt: skip

    def at(self, factor: str, level: str, prompts: Sequence[str]) -> ComparedQuestion:
        """Return the same question about one level of a factor."""
        return ComparedQuestion(
            self.study, self.measure, f"{self.question}, {factor} {level}", prompts, self.values,
            {**self.about, "factor": factor, "level": level}, self.statistic, self.better,
        )  # fmt: skip


@dataclass(slots=True)
class StudyQuestions:
    """The questions of one study over all audits.

    Attributes:
        matched: The study.
        audits: The audits.
        measurers: Who measured all of them.
        notes: What cannot be asked, and why; grows.
    """

    matched: MatchedStudy
    audits: Sequence[ComparedAudit]
    measurers: Sequence[Identity]
    notes: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """Texts of the prompts."""
        return [prompt.text for prompt in self.matched.prompts[0]]

    def all(self) -> Iterator[ComparedQuestion]:
        """Yield the questions: shares, side effects, refusals, utility."""
        for measurer in self.measurers:
            yield from self._by_measurer(measurer)
        for status in ("refused", "failed"):
            yield from self._outcomes(status)
        yield from self._rated()

    def _by_measurer(self, measurer: Identity) -> Iterator[ComparedQuestion]:
        data = [
            audit.data(prompts, measurer)
            for audit, prompts in zip(self.audits, self.matched.prompts, strict=True)
        ]
        suffix = f" · {data[0].label}" if len(self.measurers) > 1 else ""
        people_asked = False
        first: tuple[str, Sequence[Labels]] | None = None
        for name, axis in self.matched.axes.items():
            labels = self._labels(name, axis, data)
            if labels is None:
                continue
            about = {"measurer": data[0].label, "axis": name}
            yield from self._shares(axis, labels, about, suffix)
            if not people_asked and _tells_nobody(axis, labels):
                people_asked = True
                yield self._person(labels, about, suffix)
            first = first or (name, labels)
        yield from self._similarity(data, first, suffix)

    def _labels(self, name: str, axis: Axis, data: Sequence[StudyData]) -> list[Labels] | None:
        found: list[Labels] = []
        for prompts, one in zip(self.matched.prompts, data, strict=True):
            labels = labels_of(prompts, name, axis, one)
            if labels is None:
                self.notes.append(
                    f"{self.matched.study.name}: {name} is not compared: "
                    f"{unlabelled(name, axis, one)}."
                )
                return None
            found.append(labels)
        return found

    def _shares(
        self, axis: Axis, labels: Sequence[Labels], about: Mapping[str, Any], suffix: str
    ) -> Iterator[ComparedQuestion]:
        name, study = about["axis"], self.matched.study.name
        groups = list(axis.groups)
        for group in groups[:1] if len(groups) == 2 else groups:  # of two, one share says it all
            values = [mapped(one, of_group(group)) for one in labels]
            whole = ComparedQuestion(
                study, "group share", f"{name}: share of {plural(group)}{suffix}", self.texts,
                values, {**about, "group": group},
            )  # fmt: skip
            yield whole
            for factor, levels in self.matched.factors().items():
                yield from (whole.at(factor, level, texts) for level, texts in levels.items())
        unknown = [mapped(one, lambda label: float(label == UNKNOWN)) for one in labels]
        yield ComparedQuestion(
            study, "unknown", f"{name}: images labelled unknown{suffix}", self.texts, unknown,
            about, better="lower",
        )  # fmt: skip

    def _person(
        self, labels: Sequence[Labels], about: Mapping[str, Any], suffix: str
    ) -> ComparedQuestion:
        shown = [mapped(one, lambda label: float(label != NOBODY)) for one in labels]
        return ComparedQuestion(
            self.matched.study.name, "shows a person", f"images that show a person{suffix}",
            self.texts, shown, about, better="higher",
        )  # fmt: skip

    def _similarity(
        self,
        data: Sequence[StudyData],
        labelled: tuple[str, Sequence[Labels]] | None,
        suffix: str,
    ) -> Iterator[ComparedQuestion]:
        """Yield whether images still match their prompts, of all images and of each group."""
        if not all(one.embeds for one in data):
            return
        found = [
            similarities(prompts, one)
            for prompts, one in zip(self.matched.prompts, data, strict=True)
        ]
        for audit, there in zip(self.audits, found, strict=True):
            if there is None:
                self.notes.append(
                    f"{self.matched.study.name}: similarity of images and prompts is not compared: "
                    f"{data[0].label} has not embedded the prompts of {audit.path}; run: portrayal "
                    f"measure {audit.path} --measurer {data[0].label}."
                )
                return
        values = [one for one in found if one is not None]
        study, about = self.matched.study.name, {"measurer": data[0].label}
        question = f"similarity of images and prompts{suffix}"
        statistic = "cosine similarity"
        yield ComparedQuestion(
            study, "text-image similarity", question, self.texts, values, about, statistic, "higher"
        )
        if labelled is None:
            return
        name, labels = labelled
        for group in self.matched.axes[name].groups:
            of_it = [only(one, some, group) for one, some in zip(values, labels, strict=True)]
            yield ComparedQuestion(
                study, "text-image similarity", f"{question}, images of {plural(group)}",
                self.texts, of_it, {**about, "axis": name, "group": group}, statistic, "higher",
            )  # fmt: skip

    def _outcomes(self, status: str) -> Iterator[ComparedQuestion]:
        values = [
            outcomes(audit, prompts, status)
            for audit, prompts in zip(self.audits, self.matched.prompts, strict=True)
        ]
        measure: Measure = "refused" if status == "refused" else "failed"
        whole = ComparedQuestion(
            self.matched.study.name, measure, f"requests {status}", self.texts, values,
            better="lower",
        )  # fmt: skip
        if any(any(own.values()) for one in values for own in one.values()):
            yield whole
            for factor, levels in self.matched.factors().items():
                yield from (whole.at(factor, level, texts) for level, texts in levels.items())

    def _rated(self) -> Iterator[ComparedQuestion]:
        """Yield what raters say on yes-or-no questions, such as whether the image is as asked."""
        if not all(has_votes(audit.audit) for audit in self.audits):
            return
        found = [
            _said_yes(audit, prompts)
            for audit, prompts in zip(self.audits, self.matched.prompts, strict=True)
        ]
        for text in found[0]:
            if all(text in other for other in found):
                yield ComparedQuestion(
                    self.matched.study.name, "raters say yes", f"raters: {text} Yes", self.texts,
                    [other[text] for other in found], better="higher",
                )  # fmt: skip


def _tells_nobody(axis: Axis, labels: Sequence[Labels]) -> bool:
    seen = (label for one in labels for own in one.values() for label in own.values())
    return bool(axis.person) or NOBODY in seen


def _said_yes(audit: ComparedAudit, prompts: Sequence[Prompt]) -> dict[str, Values]:
    """Return whether raters said yes, by prompt and seed, for every yes-or-no question."""
    votes = load_votes(audit.audit, prompts=prompts)
    decisions = decide(votes)
    found: dict[str, Values] = {}
    for question in votes.questions.choices:
        if {answer.key for answer in question.answers} != {"yes", "no"}:
            continue
        own: dict[str, dict[int, float]] = {}
        about = zip(decisions.about, decisions.labels[question.id], strict=True)
        for image, label in about:
            if label is not None and image.seed is not None:
                own.setdefault(image.prompt, {})[image.seed] = float(label == "yes")
        if own:
            found[question.text.replace(": {attribute}", "")] = own
    return found
