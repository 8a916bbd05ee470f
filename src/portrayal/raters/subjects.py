"""The images of an audit that people are asked about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, ImportFileError, SettingError, one_of
from portrayal.raters.questions import (
    QuestionSet,
    association_questions,
    default_questions,
    read_questions,
)
from portrayal.studies import Study, study_from_dict

_ATTRIBUTES = ("stimulus", "attribute")
"""Factors that say what an image is meant to show, in the studies that have them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An image to be rated.

    Attributes:
        image: Its key in the audit.
        prompt: What it was made from; raters see it only where there is no attribute.
        seed: The seed it was made with.
        attribute: What raters are told that it was meant to show; "": they are told nothing.
        factors: The levels of the study's factors.
        expected: Answers by question, for an attention check.
        asks: The questions that are asked about it, by id.
        studies: The studies that it is an image of.
    """

    image: str
    prompt: str
    seed: int
    attribute: str
    factors: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, str] | None = None
    asks: tuple[str, ...] = ()
    studies: tuple[str, ...] = ()

    def asking(self, asks: Iterable[str], *, studies: Iterable[str]) -> Subject:
        """Return the same image with what is asked about it, in which studies."""
        return replace(self, asks=tuple(asks), studies=tuple(studies))


def chosen_study(audit: AuditFolder, name: str | None) -> Study | None:
    """Return the study whose images are wanted; None where the audit has no study at all.

    Args:
        audit: The audit.
        name: The study's name; None where there is only one to choose.

    Raises:
        AuditError: There is no such study, or there are several to choose from.
    """
    known = audit.studies()
    if name is None and len(known) > 1:
        raise AuditError(
            f"{audit.path}: has {len(known)} studies; choose one with `study`: {one_of(known)}"
        )
    if name is None:
        name = next(iter(known), None)
        if name is None:
            return None
    if name not in known:
        raise AuditError(
            f"{audit.path}: no study {name!r} here; "
            f"allowed: {one_of(known) or 'none: leave `study` out to rate all images'}"
        )
    return study_from_dict(known[name], source=f"studies/{name}.json")


def chosen_questions(study: Study | None, file: Path | None) -> QuestionSet:
    """Return what to ask: a file's questions, or those of the paper that the study is after."""
    if file is not None:
        return read_questions(file)
    if study is None:
        return default_questions()
    choice = study.rating_choice()
    if choice is not None:
        return association_questions(choice.text, choice.answers)
    axes = study.asked_axes()
    if not axes:
        return default_questions()
    asked = default_questions({name: tuple(axis.groups) for name, axis in axes.items()})
    where = study.rated_categories()
    asked = _by_category(asked, where) if where else asked
    return _worded(asked, study.rated_wordings())


def _worded(asked: QuestionSet, texts: Mapping[str, str]) -> QuestionSet:
    """Ask whether an image shows what was asked for in the words of its category."""
    questions = tuple(
        one.model_copy(update={"texts": dict(texts)}) if one.id == "attribute" else one
        for one in asked.questions
    )
    return asked.model_copy(update={"questions": questions})


def _by_category(asked: QuestionSet, where: Mapping[str, frozenset[str]]) -> QuestionSet:
    """Ask about an axis only where the category has it; and about a person only where it matters.

    Args:
        asked: The questions of all axes.
        where: Categories by axis.
    """
    names = frozenset().union(*where.values())
    found = []
    for question in asked.questions:
        wanted = where[question.axis] if question.axis else names
        if question.id == "person":
            leaning = [one for one in asked.axes if "person" in {**one.asked_if, **one.counts_if}]
            wanted = frozenset().union(*(where[one.axis] for one in leaning))
        limits = {} if wanted == names else {"category": tuple(sorted(wanted))}
        found.append(question.model_copy(update={"asked_for": limits}))
    return asked.model_copy(update={"questions": tuple(found)})


def find_subjects(
    audit: AuditFolder,
    study: Study | None,
    *,
    attribute: str | None = None,
    expected: Mapping[tuple[str, int], Mapping[str, str]] | None = None,
) -> list[Subject]:
    """Return the images to ask about.

    Args:
        audit: Where they are.
        study: Whose images; None: all.
        attribute: The factor that says what an image is meant to show.
        expected: Known answers by (prompt, seed): these become attention checks.

    Raises:
        AuditError: There are none.
    """
    known = expected or {}
    rows = audit.images().filter("status = 'ok'").order("prompt, seed")
    columns = rows.select("key, prompt, seed, factors").fetchall()
    prompts = None if study is None else {one.text: one for one in study.rated_prompts()}
    subjects, seen = [], set()
    count: dict[str, int] = {}
    for key, prompt, seed, own in columns:
        answers = known.get((prompt, seed))
        factors = json.loads(own) if own else {}
        if prompts is not None and answers is None:
            # As the analysis does: of a prompt's images the lowest seeds, as many as asked for.
            if prompt not in prompts or count.get(prompt, 0) >= prompts[prompt].images:
                continue
            count[prompt] = count.get(prompt, 0) + 1
            factors = dict(prompts[prompt].factors)
        seen.add((prompt, seed))
        shown = _attribute(factors, attribute, ours=study is not None) or prompt
        if study is not None and study.rating_choice() is not None and attribute is None:
            shown = ""  # the image alone is judged, not the word it was made from
        subjects.append(Subject(key, prompt, seed, shown, factors, answers))
    _check_found(audit, subjects, [place for place in known if place not in seen])
    return subjects


def _check_found(
    audit: AuditFolder, subjects: Sequence[Subject], absent: Sequence[tuple[str, int]]
) -> None:
    if absent:
        prompt, seed = absent[0]
        raise ImportFileError(
            f"`known` names the image of prompt {prompt!a}, seed {seed}, "
            f"which is not in {audit.path}"
        )
    if all(subject.expected is not None for subject in subjects):
        raise AuditError(f"{audit.path}: no images to rate; run `portrayal generate` first")


def _attribute(factors: Mapping[str, str], name: str | None, *, ours: bool) -> str | None:
    """Return what an image is meant to show; None where only its prompt says so."""
    if name is not None:
        if name not in factors:
            allowed = one_of(list(factors)) or "none"
            raise SettingError("attribute", f"is {name!r}; allowed: {allowed}")
        return factors[name]
    for candidate in _ATTRIBUTES:
        if factors.get(candidate):
            return factors[candidate]
    # A factor of an imported image may be anything; those of a study fill its prompt.
    levels = [level for factor, level in factors.items() if factor != "template"]
    return levels[0] if ours and levels else None
