"""Which answers count, and what was asked: many ballots become one set of votes.

Of one rater's answers to one question about one image, the latest counts. Where answers differ and
times do not say which is the latest, none counts: they are counted as contradictory instead. An
answer without a time outweighs a blank without one.

Questions of several studies and files are one question where their id, axis and answers agree; the
definition that most ballots have is taken. A second question of the same id gets a name of its own.
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
    alike: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for text in sorted(counts, key=lambda one: (-counts[one], digest(one))):
        alike[_signature(json.loads(text))].append(text)
    names: dict[str, str] = {}
    found: list[tuple[int, Question]] = []
    taken: set[str] = set()
    for signature, texts in sorted(alike.items(), key=lambda one: _rank(one, counts)):
        data = json.loads(texts[0])
        name = data["id"] if data["id"] not in taken else f"{data['id']}-{digest(signature)[:6]}"
        taken.add(name)
        names |= dict.fromkeys(texts, name)
        place = data.pop(_PLACE, 0)
        # Who is asked what was decided when it was asked.
        changed: dict[str, Any] = {"id": name, "asked_if": {}, "asked_for": {}}
        found.append((place, Question.model_validate({**data, **changed})))
    ordered = [question for _, question in sorted(found, key=lambda one: (one[0], one[1].id))]
    return names, QuestionSet(questions=tuple(_answerable(one, ordered) for one in ordered))


def _rank(alike: tuple[tuple[Any, ...], list[str]], counts: Counter[str]) -> tuple[int, str]:
    """Order questions: of one id, the one that was asked most often keeps it."""
    signature, texts = alike
    return -sum(counts[text] for text in texts), digest(signature)


def _signature(data: Mapping[str, Any]) -> tuple[Any, ...]:
    answers = sorted((one["key"], bool(one.get("cant_judge"))) for one in data.get("answers", ()))
    return (data["id"], data.get("axis", ""), *answers)


def _answerable(question: Question, known: Sequence[Question]) -> Question:
    """Return a question whose conditions name only questions that are there."""
    keys = {one.id: one.keys for one in known if one.id != question.id}
    kept = {
        name: allowed
        for name, allowed in question.counts_if.items()
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
