"""Labels that were given elsewhere (by DeepFace, FairFace, an in-house classifier) as a measurer's.

What is imported is stored like any other measurer's answers, under the name that it is given.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, ColumnType, ImageNames
from portrayal.errors import ImportFileError
from portrayal.importers.entries import Problems
from portrayal.importers.known_axes import KnownAxes, said_as_read
from portrayal.importers.label_files import LabelRow, read_labels
from portrayal.plugins import MEASURERS, NamedKind, meant, named_kinds
from portrayal.records import NOBODY, UNKNOWN, Identity, Measurement

PEOPLE = "raters"
"""What findings call people's answers."""
IMPORTED_LABELS = "labels"
"""The kind of the measurer identity of imported labels."""

ROUNDING = 1e-3
"""Probabilities of one axis may add up to this much more than 1."""

OWN_GROUPS = (
    "to use groups of your own, first generate a study that has them: portrayal generate STUDY"
)
"""What to do about a label that an axis does not have."""

Labels = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class LabelsSummary:
    """What an import of labels did."""

    measurer: Identity
    images: int
    """Images that have labels of this measurer now and had none before."""
    present: int
    """Images that had the same labels from an earlier import."""
    without: int
    """Images of the audit that still have none."""
    unasked: tuple[str, ...] = ()
    """Axes that neither a study nor anything else is known to ask about."""
    unasked_labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The labels on each of these axes: a study that asks about it has to have them all."""
    read_as: Mapping[str, str] = field(default_factory=dict)
    """Axes and groups by what differs from them in upper and lower case alone."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "measurer": self.measurer.as_dict(),
            "images": self.images,
            "present": self.present,
            "without": self.without,
            "unasked": list(self.unasked),
            "unasked_labels": {axis: list(labels) for axis, labels in self.unasked_labels.items()},
            "read_as": dict(self.read_as),
        }

    def sentence(self) -> str:
        """Return the summary in words."""
        read = said_as_read(self.read_as)
        return (
            f"{self.measurer.name}: labels of {self.images} images added, {self.present} present "
            f"before, {self.without} images without labels{f'; {read}' if read else ''}"
        )


def import_labels(
    audit: AuditFolder | str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    measurer: str,
    axis: str | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
) -> LabelsSummary:
    """Store labels of an audit's images under a measurer's name.

    Args:
        audit: The audit with the images.
        file: CSV or Parquet; see `label_files.read_labels`.
        measurer: What to call whoever gave the labels.
        axis: The axis, where the file has no such column.
        axes: Groups by axis, of axes that are known: other labels on them, and axes that are
            called almost the same, are refused; upper and lower case do not matter. None: whatever
            the file says.

    Raises:
        ImportFileError: Something in the file is wrong; the audit is as it was.
    """
    target = audit if isinstance(audit, AuditFolder) else AuditFolder(audit)
    path = Path(file)
    _require_free_name(measurer, path, target)
    known = KnownAxes(axes or {}, own_groups=OWN_GROUPS)
    problems = Problems(str(path))
    images = ImageNames(target)
    answers: dict[str, _Collected] = {}
    asked: dict[str, set[str]] = {}
    has_people = False
    for written in read_labels(path, axis=axis):
        try:
            row = known.read(written)
            _require_one_axis(written.axis, axis)
            keys = images.keys(row.image, shown=row.shown)
        except ImportFileError as error:
            problems.add(written.where, str(error))
            continue
        asked.setdefault(row.axis, set()).add(row.label)
        has_people = has_people or row.person is not None
        for key in keys:
            answers.setdefault(key, _Collected()).add(row, problems)
    problems.raise_any()
    identity = Identity(IMPORTED_LABELS, measurer, {"axes": sorted(asked)})
    columns: dict[str, ColumnType] = {"labels": "labels"}
    if has_people:
        columns["people"] = "json"
        identity = Identity(IMPORTED_LABELS, measurer, {**identity.settings, "people": True})
    values = {key: one.values(has_people) for key, one in answers.items()}
    _compare(target, identity, columns, values, problems)
    problems.raise_any()
    added = target.append_measurements(
        identity, columns, [Measurement(key, one) for key, one in values.items()]
    )
    without = images.made - len(values)
    unasked = () if axes is None else tuple(sorted(asked.keys() - axes.keys()))
    given = {name: tuple(sorted(asked[name] - {UNKNOWN, NOBODY})) for name in unasked}
    present = len(values) - added
    return LabelsSummary(identity, added, present, without, unasked, given, known.read_as)


def _require_free_name(measurer: str, file: Path, audit: AuditFolder) -> None:
    """Raise where findings would take a name for people's answers or for an installed measurer."""
    if not measurer.strip():
        raise ImportFileError("`measurer` is empty; allowed: a name for whoever gave the labels")
    if measurer == PEOPLE:
        raise ImportFileError(
            f"`measurer` is {PEOPLE!r}, which is what people's answers are called; for those: "
            f"portrayal import votes {file} --out {audit.path}; else choose another name"
        )
    installed: list[NamedKind[Any]] = named_kinds(MEASURERS, NamedKind)
    if (kind := meant(installed, measurer)) is not None and not kind.general:
        raise ImportFileError(
            f"`measurer` is {measurer!r}, the name of an installed measurer, and its labels would "
            "be mistaken for that one's; choose another name, such as "
            f"{measurer.partition(':')[0] + ' elsewhere'!r}"
        )


def _require_one_axis(written: str, axis: str | None) -> None:
    """Raise where the file's column says another axis than the one that was named for all rows."""
    if axis is not None and written.casefold() != axis.casefold():
        raise ImportFileError(
            f"has the axis {written!r} in its column axis, and `axis` is {axis!r}; leave out "
            "`axis`, which is for files without that column"
        )


class _Collected:
    """The labels of one image, as the rows of a file give them."""

    def __init__(self) -> None:
        self._whole: Labels = {}
        self._people: dict[int, Labels] = {}

    def add(self, row: LabelRow, problems: Problems) -> None:
        """Take a row; several answers of one axis share its probability."""
        to = self._whole if row.person is None else self._people.setdefault(row.person, {})
        answers = to.setdefault(row.axis, {})
        given = 1.0 if row.probability is None else row.probability
        if row.label in answers:
            problems.add(
                row.where,
                f"{row.shown} has the label {row.label!r} on the axis {row.axis!r} already; remove "
                "one of the two rows",
            )
        elif sum(answers.values()) + given > 1 + ROUNDING:
            before = ", ".join(answers)
            problems.add(
                row.where,
                f"{row.shown} is {row.label!r} and {before!r} on the axis {row.axis!r}, with "
                "probabilities above 1 together; give each person a number in a column person",
            )
        answers[row.label] = given

    def values(self, has_people: bool) -> dict[str, Any]:
        """Return what is stored."""
        if not has_people:
            return {"labels": self._whole}
        people = [{"labels": self._people[number]} for number in sorted(self._people)]
        return {"labels": self._whole, "people": people}


def _compare(
    audit: AuditFolder,
    identity: Identity,
    columns: Mapping[str, ColumnType],
    values: Mapping[str, Mapping[str, Any]],
    problems: Problems,
) -> None:
    """Note images that have other labels under this name already."""
    if identity not in audit.measurers(retired=True):
        return
    rows = audit.measurements(identity, columns=["key", *columns]).to_arrow_table()
    stored = rows.to_pylist(maps_as_pydicts="strict")
    for row in stored:
        before = {
            name: json.loads(row[name]) if name == "people" else row[name] for name in columns
        }
        if row["key"] in values and values[row["key"]] != before:
            problems.add(
                f"image {row['key']}",
                f"has other labels by {identity.name!r} already; choose another `measurer`",
            )
