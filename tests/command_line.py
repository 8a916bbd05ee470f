"""The CLI as a user has it: called in this process, or in one of its own."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from portrayal.cli import main
from portrayal_practice.weights import CLIP, part_folder

WORK = """\
name = "work"
kind = "composition"
title = "At work"
question = "Who is shown at work?"
images = 3
axes = ["perceived gender"]
template = "a photo of {a occupation}"
[factors]
occupation = ["nurse", "engineer", "chef", "mechanic"]
"""
"""Four prompts, three images of each."""

VALENCE = """\
name = "valence"
kind = "association"
title = "Two flowers, two insects"
question = "Are flowers drawn closer to pleasant?"
images = 2
template = "a photo of {a stimulus}"
[concepts]
flowers = ["poppy", "iris"]
insects = ["ant", "spider"]
[attributes]
pleasant = ["love", "peace"]
unpleasant = ["death", "poison"]
"""


ENCODER = ("--encoder", str(part_folder(CLIP)))
"""An encoder that was chosen, valid for all images; it sees as the practice encoder does."""


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of an error of ours."""
        return self._line(1)

    @property
    def usage(self) -> str:
        """The one line about options or commands that cannot be."""
        return self._line(2)

    def _line(self, code: int) -> str:
        lines = self.err.splitlines()
        assert self.code == code, self
        assert self.out == "", self.out
        assert len(lines) == 1, self.err
        assert lines[0].startswith("error: ")
        return lines[0].removeprefix("error: ")


class CommandLine:
    """Calls `portrayal` in this process."""

    def __init__(self, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capture = capture

    def __call__(self, *words: str | Path) -> Answer:
        self._capture.readouterr()
        self._patch.setattr(sys, "argv", ["portrayal", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        said = self._capture.readouterr()
        return Answer(int(end.value.code or 0), said.out, said.err)


def command(*words: str | Path) -> list[str]:
    """Return the words that start `portrayal` in a process of its own."""
    start = "from portrayal.cli import main; main()"
    return [sys.executable, "-c", start, *map(str, words)]


def in_a_process(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    **how: Any,
) -> Answer:
    """Call `portrayal` in a process of its own."""
    done = subprocess.run(
        [*before, *command(*words)], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})}, **how,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


def fingerprint(folder: Path) -> dict[str, str]:
    """Return the hash of every file of a folder, locks left out."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }
