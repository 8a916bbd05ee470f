"""A folder of images without a table: the folder that an image is in stands for its prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from portrayal.errors import ImportFileError
from portrayal.importers.entries import Entry
from portrayal.importers.image_files import SUFFIXES, check_size

_OTHERS = frozenset({".bmp", ".gif", ".jfif", ".jp2", ".jxl", ".svg", ".tif", ".tiff"})


def read_folder(folder: Path) -> list[Entry]:
    """Return all images below a folder, hidden ones left out, in the order of their names."""
    files = sorted(file for file in _files(folder) if file.suffix.lower() in SUFFIXES)
    return [_entry(folder, file) for file in files]


def other_formats(folder: Path) -> dict[str, int]:
    """Count the images below a folder that are of formats which cannot be imported, by ending."""
    endings = (file.suffix.lower() for file in _files(folder))
    return dict(sorted(Counter(one for one in endings if one in _OTHERS).items()))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that are not hidden, by their place in it."""
    for file in folder.rglob("*"):
        place = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in place.parts):
            yield place


def _entry(folder: Path, file: Path) -> Entry:
    prompt = file.parent.as_posix() if file.parent.parts else folder.resolve().name

    def read() -> bytes:
        check_size(file.as_posix(), (folder / file).stat().st_size)
        try:
            return (folder / file).read_bytes()
        except OSError as error:
            raise ImportFileError(f"{file}: cannot be read: {error.strerror}") from error

    return Entry(file.as_posix(), prompt, None, file.as_posix(), read)
