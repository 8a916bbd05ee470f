"""How fast `measure` looks at images on a GPU, beside the bare network and the other stages.

    python -m benchmarks.gpu_measuring [--images N] [--batch N ...] [--threads N ...] [--tiny]

An audit of PNGs of 512 pixels (0.5 MB each) and a CLIP of ViT-L/14's shapes with random weights in
bfloat16. In one run: the bare network on pixels that are on the card, decoding and preparing by one
thread, reading the audit alone, reading and preparing alone, and all of `measure`, each with the
CPU time that it takes and how many cores it keeps busy. With several batch sizes or numbers of
threads, all of `measure` runs once with each pair of them. Where neither the cores nor the GPU are
busy, threads wait for each other or for other processes (the load before the run is printed).
--tiny makes the same run with a small network on any machine; its figures mean nothing. Without a
GPU that is what happens.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.gpu_generation import TINY_LOOKER, Figures, Looker, build_clip
from portrayal.audit import AuditFolder
from portrayal.loading import quietly
from portrayal.measurers import loop, measure, open_measurer
from portrayal.measurers.decoding import decode
from portrayal.records import Identity, ImageRecord

SIDE = 512
PROMPT = "a photo of a person"
AIM = 0.6
PART = 128
_MADE = Identity("stand-in", "noise")


def png(seed: int) -> bytes:
    """Return an image of soft shapes and some noise."""
    import numpy as np
    from PIL import Image

    noise = np.random.default_rng(seed)
    soft = Image.fromarray(noise.integers(0, 256, (8, 8, 3), dtype=np.uint8))
    shapes = np.asarray(soft.resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.int16)
    grain = noise.integers(-6, 7, shapes.shape, dtype=np.int16)
    buffer = io.BytesIO()
    Image.fromarray((shapes + grain).clip(0, 255).astype(np.uint8)).save(
        buffer, "PNG", compress_level=2
    )
    return buffer.getvalue()


def fill(folder: Path, images: int) -> AuditFolder:
    """Return an audit of so many images."""
    audit = AuditFolder.at(folder, _MADE)
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        made = list(workers.map(png, range(images), chunksize=16))
    for start in range(0, images, PART):
        audit.append_images([
            ImageRecord(PROMPT, start + i, "ok", data=data, width=SIDE, height=SIDE)
            for i, data in enumerate(made[start : start + PART])
        ])  # fmt: skip
    return audit


def bare_rate(encoder: Any, batch: int, device: str, images: int) -> float:
    """Return images per second of the image tower, given pixels on its device."""
    import torch

    model = encoder._towers._model
    side = model.config.vision_config.image_size
    pixels = torch.randn(batch, 3, side, side, device=device, dtype=model.dtype)
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    with torch.inference_mode():
        for _ in range(3):
            model.get_image_features(pixel_values=pixels)
        wait()
        started = time.perf_counter()
        for _ in range(max(1, images // batch)):
            model.get_image_features(pixel_values=pixels)
        wait()
    return max(1, images // batch) * batch / (time.perf_counter() - started)


def time_stage(found: Figures, name: str, images: int, call: Callable[[], Any]) -> None:
    """Note a stage's images per second, CPU time per image and busy cores."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found[f"{name}, images per second"] = images / wall
    found[f"{name}, CPU ms per image"] = 1e3 * cpu / images
    found[f"{name}, busy cores"] = cpu / wall


class Prepares:
    """A measurer that prepares images as another one does, and then says nothing of them."""

    identity = Identity("stand-in", "prepares alone")
    gives = ("numbers",)

    def __init__(self, encoder: Any, batch_size: int) -> None:
        self.prepare = encoder.prepare
        self.batch_size = batch_size

    def measure(self, images: Sequence[Any]) -> list[Any]:
        return self.measure_prepared([self.prepare(image) for image in images])

    def measure_prepared(self, prepared: Sequence[Any]) -> list[Any]:
        return [{"numbers": {"seen": 1.0}} for _ in prepared]


def run(
    images: int, batches: Sequence[int], threads: Sequence[int], *, tiny: bool, folder: Path
) -> None:
    """Run the benchmark."""
    import torch

    device = "cpu" if tiny else "cuda"
    build_clip(folder / "clip", TINY_LOOKER if tiny else Looker(), torch.bfloat16, device)

    def opened(batch: int) -> Any:
        return open_measurer(
            str(folder / "clip"), device=device, dtype="bfloat16", batch_size=batch
        )

    audit = fill(folder / "audit", images)
    found = Figures()
    found["MB per image"] = audit.image_bytes() / images / 1e6
    time_preparing(audit, opened(batches[0]), found, images)
    for batch in batches:
        encoder = opened(batch)
        bare = bare_rate(encoder, batch, device, images)
        found[f"bare network, batches of {batch}, images per second"] = bare
        for some in threads:
            loop.THREADS = some
            name = f"measure, batches of {batch}, {some} threads"
            fresh = unmeasured_copy(audit, folder / f"audit-{batch}-{some}")
            time_stage(found, name, images, lambda on=fresh, by=encoder: measure(on, [by]))
            found[f"{name}, share of the bare network"] = found[f"{name}, images per second"] / bare


def time_preparing(audit: AuditFolder, encoder: Any, found: Figures, images: int) -> None:
    """Time what comes before the network: reading, decoding and preparing."""
    batch = encoder.batch_size

    def read() -> None:
        for _ in audit.unmeasured_images(encoder.identity, batch=batch):
            pass

    def prepare_some() -> None:
        for data in some:
            encoder.prepare(decode(data))

    some = [data for _, data in next(audit.unmeasured_images(encoder.identity, batch=PART))]
    time_stage(found, "one thread preparing", len(some), prepare_some)
    time_stage(found, "reading", images, read)
    alone = Prepares(encoder, batch)
    time_stage(found, "reading and preparing", images, lambda: measure(audit, [alone]))


def unmeasured_copy(audit: AuditFolder, folder: Path) -> AuditFolder:
    """Return an audit of the same images, which no encoder has seen."""
    shutil.copytree(
        audit.path, folder, copy_function=os.link, ignore=shutil.ignore_patterns("measurements")
    )
    return AuditFolder.at(folder, _MADE)


def main(arguments: Sequence[str] = ()) -> None:
    import torch

    parser = argparse.ArgumentParser(prog="benchmarks.gpu_measuring")
    parser.add_argument("--images", type=int, default=4096)
    parser.add_argument("--batch", type=int, nargs="+", default=[64])
    parser.add_argument("--threads", type=int, nargs="+", default=[loop.THREADS])
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args(arguments)
    tiny = given.tiny or not torch.cuda.is_available()
    print("a small network on a CPU: figures mean nothing" if tiny else
          f"{torch.cuda.get_device_name()}, {os.cpu_count()} cores")  # fmt: skip
    print(f"load before the run {os.getloadavg()[0]:.1f}")
    images, batches = (48, [16]) if tiny else (given.images, given.batch)
    with tempfile.TemporaryDirectory() as scratch, quietly("transformers"):
        run(images, batches, given.threads, tiny=tiny, folder=Path(scratch))
    print(f"aim on an NVIDIA H200: {AIM:.0%} of the bare network")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
