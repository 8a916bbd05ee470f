"""The images of an audit by everything that a file from elsewhere may call them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portrayal.audit.folder import AuditFolder


class ImageNames:
    """Finds images by key, by prompt and seed, or by the path or name of their file.

    Args:
        audit: The audit with the images.
    """

    def __init__(self, audit: AuditFolder) -> None:
        rows = audit.images(with_bytes=True).select("key, prompt, seed, status, image.path")
        self._keys: dict[object, list[str]] = {}
        self.statuses: dict[str, str] = {}
        for key, prompt, seed, status, path in rows.fetchall():
            self.statuses[key] = status
            names: list[object] = [key, (prompt, seed), Path(f"{key}.png"), Path(f"{key}.jpg")]
            if path is not None:
                names += dict.fromkeys([Path(path), Path(Path(path).name)])
            for name in names:
                self._keys.setdefault(name, []).append(key)

    @property
    def made(self) -> int:
        """Images that exist."""
        return sum(status == "ok" for status in self.statuses.values())

    def keys(self, name: str | tuple[str, int] | Path) -> Sequence[str]:
        """Return the keys of the images that a name may mean, also of those that were refused."""
        found = self._keys.get(name)
        if found is None and isinstance(name, Path):
            found = self._keys.get(Path(name.name))
        return found or ()
