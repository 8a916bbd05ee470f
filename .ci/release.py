"""Says what is to be released: `python .ci/release.py [FOLDER]`, in the checkout.

The newest version of CHANGELOG.md (`## [0.2.0] - 2026-12-01`) is the one to release, if it has no
tag yet. Both distributions and CITATION.cff have to name the same version. Prints
`version=0.2.0` and `tag=v0.2.0` for the workflow, and writes the version's part of the changelog to
notes.md in FOLDER; prints `version=` where nothing is to be released.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

VERSION = r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?"


class Release(NamedTuple):
    """A version of the changelog, and what it says of it."""

    version: str
    notes: str


def newest(changelog: str) -> Release | None:
    """Return the newest version of a changelog; None where all of it is unreleased."""
    parts = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for part in parts:
        head, _, notes = part.partition("\n")
        if head.strip() == "[Unreleased]":
            continue
        found = re.fullmatch(rf"\[({VERSION})\] - \d{{4}}-\d\d-\d\d", head.strip())
        if found is None:
            sys.exit(f"CHANGELOG.md: '## {head}': wanted '## [1.2.3] - 2026-01-31'")
        return Release(found[1], notes.strip())
    return None


def named_versions(root: Path) -> dict[str, str]:
    """Return the version that each file names."""
    found = {
        file: str(tomllib.loads((root / file).read_text(encoding="utf-8"))["project"]["version"])
        for file in ("pyproject.toml", "practice/pyproject.toml")
    }
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.search(r"^version: (\S+)$", citation, re.MULTILINE)
    return {**found, "CITATION.cff": cited[1] if cited else "none"}


def is_tagged(root: Path, tag: str) -> bool:
    """Tell whether the checkout, or where it came from, has a tag."""
    for command in (["git", "tag", "--list", tag], ["git", "ls-remote", "--tags", "origin", tag]):
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if done.stdout.strip():
            return True
    return False


def main(root: Path, out: Path) -> None:
    """Print what is to be released, and write its notes."""
    release = newest((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if release is None or is_tagged(root, f"v{release.version}"):
        print("version=")
        return
    for file, version in named_versions(root).items():
        if version != release.version:
            sys.exit(f"{file}: version is {version}; CHANGELOG.md has {release.version}")
    (out / "notes.md").write_text(release.notes + "\n", encoding="utf-8")
    print(f"version={release.version}\ntag=v{release.version}")


if __name__ == "__main__":
    main(Path.cwd(), Path(sys.argv[1] if len(sys.argv) > 1 else "."))
