"""Imports point one way: the syntax trees of all modules are walked and compared with the plan."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "portrayal"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "records": {"errors"},
    "pixels": set(),
    "statistics": {"errors", "records"},
    "study": {"errors", "records"},
    "audit": {"errors", "records"},
    "practice": {"errors", "records"},
    "models": {"errors", "records"},
    "generation": {"errors", "records", "pixels", "audit", "practice", "models"},
    "measurement": {"errors", "records", "pixels", "audit", "practice", "models"},
    "engine": {"errors", "records", "audit", "models", "generation", "measurement"},
    "language": {"errors", "records", "study", "practice", "models"},
    "corpus": {"errors", "records", "statistics", "study", "audit", "models", "language"},
    "imports": {"errors", "records", "audit"},
    "training_examples": {
        "errors", "records", "study", "audit", "corpus", "language", "measurement",
    },
    "analysis": {"errors", "records", "statistics", "study", "audit", "labels"},
    "calibration": {
        "errors", "records", "statistics", "study", "audit", "practice", "models",
        "generation", "measurement", "language", "analysis",
    },
    "report": {"errors", "records", "pixels", "statistics", "study", "audit", "analysis"},
    "labels": {"errors", "records", "statistics", "study", "audit"},
    "web": {
        "errors", "records", "pixels", "statistics", "study", "audit", "analysis", "labels",
        "report",
    },
    "workflow": {
        "errors", "records", "statistics", "study", "audit", "practice", "models",
        "engine", "generation", "measurement", "language", "training_examples", "analysis",
        "report",
    },
    "explanation": {
        "errors", "records", "statistics", "study", "audit", "generation", "measurement",
        "language", "analysis", "report",
    },
}  # fmt: skip
"""What each part may import; `cli` and the package's own `__init__` may import anything."""

FREE = {"cli", "__init__", "__main__"}
HEAVY = {"torch", "diffusers", "transformers", "altair", "vl_convert", "pandas", "open_clip"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_names(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the direction"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    part = part_of(path)
    if part in FREE:
        return
    assert part in ALLOWED, f"{part} is a new part: give it a place in ALLOWED"
    ours = {
        name.split(".")[1]
        for name in imported_names(ast.parse(path.read_text(encoding="utf-8")))
        if name.startswith("portrayal.")
    }
    forbidden = ours - ALLOWED[part] - {part, "__version__"}
    assert not forbidden, f"{path.name} imports {sorted(forbidden)}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    if {"training", "fast"} & set(path.parts):  # imported when they are needed, never before
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in imported_names(ast.Module([node], []))
    }
    assert not top & HEAVY, f"{path.name} imports {sorted(top & HEAVY)} when it is imported"
