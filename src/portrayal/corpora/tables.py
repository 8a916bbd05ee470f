"""Tables of captions: CSV, TSV, JSON lines, and the Arrow files of Hugging Face `datasets`."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from portrayal.corpora.columns import Columns, images_column, link_column, text_column
from portrayal.corpora.listings import Listing, write_listing
from portrayal.corpora.problems import Problem
from portrayal.corpora.sources import ImageColumn, Place, shown
from portrayal.errors import CorpusError

_LOOKED_AT = 1000
"""Lines of JSON whose keys decide which columns there are."""


def list_table(place: Place, listing: Path, columns: Columns) -> Listing:
    """List a CSV or TSV table.

    Raises:
        CorpusError: It has no header, no column of captions, or a quote that is not closed.
    """
    tabs = place.path.lower().endswith(".tsv")
    # A caption of a megabyte is a problem to count, not one to stop at.
    csv.field_size_limit(sys.maxsize)
    try:
        return _list_cells(place, listing, columns, "\t" if tabs else ",", csv.QUOTE_MINIMAL)
    except csv.Error as error:
        if not tabs:
            raise CorpusError(str(error)) from error
    try:  # in tables parted by tabs a quote is often a letter like any other
        return _list_cells(place, listing, columns, "\t", csv.QUOTE_NONE)
    except csv.Error as error:
        raise CorpusError(str(error)) from error


def _list_cells(place: Place, listing: Path, columns: Columns, mark: str, quoting: Any) -> Listing:
    try:
        with place.open() as raw:
            lines = io.TextIOWrapper(raw, "utf-8-sig", errors="surrogateescape", newline="")
            with contextlib.closing(lines):
                reader = csv.reader(lines, delimiter=mark, quoting=quoting, strict=True)
                heads = [head.strip() for head in next(reader, [])]
                if not any(heads):
                    raise CorpusError("has no header")
                found = _held(pa.schema([(head, pa.string()) for head in heads]), place, columns)
                names = _names(found)
                schema = pa.schema([(name, pa.binary()) for name in names])
                places = [heads.index(name) for name in names]
                write_listing(listing, schema, _cells(reader, names, places))
    except OSError as error:
        raise CorpusError(f"cannot be read as a table: {error}") from error
    return found


def _cells(reader: Any, names: Sequence[str], places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield a row per line of a table.

    Raises:
        csv.Error: A quote is not closed, or closes in the middle of a cell. Read on, it would
            swallow the rows up to the next quote.
    """
    start = reader.line_num + 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise csv.Error(
                f'line {start}: a cell that begins with " does not end with one ({error}); close '
                'it, and write a quote inside a cell as ""'
            ) from error
        if cells is None:
            return
        start = reader.line_num + 1
        if cells:
            yield {
                name: cells[at].encode("utf-8", "surrogateescape") if at < len(cells) else None
                for name, at in zip(names, places, strict=True)
            }


def list_lines(place: Place, listing: Path, columns: Columns) -> Listing:
    """List a table of JSON lines; a line that is no object is left out and counted.

    Raises:
        CorpusError: No line is an object, or none has a caption.
    """
    damaged: list[int] = []
    try:
        with place.open() as raw:
            rows = _objects(raw, damaged)
            first = list(itertools.islice(rows, _LOOKED_AT))
            if not first:
                raise CorpusError("contains no line that is a JSON object")
            keys = dict.fromkeys(key for row in first for key, v in row.items() if _is_text(v))
            schema = pa.schema([(key, pa.string()) for key in keys])
            found = _held(schema, place, columns)
            names = _names(found)
            write_listing(
                listing,
                pa.schema([(name, pa.binary()) for name in names]),
                ({name: _bytes(row.get(name)) for name in names}
                 for row in itertools.chain(first, rows)),
            )  # fmt: skip
    except OSError as error:
        raise CorpusError(f"cannot be read: {error}") from error
    return _with_damage(found, place, damaged, "not a JSON object")


def _objects(raw: Any, damaged: list[int]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(raw, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            yield row
        else:
            damaged.append(number)


def _with_damage(found: Listing, place: Place, lines: Sequence[int], why: str) -> Listing:
    if not lines:
        return found
    where = f"{shown(place.path)}: line {lines[0]}: {why}"
    damage = Problem("damaged", len(lines), where)
    return Listing(found.text, found.images, found.link, (damage,))


def list_arrow(place: Place, listing: Path, columns: Columns) -> Listing:
    """List the captions of an Arrow file, as `Dataset.save_to_disk` writes it.

    Raises:
        CorpusError: It is none, or it is cut off.
    """
    rows = 0
    try:
        with place.open() as file:
            reader = open_arrow(file)
            text = text_column(reader.schema, columns.text)
            images = images_column(
                reader.schema, columns.images, text=text, root=columns.root_of(place.path)
            )
            link = link_column(reader.schema, text=text)
            names = [text, *([link] if link else [])]
            schema = pa.schema([(name, pa.binary()) for name in names])

            def listed() -> Iterator[dict[str, Any]]:
                nonlocal rows
                for batch in reader:
                    rows += len(batch)
                    cells = (batch.column(name).to_pylist() for name in names)
                    for values in zip(*cells, strict=True):
                        yield {n: _bytes(v) for n, v in zip(names, values, strict=True)}

            write_listing(listing, schema, listed())
    except (pa.ArrowException, OSError) as error:
        raise CorpusError(f"cannot be read as Arrow after row {rows}: {error}") from error
    held = None if images is None else ImageColumn("arrow", images.column, images.root)
    return Listing(text, held, link)


def open_arrow(file: Any) -> Any:
    """Return what yields the batches of an Arrow file: a stream, or one with a footer."""
    try:
        return pa.ipc.open_stream(file)
    except pa.ArrowInvalid:
        file.seek(0)
        whole = pa.ipc.open_file(file)
        batches = (whole.get_batch(i) for i in range(whole.num_record_batches))
        return pa.RecordBatchReader.from_batches(whole.schema, batches)


def _held(schema: pa.Schema, place: Place, columns: Columns) -> Listing:
    text = text_column(schema, columns.text)
    root = columns.root_of(place.path)
    images = images_column(schema, columns.images, text=text, root=root)
    return Listing(text, images, link_column(schema, text=text))


def _names(found: Listing) -> list[str]:
    image = [found.images.column] if found.images else []
    return list(dict.fromkeys([found.text, *image, *([found.link] if found.link else [])]))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, bytes):
        return value
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else None
