"""What every image of an audit counts as: a group, or the reason why it is left out.

The same look at both sides of an amplification study: images that a model made, and images that
it was trained on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from portrayal.audit import AuditFolder
from portrayal.findings import (
    COPY,
    NO_EMBEDDING,
    NOT_FINITE,
    REFUSED,
    FloatArray,
    Measured,
    Shown,
    StoredVectors,
    StudyData,
    label_shown,
    people_seen,
    read_measured,
)
from portrayal.kinds.amplification.schema import FaceRule
from portrayal.records import Identity
from portrayal.studies import NOBODY, UNKNOWN, Axis

NO_IMAGE = "no image (it failed, or cannot be read)"
SHOWS_NOBODY = "shows nobody (the encoder's person question)"
UNCLEAR = "group unknown (probability below the threshold)"
NO_FACE = "no face"
SMALL_FACE = "no face that is sure and large enough"
SEVERAL_FACES = "more than one face"
NOT_LOOKED = "no face detector has looked"

FACES = "faces"
"""The kind of a face detector's identity."""


@dataclass(frozen=True, slots=True)
class MeasuredImages:
    """The images of an audit as one measurer, and perhaps a face detector, saw them.

    Attributes:
        labels: By image key, a group or a reason.
        groups: Labels that are groups.
        listing: Image keys by prompt, lowest seed first.
        vectors: Embeddings of the images; None where the measurer gives none.
    """

    labels: Mapping[str, str]
    groups: frozenset[str]
    listing: Mapping[str, list[str]] = field(repr=False)
    vectors: StoredVectors | None = field(repr=False)


def face_detector(audit: AuditFolder) -> Identity | None:
    """Return the face detector that has looked at an audit; None where none has.

    Where one has looked in the layout of version 0.1 and again since, the later look counts.
    """
    found = [one for one in audit.measurers() if one.kind == FACES]
    return max(found, key=lambda one: "people" in audit.columns(one), default=None)


def look(
    audit: AuditFolder, data: StudyData, name: str, axis: Axis, faces: FaceRule | None
) -> MeasuredImages | None:
    """Say what every image of an audit counts as; None where the measurer says nothing on the axis.

    Args:
        audit: The audit; need not be the one that `data` is of.
        data: Whose measurer looked, and the texts it has read.
        name: The axis's name.
        axis: The groups.
        faces: Which faces count; None: the person question of the axis decides.
    """
    asked = axis if faces is None else axis.model_copy(update={"person": (), "object": ()})
    measured = read_measured(audit, data.encoder)
    labels = _labels(audit, measured, data, name, asked)
    if labels is None:
        return None
    if faces is not None:
        without = _face_reasons(audit, faces)
        labels = {key: without.get(key, NOT_LOOKED) or label for key, label in labels.items()}
    listing = _listing(audit, labels, measured)
    labels |= {key: COPY for key in data.copies if key in labels}
    return MeasuredImages(labels, frozenset(axis.groups), listing, measured.vectors)


def _labels(
    audit: AuditFolder, measured: Measured, data: StudyData, name: str, axis: Axis
) -> dict[str, str] | None:
    """Label all images of an audit."""
    keys, vectors = list(measured.place), measured.vectors
    # Whom a person detector found for an encoder is not asked here: images count as a whole.
    people = people_seen(audit, data.encoder) if vectors is None else None

    def cosines(directions: FloatArray) -> FloatArray:
        if vectors is None or not keys:
            return np.zeros((len(keys), len(directions)))
        return np.nan_to_num(vectors.cosines(directions))

    shown = Shown(keys, None if vectors is None else cosines, measured.labels, people)
    found = label_shown(shown, name, axis, data)
    if found is None:
        return None
    words = {UNKNOWN: UNCLEAR, NOBODY: SHOWS_NOBODY}
    seen = zip(keys, found.labels.tolist(), measured.good.tolist(), strict=True)
    return {key: words.get(label, label) if ok else NOT_FINITE for key, label, ok in seen}


def _listing(
    audit: AuditFolder, labels: dict[str, str], measured: Measured
) -> dict[str, list[str]]:
    """Return image keys by prompt, and give images without an answer their reason."""
    columns = ("prompt", "seed", "key", "status")
    rows = audit.images(columns=columns).order("seed").fetchall()
    listing: dict[str, list[str]] = {}
    for prompt, _, key, status in rows:
        listing.setdefault(prompt, []).append(key)
        if status == "refused":
            labels[key] = REFUSED
        elif status != "ok":
            labels[key] = NO_IMAGE
        elif (why := measured.lack(key)) and key not in labels:
            labels[key] = why
    return listing


def _face_reasons(audit: AuditFolder, rule: FaceRule) -> Mapping[str, str | None]:
    """Return by image key why an image does not show exactly one face, or None."""
    detector = face_detector(audit)
    if detector is None:
        return {}
    (column,) = audit.columns(detector)
    rows = audit.measurements(detector, columns=["key", column]).fetchall()
    return {
        key: NO_EMBEDDING if text is None else face_reason(_faces(json.loads(text)), rule)
        for key, text in rows
    }


def _faces(stored: list[Any]) -> list[list[float]]:
    """Return left, top, width, height and confidence of each face, in either layout."""
    if stored and isinstance(stored[0], dict):
        boxes = [(*person["box"], person["confidence"]) for person in stored]
        return [
            [left, top, right - left, bottom - top, sure]
            for left, top, right, bottom, sure in boxes
        ]
    return stored


def face_reason(faces: list[list[float]], rule: FaceRule) -> str | None:
    """Say why an image's faces do not make it count; None where exactly one face is good.

    Args:
        faces: Left, top, width, height (as shares of the image) and confidence of each.
        rule: What a face must be.
    """
    sure = [face for face in faces if face[4] >= rule.confidence]
    large = [face for face in sure if min(face[2], face[3]) >= rule.size]
    if len(sure if rule.rule == "paper" else large) > 1:
        return SEVERAL_FACES
    if len(large) == 1:
        return None
    return SMALL_FACE if faces else NO_FACE
