"""What the person who runs a rating sees: progress, attention checks, votes."""

from __future__ import annotations

import csv
import datetime as dt
import io
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portrayal.audit import harmless
from portrayal.raters.layouts import factor_columns
from portrayal.raters.questions import ASKED, QuestionSet
from portrayal.raters.site.database import (
    AnswerRow,
    Database,
    ImageRow,
    QueuedImage,
    Rater,
    RatingTask,
)
from portrayal.raters.site.dealing import RATING, Terms, share_of_work
from portrayal.raters.store import pseudonym
from portrayal.raters.votes import RatedImage, Vote, Votes


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """How far a rater is.

    Attributes:
        id: The rater's number.
        name: As given when the link was made.
        done: Tasks with all questions answered.
        total: The rater's share of the work.
        checks: Attention checks that are done.
        passed: Those of them where every answer was the known one, or the same as before.
        seconds: Median time at an image, where known.
        last: When the last answer came, in UTC.
        closed: Whether the link was closed.
    """

    id: int
    name: str
    done: int
    total: int
    checks: int
    passed: int
    seconds: float | None
    last: str
    closed: bool


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task with its answers.

    Attributes:
        task: Its row.
        rater: The rater's pseudonym.
        given: By question, the answer and when it was given; None where it was withdrawn.
    """

    task: Any
    rater: str
    given: Mapping[str, tuple[str | None, float]]

    @property
    def answers(self) -> dict[str, str]:
        """Answer keys by question."""
        return {name: answer for name, (answer, _) in self.given.items() if answer is not None}

    @property
    def campaign(self) -> str:
        """The campaign that its votes belong to."""
        return self.task.campaign or "rating"

    @property
    def last(self) -> float:
        """When the last answer came."""
        return max(at for _, at in self.given.values())


def rater_names(database: Database) -> list[str]:
    """Return the names of all raters, in the order they were added."""
    with database.reading() as connection:
        return list(connection.execute(sa.select(Rater.name).order_by(Rater.id)).scalars())


def rater_name(database: Database, rater: int) -> str:
    """Return the name of a rater.

    Raises:
        LookupError: There is no rater of this number.
    """
    with database.reading() as connection:
        found = connection.execute(sa.select(Rater.name).where(Rater.id == rater)).scalar()
    if found is None:
        raise LookupError(rater)
    return found


def factor_names(database: Database) -> list[str]:
    """Return the factors that images of the rating have."""
    with database.reading() as connection:
        factors = connection.execute(sa.select(ImageRow.factors)).scalars()
        return sorted({name for row in factors for name in row if name != ASKED})


@dataclass(frozen=True, slots=True)
class CampaignState:
    """How far a rating is.

    Attributes:
        images: Images that want votes.
        complete: Those that have all of them.
        begun: Those that have some.
        votes: Votes so far.
        votes_complete: Votes on complete images.
        wanted: Votes that all images together want.
        seconds: Median time at an image, where known.
    """

    images: int
    complete: int
    begun: int
    votes: int
    votes_complete: int
    wanted: int
    seconds: float | None


def campaign_state(database: Database) -> CampaignState:
    """Return how many images have the votes that they want."""
    done = (RatingTask.kind == RATING) & RatingTask.done_at.is_not(None)
    with database.reading() as connection:
        queue = connection.execute(sa.select(QueuedImage.image, QueuedImage.wanted)).all()
        counts = connection.execute(
            sa.select(RatingTask.image, sa.func.count()).where(done).group_by(RatingTask.image)
        )
        votes = {image: int(n) for image, n in counts}
        times = connection.execute(
            sa.select(RatingTask.seconds).where(done, RatingTask.seconds.is_not(None))
        ).scalars()
        seconds = [one for one in times if one is not None]
    complete = [image for image, wanted in queue if votes.get(image, 0) >= wanted]
    return CampaignState(
        images=len(queue),
        complete=len(complete),
        begun=sum(0 < votes.get(image, 0) < wanted for image, wanted in queue),
        votes=sum(votes.values()),
        votes_complete=sum(votes[image] for image in complete),
        wanted=sum(wanted for _, wanted in queue),
        seconds=statistics.median(seconds) if seconds else None,
    )


def progress(database: Database, questions: QuestionSet, terms: Terms) -> list[RaterProgress]:
    """Return how far everybody is."""
    rows = task_rows(database)
    with database.reading() as connection:
        share = share_of_work(connection, terms)
        raters = connection.execute(
            sa.select(Rater.id, Rater.name, Rater.closed_at).order_by(Rater.id)
        ).all()
        latest = connection.execute(
            sa.select(RatingTask.rater_id, sa.func.max(AnswerRow.at).label("at"))
            .join(AnswerRow, AnswerRow.task_id == RatingTask.id)
            .group_by(RatingTask.rater_id)
        )
        last = {row.rater_id: row.at for row in latest}
    mine: dict[int, list[TaskRow]] = defaultdict(list)
    for row in rows:
        mine[row.task.rater_id].append(row)
    return [
        _progress(rater, mine[rater.id], last.get(rater.id), questions, share) for rater in raters
    ]


def votes(database: Database, questions: QuestionSet) -> Votes:
    """Return the votes of all finished tasks; attention checks are no votes."""
    rows = task_rows(database)
    done = [row for row in rows if row.task.done_at is not None and row.task.kind == "rating"]
    found = [
        Vote(row.task.image, row.rater, row.answers)
        for row in sorted(done, key=lambda row: (row.task.image, row.task.rater_id))
    ]
    return Votes(questions, {vote.image: RatedImage() for vote in found}, found)


def last_answer(database: Database) -> float | None:
    """Return when the last answer came; None where there is none."""
    with database.reading() as connection:
        return connection.execute(sa.select(sa.func.max(AnswerRow.at))).scalar()


def task_rows(database: Database) -> list[TaskRow]:
    """Return all tasks with their answers."""
    maker = str(database.settings()["generator"])
    with database.reading() as connection:
        made = sa.select(Rater.id, Rater.created_at)
        names = {
            number: pseudonym(maker, f"{number} {created}", "rating page")
            for number, created in connection.execute(made)
        }
        return _rows(connection, names)


def votes_csv(database: Database, questions: QuestionSet) -> str:
    """Return all finished tasks as CSV, attention checks marked; raters have pseudonyms."""
    rows = task_rows(database)
    with database.reading() as connection:
        images = {
            row.image: row
            for row in connection.execute(
                sa.select(ImageRow.image, ImageRow.prompt, ImageRow.seed, ImageRow.factors)
            )
        }
    names = sorted({name for row in images.values() for name in row.factors if name != ASKED})
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    ids = [question.id for question in questions.questions]
    factors = factor_columns(names).values()
    table.writerow(
        ["key", "prompt", "seed", *factors, "rater", "check", *ids, "seconds", "answered_at"]
    )
    free = {question.id for question in questions.questions if not question.answers}
    for row in sorted(rows, key=lambda row: (row.task.rater_id, row.task.place)):
        if row.task.done_at is None:
            continue
        image = images[row.task.image]
        given = [
            harmless(row.answers.get(name, "")) if name in free else row.answers.get(name, "")
            for name in ids
        ]
        check = "" if row.task.kind == "rating" else row.task.kind
        levels = [harmless(image.factors.get(name, "")) for name in names]
        about = [image.image, harmless(image.prompt), image.seed, *levels]
        table.writerow([*about, row.rater, check, *given, row.task.seconds, _time(row.last)])
    return written.getvalue()


def _rows(connection: sa.Connection, raters: Mapping[int, str]) -> list[TaskRow]:
    given: dict[int, dict[str, tuple[str | None, float]]] = defaultdict(dict)
    answers = sa.select(AnswerRow.task_id, AnswerRow.question, AnswerRow.answer, AnswerRow.at)
    for row in connection.execute(answers):
        given[row.task_id][row.question] = (row.answer, row.at)
    tasks = connection.execute(
        sa.select(
            RatingTask.id,
            RatingTask.rater_id,
            RatingTask.image,
            RatingTask.kind,
            RatingTask.place,
            RatingTask.done_at,
            RatingTask.seconds,
            ImageRow.expected,
            ImageRow.factors,
            QueuedImage.campaign,
        )
        .join(ImageRow, ImageRow.image == RatingTask.image)
        .outerjoin(QueuedImage, QueuedImage.image == RatingTask.image)
    )
    return [TaskRow(task, raters[task.rater_id], given.get(task.id, {})) for task in tasks]


def _progress(
    rater: Any, rows: Sequence[TaskRow], last: float | None, questions: QuestionSet, share: int
) -> RaterProgress:
    done = [row for row in rows if row.task.done_at is not None]
    first = {row.task.image: row.answers for row in done if row.task.kind == "rating"}
    checks = [row for row in done if row.task.kind != "rating"]
    ids = [question.id for question in questions.choices]
    passed = 0
    for row in checks:
        wanted = row.task.expected or first.get(row.task.image, {})
        looked_at = wanted if row.task.expected else ids
        passed += all(row.answers.get(name) == wanted.get(name) for name in looked_at)
    times = [row.task.seconds for row in done if row.task.seconds is not None]
    return RaterProgress(
        id=rater.id,
        name=rater.name,
        done=len(done),
        total=max(len(done), share),
        checks=len(checks),
        passed=passed,
        seconds=statistics.median(times) if times else None,
        last="" if last is None else _time(last),
        closed=rater.closed_at is not None,
    )


def _time(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")
