"""What protects every page: hosts, rates, sizes, and the headers of every reply.

A reply to a wrong or missing token is always the same, whatever was asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
MOST_FIELDS = 100
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; object-src 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": with it browsers send `Origin: null` and the origin check would fail.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float


PER_ADDRESS = Rate(3000, 1000)
"""Fifty raters may sit behind one address."""

PER_TOKEN = Rate(120, 20)
"""Nobody answers twenty questions per second for long; a script that does is slowed down."""

WRONG_TOKENS = Rate(20, 0.2)
"""For one address; it never keeps a rater with a valid link out."""


class Limiter:
    """Counts by name, forgetting at a steady rate.

    Args:
        rate: What is allowed.
        clock: Tells the time.
    """

    MOST_NAMES = 20_000

    def __init__(self, rate: Rate, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._used: dict[str, tuple[float, float]] = {}

    def allows(self, name: str) -> bool:
        """Count one more; return whether it is within the rate."""
        now = self._clock()
        used = self._level(name, now)
        if used + 1 > self._rate.burst:
            return False
        if len(self._used) >= self.MOST_NAMES:
            self._used = {one: at for one, at in self._used.items() if self._level(one, now) > 0}
        self._used[name] = (used + 1, now)
        return True

    def _level(self, name: str, now: float) -> float:
        used, at = self._used.get(name, (0.0, now))
        return max(0.0, used - (now - at) * self._rate.per_second)


class Protection:
    """Wraps the app.

    Args:
        app: What answers.
        hosts: Names under which the server may be asked for; None: any. A page elsewhere that
            lets its own name point here is refused.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] | None) -> None:
        self._app = app
        self._hosts = hosts
        self._addresses = Limiter(PER_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if self._hosts is not None and _name(headers.get("host", "")) not in self._hosts:
            return _reply(HTTPStatus.BAD_REQUEST)
        if not self._addresses.allows(address(scope)):
            return _reply(HTTPStatus.TOO_MANY_REQUESTS)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:12]) > LARGEST_BODY:
            return _reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return None


def address(scope: Scope) -> str:
    """Return the address that a request came from."""
    client = scope.get("client")
    return client[0] if client else ""


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form, refusing what is too large.

    Raises:
        HTTPException: Too large, or not a form.
    """
    if request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        fields = parse_qsl(
            body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY) from error
    return dict(fields)


def require_own_origin(request: Request) -> None:
    """Refuse a form that another site sent.

    Raises:
        HTTPException: The browser says that the form came from elsewhere.
    """
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise HTTPException(HTTPStatus.FORBIDDEN)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(HTTPStatus.FORBIDDEN)


def _name(host: str) -> str:
    """Return a Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()


def _reply(status: HTTPStatus) -> Response:
    return PlainTextResponse(status.phrase + "\n", status.value)
