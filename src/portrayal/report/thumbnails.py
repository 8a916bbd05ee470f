"""Small copies of images, embedded in the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

from portrayal.audit import AuditFolder
from portrayal.records import FORMATS, MAX_PIXELS

SIDE = 96
"""Longest side of an embedded image; the audit holds the originals."""


def thumbnails(audit: AuditFolder, keys: Sequence[str], *, side: int = SIDE) -> dict[str, str]:
    """Return data URIs of small WebP copies of images, by key."""
    return {key: data_uri(data, side) for key, data in audit.read_images(keys).items()}


def data_uri(encoded: bytes, side: int) -> str:
    """Return an image as a small WebP data URI; an oversized one becomes a grey box."""
    small = base64.b64encode(small_copy(encoded, side)).decode("ascii")
    return f"data:image/webp;base64,{small}"


def small_copy(encoded: bytes, side: int) -> bytes:
    """Return an image as a small WebP file; an oversized one becomes a grey box."""
    from PIL import Image

    from portrayal.pixels import as_rgb

    with Image.open(io.BytesIO(encoded), formats=FORMATS) as image:
        fits = image.width * image.height <= MAX_PIXELS
        small = as_rgb(image) if fits else Image.new("RGB", (side, side), "grey")
        small.thumbnail((side, side))
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=82)
    return buffer.getvalue()
