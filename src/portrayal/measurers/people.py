"""Images of several people: each is found, cut out and embedded alone.

A detector says where people are, an encoder looks at every crop. What an image of several people
counts as is decided in the analysis, so the rule can change without looking at images again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from PIL import Image

from portrayal.audit import ColumnType
from portrayal.measurers.protocol import Encoder, Reason
from portrayal.records import Identity

KIND = "people"
"""The kind of the identity by which the analysis finds people's embeddings."""

LEAST_SIDE = 0.1
"""A person smaller than this share of the image, in width or height, is background."""

LEAST_CONFIDENCE = 0.5


class PersonBox(NamedTuple):
    """Where a person is, in pixels, and how sure the detector is (0 to 1)."""

    left: float
    top: float
    right: float
    bottom: float
    confidence: float


class PersonDetector(Protocol):
    """Finds people in images; the same image has the same answer."""

    @property
    def identity(self) -> Identity:
        """Everything that changes what is found, and nothing else."""

    def detect(self, images: Sequence[Image.Image]) -> list[list[PersonBox]]:
        """Return the people in each RGB image, the surest first."""


class PeopleEncoder:
    """A measurer that embeds every person of an image alone.

    Args:
        detector: Finds people.
        encoder: Looks at each of them.
        confidence: Less sure people are left out.
    """

    columns: Mapping[str, ColumnType] = {"people": "json"}

    def __init__(
        self, detector: PersonDetector, encoder: Encoder, *, confidence: float = LEAST_CONFIDENCE
    ) -> None:
        self._detector = detector
        self._encoder = encoder
        self._confidence = confidence
        self.batch_size = encoder.batch_size
        seen_by = detector.identity
        settings = {
            "encoder": encoder.identity.digest,
            "detector": {"kind": seen_by.kind, "name": seen_by.name, **seen_by.settings},
            "confidence": confidence,
        }
        self.identity = Identity(KIND, f"{seen_by.name} and {encoder.identity.name}", settings)

    def measure(self, images: Sequence[Image.Image]) -> list[Mapping[str, Any] | Reason]:
        """Return the box and the embedding of every person; nobody is an answer."""
        found = [
            clear_people(image, boxes, confidence=self._confidence)
            for image, boxes in zip(images, self._detector.detect(images), strict=True)
        ]
        crops = [person.crop for people in found for person in people]
        seen = iter(self._embed(crops))
        answers: list[Mapping[str, Any] | Reason] = []
        for people in found:
            rows: list[Any] = [(person.box, next(seen)) for person in people]
            failed = next((row for _, row in rows if isinstance(row, Reason)), None)
            told = [
                {"box": [round(x, 1) for x in box], "embedding": [float(x) for x in row]}
                for box, row in rows
                if failed is None
            ]
            answers.append(failed or {"people": told})
        return answers

    def _embed(self, crops: Sequence[Image.Image]) -> list[Any]:
        size = self.batch_size
        rows: list[Any] = []
        for start in range(0, len(crops), size):
            for answer in self._encoder.measure(crops[start : start + size]):
                rows.append(answer if isinstance(answer, Reason) else answer["embedding"])
        return rows


@dataclass(frozen=True, slots=True)
class Person:
    """A person cut out of an image."""

    box: PersonBox
    crop: Image.Image


def clear_people(
    image: Image.Image, boxes: Sequence[PersonBox], *, confidence: float = LEAST_CONFIDENCE
) -> list[Person]:
    """Return each person alone, in the order of the boxes.

    Args:
        image: The image.
        boxes: Where people are; what reaches beyond the image is cut.
        confidence: Less sure ones are left out, and those that are too small.
    """
    width, height = image.size
    people = []
    for box in boxes:
        left, top = max(0, round(box.left)), max(0, round(box.top))
        right, bottom = min(width, round(box.right)), min(height, round(box.bottom))
        large = right - left >= LEAST_SIDE * width and bottom - top >= LEAST_SIDE * height
        if box.confidence >= confidence and large:
            people.append(Person(box, image.crop((left, top, right, bottom))))
    return people
