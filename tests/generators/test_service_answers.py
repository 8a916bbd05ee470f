"""Shapes of answers and wordings of refusals, and what is stored for each; links under rules."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from image_server import encoded_image, image_server
from portrayal.audit import AuditFolder
from portrayal.errors import GenerationStopped, SettingError
from portrayal.generators import generate, open_generator
from portrayal.generators.api import ApiGenerator, Insistence
from portrayal.generators.links import LinkFailed, LinkRefused, LinkRules, is_public
from portrayal.generators.refusals import PHRASES, says_no
from portrayal.generators.service_answers import image_in
from portrayal.records import Request

PNG = encoded_image("a")
BROKEN_LINES = "\n".join(PNG[i : i + 76] for i in range(0, len(PNG), 76))
URL_SAFE = PNG.replace("+", "-").replace("/", "_").rstrip("=")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "PORTRAYAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def opened(address: str, **settings: Any) -> ApiGenerator:
    generator = open_generator("api:m", base_url=address, **settings)
    assert isinstance(generator, ApiGenerator)
    generator._insistence = Insistence(pause=0.002, longest=0.05)
    return generator


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"b64_json": PNG}]},
        {"data": [{"b64_json": BROKEN_LINES}]},
        {"data": [{"b64_json": f"data:image/png;base64,{PNG}"}]},
        {"data": [{"b64_json": URL_SAFE}]},
        {"data": [{"url": f"data:image/png;base64,{PNG}"}]},
        {"data": [{"b64_json": None, "url": f"data:image/png;base64,{PNG}"}]},
        {"data": [PNG]},
        {"images": [PNG]},
        {"images": [{"image_base64": PNG}]},
        {"images": [{"image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
        {"artifacts": [{"base64": PNG, "finishReason": "SUCCESS"}]},
        {"predictions": [{"bytesBase64Encoded": PNG}]},
        {"image": PNG},
    ],
    ids=lambda answer: json.dumps(answer)[:40],
)
def test_base_64_is_read_in_every_form(answer: dict[str, Any]) -> None:
    found = image_in(json.dumps(answer).encode())
    expected = image_in(json.dumps({"data": [{"b64_json": PNG}]}).encode()).image.image
    assert found.image.status == "ok", found.image.reason
    assert expected is not None
    assert found.image.image is not None
    assert found.image.image.tobytes() == expected.tobytes()


SAFETY = "Your request was rejected as a result of our safety system."


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"data": [], "error": {"code": "content_filter"}}, "content_filter"),
        ({"data": [{"finish_reason": "content_filter"}]}, "content_filter"),
        ({"artifacts": [{"finishReason": "CONTENT_FILTERED"}]}, "CONTENT_FILTERED"),
        ({"predictions": [{"raiFilteredReason": "x: safety"}]}, "x: safety"),
        (
            {"data": [{"content_filter_results": {"hate": {"filtered": True}}}]},
            "content_filter: hate",
        ),
        (
            {"data": [], "prompt_filter_results": [{"sexual": {"filtered": True}}]},
            "content_filter: sexual",
        ),
        ({"images": [], "has_nsfw_concepts": [True]}, "has_nsfw_concepts"),
        ({"data": [{"nsfw": True}]}, "nsfw"),
        ({"error": {"message": SAFETY}}, SAFETY),
        ({"choices": [{"message": {"refusal": "violates our policies"}}]}, "violates our policies"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_success_that_refuses_is_a_refusal(answer: dict[str, Any], reason: str) -> None:
    found = image_in(json.dumps(answer).encode())
    assert (found.image.status, found.image.reason, found.again) == ("refused", reason, False)


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_refuses_and_ordinary_trouble_does_not(phrase: str) -> None:
    assert says_no(f"Sorry: the image {phrase.upper()},\n try again")
    for trouble in ("Rate limit reached", "size must be 1024x1024", "The server had an error"):
        assert not says_no(trouble)


def test_words_refuse_under_http_400_once_and_unpaid(tmp_path: Path) -> None:
    from image_server import ERRORS

    told = {"code": None, "type": "invalid_request_error"}
    (tmp_path / "own.txt").write_text("# ours\nder Auftrag wurde abgelehnt\n", encoding="utf-8")
    for message, settings in (
        (SAFETY, {}),
        ("Der Auftrag wurde abgelehnt: no", {"refusals": str(tmp_path / "own.txt")}),
    ):
        with (
            image_server(lambda number, body: "says no") as server,
            pytest.MonkeyPatch.context() as p,
        ):
            p.setitem(ERRORS, "says no", (400, told))
            p.setattr("image_server._Handler._answer", lambda self, *_, m=message: self._send(
                json.dumps({"error": {**told, "message": m}}), 400))  # fmt: skip
            generator = opened(server.address, **settings)
            audit = AuditFolder.at(tmp_path / f"audit-{len(message)}", generator.identity)
            assert generate(audit, generator, [("a", 4)]).refused == 4
            assert len(server.calls) == 4
            assert generator._ceiling.paid == 0
            ((reason,),) = audit.images().select("reason").distinct().fetchall()
            assert reason == message


def test_a_file_of_phrases_that_is_missing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"refusals is .*no\.txt, which cannot be read"):
        open_generator("api:m", base_url="http://h", refusals=str(tmp_path / "no.txt"))


def test_what_the_service_says_about_an_answer_is_stored(tmp_path: Path) -> None:
    with image_server(lambda number, body: "ok") as server:
        server.reply = lambda number, body: {
            "b64_json": encoded_image(str(number)), "id": f"img_{number}", "finish_reason": "stop",
        }  # fmt: skip
        generator = opened(server.address)
        audit = AuditFolder.at(tmp_path / "audit", generator.identity)
        generate(audit, generator, [("a", 2)])
    stored = [json.loads(one) for (one,) in audit.images().select("response").fetchall()]
    assert sorted(one["id"] for one in stored) == ["img_0", "img_1"]
    assert {(one["created"], one["finish_reason"]) for one in stored} == {(1, "stop")}


# --- runs that cannot succeed ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("link", "the link's host 127.0.0.1 has the private address 127.0.0.1"),
        ("page", "the answer is not that of an image endpoint"),
        ("list", "the answer is not that of an image endpoint"),
        ("nested", "the answer is not that of an image endpoint"),
    ],
)
def test_a_systematic_answer_ends_the_run_after_one_call(
    tmp_path: Path, way: str, why: str
) -> None:
    with image_server(lambda number, body: way) as server:
        generator = opened(server.address, max_images=50)
        audit = AuditFolder.at(tmp_path / "audit", generator.identity)
        with pytest.raises(GenerationStopped, match="as the first one did") as caught:
            generate(audit, generator, [("a", 40)])
        assert str(caught.value).endswith(why)
        assert (len(server.calls), generator._ceiling.paid) == (1, 1)
    assert audit.images().fetchall() == []


def test_after_a_success_the_same_answer_is_only_a_failure(tmp_path: Path) -> None:
    with image_server(lambda number, body: "page" if number == 1 else "ok") as server:
        generator = opened(server.address, concurrency=1)
        audit = AuditFolder.at(tmp_path / "audit", generator.identity)
        assert generate(audit, generator, [("a", 4)]).made == 4


def test_a_ceiling_does_not_hide_why_nothing_was_made(tmp_path: Path) -> None:
    with image_server(lambda number, body: "gif") as server:
        generator = opened(server.address, max_images=5, concurrency=2)
        audit = AuditFolder.at(tmp_path / "audit", generator.identity)
        with pytest.raises(
            GenerationStopped, match=r"no call gave an image, the last one: .*not PNG"
        ):
            generate(audit, generator, [("a", 40)])
        assert len(server.calls) == 5


def test_official_variables_go_to_the_official_service_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from portrayal.loading import official_headers_hook

    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: team-secret")
    seen: list[str] = []
    with image_server(lambda number, body: "ok") as server, pytest.MonkeyPatch.context() as patch:
        from image_server import _Handler

        post = _Handler.do_POST
        patch.setattr(
            _Handler, "do_POST", lambda self: (seen.append(str(self.headers)), post(self))
        )
        opened(server.address).generate([Request("a", 0)])
    assert len(seen) == 1
    assert "secret" not in seen[0]
    request = type("R", (), {"headers": {"OpenAI-Organization": "org", "X-Team": "t"}})()
    official_headers_hook("https://api.openai.com/v1")(request)
    assert len(request.headers) == 2
    official_headers_hook("https://api.openai.com.evil.example/v1")(request)
    assert request.headers == {}


# --- links ----------------------------------------------------------------------------------------


class _Files(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        self.server.heads.append(dict(self.headers))  # type: ignore[attr-defined]
        image = base64.b64decode(PNG)
        kind, body, status = {
            "/ok.png": ("image/png", image, 200),
            "/page": ("text/html", b"<html>", 200),
            "/large": ("image/png", bytes(3000), 200),
            "/moved": ("image/png", b"", 302),
            "/gone": ("image/png", b"", 404),
        }[self.path.partition("?")[0]]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Location", "http://169.254.169.254/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def files() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Files)
    server.heads = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def rules(address: str, *hosts: str, max_bytes: int = 2000) -> LinkRules:
    return LinkRules(address, hosts, max_bytes, 5.0)


def test_an_image_behind_a_link_of_the_service_itself_is_fetched_without_the_key(
    files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTRAYAL_API_KEY", "sk-0123456789-secret")
    address = f"http://127.0.0.1:{files.server_address[1]}"
    assert rules(f"{address}/v1").fetch(f"{address}/ok.png?sig=1") == base64.b64decode(PNG)
    assert "Authorization" not in files.heads[0]


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("{own}/page", "behind the link is 'text/html', not an image"),
        ("{own}/large", "larger than"),
        ("{own}/moved", "leads to another address"),
        ("http://127.0.0.1:1/ok.png", "has the private address 127.0.0.1"),
        ("http://cdn.example/x.png", "links to cdn.example; if that is its own store, allow"),
        ("http://allowed.example/x.png", "private address 10.0.0.7"),
        ("http://mapped.example/x.png", "private address ::ffff:169.254.169.254"),
        ("file:///etc/passwd", "neither http"),
        ("http://me:pw@127.0.0.1/x", "contains a user"),
        ("http://127.0.0.1/x\r\nHost: y", "control character"),
        ("http://[::1/x", "no address"),
    ],
)
def test_links_that_are_not_fetched(
    files: Any, monkeypatch: pytest.MonkeyPatch, link: str, why: str
) -> None:
    real = socket.getaddrinfo
    names = {"allowed.example": "10.0.0.7", "mapped.example": "::ffff:169.254.169.254"}

    def resolve(host: str, *rest: Any, **more: Any) -> Any:
        if host in names:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (names[host], 80))]
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    own = f"http://127.0.0.1:{files.server_address[1]}"
    with pytest.raises(LinkRefused, match=why):
        rules(f"{own}/v1", "allowed.example", "mapped.example").fetch(link.format(own=own))


def test_a_name_is_resolved_once_and_that_address_is_called(
    files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that changes its address between the check and the call gains nothing."""
    port = files.server_address[1]
    asked: list[str] = []

    def resolve(host: str, *_: Any, **more: Any) -> Any:
        asked.append(host)
        one = "127.0.0.1" if len(asked) == 1 else "10.0.0.7"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))]

    called: list[Any] = []
    connect = socket.create_connection

    def connected(address: Any, *more: Any) -> Any:
        called.append(address)
        with contextlib.suppress(OSError):
            monkeypatch.undo()
        return connect(address, *more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr("portrayal.generators.links.is_public", lambda address: True)
    monkeypatch.setattr(socket, "create_connection", connected)
    rules("http://service.example/v1", "store.example").fetch(f"http://store.example:{port}/ok.png")
    assert asked == ["store.example"]
    assert called == [("127.0.0.1", port)]


def test_a_link_that_leads_nowhere_is_tried_again_and_is_a_failure(files: Any) -> None:
    own = f"http://127.0.0.1:{files.server_address[1]}"
    with pytest.raises(LinkFailed, match="HTTP 404"):
        rules(f"{own}/v1").fetch(f"{own}/gone")


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False),
        ("100.64.0.1", False), ("169.254.169.254", False), ("0.0.0.0", False), ("::1", False),
        ("fe80::1", False), ("fd00::1", False), ("64:ff9b::a00:1", False), ("2002:a00:1::", False),
        ("224.0.0.1", False),
    ],
)  # fmt: skip
def test_private_addresses_are_known_in_every_wrapping(address: str, public: bool) -> None:
    assert is_public(address) is public
