"""Where captions come from: Parquet files, CSV tables and WebDataset tars, here or at any URL.

A source is one file. Parquet is read where it lies; tables and tars are listed once into a small
Parquet file inside the corpus folder, so that everything that searches sees Parquet.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from portrayal.errors import CorpusError
from portrayal.models.devices import import_extra

Kind = Literal["parquet", "table", "tar"]
ENDINGS: Mapping[str, Kind] = {
    ".parquet": "parquet",
    ".csv": "table",
    ".tsv": "table",
    ".tar": "tar",
}


@dataclass(frozen=True, slots=True)
class Pictures:
    """How a source holds its pictures.

    Attributes:
        kind: "struct" (bytes and path, as `datasets` writes), "bytes", "file" (a path), "tar".
        column: The column of the picture, the bytes or the path.
        root: For files: the folder that paths start from.
    """

    kind: Literal["struct", "bytes", "file", "tar"]
    column: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a corpus.

    Attributes:
        path: Where it lies: a path, relative to the corpus folder where it lies near, or a URL.
        kind: What it is.
        size: Bytes.
        state: What tells that it has changed: time of change, or a server's tag.
        fingerprint: Hash of the Parquet footer (of the listing, for others): which content it has.
        rows: Captions, the empty ones too.
        text: The column of the captions.
        pictures: How it holds pictures; None where it has none.
        listing: Name of the Parquet file in the corpus folder, for tables and tars.
    """

    path: str
    kind: Kind
    size: int
    state: str
    fingerprint: str
    rows: int
    text: str
    pictures: Pictures | None = None
    listing: str = ""

    @property
    def label(self) -> str:
        """The file's own name, for lines about it."""
        return self.path.rsplit("/", 1)[-1]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Source:
        """Read what `as_dict` wrote."""
        pictures = data.get("pictures")
        return cls(**{**data, "pictures": Pictures(**pictures) if pictures else None})


@dataclass(frozen=True, slots=True)
class Place:
    """A file that can be opened: a local path or a URL of fsspec."""

    path: str

    @property
    def is_remote(self) -> bool:
        """Whether it has to be read through fsspec."""
        return "://" in self.path

    @property
    def protocol(self) -> str:
        """The URL's scheme."""
        return self.path.partition("://")[0]

    def open(self) -> Any:
        """Open it for reading bytes."""
        if self.is_remote:
            return filesystem(self.path).open(self.path, "rb")
        return open(self.path, "rb")

    def size_and_state(self) -> tuple[int, str]:
        """Return its bytes, and what changes when it does.

        Raises:
            FileNotFoundError: It is not there.
        """
        if not self.is_remote:
            state = os.stat(self.path)
            return state.st_size, str(state.st_mtime_ns)
        info = filesystem(self.path).info(self.path)
        marks = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "created"))
        return int(info.get("size") or 0), next((str(mark) for mark in marks if mark), "")


def filesystem(url: str) -> Any:
    """Return the fsspec file system of a URL.

    Raises:
        MissingExtra: fsspec is not installed.
        CorpusError: No package for that kind of URL is installed.
    """
    fsspec = import_extra("fsspec", extra="corpus")
    protocol = url.partition("://")[0]
    try:
        return fsspec.filesystem(protocol)
    except (ImportError, ValueError) as error:
        raise CorpusError(f"{url}: cannot be opened: {error}") from error


def expanded(sources: Iterable[str | Path]) -> Iterator[str]:
    """Yield the files that names stand for, each once: files, patterns, folders, URLs of them.

    Raises:
        CorpusError: A name stands for nothing.
    """
    seen: set[str] = set()
    for source in sources:
        name = str(source)
        found = _remote(name) if "://" in name else _local(name)
        if not found:
            raise CorpusError(
                f"{name}: nothing there that can hold captions; wanted: files ending in "
                f"{', '.join(ENDINGS)}, a folder of them, a pattern, or a URL"
            )
        for path in found:
            if path not in seen:
                seen.add(path)
                yield path


def kind_of(path: str) -> Kind | None:
    """Return what a file is by its ending."""
    return ENDINGS.get("." + path.rsplit(".", 1)[-1].lower())


def footer_hash(place: Place) -> str:
    """Return the hash of a Parquet file's footer, which says where every page lies and how long."""
    size, _ = place.size_and_state()
    with place.open() as file:
        file.seek(max(0, size - 8))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != b"PAR1" or length + 8 > size:
            raise CorpusError("not a Parquet file, or one that was cut off")
        file.seek(size - 8 - length)
        return hashlib.sha256(file.read(length)).hexdigest()[:32]


def _local(name: str) -> list[str]:
    path = os.path.abspath(os.path.expanduser(name))
    if os.path.isdir(path):
        return _listed(sorted(str(file) for file in Path(path).rglob("*")))
    if os.path.isfile(path):
        return [path]
    return _listed(sorted(glob.glob(path, recursive=True)))


def _remote(url: str) -> list[str]:
    system = filesystem(url)
    protocol = url.partition("://")[0]
    try:
        if any(mark in url for mark in "*?["):
            found = sorted(system.glob(url))
        elif system.isdir(url):
            found = sorted(system.find(url))
        else:
            return [url] if system.exists(url) else []
    except OSError as error:
        raise CorpusError(f"{url}: cannot be listed: {error}") from error
    return _listed([path if "://" in path else f"{protocol}://{path}" for path in found])


def _listed(paths: Iterable[str]) -> list[str]:
    """Keep what has a fitting ending and is no temporary or hidden file."""
    return [
        path
        for path in paths
        if kind_of(path) is not None and not path.rsplit("/", 1)[-1].startswith((".", "_"))
    ]
