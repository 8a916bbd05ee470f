"""The web app of one rating: pages, the writer behind them, and what protects both."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError
from portrayal.raters.site import pages
from portrayal.raters.site.administration import AdminPages
from portrayal.raters.site.collection import Collector
from portrayal.raters.site.database import Database
from portrayal.raters.site.ledger import Ledger
from portrayal.raters.site.preparation import stored_questions, stored_terms
from portrayal.raters.site.rating import RatingPages
from portrayal.raters.site.recorder import Recorder
from portrayal.web import AccessCookies, AuditImages, Protection, hashed


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """How a server is reached.

    Attributes:
        base: What links begin with, such as `http://127.0.0.1:8000`.
        hosts: Names under which it may be asked for; None: any.
        secure: Whether it is reached over HTTPS only.
    """

    base: str
    hosts: Collection[str] | None
    secure: bool = False


def create_app(
    audit: AuditFolder, database: Database, *, admin_token: str, settings: SiteSettings
) -> Starlette:
    """Return the app of a prepared rating.

    Args:
        audit: Where the images are.
        database: Where the rating is.
        admin_token: Opens the admin page of this server.
        settings: How the server is reached.

    Raises:
        AuditError: Nothing has been prepared.
    """
    about = database.settings()
    if "per_image" not in about:
        raise AuditError(f"{database.name}: nothing to rate; run `portrayal annotate` on an audit")
    if about["generator"] != audit.generator.digest:
        raise AuditError(f"{database.name}: contains the rating of another audit than {audit.path}")
    questions = stored_questions(about, database.name)
    terms = stored_terms(about)
    recorder = Recorder(database, questions, terms)
    collector = Collector(audit, database, questions)
    # Cookies know no ports: two ratings on one machine must not share a name.
    name = hashed(f"{audit.generator.digest} {database.name}")[:8]
    rating = RatingPages(
        Ledger(database, terms),
        recorder,
        AuditImages(audit),
        questions,
        AccessCookies(f"rater-{name}", secure=settings.secure),
    )
    admin = AdminPages(
        database,
        questions,
        terms,
        AccessCookies(f"admin-{name}", secure=settings.secure),
        token_hash=hashed(admin_token),
        base=settings.base,
    )

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        recorder.start()
        collector.start()
        yield
        recorder.stop()
        collector.stop()

    return Starlette(
        routes=[
            *rating.routes(),
            *admin.routes(),
            *pages.PAGES.routes(),
        ],
        middleware=[Middleware(Protection, hosts=settings.hosts)],
        exception_handlers={HTTPException: _problem, Exception: _fault},
        lifespan=lifespan,
    )


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.FORBIDDEN:
        return pages.forbidden()
    if request.headers.get("accept") == "application/json":
        return JSONResponse({"saved": False, "problem": error.detail}, status)
    headers = {"retry-after": "5"} if status is HTTPStatus.TOO_MANY_REQUESTS else {}
    reply = pages.message(status, status.phrase, "Go back and try again.")
    reply.headers.update(headers)
    return reply


async def _fault(request: Request, error: Exception) -> Response:
    return pages.message(500, "Something went wrong", "Nothing was lost. Try again in a moment.")
