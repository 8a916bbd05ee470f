"""Images in TFRecord files, as img2dataset writes them: where each lies, by its key.

A record is its length (8 bytes), a checksum of that (4), a `tf.train.Example` and a checksum (4).
The example is a protobuf message: a map from names to lists, of which `key` and `jpg` (or `png`,
`webp`) are lists of one byte string. Only places are kept; images are read where they lie.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from portrayal.corpora.problems import Problem
from portrayal.corpora.sources import IMAGE_ENDINGS, Place, shown
from portrayal.errors import CorpusError

_LENGTH, _CHECKSUM = 8, 4
_BYTES = 2
"""Protobuf's wire type of what has a length: texts, bytes and messages."""
_MOST = 2**31
"""Bytes of a record; more is no record."""


def images_by_key(place: Place) -> tuple[dict[str, dict[str, Any]], tuple[Problem, ...]]:
    """Return name, offset and size of every image, and where the file is cut off, if it is.

    Raises:
        CorpusError: It is no TFRecord file.
    """
    size, _ = place.size_and_state()
    held: dict[str, dict[str, Any]] = {}
    with place.open() as file:
        start = 0
        while start < size:
            file.seek(start)
            length = int.from_bytes(file.read(_LENGTH), "little")
            if start == 0 and length > _MOST:
                raise CorpusError("cannot be read as TFRecord: its first record has no length")
            start += _LENGTH + _CHECKSUM
            if start + length + _CHECKSUM > size:
                where = f"{shown(place.path)}: cut off at byte {size:,}; {len(held):,} samples"
                return held, (Problem("cut off", 1, f"{where} are whole"),)
            file.seek(start)
            _add(held, file.read(length), start)
            start += length + _CHECKSUM
    return held, ()


def _add(held: dict[str, dict[str, Any]], record: bytes, start: int) -> None:
    """Take in the sample of a record that begins at a byte of the file."""
    try:
        found = {name: (begin, end) for name, begin, end in _features(record)}
    except (IndexError, UnicodeDecodeError) as error:
        raise CorpusError(f"byte {start:,}: not a tf.train.Example") from error
    ending = next((one for one in IMAGE_ENDINGS if one[1:] in found), "")
    if "key" in found and ending:
        key = record[slice(*found["key"])].decode("utf-8", "replace")
        begin, end = found[ending[1:]]
        image = {"image": key + ending, "offset": start + begin, "bytes": end - begin}
        held[key] = image


def _features(record: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the byte strings of an example: name, where it begins, where it ends."""
    for features in _fields(record, 0, len(record), 1):
        for entry in _fields(record, *features, 1):
            for name in _fields(record, *entry, 1):
                for value in _fields(record, *entry, 2):
                    for strings in _fields(record, *value, 1):
                        for one in _fields(record, *strings, 1):
                            yield record[slice(*name)].decode("utf-8"), *one


def _fields(data: bytes, begin: int, end: int, number: int) -> Iterator[tuple[int, int]]:
    """Yield where the fields of a number lie that have a length, inside a protobuf message."""
    while begin < end:
        tag, begin = _number(data, begin)
        if tag & 7 == _BYTES:
            length, begin = _number(data, begin)
            if tag >> 3 == number:
                yield begin, begin + length
            begin += length
        elif tag & 7 == 0:
            _, begin = _number(data, begin)
        else:  # numbers of fixed size: 8 bytes, or 4
            begin += 8 if tag & 7 == 1 else 4


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, seven bits per byte, and where it ends."""
    value = shift = 0
    while data[at] & 128:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return value | data[at] << shift, at + 1
