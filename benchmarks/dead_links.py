"""Shares of training images corrected for dead links: coverage in simulated worlds.

    python -m benchmarks dead_links [WORLDS]

A world has captions that indicate female, male or nothing, each with its own share of women and its
own chance of a dead link (about 30% in all, more for one group). Whether a link is dead depends on
the indicator alone. The truth is the share of women over all captions. Printed: how often the 95%
intervals of the corrected and of the plain share cover it.
"""

from __future__ import annotations

import sys

import numpy as np

from portrayal.kinds.amplification.link_rot import corrected_share
from portrayal.statistics import share_interval

INDICATORS = ("female", "male", "unknown")
WORLDS = {
    "30% dead, more of women": ((0.25, 0.25, 0.5), (0.95, 0.05, 0.4), (0.55, 0.15, 0.25)),
    "30% dead, more of men": ((0.25, 0.25, 0.5), (0.95, 0.05, 0.4), (0.15, 0.55, 0.25)),
    "few indicators": ((0.08, 0.07, 0.85), (0.95, 0.05, 0.2), (0.6, 0.2, 0.27)),
    "almost all women": ((0.3, 0.05, 0.65), (0.98, 0.1, 0.9), (0.5, 0.2, 0.22)),
    "no rot": ((0.25, 0.25, 0.5), (0.9, 0.1, 0.5), (0.0, 0.0, 0.0)),
}
TRIED = (60, 200, 700)


def main(worlds: int = 2000) -> None:
    rng = np.random.default_rng(22)
    print(f"coverage of 95% intervals, {worlds:,} worlds each: corrected, plain")
    print(f"{'world':28}" + "".join(f"{f'{n} captions':>18}" for n in TRIED))
    for name, world in WORLDS.items():
        cells = [_coverage(world, n, worlds, rng) for n in TRIED]
        print(f"{name:28}" + "".join(f"{100 * a:>10.1f} {100 * b:>7.1f}" for a, b in cells))


def _coverage(
    world: tuple[tuple[float, ...], ...], n: int, worlds: int, rng: np.random.Generator
) -> tuple[float, float]:
    chance, women, rot = (np.array(one) for one in world)
    truth = float(chance @ women)
    corrected = plain = 0
    for _ in range(worlds):
        tried = rng.multinomial(n, chance)
        alive = rng.binomial(tried, 1 - rot)
        hits = rng.binomial(alive, women)
        named = [dict(zip(INDICATORS, x.tolist(), strict=True)) for x in (hits, alive, tried)]
        low, high = corrected_share(*named, rng=rng, draws=1000).interval
        corrected += low <= truth <= high
        low, high = share_interval(int(hits.sum()), int(alive.sum()))
        plain += low <= truth <= high
    return corrected / worlds, plain / worlds


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
