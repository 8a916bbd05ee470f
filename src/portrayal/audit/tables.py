"""The Parquet schemas of an audit folder, and rows turned into Arrow tables."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from portrayal.errors import AuditError
from portrayal.records import Identity, ImageRecord, Measurement, image_key

ColumnType = Literal["text", "number", "integer", "boolean", "vector", "json"]
"""What a measurer may store in a column; "json" is any JSON value kept as text."""

_ARROW: Mapping[str, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float64(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "vector": pa.list_(pa.float32()),
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
    "made_at": {"dtype": "timestamp[us, tz=UTC]", "_type": "Value"},
}

IMAGES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        pa.field("width", pa.int32()),
        pa.field("height", pa.int32()),
        pa.field("factors", pa.string()),
        pa.field("made_at", pa.timestamp("us", tz="UTC")),
    ],
    # With this, `datasets.load_dataset("parquet")` decodes the column as pictures.
    metadata={"huggingface": json.dumps({"info": {"features": _FEATURES}})},
)

TEXTS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("embedding", pa.list_(pa.float32())),
        pa.field("tokens", pa.int64()),
        pa.field("truncated", pa.bool_()),
    ]
)


def images_table(generator: Identity, records: Sequence[ImageRecord]) -> pa.Table:
    """Return image records as a table in the layout of `images/`."""
    now = dt.datetime.now(dt.UTC)
    rows = [
        {
            "key": image_key(generator, record.prompt, record.seed),
            "prompt": record.prompt,
            "seed": record.seed,
            "status": record.status,
            "reason": record.reason,
            "image": None if record.data is None else {"bytes": record.data, "path": record.path},
            "width": record.width,
            "height": record.height,
            "factors": json.dumps(dict(record.factors), ensure_ascii=False, sort_keys=True),
            "made_at": now,
        }
        for record in records
    ]
    return pa.Table.from_pylist(rows, schema=IMAGES)


def measurement_schema(columns: Mapping[str, ColumnType]) -> pa.Schema:
    """Return the schema of a measurer's parts: key, its columns, and the reason when empty."""
    fields = [pa.field("key", pa.string(), nullable=False)]
    fields += [pa.field(name, _ARROW[kind]) for name, kind in columns.items()]
    return pa.schema([*fields, pa.field("reason", pa.string())])


def measurements_table(
    columns: Mapping[str, ColumnType], measurements: Sequence[Measurement]
) -> pa.Table:
    """Return measurements as a table; a measurement without values has only a reason."""
    schema = measurement_schema(columns)
    arrays = [pa.array([m.key for m in measurements], pa.string())]
    for name, kind in columns.items():
        values = [None if m.values is None else m.values[name] for m in measurements]
        arrays.append(pa.array([_storable(value, kind) for value in values], _ARROW[kind]))
    arrays.append(pa.array([m.reason for m in measurements], pa.string()))
    return pa.Table.from_arrays(arrays, schema=schema)


def check_widths(column: pa.ChunkedArray, where: str, *, expected: int | None = None) -> int | None:
    """Return the one width of a vector column; raise where rows differ."""
    lengths = {n for n in pa.compute.list_value_length(column).unique().to_pylist() if n}
    if expected is not None:
        lengths.add(expected)
    if len(lengths) > 1:
        got = " and ".join(str(n) for n in sorted(lengths))
        raise AuditError(f"{where}: embeddings of different width: got {got}; one encoder has one")
    return lengths.pop() if lengths else None


def _storable(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "vector":
        return np.asarray(value, dtype=np.float32)
    if kind == "json":
        return json.dumps(value, ensure_ascii=False)
    return value
