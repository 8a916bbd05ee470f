"""A look at one source before it joins a corpus: what it is, its columns, what is wrong."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.corpora.columns import Columns, NoText, images_column, link_column, text_column
from portrayal.corpora.listings import Listing
from portrayal.corpora.problems import Problem
from portrayal.corpora.samples import list_folder, list_shard, list_tar
from portrayal.corpora.sources import ENDINGS, CorpusFile, Place, footer_hash, kind_of, shown
from portrayal.corpora.tables import list_arrow, list_lines, list_table
from portrayal.errors import CorpusError, one_of
from portrayal.loading import first_line

LISTINGS = "listings"


def inspect(
    path: str, corpus: Path, columns: Columns
) -> tuple[CorpusFile | None, tuple[Problem, ...]]:
    """Return a source and what is damaged in it; None with the reason why it cannot be one.

    Args:
        path: An absolute path or a URL.
        corpus: The corpus folder.
        columns: What the user says about columns.
    """
    try:
        return _source(path, corpus, columns)
    except NoText as error:
        return None, (Problem("no text", 1, f"{shown(path)}: {error}"),)
    except (CorpusError, pa.ArrowException, OSError) as error:
        said = str(error) if isinstance(error, CorpusError) else first_line(error)
        return None, (Problem("unreadable", 1, f"{shown(path)}: {said}"),)


def stated_origin(kind: str, place: Place) -> str:
    """Return who made a source's images, as its Parquet metadata says it; "" where it does not."""
    if kind != "parquet":
        return ""
    with place.open() as file:
        metadata = pq.read_schema(file).metadata or {}
    try:
        said = json.loads(metadata.get(b"portrayal", b"{}"))
    except ValueError:
        return ""
    return str(said.get("corpus", "")) if isinstance(said, dict) else ""


def check_unchanged(source: CorpusFile, place: Place, corpus: Path) -> None:
    """Raise where a source is not what it was when it was added.

    Raises:
        CorpusError: It is gone, or its content is another.
    """
    try:
        size, state = place.size_and_state()
        if (size, state) == (source.size, source.state):
            return
        # A copy has another time of change and the same content.
        same = size == source.size and (
            source.kind != "parquet" or footer_hash(place) == source.fingerprint
        )
    except (OSError, CorpusError) as error:
        said = str(error) if isinstance(error, CorpusError) else first_line(error)
        raise CorpusError(
            f"{shown(place.path)}: cannot be read any more: {said}; put it back, or add "
            "the corpus again in another folder"
        ) from error
    if not same:
        raise CorpusError(
            f"{shown(place.path)}: has changed since it was added; run: portrayal corpus add "
            f"{corpus} {shown(place.path)}"
        )


def _source(path: str, corpus: Path, columns: Columns) -> tuple[CorpusFile, tuple[Problem, ...]]:
    place = Place(path)
    kind = kind_of(path)
    if kind is None:
        raise CorpusError(f"not a kind of file that is read; allowed: {one_of(list(ENDINGS))}")
    size, state = place.size_and_state()
    near = _near(path, corpus)
    if kind == "parquet":
        fingerprint = footer_hash(place)
        with place.open() as file, pq.ParquetFile(file) as parquet:
            schema, rows = parquet.schema_arrow, int(parquet.metadata.num_rows)
        text = text_column(schema, columns.text)
        root = columns.root_of(path)
        images = images_column(schema, columns.images, text=text, root=root)
        link = link_column(schema, text=text)
        held = CorpusFile(near, kind, size, state, fingerprint, rows, text, images, link=link)
        return held, ()
    name = hashlib.sha256(f"{path} {size} {state}".encode()).hexdigest()[:16] + ".parquet"
    file = corpus / LISTINGS / name
    found = _listed(kind, place, file, columns)
    fingerprint = footer_hash(Place(str(file)))
    rows = int(pq.read_metadata(file).num_rows)
    listed = CorpusFile(
        near, kind, size, state, fingerprint, rows, found.text, found.images, name, found.link
    )
    return listed, found.problems


def _listed(kind: str, place: Place, listing: Path, columns: Columns) -> Listing:
    if kind == "tar":
        return list_tar(place, listing)
    if kind == "folder":
        return list_folder(place, listing)
    lists = {"shard": list_shard, "table": list_table, "lines": list_lines, "arrow": list_arrow}
    return lists[kind](place, listing, columns)


def _near(path: str, corpus: Path) -> str:
    """Return a path as it is written down: relative where it lies beside the corpus or in it."""
    if "://" in path:
        return path
    folder = os.path.abspath(corpus)
    beside = os.path.dirname(folder)
    return os.path.relpath(path, folder) if path.startswith(beside + os.sep) else path
