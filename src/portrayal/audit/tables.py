"""The Parquet schemas of an audit folder, and records turned into Arrow tables."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from portrayal.audit.index import RANKS
from portrayal.audit.keys import VOTE_KEY, image_keys, text_keys
from portrayal.errors import AuditError, one_of
from portrayal.records import (
    Ballot,
    Fingerprint,
    Identity,
    ImageRecord,
    LookRecord,
    Measurement,
    digest,
    plain,
    storable,
)

ColumnType = Literal["text", "number", "integer", "boolean", "vector", "numbers", "labels", "json"]
"""What a measurer may store in a column.

"numbers" are numbers by name, "labels" probabilities by axis and answer; "json" is any JSON value
kept as text.
"""

_VECTOR = pa.list_(pa.float32())
_NUMBERS = pa.map_(pa.string(), pa.float64())
_ARROW: Mapping[str, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float64(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "vector": _VECTOR,
    "numbers": _NUMBERS,
    "labels": pa.map_(pa.string(), _NUMBERS),
    "json": pa.string(),
}

_FEATURES = {
    "key": {"dtype": "string", "_type": "Value"},
    "prompt": {"dtype": "string", "_type": "Value"},
    "seed": {"dtype": "int64", "_type": "Value"},
    "status": {"dtype": "string", "_type": "Value"},
    "reason": {"dtype": "string", "_type": "Value"},
    "image": {"_type": "Image"},
    "width": {"dtype": "int32", "_type": "Value"},
    "height": {"dtype": "int32", "_type": "Value"},
    "factors": {"dtype": "string", "_type": "Value"},
    "made_at": {"dtype": "timestamp[us]", "_type": "Value"},
    "revised_prompt": {"dtype": "string", "_type": "Value"},
    "response": {"dtype": "string", "_type": "Value"},
    "pixel_hash": {"dtype": "string", "_type": "Value"},
    "coarse_pixels": {"dtype": "binary", "_type": "Value"},
}

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
IMAGES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("image", _IMAGE),
        pa.field("width", pa.int32()),
        pa.field("height", pa.int32()),
        pa.field("factors", pa.string()),
        # UTC, without saying so in the type: DuckDB asks for pytz to hand out a time with a zone.
        pa.field("made_at", pa.timestamp("us")),
        # From here on: not in parts of version 0.1.
        pa.field("revised_prompt", pa.string()),
        pa.field("response", pa.string()),
        pa.field("pixel_hash", pa.string()),
        pa.field("coarse_pixels", pa.binary()),
    ],
    # With this, `datasets.load_dataset("parquet")` decodes the column as images.
    metadata={"huggingface": json.dumps({"info": {"features": _FEATURES}})},
)
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
ABOUT_IMAGES = tuple(name for name in IMAGES.names if name not in ("image", "coarse_pixels"))
"""The columns of `images/` without the images themselves, and what is made of their pixels."""

TEXTS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("embedding", _VECTOR),
        pa.field("tokens", pa.int64()),
        pa.field("truncated", pa.bool_()),
    ]
)


VOTES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("image", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("definition", pa.string(), nullable=False),
        pa.field("rater", pa.string(), nullable=False),
        pa.field("answer", pa.string()),
        pa.field("answered_at", pa.int64()),
        pa.field("seconds", pa.float64()),
        pa.field("again", pa.bool_(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
    ]
)
"""One row per answer of a rater; `key` is a hash of all but `seconds`."""


def votes_table(ballots: Sequence[Ballot]) -> pa.Table:
    """Return raters' answers as a table in the layout of `votes/`."""
    keys = [digest([getattr(one, name) for name in VOTE_KEY], length=32) for one in ballots]
    rows: dict[str, list[Any]] = {"key": keys}
    for field in list(VOTES)[1:]:
        rows[field.name] = [getattr(one, field.name) for one in ballots]
    return pa.Table.from_pydict(rows, schema=VOTES)


LOOKS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("at", pa.timestamp("us"), nullable=False),
        pa.field("study", pa.string(), nullable=False),
        pa.field("asked", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("data", pa.string(), nullable=False),
        pa.field("estimate", pa.float64()),
        pa.field("p", pa.float64()),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("images", pa.int64(), nullable=False),
        pa.field("stage", pa.int64()),
        pa.field("maximum", pa.int64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
    ]
)


def looks_table(looks: Sequence[LookRecord]) -> pa.Table:
    """Return looks at questions as a table in the layout of `looks/`."""
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    rows = [{"key": look.key, "at": now, **asdict(look)} for look in looks]
    return pa.Table.from_pylist(rows, schema=LOOKS)


def images_table(generator: Identity, records: Sequence[ImageRecord]) -> pa.Table:
    """Return image records as a table in the layout of `images/`."""
    for record in records:
        _check_record(record)
    keys = image_keys(generator, [(record.prompt, record.seed) for record in records])
    factors = [_JSON.encode(dict(record.factors)) if record.factors else "{}" for record in records]
    image = pa.StructArray.from_arrays(
        [
            pa.array([record.data for record in records], pa.binary()),
            pa.array([_storable(record.path) for record in records], pa.string()),
        ],
        fields=list(_IMAGE),
        mask=pa.array([record.data is None for record in records], pa.bool_()),
    )
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    prints = fingerprints(records)
    columns = [
        pa.array(keys, pa.string()),
        text_array([record.prompt for record in records], "prompt"),
        pa.array([record.seed for record in records], pa.int64()),
        pa.array([record.status for record in records], pa.string()),
        pa.array([_storable(record.reason) for record in records], pa.string()),
        image,
        pa.array([record.width for record in records], pa.int32()),
        pa.array([record.height for record in records], pa.int32()),
        text_array(factors, "factors"),
        pa.array([now] * len(records), pa.timestamp("us")),
        pa.array([_storable(record.revised_prompt) for record in records], pa.string()),
        pa.array([_response(record) for record in records], pa.string()),
        pa.array([one and one.pixel_hash for one in prints], pa.string()),
        pa.array([one and one.coarse_pixels for one in prints], pa.binary()),
    ]
    return pa.Table.from_arrays(columns, schema=IMAGES)


def measurement_schema(columns: Mapping[str, ColumnType]) -> pa.Schema:
    """Return the schema of a measurer's parts: key, its columns, and the reason when empty."""
    fields = [pa.field("key", pa.string(), nullable=False)]
    fields += [pa.field(name, _ARROW[kind]) for name, kind in columns.items()]
    return pa.schema([*fields, pa.field("reason", pa.string())])


def measurements_table(
    columns: Mapping[str, ColumnType], measurements: Sequence[Measurement]
) -> pa.Table:
    """Return measurements as a table; a measurement without values has only a reason."""
    for measurement in measurements:
        if measurement.values is not None and set(measurement.values) != set(columns):
            raise AuditError(
                f"measurement of image {measurement.key}: got values for "
                f"{one_of(sorted(measurement.values))}; wanted: {one_of(sorted(columns))}"
            )
    arrays = [pa.array([m.key for m in measurements], pa.string())]
    for name, kind in columns.items():
        values = [None if m.values is None else m.values[name] for m in measurements]
        arrays.append(_column(values, kind, name))
    arrays.append(pa.array([_storable(m.reason) for m in measurements], pa.string()))
    return pa.Table.from_arrays(arrays, schema=measurement_schema(columns))


def texts_table(
    texts: Sequence[str],
    embeddings: npt.NDArray[np.floating[Any]],
    *,
    tokens: Sequence[int | None],
    truncated: Sequence[bool | None],
) -> pa.Table:
    """Return the embeddings of texts as a table in the layout of `texts/`."""
    columns = [
        pa.array(text_keys(texts), pa.string()),
        text_array(texts, "text"),
        vectors(list(embeddings)),
        pa.array(list(tokens), pa.int64()),
        pa.array(list(truncated), pa.bool_()),
    ]
    return pa.Table.from_arrays(columns, schema=TEXTS)


def text_array(texts: Iterable[str | None], what: str) -> pa.Array:
    """Return texts as an Arrow array; half a character pair is the one thing it cannot hold."""
    values = list(texts)
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        shown = ascii(error.object[max(0, error.start - 20) : error.end + 20])
        raise AuditError(
            f"{what} {shown} cannot be stored: it holds half of a character pair (a lone "
            f"surrogate, {error.object[error.start]!a}), which UTF-8 has no bytes for; "
            "decode the text properly before it gets here"
        ) from error


def vectors(rows: Sequence[Any]) -> pa.Array:
    """Return vectors (or None) as an Arrow array of lists."""
    arrays = [None if row is None else np.asarray(row, dtype=np.float32).ravel() for row in rows]
    if any(array is None for array in arrays) or not arrays:
        return pa.array(arrays, _VECTOR)
    lengths = [0, *(len(array) for array in arrays if array is not None)]
    offsets = pa.array(np.cumsum(lengths), pa.int32())
    values = np.concatenate([array for array in arrays if array is not None])
    return pa.ListArray.from_arrays(offsets, pa.array(values, pa.float32()))


def matrix(column: pa.ChunkedArray) -> npt.NDArray[np.float32]:
    """Return a column of equally long vectors, none of them missing, as one matrix."""
    width = check_widths(column, "embedding") or 0
    result = np.empty((len(column), width), dtype=np.float32)
    start = 0
    for chunk in column.chunks:  # one by one: all together may be more than an Arrow list can hold
        values = chunk.flatten().to_numpy(zero_copy_only=False)
        result[start : start + len(chunk)] = values.reshape(len(chunk), width)
        start += len(chunk)
    return result


def check_widths(column: pa.ChunkedArray, where: str, *, expected: int | None = None) -> int | None:
    """Return the one width of a vector column; raise where rows differ."""
    lengths = set(pc.unique(pc.list_value_length(column)).to_pylist()) - {None}
    if expected is not None:
        lengths.add(expected)
    if len(lengths) > 1:
        got = " and ".join(str(n) for n in sorted(lengths))
        raise AuditError(f"{where}: embeddings of different width: got {got}; one encoder has one")
    return lengths.pop() if lengths else None


def _check_record(record: ImageRecord) -> None:
    where = f"image of prompt {record.prompt!a}, seed {record.seed}"
    if record.status not in RANKS:
        raise AuditError(f"{where}: status {record.status!r} is unknown; allowed: {one_of(RANKS)}")
    if (record.status == "ok") != (record.data is not None):
        raise AuditError(
            f"{where}: status {record.status} {'without' if record.data is None else 'with'} image "
            "bytes; an image that is ok has them, another has none"
        )
    if not 0 <= record.seed < 2**63:
        raise AuditError(f"{where}: a seed is a whole number from 0 to 2**63 - 1")


def _response(record: ImageRecord) -> str | None:
    return _storable(_JSON.encode(dict(record.response))) if record.response else None


def _column(values: Sequence[Any], kind: str, name: str) -> pa.Array:
    if kind == "vector":
        return vectors(values)
    if kind == "json":
        return text_array(
            [None if v is None else json.dumps(plain(v), ensure_ascii=False) for v in values], name
        )
    if kind == "text":
        return text_array(values, name)
    if kind in ("numbers", "labels"):
        return pa.array([_items(value) for value in values], _ARROW[kind])
    return pa.array([plain(value) for value in values], _ARROW[kind])


def _items(value: Any) -> Any:
    """Return nested mappings as the pairs that Arrow takes for a map."""
    if isinstance(value, Mapping):
        return [(key, _items(item)) for key, item in value.items()]
    return plain(value)


def _storable(text: str | None) -> str | None:
    """Return a text that can be stored: an error message or a file name must never stop a run."""
    return None if text is None else storable(text)


def fingerprints(records: Sequence[ImageRecord]) -> list[Fingerprint | None]:
    """Return what tells copies from other images, where it is known."""
    return [record.fingerprint for record in records]
