"""Where a model's files lie, and the hash of what is in them.

The hash of a model's weights covers every byte of every safetensors file that is loaded. A shorter
look (header, size, first and last MiB) would miss a fine-tune that moves one layer in the middle
of a file, and two different models under one identity is the one mistake that an audit cannot
find later. Files of the Hub's own cache cost nothing: their names there are the hashes that were
compared when they were downloaded. Of other large files the hash is remembered on this machine
while size, times, inode and device stay the same; whoever writes to a file changes its ctime.
`portrayal verify --model` reads all files all the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from portrayal.errors import PortrayalError
from portrayal.loading.attempts import first_line
from portrayal.loading.devices import import_extra
from portrayal.loading.remembered import recall, remember
from portrayal.plugins import hint_for
from portrayal.records import digest

_READING: ContextVar[bool] = ContextVar("reading", default=False)
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
# What saving again changes although the model is the same.
_NOT_CONFIGURATION = frozenset({"transformers_version", "torch_dtype", "dtype"})
_TOPIC = "weights"
_WORTH_BYTES = 2**20
# A file that was written this shortly ago could be written again without its times changing.
_SETTLED_NS = 2 * 10**9


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model's files lie, and the name under which people know it."""

    name: str
    folder: Path
    revision: str | None = None


def find_source(
    model: str,
    *,
    revision: str | None,
    download: Callable[[str, str | None], str],
    error: type[PortrayalError],
) -> ModelSource:
    """Find a model by folder or Hub id.

    Args:
        model: A folder, or an id such as "owner/name".
        revision: A branch, tag or commit; for Hub ids only.
        download: Called with id and revision where `model` is no folder; returns the folder.
        error: What to raise where there is no such model.
    """
    folder = Path(model).expanduser()
    if model and folder.is_dir():
        if revision is not None:
            raise error(
                f"{model}: a folder has no revision, got {revision!r}; leave `revision` out"
            )
        return ModelSource(folder.resolve().name, folder)
    if not _HUB_ID.fullmatch(model):
        raise error(f"{model!r}: no such folder, and not a Hub id (owner/name){hint_for(model)}")
    try:
        found = Path(download(model, revision))
    except Exception as problem:  # the Hub's client raises many kinds; all mean "not here"
        if folder.parent.is_dir():
            where = f"the folder {folder.parent} contains no {folder.name}"
            raise error(f"{model}: {where}, and the Hub did not give it; check it") from problem
        raise error(
            f"{model}: no such folder, and the Hub did not give it ({first_line(problem)}); "
            "name a folder, or check the id and the network"
        ) from problem
    return ModelSource(model, found, found.name)


def weights_hash(root: Path, files: Iterable[Path]) -> str:
    """Return the hash of weight files: names below `root`, sizes and contents."""
    paths = sorted(files)
    with ThreadPoolExecutor(4) as pool:
        # Threads of a pool do not see the context of who asks them.
        asked = [pool.submit(copy_context().run, content_hash, path) for path in paths]
        contents = [one.result() for one in asked]
    names = [path.relative_to(root).as_posix() for path in paths]
    sizes = [path.stat().st_size for path in paths]
    return digest([list(row) for row in zip(names, sizes, contents, strict=True)], length=32)


def configuration_hash(root: Path, files: Iterable[Path]) -> str:
    """Return the hash of the text files beside the weights (configurations, vocabularies).

    JSON counts by content, without private keys and versions, so that saving a model again with a
    newer library does not make it another one.
    """
    found = {}
    for path in sorted(files):
        data = path.read_bytes()
        name = path.relative_to(root).as_posix()
        found[name] = hashlib.sha256(data).hexdigest()
        if path.suffix == ".json":
            with contextlib.suppress(ValueError):
                found[name] = digest(_settled(json.loads(data)), length=64)
    return digest(found, length=32)


def content_hash(path: Path) -> str:
    """Return the SHA-256 of a file, read or remembered; within `reading_contents` always read."""
    real = path.resolve()
    if _READING.get():
        return _read_hash(real)
    if _is_in_hub_cache(real):
        return real.name
    return _known_hash(real, _state(real))


@contextlib.contextmanager
def reading_contents() -> Iterator[None]:
    """Hash what files contain, also those of the Hub's cache, whose names say their hashes."""
    token = _READING.set(True)
    try:
        yield
    finally:
        _READING.reset(token)


def _is_in_hub_cache(real: Path) -> bool:
    """Tell whether a file is a blob of the Hub's cache, where the Hub's own library has it.

    Anybody can name a folder `blobs`; what lies elsewhere is hashed.
    """
    if real.parent.name != "blobs" or not re.fullmatch(r"[0-9a-f]{64}", real.name):
        return False
    constants = import_extra("huggingface_hub", extra="models").constants
    return real.parent.parent.parent == Path(constants.HF_HUB_CACHE).resolve()


@lru_cache(maxsize=4096)
def _known_hash(path: Path, state: tuple[int, ...]) -> str:
    """Return a file's hash; remembered on this machine while the file's state is the same."""
    size, *times = state[:3]
    is_worth_it = size >= _WORTH_BYTES and os.name == "posix"
    key = [str(path), *state]
    if is_worth_it and re.fullmatch(r"[0-9a-f]{64}", known := str(recall(_TOPIC, key))):
        return known
    found = _read_hash(path)
    if is_worth_it and _state(path) == state and time.time_ns() - max(times) > _SETTLED_NS:
        remember(_TOPIC, key, found)
    return found


def _state(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced: size, times, inode, device."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _read_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _settled(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _settled(item)
            for key, item in value.items()
            if not key.startswith("_") and key not in _NOT_CONFIGURATION
        }
    return [_settled(item) for item in value] if isinstance(value, list) else value
