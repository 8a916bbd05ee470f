"""Whether a measurer's labels may count: tried on what is known of it, before they do.

Three sources: a stored validation, human raters' labels of the audit's images (those drawn as a
check with the weights of the draw), and prompts that name the group ("a photo of a woman"). The
last tests generator and measurer together, and says so.
A measurer whose balanced accuracy is shown to be below the floor (upper bound of its interval) is
refused on that axis; a weak one is named in the first lines of the report; where nothing is known,
the first line says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from portrayal.findings.classifier_check import labels_by_key
from portrayal.findings.data import StudyData
from portrayal.findings.label_checks import LabelSource, checked_in_words
from portrayal.findings.label_pools import LEAST_LABELS, labels_by_people, weights_of
from portrayal.findings.validations import Validation
from portrayal.numbers import number, percent
from portrayal.raters import RATERS
from portrayal.records import NOBODY, UNKNOWN, Prompt
from portrayal.statistics import Rule, balanced_accuracy
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
        if not self.measurers and self.rated:
            return "labels are people's own answers"
        return "; ".join([*said, *(f"{axis}: unknown" for axis in unknown)]) or "unknown"

    def doubts(self) -> list[str]:
        """Return a line for each check that shows a measurer to be weak or unfit."""
        return [one.sentence() for one in self.checks if one.verdict != "fit"]

    def unknowns(self, sources: Sequence[LabelSource]) -> list[str]:
        """Return a line for each measurer of which it is not known how often it is right.

        Args:
            sources: Who labelled images, and how far people checked it.
        """
        checked = {(one.measurer, one.axis): one for one in sources}
        axes_of: dict[tuple[str, str], list[str]] = {}
        for name, axis in self.untried:
            one = checked.get((name, axis))
            words = checked_in_words(one.n_checked, one.status) if one else checked_in_words(0)
            axes_of.setdefault((name, words), []).append(axis)
        return [
            f"Labels {words}: it is not known how often the measurer “{name}” is right about "
            f"{' and '.join(axes)}."
            for (name, words), axes in axes_of.items()
        ]


def label_quality(
    studies: Sequence[Study],
    data_of: Callable[[Study], Sequence[StudyData]],
    validations: Sequence[Validation],
    *,
    rule: Rule,
    confidence: float,
) -> LabelQuality:
    """Try every measurer on what is known of it.

    Args:
        studies: The studies whose axes are asked about.
        data_of: A study's images as each measurer saw them.
        validations: What is stored of the measurers.
        rule: How votes become a consensus.
        confidence: Of the intervals.
    """
    tried = _Tried(rule)
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


@dataclass(frozen=True, slots=True)
class _Known:
    """An image whose group is known, what a measurer said of it, and for how many it stands."""

    truth: str
    label: str
    weight: float = 1.0

    @property
    def is_named(self) -> bool:
        """Whether the label names a group."""
        return self.label not in (UNKNOWN, NOBODY)


class _Rated:
    """What people say of an audit's images on an axis, those drawn as checks among them."""

    def __init__(self, data: StudyData, name: str, axis: Axis, rule: Rule) -> None:
        found = None if data.audit is None else labels_by_people(data.audit, name, rule)
        said = {} if found is None else found.by_key()
        chances = {} if found is None else dict(zip(found.keys, found.probabilities, strict=True))
        self.labels = {key: label for key, label in said.items() if label in axis.groups}
        self.weights = weights_of({key: float(chances[key]) for key in said})


class _Tried:
    """Collects labels whose truth is known, over studies."""

    def __init__(self, rule: Rule) -> None:
        self.names: dict[str, str] = {}
        self.labelled: dict[tuple[str, str], None] = {}
        self.rated: set[str] = set()
        self._rule = rule
        self._people: dict[str, _Rated] = {}
        self._known: dict[tuple[str, str, Source], dict[str, _Known]] = {}
        self._labels: dict[tuple[str, str], dict[str, str]] = {}

    def study(self, study: Study, data: Sequence[StudyData]) -> None:
        """Take the labels of a study's images."""
        machines = [one for one in data if one.encoder.kind != RATERS]
        mine = {key for keys in data[0].listed.values() for key in keys}
        for name, axis in study.asked_axes().items():
            if name not in self._people:
                self._people[name] = _Rated(data[0], name, axis, self._rule)
            rated = self._people[name]
            self.rated |= mine & rated.labels.keys()
            named = _named_prompts(study.prompts(), axis)
            for one in machines:
                self.names[one.encoder.digest] = one.label
                self._machine(study, name, axis, one, rated, named, several=len(machines) > 1)

    def _machine(
        self,
        study: Study,
        name: str,
        axis: Axis,
        data: StudyData,
        rated: _Rated,
        named: Mapping[str, tuple[str, Prompt]],
        *,
        several: bool,
    ) -> None:
        every = rated.labels or several
        wanted = study.prompts() if every else [one for _, one in named.values()]
        labels = labels_by_key(wanted, name, axis, data) if wanted else None
        if not wanted:
            labels = labels_by_key(study.prompts()[:1], name, axis, data)
        if labels is None:
            return
        self.labelled[data.label, name] = None
        if several:
            self._labels.setdefault((data.label, name), {}).update(labels)
        self._known.setdefault((data.label, name, "raters"), {}).update({
            key: _Known(rated.labels[key], label, rated.weights[key])
            for key, label in labels.items()
            if key in rated.labels and key in rated.weights
        })  # fmt: skip
        by_prompt = self._known.setdefault((data.label, name, "prompts"), {})
        for text, (group, _) in named.items():
            for key in data.usable[text].keys:
                if key in labels:
                    by_prompt[key] = _Known(group, labels[key])

    def checks(self, confidence: float) -> list[LabelCheck]:
        """Return what the labels show; nothing of few votes or fewer than two known groups."""
        found = []
        for (who, axis, source), known in self._known.items():
            if source == "raters" and len(known) < LEAST_LABELS:
                continue
            groups: dict[str, list[_Known]] = {}
            for one in known.values():
                groups.setdefault(one.truth, []).append(one)
            # Images of prompts may show nobody; then "unknown" is right, and nothing is shown.
            recalls = [_recall(mine, whole=source == "raters") for mine in groups.values()]
            counted = [one for one in recalls if one is not None]
            if len(counted) < max(len(groups), 2):
                continue
            value = sum(one.share for one in counted) / len(counted)
            interval = balanced_accuracy(
                [round(one.share * one.n) for one in counted], [one.n for one in counted],
                confidence=confidence,
            ).interval  # fmt: skip
            unknown = sum(not one.is_named for one in known.values()) / len(known)
            found.append(
                LabelCheck(
                    who, axis, source, value, *interval, len(known), unknown, floor(len(groups))
                )
            )
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


@dataclass(frozen=True, slots=True)
class _Recall:
    """The share of right labels among a group's images, and how many images that is worth."""

    share: float
    n: int


def _recall(mine: Sequence[_Known], *, whole: bool) -> _Recall | None:
    """Return a group's recall over labels that name a group; None without any.

    An image stands for as many as its probability of being drawn says. Images of unequal weights
    are worth fewer (Kish's effective number), which the interval has to know.

    Args:
        mine: The group's images.
        whole: Whether a group without any such label counts as never right.
    """
    counted = [one for one in mine if one.is_named] or (list(mine) if whole else [])
    if not counted:
        return None
    total = sum(one.weight for one in counted)
    right = sum(one.weight for one in counted if one.label == one.truth)
    effective = total**2 / sum(one.weight**2 for one in counted)
    return _Recall(right / total, max(round(effective), 1))


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
