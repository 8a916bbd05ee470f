"""Where captions come from: Parquet files, tables, tars and folders, here or at any URL.

A source is one file, or a folder of images with captions beside them. Parquet is read where it
lies; all else is listed once into a small Parquet file inside the corpus folder, so that everything
that searches sees Parquet.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import answering
from portrayal.errors import AuditError, CorpusError, PortrayalError
from portrayal.loading import import_extra

Kind = Literal["parquet", "shard", "table", "lines", "arrow", "tar", "folder"]
"""`shard` is img2dataset's: Parquet with a tar, a TFRecord file or a folder of images beside it."""

SHARD_ENDINGS = (".tar", ".tfrecord")
"""Files that hold the images of a shard."""
ENDINGS: Mapping[str, Kind] = {
    ".parquet": "parquet",
    ".csv": "table",
    ".tsv": "table",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".arrow": "arrow",
    ".tar": "tar",
}
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
CAPTION_ENDINGS = (".txt", ".caption")
_OF_A_SHARD = ("key", "status")
"""Columns that img2dataset's metadata have."""


@dataclass(frozen=True, slots=True)
class ImageColumn:
    """How a source stores its images.

    Attributes:
        kind: "struct" (bytes and path, as `datasets` writes), "bytes", "file" (a path), "tar",
            "arrow" (a column of the Arrow file, of any of these).
        column: The column of the image, the bytes or the path.
        root: For files: the folder that paths start from. For tars: the tar, where it is not the
            source itself.
    """

    kind: Literal["struct", "bytes", "file", "tar", "arrow"]
    column: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file of a corpus.

    Attributes:
        path: Where it lies: a path, relative to the corpus folder where it lies near, or a URL.
        kind: What it is.
        size: Bytes.
        state: What tells that it has changed: time of change, or a server's tag.
        fingerprint: Hash of the Parquet footer (of the listing, for others): which content it has.
        rows: Captions, the empty ones too.
        text: The column of the captions.
        images: How it holds images; None where it has none.
        listing: Name of the Parquet file in the corpus folder, for all but Parquet.
        link: The column of the images' addresses; "" where there is none.
    """

    path: str
    kind: Kind
    size: int
    state: str
    fingerprint: str
    rows: int
    text: str
    images: ImageColumn | None = None
    listing: str = ""
    link: str = ""

    @property
    def label(self) -> str:
        """The file's own name, for lines about it."""
        return self.path.rsplit("/", 1)[-1]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CorpusFile:
        """Read what `as_dict` wrote."""
        known = dict(data)
        images = known.pop("pictures", None) or known.get("images")  # 0.1 wrote "pictures"
        return cls(**{**known, "images": ImageColumn(**images) if images else None})


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
        """Open it for reading bytes; a store that fails, now or while it is read, is one line."""
        if not self.is_remote:
            return open(self.path, "rb")
        system = filesystem(self.path)
        with asking(self.path):
            return _FarFile(system.open(self.path, "rb"), self.path)

    def size_and_state(self) -> tuple[int, str]:
        """Return its bytes, and what changes when it does.

        Raises:
            FileNotFoundError: It is not there.
            CorpusError: The store does not answer.
        """
        if not self.is_remote:
            state = os.stat(self.path)
            if os.path.isdir(self.path):
                size = sum(one.stat().st_size for one in os.scandir(self.path))
                return size, str(state.st_mtime_ns)
            return state.st_size, str(state.st_mtime_ns)
        system = filesystem(self.path)
        with asking(self.path):
            info = system.info(self.path)
        marks = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "created"))
        return int(info.get("size") or 0), next((str(mark) for mark in marks if mark), "")


class _FarFile:
    """A file of a store, whose errors are one line without the store's own wording."""

    def __init__(self, file: Any, url: str) -> None:
        self._file = file
        self._url = url

    def __enter__(self) -> _FarFile:
        """Return itself."""
        return self

    def __exit__(self, *problem: object) -> None:
        """Close the file."""
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        """Return what the file has; what is called may ask the store."""
        found = getattr(self._file, name)
        return _asked(found, self._url) if callable(found) else found


def _asked(call: Any, url: str) -> Any:
    @functools.wraps(call)
    def asked(*arguments: Any, **named: Any) -> Any:
        with asking(url):
            return call(*arguments, **named)

    return asked


@contextlib.contextmanager
def asking(url: str) -> Iterator[None]:
    """Turn whatever goes wrong at a URL into one line, which does not name it.

    That nothing is there stays a FileNotFoundError. The store's own wording may hold a password or
    a signature and is not repeated.

    Raises:
        CorpusError: It went wrong.
    """
    where = shown(url)
    try:
        with answering(where):
            yield
    except FileNotFoundError:
        raise
    except AuditError as error:
        raise CorpusError(str(error).removeprefix(f"{where}: ")) from error
    except PortrayalError:
        raise
    except Exception as error:  # each package of fsspec has errors of its own
        raise CorpusError(f"cannot be read from there ({type(error).__name__})") from error


def shown(path: str) -> str:
    """Return an address as lines may show it: without a name, a password or a signature."""
    scheme, separator, rest = path.partition("://")
    if not separator:
        return path
    host, slash, inside = rest.partition("/")
    if scheme.startswith("http"):  # elsewhere a question mark is part of a pattern
        host, inside = host.partition("?")[0], inside.partition("?")[0]
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{inside}"


def filesystem(url: str) -> Any:
    """Return the fsspec file system of a URL.

    Raises:
        MissingExtra: fsspec is not installed.
        CorpusError: No package for that kind of URL is installed, or it cannot be set up.
    """
    fsspec = import_extra("fsspec", extra="corpus")
    protocol = url.partition("://")[0]
    try:
        with asking(url):
            return fsspec.filesystem(protocol)
    except CorpusError as error:
        cause = error.__cause__
        why = cause if isinstance(cause, (ImportError, ValueError)) else error
        raise CorpusError(f"{shown(url)}: cannot be opened: {why}") from error


def kind_by_name(path: str) -> Kind | None:
    """Return what a file is by its ending."""
    return ENDINGS.get("." + path.rsplit(".", 1)[-1].lower())


def kind_of(path: str) -> Kind | None:
    """Return what a source is; None where it is of no kind that is read."""
    if "://" not in path and os.path.isdir(path):
        return "folder"
    return "shard" if is_shard(path) else kind_by_name(path)


def companion(path: str) -> str:
    """Return what contains the images of a shard, beside its metadata; "" for nothing.

    A tar, a TFRecord file or a folder.
    """
    stem = path.removesuffix(".parquet")
    files = [f"{stem}{ending}" for ending in SHARD_ENDINGS]
    if "://" not in path:
        return next((one for one in (*files, stem) if os.path.exists(one)), "")
    with contextlib.suppress(CorpusError, OSError), asking(path):
        return next((one for one in files if filesystem(path).exists(one)), "")
    return ""


def is_shard(path: str) -> bool:
    """Tell whether a file is the metadata of an img2dataset shard, with its images beside it."""
    if not path.lower().endswith(".parquet"):
        return False
    if "://" not in path and not companion(path):
        return False
    with contextlib.suppress(pa.ArrowException, OSError, CorpusError), Place(path).open() as file:
        return set(_OF_A_SHARD) <= set(pq.read_schema(file).names) and bool(companion(path))
    return False


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
