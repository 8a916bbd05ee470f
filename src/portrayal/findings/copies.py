"""Copies: identical images count once; images that are nearly the same are reported and kept.

Where a seed only numbers images (imported ones, those of a service), an image that comes again was
copied or came from a cache: it is no further evidence. A model that makes nearly the same image
again and again is another matter, and a finding.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.pixels import as_rgb, fingerprint
from portrayal.records import Fingerprint

NEAR = 4.0
"""Root mean square difference of the coarse pixels (0 to 255) up to which images are nearly the
same. Compressing again (JPEG 70, WebP 60), halving and brightening by 3% stay below 5.2, mostly
below 4; the least difference of 64 x 64 images of one prompt with different seeds was 7."""

_BLOCK = 512


class Prints:
    """The fingerprints of an audit's images, read when they are first asked for.

    Args:
        audit: The audit.
        prompts: Prompts whose images are asked about.
    """

    def __init__(self, audit: AuditFolder, prompts: Iterable[str]) -> None:
        self._audit = audit
        self._prompts = pa.array(sorted(set(prompts)), pa.string())
        self._hashes: dict[str, str] | None = None
        self._near: frozenset[str] | None = None

    def hashes(self) -> Mapping[str, str]:
        """Return the pixel hash by image key; empty where images are decided by their seeds."""
        if self._hashes is None:
            self._hashes = {} if self._audit.seeds_decide else dict(self._read_hashes())
        return self._hashes

    def near(self) -> frozenset[str]:
        """Return the images that are nearly the same as one of a lower seed, of the same prompt."""
        if self._near is None:
            self._near = frozenset(self._read_near())
        return self._near

    def _rows(self, *columns: str) -> pa.Table:
        names = ("key", "prompt", "seed", "status", *columns)
        table = self._audit.images(columns=names).to_arrow_table()
        of_prompts = pc.is_in(table["prompt"], value_set=self._prompts)
        return table.filter(pc.and_(of_prompts, pc.equal(table["status"], "ok")))

    def _read_hashes(self) -> Iterator[tuple[str, str]]:
        rows = self._rows("pixel_hash")
        known = pc.is_valid(rows["pixel_hash"])
        found = rows.filter(known)
        yield from zip(found["key"].to_pylist(), found["pixel_hash"].to_pylist(), strict=True)
        # Parts of version 0.1 have no fingerprints: their images are decoded.
        old = rows.filter(pc.invert(known))["key"].to_pylist()
        for start in range(0, len(old), _BLOCK):
            for key, data in self._audit.read_images(old[start : start + _BLOCK]).items():
                made = _fingerprint(data)
                if made is not None:
                    yield key, made.pixel_hash

    def _read_near(self) -> Iterator[str]:
        rows = self._rows("coarse_pixels")
        rows = rows.filter(pc.is_valid(rows["coarse_pixels"]))
        rows = rows.sort_by([("prompt", "ascending"), ("seed", "ascending")])
        codes = rows["prompt"].combine_chunks().dictionary_encode().indices.to_numpy()
        ends = np.flatnonzero(np.diff(codes, append=-1)) + 1
        start = 0
        for end in ends.tolist():
            own = rows.slice(start, end - start)
            pixels = own["coarse_pixels"].to_pylist()
            if end - start > 1 and len({len(one) for one in pixels}) == 1:
                coarse = np.frombuffer(b"".join(pixels), np.uint8).reshape(end - start, -1)
                keys = own["key"].to_pylist()
                yield from (keys[i] for i in near_rows(coarse))
            start = end


def near_rows(coarse: npt.NDArray[np.uint8]) -> list[int]:
    """Return the rows that are nearly the same as an earlier row."""
    rows = coarse.astype(np.float32)
    squares = (rows**2).sum(1)
    limit = NEAR**2 * rows.shape[1]
    found: list[int] = []
    for start in range(0, len(rows), _BLOCK):
        some = slice(start, start + _BLOCK)
        apart = squares[some, None] + squares - 2 * rows[some] @ rows.T
        earlier = np.arange(len(rows)) < np.arange(len(rows))[some, None]
        found += (start + np.flatnonzero(((apart <= limit) & earlier).any(1))).tolist()
    return found


def repeated(keys: Iterable[str], hashes: Mapping[str, str]) -> frozenset[str]:
    """Return the keys whose image is identical to that of an earlier key."""
    seen: set[str] = set()
    again = []
    for key in keys:
        pixels = hashes.get(key)
        if pixels is not None and pixels in seen:
            again.append(key)
        elif pixels is not None:
            seen.add(pixels)
    return frozenset(again)


def _fingerprint(data: bytes) -> Fingerprint | None:
    try:
        with Image.open(io.BytesIO(data)) as image:
            return fingerprint(as_rgb(image))
    except Exception:  # decoders of damaged bytes raise almost anything; measurers say why
        return None
