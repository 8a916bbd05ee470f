"""What is known of a measurer from images whose labels are known: stored under its identity.

Validations come from `portrayal validate`, which stores them for its user, and with packages. An
audit keeps those of its own measurers, so that its report can be made anywhere.
"""

from __future__ import annotations

import itertools
import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from portrayal.audit import AuditFolder, read_json, write_text
from portrayal.errors import AuditError
from portrayal.records import NOBODY, UNKNOWN, Identity
from portrayal.statistics import balanced_accuracy, share_interval

HOME = "PORTRAYAL_HOME"
"""The environment variable that names the folder of what is stored for a user."""

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Edges of the calibration curve."""


@dataclass(frozen=True, slots=True)
class GroupRecall:
    """How a measurer does on images of one group.

    Attributes:
        group: The group that images are known to show.
        labels: Images by the label that the measurer gave them; "unknown" is one.
        recall: Share of right labels among those that name a group; None without any.
        low: Lower bound of its interval.
        high: Upper bound of its interval.
    """

    group: str
    labels: Mapping[str, int]
    recall: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def n(self) -> int:
        """Images of the group."""
        return sum(self.labels.values())

    @property
    def known(self) -> int:
        """Images of the group whose label names a group."""
        return sum(n for label, n in self.labels.items() if label not in (UNKNOWN, NOBODY))

    @property
    def right(self) -> int:
        """Images with the right label."""
        return self.labels.get(self.group, 0)

    @property
    def counted(self) -> int:
        """Images that accuracy is about: all of a group that never gets a label naming a group.

        Shares would leave such a group out altogether, so "unknown" is no caution there.
        """
        return self.known or self.n


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """A point of the calibration curve: labels of similar probability.

    Attributes:
        probability: Their mean probability.
        right: Share of right ones.
        n: How many they are.
    """

    probability: float
    right: float
    n: int


@dataclass(frozen=True, slots=True)
class Validation:
    """How a measurer does on one axis, on images whose labels are known.

    Attributes:
        measurer: Whose labels.
        axis: On which axis.
        source: Which images, in words.
        groups: One entry per group.
        accuracy: Balanced accuracy over labels that name a group; a group without any such label
            counts as never right. None where images show fewer than two groups.
        low: Lower bound of its interval.
        high: Upper bound of its interval.
        calibration: The calibration curve.
        by: The groups again, apart by what else is known of the images: "skin tone: dark skin".
    """

    measurer: Identity
    axis: str
    source: str
    groups: tuple[GroupRecall, ...]
    accuracy: float | None
    low: float | None
    high: float | None
    calibration: tuple[CalibrationBin, ...] = ()
    by: Mapping[str, tuple[GroupRecall, ...]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Images, over all groups."""
        return sum(one.n for one in self.groups)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        found: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Validation:
        """Read what `as_dict` wrote.

        Raises:
            AuditError: It is no validation.
        """
        try:
            return _ADAPTER.validate_python(data)
        except ValidationError as error:
            raise AuditError(f"not a validation: {error.errors()[0]['msg']}") from error


_ADAPTER = TypeAdapter(Validation)


@dataclass(frozen=True, slots=True)
class Judged:
    """An image of which the group is known, and what a measurer said of it."""

    truth: str
    label: str
    probability: float
    about: Mapping[str, str] = field(default_factory=dict)


def validation_of(
    measurer: Identity,
    axis: str,
    groups: Sequence[str],
    judged: Sequence[Judged],
    *,
    source: str,
    confidence: float = 0.95,
) -> Validation:
    """Compute how a measurer does.

    Args:
        measurer: Whose labels.
        axis: The axis's name.
        groups: Its groups; images that are known to show none of them are left out.
        judged: The images.
        source: Which images, in words.
        confidence: Of the intervals.
    """
    counted = [one for one in judged if one.truth in groups]
    present = _shown(groups, counted)
    recalls = _recalls(present, counted, confidence)
    found = balanced_accuracy(
        [one.right for one in recalls], [one.counted for one in recalls], confidence=confidence
    )
    strata: dict[str, list[Judged]] = {}
    for one in counted:
        for name, value in one.about.items():
            strata.setdefault(f"{name}: {value}", []).append(one)
    by = {name: _recalls(_shown(present, some), some, confidence) for name, some in strata.items()}
    return Validation(
        measurer, axis, source, recalls, _finite(found.value), _finite(found.interval.low),
        _finite(found.interval.high), calibration(counted), by,
    )  # fmt: skip


def calibration(judged: Sequence[Judged]) -> tuple[CalibrationBin, ...]:
    """Return the calibration curve: of labels of similar probability, the share of right ones."""
    named = [
        one
        for one in judged
        if one.label not in (UNKNOWN, NOBODY) and math.isfinite(one.probability)
    ]
    found = []
    for low, high in itertools.pairwise(BINS):
        last = high == BINS[-1]
        some = [x for x in named if low <= x.probability < high or (last and x.probability == high)]
        if some:
            mean = sum(one.probability for one in some) / len(some)
            right = sum(one.truth == one.label for one in some) / len(some)
            found.append(CalibrationBin(mean, right, len(some)))
    return tuple(found)


def _shown(groups: Sequence[str], judged: Sequence[Judged]) -> list[str]:
    truths = {one.truth for one in judged}
    return [group for group in groups if group in truths]


def _recalls(
    groups: Sequence[str], judged: Sequence[Judged], confidence: float
) -> tuple[GroupRecall, ...]:
    found = []
    for group in groups:
        labels = Counter(one.label for one in judged if one.truth == group)
        plain = GroupRecall(group, dict(labels.most_common()))
        if plain.known:
            low, high = share_interval(plain.right, plain.known, confidence=confidence)
            plain = GroupRecall(group, plain.labels, plain.right / plain.known, low, high)
        found.append(plain)
    return tuple(found)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def user_folder() -> Path:
    """Return the folder of what is stored for a user; it need not exist."""
    given = os.environ.get(HOME)
    if given:
        return Path(given)
    shared = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(shared) / "portrayal"


def validations_folder() -> Path:
    """Return the folder of a user's validations, created where it does not exist.

    Raises:
        AuditError: It cannot be created or written to.
    """
    folder = user_folder() / "validations"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        raise AuditError(
            f"{folder}: validations cannot be stored there; name another place with the "
            f"environment variable {HOME}"
        )
    return folder


def store_validation(validation: Validation) -> Path:
    """Store a validation for every audit of this user; a later one of the same axis replaces it."""
    axis = "".join(c if c.isalnum() else "-" for c in validation.axis)
    file = validations_folder() / f"{validation.measurer.digest}-{axis}.json"
    write_text(file, json.dumps(validation.as_dict(), indent=1, ensure_ascii=False) + "\n")
    return file


def validations_for(
    audit: AuditFolder, measurers: Sequence[Identity], *, keep: bool = True
) -> list[Validation]:
    """Return what is known of an audit's measurers, and keep it with the audit.

    The user's own validation of an axis comes before what the audit kept, and that before what a
    package brings.

    Args:
        audit: The audit.
        measurers: Its measurers.
        keep: Whether to take the user's own and to keep all; False: only what anybody would find.
    """
    digests = {one.digest for one in measurers}
    found: dict[tuple[str, str], Validation] = {}
    kept = audit.validations()
    for data in (*_packaged(), *kept.values(), *(_own() if keep else ())):
        one = Validation.from_dict(data)
        if one.measurer.digest in digests:
            found[one.measurer.digest, one.axis] = one
    for (digest, axis), one in found.items():
        name = f"{digest}-{''.join(c if c.isalnum() else '-' for c in axis)}"
        if keep and kept.get(name) != one.as_dict():
            audit.remember_validation(name, one.as_dict())
    return list(found.values())


def is_validated(measurer: Identity) -> bool:
    """Tell whether a validation of a measurer is stored, by its user or with a package."""
    stored = map(Validation.from_dict, (*_packaged(), *_own()))
    return any(
        one.measurer.digest == measurer.digest and one.accuracy is not None for one in stored
    )


def _packaged() -> Iterator[dict[str, Any]]:
    for file in sorted(files("portrayal.findings").joinpath("known").iterdir(), key=str):
        if file.name.endswith(".json"):
            yield json.loads(file.read_text(encoding="utf-8"))


def _own() -> Iterator[dict[str, Any]]:
    folder = user_folder() / "validations"
    if folder.is_dir():
        yield from (read_json(file) for file in sorted(folder.glob("*.json")))
