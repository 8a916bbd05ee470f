"""The writer and the roster, directly on SQLite and PostgreSQL."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, NewerFormat
from portrayal.raters import site
from portrayal.raters.questions import default_questions
from portrayal.raters.site import overview
from portrayal.raters.site.database import (
    AnswerRow,
    Database,
    Rater,
    RatingTask,
    Revision,
    open_database,
)
from portrayal.raters.site.dealing import IN_HAND, Terms
from portrayal.raters.site.ledger import Ledger
from portrayal.raters.site.recorder import Recorder, Saved, Submission, Unacceptable
from portrayal.raters.site.roster import Roster
from portrayal.web import hashed

TERMS = Terms(2, 0.0, 0)
WHOLE = {"person": "yes", "attribute": "yes", "gender": "man", "skin": "dark skin"}


@pytest.fixture
def rating(audit: AuditFolder, database: str | None) -> Iterator[tuple[Database, dict[str, str]]]:
    made = site.prepare(audit.path, raters=["Ann", "Bo"], per_image=2, checks=0, database=database)
    opened = open_database(audit.path, database)
    yield opened, dict(made.tokens)
    opened.close()


@pytest.fixture
def recorder(rating: tuple[Database, dict[str, str]]) -> Iterator[Recorder]:
    found = Recorder(rating[0], default_questions(), TERMS)
    found.start()
    yield found
    found.stop()


def codes(database: Database, token: str) -> list[str]:
    ledger = Ledger(database, TERMS)
    visitor = ledger.visitor(token)
    assert visitor is not None
    return [step.code for step in ledger.path(visitor).steps]


def rows(database: Database, table: Any) -> list[Any]:
    with database.reading() as connection:
        return list(connection.execute(sa.select(table.__table__)).all())


def test_the_same_submission_many_times_at_once_is_one_answer(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    submission = Submission(hashed(tokens["Ann"]), code, WHOLE)
    futures: list[Future[Saved]] = []

    def send() -> None:
        futures.extend(recorder.submit(submission) for _ in range(10))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait(futures)
    assert {future.result() for future in futures} == {Saved(found=True, complete=True)}
    assert len(rows(database, AnswerRow)) == 4
    assert len(rows(database, Revision)) == 4


def test_every_change_is_in_the_history(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    for answers in (
        {"person": "yes"},
        WHOLE,
        WHOLE | {"gender": "woman"},
        {"person": "no", "attribute": "yes"},
        WHOLE,
    ):
        recorder.submit(Submission(hashed(tokens["Ann"]), code, answers)).result()
    history = [(row.revision, row.answer) for row in rows(database, Revision)
               if row.question == "gender"]  # fmt: skip
    assert sorted(history) == [(1, "man"), (2, "woman"), (3, None), (4, "man")]
    current = {row.question: row.answer for row in rows(database, AnswerRow)}
    assert current == WHOLE


def test_answers_to_questions_that_are_not_asked_are_not_kept(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    done = recorder.submit(
        Submission(hashed(tokens["Ann"]), code, WHOLE | {"person": "no"})
    ).result()
    assert done == Saved(found=True, complete=True)
    assert {row.question for row in rows(database, AnswerRow)} == {"person", "attribute"}


def test_an_unfinished_task_is_no_vote(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    first, second = codes(database, tokens["Ann"])[:2]
    recorder.submit(Submission(hashed(tokens["Ann"]), first, WHOLE)).result()
    recorder.submit(Submission(hashed(tokens["Ann"]), second, {"person": "yes"})).result()
    votes = overview.votes(database, default_questions())
    assert [dict(vote.answers) for vote in votes.votes] == [WHOLE]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"mood": "good"}, "unknown question"),
        ({"person": "perhaps"}, "unknown answer"),
        ({"comment": "x" * 2001}, "at most 2000"),
    ],
)
def test_what_the_page_cannot_send_is_refused(
    rating: tuple[Database, dict[str, str]],
    recorder: Recorder,
    answers: dict[str, str],
    message: str,
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    with pytest.raises(Unacceptable, match=message):
        recorder.submit(Submission(hashed(tokens["Ann"]), code, answers))
    assert rows(database, AnswerRow) == []


def test_a_wrong_token_or_task_stores_nothing(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    for submission in (
        Submission(hashed(tokens["Bo"]), code, WHOLE),
        Submission(hashed("nobody"), code, WHOLE),
        Submission(hashed(tokens["Ann"]), "nothing", WHOLE),
    ):
        assert recorder.submit(submission).result() == Saved(found=False)
    assert rows(database, AnswerRow) == []


def test_one_submission_that_cannot_be_written_spoils_no_other(
    rating: tuple[Database, dict[str, str]],
) -> None:
    database, tokens = rating
    first, second = codes(database, tokens["Ann"])[:2]
    recorder = Recorder(database, default_questions(), TERMS)
    bad = recorder.submit(Submission(hashed(tokens["Ann"]), first, WHOLE | {"comment": "\ud800"}))
    good = recorder.submit(Submission(hashed(tokens["Ann"]), second, WHOLE))
    recorder.start()  # both wait, so they are written together
    assert good.result() == Saved(found=True, complete=True)
    with pytest.raises(Exception, match="surrogates"):
        bad.result()
    recorder.stop()
    assert len(rows(database, AnswerRow)) == 4


ACKNOWLEDGED = """
import sys
from pathlib import Path
from portrayal.raters.questions import default_questions
from portrayal.raters.site.database import open_database
from portrayal.raters.site.dealing import Terms
from portrayal.raters.site.recorder import Recorder, Submission

folder, url, token_hash, *codes = sys.argv[1:]
recorder = Recorder(open_database(Path(folder), url or None), default_questions(), Terms())
recorder.start()
for code in codes * 100:
    for answer in ("yes", "no"):
        recorder.submit(Submission(token_hash, code, {"attribute": answer})).result()
        print(code, answer, flush=True)
"""


def test_every_acknowledged_answer_survives_a_kill(
    rating: tuple[Database, dict[str, str]], audit: AuditFolder
) -> None:
    database, tokens = rating
    url = "" if "sqlite" in database.name else database.engine.url.render_as_string(False)
    mine = codes(database, tokens["Ann"])
    child = subprocess.Popen(
        [sys.executable, "-c", ACKNOWLEDGED, str(audit.path), url, hashed(tokens["Ann"]), *mine],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = [child.stdout.readline().split() for _ in range(157)]
    child.send_signal(signal.SIGKILL)
    said += [line.split() for line in child.communicate()[0].splitlines()]
    acknowledged = Counter((line[0], line[1]) for line in said if len(line) == 2)
    by_id = {row.id: row.code for row in rows(database, RatingTask)}
    history = Counter((by_id[row.task_id], row.answer) for row in rows(database, Revision))
    assert acknowledged.total() >= 157
    assert not acknowledged - history
    # At most the one in flight was stored without having been acknowledged.
    assert history.total() - acknowledged.total() in (0, 1)


def test_stopping_writes_what_is_waiting(rating: tuple[Database, dict[str, str]]) -> None:
    database, tokens = rating
    recorder = Recorder(database, default_questions(), TERMS)
    for code in codes(database, tokens["Ann"]):
        recorder.submit(Submission(hashed(tokens["Ann"]), code, WHOLE))
    recorder.start()
    recorder.stop()
    assert len(rows(database, AnswerRow)) == 4 * IN_HAND


# --- raters ---------------------------------------------------------------------------------------


def test_a_newcomer_gets_images_that_lack_votes(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    for _ in range(3):
        code = next(one for one in codes(database, tokens["Ann"]) if one not in done(database))
        recorder.submit(Submission(hashed(tokens["Ann"]), code, WHOLE)).result()
    rated = {row.image for row in rows(database, RatingTask) if row.done_at is not None}
    new = Roster(database).add_raters(["Cy"])
    mine = codes(database, new["Cy"])
    assert len(mine) == IN_HAND
    given = {row.image for row in rows(database, RatingTask) if row.code in mine}
    assert given <= rated, "images that Ann has rated want one more vote"


def done(database: Database) -> set[str]:
    return {row.code for row in rows(database, RatingTask) if row.done_at is not None}


def test_closing_frees_what_is_in_hand(
    rating: tuple[Database, dict[str, str]], recorder: Recorder
) -> None:
    database, tokens = rating
    code = codes(database, tokens["Ann"])[0]
    recorder.submit(Submission(hashed(tokens["Ann"]), code, WHOLE)).result()
    Roster(database).close(1)
    assert Ledger(database, TERMS).visitor(tokens["Ann"]) is None
    assert recorder.submit(Submission(hashed(tokens["Ann"]), code, {})).result().found is False
    assert [row.code for row in rows(database, RatingTask)] == [code]
    assert len(rows(database, AnswerRow)) == 4  # what was answered stays


def test_two_servers_deal_no_image_twice_to_one_rater(
    rating: tuple[Database, dict[str, str]], audit: AuditFolder
) -> None:
    database, tokens = rating
    url = None if "sqlite" in database.name else database.engine.url.render_as_string(False)
    other = open_database(audit.path, url)
    ledgers = [Ledger(one, TERMS) for one in (database, other) for _ in range(4)]

    def visit(ledger: Ledger) -> None:
        visitor = ledger.visitor(tokens["Ann"])
        assert visitor is not None
        ledger.path(visitor)

    threads = [threading.Thread(target=visit, args=(one,)) for one in ledgers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert len(codes(database, tokens["Ann"])) == IN_HAND


@pytest.mark.parametrize("names", [["Ann"], ["x", "x"], [" "], ["y" * 81], ["tab\t"]])
def test_names_must_be_new_and_readable(
    rating: tuple[Database, dict[str, str]], names: list[str]
) -> None:
    database, _ = rating
    with pytest.raises(AuditError):
        Roster(database).add_raters(names)
    assert len(rows(database, Rater)) == 2


# --- the database ---------------------------------------------------------------------------------


def test_sqlite_flushes_every_commit(audit: AuditFolder) -> None:
    opened = open_database(audit.path)
    with opened.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    opened.close()


def test_a_newer_format_is_refused(
    rating: tuple[Database, dict[str, str]], audit: AuditFolder
) -> None:
    database, _ = rating
    with database.writing() as connection:
        database.remember(connection, {"format": 99})
    url = None if "sqlite" in database.name else database.engine.url.render_as_string(False)
    with pytest.raises(NewerFormat, match="format 99 is newer"):
        open_database(audit.path, url)


def test_an_unreachable_server_is_one_line_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(AuditError) as caught:
        open_database(tmp_path, "postgresql://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
