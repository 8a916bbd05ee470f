"""Two workers of a Ray cluster against one, and two processes of this machine against one.

    python -m benchmarks.ray_scaling [ADDRESS]

The generator sleeps a quarter of a second for a batch of four small images, as a GPU would keep a
processor waiting; so the ratio shows what handing out, encoding and storing cost, not how many
processors there are. Workers are loaded before the clock starts. Without an address, Ray starts a
cluster of this machine with room for two workers.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.records import GeneratedImage, Identity, Request
from portrayal.runner import EngineSettings, RayWorkers, open_engine

IMAGES, BATCH, PAUSE = 160, 4, 0.25
TARGET = 1.7


class Sleeper:
    """A generator that sleeps."""

    identity = Identity("sleeper", "sleeper")
    batch_size = BATCH

    def check(self, prompts: Iterable[str]) -> int:
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        time.sleep(PAUSE)
        return [
            GeneratedImage.ok(Image.new("RGB", (64, 64), (r.seed % 256, 0, 0))) for r in requests
        ]


def open_sleeper(device: str | None) -> Sleeper:
    del device
    return Sleeper()


@dataclass(frozen=True, slots=True)
class Scaling:
    """Seconds with one worker and with two."""

    one: float
    two: float

    @property
    def ratio(self) -> float:
        return self.one / self.two


def seconds(settings: EngineSettings) -> float:
    """Return how long the images take once all workers are loaded."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_engine(open_sleeper, settings) as engine,
    ):
        if isinstance(engine, RayWorkers):
            engine.wait_for_all()
        audit = AuditFolder.at(Path(folder) / "audit", engine.identity)
        started = time.perf_counter()
        engine.generate(audit, [("a", IMAGES)])
        return time.perf_counter() - started


def measure(address: str | None) -> Scaling:
    """Measure Ray with one worker and with two, each in a process of its own."""
    took = []
    for workers in ("1", "2"):
        words = [sys.executable, "-m", "benchmarks.ray_scaling", address or "-", workers]
        root = Path(__file__).parents[1]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=root)
        took.append(float(done.stdout.split()[-1]))
    return Scaling(*took)


def main(address: str | None = None) -> None:
    local = Scaling(*(seconds(EngineSettings(devices=("any",) * n)) for n in (1, 2)))
    ray = measure(address)
    print(f"two workers against one, a generator that sleeps, {IMAGES // BATCH} batches")
    print(f"{'':44}{'got':>12}  target")
    for name, found in (("Ray", ray), ("one process per device", local)):
        print(f"{f'{name}: one / two, seconds':44}{found.ratio:>12.2f}  at least {TARGET:g}")
    floor = IMAGES / BATCH * PAUSE
    print(f"{'Ray, one worker: time over the sleep alone':44}{ray.one / floor:>12.2f}")


if __name__ == "__main__":
    if len(sys.argv) == 3:  # one measurement of `measure`
        given = None if sys.argv[1] == "-" else sys.argv[1]
        import ray

        if given is None:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        print(seconds(EngineSettings("ray", address=given, workers=int(sys.argv[2]))))
    else:
        main(*sys.argv[1:])
