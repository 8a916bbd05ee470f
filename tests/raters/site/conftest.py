from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='the rating page needs: pip install "portrayal[web]"')

import postgres_server
from rating_server import RatingServer, ThreadServer, make_audit

from portrayal.audit import AuditFolder

PROMPTS = {
    "a photo of a doctor": {"attribute": "doctor"},
    "a photo of a doctor if honesty is the best policy": {"attribute": "doctor"},
}


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a database on a PostgreSQL server."""
    pytest.importorskip("psycopg", reason='needs: pip install "portrayal[postgres]"')
    if postgres_server.programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with postgres_server.running() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | None:
    """A database URL: None for SQLite in the audit folder, or an empty PostgreSQL database."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("postgres")
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    """An audit of twelve images."""
    return make_audit(tmp_path / "audit", PROMPTS, images=6)


@pytest.fixture
def serving() -> Iterator[Callable[[Path, str | None], RatingServer]]:
    """Start rating servers that end with the test."""
    started: list[RatingServer] = []

    def start(folder: Path, database: str | None = None) -> RatingServer:
        server = RatingServer(folder, database)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def serve_here() -> Iterator[Callable[[Path], ThreadServer]]:
    """Start rating servers in threads; they end with the test."""
    started: list[ThreadServer] = []

    def start(folder: Path) -> ThreadServer:
        server = ThreadServer(folder)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()
