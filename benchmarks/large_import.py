"""Time and memory of importing a large folder in which some images are broken.

    python -m benchmarks.large_import [ROWS]

Writes a folder of ROWS rows (100,000; 64 x 64 JPEGs), 1% of them broken in three ways (no such
file, not an image, cut off), imports it with `--skip-broken`, and prints what came of it.
"""

from __future__ import annotations

import io
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.importers import import_images

ROWS = 100_000


def write_folder(folder: Path, rows: int) -> int:
    """Write images and a manifest; return how many are broken."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    lines, broken = ["Image,Prompt,Occupation\n"], 0
    for number in range(rows):
        name = f"{number // 1000:03d}/{number:06d}.jpg"
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        lines.append(f"{name},a photo of a person at work {number % 100},job {number % 100}\n")
        coarse = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        buffer = io.BytesIO()
        Image.fromarray(coarse).resize((64, 64)).save(buffer, "JPEG")
        data = buffer.getvalue()
        if number % 100 == 50:
            broken += 1
            data = [b"", b"not an image", data[: len(data) // 2]][broken % 3]
        if data:
            file.write_bytes(data)
    (folder / "manifest.csv").write_text("".join(lines), encoding="utf-8")
    return broken


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as place:
        broken = write_folder(Path(place) / "files", rows)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, used = time.perf_counter(), time.process_time()
        done = import_images(Path(place) / "files", Path(place) / "audit", skip_broken=True)
        took, cpu = time.perf_counter() - start, time.process_time() - used
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        counts = AuditFolder(done.audit).images().aggregate("status, count(*)").fetchall()
        listed = 0 if done.listed is None else len(done.listed.read_text().splitlines()) - 1
        print(f"{rows:,} rows, {broken:,} broken: {dict(counts)}, {listed:,} listed")
        print(f"{took:.0f} s, {cpu:.0f} s of CPU, {(after - before) / 1024:.0f} MB more memory")


if __name__ == "__main__":
    main()
