"""Image APIs and engines, as a user calls them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import ENCODER, CommandLine, in_a_process
from image_server import ImageServer, image_server
from portrayal.audit import AuditFolder

pytestmark = pytest.mark.usefixtures("practice_clip_for_all")

KEY = "sk-test-0123456789-do-not-write-me-down"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ImageServer]:
    monkeypatch.setenv("PORTRAYAL_API_KEY", KEY)
    with image_server(lambda number, body: "ok") as server:
        yield server


def test_an_api_is_audited_from_prompts_to_report(
    portrayal: CommandLine, server: ImageServer, work: Path, tmp_path: Path
) -> None:
    server.behave = lambda number, body: "policy" if "chef" in body["prompt"] else "ok"
    out = tmp_path / "audit"
    answer = portrayal(
        "run", work, "--out", out, "--model", "api:painting", "--base-url", server.address,
        "--size", "64", "--quality", "low", *ENCODER,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "9 images generated, 0 reused, 3 refused by the model" in answer.err
    assert (out / "report" / "index.html").exists()
    assert {body["size"] for body in server.calls} == {"64x64"}
    for file in out.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
    assert portrayal("bundle", out, "--out", tmp_path / "audit.zip").code == 0
    with zipfile.ZipFile(tmp_path / "audit.zip") as bundle:
        assert all(KEY.encode() not in bundle.read(name) for name in bundle.namelist())


def test_practice_parts_are_refused_before_a_service_is_paid(
    portrayal: CommandLine, server: ImageServer, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    model = ("--out", out, "--model", "api:m", "--base-url", server.address)
    assert "practice is valid for" in portrayal("run", work, *model).error
    words = portrayal("run", "demo-influence", *model, *ENCODER).error
    assert words == (
        "the masked language model practice is valid for images of the practice world only, not "
        "for those of m; name another, such as google-bert/bert-base-uncased"
    )
    assert not out.exists()
    assert server.calls == []


def test_a_ceiling_is_one_line_and_the_next_run_continues(
    portrayal: CommandLine, server: ImageServer, work: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit"
    words = ("generate", work, "--out", out, "--model", "api:m", "--base-url", server.address)
    stopped = portrayal(*words, "--price", "0.04", "--max-cost", "0.2", "--json")
    assert stopped.error == (
        "m: the ceiling is reached: 5 paid calls in this run (--max-cost 0.2 at 0.04 per image), "
        "about 0.20 spent; what was made is stored: raise the ceiling and run the same command "
        "again"
    )
    assert len(AuditFolder(out).images().fetchall()) == len(server.calls) == 5
    done = portrayal(*words, "--max-images", "7", "--json")
    assert json.loads(done.out) == {
        "made": 7, "refused": 0, "failed": 0, "present": 5, "truncated": 0, "lost": 0,
        "failed_before": 0, "refused_before": 0, "other_size": 0,
    }  # fmt: skip


def test_where_every_image_fails_the_run_says_why_and_fails(
    portrayal: CommandLine, server: ImageServer, work: Path, tmp_path: Path
) -> None:
    server.behave = lambda number, body: "bad request"
    out = tmp_path / "audit"
    words = ("--out", out, "--model", "api:m", "--base-url", server.address)
    for verb in ("run", "generate"):  # the second meets failures of the first
        answer = portrayal(verb, work, *words, *(ENCODER if verb == "run" else ()))
        assert answer.code == 1
        *_, line = answer.err.splitlines()
        assert "no image could be made, 12 failed, most with: HTTP 400 invalid_prompt" in line
        assert line.endswith("; fix it and run again with --retry-failed")
    assert not (out / "report").exists()
    server.behave = lambda number, body: "ok" if "chef" in body["prompt"] else "bad request"
    some = portrayal("generate", work, *words, "--retry-failed")
    assert some.code == 0
    assert "3 images generated, 0 reused, 9 failed (--retry-failed tries again)" in some.err
    assert "most failed with: " in some.err
    again = portrayal("generate", work, *words)
    assert "0 images generated, 3 reused, 9 failed before" in again.err
    server.behave = lambda number, body: "policy"
    refused = portrayal("generate", work, *words, "--retry-failed")
    assert "0 images generated, 3 reused, 9 refused by the model" in refused.err
    last = portrayal("generate", work, *words)
    assert "0 images generated, 3 reused, 9 refused before" in last.err


def test_refusals_and_images_of_another_size_are_counted_in_every_run(
    portrayal: CommandLine, server: ImageServer, work: Path, tmp_path: Path
) -> None:
    server.behave = lambda number, body: "policy" if "chef" in body["prompt"] else "ok"
    words = ("generate", work, "--out", tmp_path / "audit", "--model", "api:m", "--base-url",
             server.address, "--size", "16")  # fmt: skip
    why = "most refused for: content_policy_violation"
    assert portrayal(*words).err.splitlines()[-2:] == [
        "9 images generated, 0 reused, 3 refused by the model, 9 not of the size asked for", why
    ]  # fmt: skip
    again = portrayal(*words).err.splitlines()[-2:]
    assert again == [
        "0 images generated, 9 reused, 3 refused before, 9 not of the size asked for", why
    ]  # fmt: skip
    assert portrayal(*words, "--retry-failed").err.splitlines()[-2:] == again


def test_names_are_printed_as_they_are_written(
    portrayal: CommandLine, work: Path, tmp_path: Path
) -> None:
    answer = portrayal("generate", work, "--model", "api:m:smile:", "--out", tmp_path / "audit")
    assert "which service has api:m:smile:?" in answer.usage


def test_processes_share_a_study(portrayal: CommandLine, work: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    words = ("generate", work, "--out", out, "--model", "practice:painter", "--batch-size", "2")
    made = in_a_process(*words, "--devices", "cpu,cpu")
    assert made.code == 0, made.err
    assert "12 images generated" in made.err
    assert "0 images generated, 12 reused" in portrayal(*words).err, "an engine changes no identity"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--devices", "cpu,cpu", "--device", "cpu"), "--device is for one process"),
        (("--devices", ","), "--devices is ','; allowed: a list as cuda:0,cuda:1"),
        (("--devices", ""), "--devices is ''; allowed: a list as cuda:0,cuda:1"),
        (("--address", "auto"), "--address is for the ray engine; leave it out"),
        (("--engine", "ray", "--devices", "cpu"), "--devices is for the local engine"),
        (("--model", "api:m", "--devices", "cpu"), "api:m is called from here"),
        (("--model", "api:m"), "--base-url is missing: which service has api:m?"),
        (("--compile", "maybe"), "--compile is 'maybe'; allowed: auto, on, off"),
    ],
)
def test_options_that_do_not_fit_are_one_line(
    portrayal: CommandLine, work: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    answer = portrayal("generate", work, "--out", tmp_path / "audit", "--json", *options)
    assert message in answer.usage
    assert not (tmp_path / "audit").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "practice:painter", "--lora", "x"), "practice:painter knows no --lora"),
        (("--lora", "absent"), "no such folder, and not a Hub id"),
    ],
)
def test_what_a_model_does_not_take_is_one_line(
    portrayal: CommandLine, work: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    answer = portrayal("generate", work, "--out", tmp_path / "audit", "--json", *options)
    assert message in answer.error
    assert not (tmp_path / "audit").exists()
