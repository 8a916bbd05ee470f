"""Images for the viewer: small copies for galleries, made as they are asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from portrayal.audit import AuditFolder
from portrayal.report.thumbnails import small_copy
from portrayal.web import AuditImages, ImageFile

SIDE = 192
"""Longest side of a small copy."""
KEPT = 3000
AT_ONCE = 20
"""Images of a page that are read together: neighbours lie in the same part of a file."""


class SmallImages(AuditImages):
    """Reads images of an audit, and makes small copies.

    Args:
        audit: Where they are.
    """

    def __init__(self, audit: AuditFolder) -> None:
        super().__init__(audit)
        self._small: OrderedDict[str, bytes] = OrderedDict()
        self._together: dict[str, Sequence[str]] = {}
        self._reading = threading.Lock()

    def announce(self, keys: Sequence[str]) -> None:
        """Say which images a page will ask for one by one: they are read together."""
        for start in range(0, len(keys), AT_ONCE):
            group = tuple(keys[start : start + AT_ONCE])
            self._together |= dict.fromkeys(group, group)

    def small(self, key: str) -> ImageFile | None:
        """Return a small copy of an image; None where the audit does not have it."""
        with self._reading:
            if key not in self._small:
                group = self._together.pop(key, (key,))
                new = [one for one in group if one not in self._small]
                for found, data in self._audit.read_images(new).items():
                    self._small[found] = small_copy(data, SIDE)
                while len(self._small) > KEPT:
                    self._small.popitem(last=False)
            small = self._small.get(key)
        return None if small is None else ImageFile(small, "image/webp")
