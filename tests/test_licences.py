"""docs/licences.md has every dependency, and the core needs permissive packages only."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
OURS = {"portrayal", "portrayal-practice"}

LEAVING_THE_CORE: set[str] = set()
"""Still in the core's dependencies, listed on the page where they belong: in `dev`."""

GPL = re.compile(r"GPL|General Public", re.IGNORECASE)
COPYLEFT = re.compile(rf"{GPL.pattern}|\bMPL|Mozilla|\b(EPL|EUPL|CDDL|OSL)\b", re.IGNORECASE)
PERMISSIVE = re.compile(
    r"\b(0BSD|BSD|MIT|ISC|Apache|PSF|Python Software Foundation|Unlicense|Zlib)\b", re.IGNORECASE
)


def requirements() -> dict[str, list[Requirement]]:
    """Return what the core, each extra and the practice world's distribution ask for."""
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    practice = tomllib.loads((ROOT / "practice" / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {
        "core": core["dependencies"],
        **core["optional-dependencies"],
        practice["name"]: practice["dependencies"],
    }
    asked.update(practice.get("optional-dependencies", {}))
    groups = {group: [Requirement(line) for line in lines] for group, lines in asked.items()}
    leaving = [one for one in groups["core"] if one.name in LEAVING_THE_CORE]
    groups["core"] = [one for one in groups["core"] if one.name not in LEAVING_THE_CORE]
    groups["dev"] += leaving
    return groups


def declared(name: str) -> str | None:
    """Return the licence that an installed package states, None where it is not installed.

    Full texts are left out: they quote the licences of libraries in the wheel.
    """
    try:
        found = metadata.metadata(name).json
    except metadata.PackageNotFoundError:
        return None
    classifiers = [one for one in found.get("classifier", ()) if one.startswith("License")]
    first = str(found.get("license", "")).strip().partition("\n")[0]
    expression = str(found.get("license_expression", ""))
    return " | ".join(filter(None, [expression, first, *classifiers]))


def needed(asked: Iterable[Requirement]) -> set[str]:
    """Return the packages that requirements lead to, as far as they are installed.

    Our own distributions are not followed: their requirements are groups themselves.
    """
    waiting = [(one, frozenset({""})) for one in asked]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one, extras = waiting.pop()
        if one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        key = (canonicalize_name(one.name), frozenset({"", *one.extras}))
        if key in seen or key[0] in OURS or declared(one.name) is None:
            continue
        seen.add(key)
        lines = metadata.requires(one.name) or ()
        waiting += [(Requirement(line), key[1]) for line in lines]
    return {name for name, _ in seen}


def cells(heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading of the page."""
    section = PAGE.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


GROUPS = requirements()
ROWS = {row[0]: row for row in cells("All dependencies")}


def test_the_page_has_a_row_for_every_dependency() -> None:
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for group, wanted in GROUPS.items():
        for one in wanted:
            asked[canonicalize_name(one.name)].add(group)
    assert {name: set(row[1].split(", ")) for name, row in ROWS.items()} == asked


@pytest.mark.parametrize("name", ROWS)
def test_rows_and_installed_packages_agree_about_copyleft(name: str) -> None:
    stated = declared(name)
    if stated is None:
        pytest.skip(f"{name} is not installed")
    for family in (GPL, COPYLEFT):
        assert bool(family.search(ROWS[name][2])) == bool(family.search(stated)), stated


def test_the_core_needs_permissive_packages_only() -> None:
    names = needed(GROUPS["core"])
    assert {canonicalize_name(one.name) for one in GROUPS["core"]} <= names, "not installed"
    stated = {name: declared(name) or "" for name in names}
    assert not {name: text for name, text in stated.items() if COPYLEFT.search(text)}
    assert not {name: text for name, text in stated.items() if not PERMISSIVE.search(text)}


@pytest.mark.parametrize("group", GROUPS)
def test_packages_under_the_gpl_are_listed_with_their_extra(group: str) -> None:
    listed = {
        package
        for groups, packages, *_ in cells("Copyleft, by extra")
        if group in groups.split(", ")
        for package in packages.split(", ")
    }
    found = {name for name in needed(GROUPS[group]) if GPL.search(declared(name) or "")}
    assert found <= listed


def test_packages_that_have_left_the_core_need_no_exception() -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    left = LEAVING_THE_CORE - {Requirement(line).name for line in core}
    assert not left, f"remove {sorted(left)} from LEAVING_THE_CORE"
