"""Paraphrases: by rules, and by a chat endpoint that may misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from portrayal.errors import LanguageError
from portrayal.kinds.amplification.schema import Paraphrasing
from portrayal.language.paraphrase import (
    KEY,
    Caption,
    ChatParaphraser,
    RuleParaphraser,
    kept,
    names,
    open_paraphraser,
)
from portrayal_practice.corpus import corpus_items

SECRET = "sk-a-secret-that-must-not-show"

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]


class Endpoint:
    """A chat endpoint on this machine that answers as it is told."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                status, content = answer(body)
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def endpoint() -> Iterator[Callable[[Answer], Endpoint]]:
    opened: list[Endpoint] = []

    def start(answer: Answer) -> Endpoint:
        opened.append(Endpoint(answer))
        return opened[-1]

    yield start
    for one in opened:
        one.server.shutdown()
        one.server.server_close()


def said(text: str | None) -> tuple[int, dict[str, Any]]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return 200, {"id": "1", "object": "chat.completion", "created": 0, "model": "m",
                 "choices": [choice]}  # fmt: skip


@pytest.mark.parametrize(
    ("caption", "other"),
    [
        ("A photo of the face of a nurse", "A picture of the face of a nurse"),
        ("a picture of a nurse smiling", "A photo of a nurse with a smile"),
        ("Female engineer, Oslo | Pixelbarn", "Pixelbarn: Female engineer, Oslo"),
        ("Engineer at her work", "Engineer doing her work"),
        ("an engineer", "An image of an engineer"),
        ("Ana Costa, engineer", "Image: Ana Costa, engineer"),
        ("Ivan has been an engineer for 9 years", "Ivan has worked as an engineer for 9 years"),
    ],
)
def test_rules_put_captions_into_other_words(caption: str, other: str) -> None:
    assert RuleParaphraser().paraphrase([Caption(caption, "engineer")]) == [other]


def test_rules_change_every_caption_of_the_practice_world_and_keep_what_matters() -> None:
    words = ("she", "he", "her", "his", "woman", "man", "female", "male")
    rules = RuleParaphraser()
    items = [item for item in corpus_items(1500, seed=3) if item.topic.meaning.occupation]
    assert len(items) > 500
    for item in items:
        text = " ".join(item.caption.text.split())
        occupation = item.topic.meaning.occupation or ""
        (other,) = rules.paraphrase([Caption(text, occupation)])
        assert other != text
        assert names(other, occupation) == names(text, occupation), (text, other)
        for word in words:
            assert names(other, word) == names(text, word), (text, other)


def test_the_same_words_have_the_same_identity() -> None:
    assert RuleParaphraser().identity == RuleParaphraser().identity
    assert open_paraphraser(Paraphrasing()).identity.name == "rules"


def test_a_paraphrase_that_loses_the_occupation_is_dropped() -> None:
    class Careless:
        identity = RuleParaphraser().identity

        def paraphrase(self, captions: Any) -> list[str]:
            return ["a  medical\nworker", "Two NURSES at work", "", "nursery"]

    captions = [Caption("a nurse", "nurse")] * 4
    assert kept(Careless(), captions) == ["", "Two NURSES at work", "", ""]


def test_a_chat_model_is_asked_as_in_the_paper(
    endpoint: Callable[[Answer], Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, f"{SECRET}\r\n")

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        caption = body["messages"][0]["content"].rpartition("Phrase/Sentence: ")[2]
        return said(f'"{caption.upper()}"')

    server = endpoint(answer)
    chat = open_paraphraser(Paraphrasing(by="chat", model="small", url=server.url))
    captions = [Caption(f"a nurse, number {i}", "nurse") for i in range(40)]
    assert kept(chat, captions) == [f"A NURSE, NUMBER {i}" for i in range(40)]
    assert {body["temperature"] for body in server.asked} == {0}
    assert {body["model"] for body in server.asked} == {"small"}
    assert all(
        "You must include the word nurse." in b["messages"][0]["content"] for b in server.asked
    )
    assert set(server.keys) == {f"Bearer {SECRET}"}
    assert SECRET not in json.dumps(chat.identity.as_dict())


def test_a_key_that_no_request_can_carry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, f"{SECRET} {SECRET}")
    with pytest.raises(LanguageError, match=f"the key in the environment variable {KEY}") as caught:
        open_paraphraser(Paraphrasing(by="chat", model="small", url="http://127.0.0.1:1/v1"))
    assert SECRET not in str(caught.value)


def test_a_busy_endpoint_is_asked_again(
    endpoint: Callable[[Answer], Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    turns = iter([(429, {"error": {"message": "slow down"}}), said("a nurse again")])
    server = endpoint(lambda body: next(turns))
    chat = ChatParaphraser("small", url=server.url)
    assert chat.paraphrase([Caption("a nurse", "nurse")]) == ["a nurse again"]
    assert len(server.asked) == 2


def test_a_refusal_by_policy_and_an_empty_answer_are_no_paraphrase(
    endpoint: Callable[[Answer], Endpoint],
) -> None:
    turns = iter(
        [(400, {"error": {"message": "no", "code": "content_policy_violation"}}), said(None)]
    )
    chat = ChatParaphraser("small", url=endpoint(lambda body: next(turns)).url)
    for _ in range(2):
        assert chat.paraphrase([Caption("a nurse", "nurse")]) == [""]


def test_an_endpoint_that_refuses_is_one_line_without_the_key(
    endpoint: Callable[[Answer], Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    server = endpoint(lambda body: (401, {"error": {"message": f"bad key {SECRET}"}}))
    chat = ChatParaphraser("small", url=server.url)
    with pytest.raises(LanguageError, match="the endpoint answers 401") as error:
        chat.paraphrase([Caption("a nurse", "nurse")])
    assert SECRET not in str(error.value)
    assert "\n" not in str(error.value)


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(LanguageError, match="the environment has no OPENAI_API_KEY"):
        ChatParaphraser("small")


def test_paraphrases_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text('caption,paraphrase\n"a nurse, smiling","a smiling nurse"\n', encoding="utf-8")
    wanted = Paraphrasing(by="file", file=str(file))
    opened = open_paraphraser(wanted)
    captions = [Caption("a nurse, smiling", "nurse"), Caption("another nurse", "nurse")]
    assert kept(opened, captions) == ["a smiling nurse", ""]
    assert wanted.is_meant(opened.identity.as_dict())
    assert not Paraphrasing().is_meant(opened.identity.as_dict())
    file.write_text("text\nx\n", encoding="utf-8")
    with pytest.raises(LanguageError, match=r"mine\.csv: wanted: a CSV with the columns caption"):
        open_paraphraser(wanted)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"by": "file"}, "file is missing"),
        ({"instruction": "Say {caption}"}, "instruction is given, but by is 'rules'"),
        ({"by": "chat", "model": "m", "instruction": "Say it"}, "instruction has no {caption}"),
    ],
)
def test_settings_of_paraphrases_go_together(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Paraphrasing(**settings)
