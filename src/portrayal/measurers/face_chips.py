"""Faces cut out and turned upright, as the networks of dlib's age and gender models saw them.

Their training images were aligned by five landmarks (eye corners and nose); two of these, the eyes,
are what CenterFace tells, so a face is turned, moved and scaled by its eyes alone.
"""

from __future__ import annotations

import math

from PIL import Image

from portrayal.measurers.faces import Face

PADDING = 0.2
"""Of the face on every side, as in training."""

_LEFT_EYE = (0.2273300617250, 0.2213958465045)
_RIGHT_EYE = (0.7528139680048, 0.2212327962846)
"""Means of the eye corners in the template of dlib's `get_face_chip_details`."""

TURNED = 0.3
"""Eyes that are closer together than this share of the face's height: the head is turned.

A tenth of 72 frontal and turned faces is below it. Scaled by its eyes, such a face would fill the
chip with a nose, so its height takes their place.
"""


def eye_distance(face: Face, image: Image.Image) -> float:
    """Return the distance of a face's eyes in pixels; NaN where they are not known."""
    if face.eyes is None:
        return math.nan
    x1, y1, x2, y2 = face.eyes
    return math.hypot((x2 - x1) * image.width, (y2 - y1) * image.height)


def is_turned(face: Face, image: Image.Image) -> bool:
    """Tell whether a head is turned so far that one side of the face is hidden."""
    return not eye_distance(face, image) >= TURNED * face.height * image.height


def chip(image: Image.Image, face: Face, side: int) -> Image.Image:
    """Return a face upright, with its eyes at the template's places.

    Args:
        image: The RGB image.
        face: A face with eyes.
        side: Pixels of each side of the result; what lies outside the image is black.
    """
    assert face.eyes is not None
    first = complex(face.eyes[0] * image.width, face.eyes[1] * image.height)
    second = complex(face.eyes[2] * image.width, face.eyes[3] * image.height)
    least = TURNED * face.height * image.height
    if is_turned(face, image):
        middle = complex((face.left + face.width / 2) * image.width, ((first + second) / 2).imag)
        apart = abs(second - first)
        direction = (second - first) / apart if apart >= least / 2 else 1 + 0j
        first, second = middle - direction * least / 2, middle + direction * least / 2
    start, end = (complex(*_placed(eye, side)) for eye in (_LEFT_EYE, _RIGHT_EYE))
    scale = (second - first) / (end - start)
    origin = first - scale * start
    # One sample per pixel of the image, then averaged: a large face would be aliased otherwise.
    finer = max(1, math.ceil(abs(scale)))
    step = scale / finer
    matrix = (step.real, -step.imag, origin.real, step.imag, step.real, origin.imag)
    large = image.transform(
        (side * finer, side * finer), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR
    )
    return large.resize((side, side), Image.Resampling.BOX)


def _placed(eye: tuple[float, float], side: int) -> tuple[float, float]:
    x, y = ((PADDING + value) / (2 * PADDING + 1) * side for value in eye)
    return x, y
