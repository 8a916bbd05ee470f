"""Answers of a server, bounded in size and time whatever they are.

The client reads the body of an error in one go before it raises, and its timeout counts from byte
to byte: a server that drips, or never ends, would hold a thread for ever. So every body is read
through a stream that ends such answers.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

MAX_ERROR_BYTES = 2**20
"""Of an answer that says why there is no image."""


class TooLarge(Exception):
    """An answer is larger than any image."""


def bounding_hook(openai: Any, *, timeout: float, max_bytes: int) -> Callable[[Any], None]:
    """Return a hook for the client's responses that lets none grow or take too long.

    Args:
        openai: The client's module.
        timeout: Seconds from the head of an answer to its end.
        max_bytes: Of an answer that brings an image.
    """
    # The client has changed its HTTP library before: take the one that its own class comes from.
    client = next(kind for kind in openai.DefaultHttpxClient.__mro__ if kind.__name__ == "Client")
    http = importlib.import_module(client.__module__.partition(".")[0])

    class Bounded(http.SyncByteStream):  # type: ignore[misc, name-defined]
        """A body that raises when it is too large or takes too long."""

        def __init__(self, inner: Any, limit: int) -> None:
            self._inner, self._limit = inner, limit
            self._deadline = time.monotonic() + timeout

        def __iter__(self) -> Iterator[bytes]:
            total = 0
            for chunk in self._inner:
                total += len(chunk)
                if total > self._limit:
                    raise TooLarge(f"the answer is larger than {self._limit / 2**20:g} MiB")
                if time.monotonic() > self._deadline:
                    raise TimeoutError
                yield chunk

        def close(self) -> None:
            """Close the connection's stream."""
            self._inner.close()

    def hook(response: Any) -> None:
        limit = max_bytes if response.status_code < 400 else MAX_ERROR_BYTES
        response.stream = Bounded(response.stream, limit)

    return hook
