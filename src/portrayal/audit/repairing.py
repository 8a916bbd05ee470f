"""Mending an audit folder: damaged files are set aside, leftovers and doubled rows removed.

Nothing is deleted but temporary files and rows that are there a second time. A damaged file is
moved to `set-aside/`, and the next run makes again what it held.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import documents, parts
from portrayal.audit.compaction import drop_doubled_rows, part_folders
from portrayal.audit.files import appending, flush_folder, leftovers, quoted, writing
from portrayal.audit.header import FILE, Header
from portrayal.audit.keys import key_rule
from portrayal.audit.locations import location
from portrayal.audit.selections import TRAINING
from portrayal.errors import AuditError, NotAnAudit
from portrayal.records import Identity

SET_ASIDE = "set-aside"


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged file and where it is now."""

    path: Path
    """Where it was, from the audit folder on."""
    moved_to: Path
    """Where it is now, from the audit folder on."""
    why: str
    rows: int | None
    """How many rows it held, None where that cannot be told any more."""


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair found and did."""

    audit: Path
    imported: bool
    model: str
    """The name of the audit's generator."""
    set_aside: tuple[SetAside, ...]
    leftovers: int
    doubled: int
    measurers: tuple[str, ...] = ()
    """Names of those whose measurements were set aside, as far as that can be told."""
    training: RepairReport | None = None
    """The same of the training side, where there is one."""

    def lines(self) -> list[str]:
        """Return one line for every thing done, and last what to do now."""
        said = self._done()
        if self.training is not None:
            said += [f"{TRAINING}: {line}" for line in self.training._done()]
        return [*said, *self.commands()] or ["nothing to repair"]

    def _done(self) -> list[str]:
        said = [
            f"{one.path}: {one.why}; moved to {one.moved_to}, {self._lost(one)}"
            for one in self.set_aside
        ]
        if self.leftovers:
            said.append(f"{_count(self.leftovers, 'file')} of stopped writers removed")
        if self.doubled:
            said.append(f"{_count(self.doubled, 'doubled row')} dropped")
        return said

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        side = {} if self.training is None else {"training": self.training.as_dict()}
        return {
            "audit": str(self.audit),
            "set_aside": [
                {**asdict(one), "path": str(one.path), "moved_to": str(one.moved_to)}
                for one in self.set_aside
            ],
            "leftovers": self.leftovers,
            "doubled": self.doubled,
            "make_again": self.commands(),
            **side,
        }

    def commands(self) -> list[str]:
        """Return what makes again what was set aside."""
        where = quoted(self.audit)
        lost = {one.path.parts[0] for one in self.set_aside}
        images = (
            f"import the images again: portrayal import images DIR --out {where}"
            if self.imported
            else f"make the images again, with the model they were made with ({self.model}): "
            f"portrayal generate --out {where} --model ..."
        )
        advice = {
            "images": images,
            "measurements": self._measure_again(where),
            "texts": self._measure_again(where),
            "votes": f"import the raters' files again: portrayal import votes FILE --out {where}; "
            "answers of the rating page come back when `portrayal annotate` is run again",
            "campaigns": "start the campaign again with `portrayal annotate`",
            "studies": "name the study again when you run it",
            "results.json": f"analyze again: portrayal analyze {where}",
        }
        found = [text for name, text in advice.items() if name in lost]
        if self.training is not None and self.training.set_aside:
            found.append("run the study again with its corpus: what lacks is fetched again")
        return list(dict.fromkeys(found))

    def _measure_again(self, where: str) -> str:
        known = f" ({', '.join(self.measurers)})" if self.measurers else ""
        return (
            f"measure again, with the measurer it was measured with{known}: "
            f"portrayal measure {where} --measurer ..."
        )

    def _lost(self, one: SetAside) -> str:
        if one.path.suffix != parts.SUFFIX:
            return "to be made again"
        names = {"images": "image", "texts": "text", "votes": "answer", "looks": "look"}
        what = names.get(one.path.parts[0], "measurement")
        count = f"an unknown number of {what}s" if one.rows is None else _count(one.rows, what)
        if what == "look":
            return f"{count} no longer counted"
        return f"{count} to be made again"


def repair(audit: str | os.PathLike[str]) -> RepairReport:
    """Mend an audit folder as far as that can be done without making anything again.

    Raises:
        NotAnAudit: There is no audit.json or it is damaged: it says which generator made the
            images, and that cannot be made up.
    """
    path = location(audit)
    header = Header.read(path)
    removed = _remove_leftovers(path)
    _require_own_images(path, header.generator)
    aside = [*_documents(path), *_parts(path, header.generator)]
    doubled = sum(drop_doubled_rows(folder) for folder in part_folders(path))
    generator = header.generator
    imported = generator.kind == "folder"
    side = path / TRAINING
    training = repair(side) if Header.exists(side) else None
    measurers = sorted({name for one in aside for name in _measurer(path, one)})
    return RepairReport(
        path, imported, generator.name, tuple(aside), removed, doubled, tuple(measurers), training
    )


def _measurer(audit: Path, one: SetAside) -> Iterator[str]:
    """Yield the name of the measurer that a part is of, where it is one and says so."""
    if one.path.parts[0] in ("measurements", "texts"):
        with contextlib.suppress(AuditError):
            identity, _ = documents.read_identity(audit / one.path.parent / documents.IDENTITY)
            yield identity.name


def _remove_leftovers(audit: Path) -> int:
    removed = 0
    beside = [audit / name for name in ("studies", "campaigns", "report")]
    for folder in [audit, *beside, *part_folders(audit)]:
        for path in leftovers(folder):
            with writing(folder):
                path.unlink(missing_ok=True)
            removed += 1
    return removed


def _documents(audit: Path) -> Iterator[SetAside]:
    """Set aside JSON files that cannot be read; measurements go with their identity."""
    for kind in ("measurements", "texts"):
        identities = audit.glob(f"{kind}/*/{documents.IDENTITY}")
        stored = audit.glob(f"{kind}/*/*{parts.SUFFIX}")
        for folder in sorted({file.parent for file in (*identities, *stored)}):
            try:
                documents.read_identity(folder / documents.IDENTITY)
            except (AuditError, FileNotFoundError):
                why = f"its {documents.IDENTITY} is missing, cannot be read or was changed"
                yield _set_aside(audit, folder, why)
    named = [*sorted(audit.glob("studies/*.json")), *sorted(audit.glob("campaigns/*.json"))]
    for file in [*named, audit / "results.json"]:
        if file.exists():
            try:
                documents.read_json(file)
            except AuditError:
                yield _set_aside(audit, file, "it cannot be read as JSON")


def _parts(audit: Path, generator: Identity) -> Iterator[SetAside]:
    for folder in part_folders(audit):
        rule = key_rule(folder, generator)
        with appending(folder):
            for path in parts.part_paths(folder):
                why = parts.damage(path)
                if why is None and rule is not None:
                    why = rule.problem(path)
                if why is not None:
                    yield _set_aside(audit, path, why, rows=_rows(path))


def _require_own_images(audit: Path, generator: Identity) -> None:
    """Raise where no image is of the audit's generator: then it is audit.json that was changed.

    Raises:
        NotAnAudit: There are images, and none has a key that follows from audit.json.
    """
    rule = key_rule(audit / "images", generator)
    whole = [one for one in parts.part_paths(audit / "images") if parts.damage(one) is None]
    if rule is not None and whole and all(rule.wrong(path).all() for path in whole):
        raise NotAnAudit(
            f"{audit / FILE}: no image has a key of the generator that it names "
            f"({generator.name}), so it was changed or comes from another audit; restore it from a "
            "copy"
        )


def _set_aside(audit: Path, path: Path, why: str, *, rows: int | None = None) -> SetAside:
    inside = path.relative_to(audit)
    goal = audit / SET_ASIDE / inside
    number = 1
    while goal.exists():  # set aside before, made again and damaged again
        number += 1
        goal = (audit / SET_ASIDE / inside).with_name(f"{number}-{inside.name}")
    with writing(audit):
        goal.parent.mkdir(parents=True, exist_ok=True)
        path.rename(goal)
    flush_folder(goal.parent)
    return SetAside(inside, goal.relative_to(audit), why, rows)


def _rows(path: Path) -> int | None:
    try:
        with parts.opened(path) as file:
            return int(file.metadata.num_rows)
    except (AuditError, FileNotFoundError):
        return None


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
