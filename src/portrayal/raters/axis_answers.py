"""What raters say on an axis: a group, "unknown" or "nobody", by which question and of how many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from portrayal.raters.questions import Question
from portrayal.raters.votes import Vote, Votes
from portrayal.records import NOBODY, UNKNOWN

PERSON = "person"
"""The question whether an image shows a person."""


class ImageAnswers(NamedTuple):
    """How many raters answered a question about an image."""

    image: str
    question: Question
    n: int


def axis_questions(votes: Votes, axis: str) -> list[Question]:
    """Return the questions whose answers are groups of an axis."""
    return [one for one in votes.questions.axes if one.axis == axis]


def said(vote: Vote, question: Question) -> str | None:
    """Return what one rater says on an axis; None where there is no answer."""
    answer = vote.answers.get(question.id)
    if answer is not None:
        return answer if answer in (*question.groups, NOBODY) else UNKNOWN
    seen = vote.answers.get(PERSON)
    nobody = seen is not None and seen not in question.counts_if.get(PERSON, (seen,))
    return NOBODY if nobody else None


def counting_answers(votes: Votes, axis: str) -> dict[str, ImageAnswers]:
    """Return, by image, the question on an axis that counts: the one that most raters answered."""
    found: dict[str, ImageAnswers] = {}
    for one in _answered(votes, axis):
        before = found.get(one.image)
        if one.n and (before is None or one.n > before.n):
            found[one.image] = one
    return found


def set_aside(votes: Votes) -> int:
    """Return how many answers do not count: to a question that fewer raters of the image answered.

    Such are answers on another scale of the same axis.
    """
    total = 0
    for axis in dict.fromkeys(one.axis for one in votes.questions.axes):
        if len(axis_questions(votes, axis)) > 1:
            given = sum(
                question.id in vote.answers
                for vote in votes.votes
                for question in axis_questions(votes, axis)
            )
            counting = counting_answers(votes, axis)
            total += given - sum(
                vote.image in counting and counting[vote.image].question.id in vote.answers
                for vote in votes.votes
            )
    return total


def _answered(votes: Votes, axis: str) -> Iterator[ImageAnswers]:
    by_image = votes.by_image()
    for question in axis_questions(votes, axis):
        for image, mine in by_image.items():
            if votes.was_asked(image, question.id):
                n = sum(said(vote, question) is not None for vote in mine)
                yield ImageAnswers(image, question, n)
