"""audit.json: what an audit is about, and which version of the format it is written in."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import json
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit.parts import TEMPORARY, write_text, writing
from portrayal.errors import AuditError, NewerFormat, NotAnAudit
from portrayal.records import Identity

FORMAT = 1
FILE = "audit.json"

Migration = Callable[[Path, dict[str, Any]], dict[str, Any]]
MIGRATIONS: dict[int, Migration] = {}
"""What takes a folder from format n to n + 1, by n: (folder, header as read) -> header."""

_PACKAGES = ("portrayal", "numpy", "scipy", "pyarrow", "duckdb", "torch", "diffusers", "transformers")


@dataclass(frozen=True, slots=True)
class Header:
    """The content of audit.json."""

    generator: Identity
    created: str
    packages: Mapping[str, str]

    @classmethod
    def create(cls, folder: Path, generator: Identity) -> None:
        """Write audit.json unless it is there; of two processes that try, one wins."""
        file = folder / FILE
        if file.exists():
            return
        if folder.is_dir() and any(name[0] != "." for name in os.listdir(folder)):
            raise NotAnAudit(
                f"{folder}: not empty and not an audit (no {FILE}); choose a new or an empty folder"
            )
        text = json.dumps(
            {
                "format": FORMAT,
                "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                "generator": generator.as_dict(),
                "packages": installed_packages(),
            },
            indent=1,
            ensure_ascii=False,
        )
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / f"{TEMPORARY}{os.getpid()}-{uuid.uuid4().hex}"
            temporary.write_text(text + "\n", encoding="utf-8")
            try:
                os.link(temporary, file)
            except FileExistsError:
                pass
            except OSError:  # a file system without hard links
                temporary.replace(file)
            temporary.unlink(missing_ok=True)

    @classmethod
    def read(cls, folder: Path) -> Header:
        """Read audit.json, carrying an older format forward.

        Raises:
            NotAnAudit: There is no audit.json, or it is not ours.
            NewerFormat: It was written by a later portrayal.
        """
        file = folder / FILE
        if not folder.exists():
            raise NotAnAudit(f"{folder}: no such folder; portrayal run STUDY --out {folder} makes it")
        if not file.exists():
            raise NotAnAudit(f"{folder}: not an audit: it has no {FILE}")
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            version = int(data["format"])
        except (ValueError, KeyError, TypeError) as error:
            raise NotAnAudit(f"{file}: not readable as an audit header: {error}") from error
        if version > FORMAT:
            raise NewerFormat(
                f"{file}: format {version} is newer than this portrayal reads ({FORMAT}); "
                "run: pip install --upgrade portrayal"
            )
        while version < FORMAT:
            data = MIGRATIONS[version](folder, data)
            version += 1
            data["format"] = version
            write_text(file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        try:
            return cls(Identity.from_dict(data["generator"]), data["created"], data["packages"])
        except (KeyError, TypeError) as error:
            raise NotAnAudit(f"{file}: not readable as an audit header: no {error}") from error

    def require(self, generator: Identity, folder: Path) -> None:
        """Raise unless the audit is about this very generator."""
        if self.generator.digest == generator.digest:
            return
        differences = "; ".join(
            f"{name} is {ours!r} here, got {theirs!r}"
            for name, (ours, theirs) in self.generator.differences(generator).items()
        )
        raise AuditError(
            f"{folder}: this audit is about another generator ({differences}); "
            "an audit holds one: choose another --out"
        )


def installed_packages() -> dict[str, str]:
    """Return the versions of the packages that numbers depend on."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
