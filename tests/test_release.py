"""A release: the version of the changelog, in both distributions, published without a token."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
NEXT = "## [0.1.0] - 2026-12-01\n### Added\n- Everything.\n\n## [0.0.9] - 2026-01-01\n- Less.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that a release reads, in a repository of their own."""
    root = tmp_path / "checkout"
    for name in ("pyproject.toml", "practice/pyproject.toml", "CITATION.cff"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n- More.\n\n{NEXT}")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def release(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / ".ci" / "release.py", root], cwd=root, capture_output=True,
        text=True, check=False, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
    )  # fmt: skip


def test_the_newest_version_of_the_changelog_is_released_once(checkout: Path) -> None:
    done = release(checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "version=0.1.0\ntag=v0.1.0\n"
    assert (checkout / "notes.md").read_text() == "### Added\n- Everything.\n"
    git(checkout, "tag", "v0.1.0")
    assert release(checkout).stdout == "version=\n"


def test_nothing_is_released_while_all_is_unreleased(checkout: Path) -> None:
    shutil.copy(ROOT / "CHANGELOG.md", checkout)
    text = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    if re.search(r"^## \[\d", text, re.MULTILINE):
        pytest.skip("a version has been released")
    assert release(checkout).stdout == "version=\n"


@pytest.mark.parametrize("file", ["pyproject.toml", "practice/pyproject.toml", "CITATION.cff"])
def test_a_file_that_names_another_version_stops_it(checkout: Path, file: str) -> None:
    path = checkout / file
    path.write_text(path.read_text(encoding="utf-8").replace("0.1.0", "0.0.9", 1), encoding="utf-8")
    done = release(checkout)
    assert done.returncode == 1
    assert done.stderr == f"{file}: version is 0.0.9; CHANGELOG.md has 0.1.0\n"
    assert done.stdout == ""


def test_a_head_without_a_date_is_one_line(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("## [0.1.0]\n- Everything.\n")
    done = release(checkout)
    assert done.stderr == "CHANGELOG.md: '## [0.1.0]': wanted '## [1.2.3] - 2026-01-31'\n"


def test_both_wheels_are_published_by_identity_and_tagged_last() -> None:
    file = ROOT / ".github" / "workflows" / "release.yml"
    jobs: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    order = ["version", "test", "build", "publish", "tag"]
    assert list(jobs) == order
    for name, before in zip(order[1:], order, strict=False):
        assert before in jobs[name]["needs"], f"{name} comes after {before}"
    built = {step["run"] for step in jobs["build"]["steps"] if "python -m build" in str(step)}
    folders = {run.split("--outdir ")[1] for run in built}
    assert folders == {"dist/portrayal .", "dist/portrayal-practice practice"}
    published = [step["with"]["packages-dir"] for step in jobs["publish"]["steps"][1:]]
    assert published == ["dist/portrayal", "dist/portrayal-practice"]
    allowed = {name: job.get("permissions", {}) for name, job in jobs.items()}
    assert [name for name, one in allowed.items() if "id-token" in one] == ["publish"]
    assert [name for name, one in allowed.items() if one.get("contents") == "write"] == ["tag"]
    assert "secrets." not in file.read_text(encoding="utf-8")
