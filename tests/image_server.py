"""A real HTTP server with an image endpoint that misbehaves in every way that was thought of."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, quote_plus

import numpy as np
from PIL import Image

FREE = frozenset({"busy", "down", "overloaded", "policy", "moderation", "bad request", "no format",
                  "wrong key", "no model", "no money", "wordless", "moved"})  # fmt: skip
"""Ways to answer that nobody is billed for."""

ERRORS: dict[str, tuple[int, dict[str, Any]]] = {
    "busy": (429, {"code": "rate_limit_exceeded", "type": "requests"}),
    "down": (500, {"code": None, "type": "server_error"}),
    "overloaded": (503, {"code": None, "type": "server_error"}),
    "gateway": (504, {"code": None, "type": "timeout"}),
    "policy": (400, {"code": "content_policy_violation", "type": "invalid_request_error"}),
    "moderation": (400, {"code": "moderation_blocked", "type": "image_generation_user_error"}),
    "bad request": (400, {"code": "invalid_prompt", "type": "invalid_request_error"}),
    "no format": (400, {"code": "unknown_parameter", "param": "response_format"}),
    "wrong key": (401, {"code": "invalid_api_key", "type": "invalid_request_error"}),
    "no model": (404, {"code": "model_not_found", "type": "invalid_request_error"}),
    "no money": (429, {"code": "insufficient_quota", "type": "insufficient_quota"}),
}


def encoded_image(text: str, *, kind: str = "PNG", size: int = 8) -> str:
    seed = list(hashlib.sha256(text.encode()).digest()[:8])
    pixels = np.random.default_rng(seed).integers(0, 256, (size, size, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return base64.b64encode(buffer.getvalue()).decode()


class ImageServer(ThreadingHTTPServer):
    """Answers every call as `behave(number, body)` says; remembers all of them.

    Attributes:
        behave: Called with the number of the call (from 0) and its JSON body.
        calls: The JSON bodies, in the order they came.
        ways: How they were answered.
        most_at_once: The most calls that were under way at the same time.
        reply: Given the number and the body of a good call, what the answer's `data` holds; None:
            a random image.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, behave: Callable[[int, dict[str, Any]], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behave = behave
        self.calls: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.ways: Counter[str] = Counter()
        self.most_at_once = 0
        self.slow_s = 2.0
        self.reply: Callable[[int, dict[str, Any]], dict[str, Any]] | None = None
        self.held = threading.Event()
        self.at_once = 0
        self.turn = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def billed(self) -> int:
        """Calls that an owner of the service would put on the bill."""
        return sum(count for way, count in self.ways.items() if way not in FREE)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that hang up are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    server: ImageServer
    protocol_version = "HTTP/1.1"
    # An answer goes out as head and body; waiting for more to send would cost 40 ms a call.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/images/generations"
        server = self.server
        with server.turn:
            number = len(server.calls)
            server.calls.append(body)
            server.keys.add(self.headers.get("Authorization", ""))
            way = server.behave(number, body)
            server.ways[way] += 1
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            self._answer(way, number, body)
        finally:
            with server.turn:
                server.at_once -= 1

    def _answer(self, way: str, number: int, body: dict[str, Any]) -> None:
        text = f"{body['prompt']} {number}"
        if way in ("dripping error", "huge error"):
            self._endless(b" " if way == "dripping error" else b" " * 65536, status=500)
        elif way in ERRORS:
            status, error = ERRORS[way]
            # The worst thing that a server can do to a log: to quote the key.
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            said = f"{way}: you sent {key}, in an address {quote(key)} or {quote_plus(key)}"
            headers = {"Retry-After": "0.01"} if way == "busy" else {}
            self._send(json.dumps({"error": {**error, "message": said}}), status, headers)
        elif way == "wordless":
            self._send(json.dumps({"error": {"message": " \n"}}), 418, {"Connection": "close"})
        elif way == "goodbye":
            self._send(_good(encoded_image(text)), 200, {"Connection": "close"})
        elif way == "moved":
            self._send("", 308, {"Location": "/v2/images/generations"})
        elif way == "cut":
            self._hang_up()
        elif way == "torn":
            self._send('{"data": [{"b64_json": "iVBOR', 200, {"Content-Length": "5000"})
            self._hang_up()
        elif way == "held":
            self.server.held.wait(60)
            self._hang_up()
        elif way == "slow":
            time.sleep(self.server.slow_s)
            self._send(_good(encoded_image(text)))
        elif way in ("trickle", "huge"):
            self._endless(b" " if way == "trickle" else b" " * 65536)
        elif self.server.reply is not None:
            self._send(json.dumps({"created": 1, "data": [self.server.reply(number, body)]}))
        else:
            self._send(_WRONG[way](text) if way in _WRONG else _good(encoded_image(text)))

    def _send(self, text: str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = text.encode()
        kind = "text/html" if text.startswith("<") else "application/json"
        self.send_response(status)
        for name, value in {
            "Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})
        }.items():  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _endless(self, chunk: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.wfile.write(chunk)
            if len(chunk) == 1:
                time.sleep(0.02)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def _good(image: str) -> str:
    return json.dumps({"created": 1, "data": [{"b64_json": image, "url": None}]})


_WRONG: dict[str, Callable[[str], str]] = {
    "page": lambda text: "<html>Welcome to the proxy</html>",
    "empty": lambda text: json.dumps({"created": 1, "data": []}),
    "nothing": lambda text: json.dumps({"created": 1, "data": [{}]}),
    "null": lambda text: json.dumps({"data": [{"b64_json": None}]}),
    "list": lambda text: "[1, 2]",
    "nested": lambda text: "[" * 100_000,
    "link": lambda text: json.dumps({"data": [{"url": "http://127.0.0.1:1/image.png"}]}),
    "damaged": lambda text: _good(encoded_image(text)[:-7] + "*"),
    "shortened": lambda text: _good(encoded_image(text)[:80]),
    "gif": lambda text: _good(encoded_image(text, kind="GIF")),
    "text": lambda text: _good(base64.b64encode(text.encode()).decode()),
}


@contextlib.contextmanager
def image_server(behave: Callable[[int, dict[str, Any]], str]) -> Iterator[ImageServer]:
    """Run a server in a thread."""
    server = ImageServer(behave)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
