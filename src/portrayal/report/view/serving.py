"""Runs the viewer until it is stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from portrayal.audit import location
from portrayal.report.view.catalogue import Catalogue
from portrayal.report.view.pages import PAGES, ViewPages
from portrayal.web import LOOPBACK, AccessCookies, Protection, hashed, listen, new_token, serve_app


def serve_view(
    folder: str | os.PathLike[str],
    *,
    port: int = 8001,
    rater: str = "",
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the viewer to this machine until Ctrl-C or SIGTERM; then return.

    Args:
        folder: A folder of audits, or one audit.
        port: Where to listen; 0: any free port.
        rater: Who corrects labels by hand; the votes have a pseudonym.
        on_ready: Called with the link when the server listens; another one at every start.

    Raises:
        NotAnAudit: There is no such folder.
        AuditError: The address cannot be used.
    """
    with Catalogue(location(folder), rater=rater) as audits, listen(port=port) as place:
        token = new_token()
        link = f"{place.base}/enter/{token}"
        app = view_app(audits, token=token)
        serve_app(app, place, on_ready=lambda: on_ready(link) if on_ready else None)


def view_app(catalogue: Catalogue, *, token: str) -> Starlette:
    """Return the app.

    Args:
        catalogue: The audits.
        token: Opens it.
    """
    # Cookies know no ports: two viewers on one machine must not share a name.
    access = AccessCookies(f"view-{hashed(token)[:8]}", secure=False)
    pages = ViewPages(catalogue, access, token_hash=hashed(token))
    return Starlette(
        routes=[*pages.routes(), *PAGES.routes()],
        middleware=[Middleware(Protection, hosts=LOOPBACK)],
        exception_handlers={HTTPException: _problem},
    )


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    said = {
        HTTPStatus.FORBIDDEN: "Open the link that `portrayal view` printed.",
        HTTPStatus.NOT_FOUND: "There is no such audit or image here.",
    }
    text = said.get(status, error.detail)
    return PAGES.page("view_message.html.j2", status=status, title=status.phrase, text=text)
