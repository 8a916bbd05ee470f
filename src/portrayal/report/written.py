"""Figures and tables beside the page: those of an earlier analysis go, other people's files stay.

A list beside them says which files are ours, with their contents and the results that they show. A
file that is not listed, or was changed since, is somebody's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, write_text

LIST = "written.json"


def remove_outdated(audit: AuditFolder, folder: Path, written: Sequence[Path] = ()) -> None:
    """Remove what was written from earlier results and not again; list what was written now.

    Args:
        audit: The audit, analyzed.
        folder: Of its figures or tables.
        written: Files in it that were just written.
    """
    before = _listed(folder)
    if not before["files"] and not written:
        return
    results = _digest(audit.results_file)
    kept = before["files"] if before["results"] == results else {}
    now = {path.name: _digest(path) for path in written}
    for name, digest in before["files"].items():
        path = folder / name
        if name not in kept and name not in now and path.exists() and _digest(path) == digest:
            path.unlink(missing_ok=True)
    files = {**kept, **now}
    if files != before["files"]:
        write_text(folder / LIST, json.dumps({"results": results, "files": files}, indent=1) + "\n")


def _listed(folder: Path) -> dict[str, Any]:
    """Return the list as it was written; of nothing where there is none that can be read."""
    nothing: dict[str, Any] = {"results": "", "files": {}}
    try:
        found = json.loads((folder / LIST).read_text(encoding="utf-8"))
        files = {str(name): str(digest) for name, digest in found["files"].items()}
        # A name with a folder in it is none that we wrote.
        own = {name: digest for name, digest in files.items() if Path(name).name == name}
        return {"results": str(found["results"]), "files": own}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return nothing


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
