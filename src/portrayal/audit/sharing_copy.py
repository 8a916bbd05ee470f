"""A copy of an audit to hand on: no images unless wanted, no paths, no pseudonyms of raters.

The copy is an audit itself, with the same keys, so that its findings can be recomputed from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit import documents, parts
from portrayal.audit.compaction import part_folders
from portrayal.audit.files import write_bytes
from portrayal.audit.header import FILE, Header
from portrayal.audit.keys import VOTE_KEY
from portrayal.audit.selections import TRAINING
from portrayal.audit.tables import IMAGES
from portrayal.records import digest

TakeHash = Callable[[bytes], str | None]
"""Returns the hash of an encoded image's pixels; None: it cannot be decoded."""

_PATH = re.compile(
    r"(?<![\w:/.])(?:~|/(?:home|Users|root|tmp|mnt|media|srv|opt|var|private|Volumes|work|data|"
    r"content|workspace))/[^\s\"',;:)]*|\b[A-Za-z]:\\[^\s\"',;)]*"
)


def without_paths(text: str) -> str:
    """Return a text without paths of somebody's machine.

    >>> without_paths("cannot read /home/ann/a.png: see https://x.org/home/a")
    'cannot read [path]: see https://x.org/home/a'
    """
    return _PATH.sub("[path]", text)


def copy_to_share(source: Path, out: Path, *, images: bool, pixel_hash: TakeHash) -> None:
    """Copy an audit without what is nobody else's business.

    Args:
        source: The audit.
        out: A folder that is not there yet.
        images: Whether to include the generated images; those of training data never are.
        pixel_hash: Tells identical images, for those of which only that is kept.
    """
    Header.read(source)  # carries an older format forward
    # As it is: keys follow from the identity, and names in identities are no paths.
    write_bytes(out / FILE, (source / FILE).read_bytes())
    raters = _renamed_raters(source)
    for folder in part_folders(source):
        goal = out / folder.relative_to(source)
        for path in parts.part_paths(folder):
            if folder.name == "images":
                _write(goal, path, (_image(t, images, pixel_hash) for t in _groups(path)))
            elif folder.name == "votes":
                _write(goal, path, (_vote(table, raters) for table in _groups(path)))
            elif any(_has_paths(table) for table in _groups(path, ["reason"])):
                _write(goal, path, (_reasons(table) for table in _groups(path)))
            else:
                write_bytes(goal / path.name, path.read_bytes())
        identity = folder / documents.IDENTITY
        if identity.exists():
            write_bytes(goal / identity.name, identity.read_bytes())
    for file in [*_documents(source), *sorted(source.glob("selections/*.parquet"))]:
        data = file.read_bytes()
        if file.suffix == ".json":
            data = without_paths(data.decode("utf-8")).encode("utf-8")
        write_bytes(out / file.parent.name / file.name, data)
    side = source / TRAINING
    if Header.exists(side):
        copy_to_share(side, out / TRAINING, images=False, pixel_hash=pixel_hash)


def _documents(source: Path) -> Iterator[Path]:
    for kind in ("studies", "campaigns", "validations"):
        yield from sorted(source.glob(f"{kind}/*.json"))


def _groups(path: Path, columns: list[str] | None = None) -> Iterator[pa.Table]:
    with parts.opened(path) as file:
        names = [name for name in columns or [] if name in file.schema_arrow.names]
        if columns is not None and not names:
            return
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns=names or None)


def _write(goal: Path, path: Path, tables: Iterator[pa.Table]) -> None:
    """Write a part again, in the place among the others that it had."""
    with parts.prepared(goal, tables, ahead_of=[path]) as appear:
        appear()


def _image(table: pa.Table, images: bool, pixel_hash: TakeHash) -> pa.Table:
    table = parts.columns_of(Path(), table, IMAGES.names)
    encoded = [None if one is None else one["bytes"] for one in table["image"].to_pylist()]
    if pc.any(pc.and_(pc.is_null(table["pixel_hash"]), pc.is_valid(table["image"]))).as_py():
        # Parts of version 0.1 have no hashes; analyses take them from the images, which are gone.
        made = [None if data is None else pixel_hash(data) for data in encoded]
        table = _set(table, "pixel_hash", pa.array(made, pa.string()))
    kept = pa.array([data if images else None for data in encoded], pa.binary())
    column = pa.StructArray.from_arrays(
        [kept, pa.nulls(len(table), pa.string())],
        fields=list(IMAGES.field("image").type),
        mask=pc.is_null(kept),
    )
    table = _set(table, "image", column)
    return _reasons(table).cast(IMAGES)


def _vote(table: pa.Table, raters: dict[str, str]) -> pa.Table:
    names = [raters[one] for one in table["rater"].to_pylist()]
    table = _set(table, "rater", pa.array(names, pa.string()))
    sources = [without_paths(one) for one in table["source"].to_pylist()]
    table = _set(table, "source", pa.array(sources, pa.string()))
    rows = zip(*(table[name].to_pylist() for name in VOTE_KEY), strict=True)
    keys = [digest(list(row), length=32) for row in rows]
    return _set(table, "key", pa.array(keys, pa.string()))


def _renamed_raters(source: Path) -> dict[str, str]:
    """Return new names in the old order: the old ones are hashes of names, which can be tried."""
    folder = source / "votes"
    known: set[str] = set()
    for table in parts.each_part(folder, ["rater"]):
        known |= set(table["rater"].to_pylist())
    return {name: f"rater-{place:012x}" for place, name in enumerate(sorted(known), start=1)}


def _reasons(table: pa.Table) -> pa.Table:
    texts = [None if one is None else without_paths(one) for one in table["reason"].to_pylist()]
    return _set(table, "reason", pa.array(texts, pa.string()))


def _has_paths(table: pa.Table) -> bool:
    return any(one is not None and _PATH.search(one) for one in table["reason"].to_pylist())


def _set(table: pa.Table, name: str, values: Any) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(name), values)
