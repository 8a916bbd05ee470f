"""Real-world shares of a group by occupation, from a CSV file: a second baseline."""

from __future__ import annotations

import csv
from pathlib import Path

from portrayal.errors import StudyError, one_of
from portrayal.kinds.amplification.schema import AmplificationStudy

_SCALES = {"percent": 1.0, "share": 100.0}
"""Columns that may hold the number, and what makes it a percentage."""


def with_real_world(study: AmplificationStudy, file: Path) -> AmplificationStudy:
    """Return a study with real-world percentages of its group.

    Args:
        study: The study. Rows of other occupations are passed over.
        file: A CSV with the columns occupation and percent (0 to 100), or share (0 to 1).

    Raises:
        StudyError: The file cannot be read, or says nothing about any occupation of the study.
    """
    names = {name.casefold(): name for name in study.occupations}
    found: dict[str, float] = {}
    for line, (name, value) in enumerate(_rows(file), start=2):
        known = names.get(name.casefold())
        if known is None:
            continue
        if known in found:
            raise StudyError(f"{file.name}, line {line}: {name!r} is there twice; each once")
        found[known] = value
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
    """Refuse a column that contains fractions and percentages: nothing tells 0.4% from 40% there.

    A percentage below 1 that is meant as one carries a percent sign.
    """
    percents, fractions = {}, {}
    for line, cell in enumerate(cells, start=2):
        text = cell.strip()
        try:
            value = float(text.removesuffix("%"))
        except ValueError:
            continue  # reported with its own line when the row is read
        if text.endswith("%") or value > 1:
            percents[line] = text
        elif 0 < value < 1:
            fractions[line] = text
    if column == "share":
        if percents:
            line, text = next(iter(percents.items()))
            raise StudyError(
                f"{file.name}, line {line}: share is {text!r}; allowed: a number from 0 to 1 "
                "(write 0.4 for 40%, or rename the column percent and give all rows from 0 to 100)"
            )
    elif fractions:
        line, text = next(iter(fractions.items()))
        beside = "".join(f" beside {other!r} in line {at}" for at, other in [*percents.items()][:1])
        raise StudyError(
            f"{file.name}, line {line}: percent is {text!r}{beside}; allowed: all rows from 0 to "
            f"100 (write {float(text) * 100:g} for a fraction, or '{text}%' if less than 1% is "
            "meant)"
        )


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
