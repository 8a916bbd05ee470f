"""Images behind links, fetched under rules that a hostile answer cannot bend.

Only from the service's own host or from hosts that the user named; the name is resolved once and
that address is called; no private address unless it is the service itself; no redirect, no key, no
cookie, no proxy; size, time and type are limited.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

TYPES = ("image/png", "image/jpeg", "image/webp", "application/octet-stream", "binary/octet-stream")
_CHUNK = 65_536
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class LinkRefused(Exception):
    """A link that is not fetched, whatever is behind it; every further one would be alike."""


class LinkFailed(Exception):
    """A link that was fetched in vain; another try may end better."""


@dataclass(frozen=True, slots=True)
class LinkRules:
    """Which links are fetched.

    Attributes:
        base_url: The service.
        hosts: Further hosts that links may lead to.
        max_bytes: Of an image.
        timeout: Seconds for the whole of it.
    """

    base_url: str
    hosts: Sequence[str]
    max_bytes: int
    timeout: float

    def fetch(self, link: str) -> bytes:
        """Return the bytes behind a link.

        Raises:
            LinkRefused: The rules forbid it.
            LinkFailed: It could not be had.
        """
        parts = self._allowed(link)
        own, port = _place(urlsplit(self.base_url)), parts.port or _PORTS[parts.scheme]
        address = _resolved(parts, private=(parts.hostname, port) == own)
        deadline = time.monotonic() + self.timeout
        connection = _Pinned(parts, address, port, self.timeout)
        try:
            connection.request(
                "GET",
                (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
                headers={"Accept": ", ".join(TYPES[:3]), "User-Agent": "portrayal"},
            )
            return self._body(connection.getresponse(), deadline)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise LinkFailed(f"the link cannot be fetched: {type(error).__name__}") from error
        finally:
            connection.close()

    def _allowed(self, link: str) -> SplitResult:
        try:
            parts = urlsplit(link)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise LinkRefused("the link is no address") from error
        own = urlsplit(self.base_url)
        if parts.scheme not in _PORTS or not host or "@" in parts.netloc:
            raise LinkRefused("the link is neither http:// nor https://, or contains a user")
        if any(ord(letter) <= 32 or ord(letter) == 127 for letter in link):
            raise LinkRefused("the link contains a space or a control character")
        if host != own.hostname and host not in [one.lower() for one in self.hosts]:
            raise LinkRefused(
                f"the service answers with links to {host[:100]}; if that is its own store, allow "
                f"it with `link_host` {host[:100]}"
            )
        if parts.scheme == "http" and own.scheme == "https":
            raise LinkRefused("the link is without encryption, the service is not")
        return parts

    def _body(self, response: http.client.HTTPResponse, deadline: float) -> bytes:
        if 300 <= response.status < 400:
            raise LinkRefused(f"the link leads to another address (HTTP {response.status})")
        if response.status != 200:
            raise LinkFailed(f"the link cannot be fetched: HTTP {response.status}")
        kind = (response.headers.get_content_type() or "").lower()
        if kind not in TYPES:
            raise LinkRefused(f"behind the link is {kind[:60]!r}, not an image")
        found = bytearray()
        while chunk := response.read1(_CHUNK):
            found += chunk
            if len(found) > self.max_bytes:
                raise LinkRefused(f"the image is larger than {self.max_bytes / 2**20:g} MiB")
            if time.monotonic() > deadline:
                raise LinkFailed(f"no whole image within {self.timeout:g} s")
        return bytes(found)


def _place(parts: SplitResult) -> tuple[str | None, int]:
    return parts.hostname, parts.port or _PORTS.get(parts.scheme, 0)


def _resolved(parts: SplitResult, *, private: bool) -> str:
    """Return the one address that is called; every address of the name has to be allowed."""
    host = parts.hostname or ""
    try:
        found = socket.getaddrinfo(host, parts.port or 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise LinkFailed(f"the link's host {host[:100]} is not found") from error
    addresses = [str(one[4][0]) for one in found]
    inside = [one for one in addresses if not is_public(one)]
    if inside and not private:
        raise LinkRefused(f"the link's host {host[:100]} has the private address {inside[0]}")
    return addresses[0]


def is_public(address: str) -> bool:
    """Tell an address of the internet from private, local and reserved ones, also wrapped ones.

    >>> is_public("93.184.216.34"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    one = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(one, ipaddress.IPv6Address):
        wrapped = one.ipv4_mapped or one.sixtofour or (one.teredo or (None, None))[1]
        if one in _NAT64:
            wrapped = ipaddress.IPv4Address(int(one) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(str(wrapped))
    return one.is_global and not one.is_multicast


class _Pinned(http.client.HTTPConnection):
    """A connection to an address that was resolved before; the name is only told and checked."""

    def __init__(self, parts: SplitResult, address: str, port: int, timeout: float) -> None:
        super().__init__(parts.hostname or "", port, timeout=timeout)
        self._address = address
        self._encrypted = parts.scheme == "https"

    def connect(self) -> None:
        """Connect to the address, with encryption for the name where that is asked for."""
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._encrypted:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
