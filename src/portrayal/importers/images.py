"""A folder of images becomes an audit, byte for byte; importing again adds what is new."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from portrayal.audit import FILE, AuditFolder, location
from portrayal.errors import ImportFileError
from portrayal.importers.entries import Entry, Problems
from portrayal.importers.image_files import check_image
from portrayal.importers.manifest import NAMES, read_manifest
from portrayal.importers.webdataset import read_tars
from portrayal.progress import OnCount
from portrayal.records import Identity, ImageRecord, image_key

KIND = "folder"
"""The kind of the generator identity of an imported audit."""

_BATCH = 64


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import did."""

    audit: Path
    added: int
    """Rows that are new in the audit; refused and failed ones count as well."""
    present: int
    """Rows that were there from an earlier import."""
    prompts: int

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {**asdict(self), "audit": str(self.audit)}

    def sentence(self) -> str:
        """Return the summary in words."""
        return (
            f"{self.audit}: {self.added} images of {self.prompts} prompts added, "
            f"{self.present} present before"
        )


def import_images(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    manifest: str | os.PathLike[str] | None = None,
    name: str | None = None,
    on_progress: OnCount | None = None,
) -> ImportSummary:
    """Make an audit of images that exist, or add to one.

    Every image is decoded once before anything is written; the bytes are stored as they are.

    Args:
        source: A folder with a manifest and images, or a folder of WebDataset tars, or one tar.
        out: The audit folder.
        manifest: A CSV with the columns image and prompt, and optionally seed, status and reason;
            all further columns are factors. Without it: manifest.csv or metadata.csv in `source`.
        name: What made the images; the folder's name where it is left out.
        on_progress: Called while images are checked, and again while they are stored.

    Raises:
        ImportFileError: Something in the source is wrong; the audit is as it was.
        AuditError: `out` is no audit of imported images, or of others.
    """
    folder = Path(source)
    entries = _entries(folder, None if manifest is None else Path(manifest))
    where = location(out)
    generator, present = _earlier(where, name, folder)
    problems = Problems(str(folder))
    placed = _placed(entries, present, problems)
    problems.raise_any()
    new = [one for one in placed if present.statuses.get(one.request, "failed") == "failed"]
    _check_new(new, problems, on_progress)
    _check_present(where, placed, present, problems)
    problems.raise_any()
    audit = AuditFolder.at(where, generator)
    added = _store(audit, new, on_progress)
    prompts = len({entry.prompt for entry in entries})
    return ImportSummary(audit.path, added, len(entries) - added, prompts)


@dataclass(frozen=True, slots=True)
class _Present:
    """What an audit holds from earlier imports."""

    statuses: dict[tuple[str, int], str]
    paths: dict[tuple[str, int], str | None]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entry with its seed."""

    entry: Entry
    seed: int

    @property
    def request(self) -> tuple[str, int]:
        return self.entry.prompt, self.seed


def _entries(source: Path, manifest: Path | None) -> list[Entry]:
    if not source.exists():
        raise ImportFileError(f"{source}: no such folder")
    if manifest is not None:
        return read_manifest(source, manifest)
    if source.is_file():
        if source.suffix != ".tar":
            raise ImportFileError(f"{source}: neither a folder nor a .tar")
        return read_tars(source, [source])
    for one in NAMES:
        if (source / one).exists():
            return read_manifest(source, source / one)
    tars = sorted(source.glob("*.tar"))
    if not tars:
        raise ImportFileError(
            f"{source}: no {NAMES[0]} and no .tar in it; write a CSV with the columns image and "
            "prompt, or name one with `manifest`"
        )
    return read_tars(source, tars)


def _earlier(out: Path, name: str | None, source: Path) -> tuple[Identity, _Present]:
    """Return the generator of the audit to be, and what it holds."""
    given = Identity(KIND, name or source.resolve().name.removesuffix(".tar"), {})
    if not (out / FILE).exists():
        return given, _Present({}, {})
    audit = AuditFolder(out)
    if name is None and audit.generator.kind == KIND:
        given = audit.generator
    audit.header.require(given, audit.path)
    rows = audit.images(with_bytes=True).select("prompt, seed, status, image.path").fetchall()
    return given, _Present(
        {(prompt, seed): status for prompt, seed, status, _ in rows},
        {(prompt, seed): path for prompt, seed, _, path in rows},
    )


def _placed(entries: Sequence[Entry], present: _Present, problems: Problems) -> list[_Placed]:
    """Return the entries with seeds: given, or that of an earlier import, or a running number."""
    held: dict[tuple[str, str | None], list[int]] = {}
    for (prompt, seed), path in sorted(present.paths.items()):
        held.setdefault((prompt, path), []).append(seed)
    taken = {(entry.prompt, entry.seed) for entry in entries if entry.seed is not None}
    taken |= present.statuses.keys()
    upcoming: dict[str, int] = {}
    placed = []
    for entry in entries:
        earlier = held.get((entry.prompt, entry.path))
        if entry.seed is not None:
            placed.append(_Placed(entry, entry.seed))
        elif earlier:
            placed.append(_Placed(entry, earlier.pop(0)))
        else:
            placed.append(_Placed(entry, _next_seed(entry.prompt, taken, upcoming)))
    _check_doubles(placed, problems)
    return placed


def _check_doubles(placed: Sequence[_Placed], problems: Problems) -> None:
    first: dict[tuple[str, object], str] = {}
    for one in placed:
        entry = one.entry
        shown = {one.seed: f"seed {one.seed}", entry.path: f"image {entry.path}"}
        shown.pop(None, None)
        for what, words in shown.items():
            before = first.setdefault((entry.prompt, what), entry.where)
            if before != entry.where:
                problems.add(entry.where, f"{words} of the same prompt is in {before} already")


def _next_seed(prompt: str, taken: set[tuple[str, int]], upcoming: dict[str, int]) -> int:
    seed = upcoming.get(prompt, 0)
    while (prompt, seed) in taken:
        seed += 1
    upcoming[prompt] = seed + 1
    return seed


def _check_new(placed: Sequence[_Placed], problems: Problems, on_progress: OnCount | None) -> None:
    for done, one in enumerate(placed, 1):
        entry = one.entry
        if entry.read is not None and entry.path is not None:
            try:
                check_image(entry.path, entry.read())
            except ImportFileError as error:
                problems.add(entry.where, str(error))
        if on_progress is not None:
            on_progress(done, len(placed))


def _check_present(
    out: Path, placed: Sequence[_Placed], present: _Present, problems: Problems
) -> None:
    """Compare images that were imported before with what is in the audit."""
    known = [
        one
        for one in placed
        if one.entry.read is not None and present.statuses.get(one.request) == "ok"
    ]
    if not known:
        return
    audit = AuditFolder(out)
    for start in range(0, len(known), _BATCH):
        some = {
            image_key(audit.generator, *one.request): one for one in known[start : start + _BATCH]
        }
        for key, data in audit.read_images(list(some)).items():
            entry = some[key].entry
            if entry.read is not None and entry.read() != data:
                problems.add(
                    entry.where,
                    f"{entry.path} is not the image that the audit has for this prompt and seed "
                    f"{some[key].seed} (from {present.paths[some[key].request]}); give it another "
                    "seed, or import into a new audit",
                )


def _store(audit: AuditFolder, placed: Sequence[_Placed], on_progress: OnCount | None) -> int:
    added = 0
    for start in range(0, len(placed), _BATCH):
        records = [_record(one) for one in placed[start : start + _BATCH]]
        added += audit.append_images(records, again=True)
        if on_progress is not None:
            on_progress(start + len(records), len(placed))
    return added


def _record(placed: _Placed) -> ImageRecord:
    entry = placed.entry
    record = ImageRecord(
        entry.prompt, placed.seed, entry.status, entry.reason, factors=entry.factors
    )
    if entry.read is None or entry.path is None:
        return record
    data = entry.read()
    checked = check_image(entry.path, data)  # again: the file may have changed since
    return replace(
        record,
        data=data,
        path=entry.path,
        width=checked.width,
        height=checked.height,
        fingerprint=checked.fingerprint,
    )
