"""Whether a measurer's labels may count: tried on what is known of it, before they do.

Three sources: a stored validation, human raters' labels of the audit's images, and prompts that
name the group ("a photo of a woman"). The last tests generator and measurer together, and says so.
A measurer whose balanced accuracy is shown to be below the floor (upper bound of its interval) is
refused on that axis; a weak one is named in the first lines of the report; where nothing is known,
the first line says so.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from portrayal.findings.classifier_check import labels_by_key
from portrayal.findings.data import StudyData
from portrayal.findings.label_checks import checked_in_words
from portrayal.findings.label_pools import LEAST_LABELS
from portrayal.findings.validations import GroupRecall, Validation
from portrayal.numbers import number, percent
from portrayal.raters import RATERS
from portrayal.records import NOBODY, UNKNOWN, Prompt
from portrayal.statistics import balanced_accuracy
from portrayal.studies import Axis, Study

ABOVE_CHANCE = 0.2
"""The floor: this part of the way from guessing to always right; 0.6 with two groups."""

WEAK = 0.8
"""Measurers below this balanced accuracy are named as weak."""

MOSTLY = 0.5
"""From this share of unknown labels on, a check says how large it is."""

Source = Literal["validation", "raters", "prompts"]
Verdict = Literal["unfit", "weak", "fit"]

_IN_WORDS: Mapping[Source, str] = {
    "validation": "images with known labels",
    "raters": "images that people labelled",
    "prompts": "images whose prompts name the group, which tests generator and measurer together",
}


def floor(groups: int) -> float:
    """Return the balanced accuracy below which labels do not count.

    >>> floor(2), round(floor(10), 2)
    (0.6, 0.28)
    """
    return 1 / groups + ABOVE_CHANCE * (1 - 1 / groups)


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """How a measurer does on an axis, as far as it is known.

    Attributes:
        measurer: Its name in findings.
        axis: The axis.
        source: What it was tried on.
        accuracy: Balanced accuracy over labels that name a group; a group without any such label
            counts as never right.
        low: Lower bound of its interval.
        high: Upper bound of its interval.
        n: Images.
        unknown: Share of images that were labelled "unknown" or "nobody".
        floor: Below it labels do not count.
    """

    measurer: str
    axis: str
    source: Source
    accuracy: float
    low: float
    high: float
    n: int
    unknown: float
    floor: float

    @property
    def verdict(self) -> Verdict:
        """What follows from it."""
        if self.high < self.floor:
            return "unfit"
        return "weak" if self.accuracy < WEAK else "fit"

    def sentence(self) -> str:
        """Say it in words."""
        said = (
            f"{self.measurer} on {self.axis}: balanced accuracy {number(self.accuracy)} (95% CI "
            f"{number(self.low)} to {number(self.high)}) on {self.n} {_IN_WORDS[self.source]}"
        )
        if self.unknown >= MOSTLY:
            said += f", {percent(self.unknown)} of them labelled unknown"
        if self.verdict == "unfit":
            return f"{said}; below the floor of {number(self.floor)}: its labels do not count."
        return f"{said}; weak." if self.verdict == "weak" else f"{said}."


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How often two measurers give the same label, among images that both give a group."""

    axis: str
    first: str
    second: str
    same: int
    n: int


@dataclass(frozen=True, slots=True)
class LabelQuality:
    """What is known of an audit's labels.

    Attributes:
        measurers: Who labels images, people left out.
        checks: How they do, as far as it is known.
        untried: Measurers and axes of which nothing is known, as (measurer, axis).
        rated: Images that people labelled.
        agreements: How often two measurers agree.
        validations: The stored validations, with their tables.
    """

    measurers: tuple[str, ...] = ()
    checks: tuple[LabelCheck, ...] = ()
    untried: tuple[tuple[str, str], ...] = ()
    rated: int = 0
    agreements: tuple[LabelAgreement, ...] = ()
    validations: tuple[Validation, ...] = ()

    def unfit(self, measurer: str) -> dict[str, str]:
        """Return why a measurer's labels do not count, by axis.

        A validation or raters come before prompts, which test the generator as well.
        """
        found: dict[str, LabelCheck] = {}
        for check in self.checks:
            if check.measurer == measurer and check.axis not in found:
                found[check.axis] = check
        return {axis: one.sentence() for axis, one in found.items() if one.verdict == "unfit"}

    def error_in_words(self) -> str:
        """Say in few words how often labels are right, as far as it is known."""
        tried: dict[tuple[str, str], list[str]] = {}
        for one in self.checks:
            of = _IN_WORDS[one.source].partition(",")[0]
            told = f"{number(one.accuracy)} ({one.n} {of}; {one.verdict})"
            tried.setdefault((one.measurer, one.axis), []).append(told)
        several = len({who for who, _ in tried}) > 1
        said = [
            f"{axis}{f' by {who}' if several else ''}: balanced accuracy {', '.join(accuracies)}"
            for (who, axis), accuracies in tried.items()
        ]
        unknown = dict.fromkeys(axis for _, axis in self.untried)
        return "; ".join([*said, *(f"{axis}: unknown" for axis in unknown)]) or "unknown"

    def doubts(self) -> list[str]:
        """Return a line for each check that shows a measurer to be weak or unfit."""
        return [one.sentence() for one in self.checks if one.verdict != "fit"]

    def unknowns(self, checked: Mapping[tuple[str, str], int]) -> list[str]:
        """Return a line for each measurer of which it is not known how often it is right.

        Args:
            checked: Images that people labelled, too few to tell, by measurer and axis.
        """
        lines = []
        for name in self.measurers:
            axes = [axis for who, axis in self.untried if who == name]
            if axes:
                most = max(checked.get((name, axis), 0) for axis in axes)
                lines.append(
                    f"Labels {checked_in_words(most)}: it is not known how often the measurer "
                    f"“{name}” is right about {' and '.join(axes)}."
                )
        return lines


def label_quality(
    studies: Sequence[Study],
    data_of: Callable[[Study], Sequence[StudyData]],
    validations: Sequence[Validation],
    *,
    confidence: float,
) -> LabelQuality:
    """Try every measurer on what is known of it.

    Args:
        studies: The studies whose axes are asked about.
        data_of: A study's images as each measurer saw them.
        validations: What is stored of the measurers.
        confidence: Of the intervals.
    """
    tried = _Tried()
    for study in studies:
        if study.asked_axes():
            tried.study(study, data_of(study))
    checks = [*_validated(validations, tried.names), *tried.checks(confidence)]
    known = {(one.measurer, one.axis) for one in checks}
    return LabelQuality(
        tuple(dict.fromkeys(who for who, _ in tried.labelled)),
        tuple(checks),
        tuple(pair for pair in tried.labelled if pair not in known),
        len(tried.rated),
        tried.agreements(),
        tuple(validations),
    )


def _validated(validations: Iterable[Validation], names: Mapping[str, str]) -> Iterable[LabelCheck]:
    for one in validations:
        if one.accuracy is None or one.low is None or one.high is None:
            continue
        unknown = 1 - sum(group.known for group in one.groups) / one.n
        yield LabelCheck(
            names.get(one.measurer.digest, one.measurer.name), one.axis, "validation",
            one.accuracy, one.low, one.high, one.n, unknown, floor(len(one.groups)),
        )  # fmt: skip


class _Tried:
    """Collects labels whose truth is known, over studies."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.labelled: dict[tuple[str, str], None] = {}
        self.rated: set[str] = set()
        self._pairs: dict[tuple[str, str, Source], dict[str, tuple[str, str]]] = {}
        self._labels: dict[tuple[str, str], dict[str, str]] = {}

    def study(self, study: Study, data: Sequence[StudyData]) -> None:
        """Take the labels of a study's images."""
        machines = [one for one in data if one.encoder.kind != RATERS]
        people = [one for one in data if one.encoder.kind == RATERS]
        for name, axis in study.asked_axes().items():
            rated = self._rated(study, name, axis, people)
            named = _named_prompts(study.prompts(), axis)
            for one in machines:
                self.names[one.encoder.digest] = one.label
                self._machine(study, name, axis, one, rated, named, several=len(machines) > 1)

    def _rated(
        self, study: Study, name: str, axis: Axis, people: Sequence[StudyData]
    ) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in people:
            labels = labels_by_key(study.prompts(), name, axis, one) or {}
            found |= {key: label for key, label in labels.items() if label in axis.groups}
        self.rated |= found.keys()
        return found

    def _machine(
        self,
        study: Study,
        name: str,
        axis: Axis,
        data: StudyData,
        rated: Mapping[str, str],
        named: Mapping[str, tuple[str, Prompt]],
        *,
        several: bool,
    ) -> None:
        wanted = study.prompts() if rated or several else [one for _, one in named.values()]
        labels = labels_by_key(wanted, name, axis, data) if wanted else None
        if not wanted:
            labels = labels_by_key(study.prompts()[:1], name, axis, data)
        if labels is None:
            return
        self.labelled[data.label, name] = None
        if several:
            self._labels.setdefault((data.label, name), {}).update(labels)
        by_people = self._pairs.setdefault((data.label, name, "raters"), {})
        by_people |= {key: (rated[key], label) for key, label in labels.items() if key in rated}
        by_prompt = self._pairs.setdefault((data.label, name, "prompts"), {})
        for text, (group, _) in named.items():
            for key in data.usable[text].keys:
                if key in labels:
                    by_prompt[key] = (group, labels[key])

    def checks(self, confidence: float) -> list[LabelCheck]:
        """Return what the labels show; nothing of few votes or fewer than two known groups."""
        found = []
        for (who, axis, source), pairs in self._pairs.items():
            if source == "raters" and len(pairs) < LEAST_LABELS:
                continue
            truths = list(dict.fromkeys(truth for truth, _ in pairs.values()))
            groups = [
                GroupRecall(group, Counter(b for a, b in pairs.values() if a == group))
                for group in truths
            ]
            # Images of prompts may show nobody; then "unknown" is right, and nothing is shown.
            totals = [x.counted if source == "raters" else x.known for x in groups]
            if len(groups) < 2 or 0 in totals:
                continue
            one = balanced_accuracy(
                [group.right for group in groups], totals, confidence=confidence
            )
            unknown = 1 - sum(group.known for group in groups) / len(pairs)
            found.append(
                LabelCheck(
                    who, axis, source, one.value, *one.interval, len(pairs), unknown,
                    floor(len(groups)),
                )
            )  # fmt: skip
        order = ("raters", "prompts")
        return sorted(found, key=lambda check: order.index(check.source))

    def agreements(self) -> tuple[LabelAgreement, ...]:
        """Return how often two measurers give the same label."""
        found = []
        for (first, axis), (second, other) in itertools.combinations(self._labels, 2):
            if axis != other:
                continue
            mine, theirs = self._labels[first, axis], self._labels[second, axis]
            both = [
                key
                for key in mine.keys() & theirs.keys()
                if not {mine[key], theirs[key]} & {UNKNOWN, NOBODY}
            ]
            same = sum(mine[key] == theirs[key] for key in both)
            found.append(LabelAgreement(axis, first, second, same, len(both)))
        return tuple(found)


def _named_prompts(prompts: Iterable[Prompt], axis: Axis) -> dict[str, tuple[str, Prompt]]:
    """Return the prompts that name one group of an axis, with the group, by text."""
    found = {}
    for prompt in prompts:
        if group := named_group(prompt.text, tuple(axis.groups)):
            found[prompt.text] = (group, prompt)
    return found


def named_group(text: str, groups: Sequence[str]) -> str | None:
    """Return the one group that a prompt names as a word; None where it names none or several.

    >>> groups = ("woman", "man")
    >>> named_group("a photo of a woman", groups), named_group("a nurse", groups)
    ('woman', None)
    """
    lowered = text.lower()
    named = [one for one in groups if re.search(rf"\b{re.escape(one.lower())}\b", lowered)]
    return named[0] if len(named) == 1 else None
