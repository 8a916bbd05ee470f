"""A raters' file as rows of named cells: plain CSV, Mechanical Turk's CSV, Label Studio's JSON."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.errors import ImportFileError, one_of
from portrayal.raters.mapping import JOINT, Pattern, VoteMap
from portrayal.studies import did_you_mean

_LARGEST_CELL = 10_000_000
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class Row:
    """One vote as the file has it."""

    where: str
    cells: Mapping[str, str]

    def cell(self, column: str) -> str:
        """Return a cell; raise where the file has no such column."""
        if column not in self.cells:
            raise ImportFileError(
                f"{self.where}: no column {column!r}{did_you_mean(column, self.cells)}; "
                f"there are: {one_of(list(self.cells))}"
            )
        return self.cells[column].strip()

    def joined(self, columns: tuple[str, ...]) -> str:
        """Return several cells as one name."""
        return JOINT.join(self.cell(column) for column in columns)


def rows_of(path: Path, vote_map: VoteMap) -> Iterator[Row]:
    """Yield the votes of a file as rows of cells.

    Raises:
        ImportFileError: The file cannot be read.
    """
    text = _text(path)
    own = vote_map.columns_of(path.name)
    rows = (
        _label_studio(path.name, text)
        if vote_map.format == "labelstudio"
        else _votes(path.name, text, vote_map)
    )
    for row in rows:
        cells = {**row.cells, **{name: row.cell(column) for name, column in own.columns.items()}}
        yield _with_parts(Row(row.where, {**cells, **own.constants}), vote_map.patterns)


def table_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a CSV file whose first line names the columns.

    Raises:
        ImportFileError: The file cannot be read.
    """
    return _table(path.name, _text(path), delimiter_of(path))


def delimiter_of(path: Path) -> str:
    """Return what separates the cells of a CSV file: comma, semicolon or tab, by its first line.

    Raises:
        ImportFileError: The file cannot be read.
    """
    head = _text(path).partition("\n")[0]
    return max(_DELIMITERS, key=head.count)


def _with_parts(row: Row, patterns: Sequence[Pattern]) -> Row:
    """Return a row with the columns that are parts of others."""
    for pattern in patterns:
        text = row.cell(pattern.column)
        parts = pattern.parts(text)
        if parts is None:
            raise ImportFileError(
                f"{row.where}, column {pattern.column}: {text!r} does not match the pattern "
                f"{pattern.pattern}"
            )
        row = Row(row.where, {**row.cells, **parts})
    return row


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ImportFileError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise ImportFileError(
            f"{path}: not a text file in UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    except OSError as error:
        raise ImportFileError(f"{path}: cannot be read: {error.strerror}") from error


def _votes(name: str, text: str, vote_map: VoteMap) -> Iterator[Row]:
    for row in _table(name, text, vote_map.delimiter):
        mturk = vote_map.format == "mturk"
        yield Row(row.where, {**row.cells, **_task_answers(row)}) if mturk else row


def _table(name: str, text: str, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        if reader.fieldnames is None:
            raise ImportFileError(f"{name}: is empty; the first line names the columns")
        if len(set(reader.fieldnames)) < len(reader.fieldnames):
            double = next(one for one, n in Counter(reader.fieldnames).items() if n > 1)
            raise ImportFileError(f"{name}: the column {double!r} is there twice")
        for cells in reader:
            where = f"{name}, row {reader.line_num}"
            if not any(cells.values()):  # spreadsheets end in rows of nothing but commas
                continue
            if None in cells or None in cells.values():
                raise ImportFileError(
                    f"{where}: has {'more' if None in cells else 'fewer'} cells than the "
                    f"{len(reader.fieldnames)} columns of the first line"
                )
            yield Row(where, cells)
    except csv.Error as error:
        where = f"{name}, row {reader.line_num}"
        raise ImportFileError(f"{where}: not readable as CSV: {error}") from error


def _task_answers(row: Row) -> dict[str, str]:
    """Return the answers of a Mechanical Turk form that come as JSON in one column."""
    text = row.cells.get("Answer.taskAnswers")
    if not text:
        return {}
    try:
        answers = json.loads(text)
        fields = answers[0].items()
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        raise ImportFileError(f"{row.where}, column Answer.taskAnswers: not a JSON list") from error
    found: dict[str, str] = {}
    for name, value in fields:
        if isinstance(value, Mapping):
            found |= {f"Answer.{name}.{one}": _word(on) for one, on in value.items()}
        else:
            found[f"Answer.{name}"] = _word(value)
    return found


def _label_studio(name: str, text: str) -> Iterator[Row]:
    """Yield one row per annotation; an unanswered question, which the file leaves out, is empty."""
    found = list(_annotations(name, text))
    columns = dict.fromkeys(column for row in found for column in row.cells)
    for row in found:
        yield Row(row.where, {**dict.fromkeys(columns, ""), **row.cells})


def _annotations(name: str, text: str) -> Iterator[Row]:
    try:
        tasks = json.loads(text)
    except ValueError as error:
        raise ImportFileError(f"{name}: not valid JSON: {error}") from error
    if not isinstance(tasks, list):
        raise ImportFileError(f"{name}: not a list of tasks; export from Label Studio as JSON")
    for number, task in enumerate(tasks, start=1):
        where = f"{name}, task {number}"
        if not isinstance(task, Mapping):
            raise ImportFileError(f"{where}: not an object")
        if "annotations" not in task:  # the short export, "JSON-MIN": one object per annotation
            yield Row(where, {key: _word(value) for key, value in task.items()})
            continue
        about = {key: _word(value) for key, value in dict(task.get("data", {})).items()}
        for place, annotation in enumerate(task["annotations"], start=1):
            if annotation.get("was_cancelled"):
                continue
            cells = {"task": _word(task.get("id", number)), **about}
            cells["completed_by"] = _annotator(annotation.get("completed_by"))
            cells["completed_at"] = _word(annotation.get("updated_at"))
            cells |= _results(f"{where}, annotation {place}", annotation.get("result", []))
            yield Row(f"{where}, annotation {place}", cells)


def _annotator(value: Any) -> str:
    """Return who annotated: a number, or an object with the account."""
    if isinstance(value, Mapping):
        value = value.get("id", value.get("email", ""))
    return _word(value)


def _results(where: str, results: Any) -> dict[str, str]:
    cells = {}
    for result in results:
        try:
            name, kind = result["from_name"], result["type"]
            value = result["value"][{"textarea": "text"}.get(kind, kind)]
        except (KeyError, TypeError) as error:
            raise ImportFileError(f"{where}: a result without {error}") from error
        if isinstance(value, list):
            if kind == "choices" and len(value) > 1:
                raise ImportFileError(
                    f"{where}, column {name}: {len(value)} choices; a question takes one"
                )
            value = " ".join(_word(one) for one in value)
        cells[name] = _word(value)
    return cells


def _word(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
