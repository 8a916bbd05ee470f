"""What every image of an audit counts as: a group, or the reason why it is left out.

The same look at both sides of an amplification study: images that a model made, and images that
it was trained on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from portrayal.audit import Audit
from portrayal.findings.data import (
    NO_EMBEDDING,
    NOT_FINITE,
    NOT_MEASURED,
    REFUSED,
    StudyData,
    usable_rows,
)
from portrayal.findings.groups import classify, normalised
from portrayal.kinds.amplification.schema import FaceRule
from portrayal.records import Identity
from portrayal.studies.axes import NOBODY, UNKNOWN, Axis

NO_IMAGE = "no image (it failed, or cannot be read)"
SHOWS_NOBODY = "shows nobody (the encoder's person question)"
UNCLEAR = "group not clear (probability below the threshold)"
NO_FACE = "no face"
SMALL_FACE = "no face that is sure and large enough"
SEVERAL_FACES = "more than one face"
NOT_LOOKED = "no face detector has looked"

AT_ONCE = 16_384
"""Images that are classified together: memory stays near that of the embeddings alone."""

FACES = "faces"
"""The kind of a face detector's identity."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The images of an audit as one encoder, and perhaps a face detector, saw them.

    Attributes:
        labels: By image key, a group or a reason.
        groups: Labels that are groups.
        listing: Image keys by prompt, lowest seed first.
        place: Row of each embedded image in `vectors`.
        vectors: Normalised embeddings.
    """

    labels: Mapping[str, str]
    groups: frozenset[str]
    listing: Mapping[str, list[str]] = field(repr=False)
    place: Mapping[str, int] = field(repr=False)
    vectors: npt.NDArray[np.float32] = field(repr=False)


def face_detector(audit: Audit) -> Identity | None:
    """Return the face detector that has looked at an audit; None where none has."""
    return next((one for one in audit.measurers() if one.kind == FACES), None)


def look(audit: Audit, data: StudyData, axis: Axis, faces: FaceRule | None) -> Seen | None:
    """Say what every image of an audit counts as; None where texts have not been embedded.

    Args:
        audit: The audit; need not be the one that `data` is of.
        data: Whose encoder looked, and the texts it has read.
        axis: The groups.
        faces: Which faces count; None: the person question of the axis decides.
    """
    asked = axis if faces is None else axis.model_copy(update={"person": (), "object": ()})
    keys, vectors = audit.embeddings(data.encoder)
    if data.text_vectors(asked.texts()) is None:
        return None
    if not keys:
        nothing: dict[str, str] = {}
        listing = _listing(audit, nothing, data.encoder)
        return Seen(nothing, frozenset(axis.groups), listing, {}, np.zeros((0, 1), np.float32))
    good = usable_rows(vectors)
    words = {UNKNOWN: UNCLEAR, NOBODY: SHOWS_NOBODY}
    labels: dict[str, str] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        rows = normalised(np.where(good[some, None], vectors[some], 1.0).astype(np.float64))
        found = classify(rows, asked, data.text_vectors, logit_scale=data.logit_scale)
        if found is None:
            return None
        seen = zip(keys[some], found.labels.tolist(), good[some].tolist(), strict=True)
        labels |= {key: words.get(label, label) if ok else NOT_FINITE for key, label, ok in seen}
        vectors[some] = rows
    if faces is not None:
        without = _face_reasons(audit, faces)
        labels = {key: without.get(key, NOT_LOOKED) or label for key, label in labels.items()}
    listing = _listing(audit, labels, data.encoder)
    place = {key: row for row, key in enumerate(keys) if good[row]}
    return Seen(labels, frozenset(axis.groups), listing, place, vectors)


def _listing(audit: Audit, labels: dict[str, str], encoder: Identity) -> dict[str, list[str]]:
    """Return image keys by prompt, and give images without an embedding their reason."""
    unreadable = {
        key
        for (key,) in audit.measurements(encoder, columns=["key", "reason"])
        .filter("reason IS NOT NULL")
        .select("key")
        .fetchall()
    }
    rows = audit.images().select("prompt, seed, key, status").order("seed").fetchall()
    listing: dict[str, list[str]] = {}
    for prompt, _, key, status in rows:
        listing.setdefault(prompt, []).append(key)
        if status == "refused":
            labels[key] = REFUSED
        elif status != "ok":
            labels[key] = NO_IMAGE
        elif key not in labels:
            labels[key] = NO_EMBEDDING if key in unreadable else NOT_MEASURED
    return listing


def _face_reasons(audit: Audit, rule: FaceRule) -> Mapping[str, str | None]:
    """Return by image key why an image does not show exactly one face, or None."""
    detector = face_detector(audit)
    if detector is None:
        return {}
    rows = audit.measurements(detector, columns=["key", "faces"]).fetchall()
    return {
        key: NO_EMBEDDING if text is None else face_reason(json.loads(text), rule)
        for key, text in rows
    }


def face_reason(faces: list[list[float]], rule: FaceRule) -> str | None:
    """Say why an image's faces do not make it count; None where exactly one face is good.

    Args:
        faces: Left, top, width, height (as shares of the image) and confidence of each.
        rule: What a face must be.
    """
    sure = [face for face in faces if face[4] >= rule.confidence]
    large = [face for face in sure if min(face[2], face[3]) >= rule.size]
    if len(large) > 1:
        return SEVERAL_FACES
    if len(large) == 1:
        return None
    return SMALL_FACE if faces else NO_FACE
