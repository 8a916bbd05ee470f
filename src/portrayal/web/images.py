"""Images for the page: bytes from the audit, a few of them kept in memory."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from typing import NamedTuple

from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.pixels import as_rgb

KEPT_BYTES = 128 * 1024 * 1024

# By their first bytes, because what a file claims to be is decided elsewhere. Never SVG: it can
# hold scripts.
_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


class ImageFile(NamedTuple):
    """An image as a browser shows it."""

    data: bytes
    kind: str


class AuditImages:
    """Reads images of an audit; several raters see the same one within minutes.

    Args:
        audit: Where they are.
    """

    def __init__(self, audit: AuditFolder) -> None:
        self._audit = audit
        self._kept: OrderedDict[str, ImageFile] = OrderedDict()
        self._size = 0
        self._turn = threading.Lock()

    def read(self, image: str) -> ImageFile | None:
        """Return an image by its key; None where the audit no longer has it."""
        with self._turn:
            if image in self._kept:
                self._kept.move_to_end(image)
                return self._kept[image]
        data = self._audit.read_images([image]).get(image)
        if data is None:
            return None
        found = _shown(data)
        with self._turn:
            if image not in self._kept:
                self._kept[image] = found
                self._size += len(found.data)
            while self._size > KEPT_BYTES and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped.data)
        return found


def _shown(data: bytes) -> ImageFile:
    """Return bytes that every browser shows, with their media type."""
    for start, kind in _KINDS:
        if data.startswith(start):
            return ImageFile(data, kind)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageFile(data, "image/webp")
    with Image.open(io.BytesIO(data)) as image:
        written = io.BytesIO()
        as_rgb(image).save(written, "PNG")
    return ImageFile(written.getvalue(), "image/png")
