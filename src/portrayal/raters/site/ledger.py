"""What a rater may see: the own tasks and answers, found by the link's token alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portrayal.raters.site.database import AnswerRow, Database, ImageRow, Rater, RatingTask
from portrayal.raters.site.dealing import Terms, deal, share_of_work
from portrayal.web import hashed


@dataclass(frozen=True, slots=True)
class Step:
    """A task in a rater's order."""

    code: str
    done: bool


@dataclass(frozen=True, slots=True)
class Path:
    """A rater's tasks in their order.

    Attributes:
        steps: The tasks so far; more follow while images lack votes.
        share: How many it will be if all raters do the same.
    """

    steps: Sequence[Step]
    share: int = 0

    @property
    def total(self) -> int:
        """How many tasks the rater will have, as far as that can be said."""
        return max(len(self.steps), self.share)

    @property
    def done(self) -> int:
        """How many tasks are done."""
        return sum(step.done for step in self.steps)

    def number(self, code: str) -> int:
        """Return a task's place, from 1."""
        return 1 + next(i for i, step in enumerate(self.steps) if step.code == code)

    def before(self, code: str) -> str | None:
        """Return the task that comes before another one."""
        place = self.number(code) - 1
        return self.steps[place - 1].code if place > 0 else None

    def after(self, code: str) -> str | None:
        """Return the task that comes after another one."""
        place = self.number(code)
        return self.steps[place].code if place < len(self.steps) else None

    def open(self, after: str | None = None) -> str | None:
        """Return the first task that is not done, looking from a task onward and then around."""
        start = self.number(after) if after is not None else 0
        around = [*self.steps[start:], *self.steps[:start]]
        return next((step.code for step in around if not step.done and step.code != after), None)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A rater who came with a valid token."""

    id: int
    token: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One task with the answers so far."""

    code: str
    image: str
    attribute: str
    factors: Mapping[str, str]
    answers: Mapping[str, str]
    seconds: float


class Ledger:
    """Reads on behalf of one rater at a time.

    Args:
        database: The rating.
        terms: How work is shared out.
        clock: Tells the time.
    """

    def __init__(
        self, database: Database, terms: Terms, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._terms = terms
        self._clock = clock

    def visitor(self, token: str) -> Visitor | None:
        """Return whose token this is; None for a wrong one and for a link that was closed."""
        wanted = sa.select(Rater.id).where(
            Rater.token_hash == hashed(token), Rater.closed_at.is_(None)
        )
        with self._database.reading() as connection:
            found = connection.execute(wanted).scalar_one_or_none()
        return None if found is None else Visitor(found, token)

    def path(self, visitor: Visitor) -> Path:
        """Return a rater's tasks in their order; one who has none open gets new ones."""
        found = self._path(visitor)
        if found.open() is not None:
            return found
        with self._database.writing() as connection:
            deal(connection, [visitor.id], self._terms, self._clock())
        return self._path(visitor)

    def _path(self, visitor: Visitor) -> Path:
        wanted = (
            sa.select(RatingTask.code, RatingTask.done_at)
            .where(RatingTask.rater_id == visitor.id)
            .order_by(RatingTask.place, RatingTask.id)
        )
        with self._database.reading() as connection:
            rows = connection.execute(wanted).all()
            share = share_of_work(connection, self._terms)
        return Path([Step(code, done_at is not None) for code, done_at in rows], share)

    def sheet(self, visitor: Visitor, code: str) -> Sheet | None:
        """Return a task of this rater; None for any other one."""
        with self._database.reading() as connection:
            task = _task(connection, visitor, code)
            if task is None:
                return None
            given = connection.execute(
                sa.select(AnswerRow.question, AnswerRow.answer).where(
                    AnswerRow.task_id == task.id, AnswerRow.answer.is_not(None)
                )
            ).all()
        answers = {row.question: row.answer for row in given}
        return Sheet(
            task.code, task.image, task.attribute, task.factors, answers, task.seconds or 0.0
        )

    def image(self, visitor: Visitor, code: str) -> str | None:
        """Return the key of the image of a task of this rater."""
        with self._database.reading() as connection:
            task = _task(connection, visitor, code)
        return None if task is None else task.image


def _task(connection: sa.Connection, visitor: Visitor, code: str) -> Any:
    wanted = (
        sa.select(
            RatingTask.id,
            RatingTask.code,
            RatingTask.image,
            RatingTask.seconds,
            ImageRow.attribute,
            ImageRow.factors,
        )
        .join(ImageRow, ImageRow.image == RatingTask.image)
        .where(RatingTask.code == code, RatingTask.rater_id == visitor.id)
    )
    return connection.execute(wanted).one_or_none()
