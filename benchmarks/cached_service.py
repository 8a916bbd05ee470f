"""Coverage of intervals where a service answers a share of its calls from a cache.

    python -m benchmarks.cached_service [WORLDS]

Each world is one prompt, or eight prompts whose shares differ, with 20, 40 or 100 calls each; a
cached call repeats an earlier answer to the same prompt. Intervals of the share of women are those
of composition studies. Printed: how often the 95% interval contains the true share where every
answer counts, and where identical images count once, as they do in all findings. Needs no more
than numpy and scipy.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from portrayal.statistics import prompts_share_interval

WORLDS = 4000
CACHED = 0.2
SHARES = (0.1, 0.3, 0.5)
CALLS = (20, 40, 100)
PROMPTS = (1, 8)


def answers(
    rng: np.random.Generator, share: float, calls: int, cached: float
) -> tuple[list[str], list[bool]]:
    """Return the answers to one prompt: pixels by name, and whether a woman is shown."""
    pixels: list[str] = []
    shown: list[bool] = []
    for call in range(calls):
        if call and rng.random() < cached:
            earlier = int(rng.integers(call))
            pixels.append(pixels[earlier])
            shown.append(shown[earlier])
        else:
            pixels.append(f"{rng.integers(2**62)}")
            shown.append(bool(rng.random() < share))
    return pixels, shown


def covered(
    rng: np.random.Generator, share: float, calls: int, prompts: int, *, cached: float = CACHED
) -> tuple[bool, bool]:
    """Tell whether intervals of one world contain the truth: counting all, counting once."""
    spread = 12.0 if prompts > 1 else np.inf
    own = [share if prompts == 1 else rng.beta(share * spread, (1 - share) * spread)]
    own += [rng.beta(share * spread, (1 - share) * spread) for _ in range(prompts - 1)]
    every, once = [], []
    for one in own:
        pixels, shown = answers(rng, one, calls, cached)
        kept = dict(zip(pixels, shown, strict=True))
        every.append((sum(shown), calls))
        once.append((sum(kept.values()), len(kept)))
    return _contains(every, share), _contains(once, share)


def _contains(counts: Sequence[tuple[int, int]], share: float) -> bool:
    hits, totals = zip(*counts, strict=True)
    low, high = prompts_share_interval(
        list(hits), list(totals), confidence=0.95, clustered=len(counts) > 1
    )
    return bool(low <= share <= high)


def coverage(prompts: int, calls: int, share: float, worlds: int) -> tuple[float, float]:
    """Return the share of worlds that are covered, without and with counting once."""
    rng = np.random.default_rng([prompts, calls, int(100 * share)])
    found = np.array([covered(rng, share, calls, prompts) for _ in range(worlds)])
    every, once = found.mean(axis=0)
    return float(every), float(once)


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS
    print("prompts  calls  share   every answer   identical images once")
    settings = list(product(PROMPTS, CALLS, SHARES, [worlds]))
    with ProcessPoolExecutor() as workers:
        for one, (every, once) in zip(
            settings, workers.map(coverage, *zip(*settings, strict=True)), strict=True
        ):
            prompts, calls, share, _ = one
            print(f"{prompts:7} {calls:6} {share:6.1f} {every:13.1%} {once:15.1%}", flush=True)


if __name__ == "__main__":
    main()
