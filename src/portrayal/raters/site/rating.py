"""The rater's pages: enter, start, one image after the other, done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portrayal.raters.questions import QuestionSet
from portrayal.raters.site import pages
from portrayal.raters.site.ledger import Ledger, Path, Sheet, Visitor
from portrayal.raters.site.recorder import Recorder, Submission, TooBusy, Unacceptable
from portrayal.web import (
    LONGEST,
    AccessCookies,
    AuditImages,
    form_token,
    hashed,
    matches,
    read_form,
    require_own_origin,
)

PREFIX = "answer."


class RatingPages:
    """What raters see.

    Args:
        ledger: Reads.
        recorder: Writes.
        images: Bytes.
        questions: What is asked.
        access: Who may come in.
    """

    def __init__(
        self,
        ledger: Ledger,
        recorder: Recorder,
        images: AuditImages,
        questions: QuestionSet,
        access: AccessCookies,
    ) -> None:
        self._ledger = ledger
        self._recorder = recorder
        self._images = images
        self._questions = questions
        self._access = access

    def routes(self) -> list[Route]:
        """Return the addresses of these pages."""
        return [
            Route("/enter/{token}", self.enter),
            Route("/", self.start),
            Route("/rate/{code}", self.task),
            Route("/rate/{code}", self.save, methods=["POST"]),
            Route("/image/{code}", self.image),
            Route("/finished", self.finished),
        ]

    async def enter(self, request: Request) -> Response:
        """Open a personal link: the browser keeps the token, the address bar does not."""
        token = request.path_params["token"][:LONGEST]
        visitor = await run_in_threadpool(self._ledger.visitor, token)
        if visitor is None:
            return self._access.refuse(request)
        return self._access.remember(RedirectResponse("/", HTTPStatus.SEE_OTHER), token)

    async def start(self, request: Request) -> Response:
        """Say what this is about, and lead to the next image."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._access.refuse(request)
        path = await run_in_threadpool(self._ledger.path, visitor)
        if not path.steps:
            return pages.message(200, "Nothing to rate yet", "Come back with the same link.")
        following = path.open()
        if following is None:
            return RedirectResponse("/finished", HTTPStatus.SEE_OTHER)
        return pages.page(
            "start.html",
            introduction=self._questions.introduction,
            done=path.done,
            total=path.total,
            following=following,
        )

    async def task(self, request: Request) -> Response:
        """Show one image with its questions."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._access.refuse(request)
        code = request.path_params["code"]
        sheet = await run_in_threadpool(self._ledger.sheet, visitor, code)
        if sheet is None:
            return _gone()
        path = await run_in_threadpool(self._ledger.path, visitor)
        return self._sheet_page(visitor, sheet, path)

    async def image(self, request: Request) -> Response:
        """Send the image of one of the rater's own tasks."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._access.refuse(request)
        key = await run_in_threadpool(self._ledger.image, visitor, request.path_params["code"])
        found = None if key is None else await run_in_threadpool(self._images.read, key)
        if found is None:
            return _gone()
        # Kept for minutes by this browser for this rater, so that the next image can be fetched
        # ahead.
        return Response(
            found.data,
            media_type=found.kind,
            headers={"cache-control": "private, max-age=600", "vary": "cookie"},
        )

    async def save(self, request: Request) -> Response:
        """Store the answers of one image; the reply comes when they are on disk."""
        require_own_origin(request)
        token, code = self._access.token(request), request.path_params["code"]
        if not token:
            return self._access.refuse(request)
        self._access.admit(token)
        fields = await read_form(request)
        if not matches(fields.get("form", ""), form_token(token, code)):
            return self._access.refuse(request)
        answers = {
            name.removeprefix(PREFIX): _cleaned(value)
            for name, value in fields.items()
            if name.startswith(PREFIX) and _cleaned(value)
        }
        submission = Submission(hashed(token), code, answers, _seconds(fields.get("seconds")))
        try:
            saved = await asyncio.wrap_future(self._recorder.submit(submission))
        except Unacceptable as error:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
        except TooBusy as error:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE) from error
        if not saved.found:
            return self._access.refuse(request)
        if request.headers.get("accept") == "application/json":
            return JSONResponse({"saved": True, "complete": saved.complete})
        return await self._after_form(token, code, complete=saved.complete)

    async def finished(self, request: Request) -> Response:
        """Say thank you."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._access.refuse(request)
        path = await run_in_threadpool(self._ledger.path, visitor)
        if path.open() is not None:
            return RedirectResponse(_address(path.open()), HTTPStatus.SEE_OTHER)
        if not path.steps:
            return RedirectResponse("/", HTTPStatus.SEE_OTHER)
        return pages.page("finished.html", total=path.done, last=path.steps[-1].code)

    async def _visitor(self, request: Request) -> Visitor | None:
        token = self._access.token(request)
        found = await run_in_threadpool(self._ledger.visitor, token) if token else None
        if found is not None:
            self._access.admit(token)
        return found

    async def _after_form(self, token: str, code: str, *, complete: bool) -> Response:
        """Lead on after a form that was sent without the script."""
        if not complete:
            return RedirectResponse(f"/rate/{code}", HTTPStatus.SEE_OTHER)
        visitor = await run_in_threadpool(self._ledger.visitor, token)
        if visitor is None:
            return pages.forbidden()
        path = await run_in_threadpool(self._ledger.path, visitor)
        return RedirectResponse(_address(path.open(after=code)), HTTPStatus.SEE_OTHER)

    def _sheet_page(self, visitor: Visitor, sheet: Sheet, path: Path) -> Response:
        following = path.open(after=sheet.code)
        before, after = path.before(sheet.code), path.after(sheet.code)
        return pages.page(
            "task.html",
            sheet=sheet,
            questions=_shown(self._questions, sheet),
            names_attribute=any("{attribute}" in one.text for one in self._questions.questions),
            form=form_token(visitor.token, sheet.code),
            number=path.number(sheet.code),
            done=path.done,
            total=path.total,
            following=_address(following),
            ahead=following,
            before=None if before is None else _address(before),
            after=None if after is None else _address(after),
        )


def _shown(questions: QuestionSet, sheet: Sheet) -> list[Mapping[str, Any]]:
    """Return the questions of an image as the template wants them.

    Those that depend on another answer are there as well; the script shows and hides them.
    """
    return [
        {
            "id": question.id,
            "text": question.wording(sheet.attribute, sheet.factors.get("category")),
            "help": question.help,
            "answers": question.answers,
            "asked_if": question.asked_if,
            "given": sheet.answers.get(question.id, ""),
        }
        for question in questions.possible(sheet.factors)
    ]


def _address(code: str | None) -> str:
    return "/finished" if code is None else f"/rate/{code}"


def _gone() -> Response:
    return pages.page(
        "message.html", status=404, title="Not here", text="This image is not yours.", link="/"
    )


def _cleaned(text: str) -> str:
    """Return text without characters that no database column takes."""
    return "".join(c for c in text if c == "\n" or c.isprintable()).strip()


def _seconds(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
