"""README and tutorial: every command and every snippet runs, in the order of the page.

Models of the Hub have tiny ones in their place, a study of 744,000 images a small one of its kind;
numbers of images and steps are small. Everything else is as it stands on the page.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from PIL import Image

import pipelines
from command_line import CommandLine, command
from language.masked_models import stating
from portrayal_practice.corpus import write_corpus
from portrayal_practice.weights import CLIP, part_folder

ROOT = Path(__file__).parents[1]
SERVERS = ("view", "annotate")
DECISIONS = (0, 3, 4)
"""How `check` may end; everything else has to end with 0."""
FEWER = {"--images": "2"}
MODEL = "stable-diffusion-v1-5/stable-diffusion-v1-5"
MORE: Mapping[str, Sequence[str]] = {
    MODEL: ("--steps", "1", "--truncate"),
    "explain": ("--texts", "2", "--images", "1", "--verify", "1"),
    "occupations": ("--images", "1"),
    "entigen": ("--images", "1"),
    **dict.fromkeys(SERVERS, ("--port", "0")),
}
"""What is added to a command that names this, so that it is fit for a test."""
PARADOX = """\
kind = "amplification"
images = 2
captions = 6
neighbours = 2
caption_prompts = 2
caption_images = 1
sentences = "practice"
names = "practice"
prompts = ["A photo of {a occupation}"]
occupations = ["teacher", "attorney"]
[axes."perceived gender".groups]
woman = ["A photo of a woman"]
man = ["A photo of a man"]
"""


class Walk:
    """Goes through a page: writes its files, runs its commands and snippets.

    Args:
        page: The page.
        stand_ins: What is in the place of names on the page.
        portrayal: Calls a command.
    """

    def __init__(self, page: str, stand_ins: Mapping[str, Path], portrayal: CommandLine) -> None:
        self._text = (ROOT / page).read_text(encoding="utf-8")
        self._stand_ins = stand_ins
        self._portrayal = portrayal
        self._names: dict[str, object] = {}
        self._said = ""
        self.done: list[str] = []

    def __call__(self) -> list[str]:
        """Walk to the end; return every command that ran."""
        blocks = re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```", self._text, re.MULTILINE | re.DOTALL)
        for language, head, text in (match.groups() for match in blocks):
            named = re.search(r'title="(.+?)"', head)
            if named and named[1] == "Output":
                said = " ".join(self._said.split())
                lost = [line for line in text.splitlines() if " ".join(line.split()) not in said]
                assert lost == [], self._said
            elif named:
                Path(named[1]).write_text(text, encoding="utf-8")
            elif language == "python":
                self._snippet(text)
            elif language == "sh":
                self._said = ""
                for line in text.replace("\\\n", " ").splitlines():
                    self._command(line)
            else:
                assert language in ("text", "toml"), f"nothing runs a block of {language}"
        return self.done

    def _snippet(self, text: str) -> None:
        text = text.replace('model="practice"', 'model="practice:painter"')
        text = text.replace('group="woman", out', 'group="woman", texts=2, images=1, out')
        exec(compile(text, "<snippet>", "exec"), self._names)

    def _command(self, line: str) -> None:
        program, *words = shlex.split(line, comments=True)
        runs: dict[str, Callable[[list[str]], None]] = {
            "portrayal": self._run, "pip": pip, "make": self._make,
        }  # fmt: skip
        runs[program](words)
        self.done.append(line)

    def _run(self, words: list[str]) -> None:
        verb = words[0]
        named = [*words[:2], *({MODEL} & {*words})] if verb != "plan" else []
        words += [more for name in named for more in MORE.get(name, ())]
        for i, word in enumerate(words):
            words[i] = FEWER.get(words[i - 1], str(self._stand_ins.get(word, word)))
        if verb in SERVERS:
            serve(words)
            return
        ended = self._portrayal(*words)
        self._said += ended.out
        assert ended.code in (DECISIONS if verb == "check" else (0,)), f"{words}\n{ended.err}"

    def _make(self, words: list[str]) -> None:
        """Run the commands of ours that a target runs; the others install."""
        shown = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)
        assert shown.returncode == 0, shown.stderr
        for line in re.findall(r"\bportrayal (.+)", shown.stdout) if words == ["demo"] else ():
            self._run(self._painted(shlex.split(line)))

    @staticmethod
    def _painted(words: list[str]) -> list[str]:
        fewer = {"20000": "400"}
        painter = ["--model", "practice:painter", "--images", "2"] if words[0] == "run" else []
        return [*(fewer.get(word, word) for word in words), *painter]


def pip(words: list[str]) -> None:
    """See that pip could install this from the checkout, and knows the extras."""
    verb, *what = (word for word in words if word != "-e")  # which needs one more package
    dry = ["--dry-run", "--no-deps", "--no-index", "--no-build-isolation", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", verb, *dry, *what],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def serve(words: list[str]) -> None:
    """Start a server, open its first link, stop it."""
    process = subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        links = (re.search(r"http://\S+", line) for line in process.stdout)
        link = next((found[0] for found in links if found), None)
        assert link is not None, process.communicate()[1]
        with urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
        ).open(link) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def prepared(
    sd1: Path, models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Path]:
    """What is in the place of names on the pages."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "paradox.toml").write_text(PARADOX, encoding="utf-8")
    write_corpus(folder / "corpus", 500, seed=8, part_size=250)
    words = ["a", "respected", "doctor", "at", "the", "hospital"]
    return {
        MODEL: sd1,
        "openai/clip-vit-large-patch14": part_folder(CLIP),
        "google-bert/bert-base-uncased": stating(
            folder / "bert", {"nurse": 0.5, "busy": 0.3, "school": 0.2}, words=words
        ),
        "tuned.safetensors": pipelines.build_lora(folder / "lora", sd1),
        "paradox": folder / "paradox.toml",
        "path/to/laion/": folder / "corpus",
    }


@pytest.fixture
def walk(
    prepared: Mapping[str, Path],
    practice_clip_for_all: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[str], list[str]]:
    """Walks through a page in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PORTRAYAL_HOME", str(tmp_path / "home"))
    for name in ("images/nurse", "images/chef", "photographs"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        for i in range(3):
            Image.new("RGB", (64, 64), (90 * i, 120, 200)).save(folder / f"{i}.png")
    rows = ["image,axis,label", *(f"{i}.png,perceived gender,woman" for i in range(3))]
    Path("labels.csv").write_text("\n".join(rows), encoding="utf-8")
    portrayal = CommandLine(monkeypatch, capsys)
    return lambda page: Walk(page, prepared, portrayal)()


def test_every_command_and_snippet_of_the_readme_runs(
    walk: Callable[[str], list[str]],
) -> None:
    import portrayal as pt

    # Two audits that a snippet compares.
    run = functools.partial(pt.run, "demo-occupations", model="practice:painter")
    run(images=1, out="audits/base")
    run(images=2, out="audits/tuned")
    done = walk("README.md")
    assert len(done) >= 14


def test_every_command_and_snippet_of_the_tutorial_runs(walk: Callable[[str], list[str]]) -> None:
    done = walk("docs/tutorial.md")
    assert len(done) >= 15
    assert Path("comparison.html").exists()
    assert Path("tuned.zip").exists()
    assert list(Path("audits/tuned/report/tables").glob("*.tex"))
