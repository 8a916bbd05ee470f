"""Records, images and damage for the tests of audit folders."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from portrayal.audit import AuditFolder, parts
from portrayal.audit.tables import images_table
from portrayal.records import Identity, ImageRecord

GENERATOR = Identity("practice", "painter", {"size": 64, "planted": "default"})
ENCODER = Identity("clip", "tiny", {"logit_scale": 100.0})


def image(value: int = 0, form: str = "PNG", size: tuple[int, int] = (8, 6)) -> bytes:
    """Return the bytes of a small image of one colour."""
    buffer = io.BytesIO()
    colour = (value % 256, value * 7 % 256, value * 31 % 256)
    Image.new("RGB", size, colour).save(buffer, form)
    return buffer.getvalue()


def made(prompt: str, seed: int, data: bytes | None = None) -> ImageRecord:
    return ImageRecord(prompt, seed, "ok", data=data or image(seed), width=8, height=6)


def failed(prompt: str, seed: int, reason: str = "out of memory") -> ImageRecord:
    return ImageRecord(prompt, seed, "failed", reason)


def refused(prompt: str, seed: int) -> ImageRecord:
    return ImageRecord(prompt, seed, "refused", "safety checker")


def write_regardless(audit: AuditFolder, records: list[ImageRecord]) -> Path:
    """Write a part without a look at what is there, as happens where files cannot be locked."""
    with parts.prepared(audit.path / "images", [images_table(audit.generator, records)]) as appear:
        return appear()


def image_parts(audit: AuditFolder | Path) -> list[Path]:
    folder = audit.path if isinstance(audit, AuditFolder) else audit
    return sorted((folder / "images").glob("part-*.parquet"))


def raw_rows(audit: AuditFolder | Path) -> list[tuple[str, int, str]]:
    """Return what the parts hold, doubles and all, read without portrayal."""
    rows = []
    for path in image_parts(audit):
        table = pq.read_table(path, columns=["prompt", "seed", "status"])
        rows += [(row["prompt"], row["seed"], row["status"]) for row in table.to_pylist()]
    return rows


def truncate(path: Path, share: float = 0.5) -> None:
    os.truncate(path, int(path.stat().st_size * share))


def flip_bit(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def flip_bit_of(path: Path, content: bytes) -> None:
    """Flip a bit in the middle of bytes that the file holds as they are."""
    place = path.read_bytes().index(content)
    flip_bit(path, place + len(content) // 2)


def vectors(count: int, width: int = 4) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(count, width)).astype(np.float32)
