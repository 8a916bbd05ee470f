"""Which answers count, and what was asked: many ballots become one set of votes.

Of one rater's answers to one question about one image, the latest counts. Where answers differ and
times do not say which is the latest, none counts: they are counted as contradictory instead. An
answer without a time outweighs a blank without one.

Questions of several studies and files on one axis are one question where they have a group in
common: a file knows only the answers that were given. Other questions are one where their id and
answers agree. Which answers say "can't judge" makes no difference. The definition that most ballots
have is taken, with the answers of the others. A second question of the same id gets a name of its
own.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from portrayal.raters.questions import Question, QuestionSet
from portrayal.raters.votes import RatedImage, Vote, Votes
from portrayal.records import Ballot, digest

CONTRADICTORY = "contradictory answers by one rater"

_PLACE = "place"


class _Place(NamedTuple):
    """What a rater was asked: about which image, which question, and whether a second time."""

    image: str
    question: str
    rater: str
    again: bool


def merged_votes(ballots: Sequence[Ballot], about: Mapping[str, RatedImage]) -> Votes:
    """Return the votes that count.

    Args:
        ballots: All answers, in any order.
        about: What each image was generated from; nothing is known of those that are absent.
    """
    if not ballots:
        return Votes.none()
    names, questions = merged_questions(one.definition for one in ballots)
    answers, contradictory = _settled(ballots, names)
    given: dict[tuple[str, str, bool], dict[str, str]] = defaultdict(dict)
    asked: dict[str, set[str]] = defaultdict(set)
    for place, answer in answers.items():
        asked[place.image].add(place.question)
        if answer is not None:
            given[place.image, place.rater, place.again][place.question] = answer
    order = {question.id: i for i, question in enumerate(questions.questions)}
    votes = {
        place: Vote(place[0], place[1], dict(sorted(mine.items(), key=lambda x: order[x[0]])))
        for place, mine in sorted(given.items())
    }
    images = {image: about.get(image, RatedImage()) for image, _, _ in votes}
    return Votes(
        questions,
        images,
        [vote for (_, _, again), vote in votes.items() if not again],
        {CONTRADICTORY: contradictory} if contradictory else {},
        again=[vote for (_, _, again), vote in votes.items() if again],
        asked={image: frozenset(ids) for image, ids in asked.items()},
    )


def merged_questions(definitions: Iterable[str]) -> tuple[dict[str, str], QuestionSet]:
    """Return the name of every definition, and the questions under these names."""
    counts = Counter(definitions)
    names: dict[str, str] = {}
    found: list[tuple[int, dict[str, Any]]] = []
    taken: set[str] = set()
    for alike in sorted(_alike(counts), key=lambda one: _rank(one, counts)):
        data = dict(alike[0].data)
        name = data["id"] if data["id"] not in taken else f"{data['id']}-{alike[0].mark[:6]}"
        taken.add(name)
        names |= {one.text: name for one in alike}
        place = data.pop(_PLACE, 0)
        # Who is asked what was decided when it was asked.
        found.append((place, {**data, "id": name, "answers": _answers(alike),
                              "asked_if": {}, "asked_for": {}}))  # fmt: skip
    ordered = [data for _, data in sorted(found, key=lambda one: (one[0], one[1]["id"]))]
    questions = [Question.model_validate({**one, "counts_if": {}}) for one in ordered]
    return names, QuestionSet(
        questions=tuple(
            _with_conditions(question, data.get("counts_if", {}), questions)
            for question, data in zip(questions, ordered, strict=True)
        )
    )


class _Definition:
    """A question as it was asked.

    Args:
        text: As JSON.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.data: dict[str, Any] = json.loads(text)
        answers = self.data.get("answers", ())
        sure = [one for one in answers if not one.get("cant_judge")]
        self.groups = frozenset(one["key"] for one in sure)
        self.unsure = frozenset(one["key"] for one in answers) - self.groups
        self.rest = frozenset(one["key"] for one in sure if one.get("others"))
        self.axis: str = self.data.get("axis", "")
        self.mark: str = digest((self.data["id"], self.axis, *sorted(self.groups)))

    def is_one_with(self, other: _Definition) -> bool:
        """Tell whether answers to both are answers to one question."""
        if self.axis != other.axis:
            return False
        if self.groups == other.groups:
            return bool(self.axis) or self.data["id"] == other.data["id"]
        # An answer that stands for all others stands for something else beside other answers.
        return bool(self.axis and self.groups & other.groups and not self.rest | other.rest)

    def contradicts(self, other: _Definition) -> bool:
        """Tell whether an answer is a group in one of them and "can't judge" in the other."""
        return bool(self.groups & other.unsure or other.groups & self.unsure)


def _alike(counts: Counter[str]) -> list[list[_Definition]]:
    """Return definitions of one question together, the one that was asked most often first."""
    order = {
        text: place
        for place, text in enumerate(sorted(counts, key=lambda one: (-counts[one], digest(one))))
    }
    found: list[list[_Definition]] = []
    for one in map(_Definition, order):
        joined = [
            mine
            for mine in found
            if any(map(one.is_one_with, mine)) and not any(map(one.contradicts, mine))
        ]
        rest = [mine for mine in found if mine not in joined]
        every = [one, *(other for mine in joined for other in mine)]
        found = [*rest, sorted(every, key=lambda other: order[other.text])]
    return found


def _rank(alike: Sequence[_Definition], counts: Counter[str]) -> tuple[int, str]:
    """Order questions: of one id, the one that was asked most often keeps it."""
    return -sum(counts[one.text] for one in alike), alike[0].mark


def _answers(alike: Sequence[_Definition]) -> list[dict[str, Any]]:
    """Return the answers of all definitions, each once, groups before "can't judge"."""
    found: dict[str, dict[str, Any]] = {}
    for each in alike:
        for one in each.data.get("answers", ()):
            known = found.setdefault(one["key"], dict(one))
            known["others"] = bool(known.get("others") or one.get("others"))
    return sorted(found.values(), key=lambda one: bool(one.get("cant_judge")))


def _with_conditions(
    question: Question, counts_if: Mapping[str, Sequence[str]], known: Sequence[Question]
) -> Question:
    """Return a question with those of its conditions that name questions that are there."""
    keys = {one.id: one.keys for one in known if one.id != question.id}
    kept = {
        name: tuple(allowed)
        for name, allowed in counts_if.items()
        if set(allowed) <= set(keys.get(name, ()))
    }
    return question.model_copy(update={"counts_if": kept})


def _settled(
    ballots: Sequence[Ballot], names: Mapping[str, str]
) -> tuple[dict[_Place, str | None], int]:
    """Return the answer that counts at every place, and how many places have contradictory ones."""
    cast: dict[_Place, list[Ballot]] = defaultdict(list)
    for one in ballots:
        cast[_Place(one.image, names[one.definition], one.rater, one.again)].append(one)
    found: dict[_Place, str | None] = {}
    contradictory = 0
    for place, mine in cast.items():
        answers = _latest(mine)
        contradictory += len(answers) > 1
        found[place] = answers.pop() if len(answers) == 1 else None
    return found, contradictory


def _latest(ballots: Sequence[Ballot]) -> set[str | None]:
    """Return the answers of which none is known to be older than another one."""
    last = max((one.answered_at for one in ballots if one.answered_at is not None), default=None)
    latest = {one.answer for one in ballots if one.answered_at == last}
    unplaced = {one.answer for one in ballots if one.answered_at is None}
    return (latest | (unplaced - {None})) if last is not None else (unplaced - {None} or {None})
