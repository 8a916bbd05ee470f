"""How many images a minute the painter makes on two processes, over a realistic mix of scenes.

Run on a quiet machine: `python benchmarks/painter_speed.py [images]`.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from portrayal_practice.painter import paint
from portrayal_practice.scene import (
    EXPRESSIONS,
    MONK_STEPS,
    PLACES,
    PRESENTATIONS,
    Scene,
    ShownPerson,
)
from portrayal_practice.vocabulary import OCCUPATIONS, THINGS

PROCESSES = 2


def draw_person(rng: np.random.Generator) -> ShownPerson:
    """One person, four times in five with an occupation."""
    return ShownPerson(
        str(rng.choice(PRESENTATIONS)),
        int(rng.choice(MONK_STEPS)),
        expression=str(rng.choice(EXPRESSIONS)),
        occupation=str(rng.choice(OCCUPATIONS)) if rng.random() < 0.8 else None,
    )


def draw_scene(rng: np.random.Generator) -> Scene:
    """A fifth things, the rest people: mostly one, sometimes up to four."""
    valence = float(rng.uniform(-1, 1)) if rng.random() < 0.4 else 0.0
    if rng.random() < 0.2:
        return Scene(thing=str(rng.choice(THINGS)), valence=valence)
    count = int(rng.choice([1, 2, 3, 4], p=[0.88, 0.08, 0.02, 0.02]))
    place = str(rng.choice(PLACES)) if rng.random() < 0.3 else None
    return Scene(tuple(draw_person(rng) for _ in range(count)), place=place, valence=valence)


def paint_many(job: tuple[int, int]) -> tuple[float, float]:
    """Paint some images; returns wall seconds and processor seconds."""
    first, count = job
    rng = np.random.default_rng(first)
    scenes = [draw_scene(rng) for _ in range(count)]
    paint(scenes[0], 0)
    wall, cpu = time.perf_counter(), time.process_time()
    for seed, scene in enumerate(scenes, start=first):
        paint(scene, seed)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print images per minute, by the clock and by processor time."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    share = total // PROCESSES
    with ProcessPoolExecutor(PROCESSES) as pool:
        times = list(pool.map(paint_many, [(i * share, share) for i in range(PROCESSES)]))
    wall = max(t[0] for t in times)
    cpu = sum(t[1] for t in times)
    painted = share * PROCESSES
    print(f"{painted / wall * 60:,.0f} images a minute on {PROCESSES} processes by the clock")
    print(f"{cpu / painted * 1000:.2f} ms of processor time an image")


if __name__ == "__main__":
    main()
