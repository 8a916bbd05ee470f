"""Skin tone from colour: swatches, an independent conversion, and cases that are unknown."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from portrayal.measurers.skin_tone import (
    MONK_AXIS,
    SIDE,
    SWATCHES,
    TONE_AXIS,
    UNKNOWN_TONE,
    is_monochrome,
    skin_tone,
    to_lab,
)

HIGHLIGHT = "#e8e0d8"


def face(*colours: str, highlight: str = HIGHLIGHT) -> Image.Image:
    """Return a chip whose left and right half have these colours, and bright points in the eyes."""
    chip = Image.new("RGB", (SIDE, SIDE), colours[0])
    chip.paste(Image.new("RGB", (SIDE // 2, SIDE), colours[-1]), (SIDE // 2, 0))
    for x in (17, 43):
        chip.paste(highlight, (x, 18, x + 5, 21))
    return chip


def lit(colour: str, light: float) -> str:
    """Return a colour under so much more or less light."""
    linear = np.array([to_linear(one) for one in bytes.fromhex(colour.lstrip("#"))]) * light
    values = np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return "#" + bytes(np.clip(values * 255, 0, 255).round().astype(np.uint8)).hex()


def to_linear(value: int) -> float:
    """Return the linear light of an sRGB value."""
    return ((value / 255 + 0.055) / 1.055) ** 2.4 if value > 10 else value / 255 / 12.92


def answer(chip: Image.Image) -> str:
    """Return the most probable of the two groups and "unknown"."""
    found = skin_tone(chip).labels[TONE_AXIS]
    return max(found, key=lambda one: found[one])


def test_colours_convert_as_in_scikit_image() -> None:
    from skimage.color import rgb2lab

    colours = np.random.default_rng(0).integers(0, 256, (500, 3)).astype(np.float64)
    assert to_lab(colours) == pytest.approx(rgb2lab(colours / 255), abs=1e-2)


@pytest.mark.parametrize("number", range(1, 11))
def test_every_swatch_is_nearest_to_itself(number: int) -> None:
    found = skin_tone(face(f"#{SWATCHES[number - 1]}"))
    assert found.labels[MONK_AXIS] == {f"Monk {number}": 1.0}


def test_the_angle_falls_from_light_to_dark_and_gives_the_two_groups() -> None:
    angles = [skin_tone(face(f"#{one}")).numbers["ITA"] for one in SWATCHES]
    assert angles[0] > 80
    assert angles[-1] < -60
    assert np.corrcoef(angles, range(10))[0, 1] < -0.9
    assert skin_tone(face(f"#{SWATCHES[3]}")).labels[TONE_AXIS]["light skin"] == 1
    assert skin_tone(face(f"#{SWATCHES[6]}")).labels[TONE_AXIS]["dark skin"] == 1


@pytest.mark.parametrize(
    ("case", "chip"),
    [
        ("no light", face("#080504")),
        ("overexposed", face("#fffdfb")),
        ("blue light", face("#6070a0")),
        ("green light", face("#60a060")),
        ("light from one side", face("#d7bd96", "#825c43")),
        ("no bright point beside a dark cheek", face("#825c43", highlight="#825c43")),
    ],
)
def test_poor_light_is_unknown(case: str, chip: Image.Image) -> None:
    assert skin_tone(chip) == UNKNOWN_TONE, case


@pytest.mark.parametrize("light", [0.1, 0.2, 0.35, 0.6, 1.0, 1.2])
def test_dim_light_makes_no_light_skin_dark(light: float) -> None:
    for number in (1, 2, 3, 4, 5):
        chip = face(lit(SWATCHES[number - 1], light), highlight=lit(HIGHLIGHT, light))
        assert answer(chip) in ("light skin", "unknown"), number


@pytest.mark.parametrize("light", [0.7, 1.0, 1.5, 2.5, 4.0])
def test_bright_light_makes_no_dark_skin_light(light: float) -> None:
    for number in (7, 8, 9, 10):
        chip = face(lit(SWATCHES[number - 1], light), highlight=lit(HIGHLIGHT, light))
        assert answer(chip) in ("dark skin", "unknown"), number


def test_the_cheek_that_is_lit_better_decides() -> None:
    found = skin_tone(face(f"#{SWATCHES[3]}", lit(SWATCHES[3], 0.6)))
    assert found.labels[TONE_AXIS]["light skin"] == 1
    assert found.labels[MONK_AXIS] == {"Monk 4": 1.0}


def test_a_tone_between_the_groups_is_unknown() -> None:
    assert skin_tone(face(f"#{SWATCHES[5]}")).labels[TONE_AXIS] == {"unknown": 1.0}


def test_two_tones_in_one_cheek_share_the_probability() -> None:
    pixels = np.asarray(face(f"#{SWATCHES[5]}")).copy()
    pixels[25::2] = list(bytes.fromhex(SWATCHES[6]))
    found = skin_tone(Image.fromarray(pixels)).labels[MONK_AXIS]
    assert found == pytest.approx({"Monk 6": 0.5, "Monk 7": 0.5}, abs=0.11)


TINTS = [(1.0, 1.0, 1.0), (1.0, 0.97, 0.92), (1.0, 0.8, 0.6), (0.9, 0.7, 1.0), (0.6, 0.95, 1.0)]


@pytest.mark.parametrize("tint", TINTS)
@pytest.mark.parametrize("stored", ["PNG", "JPEG"])
def test_a_tint_of_grey_is_no_colour(tint: tuple[float, float, float], stored: str) -> None:
    data = pytest.importorskip("skimage.data")
    grey = np.asarray(Image.fromarray(data.astronaut()).convert("L"), dtype=np.float64)
    buffer = io.BytesIO()
    pixels = (grey[..., None] * tint).round().astype(np.uint8)
    Image.fromarray(pixels).save(buffer, stored, quality=85)
    assert is_monochrome(Image.open(buffer))


def test_sepia_is_no_colour_and_photographs_have_some() -> None:
    data = pytest.importorskip("skimage.data")
    astronaut, sepia = (
        Image.fromarray(data.astronaut()),
        np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]]),
    )
    toned = np.clip(data.astronaut() @ sepia.T, 0, 255).astype(np.uint8)
    assert is_monochrome(Image.fromarray(toned))
    assert is_monochrome(face("#777777"))
    # A whole photograph, a face with hardly anything else, cheeks alone, an orange cat.
    boxes = [(0, 0, 512, 512), (180, 70, 270, 190), (200, 130, 235, 160)]
    assert not any(is_monochrome(astronaut.crop(box)) for box in boxes)
    assert not is_monochrome(Image.fromarray(data.chelsea()))
