"""People cropped out of a picture, and what a picture of several counts as."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from portrayal.measurement.people import PersonBox, person_crops, picture_label


def picture() -> Image.Image:
    """100 x 50 pixels whose red is their column and whose green is their row."""
    pixels = np.zeros((50, 100, 3), dtype=np.uint8)
    pixels[..., 0] = np.arange(100)[None, :]
    pixels[..., 1] = np.arange(50)[:, None]
    return Image.fromarray(pixels)


def test_crops_are_the_boxes() -> None:
    (crop,) = person_crops(picture(), [PersonBox(10, 5, 40, 45, 0.9)])
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
    (crop,) = person_crops(picture(), boxes)
    assert crop.size == (30, 50)
    assert len(person_crops(picture(), boxes, confidence=0.3)) == 2
    assert person_crops(picture(), []) == []


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], "nobody"),
        (["woman"], "woman"),
        (["man", "woman", "man"], "man"),
        (["man", "woman"], "unknown"),
        (["unknown", "unknown", "man"], "unknown"),
        (["man", "woman", "unknown"], "unknown"),
    ],
)
def test_most_people_decide(labels: list[str], expected: str) -> None:
    assert picture_label(labels) == expected
