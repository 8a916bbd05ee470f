"""A list of all files of an audit or bundle with their SHA-256: notices one that is gone or added.

The list is in the format of coreutils, so `sha256sum -c manifest-sha256.txt` checks it without
portrayal. Whoever may change the audit may change the list: hand its own hash, or the file, to
those who are to check it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from portrayal.audit.documents import annotations_file
from portrayal.audit.files import write_text
from portrayal.audit.locations import object_path
from portrayal.errors import AuditError

FILE = "manifest-sha256.txt"

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_BESIDE = frozenset({FILE, "set-aside", annotations_file(Path()).name})
"""What is no evidence: set aside, or of raters at work."""


@dataclass(frozen=True, slots=True)
class ManifestSummary:
    """A manifest that was written."""

    file: Path
    files: int
    sha256: str
    """The hash of the manifest itself, to hand to those who are to check it."""

    def sentence(self) -> str:
        """Return the summary in words."""
        return f"{self.files} files listed in {self.file}; SHA-256 of the list: {self.sha256}"


def write_manifest(root: Path) -> ManifestSummary:
    """List all files of an audit with their hashes in `manifest-sha256.txt`."""
    hashes = file_hashes(root)
    text = manifest_text(hashes)
    write_text(root / FILE, text)
    return ManifestSummary(root / FILE, len(hashes), hashlib.sha256(text.encode()).hexdigest())


def manifest_text(hashes: Mapping[str, str]) -> str:
    """Return a manifest as text.

    >>> manifest_text({"audit.json": "ab" * 32})[-12:]
    '  audit.json\\n'
    """
    return "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))


def read_manifest(file: Path) -> dict[str, str]:
    """Return the hashes that a manifest lists, by file.

    Raises:
        AuditError: It cannot be read, or a line is not one of a manifest.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError(f"{file}: cannot be read as a manifest: {error}") from error
    found = {}
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise AuditError(
                f"{file}: line {number} is {line[:60]!r}; allowed: a SHA-256, two spaces, a file"
            )
        found[match[2]] = match[1]
    return found


def manifest_problems(listed: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a line for every file that is gone, was added or changed since a manifest."""
    lines = []
    for name in sorted({*listed, *found}):
        if name not in found:
            lines.append(f"{name}: listed in the manifest, but gone")
        elif name not in listed:
            lines.append(f"{name}: not listed in the manifest, so it was added later")
        elif listed[name] != found[name]:
            lines.append(f"{name}: not the file that the manifest lists; it was changed")
    return lines


def file_hashes(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder that is evidence, by relative name."""
    return {name: _sha256(path) for name, path in sorted(_files(root, ""))}


def _files(folder: Path, before: str) -> Iterator[tuple[str, Path]]:
    for path in folder.iterdir():
        if path.name in _BESIDE or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path, f"{before}{path.name}/")
        else:
            yield before + path.name, path


def _sha256(path: Path) -> str:
    if object_path(path) is not None:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise AuditError(f"{path}: cannot be read: {error.strerror}") from error
