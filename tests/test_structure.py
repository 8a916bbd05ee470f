"""The source keeps its shape: façades, kinds that nobody asks about, short signatures, own names.

`python docs/structure.py --json` lists every place that is counted here.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]

LIMITS = {
    "imports": 0,
    "isinstance": 0,
    "parameters": 0,
    "class_names": 0,
    "class_names_with_practice": 0,
}
"""How many there may be of each; none."""


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("structure", ROOT / "docs" / "structure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["structure"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


STRUCTURE = load()


@pytest.fixture(scope="module")
def places() -> dict[str, list[str]]:
    found: dict[str, list[str]] = STRUCTURE.structure(ROOT).places
    return found


@pytest.mark.parametrize("count", STRUCTURE.COUNTS)
def test_counts_stay_within_their_limits(count: str, places: dict[str, list[str]]) -> None:
    found = places[count]
    what = f"{len(found)} {STRUCTURE.COUNTS[count]}, at most {LIMITS[count]}"
    assert len(found) <= LIMITS[count], "\n".join([what, *found])


def checkout(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"src/portrayal/__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found_in(root: Path, files: dict[str, str], count: str) -> list[str]:
    found: list[str] = STRUCTURE.structure(checkout(root, files)).places[count]
    return found


HOUSE = {
    "src/portrayal/audit/__init__.py": "from portrayal.audit.repairing import repair\n",
    "src/portrayal/audit/repair.py": "def repair() -> None: ...\n",
    "src/portrayal/audit/wants.py": "class Wanted: ...\n",
    "src/portrayal/studies/__init__.py": "import lazy_loader\n",
    "src/portrayal/studies/__init__.pyi": "from . import wording as wording\n",
    "src/portrayal/studies/wording.py": "def fill() -> None: ...\n",
    "src/portrayal/studies/words.py": "def split() -> None: ...\n",
    "src/portrayal/kinds/__init__.py": "",
    "src/portrayal/kinds/protocol.py": "class Kind: ...\n",
    "src/portrayal/kinds/influence/__init__.py": "",
    "src/portrayal/kinds/influence/schema.py": "class InfluenceStudy: ...\n",
}


@pytest.mark.parametrize(
    ("line", "deep"),
    [
        ("from portrayal.audit.wants import Wanted", ["portrayal.audit.wants"]),
        ("import portrayal.audit.wants", ["portrayal.audit.wants"]),
        ("from portrayal.audit import wants, repair", ["portrayal.audit.wants"]),
        ("def f():\n    from ..audit.wants import Wanted", ["portrayal.audit.wants"]),
        ("from portrayal.kinds.protocol import Kind", ["portrayal.kinds.protocol"]),
        ("from portrayal.kinds.influence import schema", ["portrayal.kinds.influence.schema"]),
        ("from portrayal_practice.world import World", ["portrayal_practice.world"]),
        ("from portrayal.studies import wording, words", ["portrayal.studies.words"]),
        ("from portrayal.audit import repair", []),
        ("from portrayal import audit", []),
        ("import portrayal.audit", []),
        ("from portrayal.kinds.influence import InfluenceStudy", []),
        ("from portrayal.kinds import influence", []),
        ("from portrayal.runner.verbs import run", []),
        ("from numpy.random import Generator", []),
    ],
)
def test_imports_past_a_facade_are_found(tmp_path: Path, line: str, deep: list[str]) -> None:
    files = {**HOUSE, "src/portrayal/runner/work.py": line + "\n"}
    found = found_in(tmp_path, files, "imports")
    assert [place.partition(": ")[2] for place in found] == deep


def test_imports_from_the_practice_world_into_the_core_are_found(tmp_path: Path) -> None:
    text = "from portrayal.audit.wants import Wanted\nfrom portrayal_practice.world import World\n"
    practice = "practice/src/portrayal_practice/painter/canvas.py"
    assert found_in(tmp_path, {**HOUSE, practice: text}, "imports") == [
        f"{practice}:1: portrayal.audit.wants"
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("isinstance(x, InfluenceStudy)", 1),
        ("isinstance(x, (str, kinds.InfluenceStudy))", 1),
        ("isinstance(x, A | InfluenceStudy)", 1),
        ("issubclass(x, InfluenceStudy)", 1),
        ("match x:\n    case InfluenceStudy():\n        pass", 1),
        ("isinstance(x, Study)", 0),
        ("isinstance(x, StudyResult)", 0),
    ],
)
def test_questions_about_the_kind_of_a_study_are_found(
    tmp_path: Path, text: str, count: int
) -> None:
    files = {
        "src/portrayal/runner/work.py": text,
        "src/portrayal/kinds/influence/plan.py": text,
        "src/portrayal/study/reading.py": text,
    }
    assert len(found_in(tmp_path, files, "isinstance")) == count


def test_long_signatures_are_found(tmp_path: Path) -> None:
    text = (
        "class Canvas:\n"
        "    def seven(self, a, b, c, /, d, *args, e, f, g, **options): ...\n"
        "    async def eight(self, a, b, c, /, d, *, e, f, g, h): ...\n"
    )
    free = ("cli/verbs.py", "generators/hopper/gates.py", "generation/fast/gates.py")
    files = {f"src/portrayal/{name}": text for name in ("generators/work.py", *free)}
    assert found_in(tmp_path, files, "parameters") == [
        "src/portrayal/generators/work.py:3: eight has 8"
    ]


def test_shared_class_names_and_lines_are_counted(tmp_path: Path) -> None:
    files = {
        "src/portrayal/records.py": "class Work: ...\n",
        "src/portrayal/runner/work.py": "class Work: ...\nclass Person: ...\n",
        "practice/src/portrayal_practice/scene.py": "class Person: ...\n",
        "practice/src/portrayal_practice/calibration/truth.py": "\n\n",
    }
    found = STRUCTURE.structure(checkout(tmp_path, files))
    assert found.lines == {
        "(root modules)": 1, "runner": 2, "practice": 1, "calibration": 2, "core": 3,
    }  # fmt: skip
    both = "Work: src/portrayal/records.py:1, src/portrayal/runner/work.py:1"
    assert found.places["class_names"] == [both]
    assert len(found.places["class_names_with_practice"]) == 2


def test_the_table_has_a_column_per_checkout(tmp_path: Path) -> None:
    old = checkout(tmp_path / "old", {"src/portrayal/practice/scene.py": "\n"})
    new = checkout(tmp_path / "new", {"practice/src/portrayal_practice/scene.py": "\n\n"})
    rows = [line.split() for line in STRUCTURE.table([old, new]).splitlines()]
    assert rows[0][-2:] == [str(old), str(new)]
    assert ["practice", "1", "2"] in rows
    assert ["calibration", "-", "-"] in rows


def spoken(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that are no docstrings, with {} for what is filled in."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside: set[int] = set()
    for node in ast.walk(tree):  # an f-string comes before its pieces
        if isinstance(node, ast.JoinedStr):
            inside |= {id(one) for one in node.values}
            parts = [one.value if isinstance(one, ast.Constant) else "{}" for one in node.values]
            yield node.lineno, "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and id(node) not in inside | docstrings:
            yield node.lineno, str(node.value)


def test_messages_of_the_library_name_settings_and_not_options() -> None:
    """Python's users have no options: write `out` in backquotes, and the CLI makes --out of it."""
    found = []
    source = ROOT / "src" / "portrayal"
    for file in sorted(source.rglob("*.py")):
        name = file.relative_to(source)
        if name.parts[0] == "cli" or name.name == "__main__.py":
            continue
        for line, text in spoken(ast.parse(file.read_text(encoding="utf-8"))):
            option = re.search(r"(?<![\w-])--[a-z]", text)
            if option and not re.search(r"\b(portrayal \w+|pip install) ", text[: option.start()]):
                found.append(f"{name}:{line}: {text}")
    assert not found, "\n".join(found)


def test_a_folder_without_the_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no src/portrayal here"):
        STRUCTURE.structure(tmp_path)
