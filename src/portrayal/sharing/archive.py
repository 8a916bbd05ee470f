"""A bundle as one file: a zip archive in which every changed byte is noticed.

The archive's comment is the SHA-256 of all bytes before it, so nothing in it can change unnoticed,
neither a file nor the archive's own tables. Who changes the file on purpose can compute the comment
again: compare the SHA-256 of the whole file with the one that was published.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path, PurePosixPath

from portrayal.errors import BundleError

_MARK = b"sha256:"
_COMMENT = len(_MARK) + 64
_EPOCH = (1980, 1, 1, 0, 0, 0)
_BLOCK = 1 << 20
_COMPRESSED = (".json", ".html", ".md", ".txt", ".cff")
MOST_GROWTH = 200
"""An archive whose files are so many times its size was made to fill a disk."""


def pack(folder: Path, file: Path) -> None:
    """Write all files of a folder into an archive; the same files give the same bytes.

    Raises:
        BundleError: The file is there already, or cannot be written.
    """
    try:
        with zipfile.ZipFile(file, "x", allowZip64=True) as archive:
            for path in sorted(one for one in folder.rglob("*") if one.is_file()):
                if not path.name.startswith("."):
                    _add(archive, path, path.relative_to(folder).as_posix())
            archive.comment = _MARK + b"0" * 64
        digest = _digest(file)
        with file.open("r+b") as opened:
            opened.seek(-64, os.SEEK_END)
            opened.write(digest.encode())
    except FileExistsError:
        raise BundleError(f"{file}: it is there already; choose another `out`") from None
    except OSError as error:
        raise BundleError(f"{file}: cannot be written: {error.strerror}") from error


def unpack(file: Path, folder: Path) -> None:
    """Check an archive and write its files into a folder.

    Raises:
        BundleError: It is no bundle, or one of its bytes was changed.
    """
    try:
        size = file.stat().st_size
        with zipfile.ZipFile(file) as archive:
            said = archive.comment
            whole = said.startswith(_MARK) and said[len(_MARK) :].decode("ascii") == _digest(file)
            if not whole:
                raise BundleError(f"{file}: its bytes are not those that were written")
            if sum(one.file_size for one in archive.infolist()) > MOST_GROWTH * size:
                raise BundleError(f"{file}: its files are far larger than the archive")
            for one in archive.infolist():
                _extract(archive, one, folder, file)
    except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"{file}: not a bundle, or damaged: {error}") from error
    except OSError as error:
        raise BundleError(f"{file}: cannot be read: {error.strerror or error}") from error


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    about = zipfile.ZipInfo(name, _EPOCH)
    about.external_attr = 0o644 << 16
    stored = path.suffix not in _COMPRESSED
    about.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, archive.open(about, "w", force_zip64=True) as goal:
        while block := source.read(_BLOCK):
            goal.write(block)


def _extract(archive: zipfile.ZipFile, one: zipfile.ZipInfo, folder: Path, file: Path) -> None:
    inside = PurePosixPath(one.filename)
    if inside.is_absolute() or ".." in inside.parts or "\\" in one.filename or one.is_dir():
        raise BundleError(f"{file}: holds {one.filename!r}, which is no file inside a bundle")
    goal = folder.joinpath(*inside.parts)
    goal.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(one) as source, goal.open("wb") as written:
        while block := source.read(_BLOCK):
            written.write(block)


def _digest(file: Path) -> str:
    """Return the SHA-256 of all bytes before the comment."""
    found = hashlib.sha256()
    left = file.stat().st_size - _COMMENT
    with file.open("rb") as opened:
        while left > 0 and (block := opened.read(min(_BLOCK, left))):
            found.update(block)
            left -= len(block)
    return found.hexdigest()
