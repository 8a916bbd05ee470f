"""A folder as a few files of bounded size, and back.

Machines that train may hand back only a few files of a few MiB each. The folder is written as one
plain tar (weights do not compress) with fixed times and owners, so that equal folders give equal
bytes, and cut into pieces.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from portrayal_practice.errors import PracticeError

PIECE = 15 * 1024 * 1024
NAME = "practice-model.tar"


def bundle(folder: Path, out: Path, *, piece: int = PIECE) -> list[Path]:
    """Write `folder` into `out` as pieces of at most `piece` bytes.

    Raises:
        PracticeError: If the folder contains no file.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise PracticeError(f"bundle: {folder} contains no file; train something first")
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files:
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size = path.stat().st_size
            with path.open("rb") as handle:
                tar.addfile(entry, handle)
    data = whole.getvalue()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob(f"{NAME}.*"):
        old.unlink()
    pieces = []
    for number, start in enumerate(range(0, len(data), piece)):
        path = out / f"{NAME}.{number:02d}"
        path.write_bytes(data[start : start + piece])
        pieces.append(path)
    return pieces


def unbundle(pieces_folder: Path, folder: Path) -> int:
    """Write the files of a bundle into `folder`; returns how many.

    Raises:
        PracticeError: If there is no bundle, or a piece of it is missing.
    """
    pieces = sorted(pieces_folder.glob(f"{NAME}.*"))
    expected = [f"{NAME}.{number:02d}" for number in range(len(pieces))]
    if not pieces or [path.name for path in pieces] != expected:
        raise PracticeError(
            f"bundle: {pieces_folder} holds {[p.name for p in pieces]}; "
            f"needed: {NAME}.00 and all pieces that follow"
        )
    data = io.BytesIO(b"".join(path.read_bytes() for path in pieces))
    try:
        with tarfile.open(fileobj=data, mode="r") as tar:
            tar.extractall(folder, filter="data")
            return len(tar.getnames())
    except tarfile.TarError as error:
        raise PracticeError(f"bundle: {pieces_folder} cannot be read: {error}") from error
