"""Listings: what is not Parquet, listed once into a small Parquet file inside the corpus folder.

tables.py    CSV, TSV and JSON lines, and Arrow files as `datasets` saves them
samples.py   images with a caption beside them: tars, folders, and img2dataset's shards

Captions are kept as the bytes they were, so that one that is not UTF-8 is counted where all others
are, and does not stop the listing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import replacing
from portrayal.corpora.problems import Problem
from portrayal.corpora.sources import ImageColumn

_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Listing:
    """What is known of a source after it was listed.

    Attributes:
        text: The column of the captions.
        images: How images are held; None where there are none.
        link: The column of addresses; "" where there is none.
        problems: What is damaged in it, and was left out.
    """

    text: str
    images: ImageColumn | None
    link: str = ""
    problems: tuple[Problem, ...] = ()


def write_listing(listing: Path, schema: pa.Schema, rows: Iterable[dict[str, Any]]) -> None:
    """Write the rows of a listing, whole or not at all."""
    with (
        replacing(listing.parent) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        waiting = iter(rows)
        while batch := list(itertools.islice(waiting, _ROWS)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
        writer.close()
        temporary.replace(listing)
