"""How often is a measurer right? Its labels against labels that are known."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from portrayal.audit import AuditFolder, ImageName, ImageNames, location
from portrayal.errors import ImportFileError, MeasurementError, one_of
from portrayal.findings import (
    AuditData,
    Judged,
    Validation,
    counted,
    image_labels,
    store_validation,
    unlabelled,
    validation_of,
    validations_folder,
)
from portrayal.importers import IMPORTED_LABELS, KnownAxes, LabelRow, read_labels
from portrayal.measurers import Measurer, open_measurer, require_valid
from portrayal.measurers import measure as measure_images
from portrayal.records import Identity, ImageRecord
from portrayal.runner.session import Place, place
from portrayal.studies import Axis, Study, default_axes

PROMPT = "an image with known labels"


@dataclass(frozen=True, slots=True)
class ValidationSummary:
    """What a validation found, and where it was stored.

    Attributes:
        validations: One per axis.
        files: Where those are stored that have a balanced accuracy; empty where none was.
        skipped: Why an axis of the truth has none.
        broken_down_by: Axes of the truth that are not tried: they only tell errors apart.
        read_as: Axes and groups by what differs from them in upper and lower case alone.
    """

    validations: tuple[Validation, ...]
    files: tuple[Path, ...]
    skipped: tuple[str, ...]
    broken_down_by: tuple[str, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)


def validate(
    measurer: str | Measurer,
    images: Place,
    *,
    truth: Place,
    study: Study | None = None,
    source: str = "",
    store: bool = True,
) -> ValidationSummary:
    """Try a measurer on images whose labels are known.

    The result is stored under the measurer's identity, and every report that uses the measurer
    shows it. Labels on other axes of the truth tell errors apart: with labels on "skin tone"
    beside those on "perceived gender", the errors on gender are given by skin tone as well. An axis
    that is no axis of the study may be one of these; one that is almost called like a known axis is
    refused.

    Args:
        measurer: Its name, or an object of one's own. The name of labels that were imported into
            the audit means these.
        images: A folder of images, or an audit.
        truth: CSV or Parquet with the columns image (or key, or prompt and seed), axis and label.
        study: Whose axes; None: the default axes.
        source: Which images these are, in words; "": the folder's name.
        store: Whether to store it for all audits of this user.

    Raises:
        ImportFileError: The truth cannot be read, contradicts itself, or is about other images.
        AuditError: The result could not be stored.
        MeasurementError: The measurer cannot be opened, or says nothing on these axes.
    """
    where, file = location(place("images", images)), Path(place("truth", truth))
    if store:  # before an hour of measuring
        validations_folder()
    axes = study.asked_axes() if study else default_axes()
    spelling = KnownAxes(
        {name: list(axis.groups) for name, axis in axes.items()},
        names=default_axes(),
        own_groups="for groups of your own, name a study that has them with `study`",
        asked_by="is not known",
    )
    known = _known(file, axes, spelling)
    audit = AuditFolder.find(where)
    imported = () if audit is None else _imported(audit, measurer)
    opened = open_measurer(measurer) if isinstance(measurer, str) and not imported else measurer
    words = source or f"{where.resolve().name}, {counted(len(known), 'image')}"
    if audit is not None:
        asked = _of_audit(audit, known, file, axes)
        looked = imported or (_measured(audit, opened, asked),)
        done = _together([_validated(audit, one, asked, words) for one in looked])
        return _stored(done, store, spelling)
    with tempfile.TemporaryDirectory(prefix="portrayal-validate-") as folder:
        audit = AuditFolder.at(Path(folder) / "audit", Identity("folder", where.resolve().name))
        asked = _of_folder(audit, where, known, file, axes)
        done = _validated(audit, _measured(audit, opened, asked), asked, words)
        return _stored(done, store, spelling)


@dataclass(frozen=True, slots=True)
class _Truth:
    """What is known of one image: labels by axis, and the row that names it."""

    row: LabelRow
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class _KnownImages:
    """Images with known labels, by key; the prompts they are of, and the axes to try."""

    truth: Mapping[str, Mapping[str, str]]
    prompts: Sequence[str]
    axes: Mapping[str, Axis]

    def wanted(self) -> set[str]:
        """Return the axes that labels are known on."""
        return {name for labels in self.truth.values() for name in labels}

    def wanted_axes(self) -> dict[str, Axis]:
        """Return the axes to try on which labels are known."""
        wanted = self.wanted()
        return {name: axis for name, axis in self.axes.items() if name in wanted}


def _known(file: Path, axes: Mapping[str, Axis], spelling: KnownAxes) -> dict[ImageName, _Truth]:
    """Return what the truth says, image by image."""
    found: dict[ImageName, _Truth] = {}
    for written in read_labels(file, axis=next(iter(axes)) if len(axes) == 1 else None):
        try:
            row = spelling.read(written)
        except ImportFileError as error:
            raise ImportFileError(f"{file}: {written.where}: {error}") from error
        if row.person is not None:
            raise ImportFileError(
                f"{file}: {row.where}: has a person; allowed: one label per image and axis"
            )
        labels = found.setdefault(row.image, _Truth(row, {})).labels
        _take(labels, row.axis, row.label, row, file)
    _require_groups(found.values(), file, axes)
    return found


def _take(labels: dict[str, str], axis: str, label: str, row: LabelRow, file: Path) -> None:
    """Take in what is known of an image on an axis; raise where something else was said before."""
    if labels.setdefault(axis, label) != label:
        raise ImportFileError(
            f"{file}: {row.where}: {row.shown} is {label!r} here and {labels[axis]!r} before; "
            "allowed: one label per image and axis"
        )


def _require_groups(known: Iterable[_Truth], file: Path, axes: Mapping[str, Axis]) -> None:
    """Raise where there is nothing to try a measurer on."""
    given = {pair: None for one in known for pair in one.labels.items()}
    if not any(name in axes and label in axes[name].groups for name, label in given):
        on = one_of({repr(name): None for name, _ in given})
        raise ImportFileError(
            f"{file}: names no group of an axis that can be tried; got labels on {on}; allowed: "
            f"{one_of(axes)}; for other axes, name a study that has them with `study`"
        )


def _of_folder(
    audit: AuditFolder,
    folder: Path,
    known: Mapping[ImageName, _Truth],
    file: Path,
    axes: Mapping[str, Axis],
) -> _KnownImages:
    """Store the images that the truth names in an audit of their own."""
    if not folder.is_dir():
        raise ImportFileError(f"{folder}: no such folder; wanted: a folder of images, or an audit")
    records: list[ImageRecord] = []
    order = []
    for image, one in known.items():
        if not isinstance(image, Path):
            raise ImportFileError(
                f"{file}: {one.row.where}: names {one.row.shown}; images of a folder are named in "
                "a column image"
            )
        path = folder / image
        if not path.is_file():
            raise ImportFileError(f"{file}: {one.row.where}: {folder} has no image {image}")
        records.append(ImageRecord(PROMPT, len(records), "ok", None, path.read_bytes()))
        order.append(one.labels)
    audit.append_images(records)
    rows = audit.images().select("key, seed").fetchall()
    return _KnownImages({key: order[seed] for key, seed in rows}, [PROMPT], axes)


def _of_audit(
    audit: AuditFolder, known: Mapping[ImageName, _Truth], file: Path, axes: Mapping[str, Axis]
) -> _KnownImages:
    """Find the images of an audit that the truth names."""
    images = ImageNames(audit)
    prompts = dict(audit.images().select("key, prompt").fetchall())
    found: dict[str, dict[str, str]] = {}
    for image, one in known.items():
        try:
            keys = images.keys(image, shown=one.row.shown)
        except ImportFileError as error:
            raise ImportFileError(f"{file}: {one.row.where}: {error}") from error
        for key in keys:
            labels = found.setdefault(key, {})
            for axis, label in one.labels.items():
                _take(labels, axis, label, one.row, file)
    return _KnownImages(found, list(dict.fromkeys(prompts[key] for key in found)), axes)


def _imported(audit: AuditFolder, measurer: str | Measurer) -> tuple[Identity, ...]:
    """Return whose labels were imported under a name: they are in the audit, there is no model."""
    stored = audit.measurers()
    return tuple(one for one in stored if one.kind == IMPORTED_LABELS and one.name == measurer)


def _measured(audit: AuditFolder, measurer: str | Measurer, known: _KnownImages) -> Identity:
    """Let a measurer measure the images that it has not measured."""
    assert not isinstance(measurer, str), "open it first"
    require_valid([measurer.identity], audit.generator)
    axes = known.wanted_axes()
    groups = {name: list(axis.groups) for name, axis in axes.items()}
    texts = [text for axis in axes.values() for text in axis.texts()]
    measure_images(audit, [measurer], prompts=known.prompts, texts=texts, axes=groups)
    return measurer.identity


def _validated(
    audit: AuditFolder, measurer: Identity, known: _KnownImages, source: str
) -> ValidationSummary:
    axes = known.wanted_axes()
    texts = [text for axis in axes.values() for text in axis.texts()]
    shared = AuditData(audit, known.prompts, texts, axes=axes.values())
    prompts = shared.all_images(known.prompts)
    data = shared.of_study(prompts, measurer)
    images = data.images(prompts)
    found, skipped = [], []
    for name, axis in axes.items():
        labels = image_labels(images, name, axis, data)
        if labels is None:
            skipped.append(unlabelled(name, axis, data))
            continue
        judged = [
            Judged(
                known.truth[key][name],
                label.label,
                label.probability,
                {other: value for other, value in known.truth[key].items() if other != name},
            )
            for key, label in zip(images.keys, labels.chosen(), strict=True)
            if name in known.truth.get(key, {})
        ]
        found.append(validation_of(measurer, name, tuple(axis.groups), judged, source=source))
    lost = _lost(audit, measurer, known.truth.keys() - set(images.keys))
    without = [f"{counted(n, 'image')}: {reason}" for reason, n in lost.items()]
    skipped = [*skipped, *without] if images.n else without
    if not any(one.n for one in found):
        raise MeasurementError(f"{measurer.name}: nothing to validate: {skipped[0]}")
    others = tuple(sorted(known.wanted() - known.axes.keys()))
    return ValidationSummary(tuple(found), (), tuple(skipped), others)


def _lost(audit: AuditFolder, measurer: Identity, keys: Set[str]) -> Mapping[str, int]:
    """Count images without an answer by reason; one that has none is a copy of another."""
    if not keys:
        return {}
    rows = audit.measurements(measurer, columns=["key", "reason"]).fetchall()
    reasons = dict.fromkeys(keys, f"no label by {measurer.name}")
    reasons |= {key: reason or "the same as another image" for key, reason in rows if key in keys}
    return Counter(reasons.values())


def _together(parts: Sequence[ValidationSummary]) -> ValidationSummary:
    """Return one summary of all whose labels were imported under one name."""
    return replace(
        parts[0],
        validations=tuple(one for part in parts for one in part.validations),
        skipped=tuple(dict.fromkeys(line for part in parts for line in part.skipped)),
    )


def _stored(summary: ValidationSummary, store: bool, spelling: KnownAxes) -> ValidationSummary:
    """Store what tells how often a measurer is right; what does not displaces nothing."""
    told = [one for one in summary.validations if one.accuracy is not None]
    files = tuple(store_validation(one) for one in told) if store else ()
    return replace(summary, files=files, read_as=spelling.read_as)
