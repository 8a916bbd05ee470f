"""Pictures of several people: where each person is, and what such a picture counts as.

portrayal ships no detector of people. Encoders look at a picture as a whole, and studies say so.
Who has a detector gives it this shape: crops of its boxes can be looked at one by one, and
`picture_label` says what a picture counts as then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from PIL import Image

from portrayal.records import Identity

UNKNOWN = "unknown"
NOBODY = "nobody"

LEAST_SIDE = 0.1
"""A person smaller than this share of the picture, in width or height, is background."""


class PersonBox(NamedTuple):
    """Where a person is, in pixels, and how sure the detector is (0 to 1)."""

    left: float
    top: float
    right: float
    bottom: float
    confidence: float


class PersonDetector(Protocol):
    """Finds people in pictures; the same picture has the same answer."""

    @property
    def identity(self) -> Identity:
        """Everything that changes what is found, and nothing else."""

    def detect(self, images: Sequence[Image.Image]) -> list[list[PersonBox]]:
        """Return the people in each RGB image, the surest first."""


def person_crops(
    image: Image.Image, boxes: Sequence[PersonBox], *, confidence: float = 0.5
) -> list[Image.Image]:
    """Return each person alone, in the order of the boxes.

    Args:
        image: The picture.
        boxes: Where people are; what reaches beyond the picture is cut.
        confidence: Less sure ones are left out, and those that are too small.
    """
    width, height = image.size
    crops = []
    for box in boxes:
        left, top = max(0, round(box.left)), max(0, round(box.top))
        right, bottom = min(width, round(box.right)), min(height, round(box.bottom))
        large = right - left >= LEAST_SIDE * width and bottom - top >= LEAST_SIDE * height
        if box.confidence >= confidence and large:
            crops.append(image.crop((left, top, right, bottom)))
    return crops


def picture_label(labels: Sequence[str]) -> str:
    """Return what a picture counts as, from the labels of its people.

    The label of most of them; "unknown" where two labels tie for most; "nobody" without people.

    >>> picture_label(["woman", "man", "woman"]), picture_label(["woman", "man"])
    ('woman', 'unknown')
    """
    if not labels:
        return NOBODY
    (first, most), *others = Counter(labels).most_common()
    return UNKNOWN if others and others[0][1] == most else first
