"""Embeddings in a Parquet or .npz file, read a chunk at a time, without pickle."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from portrayal.audit import ImageName, matrix
from portrayal.errors import AuditError, ImportFileError, one_of

_ROWS = 8192
_NAMING = (("key",), ("prompt", "seed"), ("image",))
_IDS: tuple[str, ...] = ("key", "prompt", "seed", "image")
_ARRAYS = (*_IDS, "embedding", "text", "text_embedding")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a file: all of images, or all of texts."""

    vectors: npt.NDArray[np.float32]
    numbers: Sequence[int]
    """Row numbers in the file, from 0."""
    names: Sequence[ImageName] = ()
    """What each image is called by: its key, (prompt, seed), or its path."""
    texts: Sequence[str] | None = None

    def where(self, i: int) -> str:
        """Return the place of a row, for an error line."""
        return f"{'row' if self.texts is None else 'text row'} {self.numbers[i]}"

    def shown(self, i: int) -> str:
        """Return what an image is called by, for an error line."""
        name = self.names[i]
        if isinstance(name, tuple):
            return f"prompt {name[0]!r} and seed {name[1]}"
        return f"path {str(name)!r}" if isinstance(name, Path) else f"key {name!r}"


def read_chunks(file: Path) -> Iterator[Chunk]:
    """Yield the embeddings of a file.

    Raises:
        ImportFileError: It is not a file of embeddings.
    """
    if not file.is_file():
        raise ImportFileError(f"{file}: no such file")
    if file.suffix == ".npz":
        return _npz(file)
    if file.suffix in (".parquet", ".pq"):
        return _parquet(file)
    raise ImportFileError(
        f"{file}: {file.suffix or 'no ending'} is unknown; allowed: .parquet, .npz"
    )


def _parquet(file: Path) -> Iterator[Chunk]:
    try:
        with pq.ParquetFile(file) as source:
            names = source.schema_arrow.names
            _require("embedding" in names, file, f"no column embedding; got: {one_of(names)}")
            wanted = [name for name in _ARRAYS if name in names]
            start = 0
            for batch in source.iter_batches(_ROWS, columns=wanted):
                yield from _of_batch(file, pa.Table.from_batches([batch]), start)
                start += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise ImportFileError(f"{file}: cannot be read as Parquet: {_line(error)}") from error


def _of_batch(file: Path, table: pa.Table, start: int) -> Iterator[Chunk]:
    vectors = _matrix(file, table["embedding"], start)
    numbers = np.arange(start, start + len(table))
    texts = table["text"].to_pylist() if "text" in table.column_names else [None] * len(table)
    is_text = np.array([text is not None for text in texts], dtype=np.bool_)
    if is_text.any():
        chosen = [text for text in texts if text is not None]
        yield Chunk(vectors[is_text], numbers[is_text].tolist(), texts=chosen)
    if not is_text.all():
        images = table.filter(pa.array(~is_text)).drop_columns("embedding")
        own = numbers[~is_text].tolist()
        names = _names(file, images.to_pydict(), own)
        yield Chunk(vectors[~is_text], own, names=names)


def _matrix(file: Path, column: pa.ChunkedArray, start: int) -> npt.NDArray[np.float32]:
    kind = column.type
    nested = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    numbers = nested or pa.types.is_fixed_size_list(kind)
    if numbers:
        inner = kind.value_type
        numbers = pa.types.is_floating(inner) or pa.types.is_integer(inner)
    _require(numbers, file, f"embedding is {kind}; wanted: a list of numbers in each row")
    if column.null_count:
        row = start + column.is_null().to_pylist().index(True)
        raise ImportFileError(f"{file}: row {row}: no embedding")
    try:
        return matrix(column.cast(pa.list_(pa.float32())))
    except AuditError as error:
        raise ImportFileError(f"{file}: rows {start} and on: {error}") from error
    except ValueError as error:  # a missing number within a vector
        raise ImportFileError(f"{file}: rows {start} and on: {_line(error)}") from error


def _npz(file: Path) -> Iterator[Chunk]:
    arrays = _arrays(file)
    for name in ("embedding", "text_embedding"):
        if name in arrays:
            vectors = arrays[name]
            numeric = vectors.ndim == 2 and vectors.dtype.kind in "fiu"
            got = f"{name} has shape {vectors.shape} and type {vectors.dtype}"
            _require(numeric, file, f"{got}; wanted: one row of numbers for each image or text")
    if "embedding" in arrays:
        ids = {name: _list(arrays[name]) for name in _IDS if name in arrays}
        _require_lengths(file, len(arrays["embedding"]), ids)
        names = _names(file, ids, range(len(arrays["embedding"])))
        for start in range(0, len(names), _ROWS):
            rows = slice(start, start + _ROWS)
            vectors = arrays["embedding"][rows].astype(np.float32)
            yield Chunk(vectors, range(start, start + len(vectors)), names=names[rows])
    if "text_embedding" in arrays or "text" in arrays:
        both = "text" in arrays and "text_embedding" in arrays
        _require(both, file, "text and text_embedding come together; one of them is missing")
        texts = [str(text) for text in _list(arrays["text"])]
        _require_lengths(file, len(arrays["text_embedding"]), {"text": texts})
        yield Chunk(arrays["text_embedding"].astype(np.float32), range(len(texts)), texts=texts)


def _arrays(file: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        with np.load(file, allow_pickle=False) as held:
            unknown = sorted(set(held.files) - set(_ARRAYS))
            allowed = one_of(_ARRAYS)
            _require(not unknown, file, f"array {unknown[:1]} is unknown; allowed: {allowed}")
            arrays = {name: held[name] for name in held.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        pickled = "allow_pickle" in str(error)
        why = "it holds pickled objects; save texts as plain strings" if pickled else _line(error)
        raise ImportFileError(f"{file}: cannot be read as .npz: {why}") from error
    some = "embedding" in arrays or "text_embedding" in arrays
    _require(some, file, f"no array embedding; got: {one_of(sorted(arrays)) or 'nothing'}")
    return arrays


def _names(
    file: Path, columns: Mapping[str, Sequence[Any]], numbers: Sequence[int]
) -> list[ImageName]:
    """Return what the image of every row is called by."""
    for naming in _NAMING:
        if all(name in columns for name in naming):
            break
    else:
        raise ImportFileError(
            f"{file}: rows say of no image which one it is; wanted: a column key, or prompt and "
            f"seed, or image; got: {one_of(sorted(columns)) or 'none of them'}"
        )
    named: list[ImageName] = []
    rows = zip(*(columns[name] for name in naming), strict=True)
    for number, parts in zip(numbers, rows, strict=True):
        if None in parts:
            raise ImportFileError(f"{file}: row {number}: no {naming[parts.index(None)]}")
        named.append(_name(naming, parts))
    return named


def _name(naming: tuple[str, ...], parts: Sequence[Any]) -> ImageName:
    if naming == ("image",):
        return Path(str(parts[0]))
    if naming == ("key",):
        return str(parts[0])
    return (str(parts[0]), parts[1])


def _list(array: npt.NDArray[Any]) -> list[Any]:
    """Return an array of texts or numbers as Python values; bytes are UTF-8."""
    if array.dtype.kind == "S":
        return [value.decode("utf-8") for value in array.tolist()]
    return list(array.tolist()) if array.ndim == 1 else [array.tolist()]


def _require(fine: bool, file: Path, otherwise: str) -> None:
    if not fine:
        raise ImportFileError(f"{file}: {otherwise}")


def _require_lengths(file: Path, rows: int, columns: Mapping[str, Sequence[Any]]) -> None:
    for name, values in columns.items():
        got = f"{name} has {len(values)} entries and its embeddings have {rows} rows"
        _require(len(values) == rows, file, got)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
