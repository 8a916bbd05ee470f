"""Which person detectors there are: object detectors of transformers, or faces with shoulders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from portrayal.errors import MeasurementError, one_of
from portrayal.loading import (
    choose_device,
    configuration_files,
    configuration_hash,
    find_source,
    first_line,
    import_extra,
    loading,
    weight_files,
    weights_hash,
)
from portrayal.measurers.clip import check_source, download
from portrayal.measurers.faces import DETECTORS, FaceDetector, open_face_detector
from portrayal.measurers.people import PersonBox, PersonDetector
from portrayal.records import Identity

PERSON = "person"
"""The class of an object detector that counts."""

LEAST_CONFIDENCE = 0.2
"""Less sure people are not even told."""

SHOULDERS = (0.5, 0.35, 0.9)
"""A face becomes head and shoulders: widened to each side, above and below, by shares of it."""


class ObjectDetector:
    """An object detector in the layout of transformers (DETR, YOLOS, RT-DETR, ...).

    Args:
        folder: Where model and image preparation lie.
        identity: What changes its answers.
        device: Where to run.

    Raises:
        MeasurementError: It knows no class "person".
    """

    def __init__(self, folder: Path, identity: Identity, *, device: str) -> None:
        self._torch = import_extra("torch", extra="models")
        transformers = import_extra("transformers", extra="models")
        options = {"local_files_only": True, "trust_remote_code": False}
        with loading(folder, "transformers", error=MeasurementError):
            self._model = transformers.AutoModelForObjectDetection.from_pretrained(
                folder, use_safetensors=True, **options
            ).to(device)
            self._prepare = transformers.AutoImageProcessor.from_pretrained(
                folder, backend="pil", **options
            )
        self._model.eval()
        names = self._model.config.id2label
        self._people = {int(i) for i, name in names.items() if str(name).lower() == PERSON}
        if not self._people:
            raise MeasurementError(
                f"{folder}: the detector has no class {PERSON!r}; it knows "
                f"{one_of([str(name) for name in names.values()][:8])}"
            )
        self.identity = identity

    def detect(self, images: Sequence[Image.Image]) -> list[list[PersonBox]]:
        """Return the people in each RGB image, the surest first."""
        # One by one: batches are padded, and what is found must not depend on the neighbours.
        return [self._look(image) for image in images]

    def _look(self, image: Image.Image) -> list[PersonBox]:
        inputs = self._prepare(images=[image], return_tensors="pt").to(self._model.device)
        with self._torch.inference_mode():
            outputs = self._model(**inputs)
        (found,) = self._prepare.post_process_object_detection(
            outputs, threshold=LEAST_CONFIDENCE, target_sizes=[(image.height, image.width)]
        )
        rows = zip(
            found["boxes"].tolist(), found["scores"].tolist(), found["labels"].tolist(), strict=True
        )
        people = [
            PersonBox(left, top, right, bottom, confidence)
            for (left, top, right, bottom), confidence, label in rows
            if label in self._people
        ]
        return sorted(people, key=lambda one: -one.confidence)


class FacePeople:
    """A face detector as a person detector: head and shoulders around every face."""

    def __init__(self, faces: FaceDetector) -> None:
        self._faces = faces
        known = faces.identity
        settings = {**known.settings, "shoulders": list(SHOULDERS)}
        self.identity = Identity("person-detector", f"faces:{known.name}", settings)

    def detect(self, images: Sequence[Image.Image]) -> list[list[PersonBox]]:
        """Return the people in each RGB image, the surest first."""
        side, above, below = SHOULDERS
        return [
            [
                PersonBox(
                    (face.left - side * face.width) * image.width,
                    (face.top - above * face.height) * image.height,
                    (face.left + (1 + side) * face.width) * image.width,
                    (face.top + (1 + below) * face.height) * image.height,
                    face.confidence,
                )
                for face in self._faces.detect(image)
            ]
            for image in images
        ]


def open_person_detector(name: str, *, device: str | None = None) -> PersonDetector:
    """Open a person detector by its name.

    Args:
        name: "faces:centerface" or another face detector behind "faces:", or an object detector
            of transformers by folder or Hub id.
        device: Where an object detector runs; by default a GPU where there is one.

    Raises:
        MeasurementError: There is no such detector, or it cannot be loaded safely.
        MissingExtra: It needs what is not installed.
    """
    if name.startswith("faces:") or name in DETECTORS:
        return FacePeople(open_face_detector(name.removeprefix("faces:")).detector)
    source = find_source(name, revision=None, download=download, error=MeasurementError)
    check_source(source)
    place = choose_device(device, error=MeasurementError)
    settings: dict[str, Any] = {
        "weights": weights_hash(source.folder, weight_files(source.folder)),
        "configuration": configuration_hash(source.folder, configuration_files(source.folder)),
        **({} if source.revision is None else {"revision": source.revision}),
    }
    identity = Identity("person-detector", source.name, settings)
    try:
        return ObjectDetector(source.folder, identity, device=place)
    except (MeasurementError, ImportError):
        raise
    except Exception as problem:  # a model folder is foreign input: anything may be wrong
        raise MeasurementError(
            f"{source.folder}: cannot be loaded: {first_line(problem)}"
        ) from problem
