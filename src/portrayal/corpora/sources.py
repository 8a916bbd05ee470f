"""Where captions come from: Parquet files, CSV tables and WebDataset tars, here or at any URL.

A source is one file. Parquet is read where it lies; tables and tars are listed once into a small
Parquet file inside the corpus folder, so that everything that searches sees Parquet.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from portrayal.audit import answering
from portrayal.errors import AuditError, CorpusError, PortrayalError
from portrayal.loading import import_extra

Kind = Literal["parquet", "table", "tar"]
ENDINGS: Mapping[str, Kind] = {
    ".parquet": "parquet",
    ".csv": "table",
    ".tsv": "table",
    ".tar": "tar",
}


@dataclass(frozen=True, slots=True)
class ImageColumn:
    """How a source holds its images.

    Attributes:
        kind: "struct" (bytes and path, as `datasets` writes), "bytes", "file" (a path), "tar".
        column: The column of the image, the bytes or the path.
        root: For files: the folder that paths start from.
    """

    kind: Literal["struct", "bytes", "file", "tar"]
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
        listing: Name of the Parquet file in the corpus folder, for tables and tars.
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
                f"{shown(name)}: nothing there that can hold captions; wanted: files ending in "
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
    protocol, _, rest = url.partition("://")
    if ":" in rest.partition("/")[0].rpartition("@")[0]:
        raise CorpusError(
            f"{shown(url)}: the address holds a password, which would end up in files and logs; "
            "leave it out and set it where the store's own tools look, as in the environment"
        )
    system = filesystem(url)
    try:
        with asking(url):
            if any(mark in url for mark in "*?["):
                found = sorted(system.glob(url))
            elif system.isdir(url):
                found = sorted(system.find(url))
            else:
                system.info(url)  # unlike `exists`, it says why it has no answer
                return [url]
    except FileNotFoundError:
        return []
    except CorpusError as error:
        raise CorpusError(f"{shown(url)}: {error}") from error
    return _listed([path if "://" in path else f"{protocol}://{path}" for path in found])


def _listed(paths: Iterable[str]) -> list[str]:
    """Keep what has a fitting ending and is no temporary or hidden file."""
    return [
        path
        for path in paths
        if kind_of(path) is not None and not path.rsplit("/", 1)[-1].startswith((".", "_"))
    ]
