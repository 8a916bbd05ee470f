"""Serves an app from this machine until it is stopped."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from portrayal.errors import AuditError, SettingError
from portrayal.web.protection import LOOPBACK


@dataclass(frozen=True, slots=True)
class Listening:
    """An address that is ours, though nobody answers there yet; a context manager.

    Attributes:
        socket: Bound; whoever calls waits.
        base: What links begin with.
        hosts: The names that requests may use; None where the server is open to any.
        behind_proxy: Whether another server stands before it.
    """

    socket: socket.socket
    base: str
    hosts: tuple[str, ...] | None
    behind_proxy: bool

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach it."""
        return self.hosts != LOOPBACK

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *problem: object) -> None:
        self.socket.close()


def listen(host: str = "127.0.0.1", port: int = 8000, *, url: str | None = None) -> Listening:
    """Take an address, before links are made that nobody would see if it were taken.

    Args:
        host: Where to listen; only this machine can reach 127.0.0.1.
        port: Where to listen; 0: any free port.
        url: The address under which raters reach the server, where a proxy stands before it.

    Raises:
        AuditError: It cannot be used.
    """
    named = _base(url) if url else None
    bound = _bound(host, port)
    base = named or f"http://{_shown(host)}:{bound.getsockname()[1]}"
    return Listening(bound, base, _hosts(host, named), behind_proxy=url is not None)


def serve_app(app: ASGIApp, place: Listening, *, on_ready: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C or SIGTERM; then return.

    Args:
        app: What answers.
        place: Where, as `listen` took it.
        on_ready: Called before the first request is answered; those that come earlier wait.
    """
    import uvicorn

    from portrayal.web.guarded import GuardedProtocol

    config = uvicorn.Config(
        app,
        http=GuardedProtocol,
        log_level="warning",
        access_log=False,  # addresses hold tokens
        server_header=False,
        proxy_headers=place.behind_proxy,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
    )
    on_ready()
    with _ended_by_signals():
        uvicorn.Server(config).run(sockets=[place.socket])


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Go on behind the block when a signal ends it; the server passes on what it was sent."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol must be named: asyncio sends small packets at once only where it reads "TCP" on
    # the socket; without it every page waits 40 ms for an acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise AuditError(
            f"cannot listen on {host}, port {port}: {why}; choose another `host` or `port`"
        ) from error
    return listening


def _base(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
        raise SettingError("url", f"is {url!r}; allowed: http(s)://name, without a path")
    return f"{parts.scheme}://{parts.netloc}"


def _hosts(host: str, base: str | None) -> tuple[str, ...] | None:
    """Return the names that requests may use; None where the server is open to any."""
    if base is not None:
        return (*LOOPBACK, (urlsplit(base).hostname or "").lower())
    return LOOPBACK if host in ("127.0.0.1", "localhost", "::1") else None


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
