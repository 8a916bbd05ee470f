"""From the rating page into the audit: acknowledged answers end in the store of votes."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.raters.questions import QuestionSet
from portrayal.raters.site import overview
from portrayal.raters.site.database import Database, open_database
from portrayal.raters.site.preparation import stored_questions
from portrayal.raters.store import VoteImport, written
from portrayal.records import Ballot

EVERY_S = 30.0
"""So often a running page brings its answers into the store."""

_log = logging.getLogger(__name__)


def collect(audit: str | Path, *, database: str | None = None) -> VoteImport:
    """Store all answers of the page with the audit; those that are there already stay as they are.

    Args:
        audit: The audit folder.
        database: A PostgreSQL URL; None: SQLite in the audit folder.

    Raises:
        AuditError: Nothing has been rated.
    """
    opened = AuditFolder(audit)
    done = collect_waiting(opened, database=database)
    if done is None:
        raise AuditError(f"{opened.path}: nothing to rate; run `portrayal annotate` first")
    if not done.votes:
        raise AuditError(f"{opened.path}: no image has been rated yet")
    return done


def collect_waiting(audit: AuditFolder, *, database: str | None = None) -> VoteImport | None:
    """Store the answers of the page that are not stored yet; None where nothing is to be rated.

    Args:
        audit: The audit.
        database: As in `collect`.
    """
    stored = open_database(audit.path, database)
    try:
        settings = stored.settings()
        if "questions" not in settings:
            return None
        return collect_from(audit, stored, stored_questions(settings, stored.name))
    finally:
        stored.close()


def collect_from(audit: AuditFolder, database: Database, questions: QuestionSet) -> VoteImport:
    """Store all answers of an open database with the audit."""
    rows = [row for row in overview.task_rows(database) if row.task.kind != "known" and row.given]
    definitions = written(questions)
    ballots = []
    for row in rows:
        for question in (one.id for one in questions.possible(row.task.factors)):
            answer, at = row.given.get(question, (None, None))
            ballots.append(
                Ballot(
                    row.task.image,
                    question,
                    definitions[question],
                    row.rater,
                    answer,
                    answered_at=None if at is None else int(at),
                    seconds=row.task.seconds,
                    again=row.task.kind == "repeat",
                    source=row.campaign,
                )
            )
    new = audit.append_votes(ballots)
    votes = [row for row in rows if row.task.kind == "rating"]
    images, raters = {row.task.image for row in votes}, {row.rater for row in votes}
    return VoteImport(len(images), len(votes), len(raters), new, {}, before=len(ballots) - new)


class Collector:
    """Brings the answers of a running page into the store, from time to time and at the end.

    Args:
        audit: Where the store is.
        database: Where the answers are.
        questions: What is asked.
    """

    def __init__(self, audit: AuditFolder, database: Database, questions: QuestionSet) -> None:
        self._audit = audit
        self._database = database
        self._questions = questions
        self._ended = threading.Event()
        self._seen: float | None = None
        self._thread = threading.Thread(target=self._work, name="collector", daemon=True)

    def start(self) -> None:
        """Begin to collect."""
        self._thread.start()

    def stop(self) -> None:
        """Collect what is left, then end."""
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        ended = False
        while not ended:
            ended = self._ended.wait(EVERY_S)
            try:
                last = overview.last_answer(self._database)
                if last != self._seen:
                    collect_from(self._audit, self._database, self._questions)
                    self._seen = last
            except Exception:  # the database has the answers; the next round or start brings them
                _log.exception("answers could not be brought into the audit yet")
