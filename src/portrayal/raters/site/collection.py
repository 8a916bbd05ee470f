"""From the rating page into the audit: the votes so far become measurements of its images."""

from __future__ import annotations

from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.raters.site import overview
from portrayal.raters.site.database import open_database
from portrayal.raters.site.preparation import stored_questions
from portrayal.raters.storage import VoteImport, store_votes


def collect(audit: str | Path, *, database: str | None = None, name: str = "raters") -> VoteImport:
    """Store the votes of all finished tasks with the audit; later votes make a new edition.

    Args:
        audit: The audit folder.
        database: A PostgreSQL URL; None: SQLite in the audit folder.
        name: What to call these raters.

    Raises:
        AuditError: Nothing has been rated.
    """
    opened = AuditFolder(audit)
    stored = open_database(opened.path, database)
    try:
        settings = stored.settings()
        if "questions" not in settings:
            raise AuditError(f"{stored.name}: nothing to rate; run `portrayal annotate` first")
        votes = overview.votes(stored, stored_questions(settings, stored.name))
    finally:
        stored.close()
    if not votes.votes:
        raise AuditError(f"{stored.name}: no image has been rated yet")
    return store_votes(opened, votes, name=name)
