"""Who may come in: those whose cookie has the token of a link that they opened."""

from __future__ import annotations

from http import HTTPStatus
from typing import NoReturn

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from portrayal.web.protection import PER_TOKEN, WRONG_TOKENS, Limiter, address
from portrayal.web.tokens import LONGEST, hashed

KEPT_S = 60 * 24 * 3600
"""A browser remembers its token this long; the link itself can be opened again at any time."""


class AccessCookies:
    """Lets people in by the token in their cookie.

    Args:
        cookie: The cookie's name.
        secure: Whether the cookie may only travel over HTTPS.
    """

    def __init__(self, cookie: str, *, secure: bool) -> None:
        self._cookie = cookie
        self._secure = secure
        self._tokens = Limiter(PER_TOKEN)
        self._wrong = Limiter(WRONG_TOKENS)

    def token(self, request: Request) -> str:
        """Return the token that a browser shows; "" for none."""
        return request.cookies.get(self._cookie, "")[:LONGEST]

    def admit(self, token: str) -> None:
        """Count a valid token's request; refuse those that come too fast."""
        if not self._tokens.allows(hashed(token)):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)

    def refuse(self, request: Request) -> NoReturn:
        """Give the one answer to a wrong token.

        Raises:
            HTTPException: Always.
        """
        if not self._wrong.allows(address(request.scope)):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)
        raise HTTPException(HTTPStatus.FORBIDDEN)

    def remember(self, response: Response, token: str) -> Response:
        """Let the browser show the token from now on."""
        response.set_cookie(
            self._cookie,
            token,
            max_age=KEPT_S,
            httponly=True,
            secure=self._secure,
            samesite="lax",  # not "strict": the first request comes from a mail or a chat
        )
        return response
