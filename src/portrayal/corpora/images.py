"""The images of captions, read where they lie: in the table, in files, in tars.

Every image is decoded once before it is handed on, so what comes is an image; what cannot be
had comes as the reason. URLs are never fetched: an image that is only linked is no image here.
"""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.corpora.sources import CorpusFile, ImageColumn, Place
from portrayal.corpora.tables import open_arrow
from portrayal.errors import CorpusError
from portrayal.loading import first_line
from portrayal.records import FORMATS, MAX_PIXELS

MAX_BYTES = 256 * 2**20
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a caption has no image."""

    text: str


Row = tuple[int, int]
"""A source's number and a row in it."""
Answer = bytes | Unreadable


def read(
    sources: Sequence[CorpusFile],
    place: Callable[[CorpusFile], Place],
    listing: Callable[[CorpusFile], Place],
    rows: Iterable[Row],
) -> Iterator[tuple[Row, Answer]]:
    """Yield the image of each row, in the order of sources and rows, each row once.

    Raises:
        CorpusError: A row's source or number does not exist.
    """
    wanted: dict[int, list[int]] = {}
    for source, row in sorted({(int(source), int(row)) for source, row in rows}):
        if not 0 <= source < len(sources) or not 0 <= row < sources[source].rows:
            raise CorpusError(f"source {source} row {row}: there is no such caption")
        wanted.setdefault(source, []).append(row)
    for number, own in wanted.items():
        one = sources[number]
        for row, answer in _of_source(one, place(one), listing(one), own):
            yield (number, row), _checked(answer)


def _of_source(
    source: CorpusFile, place: Place, listing: Place, rows: Sequence[int]
) -> Iterator[tuple[int, Answer]]:
    how = source.images
    if how is None:
        for row in rows:
            yield row, Unreadable("no image: the source has captions only")
        return
    columns = [how.column, "offset", "bytes"] if how.kind == "tar" else [how.column]
    done = 0
    try:
        with contextlib.ExitStack() as stack:
            held = Place(how.root) if how.root else place
            tar = stack.enter_context(held.open()) if how.kind == "tar" else None
            cells = (
                _arrow_values(place, how.column, rows)
                if how.kind == "arrow"
                else cell_values(listing, columns, rows)
            )
            for row, values in cells:
                done += 1
                yield row, _answer(how, values, tar)
    except (pa.ArrowException, OSError, CorpusError) as error:
        said = str(error) if isinstance(error, CorpusError) else first_line(error)
        for row in rows[done:]:
            yield row, Unreadable(f"cannot be read: {said}")


def _arrow_values(
    place: Place, column: str, rows: Sequence[int]
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the wanted cells of an Arrow file."""
    waiting = list(reversed(rows))
    at = 0
    with place.open() as file:
        for batch in open_arrow(file):
            while waiting and waiting[-1] < at + len(batch):
                row = waiting.pop()
                yield row, [batch.column(column)[row - at].as_py()]
            at += len(batch)


def cell_values(
    listing: Place, columns: Sequence[str], rows: Sequence[int]
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the wanted cells of a Parquet file, reading only the row groups that hold some.

    Args:
        listing: The Parquet file.
        columns: Their columns.
        rows: Their rows, in rising order.
    """
    waiting = list(reversed(rows))
    with listing.open() as file, pq.ParquetFile(file) as parquet:
        start = 0
        for group in range(parquet.num_row_groups):
            end = start + parquet.metadata.row_group(group).num_rows
            if waiting and waiting[-1] < end:
                at = start
                for batch in parquet.iter_batches(
                    _BATCH, row_groups=[group], columns=list(columns)
                ):
                    while waiting and waiting[-1] < at + len(batch):
                        row = waiting.pop()
                        yield row, [batch.column(name)[row - at].as_py() for name in columns]
                    at += len(batch)
            start = end


def _answer(how: ImageColumn, values: Sequence[Any], tar: Any) -> Answer:
    value = values[0]
    if how.kind == "tar":
        return _from_tar(tar, *values)
    if isinstance(value, dict):
        data, value = value.get("bytes"), value.get("path")
        if data:
            return bytes(data)
    if not value:
        return Unreadable("no image in this row")
    if how.kind == "bytes" or (how.kind == "arrow" and isinstance(value, bytes)):
        return bytes(value)
    path = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return _from_file(how.root, path)


def _from_tar(tar: Any, image: str | None, offset: int | None, size: int | None) -> Answer:
    if image is None or offset is None or size is None:
        return Unreadable("no image in this sample")
    if size > MAX_BYTES:
        return Unreadable(f"{image}: {size / 2**20:,.0f} MiB is too large for an image")
    tar.seek(offset)
    data = tar.read(size)
    return data if len(data) == size else Unreadable(f"{image}: cut off")


def _from_file(root: str, path: str) -> Answer:
    if "://" in path:
        return Unreadable(f"{path[:80]}: only a link; fetch the images first, with img2dataset")
    if "://" in root:
        file = Place(f"{root.rstrip('/')}/{path}")
    else:
        inside = os.path.realpath(os.path.join(root, path))
        if not inside.startswith(os.path.realpath(root) + os.sep):
            return Unreadable(f"{path[:80]}: leaves the folder of images")
        file = Place(inside)
    try:
        if file.size_and_state()[0] > MAX_BYTES:
            return Unreadable(f"{path[:80]}: too large for an image")
        with file.open() as opened:
            return bytes(opened.read())
    except CorpusError as error:
        return Unreadable(f"{path[:80]}: {error}")
    except (OSError, ValueError) as error:
        return Unreadable(f"{path[:80]}: {getattr(error, 'strerror', None) or 'no such file'}")


def _checked(answer: Answer) -> Answer:
    """Decode an image once, wholly."""
    from PIL import Image

    if isinstance(answer, Unreadable):
        return answer
    try:
        with warnings.catch_warnings():
            # Too many pixels is ours to say.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(answer), formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    return Unreadable("image too large")
                image.load()
    except Exception as error:  # decoders of damaged bytes raise almost anything
        # Pillow names the object in memory that it could not identify, which tells nobody anything.
        known = "cannot identify" not in str(error)
        why = first_line(error) if known else "no PNG, JPEG or WebP"
        return Unreadable(f"corrupt image: {why}")
    return answer
