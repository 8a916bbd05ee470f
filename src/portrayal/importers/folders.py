"""A folder of images without a table: the folder that an image is in stands for its prompt."""

from __future__ import annotations

from pathlib import Path

from portrayal.errors import ImportFileError
from portrayal.importers.entries import Entry
from portrayal.importers.image_files import SUFFIXES, check_size


def read_folder(folder: Path) -> list[Entry]:
    """Return all images below a folder, hidden ones left out, in the order of their names."""
    files = sorted(
        file.relative_to(folder)
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES and file.is_file()
    )
    shown = [file for file in files if not any(part.startswith(".") for part in file.parts)]
    return [_entry(folder, file) for file in shown]


def _entry(folder: Path, file: Path) -> Entry:
    prompt = file.parent.as_posix() if file.parent.parts else folder.resolve().name

    def read() -> bytes:
        check_size(file.as_posix(), (folder / file).stat().st_size)
        try:
            return (folder / file).read_bytes()
        except OSError as error:
            raise ImportFileError(f"{file}: cannot be read: {error.strerror}") from error

    return Entry(file.as_posix(), prompt, None, file.as_posix(), read)
