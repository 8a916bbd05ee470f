"""What raters are asked, as data: for the rating page, for other tools, and for scoring.

The default questions are those of Bansal et al. 2022 (ENTIGEN), figure 2; `questions.toml` beside
this module explains the keys.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, StringConstraints, ValidationError, model_validator

from portrayal.errors import ImportFileError, one_of
from portrayal.studies import StudyPart, Word, did_you_mean, study_error, wording

QuestionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
Keys = Annotated[tuple[Word, ...], Field(min_length=1)]

M = TypeVar("M", bound=StudyPart)

ASSOCIATION = "association"
"""What the id of the question about a neutral image of an association study begins with."""

CANT_JUDGE = "can't judge"

ASKED = "_asked"
"""A level of an image of the rating page: the ids of the questions that are asked about it."""

_WITHOUT_A_STUDY = ("perceived gender", "skin tone")
_FIELD = re.compile(r"\{[^{}]*\}")


class AnswerChoice(StudyPart):
    """One answer to choose.

    Attributes:
        key: What is stored.
        text: What the rater reads.
        cant_judge: The rater looked and cannot say; never a group.
        others: Stands for all groups of the axis that have no answer of their own.
    """

    key: Word
    text: Word
    cant_judge: bool = False
    others: bool = False


class Question(StudyPart):
    """One question about one image; without answers to choose it is a box for free text.

    Attributes:
        texts: Other texts, by the level of the factor `category`.
    """

    id: QuestionId
    text: Word
    texts: dict[str, Word] = Field(default_factory=dict)
    help: str = ""
    answers: tuple[AnswerChoice, ...] = ()
    asked_if: dict[str, Keys] = Field(default_factory=dict)
    asked_for: dict[str, Keys] = Field(default_factory=dict)
    counts_if: dict[str, Keys] = Field(default_factory=dict)
    axis: str = ""

    @model_validator(mode="after")
    def _distinct_answers(self) -> Self:
        keys = [answer.key for answer in self.answers]
        if len(keys) == 1:
            raise ValueError("has one answer; allowed: two or more, or none for free text")
        if len(set(keys)) < len(keys):
            raise ValueError("has two answers with one key; each key once")
        if self.axis and len(self.groups) < 2:
            raise ValueError("has an axis but fewer than two answers that are groups")
        for text in (self.text, *self.texts.values()):
            for found in _FIELD.findall(text):
                if found not in ("{attribute}", "{a attribute}"):
                    raise ValueError(f"text has the field {found}; allowed: {{attribute}}")
        return self

    @property
    def keys(self) -> tuple[str, ...]:
        """What may be answered, in the order shown."""
        return tuple(answer.key for answer in self.answers)

    @property
    def groups(self) -> tuple[str, ...]:
        """The answers that say something: all but "can't judge"."""
        return tuple(answer.key for answer in self.answers if not answer.cant_judge)

    @property
    def cant_judge(self) -> tuple[str, ...]:
        """The answers that say "can't judge"."""
        return tuple(answer.key for answer in self.answers if answer.cant_judge)

    def merged(self, groups: Iterable[str]) -> dict[str, str] | None:
        """Return the answer that each group of an axis falls under; None where one has none.

        Args:
            groups: The groups of the axis, as a study has them.
        """
        rest = next((answer.key for answer in self.answers if answer.others), None)
        own = {group: group if group in self.groups else rest for group in groups}
        if rest is None and set(self.groups) != set(own):
            return None
        return {group: answer for group, answer in own.items() if answer is not None}

    def wording(self, attribute: str, category: str | None = None) -> str:
        """Return the text for an image that was meant to show this attribute."""
        text = self.texts.get(category or "", self.text)
        if not attribute:  # no article before nothing
            return text.replace("{attribute}", "")
        return wording.fill(text, {"attribute": attribute})


class QuestionSet(StudyPart):
    """The questions of one rating, in the order asked, and what raters read before they start."""

    introduction: str = ""
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        earlier: dict[str, Question] = {}
        for question in self.questions:
            where = f"question {question.id!r}:"
            if question.id in earlier:
                raise ValueError(f"{where} this id is given twice; each id once")
            _check_references(f"{where} asked_if", question.asked_if, earlier)
            earlier[question.id] = question
        for question in self.questions:
            others = {name: one for name, one in earlier.items() if name != question.id}
            _check_references(f"question {question.id!r}: counts_if", question.counts_if, others)
        if not any(question.answers for question in self.questions):
            raise ValueError("no question has answers to choose from; give one at least")
        return self

    def __getitem__(self, question: str) -> Question:
        """Return a question by its id."""
        return next(one for one in self.questions if one.id == question)

    @property
    def choices(self) -> tuple[Question, ...]:
        """The questions with answers to choose from."""
        return tuple(question for question in self.questions if question.answers)

    @property
    def axes(self) -> tuple[Question, ...]:
        """The questions whose answers are groups of an axis."""
        return tuple(question for question in self.questions if question.axis)

    def possible(self, factors: Mapping[str, str]) -> tuple[Question, ...]:
        """Return the questions that may be asked about an image, whatever is answered.

        Args:
            factors: The levels of the image; one without a factor counts as having any level.
        """
        found: dict[str, Question] = {}
        named = factors[ASKED].split(",") if ASKED in factors else None
        for question in self.questions:
            fits = (
                question.id in named
                if named is not None
                else all(
                    factors.get(name) in (None, *levels)
                    for name, levels in question.asked_for.items()
                )
            )
            if fits and all(name in found for name in question.asked_if):
                found[question.id] = question
        return tuple(found.values())

    def asked(self, answers: Mapping[str, str], factors: Mapping[str, str]) -> tuple[Question, ...]:
        """Return the questions that a rater is asked, given the answers so far.

        Args:
            answers: Answer keys by question.
            factors: The levels of the image.
        """
        asked: dict[str, Question] = {}
        for question in self.possible(factors):
            if all(
                name in asked and answers.get(name) in keys
                for name, keys in question.asked_if.items()
            ):
                asked[question.id] = question
        return tuple(asked.values())

    def unanswered(
        self, answers: Mapping[str, str], factors: Mapping[str, str]
    ) -> tuple[Question, ...]:
        """Return the questions that a rater still has to answer; free text is optional."""
        asked = self.asked(answers, factors)
        return tuple(one for one in asked if one.answers and one.id not in answers)


def default_questions(axes: Mapping[str, Sequence[str]] | None = None) -> QuestionSet:
    """Return the paper's questions, for some axes.

    Args:
        axes: Groups by axis, as a study has them. An axis that the paper does not ask about, or
            with other groups, gets a question of its own with its groups as answers. None: the
            axes perceived gender and skin tone.
    """
    text = (files("portrayal.raters") / "questions.toml").read_text(encoding="utf-8")
    known = QuestionSet.model_validate(tomllib.loads(text))
    if axes is None:
        axes = {one.axis: one.groups for one in known.axes if one.axis in _WITHOUT_A_STUDY}
    chosen = [
        one for one in known.axes if one.axis in axes and one.merged(axes[one.axis]) is not None
    ]
    asked = {one.axis for one in chosen}
    chosen += [_own_question(name, groups) for name, groups in axes.items() if name not in asked]
    before = [question for question in known.choices if not question.axis]
    after = [question for question in known.questions if not question.answers]
    return QuestionSet(
        introduction=known.introduction.strip(), questions=(*before, *chosen, *after)
    )


def association_questions(text: str, attributes: Sequence[str]) -> QuestionSet:
    """Return the one question of T2IAT's raters: which attribute is a neutral image closer to?

    Args:
        text: The question (`Study.rating_choice`).
        attributes: What to choose from.
    """
    known = default_questions()
    unsure = AnswerChoice(key=CANT_JUDGE, text="Can't judge", cant_judge=True)
    choice = Question(
        id="-".join([ASSOCIATION, *(_slug(one) for one in attributes)])[:80],
        text=text,
        answers=(*(AnswerChoice(key=one, text=one.capitalize()) for one in attributes), unsure),
    )
    comment = [question for question in known.questions if not question.answers]
    return QuestionSet(introduction=known.introduction, questions=(choice, *comment))


def read_questions(path: Path) -> QuestionSet:
    """Read questions from a TOML or JSON file.

    Raises:
        ImportFileError: The file is wrong.
    """
    return questions_from(read_document(path), source=path.name)


def questions_from(data: Mapping[str, Any], *, source: str) -> QuestionSet:
    """Read questions from data.

    Args:
        data: `introduction` and `questions`.
        source: What to call it in an error.
    """
    return validated(QuestionSet, data, source=source)


def validated(model: type[M], data: Mapping[str, Any], *, source: str) -> M:
    """Read data into a model; the first fault becomes one line."""
    try:
        return model.model_validate(dict(data))
    except ValidationError as error:
        line = study_error(error, source=source, model=model, raw=data)
        raise ImportFileError(str(line)) from error


def read_document(path: Path) -> dict[str, Any]:
    """Return the content of a TOML or JSON file."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise ImportFileError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise ImportFileError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise ImportFileError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ImportFileError(f"{path}: not valid {kind}: {error}") from error
    if not isinstance(data, dict):
        raise ImportFileError(f"{path}: is a list; allowed: a table with the key questions")
    return data


def _check_references(
    where: str, conditions: Mapping[str, Sequence[str]], known: Mapping[str, Question]
) -> None:
    """Raise ValueError where a condition names a question or an answer that is not there."""
    for name, keys in conditions.items():
        if name not in known:
            raise ValueError(
                f"{where} names {name!r}{did_you_mean(name, known)}; "
                f"allowed: {one_of(list(known)) or 'none, no question comes before'}"
            )
        for key in keys:
            if key not in known[name].keys:
                raise ValueError(
                    f"{where}.{name} names the answer {key!r}{did_you_mean(key, known[name].keys)};"
                    f" allowed: {one_of(known[name].keys)}"
                )


def _slug(text: str) -> str:
    """Return a text as a part of an id."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def _own_question(axis: str, groups: Sequence[str]) -> Question:
    """Return a question for an axis that the paper does not know."""
    shown = [AnswerChoice(key=group, text=group) for group in groups]
    return Question(
        id=_slug(axis) or "axis",
        text=f"How does the image look to you: {axis.replace('{', '(').replace('}', ')')}?",
        axis=axis,
        counts_if={"attribute": ("yes",)},
        answers=(
            *shown,
            AnswerChoice(key="poor quality", text="Can't judge: poor quality", cant_judge=True),
            AnswerChoice(
                key="both visible", text="Can't judge: features of several", cant_judge=True
            ),
        ),
    )
