"""Images of several people: each is found, cut out and embedded alone.

A detector says where people are, an encoder looks at every crop. What an image of several people
counts as is decided in the analysis, so the rule can change without looking at images again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy.typing as npt
from PIL import Image

from portrayal.measurers.answers import CheckedMeasurer
from portrayal.measurers.protocol import Answer, Encoder, FoundPerson, Given, Reason
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

    gives: Sequence[Given] = ("people",)

    def __init__(
        self, detector: PersonDetector, encoder: Encoder, *, confidence: float = LEAST_CONFIDENCE
    ) -> None:
        self._detector = detector
        self._encoder = CheckedMeasurer(encoder)
        self._confidence = confidence
        self.batch_size = self._encoder.batch_size
        seen_by = detector.identity
        settings = {
            "encoder": encoder.identity.digest,
            "detector": {"kind": seen_by.kind, "name": seen_by.name, **seen_by.settings},
            "confidence": confidence,
        }
        self.identity = Identity(KIND, f"{seen_by.name} and {encoder.identity.name}", settings)

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Return the box and the embedding of every person; nobody is an answer."""
        found = [
            clear_people(image, boxes, confidence=self._confidence)
            for image, boxes in zip(images, self._detector.detect(images), strict=True)
        ]
        embedded = self._embed([person.crop for people in found for person in people])
        answers: list[Answer | Reason] = []
        for image, people in zip(images, found, strict=True):
            rows = [(person, next(embedded)) for person in people]
            failed = [row for _, row in rows if isinstance(row, Reason)]
            told = [person.told(image.size, row) for person, row in rows if not failed]
            answers.append(failed[0] if failed else Answer(people=told))
        return answers

    def _embed(self, crops: Sequence[Image.Image]) -> Iterator[npt.ArrayLike | Reason]:
        for start in range(0, len(crops), self.batch_size):
            some = [self._encoder.prepare(crop) for crop in crops[start : start + self.batch_size]]
            for answer in self._encoder.measure(some):
                yield answer if isinstance(answer, Reason) else answer["embedding"]


@dataclass(frozen=True, slots=True)
class Person:
    """A person cut out of an image."""

    box: PersonBox
    crop: Image.Image

    def told(self, size: tuple[int, int], embedding: npt.ArrayLike | Reason) -> FoundPerson:
        """Return what is stored, with the box as shares of an image of this size."""
        assert not isinstance(embedding, Reason)
        width, height = size
        edges = (
            self.box.left / width,
            self.box.top / height,
            self.box.right / width,
            self.box.bottom / height,
        )
        return FoundPerson(
            box=[min(max(edge, 0.0), 1.0) for edge in edges],
            confidence=self.box.confidence,
            embedding=embedding,
        )


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
