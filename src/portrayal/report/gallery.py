"""Images for the page: small, embedded, a few per prompt, the rest counted."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from portrayal.audit import AuditFolder
from portrayal.findings import label_captions
from portrayal.records import FORMATS, MAX_PIXELS
from portrayal.studies import Study

SIDE = 96
"""Longest side of an embedded image; the audit holds the originals."""


class ShownImage(NamedTuple):
    """An image of the gallery: its seed, its data URI, and its labels, one line per measurer."""

    seed: int
    uri: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """One prompt's row in the gallery."""

    prompt: str
    images: Sequence[ShownImage]
    total: int
    refused: int
    failed: int


def shelves(audit: AuditFolder, study: Study, *, each: int, at_most: int) -> list[Shelf]:
    """Return up to `at_most` shelves of `each` images, spread evenly over a study's prompts."""
    wanted = list(dict.fromkeys(prompt.text for prompt in study.prompts()))
    step = max(1, -(-len(wanted) // at_most))
    chosen = wanted[::step]
    rows = audit.images().select("prompt, seed, key, status").order("prompt, seed").fetchall()
    by_prompt: dict[str, list[tuple[int, str, str]]] = {}
    for prompt, seed, key, status in rows:
        by_prompt.setdefault(prompt, []).append((seed, key, status))
    keys = {
        prompt: [(seed, key) for seed, key, status in by_prompt.get(prompt, []) if status == "ok"]
        for prompt in chosen
    }
    images = thumbnails(audit, [key for found in keys.values() for _, key in found[:each]])
    labels = label_captions(audit, study, chosen)
    result = []
    for prompt in chosen:
        statuses = [status for _, _, status in by_prompt.get(prompt, [])]
        shown = [
            ShownImage(seed, images[key], labels.get(key, ()))
            for seed, key in keys[prompt][:each]
            if key in images
        ]
        result.append(
            Shelf(prompt, shown, len(statuses), statuses.count("refused"), statuses.count("failed"))
        )
    return result


def thumbnails(audit: AuditFolder, keys: Sequence[str], *, side: int = SIDE) -> dict[str, str]:
    """Return data URIs of small WebP copies of images, by key."""
    return {key: data_uri(data, side) for key, data in audit.read_images(keys).items()}


def data_uri(encoded: bytes, side: int) -> str:
    """Return an image as a small WebP data URI; an oversized one becomes a grey box."""
    from PIL import Image

    from portrayal.pixels import as_rgb

    with Image.open(io.BytesIO(encoded), formats=FORMATS) as image:
        fits = image.width * image.height <= MAX_PIXELS
        small = as_rgb(image) if fits else Image.new("RGB", (side, side), "grey")
        small.thumbnail((side, side))
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=82)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
