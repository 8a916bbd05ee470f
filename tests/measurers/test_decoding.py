from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from portrayal.measurers.decoding import MAX_PIXELS, decode
from portrayal.measurers.protocol import Reason

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 9, 3), dtype=np.uint8)


def encoded(kind: str, image: Image.Image | None = None, **options: object) -> bytes:
    buffer = io.BytesIO()
    (image or Image.fromarray(PIXELS)).save(buffer, kind, **options)
    return buffer.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """Return a PNG of a few bytes whose header promises a huge image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 100))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")


@pytest.mark.parametrize(("kind", "options"), [("PNG", {}), ("WEBP", {"lossless": True})])
def test_lossless_formats_come_back_exactly(kind: str, options: dict[str, object]) -> None:
    image = decode(encoded(kind, **options))
    assert isinstance(image, Image.Image)
    assert np.array_equal(np.asarray(image), PIXELS)


def test_jpeg_and_other_modes_become_rgb() -> None:
    for data in (
        encoded("JPEG"),
        encoded("PNG", Image.new("L", (3, 3))),
        encoded("PNG", Image.new("RGBA", (3, 3))),
        encoded("PNG", Image.new("P", (3, 3))),
        encoded("JPEG", Image.new("CMYK", (3, 3))),
    ):
        image = decode(data)
        assert isinstance(image, Image.Image)
        assert image.mode == "RGB"


def test_photographs_are_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # lying on its side
    image = decode(encoded("JPEG", exif=exif.tobytes()))
    assert isinstance(image, Image.Image)
    assert image.size == (6, 9)


@pytest.mark.parametrize("size", [(8001, 8001), (10_000, 10_000), (100_000, 100_000)])
def test_a_bomb_is_not_unpacked(size: tuple[int, int]) -> None:
    assert size[0] * size[1] > MAX_PIXELS
    assert decode(png_that_claims(*size)) == Reason("image too large")


@pytest.mark.parametrize(
    "data",
    [
        b"not an image",
        encoded("PNG")[:60],
        encoded("JPEG")[:200],
        encoded("PNG")[:40] + b"\xff" * 40 + encoded("PNG")[80:],
        encoded("GIF"),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        png_that_claims(50, 50),
    ],
)
def test_damaged_bytes_and_foreign_formats_have_a_reason(data: bytes) -> None:
    assert decode(data) == Reason("corrupt image")


def test_no_bytes() -> None:
    assert decode(None) == decode(b"") == Reason("no image bytes")
