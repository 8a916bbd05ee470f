"""Runs the rating page until it is stopped."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from portrayal.audit import AuditFolder
from portrayal.errors import AuditError, SettingError
from portrayal.raters.site.app import SiteSettings, create_app
from portrayal.raters.site.database import Database, open_database
from portrayal.raters.site.protection import LOOPBACK
from portrayal.raters.site.tokens import new_token


@dataclass(frozen=True, slots=True)
class Site:
    """A server that listens.

    Attributes:
        base: What raters' links begin with.
        admin_link: Opens the admin page of this server; another one at every start.
        public: Whether other machines can reach it.
    """

    base: str
    admin_link: str
    public: bool

    def rater_link(self, token: str) -> str:
        """Return the personal link for a token."""
        return f"{self.base}/enter/{token}"


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


def serve(
    audit: str | Path,
    *,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str | None = None,
    at: Listening | None = None,
    on_ready: Callable[[Site], None] | None = None,
) -> None:
    """Serve the rating page of a prepared audit until Ctrl-C or SIGTERM; then return.

    Args:
        audit: The audit folder.
        database: A PostgreSQL URL; None: SQLite in the audit folder.
        host: See `listen`.
        port: See `listen`.
        url: See `listen`.
        at: What `listen` returned, in place of the three; closed at the end.
        on_ready: Called with the links when the server listens.

    Raises:
        AuditError: Nothing was prepared, or the address cannot be used.
    """
    with at or listen(host, port, url=url) as place:
        opened = AuditFolder(audit)
        _serve(opened, open_database(opened.path, database), place, on_ready)


def _serve(
    audit: AuditFolder,
    stored: Database,
    place: Listening,
    on_ready: Callable[[Site], None] | None,
) -> None:
    import uvicorn

    base = place.base
    try:
        token = new_token()
        settings = SiteSettings(base, place.hosts, secure=base.startswith("https:"))
        app = create_app(audit, stored, admin_token=token, settings=settings)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses hold tokens
            server_header=False,
            proxy_headers=place.behind_proxy,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=10,
        )
        if on_ready is not None:
            on_ready(Site(base, f"{base}/admin/enter/{token}", public=place.hosts != LOOPBACK))
        with _ended_by_signals():
            uvicorn.Server(config).run(sockets=[place.socket])
    finally:
        stored.close()


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
