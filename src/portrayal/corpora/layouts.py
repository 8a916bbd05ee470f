"""Which files of a folder hold captions, and which belong to another one.

    img2dataset   00000.parquet with 00000.tar, 00000.tfrecord or 00000/: one shard, named by its
                  Parquet file
    datasets      state.json names the Arrow files of a saved dataset; its caches do not count
    plain         a.jpg with a.txt: the folder itself is the source

Everything else is known by its ending. Files that may hold captions and are not read are named.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portrayal.corpora.problems import Problem
from portrayal.corpora.sources import (
    CAPTION_ENDINGS,
    ENDINGS,
    IMAGE_ENDINGS,
    SHARD_ENDINGS,
    asking,
    filesystem,
    is_shard,
    kind_by_name,
    shown,
)
from portrayal.errors import CorpusError

_MAY_HOLD_CAPTIONS = (
    ".json", ".gz", ".bz2", ".xz", ".zst", ".tgz", ".zip", ".tfrecord", ".feather", ".xlsx", ".txt",
)  # fmt: skip
_ABOUT = (
    "_stats.json", "state.json", "dataset_info.json", "dataset_dict.json", "readme.txt",
    "license.txt", "requirements.txt",
)  # fmt: skip
"""Endings of files that tell of others and hold no captions."""


@dataclass(slots=True)
class FoundFiles:
    """The sources of a folder.

    Attributes:
        sources: Files and folders to read.
        unread: Files that may hold captions, of kinds that are not read.
    """

    sources: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def expanded(names: Iterable[str | Path]) -> FoundFiles:
    """Return the sources that names stand for, each once: files, patterns, folders, URLs of them.

    Raises:
        CorpusError: A name stands for nothing.
    """
    whole = FoundFiles()
    for one in names:
        name = str(one)
        found = _remote(name) if "://" in name else _local(name)
        if not found.sources:
            first = f"; {found.unread[0]} is of a kind that is not read" if found.unread else ""
            raise CorpusError(
                f"{shown(name)}: nothing there that can hold captions{first}; wanted: files ending "
                f"in {', '.join(ENDINGS)}, images with .txt beside them, a folder of these, a "
                "pattern, or a URL"
            )
        whole.sources += found.sources
        whole.unread += found.unread
    whole.sources = list(dict.fromkeys(whole.sources))
    return whole


def _local(name: str) -> FoundFiles:
    path = os.path.abspath(os.path.expanduser(name))
    if os.path.isdir(path):
        files = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
        return arranged(files)
    if os.path.isfile(path):
        return FoundFiles([_of_shard(path)])
    return FoundFiles(_listed(sorted(glob.glob(path, recursive=True))))


def _remote(url: str) -> FoundFiles:
    protocol, _, rest = url.partition("://")
    if ":" in rest.partition("/")[0].rpartition("@")[0]:
        raise CorpusError(
            f"{shown(url)}: the address contains a password, which would end up in files and logs; "
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
                return FoundFiles([url])
    except FileNotFoundError:
        return FoundFiles()
    except CorpusError as error:
        raise CorpusError(f"{shown(url)}: {error}") from error
    return FoundFiles(
        _listed([path if "://" in path else f"{protocol}://{path}" for path in found])
    )


def _listed(paths: Sequence[str]) -> list[str]:
    """Keep what has a fitting ending and is no temporary or hidden file."""
    there = set(paths)
    return [
        path if _metadata(path) in there else _of_shard(path)
        for path in paths
        if (kind_by_name(path) is not None or _of_shard(path) != path)
        and not path.rsplit("/", 1)[-1].startswith((".", "_"))
        and not _is_in_shard(path, there)
    ]


def _is_in_shard(path: str, there: set[str]) -> bool:
    """Tell whether a file contains the images of metadata that are listed too."""
    metadata = _metadata(path)
    return path.endswith(SHARD_ENDINGS) and metadata in there and is_shard(metadata)


def _of_shard(path: str) -> str:
    """Return the metadata of local images that img2dataset wrote; the path itself otherwise."""
    metadata = _metadata(path)
    if path.endswith(SHARD_ENDINGS) and "://" not in path and is_shard(metadata):
        return metadata
    return path


def _metadata(path: str) -> str:
    """Return where the metadata of a shard's images would lie."""
    return os.path.splitext(path)[0] + ".parquet"


def arranged(paths: Iterable[str]) -> FoundFiles:
    """Return the sources among the files below a folder, each caption once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if not name.startswith((".", "_")):
            folders.setdefault(folder, []).append(name)
    shards = {
        f"{folder}/{name.removesuffix('.parquet')}"
        for folder, names in folders.items()
        for name in names
        if name.endswith(".parquet") and is_shard(f"{folder}/{name}")
    }
    corpora = tuple(folder for folder, names in folders.items() if "corpus.json" in names)
    found = FoundFiles()
    for folder, names in folders.items():
        inside = any(folder == one or folder.startswith(f"{one}/") for one in corpora)
        # Images belong to their shard's Parquet file; what a corpus keeps is no source of captions.
        if folder not in shards and not inside:
            _add_folder(found, folder, names, shards)
    return found


def _add_folder(found: FoundFiles, folder: str, names: Sequence[str], shards: set[str]) -> None:
    saved = _saved_files(folder) if "state.json" in names else None
    beside = set() if any(_is_table(name) for name in names) else _captions_beside(names)
    if beside:
        found.sources.append(folder)
    for name in names:
        path, kind = f"{folder}/{name}", kind_by_name(name)
        if name.endswith(SHARD_ENDINGS) and os.path.splitext(path)[0] in shards:
            continue
        if kind == "arrow" and saved is not None and name not in saved:
            continue
        if kind is not None:
            found.sources.append(path)
        elif name not in beside and _may_hold_captions(name):
            found.unread.append(path)


def _captions_beside(names: Sequence[str]) -> set[str]:
    """Return the files that are captions of images in the same folder."""
    parts = [(name, *os.path.splitext(name)) for name in names]
    images = {stem for _, stem, ending in parts if ending.lower() in IMAGE_ENDINGS}
    endings = (*CAPTION_ENDINGS, ".json")
    return {name for name, stem, ending in parts if stem in images and ending.lower() in endings}


def _saved_files(folder: str) -> set[str] | None:
    """Return the files of a dataset that `datasets` has saved; None where it does not say."""
    try:
        with open(f"{folder}/state.json", encoding="utf-8") as file:
            return {str(one["filename"]) for one in json.load(file)["_data_files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_table(name: str) -> bool:
    return kind_by_name(name) in ("table", "lines", "parquet", "arrow")


def _may_hold_captions(name: str) -> bool:
    low = name.lower()
    return low.endswith(_MAY_HOLD_CAPTIONS) and not low.endswith(_ABOUT)


def unread(paths: Sequence[str], known: Sequence[Problem]) -> list[Problem]:
    """Return one problem for all files of kinds that are not read, unless it is known."""
    problem = [Problem("not read", len(paths), f"{shown(paths[0])}: not read")] if paths else []
    return [one for one in problem if one not in known]
