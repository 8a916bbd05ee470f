"""The small JSON and HTML files of an audit folder: identities, studies, results, the report."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from portrayal.audit.cells import harmless
from portrayal.audit.files import quoted, write_text
from portrayal.audit.header import Header
from portrayal.audit.tables import ColumnType
from portrayal.errors import AuditError
from portrayal.records import Identity

IDENTITY = "_identity.json"
"""Beside the parts; the underscore makes pandas, Spark and pyarrow pass over it."""


def folder_name(identity: Identity) -> str:
    """Return the name of the folder for what one measurer or encoder said."""
    safe = "".join(c if c.isalnum() or c in "._" else "-" for c in identity.kind)
    return f"{safe}-{identity.digest}"


def read_identity(file: Path) -> tuple[Identity, Mapping[str, ColumnType]]:
    """Return the identity and the columns in an _identity.json."""
    data = read_json(file)
    try:
        identity, columns = Identity.from_dict(data), dict(data["columns"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(file, f"not an identity: {error}") from error
    if folder_name(identity) != file.parent.name:
        raise _damaged(
            file, f"the folder's name is not that of {identity.name}, so one of them was changed"
        )
    return identity, columns


def remember_identity(folder: Path, identity: Identity, columns: Mapping[str, ColumnType]) -> None:
    """Write _identity.json into a folder of parts, once.

    Raises:
        AuditError: What is stored under this identity has other columns.
    """
    file = folder / IDENTITY
    content = {**identity.as_dict(), "columns": dict(columns)}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    if not file.exists():
        write_text(file, text + "\n", keep=True)
    stored = read_identity(file)[1]
    if dict(stored) != dict(columns):
        raise AuditError(
            f"{folder}: {identity.name} has stored the columns {_listed(stored)}, got "
            f"{_listed(columns)}; a measurer that answers something else needs another identity"
        )


def read_documents(audit: Path, kind: str) -> dict[str, dict[str, Any]]:
    """Return the documents of one kind (`studies`, `campaigns`) of an audit, by name."""
    return {file.stem: read_json(file) for file in sorted((audit / kind).glob("*.json"))}


def remember_document(audit: Path, kind: str, name: str, content: Mapping[str, Any]) -> None:
    """Keep a study, a campaign or a validation with the audit."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        what = {"studies": "study", "campaigns": "campaign", "validations": "validation"}[kind]
        raise AuditError(
            f"{what} name {name!r} cannot be a file name; allowed: letters, digits, - _ ."
        )
    file = audit / kind / f"{name}.json"
    text = json.dumps(content, indent=1, ensure_ascii=False)
    before = file.read_text(encoding="utf-8") if file.exists() else text
    if before != text and kind == "studies":
        version = hashlib.sha256(before.encode()).hexdigest()[:12]
        write_text(file.parent / "earlier" / f"{name}-{version}.json", before)
    if before != text or not file.exists():
        write_text(file, text)


def annotations_file(audit: Path) -> Path:
    """Return where the rating page keeps answers until they are in the store of votes."""
    return audit / "annotations.sqlite"


def write_skipped(audit: Path, rows: Mapping[str, str]) -> Path:
    """Write which rows of an import were broken, and how; return where."""
    moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S")
    file = audit / "imports" / f"skipped-{moment}.csv"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("row", "problem"))
    writer.writerows((harmless(where), harmless(what)) for where, what in rows.items())
    write_text(file, text.getvalue())
    return file


def results_file(audit: Path) -> Path:
    """Return where the results of an audit are."""
    return audit / "results.json"


def report_file(audit: Path, name: str = "index") -> Path:
    """Return where the report of an audit is, or another page beside it."""
    return audit / "report" / f"{name}.html"


def write_results(audit: Path, results: Mapping[str, Any]) -> Path:
    """Replace results.json."""
    text = json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(results_file(audit), text + "\n")
    return results_file(audit)


def read_results(audit: Path) -> dict[str, Any]:
    """Return results.json."""
    file = results_file(audit)
    if not file.exists():
        raise AuditError(f"{audit}: no results.json yet; run: portrayal analyze {quoted(audit)}")
    return read_json(file)


def write_report(audit: Path, html: str, name: str = "index") -> Path:
    """Replace report/index.html, or another page beside it; it says which results it shows."""
    file = report_file(audit, name)
    write_text(file, f"{html.rstrip()}\n{_shown_results(audit)}")
    return file


def report_is_current(audit: Path) -> bool:
    """Tell whether the report was written from results.json as it is."""
    page = report_file(audit)
    return page.exists() and page.read_bytes().endswith(_shown_results(audit).encode())


def _shown_results(audit: Path) -> str:
    file = results_file(audit)
    known = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "none"
    return f"<!-- results.json: sha256 {known} -->\n"


def read_json(file: Path) -> dict[str, Any]:
    """Return the object in a JSON file of an audit."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(file, str(error)) from error
    except OSError as error:
        raise AuditError(f"{file}: cannot be read: {error.strerror}") from error
    if not isinstance(data, dict):
        raise _damaged(file, "not a JSON object")
    return data


def _damaged(file: Path, why: str) -> AuditError:
    audit = next((one for one in file.parents if Header.exists(one)), file.parent)
    return AuditError(
        f"{file} is damaged: {why}; set it aside with: portrayal repair {quoted(audit)}"
    )


def _listed(columns: Mapping[str, ColumnType]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items()) or "none"
