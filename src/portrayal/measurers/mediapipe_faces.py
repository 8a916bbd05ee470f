"""MediaPipe's face detector through its tasks interface, with a model file that the user names."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from PIL import Image

from portrayal.errors import MeasurementError
from portrayal.loading import import_extra
from portrayal.measurers.faces import KIND, LEAST_CONFIDENCE, Face
from portrayal.records import Identity


class MediaPipeFaces:
    """Finds faces with MediaPipe.

    Args:
        file: A face detection model (.tflite), for instance the full-range one of the paper.

    Raises:
        MissingExtra: mediapipe is not installed.
        MeasurementError: The file is no such model.
    """

    def __init__(self, file: Path) -> None:
        self._mediapipe = import_extra("mediapipe", extra="mediapipe")
        tasks = import_extra("mediapipe.tasks.python", extra="mediapipe")
        vision = import_extra("mediapipe.tasks.python.vision", extra="mediapipe")
        options = vision.FaceDetectorOptions(
            base_options=tasks.BaseOptions(model_asset_path=str(file)),
            min_detection_confidence=LEAST_CONFIDENCE,
        )
        try:
            self._detector = vision.FaceDetector.create_from_options(options)
        except (RuntimeError, ValueError) as error:
            raise MeasurementError(
                f"{file}: not a MediaPipe face detection model ({str(error).splitlines()[0][:120]})"
            ) from error
        content = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        self.identity = Identity(KIND, f"mediapipe {file.stem}", {"weights": content})

    def detect(self, image: Image.Image) -> list[Face]:
        """Return the faces in an RGB image, the surest first."""
        pixels = np.ascontiguousarray(image)
        shown = self._mediapipe.Image(image_format=self._mediapipe.ImageFormat.SRGB, data=pixels)
        width, height = image.size
        faces = []
        for found in self._detector.detect(shown).detections:
            box = found.bounding_box
            faces.append(
                Face(
                    box.origin_x / width,
                    box.origin_y / height,
                    box.width / width,
                    box.height / height,
                    float(found.categories[0].score),
                )
            )
        return sorted(faces, key=lambda face: -face.confidence)
