"""What the papers' four grids cost in images, GPU hours and money: fixed against sequential.

    python -m benchmarks.grid_costs [WORLDS] [--rate IMAGES_PER_SECOND] [--price PER_GPU_HOUR]

Fixed: every image of the paper's grid. Sequential: `run --until decided` with the same maximum, in
audits simulated at the published effects (`early_stopping`): the mean number of images, where
prompts get no more once all their questions are decided, and an undecided question takes all of
them. The rate is that of Stable Diffusion 1.5's shapes on one NVIDIA H200; the price is an example.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.early_stopping import PAPERS, stops
from portrayal.studies import Study, load_studies

RATE = 6.13
PRICE = 3.0
WORLDS = 100
AMPLIFICATION = 248_000
WORD_IMAGES, PROMPT_IMAGES = 15, 25

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Cost:
    """Images of a grid, all of them and by stopping early on average."""

    name: str
    fixed: int
    sequential: float


def shares(worlds: int) -> Mapping[str, Shares]:
    """Return, by table, the share of images at the decision: audits by effects; 1 where none is."""
    found: dict[str, Shares] = {}
    for paper in PAPERS:
        counted = np.minimum(stops(paper, worlds).counted, 1.0)
        before = found.get(paper.name)
        found[paper.name] = counted if before is None else np.hstack([before, counted])
    return found


def image_count(study: Study) -> int:
    """Return how many images a study asks for."""
    return sum(study.images_of(text) for text in {prompt.text for prompt in study.prompts()})


def t2iat(found: Shares) -> Cost:
    """Eight tests of their own, each with its own prompts."""
    images = [image_count(study) for study in load_studies("t2iat")[: found.shape[1]]]
    return Cost("T2IAT (eight tests)", sum(images), float(found.mean(axis=0) @ np.array(images)))


def entigen(name: str, found: Shares, images: int) -> Cost:
    """Six additions to the same prompts: the plain prompts go on until all are decided."""
    each = images / (found.shape[1] + 1)
    used = found.sum(axis=1) + found.max(axis=1)
    return Cost(name, images, float(each * used.mean()))


def costs(worlds: int) -> list[Cost]:
    """Return the costs of the four papers, ENTIGEN's by model."""
    found = shares(worlds)
    grid = sum(map(image_count, load_studies("entigen")))
    amplified = found["Bias amplification"].max(axis=1).mean()
    words = found["Word-level explanations"]
    explained = words.mean(axis=0).sum() * WORD_IMAGES + words.max(axis=1).mean() * PROMPT_IMAGES
    return [
        t2iat(found["T2IAT"]),
        *(entigen(name, one, grid) for name, one in found.items() if name.startswith("ENTIGEN")),
        Cost("Bias amplification", AMPLIFICATION, float(AMPLIFICATION * amplified)),
        Cost(
            "Word-level explanations (Table 1)",
            words.shape[1] * WORD_IMAGES + PROMPT_IMAGES,
            float(explained),
        ),
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.grid_costs")
    parser.add_argument("worlds", type=int, nargs="?", default=WORLDS)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--price", type=float, default=PRICE)
    given = parser.parse_args(arguments)
    print(f"{given.worlds} simulated audits; {given.rate:g} images per second, "
          f"{given.price:g} dollars per GPU hour")  # fmt: skip
    print("| paper | images, fixed | sequential | share | GPU hours, fixed | sequential "
          "| dollars, fixed | sequential |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|")
    for one in costs(given.worlds):
        fixed, sequential = (count / given.rate / 3600 for count in (one.fixed, one.sequential))
        print(
            f"| {one.name} | {one.fixed:,} | {one.sequential:,.0f} | "
            f"{one.sequential / one.fixed:.0%} | {fixed:.2f} | {sequential:.2f} | "
            f"{fixed * given.price:.2f} | {sequential * given.price:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
