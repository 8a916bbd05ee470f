"""Whether an audit folder is what it says it is: hashes, keys, identities, references to images.

Reads everything and changes nothing. `repair` fixes what can be fixed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit import documents, manifest, parts
from portrayal.audit.compaction import part_folders
from portrayal.audit.header import Header
from portrayal.audit.index import RANKS
from portrayal.audit.keys import key_rule
from portrayal.audit.locations import location
from portrayal.audit.selections import TRAINING
from portrayal.errors import AuditError
from portrayal.records import Identity

_REFERRING = {"measurements": "key", "votes": "image"}
"""Folders whose rows are about images, and the column that names the image."""


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What a verification found.

    Attributes:
        place: The audit or bundle.
        problems: A line for everything that is not as it has to be.
        checked: What was checked and held, each in a few words.
        notes: What could not be checked, and why.
    """

    place: Path
    problems: Sequence[str]
    checked: Sequence[str]
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def holds(self) -> bool:
        """Whether everything is as it has to be."""
        return not self.problems

    def joined(self, other: VerificationResult) -> VerificationResult:
        """Return both results as one."""
        return VerificationResult(
            self.place,
            [*self.problems, *other.problems],
            [*self.checked, *other.checked],
            [*self.notes, *other.notes],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "place": str(self.place),
            "holds": self.holds,
            "problems": list(self.problems),
            "checked": list(self.checked),
            "notes": list(self.notes),
        }


def verify_folder(
    audit: str | os.PathLike[str], *, manifest_file: Path | None = None, own_manifest: bool = True
) -> VerificationResult:
    """Check hashes, keys, identities and references of an audit folder, and its manifest.

    Args:
        audit: The audit.
        manifest_file: A manifest that is kept elsewhere; None: the audit's own, where it has one.
        own_manifest: Whether to compare with the audit's own.

    Raises:
        NotAnAudit: There is no audit at that place.
        AuditError: The manifest cannot be read.
    """
    path = location(audit)
    found = _verified(path, Header.read(path).generator, "")
    if manifest_file is None and not own_manifest:
        return found
    return found.joined(_manifest(path, manifest_file))


def _verified(path: Path, generator: Identity, before: str) -> VerificationResult:
    problems: list[str] = []
    rows: dict[str, int] = {}
    images, broken_images = pa.array([], pa.string()), False
    for folder in part_folders(path):
        kind = folder.relative_to(path).parts[0]
        tables = []
        for part, problem in _parts(folder, generator):
            if problem is None:
                tables.append(_references(part, kind))
            else:
                problems.append(f"{part.relative_to(path)}: {problem}")
        keys = pa.chunked_array(tables or [images], pa.string())
        rows[kind] = rows.get(kind, 0) + len(keys)
        if kind == "images":
            images, broken_images = keys.combine_chunks(), bool(problems)
        elif kind in _REFERRING and not broken_images:
            problems += _without_image(folder.relative_to(path), keys, images)
    problems += _documents(path)
    counts = ", ".join(f"{n:,} rows of {kind}" for kind, n in rows.items())
    said = f"{before}{counts}: hashes, keys and references" if rows else f"{before}no parts"
    found = VerificationResult(path, [before + one for one in problems], [said])
    side = path / TRAINING
    if not Header.exists(side):
        return found
    return found.joined(_verified(side, Header.read(side).generator, f"{before}{TRAINING}/"))


def _parts(folder: Path, generator: Identity) -> Iterator[tuple[Path, str | None]]:
    """Yield every part with what is wrong with it."""
    rule = key_rule(folder, generator)
    for path in parts.part_paths(folder):
        problem = parts.damage(path)
        try:
            if problem is None and rule is not None:
                problem = rule.problem(path)
            if problem is None and folder.name == "images":
                problem = _statuses(path)
        except AuditError as error:
            problem = str(error)
        yield path, problem


def _statuses(path: Path) -> str | None:
    known = parts.read_part(path, ["status"])["status"].unique().to_pylist()
    wrong = [status for status in known if status not in RANKS]
    return f"status {wrong[0]!r} is unknown; allowed: {', '.join(RANKS)}" if wrong else None


def _references(path: Path, kind: str) -> pa.Array:
    column = _REFERRING.get(kind, "key")
    return parts.read_part(path, [column])[column].combine_chunks()


def _without_image(folder: Path, keys: pa.ChunkedArray, images: pa.Array) -> Iterator[str]:
    lost = pc.sum(pc.invert(pc.is_in(keys, value_set=images))).as_py() or 0
    if lost:
        yield f"{folder}: {lost:,} of {len(keys):,} rows are about images that are not here"


def _documents(audit: Path) -> Iterator[str]:
    """Yield what is wrong with identities and other small files."""
    for folder in part_folders(audit):
        if folder.parent.name in ("measurements", "texts"):
            try:
                documents.read_identity(folder / documents.IDENTITY)
            except AuditError as error:
                yield str(error)
    for kind in ("studies", "campaigns", "validations"):
        try:
            documents.read_documents(audit, kind)
        except AuditError as error:
            yield str(error)


def _manifest(path: Path, file: Path | None) -> VerificationResult:
    own = path / manifest.FILE
    if file is None and not own.exists():
        note = (
            "no manifest: a part that is gone as a whole cannot be noticed; write one with: "
            "portrayal verify AUDIT --write-manifest"
        )
        return VerificationResult(path, [], [], [note])
    listed = manifest.read_manifest(own if file is None else file)
    problems = manifest.manifest_problems(listed, manifest.file_hashes(path))
    return VerificationResult(path, problems, [f"{len(listed):,} files against the manifest"])
