"""Real-world shares of a group by occupation, from a CSV file: a second baseline."""

from __future__ import annotations

import csv
import difflib
from pathlib import Path

from portrayal.errors import StudyError, one_of
from portrayal.kinds.amplification.schema import AmplificationStudy
from portrayal.numbers import fraction_among_percentages
from portrayal.studies import did_you_mean

_SCALES = {"percent": 1.0, "share": 100.0}
"""Columns that may hold the number, and what makes it a percentage."""
_NEAR = 0.8
"""Likeness from which a name counts as misspelt: tables list hundreds of occupations."""


def with_real_world(study: AmplificationStudy, file: Path) -> AmplificationStudy:
    """Return a study with real-world percentages of its group.

    Rows of other occupations are passed over, but for a name that is close to an occupation
    without a row.

    Args:
        study: The study.
        file: A CSV with the columns occupation and percent (0 to 100), or share (0 to 1).

    Raises:
        StudyError: The file cannot be read, says nothing about any occupation of the study, or
            has one misspelt.
    """
    names = {name.casefold(): name for name in study.occupations}
    found: dict[str, float] = {}
    others: dict[str, int] = {}
    for line, (name, value) in enumerate(_rows(file), start=2):
        known = names.get(name.casefold())
        if known is None:
            others[name] = line
            continue
        if known in found:
            raise StudyError(f"{file.name}, line {line}: {name!r} is there twice; each once")
        found[known] = value
    without = [name for name in study.occupations if name not in found]
    for name, line in others.items():
        if difflib.get_close_matches(
            name.casefold(), map(str.casefold, without), n=1, cutoff=_NEAR
        ):
            raise StudyError(
                f"{file.name}, line {line}: occupation is {name!r}{did_you_mean(name, without)}; "
                "allowed: the study's occupations; correct it, or delete the row if it is another "
                "occupation"
            )
    if not found:
        raise StudyError(
            f"{file.name}: no row is about an occupation of {study.name}, "
            f"such as {study.occupations[0]!r}"
        )
    return study.model_copy(update={"real_world": found, "real_world_source": file.name})


def _rows(file: Path) -> list[tuple[str, float]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened)
            names = list(reader.fieldnames or ())
            columns = [name for name in names if name in _SCALES]
            if "occupation" not in names or len(columns) != 1:
                raise StudyError(
                    f"{file.name}: has the columns {one_of(names) or 'none'}; "
                    "wanted: occupation, and percent (0 to 100) or share (0 to 1)"
                )
            rows = list(reader)
            _refuse_mixed_scales(file, [row[columns[0]] or "" for row in rows], columns[0])
            return [_row(file, i, row, columns[0]) for i, row in enumerate(rows, start=2)]
    except FileNotFoundError as error:
        raise StudyError(f"{file}: no such file; name a CSV of real-world shares") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{file}: cannot be read as CSV: {error}") from error


def _refuse_mixed_scales(file: Path, cells: list[str], column: str) -> None:
    """Refuse a column that contains fractions and percentages."""
    lines = {f"line {line}": cell.strip() for line, cell in enumerate(cells, start=2)}
    if column == "percent":
        problem = fraction_among_percentages(lines)
        if problem:
            raise StudyError(f"{file.name}, column percent: {problem}")
        return
    for where, text in lines.items():
        if text.endswith("%") or _above_one(text):
            raise StudyError(
                f"{file.name}, {where}: share is {text!r}; allowed: a number from 0 to 1 "
                "(write 0.4 for 40%, or rename the column percent and give all rows from 0 to 100)"
            )


def _above_one(text: str) -> bool:
    try:
        return float(text) > 1
    except ValueError:
        return False  # reported with its own line when the row is read


def _row(file: Path, line: int, row: dict[str, str], column: str) -> tuple[str, float]:
    text = (row[column] or "").strip().removesuffix("%").strip()
    try:
        value = float(text) * _SCALES[column]
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        limit = "0 to 100" if column == "percent" else "0 to 1"
        raise StudyError(
            f"{file.name}, line {line}: {column} is {row[column]!r}; allowed: a number from {limit}"
        )
    return (row["occupation"] or "").strip(), value
