"""Images as files, with a metadata.csv beside them: for people, and for `datasets`' imagefolder."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit.cells import harmless, read_factors
from portrayal.audit.files import write_text, writing
from portrayal.audit.folder import AuditFolder
from portrayal.audit.locations import location
from portrayal.errors import AuditError

METADATA = "metadata.csv"
NOT_MADE = "not-made.csv"
_COLUMNS = ("prompt", "seed", "status", "reason", "width", "height", "key")
_BATCH = 256


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What an export wrote."""

    out: Path
    images: int
    not_made: int
    """Requests without an image (refused or failed): they are in not-made.csv."""
    beside: tuple[str, ...] = ()
    """Other files that were written."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "out": str(self.out),
            "images": self.images,
            "not_made": self.not_made,
            "beside": list(self.beside),
        }

    def sentence(self) -> str:
        """Return the summary in words."""
        rest = f"; {self.not_made} without an image are in {NOT_MADE}" if self.not_made else ""
        files = " and ".join([METADATA, *self.beside])
        return f"{self.images} images, {files} written to {self.out}{rest}"


def export_images(
    audit: AuditFolder,
    out: str | os.PathLike[str],
    *,
    prompts: Iterable[str] | None = None,
    beside: Mapping[str, str] | None = None,
) -> ExportSummary:
    """Write images as files, and what is known about them into metadata.csv.

    Files are named by a running number, a few words of the prompt and the seed. Refused and failed
    requests have no file and stand in not-made.csv. metadata.csv is written last: where it is
    there, the export is whole.

    Args:
        audit: Where the images are.
        out: A folder that is new or empty.
        prompts: Only images of these prompts.
        beside: Texts of further files by name; an empty one is left out.

    Raises:
        AuditError: The folder is not empty, or the audit knows nothing of a prompt.
    """
    folder = location(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AuditError(f"{folder}: not an empty folder; choose a new one for the export")
    rows = _rows(audit, prompts)
    made = [row for row in rows if row["status"] == "ok"]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(made), _BATCH):
        _write_files(audit, folder, made[start : start + _BATCH], start)
    rest = [row for row in rows if row["status"] != "ok"]
    if rest:
        write_text(folder / NOT_MADE, _as_csv(rest, _COLUMNS))
    texts = {name: text for name, text in (beside or {}).items() if text}
    for name, text in texts.items():
        write_text(folder / name, text)
    write_text(folder / METADATA, _as_csv(made, ("file_name", *_COLUMNS)))
    return ExportSummary(folder, len(made), len(rest), tuple(texts))


def file_name(number: int, prompt: str, seed: int, data: bytes) -> str:
    """Return a file name that is safe on every system, whatever the prompt is."""
    plain = unicodedata.normalize("NFKD", prompt).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:48].strip("-") or "image"
    return f"{number:06d}-{slug}-{seed}{suffix(data)}"


def suffix(data: bytes) -> str:
    """Return the file ending for encoded image bytes."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return ".png"
    if data.startswith(b"\xff\xd8\xff"):
        return ".jpg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return ".avif"
    return ".bin"


def _rows(audit: AuditFolder, prompts: Iterable[str] | None) -> list[dict[str, Any]]:
    columns = (*_COLUMNS, "factors")
    found = audit.images().select(", ".join(columns)).order("prompt, seed").fetchall()
    rows = [dict(zip(columns, row, strict=True)) for row in found]
    if prompts is None:
        return rows
    wanted = list(dict.fromkeys(prompts))
    known = {row["prompt"] for row in rows}
    for prompt in wanted:
        if prompt not in known:
            raise AuditError(f"{audit.path}: no images of the prompt {prompt!r}")
    return [row for row in rows if row["prompt"] in set(wanted)]


def _write_files(
    audit: AuditFolder, folder: Path, rows: Sequence[dict[str, Any]], start: int
) -> None:
    images = audit.read_images([row["key"] for row in rows])
    for number, row in enumerate(rows, start):
        data = images[row["key"]]
        row["file_name"] = file_name(number, row["prompt"], row["seed"], data)
        with writing(folder):
            (folder / row["file_name"]).write_bytes(data)


def _as_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    factors = [read_factors(row["factors"]) for row in rows]
    names = list(dict.fromkeys(name for found in factors for name in found))
    heads = [f"factor_{name}" if name in ("file_name", *_COLUMNS) else name for name in names]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([harmless(head) for head in (*columns, *heads)])
    for row, found in zip(rows, factors, strict=True):
        cells = [*(row[name] for name in columns), *(found.get(name) for name in names)]
        writer.writerow([harmless(cell) for cell in cells])
    return text.getvalue()
