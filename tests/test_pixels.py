"""Images of every mode that services and folders hold, as they are looked at."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from portrayal.measurers.decoding import decode
from portrayal.pixels import as_rgb


def stored(image: Image.Image, kind: str = "PNG", **options: object) -> Image.Image:
    """Write an image and open it again, as decoders give it."""
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return Image.open(io.BytesIO(buffer.getvalue()))


def test_rgb_stays_as_it_is() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 4, 3), dtype=np.uint8)
    found = as_rgb(stored(Image.fromarray(pixels)))
    assert (found.mode, found.size) == ("RGB", (4, 5))
    assert np.array_equal(np.asarray(found), pixels)
    assert as_rgb(found) is found, "copies take time"


@pytest.mark.parametrize(
    ("rgba", "seen"),
    [
        ((0, 0, 0, 0), (255, 255, 255)),
        ((200, 10, 0, 255), (200, 10, 0)),
        ((0, 0, 0, 128), (127, 127, 127)),
        ((255, 0, 0, 51), (255, 204, 204)),  # by hand: 255 x (1 - 0.2) of white shines through
    ],
)
def test_what_is_transparent_lies_on_white(
    rgba: tuple[int, int, int, int], seen: tuple[int, int, int]
) -> None:
    for kind in ("PNG", "WEBP"):
        image = stored(Image.new("RGBA", (2, 2), rgba), kind, lossless=True, exact=True)
        assert as_rgb(image).getpixel((1, 1)) == seen


def test_a_transparent_colour_of_a_palette_is_white() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putpixel((1, 0), 1)
    found = as_rgb(stored(image, transparency=0))
    assert [found.getpixel((x, 0)) for x in (0, 1)] == [(255, 255, 255), (40, 50, 60)]


def test_grey_of_sixteen_bits_keeps_its_range() -> None:
    levels = np.array([[0, 257, 128, 32768, 65278, 65535]], dtype=np.uint16)
    found = np.asarray(as_rgb(stored(Image.fromarray(levels))))
    assert found[0, :, 0].tolist() == np.round(levels[0] / 257).astype(int).tolist()
    assert (found == found[..., :1]).all()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK", "RGBA"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    assert as_rgb(Image.new(mode, (3, 2))).mode == "RGB"


def test_a_photograph_is_turned_upright() -> None:
    lying = Image.new("RGB", (4, 2))
    note = lying.getexif()
    note[274] = 6
    assert as_rgb(stored(lying, "JPEG", exif=note)).size == (2, 4)


def test_measurers_see_the_same() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (2, 2), (0, 0, 0, 0)).save(buffer, "PNG")
    found = decode(buffer.getvalue())
    assert isinstance(found, Image.Image)
    assert found.getpixel((0, 0)) == (255, 255, 255)
