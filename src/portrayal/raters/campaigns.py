"""Campaigns: which images people are asked about, what they are asked, how images were drawn.

A campaign is remembered with the audit, with its design where images were drawn at random, so that
an analysis knows with which probability each image came into it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, SettingError, one_of
from portrayal.raters.designs import LEAST_PER_STRATUM, Design, allocation, draw
from portrayal.raters.questions import Question, QuestionSet
from portrayal.raters.subjects import Subject, chosen_questions, find_subjects
from portrayal.records import digest
from portrayal.studies import Study, study_from_dict

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ImageChoice:
    """Which images of the studies are rated; all of them, where nothing is said.

    Attributes:
        only: By factor, the levels to take.
        any_of: Several such choices; an image is taken that one of them takes.
        per_concept: So many images of each concept (or attribute), drawn at random.
        sample: So many images, drawn at random within studies and predicted labels, to check the
            labels of a measurer.
        predicted: The predicted label of images, by key.
        seed: Of the draw.
    """

    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    any_of: Sequence[Mapping[str, Sequence[str]]] = ()
    per_concept: int | None = None
    sample: int | None = None
    predicted: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.per_concept is not None and self.sample is not None:
            raise SettingError("per_concept", "cannot be combined with sample; choose one of them")
        for name in ("per_concept", "sample"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingError(name, f"is {value}; allowed: 1 or more")

    @property
    def is_check(self) -> bool:
        """Whether the labels of a measurer are checked: raters are asked for labels alone."""
        return self.sample is not None

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked for, JSON-ready; predicted labels are in the design's strata."""
        any_of = [{name: list(levels) for name, levels in one.items()} for one in self.any_of]
        return {
            "only": {name: list(levels) for name, levels in self.only.items()},
            **({"any_of": any_of} if any_of else {}),
            "per_concept": self.per_concept, "sample": self.sample, "seed": self.seed,
        }  # fmt: skip

    def takes(self, factors: Mapping[str, str]) -> bool:
        """Tell whether `any_of` leaves an image in."""
        return not self.any_of or any(
            all(factors.get(name) in levels for name, levels in one.items()) for one in self.any_of
        )


@dataclass(frozen=True, slots=True)
class Campaign:
    """What people are asked.

    Attributes:
        name: As the audit remembers it.
        questions: All questions of its studies.
        subjects: The images, in the order in which they are shown.
        design: How they were drawn; None where all images were taken.
        is_check: Whether the labels of a measurer are checked.
        request: What was asked for, JSON-ready.
    """

    name: str
    questions: QuestionSet
    subjects: Sequence[Subject]
    design: Design | None = None
    is_check: bool = False
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def axes(self) -> list[str]:
        """The axes that raters are asked about."""
        return list(dict.fromkeys(one.axis for one in self.questions.axes))

    def remember(self, audit: AuditFolder) -> None:
        """Keep it with the audit."""
        document = {
            "format": FORMAT,
            **self.request,
            "axes": self.axes,
            "check": self.is_check,
            "design": None if self.design is None else self.design.as_dict(),
        }
        audit.remember_campaign(self.name, document)


def plan_campaign(
    audit: AuditFolder,
    studies: Sequence[Study | None],
    choice: ImageChoice,
    *,
    questions: Path | None = None,
    attribute: str | None = None,
    expected: Mapping[tuple[str, int], Mapping[str, str]] | None = None,
) -> Campaign:
    """Choose images and questions; the same request again is the same campaign.

    Args:
        audit: The audit.
        studies: Whose images; None stands for an audit without a study.
        choice: Which of them.
        questions: A file of questions; None: those of the papers for each study.
        attribute: The factor that says what an image is meant to show.
        expected: Known answers by (prompt, seed): attention checks.

    Raises:
        AuditError: There is nothing to rate.
        SettingError: `only` names a factor or a level that no image has.
    """
    asked = _asked(studies, choice, questions)
    union = united([one for _, one in asked])
    subjects = _merged(
        [
            (study, set_, find_subjects(audit, study, attribute=attribute, expected=expected))
            for study, set_ in asked
        ]
    )
    if choice.is_check and questions is None:  # what was asked for might sway who looks
        subjects = [replace(one, attribute="") for one in subjects]
    checks = [one for one in subjects if one.expected is not None]
    rated = [one for one in subjects if one.expected is None and choice.takes(one.factors)]
    if not rated:
        raise AuditError(f"{audit.path}: the selection leaves no image to rate")
    rated = _only(rated, choice.only)
    request = {
        "studies": [one.name for one in studies if one is not None],
        "choice": choice.as_dict(),
        "questions": digest(union.model_dump(mode="json")),
    }
    before = _known(audit, request)
    if before is not None and before[1] is not None:
        name, design = before
    else:
        design = _drawn(rated, choice)
        name = before[0] if before is not None else _new_name(audit, choice)
    if design is not None:
        by_image = {one.image: one for one in rated}
        rated = [by_image[image] for image in design.drawn if image in by_image]
    return Campaign(name, union, [*rated, *checks], design, choice.is_check, request)


def studies_of(audit: AuditFolder, names: Sequence[str]) -> list[Study | None]:
    """Return studies of an audit by name; all of them where none is named.

    Raises:
        AuditError: There is no such study.
    """
    known = audit.studies()
    for name in names:
        if name not in known:
            raise AuditError(
                f"{audit.path}: no study {name!r} here; "
                f"allowed: {one_of(known) or 'none: leave `study` out to rate all images'}"
            )
    found = names or list(known)
    if not found:
        return [None]
    return [study_from_dict(known[name], source=f"studies/{name}.json") for name in found]


def united(sets: Sequence[QuestionSet]) -> QuestionSet:
    """Return the questions of several sets as one; each once, in the order of the first set.

    Raises:
        AuditError: Two sets ask something else under one id.
    """
    found: dict[str, Question] = {}
    for one in sets:
        for question in one.questions:
            before = found.get(question.id)
            if before is not None and (before.axis, before.keys) != (question.axis, question.keys):
                raise AuditError(
                    f"two studies ask {question.id!r} with different answers "
                    f"({one_of(before.keys)}; {one_of(question.keys)}); rate them with "
                    "another `database`"
                )
            found.setdefault(question.id, question)
    texts = [question for question in found.values() if not question.answers]
    ordered = [question for question in found.values() if question.answers]
    return QuestionSet(introduction=sets[0].introduction, questions=(*ordered, *texts))


def for_checking(questions: QuestionSet) -> QuestionSet:
    """Return only what a check of labels needs: axes, and whether there is a person."""
    kept = {one.id for one in questions.axes}
    kept |= {name for one in questions.axes for name in one.asked_if}
    found = [
        one.model_copy(
            update={
                "counts_if": {name: keys for name, keys in one.counts_if.items() if name in kept}
            }
        )
        for one in questions.questions
        if one.id in kept
    ]
    return QuestionSet(introduction=questions.introduction, questions=tuple(found))


def _asked(
    studies: Sequence[Study | None], choice: ImageChoice, file: Path | None
) -> list[tuple[Study | None, QuestionSet]]:
    found = [(study, chosen_questions(study, file)) for study in studies]
    if not choice.is_check or file is not None:
        return found
    labelled = [(study, set_) for study, set_ in found if set_.axes]
    if not labelled:
        raise AuditError("no study labels images on an axis; there are no labels to check")
    return [(study, for_checking(set_)) for study, set_ in labelled]


def _merged(
    found: Sequence[tuple[Study | None, QuestionSet, Sequence[Subject]]],
) -> list[Subject]:
    """Return each image once, with what it is asked in all its studies."""
    subjects: dict[str, Subject] = {}
    for study, questions, mine in found:
        name = "" if study is None else study.name
        for one in mine:
            asks = [question.id for question in questions.possible(one.factors)]
            before = subjects.get(one.image)
            if before is None:
                subjects[one.image] = one.asking(asks, studies=(name,))
            else:
                subjects[one.image] = before.asking(
                    dict.fromkeys((*before.asks, *asks)), studies=(*before.studies, name)
                )
    return list(subjects.values())


def _only(subjects: Sequence[Subject], only: Mapping[str, Sequence[str]]) -> list[Subject]:
    found = list(subjects)
    for factor, levels in only.items():
        known = {one.factors.get(factor) for one in subjects} - {None}
        if not known:
            names = one_of(dict.fromkeys(name for one in subjects for name in one.factors))
            raise SettingError("only", f"names the factor {factor!r}; allowed: {names or 'none'}")
        for level in levels:
            if level not in known:
                allowed = one_of(sorted(str(one) for one in known))
                raise SettingError("only", f"names {factor} {level!r}; allowed: {allowed}")
        found = [one for one in found if one.factors.get(factor) in levels]
    if not found:
        raise SettingError("only", "leaves no image to rate")
    return found


def _drawn(subjects: Sequence[Subject], choice: ImageChoice) -> Design | None:
    """Draw images, each stratum with equal probabilities; None where all are taken."""
    if choice.per_concept is not None:
        strata = _strata({one.image: f"{_studies(one)}: {_concept(one)}" for one in subjects})
        sizes = {name: min(choice.per_concept, len(mine)) for name, mine in strata.items()}
    elif choice.sample is not None:
        strata = _strata({
            one.image: f"{_studies(one)}: {choice.predicted.get(one.image, 'all')}"
            for one in subjects
        })  # fmt: skip
        if LEAST_PER_STRATUM * len(strata) > choice.sample:
            strata = _strata({one.image: _studies(one) for one in subjects})
        sizes = allocation({name: len(mine) for name, mine in strata.items()}, choice.sample)
    else:
        return None
    return draw(strata, {one.image: one.prompt for one in subjects}, sizes, seed=choice.seed)


def _strata(names: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for image, name in names.items():
        found[name].append(image)
    return dict(found)


def _studies(subject: Subject) -> str:
    return " + ".join(one for one in subject.studies if one) or "all images"


def _concept(subject: Subject) -> str:
    """Return what an image shows: its concept, or its attribute."""
    for name in ("concept", "attribute"):
        if subject.factors.get(name):
            return subject.factors[name]
    return subject.attribute


def _known(audit: AuditFolder, request: Mapping[str, Any]) -> tuple[str, Design | None] | None:
    """Return the campaign that was asked for in the same words."""
    for name, campaign in audit.campaigns().items():
        if all(campaign.get(key) == value for key, value in request.items()):
            design = campaign.get("design")
            return name, None if design is None else Design.from_dict(design)
    return None


def _new_name(audit: AuditFolder, choice: ImageChoice) -> str:
    kind = "sample" if choice.is_check else "rating"
    number = 1 + sum(name.startswith(f"{kind}-") for name in audit.campaigns(retired=True))
    return f"{kind}-{number}"
