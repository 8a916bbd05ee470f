"""The documents are true: links lead somewhere, examples load, commands exist."""

from __future__ import annotations

import doctest
import functools
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
import typer

from portrayal.cli import command_line
from portrayal.studies.reading import study_from_toml

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if not path.name.startswith(".")
]


class Block(NamedTuple):
    """A block of code in a page."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(r"^```(\w+)[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            line = text[: match.start()].count("\n") + 1
            if match[1] in languages:
                found.append(Block(page, line, match[1], match[2]))
    return found


def prose(page: Path) -> str:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors(page: Path) -> set[str]:
    """Return the names that GitHub gives to a page's headings."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)", prose(page)) + re.findall(
        r"\[`[^`]*`\]\(([^)\s]+)\)", text
    ):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} leads nowhere"
        assert file.is_relative_to(ROOT), f"{target} leads out of the repository"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target}: no such heading"


@pytest.mark.parametrize("block", blocks("python", "pycon"), ids=str)
def test_python_examples_compile_and_doctests_hold(block: Block) -> None:
    examples = doctest.DocTestParser().get_examples(block.text)
    if not examples:
        compile(block.text, str(block), "exec")
        return
    test = doctest.DocTest(examples, {}, str(block), str(block.page), block.line, block.text)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_toml_examples_load(block: Block) -> None:
    kind = tomllib.loads(block.text).get("kind")
    is_defined_there = f'Literal["{kind}"]' in block.page.read_text(encoding="utf-8")
    if kind is not None and not is_defined_there:  # test_architecture_page installs the page's own
        study_from_toml(block.text, source=str(block), name="example")


def lines() -> Iterator[tuple[str, str]]:
    for block in blocks("sh", "bash", "console", "shell"):
        for line in block.text.replace("\\\n", " ").splitlines():
            command = line.strip().removeprefix("$ ")
            if re.match(r"portrayal\b", command):
                yield str(block), command


@functools.cache
def top_command() -> Any:
    return typer.main.get_command(command_line())


@pytest.mark.parametrize(("where", "line"), list(lines()), ids=lambda value: str(value)[:60])
def test_commands_and_options_in_examples_exist(where: str, line: str) -> None:
    alone = re.split(r" [|>] ", line, maxsplit=1)[0]
    words = shlex.split(alone, comments=True)[1:]
    command = top_command()
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]
    if words and hasattr(command, "commands") and not words[0].startswith("-"):
        pytest.fail(f"{where}: there is no command {words[0]!r}")
    known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)} | {"--help"}
    given = [word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    assert set(given) <= known, f"{where}: unknown options {set(given) - known}"


def generator(name: str) -> ModuleType:
    """Return a script of `docs/`."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate


def test_the_page_of_commands_is_fresh() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == generator("generate_cli").page(), "docs/cli.md is stale; run: make docs"


def test_the_schema_of_results_is_fresh() -> None:
    written = (ROOT / "docs" / "results.schema.json").read_text(encoding="utf-8")
    fresh = generator("generate_results_schema").schema()
    assert written == fresh, "docs/results.schema.json is stale; run: make docs"


def test_the_picture_of_the_imports_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    written = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    fresh = generator("generate_architecture").page(written)
    assert written == fresh, "docs/architecture.md is stale; run: make docs"


def test_the_picture_leaves_out_what_follows_and_refuses_circles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    reduced = generator("generate_architecture").reduced
    graph = {"cli": {"runner", "audit"}, "runner": {"audit"}, "audit": set()}
    assert reduced(graph) == {"cli": {"runner"}, "runner": {"audit"}, "audit": set()}
    with pytest.raises(CycleError):
        reduced({"cli": {"runner"}, "runner": {"cli"}})


def test_the_site_builds_without_a_warning_and_has_every_page(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr.strip()) == (0, ""), done.stderr
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]
    lost = [str(page) for page in pages if f": {page.as_posix()}\n" not in config]
    assert lost == [], "pages that the navigation in mkdocs.yml does not list"
    for name in ("run", "plan", "explain", "load_results", "Audit"):
        assert f'id="portrayal.{name}"' in (tmp_path / "api.html").read_text(encoding="utf-8")


def test_the_package_of_the_page_is_the_one_that_tests_install() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```', page, re.MULTILINE | re.DOTALL))
    assert list(shown) == ["pyproject.toml", "portrayal_sketches/models.py"]
    for name, text in shown.items():
        assert text == (ROOT / "tests" / "plugin" / name).read_text(encoding="utf-8"), name
