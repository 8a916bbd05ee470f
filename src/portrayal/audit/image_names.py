"""The images of an audit by everything that a file from elsewhere may call them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from portrayal.errors import ImportFileError

if TYPE_CHECKING:
    from portrayal.audit.folder import AuditFolder

ImageName = str | tuple[str, int] | Path
"""An image's key, its prompt and seed, or a path that ends as its file's path does."""

_LISTED = 5
"""How many images a message lists."""


class ImageNames:
    """Finds images by key, by prompt and seed, or by the path of their file.

    Of a path, as many of its last parts count as both sides know: `b/1.png` and
    `/home/me/photos/b/1.png` mean the image `b/1.png`, and `c/1.png` does not. A bare name means
    an image where only one has it.

    Args:
        audit: The audit with the images.
    """

    def __init__(self, audit: AuditFolder) -> None:
        columns = "key, prompt, seed, status, image.path, pixel_hash"
        rows = audit.images(with_bytes=True).select(columns)
        self._audit = audit.path
        self._seeds: dict[tuple[str, int], str] = {}
        self._paths: dict[str, str] = {}
        self._pixels: dict[str, str | None] = {}
        self._whole: dict[str, list[str]] = {}
        self._ends: dict[str, list[str]] = {}
        self.statuses: dict[str, str] = {}
        for key, prompt, seed, status, path, pixels in rows.fetchall():
            self.statuses[key] = status
            self._seeds[prompt, seed] = key
            self._pixels[key] = pixels
            files = {f"{key}.png", f"{key}.jpg"}
            if path is not None:
                self._paths[key] = path
                whole, *ends = _endings(path)
                files.add(whole)
                for end in ends:
                    self._ends.setdefault(end, []).append(key)
            for file in files:
                self._whole.setdefault(file, []).append(key)

    @property
    def made(self) -> int:
        """Images that exist."""
        return sum(status == "ok" for status in self.statuses.values())

    def keys(self, name: ImageName, *, shown: str) -> Sequence[str]:
        """Return the key of the image that is meant; several where one file has several prompts.

        Args:
            name: What the image is called.
            shown: The same, for an error line.

        Raises:
            ImportFileError: It is no image of the audit, or it is not told which one.
        """
        found = self._made(self._meant(name), name, shown)
        if len(found) > 1 and not self._are_one_file(found):
            raise ImportFileError(self._ambiguous(found, shown))
        return found

    def key(self, *names: ImageName, shown: str) -> str:
        """Return the key of the one image that is meant.

        Args:
            names: What the image is called. Where one name means several images, the next ones
                tell them apart; where it means none, they take its place.
            shown: The same, for an error line.

        Raises:
            ImportFileError: It is no image of the audit, or it is not told which one.
        """
        found: Sequence[str] = ()
        for name in names:
            meant = self._meant(name)
            found = [key for key in found if key in meant] or found or meant
        (key, *others) = self._made(found, names[0], shown)
        if others:
            raise ImportFileError(self._ambiguous(found, shown))
        return key

    def _made(self, found: Sequence[str], name: ImageName, shown: str) -> Sequence[str]:
        """Return what was found; raise where that is nothing, or has no image."""
        if not found:
            raise ImportFileError(f"{shown} is not in {self._audit}; {self._hint(name)}")
        if (status := self.statuses[found[0]]) != "ok":
            raise ImportFileError(f"{shown} was {status}: it has no image; leave the row out")
        return found

    def _are_one_file(self, keys: Sequence[str]) -> bool:
        """Tell whether images are one file that was imported for several prompts."""
        files = {(self._paths.get(key), self._pixels[key]) for key in keys}
        return len(files) == 1 and None not in next(iter(files))

    def _ambiguous(self, keys: Sequence[str], shown: str) -> str:
        return (
            f"{shown} is the name of {len(keys)} images of {self._audit}: {self._listed(keys)}; "
            "name the image by more of its path, by its key, or by its prompt and seed"
        )

    def _meant(self, name: ImageName) -> Sequence[str]:
        """Return the keys of all images that a name may mean, also of those that were refused."""
        if isinstance(name, tuple):
            return [self._seeds[name]] if name in self._seeds else ()
        if isinstance(name, str):
            return [name] if name in self.statuses else ()
        for path in (name.as_posix(), name.as_posix().replace("\\", "/")):  # as Windows writes it
            whole, *ends = list(_endings(path)) or [""]
            if found := self._whole.get(whole) or self._ends.get(whole):
                return found
            for end in ends:  # the audit does not know the folders before it
                if found := self._whole.get(end):
                    return found
        return ()

    def _hint(self, name: ImageName) -> str:
        """Say what the audit's images are called."""
        if isinstance(name, Path):
            alike = self._ends.get(name.name) or self._whole.get(name.name)
            if alike:
                return f"perhaps meant: {self._listed(alike)}"
        by_path = next(iter(self._paths.values()), None)
        named = [] if by_path is None else [f"the path {by_path!r}"]
        named += [f"the key {key!r}" for key in list(self.statuses)[:1]]
        named += [f"the prompt {prompt!r} and the seed {n}" for prompt, n in list(self._seeds)[:1]]
        if not named:
            return "it has no images yet; import or generate them first"
        return f"allowed: {', or '.join(named)}, and those of its other images"

    def _listed(self, keys: Sequence[str]) -> str:
        """List images by their paths; by their keys where they have the same path, or none."""
        paths = [self._paths.get(key, "") for key in keys]
        names = paths if all(paths) and len(set(paths)) == len(paths) else keys
        rest = len(names) - _LISTED
        return f"{', '.join(names[:_LISTED])}{f' and {rest} others' if rest > 0 else ''}"


def _endings(path: str) -> Iterator[str]:
    """Yield a path, then what is left of it without its first folder, and so on.

    >>> list(_endings("/a/b/1.png"))
    ['a/b/1.png', 'b/1.png', '1.png']
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for start in range(len(parts)):
        yield "/".join(parts[start:])
