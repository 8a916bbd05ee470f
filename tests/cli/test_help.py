"""Help reads well, completion works, the version is said."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer

import portrayal as package
from command_line import CommandLine, in_a_process
from portrayal.cli import command_line


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group of the app, as the words that call it."""

    def walk(node: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        for name, child in getattr(node, "commands", {}).items():
            yield from walk(child, (*words, name))

    yield from walk(typer.main.get_command(command_line()), ())


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_says_what_it_is_for(portrayal: CommandLine, words: tuple[str, ...]) -> None:
    answer = portrayal(*words, "--help")
    assert answer.code == 0
    text = answer.out
    assert max(map(len, text.splitlines())) <= 80
    about = [line.strip() for line in text.splitlines() if line.strip()][1]
    assert about[0].isupper(), about
    assert "list[str]" not in text, "a Python type is no help"
    assert "<bool>" not in text, "a switch has no value"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_the_terminal(columns: int) -> None:
    answer = in_a_process("--help", env={"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)})
    assert max(map(len, answer.out.splitlines())) <= columns
    text = re.sub(r"\s+", " ", re.sub("[│╭╮╰╯─]", " ", answer.out))
    assert "portrayal run demo --out audits/demo" in text
    for verb in ("run", "plan", "generate", "measure", "analyze", "report"):
        assert re.search(rf"\b{verb} [A-Z]", text), verb


def test_options_are_not_cut_at_60_columns() -> None:
    answer = in_a_process("run", "--help", env={"COLUMNS": "60", "TERMINAL_WIDTH": "60"})
    for option in ("--out", "--model", "--measurer", "--images", "--negative-prompt", "--json"):
        assert option in answer.out
    assert "…" not in answer.out


def test_a_group_alone_shows_its_help(portrayal: CommandLine) -> None:
    for words in ((), ("import",), ("practice",)):
        answer = portrayal(*words)
        assert answer.code == 0
        assert "Usage: portrayal" in answer.out
        assert answer.err == ""


def test_version(portrayal: CommandLine) -> None:
    assert portrayal("--version").out == f"portrayal {package.__version__}\n"


def test_bash_completion_script() -> None:
    """The script that a shell sources, and what it gets when it asks with two letters."""
    script = in_a_process(
        "--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    )
    assert script.code == 0, script.err
    assert "_PORTRAYAL_COMPLETE=complete_bash" in script.out


def test_completion_answers() -> None:
    answer = in_a_process(
        env={
            "_PORTRAYAL_COMPLETE": "complete_bash", "COMP_WORDS": "portrayal me", "COMP_CWORD": "1"
        }
    )  # fmt: skip
    assert answer.out.split() == ["measure"]


def test_help_waits_for_no_heavy_package() -> None:
    """Counts modules, not seconds: what is not imported cannot be slow."""
    code = (
        "import sys, portrayal.cli; "
        "heavy = {'torch', 'numpy', 'scipy', 'pandas', 'pyarrow', 'duckdb', 'pydantic', 'altair'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_the_module_is_the_command() -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "portrayal", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("portrayal ")
