"""A folder of images becomes an audit, byte for byte; importing again adds what is new."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from portrayal.audit import FILE, AuditFolder, location
from portrayal.errors import ImportFileError, one_of
from portrayal.importers.entries import Entry, Problems, broken
from portrayal.importers.folders import other_formats, read_folder
from portrayal.importers.image_files import SUFFIXES, CheckedImage, check_image
from portrayal.importers.manifest import NAMES, read_manifest
from portrayal.importers.webdataset import read_tars
from portrayal.progress import OnCount
from portrayal.records import Identity, ImageRecord, image_key

KIND = "folder"
"""The kind of the generator identity of an imported audit."""

_BATCH = 256


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import did."""

    audit: Path
    added: int
    """Rows that are new in the audit; refused and failed ones count as well."""
    present: int
    """Rows that were there from an earlier import."""
    prompts: int
    skipped: int = 0
    """Broken rows: those with a prompt are stored as failed."""
    listed: Path | None = None
    """The list of broken rows with what is wrong with each."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """Images of formats that cannot be imported, by the ending of their names."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        listed = None if self.listed is None else str(self.listed)
        return {**asdict(self), "audit": str(self.audit), "listed": listed}

    def sentence(self) -> str:
        """Return the summary in words."""
        told = (
            f"{self.audit}: {_counted(self.added, 'image')} of {_counted(self.prompts, 'prompt')} "
            f"added, {self.present} present before"
        )
        if self.listed is not None:
            told += f"; {_counted(self.skipped, 'broken row')} skipped, listed in {self.listed}"
        if self.passed_over:
            others = ", ".join(f"{n} {ending}" for ending, n in self.passed_over.items())
            told += f"; passed over: {others} (formats that can be imported: {one_of(SUFFIXES)})"
        return told


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"


def import_images(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    manifest: str | os.PathLike[str] | None = None,
    name: str | None = None,
    skip_broken: bool = False,
    on_progress: OnCount | None = None,
) -> ImportSummary:
    """Make an audit of images that exist, or add to one.

    Every image is decoded once before anything is written; the bytes are stored as they are.

    Args:
        source: A folder with a manifest and images, or a folder of WebDataset tars, or one tar.
        out: The audit folder.
        manifest: A CSV with the columns image and prompt, and optionally seed, status and reason;
            all further columns are factors. Without it: manifest.csv or metadata.csv in `source`,
            else tars, else all images below it, each with the name of its folder as the prompt.
        name: What made the images; the folder's name where it is left out.
        skip_broken: Store broken rows as failed, with what is wrong, and list them, instead of
            raising an error about them.
        on_progress: Called while images are checked, and again while they are stored.

    Raises:
        ImportFileError: Something in the source is wrong; the audit is as it was.
        AuditError: `out` is no audit of imported images, or of others.
    """
    folder = Path(source)
    fix = "to import the others, set `skip_broken`"
    problems = Problems(str(manifest or folder), skip=skip_broken, fix=fix)
    entries = _entries(folder, None if manifest is None else Path(manifest), problems)
    where = location(out)
    generator, present = _earlier(where, name, folder)
    placed = _placed(entries, present, problems)
    problems.raise_any()
    new = [one for one in placed if present.statuses.get(one.request, "failed") == "failed"]
    new = _checked(new, problems, on_progress)
    problems.raise_any()
    changed = Problems(problems.source)  # another image than before is not broken, and not skipped
    _check_present(where, placed, present, changed)
    changed.raise_any()
    audit = AuditFolder.at(where, generator)
    added = _store(audit, new, on_progress)
    prompts = len({entry.prompt for entry in entries})
    broken_rows = problems.found
    listed = audit.write_skipped(broken_rows) if broken_rows else None
    failed = added.get("failed", 0) if broken_rows else 0
    return ImportSummary(
        audit.path,
        added.total() - failed,
        len(entries) - added.total(),
        prompts,
        len(broken_rows),
        listed,
        other_formats(folder) if all(entry.where == entry.path for entry in entries) else {},
    )


@dataclass(frozen=True, slots=True)
class _Present:
    """What an audit contains from earlier imports."""

    statuses: dict[tuple[str, int], str]
    paths: dict[tuple[str, int], str | None]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An entry with its seed; once its image was decoded, with what is stored beside it."""

    entry: Entry
    seed: int
    digest: bytes = b""
    image: CheckedImage | None = None

    @property
    def request(self) -> tuple[str, int]:
        return self.entry.prompt, self.seed


def _entries(source: Path, manifest: Path | None, problems: Problems) -> list[Entry]:
    try:
        is_there = source.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise ImportFileError(f"{str(source)[:80]!r}: no folder can be called that") from error
    if not is_there:
        raise ImportFileError(f"{source}: no such folder")
    if manifest is not None:
        return read_manifest(source, manifest, problems)
    if source.is_file():
        if source.suffix != ".tar":
            raise ImportFileError(f"{source}: neither a folder nor a .tar")
        return read_tars(source, [source], problems)
    for one in NAMES:
        if (source / one).exists():
            return read_manifest(source, source / one, problems)
    tars = sorted(source.glob("*.tar"))
    if tars:
        return read_tars(source, tars, problems)
    if not (entries := read_folder(source)):
        raise ImportFileError(
            f"{source}: no image ({one_of(SUFFIXES)}), no {NAMES[0]} and no .tar in it"
        )
    return entries


def _earlier(out: Path, name: str | None, source: Path) -> tuple[Identity, _Present]:
    """Return the generator of the audit to be, and what it contains."""
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
    return _without_doubles(placed, problems)


def _without_doubles(placed: Sequence[_Placed], problems: Problems) -> list[_Placed]:
    """Return the entries whose seed or image is not that of an earlier one."""
    first: dict[tuple[str, object], str] = {}
    kept = []
    for one in placed:
        doubled = False
        entry = one.entry
        shown = {one.seed: f"seed {one.seed}", entry.path: f"image {entry.path}"}
        shown.pop(None, None)
        for what, words in shown.items():
            before = first.setdefault((entry.prompt, what), entry.where)
            if before != entry.where:
                problems.add(entry.where, f"{words} of the same prompt is in {before} already")
                doubled = True
        if not doubled:
            kept.append(one)
    return kept


def _next_seed(prompt: str, taken: set[tuple[str, int]], upcoming: dict[str, int]) -> int:
    seed = upcoming.get(prompt, 0)
    while (prompt, seed) in taken:
        seed += 1
    upcoming[prompt] = seed + 1
    return seed


def _checked(
    placed: Sequence[_Placed], problems: Problems, on_progress: OnCount | None
) -> list[_Placed]:
    """Decode every image once; those that cannot be decoded become requests that failed."""
    found = []
    for done, one in enumerate(placed, 1):
        entry = one.entry
        if entry.read is not None and entry.path is not None:
            try:
                data = entry.read()
                image = check_image(entry.path, data)
                one = replace(one, digest=sha256(data).digest(), image=image)
            except ImportFileError as error:
                problems.add(entry.where, str(error))
                one = _Placed(broken(entry.where, entry.prompt, str(error)), one.seed)
        found.append(one)
        if on_progress is not None:
            on_progress(done, len(placed))
    return found


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


def _store(
    audit: AuditFolder, placed: Sequence[_Placed], on_progress: OnCount | None
) -> Counter[str]:
    added: Counter[str] = Counter()
    for start in range(0, len(placed), _BATCH):
        records = [_record(one) for one in placed[start : start + _BATCH]]
        added += audit.append_counted(records, again=True)
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
    checked = placed.image
    if checked is None or sha256(data).digest() != placed.digest:  # it has changed since
        checked = check_image(entry.path, data)
    return replace(
        record,
        data=data,
        path=entry.path,
        width=checked.width,
        height=checked.height,
        fingerprint=checked.fingerprint,
    )
