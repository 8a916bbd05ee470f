"""Connections that send no whole request in time, or a head without end, are closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

WHOLE_REQUEST_S = 30.0
"""Seconds from a connection, or the first byte of a request, until all of the request is here."""

LARGEST_HEAD = 64 * 2**10
"""Bytes of a request's first line and headers."""


class GuardedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with a limit on what an unfinished request may cost."""

    _patience: asyncio.TimerHandle | None = None
    _head = 0
    _in_head = True

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; give up a head that is too large."""
        self._head = self._head + len(data) if self._in_head else 0
        super().data_received(data)
        if self._in_head and self._head > LARGEST_HEAD:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a request."""
        super().on_message_begin()
        self._in_head = True
        self._wait()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head, self._head = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole; the answer may take as long as it takes."""
        self._end_waiting()
        self._in_head = True
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._end_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._end_waiting()
        self._patience = self.loop.call_later(WHOLE_REQUEST_S, self.transport.abort)

    def _end_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
