"""Images with a caption beside them: WebDataset tars, plain folders, and img2dataset's shards.

A shard is a Parquet file of metadata (`key`, `status`, the caption, the address) with a tar, a
TFRecord file or a folder of the same name, which holds the images that could be downloaded. The
Parquet file has a row for every address that was tried, so captions whose image is gone stay in the
corpus.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.corpora.columns import Columns, link_column, text_column
from portrayal.corpora.listings import Listing, write_listing
from portrayal.corpora.problems import Problem
from portrayal.corpora.sources import (
    CAPTION_ENDINGS,
    IMAGE_ENDINGS,
    ImageColumn,
    Place,
    companion,
    shown,
)
from portrayal.corpora.tfrecords import images_by_key
from portrayal.errors import CorpusError

CAPTION = "caption"
LINK = "url"
_TAR = pa.schema(
    [
        ("key", pa.string()),
        (CAPTION, pa.binary()),
        ("image", pa.string()),
        ("offset", pa.int64()),
        ("bytes", pa.int64()),
        (LINK, pa.string()),
    ]
)


def list_tar(place: Place, listing: Path) -> Listing:
    """List the samples of a tar as img2dataset writes it: key.jpg, key.txt or key.json.

    A tar that is cut off gives the samples that are whole.

    Raises:
        CorpusError: It is no tar.
    """
    damage: list[Problem] = []
    try:
        with place.open() as file, tarfile.open(fileobj=file, mode="r|") as tar:
            write_listing(listing, _TAR, _whole_samples(place, tar, damage))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise CorpusError(f"cannot be read as a tar: {error}") from error
    return Listing(CAPTION, ImageColumn("tar", "image"), LINK, tuple(damage))


def _whole_samples(
    place: Place, tar: tarfile.TarFile, damage: list[Problem]
) -> Iterator[dict[str, Any]]:
    """Yield the samples of a tar up to where it is cut off, and say so."""
    size, _ = place.size_and_state()
    found = 0
    for row in _tar_rows(tar):
        if row.pop("end") > size or (_is_cut(tar, size) and not _is_sample(row)):
            break
        found += 1
        yield row
    cut = _is_cut(tar, size)
    if cut and not found:
        raise tarfile.ReadError("cut off before its first sample ends")
    if cut:
        where = f"{shown(place.path)}: cut off at byte {size:,}; {found:,} samples are whole"
        damage.append(Problem("cut off", 1, where))


def _is_cut(tar: tarfile.TarFile, size: int) -> bool:
    """Tell whether a tar that was read so far has no room for what marks its end."""
    return tar.offset + tarfile.BLOCKSIZE > size


def _is_sample(row: Mapping[str, Any]) -> bool:
    """Tell whether a sample has both of its parts."""
    return row[CAPTION] is not None and row["offset"] is not None


def _tar_rows(tar: tarfile.TarFile) -> Iterator[dict[str, Any]]:
    """Yield a row per sample; the files of a sample are side by side, as the format wants."""
    members = (one for one in _members(tar) if one.isreg() and _sample(one.name)[1])
    for key, files in itertools.groupby(members, key=lambda one: _sample(one.name)[0]):
        row: dict[str, Any] = dict.fromkeys(_TAR.names) | {"key": key, "end": 0}
        for member in files:
            row["end"] = member.offset_data + member.size
            ending = _sample(member.name)[1]
            if ending in IMAGE_ENDINGS and row["offset"] is None:
                row |= {"image": member.name, "offset": member.offset_data, "bytes": member.size}
            elif ending in CAPTION_ENDINGS:
                row[CAPTION] = _content(tar, member).strip()
            elif ending == ".json":
                _add_told(row, _content(tar, member))
        yield row


def _members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield what a tar contains, up to where it is cut off."""
    first = tar.next()  # what is no tar at all fails here
    while first is not None:
        yield first
        try:
            first = tar.next()
        except (tarfile.ReadError, tarfile.StreamError, EOFError):
            return


def list_folder(place: Place, listing: Path) -> Listing:
    """List the images of a folder whose caption is a file beside them: a.jpg, a.txt.

    An image without such a file has no caption, a caption without an image no image.
    """
    rows: dict[str, dict[str, Any]] = {}
    for entry in sorted(os.scandir(place.path), key=lambda one: one.name):
        stem, ending = os.path.splitext(entry.name)
        ending = ending.lower()
        if entry.name.startswith(".") or not entry.is_file():
            continue
        row = rows.setdefault(stem, dict.fromkeys(_TAR.names) | {"key": stem})
        if ending in IMAGE_ENDINGS and row["image"] is None:
            row["image"] = entry.name
        elif ending in CAPTION_ENDINGS:
            row[CAPTION] = Path(entry.path).read_bytes().strip()
        elif ending == ".json":
            _add_told(row, Path(entry.path).read_bytes())
    samples = (row for row in rows.values() if row["image"] or row[CAPTION] is not None)
    write_listing(listing, _TAR, samples)
    return Listing(CAPTION, ImageColumn("file", "image", place.path), LINK)


def list_shard(place: Place, listing: Path, columns: Columns) -> Listing:
    """List a shard of img2dataset: every row of its metadata, with the image where there is one.

    Raises:
        CorpusError: It has no caption, or what holds its images cannot be read.
    """
    beside = companion(place.path)
    assert beside
    with place.open() as file:
        table = pq.read_table(file)
    text = text_column(table.schema, columns.text)
    link = link_column(table.schema, text=text)
    damage: tuple[Problem, ...] = ()
    how = ImageColumn("tar", "image", beside)
    if beside.endswith(".tar"):
        damage = list_tar(Place(beside), listing).problems
        held = {row["key"]: row for row in pq.read_table(listing).to_pylist()}
    elif beside.endswith(".tfrecord"):
        held, damage = images_by_key(Place(beside))
    else:
        held, how = _images_in(beside), ImageColumn("file", "image", os.path.dirname(place.path))
    cells = (table[name].to_pylist() for name in ("key", text, link or "key"))
    rows = (
        dict.fromkeys(_TAR.names)
        | _image(held.get(key, {}))
        | {"key": key, CAPTION: _bytes(caption), LINK: url if link else None}
        for key, caption, url in zip(*cells, strict=True)
    )
    write_listing(listing, _TAR, rows)
    return Listing(CAPTION, how, LINK if link else "", damage)


def _image(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in ("image", "offset", "bytes")}


def _images_in(folder: str) -> dict[str, dict[str, Any]]:
    name = os.path.basename(folder)
    return {
        os.path.splitext(file)[0]: {"image": f"{name}/{file}"}
        for file in os.listdir(folder)
        if os.path.splitext(file)[1].lower() in IMAGE_ENDINGS
    }


def _sample(name: str) -> tuple[str, str]:
    """Return a sample's key and a file's ending: the name is parted at its first dot."""
    path = PurePosixPath(name)
    stem, _, ending = path.name.partition(".")
    return str(path.with_name(stem or path.name)), f".{ending.lower()}" if ending else ""


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    with contextlib.suppress(tarfile.ReadError, tarfile.StreamError):  # cut off: told by its end
        return b"" if file is None else file.read()
    return b""


def _add_told(row: dict[str, Any], data: bytes) -> None:
    """Take over the caption and the address that img2dataset's JSON tells."""
    with contextlib.suppress(ValueError):
        about = json.loads(data)
        if not isinstance(about, dict):
            return
        if row[CAPTION] is None:
            row[CAPTION] = _bytes(about.get("caption"))
        if isinstance(about.get("url"), str):
            row[LINK] = about["url"]


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, bytes):
        return value
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else None
