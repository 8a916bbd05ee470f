"""A folder of images with a table: one row per image, its prompt, and whatever else is known."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PureWindowsPath

from portrayal.audit import RANKS
from portrayal.errors import ImportFileError, one_of
from portrayal.importers.columns import column_names, require_distinct
from portrayal.importers.entries import Entry, Problems, broken
from portrayal.importers.image_files import check_size, check_suffix, stored_bytes
from portrayal.records import Prompt, Status

NAMES = ("manifest.csv", "metadata.csv")
"""What a manifest is called where none is named; the second is what an export writes."""

_IMAGE = ("image", "file_name")
_OWN = frozenset({*_IMAGE, "prompt", "seed", "status", "reason"})
# An export writes these beside the factors; the audit finds them out again by itself.
_PASSED_OVER = frozenset({"key", "width", "height", "made_at"})
_DELIMITERS = (",", ";", "\t")


def read_manifest(folder: Path, manifest: Path, problems: Problems | None = None) -> list[Entry]:
    """Return the images that a manifest names.

    Args:
        folder: Where the images are.
        manifest: The table.
        problems: Takes note of broken rows; None: they are an error.

    Raises:
        ImportFileError: The table is not one, or rows are wrong; nothing has been read but it.
    """
    table = _Table(manifest)
    problems = problems or Problems("")
    problems.source = str(manifest)
    entries = []
    for number, cells in table.rows(problems):
        where = f"row {number}"
        try:
            entries.append(_entry(folder, where, cells))
        except ImportFileError as error:
            problems.add(where, str(error))
            if problems.skip and cells["prompt"]:
                entries.append(broken(where, cells["prompt"], str(error), _seed_or_none(cells)))
    problems.raise_any()
    if not entries:
        raise ImportFileError(f"{manifest}: has no rows; wanted: one row for each image")
    return entries


def manifest_prompts(manifest: Path) -> list[Prompt]:
    """Return the prompts that a manifest names, each with its factors and number of rows.

    A factor is a column whose value is the same in all rows of every prompt.

    Raises:
        ImportFileError: The table is not one, or names no prompt.
    """
    problems = Problems(str(manifest))
    rows: dict[str, list[dict[str, str]]] = {}
    for _, cells in _Table(manifest).rows(problems):
        if cells["prompt"]:
            rows.setdefault(cells["prompt"], []).append(cells)
    problems.raise_any()
    if not rows:
        raise ImportFileError(f"{manifest}: names no prompt")
    heads = [head for head in next(iter(rows.values()))[0] if head not in _OWN | _PASSED_OVER]
    factors = [
        head
        for head in heads
        if all(len({one[head] for one in own}) == 1 and own[0][head] for own in rows.values())
    ]
    return [
        Prompt(text, {head: own[0][head] for head in factors}, len(own))
        for text, own in rows.items()
    ]


class _Table:
    """A CSV file with a header, separated by comma, semicolon or tab."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines = _text(file)
        first = self._lines.split("\n", 1)[0]
        try:
            heads = {
                mark: next(csv.reader([first.rstrip("\r")], delimiter=mark), [])
                for mark in _DELIMITERS
            }
        except csv.Error as error:
            raise ImportFileError(f"{file}: row 1: not CSV: {error}") from error
        self._delimiter = max(heads, key=lambda mark: len(_OWN & set(_clean(heads[mark]))))
        self._heads = _clean(heads[self._delimiter])
        self._check_heads()

    def rows(self, problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield every row with its number as a spreadsheet shows it: the header is row 1.

        Args:
            problems: Takes note of rows with too many or too few cells.
        """
        reader = csv.reader(
            io.StringIO(self._lines, newline=""), delimiter=self._delimiter, strict=True
        )
        number = 1
        try:
            next(reader, None)
            for cells in reader:
                number += 1
                if not any(cell.strip() for cell in cells):
                    continue
                if len(cells) != len(self._heads):
                    problems.add(
                        f"row {number}",
                        f"{len(cells)} cells in {len(self._heads)} columns (a prompt with a comma "
                        "needs quotes)",
                    )
                    continue
                yield number, dict(zip(self._heads, (cell.strip() for cell in cells), strict=True))
        except csv.Error as error:
            raise ImportFileError(f"{self._file}: row {number + 1}: not CSV: {error}") from error

    def _check_heads(self) -> None:
        require_distinct(self._heads, self._file)
        if not set(_IMAGE) & set(self._heads) or "prompt" not in self._heads:
            got = one_of(self._heads) or "nothing"
            raise ImportFileError(
                f"{self._file}: row 1: needs the columns image and prompt (and may have seed, "
                f"status, reason and factors); got: {got}"
            )
        if "" in self._heads:
            raise ImportFileError(f"{self._file}: row 1: a column has no name")


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = error.object[: error.start].count(b"\n") + 1
        raise ImportFileError(
            f"{file}: row {row}: not UTF-8 (byte {error.object[error.start]:#04x}); "
            "save the table as CSV UTF-8"
        ) from error
    except FileNotFoundError as error:
        raise ImportFileError(f"{file}: no such file; wanted: a manifest in CSV") from error
    except OSError as error:
        raise ImportFileError(f"{file}: cannot be read: {error.strerror}") from error


def _clean(heads: Sequence[str]) -> list[str]:
    return column_names(heads, _OWN | _PASSED_OVER)


def _entry(folder: Path, where: str, cells: Mapping[str, str]) -> Entry:
    prompt = cells["prompt"]
    if not prompt:
        raise ImportFileError("no prompt")
    name = next(cells[head] for head in _IMAGE if head in cells)
    status = _status(cells.get("status", ""), name)
    path, read = _image(folder, name) if status == "ok" else (None, None)
    factors = {
        head: cell
        for head, cell in cells.items()
        if head not in _OWN and head not in _PASSED_OVER and cell
    }
    return Entry(
        where=where,
        prompt=prompt,
        seed=_seed(cells.get("seed", "")),
        path=path,
        read=read,
        status=status,
        reason=cells.get("reason") or None,
        factors=factors,
    )


def _status(cell: str, image: str) -> Status:
    for status in RANKS:
        if status == (cell or "ok"):
            if status != "ok" and image:
                raise ImportFileError(f"status {status} with an image ({image}); leave one empty")
            return status  # type: ignore[return-value]
    raise ImportFileError(f"status {cell!r} is unknown; allowed: {one_of(RANKS)}, or empty for ok")


def _seed(cell: str) -> int | None:
    if not cell:
        return None
    if not (cell.isascii() and cell.isdigit() and int(cell) < 2**63):
        raise ImportFileError(f"seed {cell!r} is not a whole number from 0 on")
    return int(cell)


def _seed_or_none(cells: Mapping[str, str]) -> int | None:
    try:
        return _seed(cells.get("seed", ""))
    except ImportFileError:
        return None


def _image(folder: Path, name: str) -> tuple[str, Callable[[], bytes]]:
    """Return an image's name within the folder, and what reads it."""
    if not name:
        raise ImportFileError("no image (a request without one needs the status refused or failed)")
    if Path(name).is_absolute() or PureWindowsPath(name).drive:
        raise ImportFileError(f"{name}: an absolute path; wanted: one within {folder}")
    inside = Path(os.path.normpath(name))
    try:
        if not (folder / inside).exists() and "\\" in name:  # written on Windows
            inside = Path(os.path.normpath(name.replace("\\", "/")))
        file = folder / inside
        if ".." in inside.parts or not file.resolve().is_relative_to(folder.resolve()):
            raise ImportFileError(f"{name}: leaves the folder {folder}")
        check_suffix(inside.as_posix())
        if not file.is_file():
            raise ImportFileError(f"{name}: no such image in {folder}")
        check_size(name, file.stat().st_size)
    except (OSError, ValueError) as error:  # a name that no file can have
        raise ImportFileError(f"{name[:80]!r}: no file can be called that") from error
    except RuntimeError as error:  # links that lead to each other
        raise ImportFileError(f"{name[:80]!r}: a link that leads in a circle") from error
    path = inside.as_posix()
    return path, lambda: stored_bytes(path, _read(file))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ImportFileError(f"{file}: cannot be read: {error.strerror}") from error
