"""Content of others: parts, level names and connections that try to break a reader."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.text import Text

from label_measurers import GENDER, ColourJudge, png, store_images
from portrayal.audit import AuditFolder, export_images, read_factors
from portrayal.audit.tables import IMAGES, images_table
from portrayal.cli import console
from portrayal.measurers import measure
from portrayal.records import Identity, ImageRecord
from portrayal.report.thumbnails import small_copy
from portrayal.runner.analysis import analyze
from portrayal.studies import study_from_dict

STUDY = study_from_dict(
    {"name": "jobs", "kind": "composition", "images": 6, "axes": [GENDER],
     "template": "a photo of {a job}", "factors": {"job": ["nurse", "chef"]}}
)  # fmt: skip


@pytest.fixture
def audit(tmp_path: Path) -> AuditFolder:
    found = AuditFolder.at(tmp_path / "audit", Identity("toy", "colours"))
    store_images(found, STUDY, lambda prompt, seed: ("woman", "man")[seed % 2])
    return found


def foreign(audit: AuditFolder, seed: int, **columns: Any) -> None:
    """Append a row that our own writers refuse to write."""
    record = ImageRecord("a photo of a nurse", seed, "ok", None, png("man", 400), 8, 8)
    table = images_table(audit.generator, [record])
    for name, value in columns.items():
        place = IMAGES.names.index(name)
        table = table.set_column(place, IMAGES.field(place), pa.array([value], pa.string()))
    audit._images.append(table)


def test_an_unknown_status_is_counted_not_raised(audit: AuditFolder) -> None:
    first = STUDY.prompts()[0].seeds[0]
    foreign(audit, first - 1, status="splendid")
    measure(audit, [ColourJudge()])
    dropped = analyze(audit).studies[0].dropped
    assert dropped == {"stored with a status that is unknown": 1}


@pytest.mark.parametrize("factors", ["{", "[1]", "7", "[" * 100_000, '{"a": [1]}', None])
def test_factors_that_are_none_do_not_stop_an_export(
    audit: AuditFolder, tmp_path: Path, factors: str | None
) -> None:
    foreign(audit, 5, factors=factors)
    assert export_images(audit, tmp_path / "out").images == 13
    assert read_factors(factors) in ({}, {"a": "[1]"})


def test_a_corrupt_image_is_a_grey_box_on_a_page() -> None:
    from PIL import Image

    whole = png("woman", 40)
    for data in (b"", b"no image", whole[: len(whole) // 2]):
        with Image.open(io.BytesIO(small_copy(data, 16))) as shown:
            assert shown.format == "WEBP"


def test_no_text_gives_a_terminal_commands() -> None:
    written = io.StringIO()
    terminal = console._PlainConsole(file=written, force_terminal=True, width=80)
    evil = "nurse\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\x7f"
    terminal.print(Text(evil, style="bold"))
    terminal.print(evil, markup=False, soft_wrap=True)
    said = written.getvalue()
    assert "\x1b[2J" not in said
    assert not set(said) & {"\x07", "\x9b", "\u202e", "\x7f"}
    assert "\x1b[1m" in said, "our own styles stay"
    assert console.printable(evil).startswith("nurse\ufffd[2J")


def test_analyze_says_how_many_images_nobody_measured(audit: AuditFolder) -> None:
    measure(audit, [ColourJudge()])
    foreign(audit, STUDY.prompts()[0].seeds[0] - 1)
    (section,) = analyze(audit).studies
    said = "1 image not measured yet; run: portrayal measure x --measurer faces"
    assert section.unmeasured("portrayal measure x --measurer faces") == [said]


# --- the server -----------------------------------------------------------------------------------


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    uvicorn = pytest.importorskip("uvicorn")
    from portrayal.web import guarded

    monkeypatch.setattr(guarded, "WHOLE_REQUEST_S", 0.4)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await receive()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(app, port=0, http=guarded.GuardedProtocol, log_level="critical")
    server = uvicorn.Server(config)
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()
    bound.close()


def _closed(one: socket.socket) -> bool:
    one.settimeout(5)
    try:
        while one.recv(1000):  # an answer to what was sent, perhaps
            continue
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


def test_half_open_connections_are_closed_and_others_served(port: int) -> None:
    begun = [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab",
    ]
    held = [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
    for place, one in enumerate(held):
        one.sendall(begun[place % 3])
    with socket.create_connection(("127.0.0.1", port)) as good:
        good.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert good.recv(100).startswith(b"HTTP/1.1 200")
    assert all(_closed(one) for one in held)
    for one in held:
        one.close()


def test_a_head_without_end_is_given_up(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as one, contextlib.suppress(OSError):
        one.sendall(b"GET / HTTP/1.1\r\n")
        sent = 0
        for _ in range(80):
            sent += one.send(b"X-Large: " + b"y" * 65_000 + b"\r\n")
        pytest.fail(f"{sent} bytes of headers were read")
