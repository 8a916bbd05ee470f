"""Are these bytes an image that can be measured? They come from anywhere."""

from __future__ import annotations

import importlib
import io
import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath

from portrayal.errors import ImportFileError, one_of
from portrayal.pixels import as_rgb, fingerprint
from portrayal.records import FORMATS, MAX_PIXELS, Fingerprint

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".avif", ".heic", ".heif")
_HEIC = (".heic", ".heif")
MAX_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class CheckedImage:
    """An image that can be decoded: its size in pixels as stored, and its fingerprint."""

    width: int
    height: int
    fingerprint: Fingerprint


def check_suffix(path: str) -> None:
    """Raise unless a file's name ends like an image that can be stored."""
    ending = PurePosixPath(path).suffix.lower()
    if ending not in SUFFIXES:
        raise ImportFileError(
            f"{path}: {ending or 'no ending'} is not an image format that can be imported; "
            f"allowed: {one_of(SUFFIXES)}"
        )


def check_size(path: str, size: int) -> None:
    """Raise where a file is too large to be one image."""
    if size > MAX_BYTES:
        raise ImportFileError(
            f"{path}: {size / 2**20:,.0f} MiB is too large for an image; allowed: "
            f"{MAX_BYTES // 2**20} MiB"
        )


def stored_bytes(path: str, data: bytes) -> bytes:
    """Return the bytes that are stored for a file: its own, and of HEIC a PNG of its pixels.

    Hardly anything reads HEIC, and an audit should be readable everywhere.

    Raises:
        ImportFileError: It is HEIC, and cannot be decoded.
    """
    if PurePosixPath(path).suffix.lower() not in _HEIC:
        return data
    try:
        pi_heif = importlib.import_module("pi_heif")
    except ImportError as error:
        raise ImportFileError(f'{path}: HEIC needs: pip install "portrayal[heic]"') from error
    from PIL import Image

    try:
        found = pi_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        width, height = found.size
        if width * height > MAX_PIXELS:
            raise ValueError(f"more than {MAX_PIXELS:,} pixels")
        data = bytes(found.data)
        image = Image.frombytes(found.mode, found.size, data, "raw", found.mode, found.stride)
    except Exception as error:  # decoders of damaged bytes raise almost anything
        why = " ".join(str(error).split()) or type(error).__name__
        raise ImportFileError(f"{path}: corrupt image: {why}") from error
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def check_image(path: str, data: bytes) -> CheckedImage:
    """Decode an image once, wholly, and return what is stored beside it.

    Raises:
        ImportFileError: It cannot be decoded, or has more pixels than any image has.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Too many pixels is ours to say, in words of ours.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise Image.DecompressionBombError
                return CheckedImage(width, height, fingerprint(as_rgb(image)))
    except Image.DecompressionBombError:
        raise ImportFileError(
            f"{path}: too many pixels for an image; allowed: {MAX_PIXELS:,}"
        ) from None
    except Exception as error:  # decoders of damaged bytes raise almost anything
        detail = " ".join(str(error).split())
        # Pillow names the object in memory that it could not identify, which tells nobody anything.
        why = "not a PNG, JPEG, WebP or AVIF image" if "cannot identify" in detail else detail
        raise ImportFileError(f"{path}: corrupt image: {why or type(error).__name__}") from error
