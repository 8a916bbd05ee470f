"""Runs the rating page until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.raters.site.app import SiteSettings, create_app
from portrayal.raters.site.database import Database, open_database
from portrayal.web import Listening, listen, new_token, serve_app


@dataclass(frozen=True, slots=True)
class Site:
    """A server that listens.

    Attributes:
        base: What raters' links begin with.
        admin_link: Opens the admin page of this server; another one at every start.
        public: Whether other machines can reach it.
    """

    base: str
    admin_link: str
    public: bool

    def rater_link(self, token: str) -> str:
        """Return the personal link for a token."""
        return f"{self.base}/enter/{token}"


def serve(
    audit: str | Path,
    *,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str | None = None,
    at: Listening | None = None,
    on_ready: Callable[[Site], None] | None = None,
) -> None:
    """Serve the rating page of a prepared audit until Ctrl-C or SIGTERM; then return.

    Args:
        audit: The audit folder.
        database: A PostgreSQL URL; None: SQLite in the audit folder.
        host: See `listen`.
        port: See `listen`.
        url: See `listen`.
        at: What `listen` returned, in place of the three; closed at the end.
        on_ready: Called with the links when the server listens.

    Raises:
        AuditError: Nothing was prepared, or the address cannot be used.
    """
    with at or listen(host, port, url=url) as place:
        opened = AuditFolder(audit)
        _serve(opened, open_database(opened.path, database), place, on_ready)


def _serve(
    audit: AuditFolder,
    stored: Database,
    place: Listening,
    on_ready: Callable[[Site], None] | None,
) -> None:
    base = place.base

    def ready() -> None:
        if on_ready is not None:
            on_ready(Site(base, f"{base}/admin/enter/{token}", public=place.is_public))

    try:
        token = new_token()
        settings = SiteSettings(base, place.hosts, secure=base.startswith("https:"))
        app = create_app(audit, stored, admin_token=token, settings=settings)
        serve_app(app, place, on_ready=ready)
    finally:
        stored.close()
