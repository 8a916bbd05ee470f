"""Folders of images and tars to import."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image


def image(value: int = 0, form: str = "PNG", size: tuple[int, int] = (8, 6)) -> bytes:
    buffer = io.BytesIO()
    colour = (value % 256, value * 7 % 256, value * 31 % 256)
    Image.new("RGB", size, colour).save(buffer, form)
    return buffer.getvalue()


def folder_of(
    where: Path, rows: Sequence[Mapping[str, Any]], *, manifest: str = "manifest.csv"
) -> Path:
    """Write a manifest; for every image that it names and that is not there, an image."""
    where.mkdir(parents=True, exist_ok=True)
    heads = list(dict.fromkeys(head for row in rows for head in row))
    with (where / manifest).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, heads, restval="")
        writer.writeheader()
        writer.writerows(rows)
    for number, row in enumerate(rows):
        name = row.get("image") or row.get("file_name")
        file_path = where / str(name)
        if name and not file_path.exists():
            file_path.parent.mkdir(parents=True, exist_ok=True)
            form = {".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}.get(file_path.suffix, "PNG")
            file_path.write_bytes(image(number, form))
    return where


def tar_of(file: Path, members: Mapping[str, bytes | str]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w") as tar:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file


def sample(key: str, caption: str, value: int = 0, **about: Any) -> dict[str, bytes | str]:
    """Return the three files that img2dataset writes for an image."""
    noted = {"caption": caption, "url": "http://x/y.jpg", "key": key, "status": "success",
             "error_message": None, "width": 8, "height": 6, "original_width": 8,
             "original_height": 6, "exif": "{}", "sha256": "0"}  # fmt: skip
    return {
        f"{key}.jpg": image(value, "JPEG"),
        f"{key}.json": json.dumps({**noted, **about}),
        f"{key}.txt": caption,
    }
