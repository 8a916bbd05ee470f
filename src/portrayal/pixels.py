"""A decoded image as everybody here looks at it: upright, in RGB, on white; and its fingerprint."""

from __future__ import annotations

import hashlib

from PIL import ExifTags, Image, ImageOps

from portrayal.records import Fingerprint

_SIXTEEN_BITS = 257
"""65,535 / 255: how many levels of 16 bits are one of 8."""

_UPRIGHT = 1
"""What a photograph's note says of its orientation where nothing is to be turned."""

COARSE = 8
"""Cells in each direction of the grid that an image's mean colours are taken on."""


def as_rgb(image: Image.Image) -> Image.Image:
    """Return an image as a person would see it on a white page.

    A photograph may be stored lying down with a note to turn it. Transparent pixels have a colour
    that nobody is meant to see. Grey of 16 bits would be cut to its lowest values. An upright RGB
    image is returned itself: copying a megapixel takes longer than anything else here.
    """
    image.load()
    if image.getexif().get(ExifTags.Base.Orientation, _UPRIGHT) != _UPRIGHT:
        image = ImageOps.exif_transpose(image)
    if image.mode == "RGB" and not image.has_transparency_data:
        return image
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen).convert("RGB")
    if image.mode.startswith("I"):
        grey = image.convert("I").point(lambda level: level * (1 / _SIXTEEN_BITS) + 0.5)
        return grey.convert("L").convert("RGB")
    return image.convert("RGB")


def fingerprint(image: Image.Image) -> Fingerprint:
    """Return what tells copies of an image from other images.

    Args:
        image: In RGB, as `as_rgb` returns it.
    """
    digest = hashlib.sha256(f"{image.width}x{image.height}".encode())
    digest.update(image.tobytes())
    coarse = image.resize((COARSE, COARSE), Image.Resampling.BOX)
    return Fingerprint(digest.hexdigest()[:32], coarse.tobytes())
