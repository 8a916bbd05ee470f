"""Skin tone from colour: cheek patches against the Monk Skin Tone swatches, in CIELAB.

What is measured is the colour of pixels. Light, camera and a model's style dominate it, so every
case in which colour says little is "unknown", and the numbers say nothing about a person.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from portrayal.records import UNKNOWN

MONK_AXIS, TONE_AXIS = "Monk skin tone", "skin tone"

SWATCHES = (
    "f6ede4", "f3e7db", "f7ead0", "eadaba", "d7bd96", "a07e56", "825c43", "604134", "3a312a",
    "292420",
)  # fmt: skip
"""The Monk Skin Tone Scale (Monk 2019), lightest first, in sRGB."""

MONK = tuple(f"Monk {number}" for number in range(1, 11))
LIGHT, DARK = "light skin", "dark skin"

ITA_LIGHT, ITA_DARK = 28.0, 10.0
"""Degrees: "light skin" lies above the first, "dark skin" below the second.

The classes of Del Bino and Bernerd 2013: very light, light and intermediate above 28; brown and
dark below 10; "tan" between them is "unknown" on an axis of two groups.
"""

SIDE = 64
"""Pixels of the chip that cheeks are cut from."""
_CHEEKS = ((14, 24), (42, 52))
_ROWS = (29, 39)

ONE_HUE = 4.0
"""Distance from one line through grey, in the plane of a* and b*, that 98% of an image's pixels
stay below where it has no colours of its own: it is grey, tinted or sepia.
"""
CLIPPED = 250
"""From this value of a channel on, a pixel may be overexposed, which turns its hue."""
DARKEST, BRIGHTEST = 12.0, 96.0
"""Lightness of a cheek that is neither in the dark nor overexposed."""
UNEVEN = 20.0
"""Lightness by which two cheeks may differ before the light, not the skin, is measured."""
LIGHT_BESIDE, DARK_BESIDE = 0.65, 0.35
"""Luminance of a cheek, as a share of the face's brightest points, from which it may be light and
up to which it may be dark.

Highlights, teeth and the whites of the eyes reflect the light itself, so that this share stays the
same where an image is darker or brighter. Colour and share have to say the same.
"""
_FACE = (slice(6, 56), slice(12, 52))
_BRIGHTEST_PART = 0.99
HUES = (15.0, 100.0)
"""Degrees of hue that skin has in neutral light."""
FARTHEST = 20.0
"""Colour difference (CIE76) from the nearest swatch beyond which none is meant."""

Array = npt.NDArray[np.float64]


class ToneAnswer(NamedTuple):
    """What colour says of one face: labels by axis, and the angle where it can be told."""

    labels: Mapping[str, Mapping[str, float]]
    numbers: Mapping[str, float]


UNKNOWN_TONE = ToneAnswer({MONK_AXIS: {UNKNOWN: 1.0}, TONE_AXIS: {UNKNOWN: 1.0}}, {})


def is_monochrome(image: Image.Image) -> bool:
    """Tell whether an image has no colours of its own: grey, or a tint of grey.

    A tint turns all greys to one hue (and its complement, where lights and shadows are toned
    apart): in the plane of a* and b*, they lie on a line through grey.
    """
    small = image.copy()
    small.thumbnail((128, 128))
    pixels = np.asarray(small, dtype=np.float64).reshape(-1, 3)
    colours = to_lab(pixels[pixels.max(axis=1) < CLIPPED])[:, 1:]
    if not len(colours):
        return True
    _, directions = np.linalg.eigh(colours.T @ colours)
    off_the_line = np.abs(colours @ directions[:, 0])
    return bool(np.quantile(off_the_line, 0.98) < ONE_HUE)


def skin_tone(chip: Image.Image) -> ToneAnswer:
    """Tell the skin tone of an upright, frontal face from the cheek that is lit better.

    Two witnesses have to agree: the cheek's own colour, and its luminance beside the brightest
    points of the same face. Where they contradict each other, the light is measured and not the
    skin: everything is "unknown".

    The probability of an answer is the share of cheek pixels that it is nearest to; it is no
    probability of being right. "ITA" is the individual typology angle in degrees,
    atan2(L* - 50, b*), of the median cheek colour: higher is lighter.

    Args:
        chip: The face as `face_chips.chip` cuts it, SIDE pixels wide.
    """
    pixels = np.asarray(chip, dtype=np.float64)
    rows = slice(*_ROWS)
    sides = [to_lab(pixels[rows, slice(*columns)].reshape(-1, 3)) for columns in _CHEEKS]
    cheek, other = sorted(sides, key=lambda side: -float(np.median(side[:, 0])))
    lightness, a, b = np.median(cheek, axis=0)
    angle = float(typology_angle(lightness, b))
    beside = _luminance(lightness) / _brightest(pixels)
    if (
        not DARKEST <= lightness <= BRIGHTEST
        or lightness - np.median(other[:, 0]) > UNEVEN
        or not HUES[0] <= math.degrees(math.atan2(b, a)) <= HUES[1]
        or (angle > ITA_LIGHT and beside < LIGHT_BESIDE)
        or (angle < ITA_DARK and beside > DARK_BESIDE)
    ):
        return UNKNOWN_TONE
    tone = {UNKNOWN: 1.0} if ITA_DARK <= angle <= ITA_LIGHT else _tone(cheek)
    return ToneAnswer({MONK_AXIS: _monk(cheek), TONE_AXIS: tone}, {"ITA": angle})


def _monk(cheek: Array) -> dict[str, float]:
    """Return the share of pixels nearest to each swatch; far from all: "unknown"."""
    distances = np.linalg.norm(cheek[:, None] - _SWATCH_LAB[None], axis=2)
    nearest = np.where(distances.min(axis=1) <= FARTHEST, distances.argmin(axis=1), len(MONK))
    shares = np.bincount(nearest, minlength=len(MONK) + 1) / len(nearest)
    named = zip((*MONK, UNKNOWN), shares.tolist(), strict=True)
    return {name: share for name, share in named if share > 0}


def _tone(cheek: Array) -> dict[str, float]:
    angles = typology_angle(cheek[:, 0], cheek[:, 2])
    light, dark = float((angles > ITA_LIGHT).mean()), float((angles < ITA_DARK).mean())
    return {LIGHT: light, DARK: dark, UNKNOWN: max(0.0, 1 - light - dark)}


def _brightest(pixels: Array) -> float:
    """Return the luminance of the brightest points of a face, from 0 to 1."""
    lightness = to_lab(pixels[_FACE].reshape(-1, 3))[:, 0]
    return max(_luminance(float(np.quantile(lightness, _BRIGHTEST_PART))), 1e-6)


def _luminance(lightness: float) -> float:
    """Return the relative luminance (CIE Y, 0 to 1) of a lightness L*."""
    root = (lightness + 16) / 116
    return root**3 if root > 6 / 29 else 3 * (6 / 29) ** 2 * (root - 4 / 29)


def typology_angle(lightness: Array | float, yellowness: Array | float) -> Array:
    """Return the individual typology angle in degrees; higher is lighter.

    >>> float(typology_angle(70.0, 20.0))
    45.0
    """
    return np.asarray(np.degrees(np.arctan2(lightness - 50, yellowness)))


def to_lab(rgb: Array) -> Array:
    """Return CIELAB (D65, 2 degrees) of sRGB values from 0 to 255, one colour per row.

    >>> to_lab(np.array([[255.0, 255.0, 255.0]])).round(1) + 0.0
    array([[100.,   0.,   0.]])
    """
    share = rgb / 255
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    xyz = linear @ _TO_XYZ.T / _WHITE
    cut = (6 / 29) ** 3
    f = np.where(xyz > cut, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    lab = [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])]
    return np.stack(lab, axis=1)


_TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)
_WHITE = _TO_XYZ.sum(axis=1)
_SWATCH_LAB = to_lab(np.array([list(bytes.fromhex(one)) for one in SWATCHES], dtype=np.float64))
