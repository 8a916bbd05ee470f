"""From captions with addresses to images: links written out, downloads attached, dead ones known.

LAION and its kin are lists of captions and addresses. `write_links` writes the addresses of chosen
captions in the form that img2dataset reads, `attach` takes in what was downloaded, in any of
img2dataset's layouts, and the corpus then has images for these captions. Which addresses were tried
and which are dead is remembered: dead links are not random, so what was lost must be counted.

    links/*.parquet        addresses that were written out, with the captions they belong to
    downloads/             a corpus of what was downloaded
    downloads.parquet      source and row of every caption that was tried, and where its image is
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from portrayal.audit import replacing
from portrayal.corpora.images import Row, cell_values
from portrayal.corpora.sources import CorpusFile, Place
from portrayal.errors import CorpusError
from portrayal.records import digest

TABLE = "downloads.parquet"
FOLDER = "downloads"
LINKS = "links"
KEY = "portrayal"
"""The column that ties a download to its caption, where img2dataset keeps it."""

_TRIED = pa.schema(
    [
        ("source", pa.int32()),
        ("row", pa.int64()),
        ("held_source", pa.int32()),
        ("held_row", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Attached:
    """What became of addresses that were written out.

    Attributes:
        tried: Captions whose address was tried.
        alive: Those with an image.
        unknown: Downloads whose address was never written out.
    """

    tried: int
    alive: int
    unknown: int

    def sentence(self) -> str:
        """Say it in one line."""
        dead = self.tried - self.alive
        share = f" ({100 * dead / self.tried:.0f}%)" if self.tried else ""
        other = f"; {self.unknown:,} downloads are of other addresses" if self.unknown else ""
        return (
            f"{self.tried:,} captions tried, {self.alive:,} have an image, {dead:,}{share} are "
            f"dead{other}"
        )


def read_links(
    sources: Sequence[CorpusFile], listing: Any, rows: Iterable[Row]
) -> Iterator[tuple[Row, str]]:
    """Yield the address of each caption that has one."""
    wanted: dict[int, list[int]] = {}
    for source, row in sorted(set(rows)):
        wanted.setdefault(source, []).append(row)
    for number, own in wanted.items():
        column = sources[number].link
        for row, (value,) in cell_values(listing(sources[number]), [column], own) if column else ():
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            if text:
                yield (number, row), str(text)


def write_links(
    folder: Path, links: Mapping[Row, str], captions: Mapping[Row, str], out: Path
) -> None:
    """Write addresses for img2dataset, and remember them in the corpus.

    Args:
        folder: The corpus folder.
        links: Addresses by source and row.
        captions: Captions by source and row.
        out: A file ending in .parquet or .csv.

    Raises:
        CorpusError: No caption has an address, or the file has another ending.
    """
    if not links:
        raise CorpusError(f"{folder}: none of these captions has an address; wanted: a column url")
    rows = list(links)
    table = pa.table(
        {
            "url": [links[row] for row in rows],
            "caption": [captions[row] for row in rows],
            KEY: [f"{source}:{row}" for source, row in rows],
        }
    )
    name = f"{digest(table.column(KEY).to_pylist())[:16]}.parquet"
    with replacing(folder / LINKS) as temporary:
        pq.write_table(table, temporary, compression="zstd")
        temporary.replace(folder / LINKS / name)
    if out.suffix not in (".parquet", ".csv"):
        raise CorpusError(f"{out}: addresses are written as .parquet or .csv")
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".csv":
        pa_csv.write_csv(table, out)
    else:
        pq.write_table(table, out)


def written_links(folder: Path) -> dict[str, list[Row]]:
    """Return the captions of every address that was written out."""
    found: dict[str, list[Row]] = {}
    for file in sorted((folder / LINKS).glob("[!.]*.parquet")):
        table = pq.read_table(file)
        for url, key in zip(table["url"].to_pylist(), table[KEY].to_pylist(), strict=True):
            source, _, row = key.partition(":")
            found.setdefault(url, []).append((int(source), int(row)))
    return found


def store_tried(folder: Path, held: Mapping[Row, Row | None]) -> None:
    """Remember which captions were tried, and where their image is."""
    rows = [{"source": s, "row": r, **_place(where)} for (s, r), where in sorted(held.items())]
    with replacing(folder) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=_TRIED), temporary, compression="zstd")
        temporary.replace(folder / TABLE)


def read_tried(folder: Path) -> dict[Row, Row | None]:
    """Return the captions that were tried, each with where its image is; None: dead."""
    if not (folder / TABLE).exists():
        return {}
    columns = (pq.read_table(folder / TABLE)[name].to_pylist() for name in _TRIED.names)
    return {
        (source, row): None if held is None else (held, at)
        for source, row, held, at in zip(*columns, strict=True)
    }


def _place(where: Row | None) -> dict[str, int | None]:
    return (
        {"held_source": None, "held_row": None}
        if where is None
        else dict(zip(("held_source", "held_row"), where, strict=True))
    )


def has_image(source: CorpusFile, listing: Place, rows: Sequence[int]) -> list[bool]:
    """Tell which rows of a downloaded source have an image, without reading images."""
    how = source.images
    if how is None:
        return [False] * len(rows)
    values = dict(cell_values(listing, [how.column], rows)) if how.kind != "arrow" else {}
    return [how.kind == "arrow" or _is_there(values[row][0]) for row in rows]


def _is_there(value: Any) -> bool:
    return bool(value.get("bytes") or value.get("path") if isinstance(value, dict) else value)
