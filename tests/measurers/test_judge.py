"""A model that judges images, played by a local server that misbehaves."""

from __future__ import annotations

import contextlib
import io
import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from command_line import CommandLine
from label_measurers import ColourJudge
from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError, SettingError
from portrayal.loading import Ceiling
from portrayal.measurers import judge_service, measure
from portrayal.measurers.judge import ChatJudge, open_judge, read_answer
from portrayal.measurers.judge_service import JudgeService
from portrayal.records import Identity, ImageRecord
from portrayal.runner import Models, api
from portrayal.studies import study_from_dict

GENDER = "perceived gender"
KEY = "sk-judge-0123456789-never-write-me-down"
WAYS = (
    "good", "fenced", "prose", "wrong json", "refusal", "busy", "down", "hang", "page", "policy",
)  # fmt: skip
FREE = ("busy", "down", "policy")
STATUSES = {
    "busy": 429, "down": 503, "policy": 400, "no key": 401, "moved": 302, "no model": 404,
    "no images": 400, "closed for today": 429,
}  # fmt: skip
BODIES = {
    "page": "<html>proxy</html>", "empty": "", "list": "[1, 2, 3]", "no choice": '{"choices": []}',
    "null": '{"choices": [{"message": {"content": null}, "finish_reason": "length"}]}',
    "huge": json.dumps({"choices": [{"message": {"content": "x" * 2_000_000}}]}),
}  # fmt: skip


class JudgeServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behave: Callable[[int], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behave, self.calls, self.lock = behave, 0, threading.Lock()
        self.ways: Counter[str] = Counter()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that hang up are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    server: JudgeServer

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            number, self.server.calls = self.server.calls, self.server.calls + 1
            way = self.server.behave(number)
            self.server.ways[way] += 1
        status = STATUSES.get(way, 200)
        said = {
            "good": '{"answer": "woman"}',
            "fenced": '```json\n{"answer": "Woman"}\n```',
            "prose": f"The person looks like a woman. Your key is {KEY}.",
            "wrong json": '{"answer": ["woman"',
            "refusal": "I am sorry, I cannot help with that.",
        }.get(way, "")
        if way == "hang":
            time.sleep(0.8)
        if way == "half":
            said = '{"answer": "woman\x00\ud800"}'
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]})
        if way in BODIES:
            body = BODIES[way]
        if status != 200:
            body = json.dumps({"error": {"message": f"{way}\n{KEY}", "code": way}})
        if way == "cut":
            self.connection.close()
            return
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if way == "moved":
            self.send_header("Location", "http://elsewhere.example/v1/chat/completions")
        if way == "closed for today":
            self.send_header("Retry-After", "100000")
        self.end_headers()
        self.wfile.write(data)


@contextlib.contextmanager
def serving(behave: Callable[[int], str]) -> Iterator[JudgeServer]:
    server = JudgeServer(behave)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def judge(server: JudgeServer, calls: int | None = None, *, key: str = KEY) -> ChatJudge:
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    service = JudgeService("looker", address, key, timeout=0.4, pause=0.001)
    axes = {GENDER: ("woman", "man")}
    return ChatJudge(service, ceiling=Ceiling(images=calls), axes=axes)


def png(number: int) -> bytes:
    """Return an image of a colour of its own: copies of an image count once."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (number % 256, 255 - number % 256, 80 * (number % 3))).save(
        buffer, "PNG"
    )
    return buffer.getvalue()


def audit_of(tmp_path: Path, n: int) -> AuditFolder:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "files"))
    audit.append_images([ImageRecord("p", i, "ok", None, png(i)) for i in range(n)])
    return audit


def stored(audit: AuditFolder, one: ChatJudge) -> list[Any]:
    rows = audit.measurements(one.identity).to_arrow_table()
    return list(rows.to_pylist(maps_as_pydicts="strict"))


def test_500_answers_of_a_server_that_misbehaves(tmp_path: Path) -> None:
    """Nothing is lost, nothing is invented, and the ceiling is kept."""
    audit = audit_of(tmp_path, 160)
    with serving(lambda number: WAYS[number * 7 % len(WAYS)]) as server:
        one = judge(server, calls=500)
        with pytest.raises(MeasurementError, match=r"the ceiling is reached: .* paid calls"):
            measure(audit, [one])
        paid = sum(n for way, n in server.ways.items() if way not in FREE)
        assert paid <= 500
        assert server.calls >= 500
        assert len(stored(audit, one)) > 100
        while len(stored(audit, one)) < 160:
            measure(audit, [judge(server)])
    rows = stored(audit, one)
    assert len({row["key"] for row in rows}) == len(rows) == 160
    for row in rows:
        said = json.loads(row["transcript"])
        assert len(said) == 3
        right = sum(read_answer(line["answer"], ("woman", "man")) == "woman" for line in said)
        assert row["labels"][GENDER].get("woman", 0) == pytest.approx(right / 3)
        assert "man" not in row["labels"][GENDER]
        assert sum(row["labels"][GENDER].values()) == pytest.approx(1)
    words = json.dumps([row["transcript"] for row in rows])
    assert "I am sorry, I cannot help with that." in words
    assert KEY not in words


def test_a_key_that_is_not_accepted_ends_the_run_and_keeps_what_was_answered(
    tmp_path: Path,
) -> None:
    audit = audit_of(tmp_path, 4)
    with serving(lambda number: "good" if number < 6 else "no key") as server:
        one = judge(server)
        with pytest.raises(
            MeasurementError,
            match=r"/v1 does not accept the key \(HTTP 401\); set the environment variable PORTRAY",
        ):
            measure(audit, [one])
    assert len(stored(audit, one)) == 2


def test_a_key_of_one_letter_is_not_cut_out_of_answers(tmp_path: Path) -> None:
    """Servers on a desk take any key; "wom[key]n" would be no answer."""
    audit = audit_of(tmp_path, 1)
    with serving(lambda number: "good") as server:
        one = judge(server, key="a")
        measure(audit, [one])
    (row,) = stored(audit, one)
    assert row["labels"][GENDER] == {"woman": pytest.approx(1)}
    assert json.loads(row["transcript"])[0]["answer"] == '{"answer": "woman"}'


def test_an_image_without_any_answer_is_asked_again(tmp_path: Path) -> None:
    audit = audit_of(tmp_path, 2)
    with serving(lambda number: "down" if number < 30 else "good") as server:
        one = judge(server)
        first = measure(audit, [one])
        assert first.measured + sum(first.reasons.values()) == 2
        assert measure(audit, [one]).measured == 2 - first.measured
    assert len(stored(audit, one)) == 2


IN_A_ROW = {
    "page": "the answer is not that of a chat endpoint, it begins with '<html>proxy</html>'",
    "empty": "the answer is not that of a chat endpoint, it is empty",
    "list": r"the answer is not that of a chat endpoint, it begins with '\[1, 2, 3\]'",
    "no choice": "the answer is not that of a chat endpoint, it begins with",
    "null": r"the answer contains no text \(finish_reason: length\)",
    "huge": "the answer is larger than 1 MiB",
    "cut": "RemoteProtocolError: ",
    "hang": "no whole answer within 0.4 s",
    "down": r"HTTP 503 down: down \[key\]",
    "busy": r"HTTP 429 busy: busy \[key\]",
    "closed for today": r"HTTP 429 .*\(it asks to wait 100,000 s\)",
    "no images": "HTTP 400 no images: no images",
}
"""What a service sent, and what the run says of it."""


@pytest.mark.parametrize("way", IN_A_ROW)
def test_a_service_that_fails_for_several_images_in_a_row_ends_the_run(
    way: str, tmp_path: Path
) -> None:
    """It says what was sent and from where, keeps what was answered, and calls nothing measured."""
    audit = audit_of(tmp_path, 9)
    shown: list[tuple[int, int]] = []
    with serving(lambda number: "good" if number < 6 else way) as server:
        one = judge(server)
        with pytest.raises(MeasurementError) as error:
            measure(audit, [one], on_progress=lambda *count: shown.append(count))
        port = server.server_address[1]
    said = str(error.value)
    assert re.search(rf"^looker: no answer from http://127.0.0.1:{port}/v1: {IN_A_ROW[way]}", said)
    assert "5 images in a row; check the service" in said
    assert said.endswith("(2 of 9 images are measured and stored)")
    assert "\n" not in said
    assert KEY not in said
    assert len(stored(audit, one)) == 2
    assert shown[-1] == (2, 9)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("moved", r"callers to another address \(HTTP 302\): http://elsewhere.example/v1; name"),
        ("no model", r"/v1 will not answer: HTTP 404 no model: no model \[key\] \(0 of 2"),
    ],
)
def test_what_no_call_can_get_past_ends_the_run_at_once(
    way: str, said: str, tmp_path: Path
) -> None:
    with serving(lambda number: way) as server:
        with pytest.raises(MeasurementError, match=said):
            measure(audit_of(tmp_path, 2), [judge(server)])
        assert server.calls == 3, "one for each question"


def test_a_few_images_without_any_answer_end_the_run_too(tmp_path: Path) -> None:
    with (
        serving(lambda number: "page") as server,
        pytest.raises(
            MeasurementError, match="looker: no image has an answer: no answer from http"
        ),
    ):
        measure(audit_of(tmp_path, 2), [judge(server)])


def test_waiting_for_a_service_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda s: now.append(now.pop() + s))
    monkeypatch.setattr(judge_service, "time", clock)
    remarks: list[str] = []
    with serving(lambda number: "down" if number < 5 else "good") as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/v1"
        service = JudgeService("looker", address, None)
        one = ChatJudge(service, ceiling=Ceiling(), axes={GENDER: ("woman", "man")}, concurrency=1)
        one.on_remark = remarks.append
        measure(audit_of(tmp_path, 1), [one])
    assert [remark.partition(": HTTP")[0] for remark in remarks] == [
        f"looker: waiting for {address}"
    ] * 3
    assert remarks[-1].endswith("next try in 16 s")


def test_an_answer_that_utf8_cannot_hold_is_stored_and_counts_as_unknown(tmp_path: Path) -> None:
    """One such answer once lost all the others of its batch, which were paid for."""
    audit = audit_of(tmp_path, 4)
    with serving(lambda number: "half" if number == 7 else "good") as server:
        one = judge(server)
        assert measure(audit, [one]).measured == 4
    rows = stored(audit, one)
    assert sorted(row["labels"][GENDER]["woman"] for row in rows) == pytest.approx([2 / 3, 1, 1, 1])
    assert r"woman\u0000\\ud800" in "".join(row["transcript"] for row in rows)


def test_a_judge_that_only_writes_prose_is_not_paid_for_more(tmp_path: Path) -> None:
    audit = audit_of(tmp_path, 12)
    with serving(lambda number: "prose") as server:
        one = judge(server)
        with pytest.raises(MeasurementError, match="no answer about 5 images is one of") as error:
            measure(audit, [one])
        assert server.ways["prose"] == 15, "three wordings of five images"
    assert KEY not in str(error.value)
    assert "\n" not in str(error.value)
    rows = stored(audit, one)
    assert [row["labels"][GENDER]["unknown"] for row in rows] == [1.0] * 5, "stored word for word"
    with serving(lambda number: "good" if number == 2 else "prose") as server:
        assert measure(audit, [judge(server)]).measured == 12, "one answer shows that it can"


def test_an_address_at_which_nothing_answers_ends_the_run() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        service = JudgeService("looker", address, None, timeout=5, pause=0.001)
        unreached = ChatJudge(service, ceiling=Ceiling(images=500))
        with pytest.raises(MeasurementError, match=r"looker: nothing answers at http.*; check the"):
            unreached.measure([Image.new("RGB", (8, 8))] * 50)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"answer": "man"}', "man"),
        ("Man.", "man"),
        ('"nobody"', "nobody"),
        ('{"answer": "cannot tell"}', "unknown"),
        ('{"answer": "a man"}', "unknown"),
        ("It is a man or a woman", "unknown"),
        ('{"gender": "man"}', "unknown"),
        ("[1, 2]", "unknown"),
        ("[" * 100_000, "unknown"),
        (None, "unknown"),
    ],
)
def test_only_closed_answers_count(text: str | None, label: str) -> None:
    assert read_answer(text, ("woman", "man")) == label


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("judge:", "write judge:MODEL"),
        ("judge:m@ftp://host", "write judge:MODEL"),
        ("judge:m@http://me:pw@host/v1", "write judge:MODEL"),
        ("judge:m", "no key; set the environment variable OPENAI_API_KEY"),
    ],
)
def test_bad_names_are_one_line(name: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(MeasurementError, match=line):
        open_judge(name)


WHO: Mapping[str, Any] = {
    "kind": "composition", "name": "who", "title": "Who", "question": "Who is shown?",
    "images": 3, "axes": [GENDER], "prompts": [{"text": "p", "factors": {"of": "p"}}],
}  # fmt: skip


def test_measuring_goes_on_with_the_judge_that_the_audit_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What analyze advises is the whole command; the report says how many images lack a label."""
    out = audit_of(tmp_path, 3).path
    portrayal = CommandLine(monkeypatch, capsys)
    with serving(lambda number: "good" if number < 12 else "no model") as server:
        name = f"judge:looker@http://127.0.0.1:{server.server_address[1]}/v1"
        with pytest.raises(MeasurementError, match=r"\(2 of 3 images are measured and stored\)"):
            api.run(study_from_dict(WHO, source="who"), out=out, measurers=name)
        advice = f"1 image not measured yet; run: portrayal measure {out} --measurer {name}"
        assert advice in portrayal("analyze", str(out)).err
        portrayal("report", str(out))
        page = (out / "report" / "index.html").read_text(encoding="utf-8")
        assert "1 of 3 (33%) in “Who”, 1 of them not measured; not counted" in page
        assert page.count("<small>no label</small>") == 1
        server.behave = lambda number: "good"
        answer = portrayal("measure", str(out))
        assert (answer.code, answer.err.splitlines()[-1]) == (
            0, "1 images measured, 2 measured before",
        )  # fmt: skip


def test_labels_that_no_name_opens_need_a_measurer_to_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    audit = audit_of(tmp_path, 3)
    audit.remember_study("who", study_from_dict(WHO, source="who").as_dict())
    measure(audit, [ColourJudge()])
    answer = CommandLine(monkeypatch, capsys)("measure", str(audit.path))
    assert answer.code == 1
    said = "which no name opens; name one with --measurer: portrayal measure"
    assert f"{said} {audit.path} --measurer MEASURER" in answer.err


def test_ceilings_are_options_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six calls per image: 12 calls are two images, and the next run goes on."""
    out = audit_of(tmp_path, 3).path
    study = study_from_dict(WHO, source="who")
    with serving(lambda number: "good") as server:
        name = f"judge:looker@http://127.0.0.1:{server.server_address[1]}/v1"
        with pytest.raises(MeasurementError, match=r"12 paid calls in this run \(`max_calls` 12\)"):
            api.run(study, out=out, measurers=name, max_calls=12)
        assert server.calls == 12
        run = ["run", "who", "--out", str(out), "-e", name, "--max-call-cost", "0.06"]
        portrayal = CommandLine(monkeypatch, capsys)
        assert portrayal(*run).usage.startswith("--max-call-cost needs --call-price")
        assert portrayal(*run, "--call-price", "0.01").code == 0
        assert server.calls == 18
    with pytest.raises(SettingError, match="max_calls is for a measurer behind a paid service"):
        Models(measurers="faces", calls={"max_calls": 2})
