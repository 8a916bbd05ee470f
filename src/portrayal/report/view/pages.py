"""The pages of the viewer: list, images of an audit, one image, two audits side by side."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portrayal.errors import SettingError
from portrayal.numbers import count
from portrayal.report.view.catalogue import AuditRow, Catalogue, OpenAudit
from portrayal.report.view.filters import ORDERS, ImageFilter
from portrayal.report.view.index import ListedImage
from portrayal.web import (
    LONGEST,
    AccessCookies,
    Pages,
    form_token,
    hashed,
    matches,
    read_form,
    require_own_origin,
)

PER_PAGE = 60
PAIRS = 20
BESIDE = 12
FORM = "correct"
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'"
)
"""A report brings scripts of its own, and may come from somebody else: it gets no cookie."""

PAGES = Pages(
    "portrayal.report",
    {
        "page.css": "text/css; charset=utf-8",
        "view.css": "text/css; charset=utf-8",
        "view.js": "text/javascript; charset=utf-8",
    },
    filters={"count": count, "urlencode": urlencode},
)


class SideBySide(NamedTuple):
    """The images of one prompt and seed in two audits."""

    prompt: str
    seed: int
    first: ListedImage | None
    second: ListedImage | None


class ViewPages:
    """What the viewer shows.

    Args:
        catalogue: The audits.
        access: Who may come in.
        token_hash: Of the one token that may.
    """

    def __init__(self, catalogue: Catalogue, access: AccessCookies, *, token_hash: str) -> None:
        self._catalogue = catalogue
        self._access = access
        self._token_hash = token_hash

    def routes(self) -> list[Route]:
        """Return the addresses of these pages."""
        shown = {
            "/": self._list, "/images": self._images, "/image": self._image,
            "/compare": self._compare, "/report": self._report, "/file": self._file,
        }  # fmt: skip
        return [
            Route("/enter/{token}", self.enter),
            *(Route(path, self._page(content)) for path, content in shown.items()),
            Route("/correct", self.correct, methods=["POST"]),
        ]

    async def enter(self, request: Request) -> Response:
        """Open the link: the browser keeps the token, the address bar does not."""
        token = request.path_params["token"][:LONGEST]
        if not matches(hashed(token), self._token_hash):
            self._access.refuse(request)
        return self._access.remember(RedirectResponse("/", HTTPStatus.SEE_OTHER), token)

    async def correct(self, request: Request) -> Response:
        """Store a corrected label as a vote, and go on."""
        require_own_origin(request)
        token = self._token(request)
        fields = await read_form(request)
        if not matches(fields.get("form", ""), form_token(token, FORM)):
            self._access.refuse(request)
        audit = await run_in_threadpool(self._catalogue.opened, fields.get("audit", ""))
        if audit is None or audit.index.image(fields.get("key", "")) is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        given = (fields["key"], fields.get("axis", ""), fields.get("choice", ""))
        try:
            await run_in_threadpool(audit.correct, *given)
        except SettingError as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        asked = ImageFilter.read(fields)
        onward = fields.get("after") or fields["key"]
        address = f"/image?{asked.query(audit=audit.name, key=onward)}"
        return RedirectResponse(address, HTTPStatus.SEE_OTHER)

    def _page(self, content: Callable[[Request], Response]) -> Callable[[Request], Any]:
        """Return what answers a request: its page, for those who may see it."""

        async def answer(request: Request) -> Response:
            self._token(request)
            return await run_in_threadpool(content, request)

        return answer

    def _token(self, request: Request) -> str:
        token = self._access.token(request)
        if not token or not matches(hashed(token), self._token_hash):
            self._access.refuse(request)
        return token

    def _list(self, request: Request) -> Response:
        words = request.query_params.get("words", "")
        rows = self._catalogue.rows(words)
        return PAGES.page(
            "view_list.html.j2", rows=rows, words=words, folder=str(self._catalogue.folder)
        )

    def _images(self, request: Request) -> Response:
        audit, row = self._asked_audit(request, "audit")
        asked = ImageFilter.read(request.query_params)
        start = _number(request.query_params.get("start", ""))
        found = audit.index.find(asked, start=start, most=PER_PAGE)
        audit.images.announce([one.key for one in found.images])
        return PAGES.page(
            "view_images.html.j2", audit=audit, row=row, asked=asked, found=found, start=start,
            per_page=PER_PAGE, orders=ORDERS,
        )  # fmt: skip

    def _image(self, request: Request) -> Response:
        audit, row = self._asked_audit(request, "audit")
        asked = ImageFilter.read(request.query_params)
        image = audit.index.image(request.query_params.get("key", ""))
        if image is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        same_seed = audit.index.beside(image, same="seed", most=BESIDE)
        same_prompt = audit.index.beside(image, same="prompt", most=BESIDE)
        audit.images.announce([one.key for one in (*same_seed, *same_prompt)])
        return PAGES.page(
            "view_image.html.j2", audit=audit, row=row, asked=asked, image=image,
            revised=audit.index.revised_prompt(image.key),
            place=audit.index.place(asked, image.key),
            same_seed=same_seed, same_prompt=same_prompt,
            form=form_token(self._token(request), FORM),
        )  # fmt: skip

    def _compare(self, request: Request) -> Response:
        first, first_row = self._asked_audit(request, "first")
        second, second_row = self._asked_audit(request, "second")
        asked = ImageFilter.read(request.query_params)
        start = _number(request.query_params.get("start", ""))
        found = first.index.find(asked, start=start, most=PAIRS)
        other = second.index.at([(one.prompt, one.seed) for one in found.images])
        pairs = [
            SideBySide(one.prompt, one.seed, one, other.get((one.prompt, one.seed)))
            for one in found.images
        ]
        for audit, keys in (
            (first, [one.first.key for one in pairs if one.first]),
            (second, [one.second.key for one in pairs if one.second]),
        ):
            audit.images.announce(keys)
        return PAGES.page(
            "view_compare.html.j2", sides=((first, first_row), (second, second_row)),
            audit=first, asked=asked, found=found, pairs=pairs, start=start, per_page=PAIRS,
            orders=ORDERS, shared=len(first.index.prompts() & second.index.prompts()),
        )  # fmt: skip

    def _report(self, request: Request) -> Response:
        audit, _ = self._asked_audit(request, "audit", fresh=False)
        if not audit.audit.has_report:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return Response(
            audit.audit.report_file.read_bytes(),
            media_type="text/html; charset=utf-8",
            headers={"content-security-policy": REPORT_POLICY},
        )

    def _file(self, request: Request) -> Response:
        audit, _ = self._asked_audit(request, "audit", fresh=False)
        key = request.query_params.get("key", "")
        small = request.query_params.get("small")
        found = audit.images.small(key) if small else audit.images.read(key)
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        headers = {"cache-control": "private, max-age=3600", "vary": "cookie"}
        return Response(found.data, media_type=found.kind, headers=headers)

    def _asked_audit(
        self, request: Request, field: str, *, fresh: bool = True
    ) -> tuple[OpenAudit, AuditRow]:
        """Return the audit that a request names, and what the list says of it.

        Args:
            request: The request.
            field: Which field names it.
            fresh: Whether to see first if there is more in it.
        """
        name = request.query_params.get(field, "")
        found = self._catalogue.open(name) if fresh else self._catalogue.opened(name)
        row = AuditRow(name) if found is None or not fresh else self._catalogue.row(name)
        if found is None or row is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return found, row


def _number(text: str) -> int:
    return int(text[:12]) if text.isascii() and text.isdigit() else 0
