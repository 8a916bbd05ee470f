"""Where answers live: SQLite inside the audit folder, or PostgreSQL by URL.

    ratings     what is asked, of which audit: one row for each key
    pictures    what is to be rated, as it was found in the audit
    raters      a name, and the hash of the token in the personal link
    queue       which of them want votes, in the order in which they are shown
    tasks       one image for one rater, in that rater's order
    answers     the current answer to each question of a task
    revisions   every answer that was ever given, so that a correction hides nothing

SQLite writes ahead and flushes at every commit: what was acknowledged survives a killed server and
a power cut. It wants a local disk; raters' servers on several machines share a PostgreSQL.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from portrayal.audit import annotations_file, object_path
from portrayal.errors import AuditError, MissingExtra, NewerFormat, SettingError

FORMAT = 2

_BUSY_MS = 30_000


class Base(orm.DeclarativeBase):
    """The tables of a rating."""


class Setting(Base):
    """A fact about the whole rating: format, questions, the audit it is about."""

    __tablename__ = "ratings"

    key: orm.Mapped[str] = orm.mapped_column(sa.String(80), primary_key=True)
    value: orm.Mapped[str] = orm.mapped_column(sa.Text)


class Rater(Base):
    """Someone with a personal link."""

    __tablename__ = "raters"

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(80), unique=True)
    token_hash: orm.Mapped[str] = orm.mapped_column(sa.String(64), unique=True)
    created_at: orm.Mapped[float] = orm.mapped_column(sa.Double)
    closed_at: orm.Mapped[float | None] = orm.mapped_column(sa.Double)


class ImageRow(Base):
    """An image that raters are asked about.

    Attributes:
        image: The key of the image in the audit.
        attribute: What raters are told that it was meant to show.
        expected: For an attention check with a known answer: answers by question.
    """

    __tablename__ = "pictures"

    image: orm.Mapped[str] = orm.mapped_column(sa.String(64), primary_key=True)
    prompt: orm.Mapped[str] = orm.mapped_column(sa.Text)
    seed: orm.Mapped[int] = orm.mapped_column(sa.BigInteger)
    attribute: orm.Mapped[str] = orm.mapped_column(sa.Text)
    factors: orm.Mapped[dict[str, str]] = orm.mapped_column(sa.JSON)
    expected: orm.Mapped[dict[str, str] | None] = orm.mapped_column(sa.JSON(none_as_null=True))


class QueuedImage(Base):
    """An image that wants votes.

    Attributes:
        image: The key of the image in the audit.
        campaign: The campaign that its votes belong to.
        place: Images are opened in this order.
        wanted: How many raters are to see it.
    """

    __tablename__ = "queue"

    image: orm.Mapped[str] = orm.mapped_column(sa.ForeignKey("pictures.image"), primary_key=True)
    campaign: orm.Mapped[str] = orm.mapped_column(sa.String(80))
    place: orm.Mapped[float] = orm.mapped_column(sa.Double)
    wanted: orm.Mapped[int] = orm.mapped_column(sa.Integer)


class RatingTask(Base):
    """One image for one rater.

    Attributes:
        code: Names the task in addresses; says nothing about the image or the order.
        kind: `rating`, or an attention check: `repeat` (seen before), `known` (answer expected).
        place: The rater's order.
    """

    __tablename__ = "tasks"
    __table_args__ = (sa.UniqueConstraint("rater_id", "image", "kind"),)

    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    rater_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("raters.id"), index=True)
    code: orm.Mapped[str] = orm.mapped_column(sa.String(32), unique=True)
    image: orm.Mapped[str] = orm.mapped_column(sa.ForeignKey("pictures.image"), index=True)
    kind: orm.Mapped[str] = orm.mapped_column(sa.String(10))
    place: orm.Mapped[float] = orm.mapped_column(sa.Double)
    done_at: orm.Mapped[float | None] = orm.mapped_column(sa.Double)
    seconds: orm.Mapped[float | None] = orm.mapped_column(sa.Double)


class DealtTask(Base):
    """When a rater got a task."""

    __tablename__ = "dealt"

    code: orm.Mapped[str] = orm.mapped_column(sa.String(32), primary_key=True)
    at: orm.Mapped[float] = orm.mapped_column(sa.Double)


class AnswerRow(Base):
    """The current answer to one question of a task; None where it was withdrawn."""

    __tablename__ = "answers"

    task_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("tasks.id"), primary_key=True)
    question: orm.Mapped[str] = orm.mapped_column(sa.String(80), primary_key=True)
    answer: orm.Mapped[str | None] = orm.mapped_column(sa.Text)
    revision: orm.Mapped[int] = orm.mapped_column(sa.Integer)
    at: orm.Mapped[float] = orm.mapped_column(sa.Double)


class Revision(Base):
    """An answer as it once stood."""

    __tablename__ = "revisions"

    task_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("tasks.id"), primary_key=True)
    question: orm.Mapped[str] = orm.mapped_column(sa.String(80), primary_key=True)
    revision: orm.Mapped[int] = orm.mapped_column(sa.Integer, primary_key=True)
    answer: orm.Mapped[str | None] = orm.mapped_column(sa.Text)
    at: orm.Mapped[float] = orm.mapped_column(sa.Double)


class Database:
    """An open database of one rating.

    Args:
        engine: Where it is.
        name: What to call it in an error; never with a password.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        self._writing = engine.execution_options(writing=True)

    def reading(self) -> sa.Connection:
        """Return a connection that sees one state of the database; use it in a `with`."""
        return self.engine.connect()

    def writing(self) -> Any:
        """Return a context in which all is written or nothing; on leaving, it is on disk."""
        return self._writing.begin()

    def settings(self) -> dict[str, Any]:
        """Return the facts about the rating; empty where it has not been prepared."""
        with self.reading() as connection:
            rows = connection.execute(sa.select(Setting.key, Setting.value)).all()
        return {key: json.loads(value) for key, value in rows}

    def remember(self, connection: sa.Connection, settings: Mapping[str, Any]) -> None:
        """Write facts about the rating, replacing those of the same key."""
        for key, value in settings.items():
            connection.execute(sa.delete(Setting).where(Setting.key == key))
            text = json.dumps(value, ensure_ascii=False)
            connection.execute(sa.insert(Setting).values(key=key, value=text))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_database(audit: Path, url: str | None = None) -> Database:
    """Open the database of an audit's rating, making its tables where they are absent.

    Args:
        audit: The audit folder, where the SQLite file is unless a URL is given.
        url: `postgresql://user:password@host/name`, or `sqlite:///file`.

    Raises:
        AuditError: It cannot be opened.
    """
    target = _target(audit, url)
    name = target.render_as_string(hide_password=True)
    try:
        database = Database(_engine(target), name)
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "postgres") from error
    try:
        _make_tables(database.engine)
        found = database.settings().get("format", FORMAT)
    except sa.exc.SQLAlchemyError as error:
        database.close()
        why = _unwritable(target) or cause(error)
        raise AuditError(f"{name}: cannot be opened as a database of ratings: {why}") from error
    if found > FORMAT:
        database.close()
        raise NewerFormat(
            f"{name}: format {found} is newer than this portrayal reads ({FORMAT}); "
            "run: pip install --upgrade portrayal"
        )
    return database


def has_database(audit: Path, url: str | None = None) -> bool:
    """Tell whether there may be a rating already; only of a file of our own it is known."""
    return url is not None or object_path(audit) is not None or annotations_file(audit).exists()


def cause(error: sa.exc.SQLAlchemyError) -> str:
    """Return in one line what the database said."""
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__


def _unwritable(target: sa.URL) -> str:
    """Say why no file can be written where a SQLite database is to be; "": one can."""
    if target.get_backend_name() != "sqlite" or not target.database:
        return ""
    folder = Path(target.database).absolute().parent
    if not folder.is_dir():
        return f"there is no folder {folder}; create it"
    if not os.access(folder, os.W_OK):
        return (
            f"{folder} is read-only, and ratings are written there; copy the audit to a folder "
            "that you may write to"
        )
    return ""


def _target(audit: Path, url: str | None) -> sa.URL:
    if url is None:
        if object_path(audit) is not None:
            raise AuditError(
                f"{audit}: SQLite wants a local disk, and this audit is in an object store; give "
                "`database` postgresql://user:password@host/name, or sqlite:///file"
            )
        return sa.URL.create("sqlite", database=str(annotations_file(audit)))
    try:
        target = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise SettingError(
            "database",
            "is not an address of a database; allowed: postgresql://user:password@host/name, "
            "sqlite:///file",
        ) from error
    if target.drivername in ("postgresql", "postgres"):
        return target.set(drivername="postgresql+psycopg")
    if target.get_backend_name() not in ("sqlite", "postgresql"):
        raise SettingError(
            "database", f"is of the kind {target.drivername!r}; allowed: postgresql, sqlite"
        )
    return target


def _engine(target: sa.URL) -> sa.Engine:
    if target.get_backend_name() == "postgresql":
        # pre_ping: after the database was restarted, the first rater must not see an error.
        return sa.create_engine(target, pool_size=8, max_overflow=24, pool_pre_ping=True)
    engine = sa.create_engine(target, connect_args={"timeout": _BUSY_MS / 1000})
    sa.event.listen(engine, "connect", _on_connect)
    sa.event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, record: object) -> None:
    connection.isolation_level = None  # the driver must not begin transactions on its own
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _on_begin(connection: sa.Connection) -> None:
    # A writer takes its turn at once: one that begins as a reader can be refused later on.
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _make_tables(engine: sa.Engine) -> None:
    try:
        Base.metadata.create_all(engine)
    except sa.exc.SQLAlchemyError:
        Base.metadata.create_all(engine)  # another server made them between our look and our act
