"""The measurer `faces` on a real photograph, on noise, and on faces that it cannot label."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from PIL import Image

from portrayal.errors import MissingExtra
from portrayal.measurers import face_labels as module
from portrayal.measurers import open_measurer
from portrayal.measurers.face_chips import chip, eye_distance, is_turned
from portrayal.measurers.face_labels import FaceLabels, age_band
from portrayal.measurers.faces import Face

GENDER = "perceived gender"


@pytest.fixture(scope="module")
def measurer() -> FaceLabels:
    opened = open_measurer("faces")
    assert isinstance(opened, FaceLabels)
    return opened


@pytest.fixture(scope="module")
def astronaut() -> Image.Image:
    from skimage import data

    return Image.fromarray(data.astronaut())


def people(measurer: FaceLabels, image: Image.Image) -> list[Any]:
    (answer,) = measurer.measure([image])
    assert isinstance(answer, dict)
    return list(answer["people"])


def best(labels: dict[str, float]) -> str:
    return max(labels, key=lambda one: labels[one])


def noise(seed: int, side: int = 256) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def test_the_astronaut_is_one_person_with_labels(
    measurer: FaceLabels, astronaut: Image.Image
) -> None:
    (person,) = people(measurer, astronaut)
    assert person["labels"][GENDER]["woman"] > 0.9
    assert best(person["labels"]["skin tone"]) in ("light skin", "unknown")
    assert set(person["labels"]) == set(measurer.axes)


@pytest.mark.parametrize("change", ["small", "large", "dark", "turned by 20 degrees", "mirrored"])
def test_labels_survive_harmless_changes(
    measurer: FaceLabels, astronaut: Image.Image, change: str
) -> None:
    changed = {
        "small": lambda: astronaut.resize((200, 200)),
        "large": lambda: astronaut.resize((1500, 1500)),
        "dark": lambda: astronaut.point(lambda value: int(value * 0.6)),
        "turned by 20 degrees": lambda: astronaut.rotate(20, Image.Resampling.BILINEAR),
        "mirrored": lambda: astronaut.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    }[change]()
    found = people(measurer, changed)
    assert best(found[0]["labels"][GENDER]) == "woman"


@pytest.mark.parametrize("light", [0.2, 0.35, 0.5, 0.7, 0.9])
def test_the_astronaut_has_no_dark_skin_in_dim_light(
    measurer: FaceLabels, astronaut: Image.Image, light: float
) -> None:
    dimmed = astronaut.point(lambda value: int(value * light))
    for person in people(measurer, dimmed):
        assert best(person["labels"]["skin tone"]) in ("light skin", "unknown")


def test_several_people_are_several_answers(measurer: FaceLabels, astronaut: Image.Image) -> None:
    twice = Image.new("RGB", (1024, 512))
    twice.paste(astronaut, (0, 0))
    twice.paste(astronaut, (512, 0))
    found = people(measurer, twice)
    assert [best(one["labels"][GENDER]) for one in found] == ["woman", "woman"]


def test_an_image_without_a_face_is_unknown_on_every_axis(measurer: FaceLabels) -> None:
    images = [noise(seed) for seed in range(12)] + [Image.new("RGB", (64, 48), "orange")]
    for answer in measurer.measure(images):
        assert isinstance(answer, dict)
        assert answer["people"] == []
        assert answer["labels"] == {axis: {"unknown": 1.0} for axis in measurer.axes}


def test_a_face_of_few_pixels_is_counted_and_unknown(
    measurer: FaceLabels, astronaut: Image.Image
) -> None:
    tiny = Image.new("RGB", (256, 256), "grey")
    tiny.paste(astronaut.resize((72, 72), Image.Resampling.LANCZOS), (90, 90))
    for person in people(measurer, tiny):
        assert person["labels"][GENDER] == {"unknown": 1.0}


@pytest.mark.parametrize("tint", [(1.0, 1.0, 1.0), (1.0, 0.97, 0.92)])
def test_a_grey_or_tinted_image_has_no_skin_tone(
    measurer: FaceLabels, astronaut: Image.Image, tint: tuple[float, float, float]
) -> None:
    grey = np.asarray(astronaut.convert("L"), dtype=np.float64)
    image = Image.fromarray((grey[..., None] * tint).round().astype(np.uint8))
    (person,) = people(measurer, image)
    assert person["labels"]["skin tone"] == {"unknown": 1.0}
    assert person["labels"]["Monk skin tone"] == {"unknown": 1.0}
    assert person["numbers"] == {}
    assert best(person["labels"][GENDER]) == "woman"


def test_a_coloured_photograph_keeps_its_skin_tone(
    measurer: FaceLabels, astronaut: Image.Image
) -> None:
    (before,) = people(measurer, astronaut)
    assert best(before["labels"]["skin tone"]) == "light skin"
    box = (170, 60, 280, 200)
    alone = astronaut.convert("L").convert("RGB")
    alone.paste(astronaut.crop(box), box[:2])
    (person,) = people(measurer, alone)
    assert best(person["labels"]["skin tone"]) == "light skin"


def test_eyes_stand_level_at_the_places_of_the_template() -> None:
    """Marked eyes of a turned face stand in the chip where dlib's template has eyes."""
    image = Image.new("RGB", (400, 400))
    marks = np.asarray(image).copy()
    marks[195:206, 145:156] = (255, 0, 0)
    marks[235:246, 255:266] = (0, 255, 0)
    image = Image.fromarray(marks)
    eyes = (150 / 400, 200 / 400, 260 / 400, 240 / 400)
    face = Face(0.2, 0.2, 0.6, 0.7, 0.9, eyes)
    cut = np.asarray(chip(image, face, 64), dtype=np.float64)
    assert not is_turned(face, image)
    assert eye_distance(face, image) == pytest.approx(np.hypot(110, 40))
    for channel, share in ((0, 0.22733), (1, 0.75281)):
        y, x = np.argwhere(cut[..., channel] > 60).mean(axis=0)
        assert (x + 0.5) / 64 == pytest.approx((share + 0.2) / 1.4, abs=0.02)
        assert (y + 0.5) / 64 == pytest.approx((0.2213 + 0.2) / 1.4, abs=0.02)


def test_a_head_in_profile_is_scaled_by_its_height() -> None:
    image = Image.new("RGB", (100, 100), "grey")
    profile = Face(0.3, 0.2, 0.3, 0.5, 0.9, (0.5, 0.4, 0.52, 0.4))
    frontal = profile._replace(eyes=(0.35, 0.4, 0.55, 0.4))
    assert is_turned(profile, image)
    assert not is_turned(frontal, image)
    assert chip(image, profile, 32).size == (32, 32)


def test_ages_are_told_in_bands_only_where_the_network_is_sure() -> None:
    years = np.zeros(81, np.float32)
    years[30] = 1
    assert age_band(years) == {"adult": 1.0, "unknown": 0.0}
    years[30], years[50] = 0.9, 0.1
    assert age_band(years) == {"unknown": 1.0}
    assert age_band(np.full(81, 1 / 81, np.float32)) == {"unknown": 1.0}


def test_without_its_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    hidden = {module._PACKAGE}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in hidden else real(name)
    )
    with pytest.raises(MissingExtra, match=r'pip install "portrayal\[faces\]"'):
        open_measurer("faces")
