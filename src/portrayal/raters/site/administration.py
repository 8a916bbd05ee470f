"""The page of the person who runs a rating: progress, agreement, links, votes."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portrayal.errors import AuditError
from portrayal.raters.layouts import VOTES_CSV, map_text
from portrayal.raters.questions import QuestionSet
from portrayal.raters.reliability import agreement
from portrayal.raters.site import overview, pages
from portrayal.raters.site.database import Database
from portrayal.raters.site.dealing import Terms
from portrayal.raters.site.roster import Roster
from portrayal.web import (
    LONGEST,
    AccessCookies,
    form_token,
    hashed,
    matches,
    read_form,
    require_own_origin,
)

FORM = "admin"


class AdminPages:
    """What the person who runs a rating sees and does.

    Args:
        database: The rating.
        questions: What is asked.
        terms: How work is shared out.
        access: Who may come in.
        token_hash: Of the one token that may.
        base: The address that links begin with.
    """

    def __init__(
        self,
        database: Database,
        questions: QuestionSet,
        terms: Terms,
        access: AccessCookies,
        *,
        token_hash: str,
        base: str,
    ) -> None:
        self._database = database
        self._questions = questions
        self._terms = terms
        self._access = access
        self._token_hash = token_hash
        self._base = base
        self._roster = Roster(database)

    def routes(self) -> list[Route]:
        """Return the addresses of these pages."""
        return [
            Route("/admin/enter/{token}", self.enter),
            Route("/admin", self.show),
            Route("/admin/{act}", self.act, methods=["POST"]),
            Route("/admin/votes.csv", self.download_votes),
            Route("/admin/map.toml", self.download_map),
        ]

    async def enter(self, request: Request) -> Response:
        """Open the admin link."""
        token = request.path_params["token"][:LONGEST]
        if not matches(hashed(token), self._token_hash):
            return self._access.refuse(request)
        return self._access.remember(RedirectResponse("/admin", HTTPStatus.SEE_OTHER), token)

    async def show(self, request: Request) -> Response:
        """Show the progress of the campaign."""
        token = self._token(request)
        if token is None:
            return self._access.refuse(request)
        return await self._page(token, {})

    async def act(self, request: Request) -> Response:
        """Make links, replace one, or close one."""
        require_own_origin(request)
        token = self._token(request)
        if token is None:
            return self._access.refuse(request)
        fields = await read_form(request)
        if not matches(fields.get("form", ""), form_token(token, FORM)):
            return self._access.refuse(request)
        try:
            made = await run_in_threadpool(self._do, request.path_params["act"], fields)
        except AuditError as error:
            return await self._page(token, {}, problem=str(error))
        return await self._page(token, made)

    async def download_votes(self, request: Request) -> Response:
        """Send all finished answers as CSV."""
        if self._token(request) is None:
            return self._access.refuse(request)
        text = await run_in_threadpool(overview.votes_csv, self._database, self._questions)
        return _file(text, "votes.csv", "text/csv; charset=utf-8")

    async def download_map(self, request: Request) -> Response:
        """Send the MAP.toml that `portrayal votes votes.csv --map map.toml` wants."""
        if self._token(request) is None:
            return self._access.refuse(request)
        names = await run_in_threadpool(overview.factor_names, self._database)
        text = map_text(self._questions, VOTES_CSV, factors=names)
        return _file(text, "map.toml", "application/toml; charset=utf-8")

    def _token(self, request: Request) -> str | None:
        token = self._access.token(request)
        if not token or not matches(hashed(token), self._token_hash):
            return None
        self._access.admit(token)
        return token

    def _do(self, act: str, fields: Mapping[str, str]) -> dict[str, str]:
        """Change the roster; return new links by rater."""
        if act == "add":
            names = [name.strip() for name in fields.get("names", "").split(",") if name.strip()]
            if not names:
                raise AuditError("no name given; write one, or several with commas between")
            tokens = self._roster.add_raters(names)
            return {name: self._link(token) for name, token in tokens.items()}
        try:
            rater = int(fields.get("rater", ""))
            name = overview.rater_name(self._database, rater)
        except (ValueError, LookupError) as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY) from error
        if act == "replace":
            return {name: self._link(self._roster.replace_link(rater))}
        if act == "close":
            self._roster.close(rater)
            return {}
        raise HTTPException(HTTPStatus.NOT_FOUND)

    def _link(self, token: str) -> str:
        return f"{self._base}/enter/{token}"

    async def _page(self, token: str, links: Mapping[str, str], *, problem: str = "") -> Response:
        content = await run_in_threadpool(self._content)
        return pages.page(
            "admin.html",
            status=422 if problem else 200,
            links=links,
            problem=problem,
            form=form_token(token, FORM),
            **content,
        )

    def _content(self) -> dict[str, Any]:
        raters = overview.progress(self._database, self._questions, self._terms)
        votes = overview.votes(self._database, self._questions)
        return {
            "raters": raters,
            "state": overview.campaign_state(self._database),
            "agreement": agreement(votes) if votes.votes else [],
        }


def _file(text: str, name: str, kind: str) -> Response:
    return Response(
        text,
        media_type=kind,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
