"""Small images for tests in which people look at them."""

from __future__ import annotations

import io

from PIL import Image


def png(number: int) -> bytes:
    """A PNG that differs from every other one."""
    written = io.BytesIO()
    Image.new("RGB", (8, 8), (number % 256, number // 256, 90)).save(written, "PNG")
    return written.getvalue()
