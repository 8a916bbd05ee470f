"""Small copies of images, embedded in the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from portrayal.audit import AuditFolder
from portrayal.records import FORMATS, MAX_PIXELS

if TYPE_CHECKING:
    from PIL import Image

SIDE = 96
"""Longest side of an embedded image; the originals are in the audit."""


def thumbnails(audit: AuditFolder, keys: Sequence[str], *, side: int = SIDE) -> dict[str, str]:
    """Return data URIs of small WebP copies of images, by key."""
    return {key: data_uri(data, side) for key, data in audit.read_images(keys).items()}


def data_uri(encoded: bytes, side: int) -> str:
    """Return an image as a small WebP data URI, or a grey box; see `small_copy`."""
    small = base64.b64encode(small_copy(encoded, side)).decode("ascii")
    return f"data:image/webp;base64,{small}"


def small_copy(encoded: bytes, side: int) -> bytes:
    """Return an image as a small WebP file; one that is too large or corrupt becomes a grey box."""
    from PIL import Image

    small = _decoded(encoded) or Image.new("RGB", (side, side), "grey")
    small.thumbnail((side, side))
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=82)
    return buffer.getvalue()


def _decoded(encoded: bytes) -> Image.Image | None:
    from PIL import Image

    from portrayal.pixels import as_rgb

    try:
        with Image.open(io.BytesIO(encoded), formats=FORMATS) as image:
            return as_rgb(image) if image.width * image.height <= MAX_PIXELS else None
    except Exception:  # decoders of damaged bytes raise almost anything; measuring says why
        return None
