"""Imports point one way: the syntax trees of all modules are walked and compared with the plan."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "portrayal"

BASE = {
    "errors", "numbers", "progress", "records", "pixels", "plugins", "statistics", "audit",
    "studies", "loading",
}  # fmt: skip
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "numbers": set(),
    "progress": set(),
    "records": {"errors"},
    "pixels": {"records"},
    "plugins": {"errors", "records"},
    "statistics": {"errors", "records"},
    "audit": {"errors", "records"},
    "loading": {"errors", "records", "plugins"},
    "studies": {"errors", "records", "plugins"},
    "importers": {"errors", "progress", "records", "pixels", "plugins", "audit"},
    "generators": {
        "errors", "progress", "records", "pixels", "plugins", "audit", "loading",
    },
    "measurers": {
        "errors", "progress", "records", "pixels", "plugins", "audit", "loading",
    },
    "language": {"errors", "records", "plugins", "studies", "loading"},
    "corpora": {*BASE, "language"},
    "web": {"errors", "pixels", "audit"},
    "raters": {*BASE, "web"},
    "findings": {*BASE, "measurers", "raters"},
    "kinds": {*BASE, "generators", "measurers", "language", "corpora", "raters", "findings"},
    "comparison": {*BASE, "measurers", "raters", "findings"},
    "decisions": {"errors", "numbers", "audit", "findings", "statistics", "studies"},
    "sharing": {"errors", "numbers", "records", "audit", "findings"},
    "papers": {"errors", "language", "studies"},
    "report": {*BASE, "generators", "findings", "kinds", "raters", "web", "comparison", "papers"},
    "runner": {
        *BASE, "generators", "measurers", "language", "corpora", "raters", "findings", "kinds",
        "report", "importers", "comparison", "papers", "decisions", "sharing",
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


def test_other_distributions_come_through_entry_points_alone() -> None:
    importing = [
        str(path.relative_to(SOURCE))
        for path in modules()
        if any(
            name.split(".")[0] == "portrayal_practice"
            for name in imported_names(ast.parse(path.read_text(encoding="utf-8")))
        )
    ]
    assert importing == []


def test_the_core_knows_the_practice_world_by_its_install_line_alone() -> None:
    """No default, no test for a name: what is left are words that say what to install."""
    said = [
        line.strip()
        for path in SOURCE.rglob("*")
        if path.suffix in (".py", ".toml", ".j2")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "practice" in line and "portrayal[practice]" not in line.replace("\\\\", "")
    ]
    assert said == []


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    if "hopper" in path.parts:  # imported when they are needed, never before
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in imported_names(ast.Module([node], []))
    }
    assert not top & HEAVY, f"{path.name} imports {sorted(top & HEAVY)} when it is imported"
