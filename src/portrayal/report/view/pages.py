"""The pages of the viewer: list, images of an audit, one image, two audits side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portrayal.comparison import compare_audits
from portrayal.errors import PortrayalError, SettingError
from portrayal.numbers import count
from portrayal.report.comparison_page import comparison_page
from portrayal.report.pair_images import PairImage, PairShelf, ShownPair
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
NO_LABEL = "no label"
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
            "/compare": self._compare, "/comparison": self._comparison,
            "/report": self._report, "/file": self._file,
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
        first.images.announce([one.key for one in found.images])
        second.images.announce([one.key for one in other.values()])
        return PAGES.page(
            "view_compare.html.j2", sides=((first, first_row), (second, second_row)),
            audit=first, asked=asked, found=found, start=start, per_page=PAIRS, orders=ORDERS,
            shelves=_shelves(first, second, found.images, other),
            shared=len(first.index.prompts() & second.index.prompts()),
        )  # fmt: skip

    def _comparison(self, request: Request) -> Response:
        """Answer with what `portrayal compare` writes."""
        sides = [self._asked_audit(request, side)[0] for side in ("first", "second")]
        try:
            page = comparison_page(
                compare_audits([one.audit for one in sides], names=[one.name for one in sides])
            )
        except PortrayalError as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        return _foreign(page.encode())

    def _report(self, request: Request) -> Response:
        audit, _ = self._asked_audit(request, "audit", fresh=False)
        if not audit.audit.has_report:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return _foreign(audit.audit.report_file.read_bytes())

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
        try:
            found = self._catalogue.open(name) if fresh else self._catalogue.opened(name)
        except PortrayalError as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        row = AuditRow(name) if found is None or not fresh else self._catalogue.row(name)
        if found is None or row is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return found, row


def _shelves(
    first: OpenAudit,
    second: OpenAudit,
    images: Sequence[ListedImage],
    other: Mapping[tuple[str, int], ListedImage],
) -> list[PairShelf]:
    """Return images of one audit with those of the same prompt and seed in another, by prompt."""
    shelves: dict[str, list[ShownPair]] = {}
    for one in images:
        partner = other.get((one.prompt, one.seed))
        right = None if partner is None else _shown(second, partner)
        pair = ShownPair(one.prompt, _shown(first, one), right)
        shelves.setdefault(one.prompt, []).append(pair)
    return [PairShelf(prompt, "", pairs) for prompt, pairs in shelves.items()]


def _shown(audit: OpenAudit, image: ListedImage) -> PairImage:
    named = {"audit": audit.name, "key": image.key}
    labels = dict.fromkeys(one.label for one in image.labels)
    return PairImage.of(
        f"/file?{urlencode({**named, 'small': 1})}", image.prompt, image.seed, model=audit.name,
        label=" · ".join(labels) or NO_LABEL, link=f"/image?{urlencode(named)}",
    )  # fmt: skip


def _foreign(page: bytes) -> Response:
    """Answer with a page that is whole in itself, and gets no cookie."""
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def _number(text: str) -> int:
    return int(text[:12]) if text.isascii() and text.isdigit() else 0
