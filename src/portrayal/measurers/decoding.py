"""Image bytes turned into pixels, safely: bytes may be damaged, or a bomb."""

from __future__ import annotations

import io

from PIL import Image

from portrayal.measurers.protocol import Reason
from portrayal.pixels import as_rgb
from portrayal.records import FORMATS, MAX_PIXELS


def decode(data: bytes | None) -> Image.Image | Reason:
    """Return an image as it is looked at, or the reason why there is none."""
    if not data:
        return Reason("no image bytes")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return Reason("image too large")
            return as_rgb(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return Reason("image too large")
    except Exception:  # decoders of damaged bytes raise almost anything
        return Reason("corrupt image")
