"""audit.json: what an audit is about, and which version of the format it is written in."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit.files import names_in, quoted, write_text
from portrayal.errors import AuditError, NewerFormat, NotAnAudit
from portrayal.records import Identity

_SHOWN = 100
"""Characters of a setting that an error shows."""

FORMAT = 1
FILE = "audit.json"

Migration = Callable[[Path, dict[str, Any]], dict[str, Any]]
MIGRATIONS: dict[int, Migration] = {}
"""What takes a folder from format n to n + 1, by n: (folder, header as read) -> header."""

_PACKAGES = (
    "portrayal",
    "numpy",
    "scipy",
    "pyarrow",
    "duckdb",
    "torch",
    "diffusers",
    "transformers",
)


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
        cls.check_place(folder)
        cls.write(folder, generator)

    @classmethod
    def write(cls, folder: Path, generator: Identity) -> None:
        """Write audit.json into a folder that is known to be an audit, unless it is there."""
        content = {
            "format": FORMAT,
            "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "generator": generator.as_dict(),
            "packages": installed_packages(),
        }
        write_text(folder / FILE, _written(content), keep=True)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Tell whether a folder has an audit.json, of whatever format."""
        return (folder / FILE).exists()

    @staticmethod
    def check_place(folder: Path) -> None:
        """Raise where there is no audit and none can be made: a file, or a folder of others.

        Raises:
            NotAnAudit: It is such a place.
        """
        if Header.exists(folder):
            return
        if folder.exists() and not folder.is_dir():
            raise NotAnAudit(f"{folder}: is a file; an audit is a folder: choose another `out`")
        names = names_in(folder) if folder.is_dir() else []
        # Another process may have made the audit since the first look.
        if FILE not in names and any(name[0] != "." for name in names):
            raise NotAnAudit(
                f"{folder}: not empty and not an audit (no {FILE}); choose a new or an empty folder"
            )

    @classmethod
    def read(cls, folder: Path) -> Header:
        """Read audit.json, carrying an older format forward.

        Raises:
            NotAnAudit: There is no audit.json, or it is not ours.
            NewerFormat: It was written by a later portrayal.
        """
        file = folder / FILE
        if not folder.exists():
            raise NotAnAudit(
                f"{folder}: no such folder; create it with: "
                f"portrayal run STUDY --out {quoted(folder)}"
            )
        if not file.exists():
            raise NotAnAudit(f"{folder}: not an audit: it has no {FILE}{_way_back(folder)}")
        data = _carried_forward(folder, _read(file))
        try:
            return cls(
                Identity.from_dict(data["generator"]), data["created"], dict(data["packages"])
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(file, repr(error)) from error

    def require(
        self, generator: Identity, folder: Path, *, is_empty: Callable[[], bool] = lambda: False
    ) -> None:
        """Raise unless the audit is about this very generator.

        An empty one is not handed over: a process may be at work on its first image.
        """
        if self.generator.digest == generator.digest:
            return
        found = self.generator.differences(generator)
        # Of two models the names say enough; of one model each setting that is another.
        shown: list[str] = [name for name in ("kind", "name") if name in found] or list(found)
        differences = "; ".join(
            f"{name} is {_short(found[name][0])} here, got {_short(found[name][1])}"
            for name in shown
        )
        anew = ", or remove this one, which contains no image yet" if is_empty() else ""
        raise AuditError(
            f"{folder}: this audit is about another generator ({differences}); "
            f"an audit has one: choose another `out`{anew}"
        )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _read(file: Path) -> dict[str, Any]:
    """Return what audit.json contains, with a format version that is a number."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _unreadable(file, str(error)) from error
    except OSError as error:
        raise AuditError(f"{file}: cannot be read: {error.strerror}") from error
    if not isinstance(data, dict) or type(data.get("format")) is not int:
        raise _unreadable(file, "it has no format version")
    return data


def _carried_forward(folder: Path, data: dict[str, Any]) -> dict[str, Any]:
    """Return the header in the current format, rewriting an older folder step by step."""
    file = folder / FILE
    version = data["format"]
    if version > FORMAT:
        raise NewerFormat(
            f"{file}: format {version} is newer than this portrayal reads ({FORMAT}); "
            "run: pip install --upgrade portrayal"
        )
    while version < FORMAT:
        if version not in MIGRATIONS:
            raise _unreadable(file, f"format {version} never existed")
        data = MIGRATIONS[version](folder, data)
        version += 1
        data["format"] = version
        # After every step, so that one that was stopped half-way is not taken twice.
        write_text(file, _written(data))
    return data


def _written(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _unreadable(file: Path, why: str) -> NotAnAudit:
    return NotAnAudit(
        f"{file}: not readable as an audit header: {why}; it says which generator made the images "
        f"and cannot be made up: restore it from a copy{_way_back(file.parent)}"
    )


def _way_back(folder: Path) -> str:
    """Say how a lost header is written again, where there are images that prove a model."""
    if not (folder / "images").is_dir():
        return ""
    return (
        f"; where it was lost, let the model prove itself: portrayal repair {quoted(folder)} "
        "--model MODEL"
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
