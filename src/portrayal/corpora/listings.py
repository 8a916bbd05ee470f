"""Tables and WebDataset tars, listed once into Parquet: the caption, and where its image lies.

Captions are kept as the bytes they were, so that one that is not UTF-8 is counted where all others
are, and does not stop the listing.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import sys
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import replacing
from portrayal.corpora.columns import images_column, text_column
from portrayal.corpora.sources import ImageColumn, Place
from portrayal.errors import CorpusError

CAPTION = "caption"
_ROWS = 20_000
_IMAGES = (".png", ".jpg", ".jpeg", ".webp")
_TAR = pa.schema(
    [
        ("key", pa.string()),
        (CAPTION, pa.binary()),
        ("image", pa.string()),
        ("offset", pa.int64()),
        ("bytes", pa.int64()),
    ]
)


def list_tar(place: Place, listing: Path) -> ImageColumn:
    """List the samples of a tar as img2dataset writes it: key.jpg, key.txt or key.json.

    Raises:
        CorpusError: It is no tar.
    """
    try:
        with place.open() as file, tarfile.open(fileobj=file, mode="r|") as tar:
            _write(listing, _TAR, _tar_rows(tar))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise CorpusError(f"cannot be read as a tar: {error}") from error
    return ImageColumn("tar", "image")


def list_table(
    place: Place, listing: Path, *, text: str | None, images: str | None, root: str
) -> tuple[str, ImageColumn | None]:
    """List a CSV or TSV table; return its column of captions and how it holds images.

    Raises:
        CorpusError: It has no header, or no column of captions.
    """
    mark = "\t" if place.path.lower().endswith(".tsv") else ","
    # A caption of a megabyte is a problem to count, not one to stop at.
    csv.field_size_limit(sys.maxsize)
    try:
        with place.open() as raw:
            lines = io.TextIOWrapper(raw, "utf-8-sig", errors="surrogateescape", newline="")
            with contextlib.closing(lines):
                reader = csv.reader(lines, delimiter=mark)
                heads = [head.strip() for head in next(reader, [])]
                if not any(heads):
                    raise CorpusError("has no header")
                seen = pa.schema([(head, pa.string()) for head in heads])
                caption = text_column(seen, text)
                holding = images_column(seen, images, text=caption, root=root)
                names = [caption, *([holding.column] if holding else [])]
                places = [heads.index(name) for name in names]
                schema = pa.schema([(name, pa.binary()) for name in names])
                _write(listing, schema, _table_rows(reader, names, places))
    except (csv.Error, OSError) as error:
        raise CorpusError(f"cannot be read as a table: {error}") from error
    return caption, holding


def _write(listing: Path, schema: pa.Schema, rows: Iterable[dict[str, Any]]) -> None:
    with (
        replacing(listing.parent) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        waiting = iter(rows)
        while batch := list(itertools.islice(waiting, _ROWS)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
        writer.close()
        temporary.replace(listing)


def _table_rows(reader: Any, names: list[str], places: list[int]) -> Iterator[dict[str, Any]]:
    for cells in reader:
        if cells:
            yield {
                name: cells[at].encode("utf-8", "surrogateescape") if at < len(cells) else None
                for name, at in zip(names, places, strict=True)
            }


def _tar_rows(tar: tarfile.TarFile) -> Iterator[dict[str, Any]]:
    """Yield a row a sample; the files of a sample stand side by side, as the format wants."""
    members = (one for one in tar if one.isreg() and _sample(one.name)[1])
    for key, files in itertools.groupby(members, key=lambda one: _sample(one.name)[0]):
        row: dict[str, Any] = dict.fromkeys(_TAR.names) | {"key": key}
        for member in files:
            ending = _sample(member.name)[1]
            if ending in _IMAGES and row["offset"] is None:
                row |= {"image": member.name, "offset": member.offset_data, "bytes": member.size}
            elif ending == ".txt":
                row[CAPTION] = _content(tar, member).strip()
            elif ending == ".json" and row[CAPTION] is None:
                row[CAPTION] = _told(_content(tar, member))
        yield row


def _sample(name: str) -> tuple[str, str]:
    """Return a sample's key and a file's ending: the name is parted at its first dot."""
    path = PurePosixPath(name)
    stem, _, ending = path.name.partition(".")
    return str(path.with_name(stem or path.name)), f".{ending.lower()}" if ending else ""


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return b"" if file is None else file.read()


def _told(data: bytes) -> bytes | None:
    """Return the caption that img2dataset's JSON tells."""
    with contextlib.suppress(ValueError):
        about = json.loads(data)
        caption = about.get("caption") if isinstance(about, dict) else None
        if isinstance(caption, str):
            return caption.encode("utf-8", "surrogatepass")
    return None
