"""Small corpora for tests: captions in Parquet, in any state."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from portrayal_practice.corpus import corpus_items


def practice_captions(n: int, *, seed: int = 0) -> list[str]:
    """The first captions of a practice corpus, without its images."""
    return [item.caption.text for item in corpus_items(n, seed=seed)]


def write(file: Path, captions: Sequence[str | None], *, column: str = "TEXT", **more: Any) -> Path:
    """Write captions as LAION does."""
    ids = list(range(len(captions)))
    pq.write_table(
        pa.table({"SAMPLE_ID": ids, column: pa.array(captions, pa.string()), **more}), file
    )
    return file


def write_raw(file: Path, captions: Sequence[bytes | None]) -> Path:
    """Write a column that says it is text, whatever its bytes are."""
    raw = pa.array(captions, pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers(), raw.null_count)
    pq.write_table(pa.table({"TEXT": text}), file)
    return file


def png(shade: int = 0, size: int = 8) -> bytes:
    """An encoded image."""
    data = io.BytesIO()
    Image.new("RGB", (size, size), (shade, 80, 80)).save(data, "PNG")
    return data.getvalue()
