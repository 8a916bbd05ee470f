"""WebDataset tars as img2dataset writes them: key.jpg, key.txt with the caption, key.json."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from portrayal.errors import ImportFileError
from portrayal.importers.entries import Entry, Problems, broken
from portrayal.importers.image_files import SUFFIXES, check_size, stored_bytes

# What img2dataset notes for itself; everything else in a key.json becomes a factor.
_BOOKKEEPING = frozenset(
    {
        "caption", "prompt", "seed", "key", "url", "status", "error_message", "width", "height",
        "original_width", "original_height", "exif", "sha256", "md5", "sha512", "hash",
    }
)  # fmt: skip


def read_tars(source: Path, tars: Sequence[Path], problems: Problems | None = None) -> list[Entry]:
    """Return the images in WebDataset tars, each with its caption as prompt.

    Nothing is unpacked: members are read where they lie in the tar.

    Args:
        source: What is imported, for messages.
        tars: The tars.
        problems: Takes note of broken samples; None: they are an error.

    Raises:
        ImportFileError: A tar cannot be read, or samples in it are wrong.
    """
    problems = problems or Problems(str(source))
    entries = []
    for tar in tars:
        for key, members in _samples(tar).items():
            where = f"{tar.name} sample {key}"
            try:
                entries.append(_entry(tar, where, members))
            except ImportFileError as error:
                problems.add(where, str(error))
                if problems.skip and (prompt := _prompt_or_none(tar, members)) is not None:
                    entries.append(broken(where, prompt, str(error)))
    problems.raise_any()
    if not entries:
        raise ImportFileError(
            f"{source}: no images in {len(tars)} tar files; wanted: key.jpg, key.txt"
        )
    return entries


def _samples(tar: Path) -> dict[str, dict[str, tarfile.TarInfo]]:
    """Return the files of every sample by ending; a sample's name ends at the first dot."""
    samples: dict[str, dict[str, tarfile.TarInfo]] = {}
    try:
        with tarfile.open(tar, "r:") as file:
            for member in file:
                if member.isdir():
                    continue
                if not member.isreg():
                    raise ImportFileError(f"{tar}: {member.name} is a link, not a file")
                path = PurePosixPath(member.name)
                stem, dot, ending = path.name.partition(".")
                if not stem or not dot:
                    continue
                sample = samples.setdefault(str(path.with_name(stem)), {})
                if f".{ending.lower()}" in sample:
                    raise ImportFileError(f"{tar}: {member.name} is in it twice")
                sample[f".{ending.lower()}"] = member
    except (tarfile.TarError, OSError, ValueError) as error:
        raise ImportFileError(f"{tar}: cannot be read as a tar: {error}") from error
    return samples


def _entry(tar: Path, where: str, members: Mapping[str, tarfile.TarInfo]) -> Entry:
    images = [member for ending, member in members.items() if ending in SUFFIXES]
    if len(images) != 1:
        endings = ", ".join(sorted(members))
        raise ImportFileError(f"{len(images)} images, wanted one; got files ending in {endings}")
    about = _json(tar, members[".json"]) if ".json" in members else {}
    prompt = _prompt(tar, members, about)
    check_size(images[0].name, images[0].size)
    seed = about.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**63):
        raise ImportFileError(f"seed {seed!r} is not a whole number from 0 on")
    return Entry(
        where=where,
        prompt=prompt,
        seed=seed,
        path=f"{tar.name}/{images[0].name}",
        read=lambda: stored_bytes(images[0].name, _bytes(tar, images[0])),
        factors=_factors(about),
    )


def _prompt(tar: Path, members: Mapping[str, tarfile.TarInfo], about: Mapping[str, Any]) -> str:
    prompt = _text(tar, members[".txt"]) if ".txt" in members else about.get("caption")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ImportFileError("no prompt: neither a caption in .txt nor in .json")
    return prompt.strip()


def _prompt_or_none(tar: Path, members: Mapping[str, tarfile.TarInfo]) -> str | None:
    try:
        about = _json(tar, members[".json"]) if ".json" in members else {}
        return _prompt(tar, members, about)
    except ImportFileError:
        return None


def _factors(about: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in about.items()
        if name not in _BOOKKEEPING and isinstance(value, (str, int, float))
    }


def _json(tar: Path, member: tarfile.TarInfo) -> dict[str, Any]:
    try:
        about = json.loads(_text(tar, member))
    except (ValueError, RecursionError) as error:
        raise ImportFileError(f"{member.name}: not JSON: {error}") from error
    if not isinstance(about, dict):
        raise ImportFileError(f"{member.name}: not a JSON object")
    return about


def _text(tar: Path, member: tarfile.TarInfo) -> str:
    try:
        return _bytes(tar, member).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportFileError(f"{member.name}: not UTF-8") from error


def _bytes(tar: Path, member: tarfile.TarInfo) -> bytes:
    check_size(member.name, member.size)
    try:
        with tar.open("rb") as file:
            file.seek(member.offset_data)
            data = file.read(member.size)
    except OSError as error:
        raise ImportFileError(f"{tar}: cannot be read: {error.strerror}") from error
    if len(data) < member.size:
        raise ImportFileError(f"{member.name}: cut off, the tar ends before it does")
    return data
