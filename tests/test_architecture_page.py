"""What docs/architecture.md says to write works as it stands there.

The study kind of the page is added to a copy of the source, as a contributor would add it, and goes
through all verbs; its tests are the page's own. Generator and measurer of the page are run as well.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import portrayal as pt
from command_line import Answer, in_a_process
from portrayal.studies import study_from_toml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROTOCOLS, KIND = (
    PAGE.partition(f"## {heading}")[2].partition("\n## ")[0]
    for heading in ("The protocols", "Adding a study kind")
)
VERBS = {
    "new": ["studies", "new", "somebody", "--kind", "presence"],
    "plan": ["plan", "somebody.toml", "--images", "6", "--json"],
    "generate": [
        "generate", "somebody.toml", "--images", "6", "--model", "practice:painter",
        "--out", "audit", "--json",
    ],
    "measure": ["measure", "audit", "--json"],
    "analyze": ["analyze", "audit", "--json"],
    "report": ["report", "audit", "--json"],
    "tasks": ["export", "tasks", "audit", "--to", "tasks"],
}  # fmt: skip


def files_of_the_page() -> dict[str, str]:
    """Return the files that the page writes, by the path that is named above each."""
    found = re.findall(r"^([^\n]+)\n\n```\w+\n(.*?)```", KIND, flags=re.DOTALL | re.MULTILINE)
    path = re.compile(r"`((?:kinds/presence|tests/kinds)/\w+\.\w+|pyproject.toml)`")
    return {match[1]: text for above, text in found if (match := path.search(above))}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with the kind of the page, and it installed in `site`."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", copy / "src", ignore=leave)
    for name in ("invented.py", "kinds/conftest.py"):
        (copy / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / name, copy / "tests" / name)
    files = files_of_the_page()
    table, line = files.pop("pyproject.toml").strip().splitlines()
    project = (copy / "pyproject.toml").read_text(encoding="utf-8")
    assert table in project
    (copy / "pyproject.toml").write_text(project.replace(table, f"{table}\n{line}"))
    for name, text in {**files, "kinds/presence/__init__.py": '"""Presence."""\n'}.items():
        path = copy / name if name.startswith("tests/") else copy / "src" / "portrayal" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet",
            "--no-deps", "--no-index", "--no-build-isolation", "--target", copy / "site", copy,
        ],
        check=True, timeout=300,
    )  # fmt: skip
    return copy / "site"


@pytest.fixture(scope="module")
def environment(site: Path) -> dict[str, str]:
    paths = [str(site), str(site.parent / "tests"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture(scope="module")
def verbs(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    work = tmp_path_factory.mktemp("work")
    return {verb: in_a_process(*words, env=environment, cwd=work) for verb, words in VERBS.items()}


def test_the_page_names_the_files_it_says_it_takes() -> None:
    kind = "kinds/presence"
    assert list(files_of_the_page()) == [
        f"{kind}/schema.py", f"{kind}/analysis.py", f"{kind}/kind.py", f"{kind}/starter.toml",
        "pyproject.toml", "tests/kinds/test_presence.py",
    ]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_ends_well(verb: str, verbs: dict[str, Answer]) -> None:
    assert verbs[verb].code == 0, verbs[verb].err


def test_the_kind_answers_its_question(verbs: dict[str, Answer]) -> None:
    (plan,) = json.loads(verbs["plan"].out)["studies"]
    assert plan["images"] == json.loads(verbs["generate"].out)["made"] == 12
    nurse, chair = json.loads(verbs["analyze"].out)["findings"]
    assert (nurse["kind"], nurse["estimate"], nurse["n"]) == ("presence", 1.0, 6)
    assert (chair["estimate"], chair["n"]) == (0.0, 6)


def test_the_tests_of_the_page_pass(site: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/kinds"],
        cwd=site.parent, env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip
    assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_generator_and_measurer_of_the_page_make_an_audit(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PROTOCOLS, flags=re.DOTALL):
        exec(block, names)
    study = study_from_toml(
        'kind = "composition"\nimages = 3\ntemplate = "{thing}"\n[factors]\nthing = ["a", "b"]\n'
        "[axes.brightness]\nthreshold = 0.4\n"
        '[axes.brightness.groups]\nbright = ["a bright image"]\ndark = ["a dark image"]\n',
        source="brightness.toml",
        name="brightness",
    )
    audit = pt.run(study, model=names["Grey"](), measurers=names["Brightness"](), out=tmp_path)
    assert audit.labels.to_frame()["label"].tolist() == ["bright"] * 6
