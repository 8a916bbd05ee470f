"""Writes answers, many raters' at a time, and says "saved" only when they are on disk.

A flush takes milliseconds, so one for every answer would make fifty raters wait for each other.
One thread takes whatever has arrived, writes it in one transaction and then answers everybody: the
more raters, the larger the batches. A submission holds the whole state of one image, so sending
it twice changes nothing.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portrayal.raters.questions import QuestionSet
from portrayal.raters.site.database import (
    AnswerRow,
    Database,
    ImageRow,
    Rater,
    RatingTask,
    Revision,
)
from portrayal.raters.site.dealing import Terms, deal

MOST_WAITING = 5_000
MOST_AT_ONCE = 200
LONGEST_COMMENT = 2_000
LONGEST_STAY_S = 3_600.0

_log = logging.getLogger(__name__)


class Unacceptable(ValueError):
    """A submission that the page of this rating could not have sent."""


class TooBusy(RuntimeError):
    """More is waiting to be written than memory should hold."""


@dataclass(frozen=True, slots=True)
class Submission:
    """All answers of one rater about one image, as they are now.

    Attributes:
        token_hash: Whose link it came through.
        task: The task's code.
        answers: Answer keys by question; a question without an answer is left out.
        seconds: How long the rater has looked, where the page knows.
    """

    token_hash: str
    task: str
    answers: Mapping[str, str]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a submission: stored, with no question left open or some.

    Attributes:
        found: Whether the task is this rater's; nothing was stored otherwise.
        complete: Whether every question asked has an answer.
    """

    found: bool
    complete: bool = False


@dataclass(slots=True)
class _Writes:
    answers: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    revisions: list[dict[str, Any]] = field(default_factory=list)
    tasks: dict[int, dict[str, Any]] = field(default_factory=dict)


class Recorder:
    """The one writer of a server.

    Args:
        database: Where answers go.
        questions: What is asked.
        terms: How work is shared out: whoever finishes a task gets another one.
        clock: Tells the time.
    """

    def __init__(
        self,
        database: Database,
        questions: QuestionSet,
        terms: Terms,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self.questions = questions
        self._terms = terms
        self._clock = clock
        self._waiting: queue.Queue[tuple[Submission, Future[Saved]] | None] = queue.Queue(
            MOST_WAITING
        )
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Write what is waiting, then end."""
        self._waiting.put(None)
        self._thread.join()

    def submit(self, submission: Submission) -> Future[Saved]:
        """Hand in answers; the future is done when they are on disk.

        Raises:
            Unacceptable: An answer or a question is not of this rating.
            TooBusy: The server cannot keep up.
        """
        self._check(submission)
        future: Future[Saved] = Future()
        future.set_running_or_notify_cancel()  # a rater who leaves must not stop the writer
        try:
            self._waiting.put_nowait((submission, future))
        except queue.Full as error:
            raise TooBusy from error
        return future

    def _check(self, submission: Submission) -> None:
        known = {question.id: question for question in self.questions.questions}
        for name, answer in submission.answers.items():
            if name not in known:
                raise Unacceptable("unknown question")
            if known[name].answers and answer not in known[name].keys:
                raise Unacceptable("unknown answer")
            if len(answer) > LONGEST_COMMENT:
                raise Unacceptable(f"a comment has at most {LONGEST_COMMENT} characters")

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while len(batch) < MOST_AT_ONCE and not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    self._waiting.put(None)
                    break
                batch.append(following)
            self._write_all(batch)

    def _write_all(self, batch: Sequence[tuple[Submission, Future[Saved]]]) -> None:
        try:
            results = self._write([submission for submission, _ in batch])
        except Exception as error:
            if len(batch) == 1:
                _log.exception("an answer could not be written")
                batch[0][1].set_exception(error)
                return
            for one in batch:  # so that one that cannot be written spoils no other
                self._write_all([one])
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)

    def _write(self, submissions: Sequence[Submission]) -> list[Saved]:
        with self._database.writing() as connection:
            tasks = _tasks(connection, {one.task for one in submissions})
            ids = [task.id for task in tasks.values()]
            current = _answers(connection, ids)
            writes = _Writes()
            results = []
            finished = set()
            for submission in submissions:
                task = tasks.get(submission.task)
                if task is None or task.token_hash != submission.token_hash:
                    results.append(Saved(found=False))
                else:
                    results.append(self._apply(submission, task, current, writes))
                    if results[-1].complete and task.done_at is None:
                        finished.add(task.rater_id)
            _store(connection, writes)
            if finished:
                deal(connection, finished, self._terms, self._clock())
        return results

    def _apply(
        self,
        submission: Submission,
        task: Any,
        current: dict[tuple[int, str], tuple[str | None, int]],
        writes: _Writes,
    ) -> Saved:
        """Note what a submission changes; answers to questions no longer asked are withdrawn."""
        asked = {one.id for one in self.questions.asked(submission.answers, task.factors)}
        answers = {name: text for name, text in submission.answers.items() if name in asked}
        now = self._clock()
        for question in self.questions.questions:
            place = (task.id, question.id)
            before, revision = current.get(place, (None, 0))
            after = answers.get(question.id)
            if before == after:
                continue
            current[place] = (after, revision + 1)
            row = {
                "task_id": task.id,
                "question": question.id,
                "answer": after,
                "revision": revision + 1,
                "at": now,
            }
            writes.answers[place] = row
            writes.revisions.append(row)
        complete = not self.questions.unanswered(answers, task.factors)
        writes.tasks[task.id] = {
            "of": task.id,
            "done_at": (task.done_at or now) if complete else None,
            "seconds": _bounded(submission.seconds, task.seconds),
        }
        return Saved(found=True, complete=complete)


def _tasks(connection: sa.Connection, codes: set[str]) -> dict[str, Any]:
    """Return tasks by code, each with the hash of its rater's token, locked until the commit."""
    rows = connection.execute(
        sa.select(
            RatingTask.id,
            RatingTask.rater_id,
            RatingTask.code,
            RatingTask.done_at,
            RatingTask.seconds,
            ImageRow.factors,
            Rater.token_hash,
        )
        .join(Rater, Rater.id == RatingTask.rater_id)
        .join(ImageRow, ImageRow.image == RatingTask.image)
        .where(RatingTask.code.in_(codes), Rater.closed_at.is_(None))
        .order_by(RatingTask.id)  # two servers that lock the same tasks never wait for each other
        .with_for_update(of=RatingTask)
    )
    return {row.code: row for row in rows}


def _answers(
    connection: sa.Connection, tasks: Sequence[int]
) -> dict[tuple[int, str], tuple[str | None, int]]:
    rows = connection.execute(
        sa.select(
            AnswerRow.task_id, AnswerRow.question, AnswerRow.answer, AnswerRow.revision
        ).where(AnswerRow.task_id.in_(tasks))
    )
    return {(task, question): (answer, number) for task, question, answer, number in rows}


def _store(connection: sa.Connection, writes: _Writes) -> None:
    if writes.answers:
        dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
        insert = dialect.insert(AnswerRow)
        kept = {name: insert.excluded[name] for name in ("answer", "revision", "at")}
        upsert = insert.on_conflict_do_update(index_elements=["task_id", "question"], set_=kept)
        connection.execute(upsert, list(writes.answers.values()))
        connection.execute(sa.insert(Revision), writes.revisions)
    if writes.tasks:
        update = (
            sa.update(RatingTask)
            .where(RatingTask.id == sa.bindparam("of"))
            .values(done_at=sa.bindparam("done_at"), seconds=sa.bindparam("seconds"))
        )
        connection.execute(update, list(writes.tasks.values()))


def _bounded(seconds: float | None, before: float | None) -> float | None:
    """Return a time that a page reports; it is the rater's machine that says so."""
    if seconds is None or not 0 <= seconds <= LONGEST_STAY_S:
        return before
    return round(seconds, 1)
