"""Labels in a CSV or Parquet file: one row per image, axis and answer."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import ImageName
from portrayal.errors import ImportFileError, one_of
from portrayal.importers.columns import column_names, require_distinct

NAMING = (("key",), ("prompt", "seed"), ("image",), ("file_name",))
"""Columns that say which image a row is about; the first that are all there count."""

_OWN = frozenset(
    {*(name for one in NAMING for name in one), "axis", "label", "probability", "person"}
)


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A row of a label file.

    Attributes:
        where: Its place, for an error line: `row 3`.
        image: The image's key, its prompt and seed, or its path.
        axis: The axis's name.
        label: The answer.
        probability: From 0 to 1; None where the file says none.
        person: The number of the person in the image, from 1; None: the image as a whole.
    """

    where: str
    image: ImageName
    axis: str
    label: str
    probability: float | None
    person: int | None

    @property
    def shown(self) -> str:
        """What the image is called by, for an error line."""
        if isinstance(self.image, tuple):
            return f"prompt {self.image[0]!r} and seed {self.image[1]}"
        is_path = isinstance(self.image, Path)
        return f"{'image' if is_path else 'key'} {str(self.image)!r}"


def read_labels(file: Path, *, axis: str | None = None) -> list[LabelRow]:
    """Read a label file.

    Columns: `label`; `axis`; which image (`image`, the file's name; `key`; or `prompt` and `seed`);
    and, where known, `probability` and `person`. Columns may be written in any case;
    other columns are passed over.

    Args:
        file: CSV (separated by comma, semicolon or tab) or Parquet.
        axis: The axis of rows in a file without that column.

    Raises:
        ImportFileError: It is no such file; the first wrong row is named.
    """
    rows = list(_rows(file))
    if not rows:
        raise ImportFileError(f"{file}: has no rows; wanted: one row per label")
    heads = list(rows[0])
    naming = next((one for one in NAMING if set(one) <= set(heads)), None)
    if naming is None or "label" not in heads or ("axis" not in heads and axis is None):
        raise ImportFileError(
            f"{file}: row 1: needs the columns label, axis and image (or key, or prompt and seed), "
            f"and may have probability and person; got: {one_of(heads) or 'nothing'}"
        )
    found = []
    for number, cells in enumerate(rows, 2):
        try:
            found.append(_row(f"row {number}", cells, naming, axis))
        except ValueError as error:
            raise ImportFileError(f"{file}: row {number}: {error}") from error
    return found


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    if not file.is_file():
        raise ImportFileError(f"{file}: no such file; wanted: labels in CSV or Parquet")
    try:
        if file.suffix in (".parquet", ".pq"):
            names, rows = _parquet_rows(file)
        elif file.suffix in (".csv", ".tsv", ".txt"):
            names, rows = _csv_rows(file.read_text(encoding="utf-8-sig"))
        else:
            raise ImportFileError(
                f"{file}: {file.suffix or 'no ending'} is unknown; allowed: .csv, .tsv, .parquet"
            )
    except UnicodeDecodeError as error:
        raise ImportFileError(
            f"{file}: is no text in UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    except (ValueError, OSError, csv.Error) as error:  # pandas and Arrow raise kinds of these
        said = " ".join(str(error).split())[:160]
        raise ImportFileError(f"{file}: cannot be read: {said}") from error
    heads = column_names(names, _OWN)
    require_distinct(heads, file)
    for row in rows:
        yield {
            name: None if value is None or value != value or value == "" else value
            for name, value in itertools.zip_longest(heads, row)
        }


def _parquet_rows(file: Path) -> tuple[list[str], Iterable[Sequence[Any]]]:
    import pandas as pd

    frame = pd.read_parquet(file).astype(object)
    return [str(name) for name in frame.columns], frame.itertuples(index=False, name=None)


def _csv_rows(text: str) -> tuple[list[str], Iterable[Sequence[Any]]]:
    head = text.partition("\n")[0]
    mark = max((",", ";", "\t"), key=head.count)
    names, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=mark) if row] or [[]]
    for number, row in enumerate(rows, 2):
        if len(row) > len(names):
            raise ValueError(f"row {number} has {len(row)} cells, the first row {len(names)}")
    return names, rows


def _row(where: str, cells: dict[str, Any], naming: tuple[str, ...], axis: str | None) -> LabelRow:
    for name in naming:
        if cells[name] is None:
            raise ValueError(f"no {name}")
    on, label = cells.get("axis", axis), cells["label"]
    if on is None:
        raise ValueError("no axis")
    if label is None:
        raise ValueError('no label; where it is not known, write "unknown"')
    probability, person = cells.get("probability"), cells.get("person")
    return LabelRow(
        where,
        _image(cells, naming),
        str(on).strip(),
        str(label).strip(),
        None if probability is None else _probability(probability),
        None if person is None else _whole("person", person, least=1),
    )


def _image(cells: dict[str, Any], naming: tuple[str, ...]) -> ImageName:
    if naming == ("key",):
        return str(cells["key"]).strip()
    if len(naming) == 2:
        return str(cells["prompt"]), _whole("seed", cells["seed"], least=0)
    return Path(str(cells[naming[0]]).strip())


def _whole(name: str, value: Any, *, least: int) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number.is_integer() or number < least:
        raise ValueError(f"{name} is {value!r}; allowed: a whole number, {least} or more")
    return int(number)


def _probability(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number <= 1:
        raise ValueError(f"probability is {value!r}; allowed: 0 to 1")
    return number
