"""Every command ends with a code that scripts can rely on."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from command_line import CommandLine
from portrayal import runner
from portrayal.cli.exit_codes import ExitCode
from portrayal.generators.loop import MissingRequests

NOBODY = """
name = "nobody"
kind = "composition"
images = 1
axes = ["perceived gender"]
[[prompts]]
text = "a bowl of fruit"
[[prompts]]
text = "an empty street"
"""


def test_the_codes_are_those_that_are_documented() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0, "ERROR": 1, "USAGE": 2, "FAILED": 3, "NOT_ENOUGH_DATA": 4, "INTERRUPTED": 130,
    }  # fmt: skip


def test_done_is_0_also_where_data_are_too_few_to_say_anything(
    portrayal: CommandLine, tmp_path: Path
) -> None:
    """To compute and to write is what these commands are for; what to conclude is another's."""
    file = tmp_path / "nobody.toml"
    file.write_text(NOBODY)
    out = tmp_path / "audit"
    answer = portrayal("run", file, "--model", "practice:painter", "--out", out)
    assert answer.code == 0, answer.err
    assert portrayal("analyze", out).code == 0


def test_an_error_is_1_and_wrong_usage_is_2(portrayal: CommandLine, tmp_path: Path) -> None:
    assert portrayal("run", "no-such-study", "--out", tmp_path / "a").code == 1
    assert portrayal("analyze", tmp_path / "nowhere").code == 1
    for words in (
        ("run",),
        ("run", "demo", "--out", tmp_path / "a", "--images", "-3"),
        ("plan", "demo", "--rate", "0"),
        ("plan", "demo", "--colour"),
        ("analyze", tmp_path, "--unit", "person"),
        ("explain", "a doctor", "--engine", "cloud"),
        ("no-such-command",),
        ("studies", "show"),
        ("corpus", "find"),
    ):
        answer = portrayal(*words)
        assert answer.code == 2, (words, answer)
        assert len(answer.err.splitlines()) == 1


def test_an_interrupt_is_130(
    portrayal: CommandLine, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: MissingRequests, count: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MissingRequests, "take", stopped)
    answer = portrayal("run", work, "--model", "practice:painter", "--out", tmp_path / "a")
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == "stopped; the same command continues where it was"
    assert runner.Session(tmp_path / "a").remembered().keys() == {"work"}


def test_an_error_that_an_interrupt_causes_is_130(
    portrayal: CommandLine, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries raise errors of their own, which were tracebacks with code 1."""

    def stopped(self: MissingRequests, count: int) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr(MissingRequests, "take", stopped)
    answer = portrayal("run", work, "--model", "practice:painter", "--out", tmp_path / "a")
    assert answer.code == 130
    assert answer.err.splitlines()[-1] == "stopped; the same command continues where it was"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_without_an_interrupt_keeps_its_traceback(
    portrayal: CommandLine, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: MissingRequests, count: int) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(MissingRequests, "take", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        portrayal("run", work, "--model", "practice:painter", "--out", tmp_path / "a")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--images", "0"), "--images is 0; allowed: 1 or more"),
        (("-n", "1.5"), "--images is 1.5; allowed: a whole number"),
        (("--width", "10%"), "--width is 10%; allowed: a number"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_said(
    portrayal: CommandLine, words: tuple[str, str], line: str
) -> None:
    answer = portrayal("plan", "demo", *words)
    assert (answer.code, answer.err) == (2, f"error: {line} (see: portrayal plan --help)\n")
