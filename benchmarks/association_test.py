"""The association test against scipy: time, memory, and the same p.

    python -m benchmarks.association_test

One test: |X| = |Y| = 250, |A| = |B| = 2,500 for each concept, 512 dimensions, 100,000 resamples.
The peer scores by all pairs of cosines and gives the same per-image scores to
`scipy.stats.permutation_test` (vectorized; the faster of two batch sizes). Ours scores, permutes
and computes the intervals of score and effect size, which the peer does not. Both run in turn in
one process; of each the best round counts. Y's attribute images are X's in another order, so that p
is neither 0 nor 1 and its Monte Carlo error can be seen. Peak memory is that of a fresh process
that makes the embeddings and runs our test.

Eight tests: the sizes of T2IAT, 10 images per prompt, 10,000 resamples each, stimuli permuted with
their attribute images, intervals of both kinds.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from portrayal.statistics import (
    ConceptEmbeddings,
    Embeddings,
    association_permutation_test,
    association_test,
)

RESAMPLES = 100_000
PROMPTS = {
    "flowers / insects": (25, 25),
    "instruments / weapons": (25, 25),
    "European / African American": (50, 50),
    "light / dark skin": (9, 9),
    "straight / gay": (9, 9),
    "Judaism / Christianity": (4, 4),
    "science / arts": (9, 8),
    "careers / family": (8, 8),
}

Array = NDArray[Any]


def one_test() -> dict[str, Array]:
    rng = np.random.default_rng(3)
    sets: dict[str, Array] = {
        name: (rng.normal(size=(n, 512)) + 0.3).astype(np.float32)
        for name, n in (("x", 250), ("y", 250), ("x_a", 2500), ("x_b", 2500))
    }
    return {**sets, "y_a": sets["x_a"][::-1], "y_b": sets["x_b"][::-1]}


def ours(sets: dict[str, Array]) -> float:
    rng = np.random.default_rng(0)
    x, y = (ConceptEmbeddings(sets[c], sets[f"{c}_a"], sets[f"{c}_b"]) for c in "xy")
    association_test(x, y)
    return association_permutation_test(x, y, resamples=RESAMPLES, rng=rng).p_value


def scipys(sets: dict[str, Array], batch: int) -> float:
    unit = {k: v / np.linalg.norm(v, axis=1, keepdims=True) for k, v in sets.items()}
    scores = [
        (unit[c] @ unit[f"{c}_a"].T).mean(axis=1) - (unit[c] @ unit[f"{c}_b"].T).mean(axis=1)
        for c in "xy"
    ]
    result = stats.permutation_test(
        scores,
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=batch,
        rng=np.random.default_rng(1),
    )
    return float(result.pvalue)


def timed(call: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def eight_tests() -> float:
    rng = np.random.default_rng(5)
    inputs = [
        [
            ConceptEmbeddings(
                *(
                    Embeddings(
                        rng.normal(size=(count * 10, 512)) + 0.3, np.repeat(np.arange(count), 10)
                    )
                    for _ in ConceptEmbeddings._fields
                )
            )
            for count in counts
        ]
        for counts in PROMPTS.values()
    ]
    start = time.perf_counter()
    for concepts in inputs:
        association_permutation_test(*concepts, resamples=10_000, permute="stimuli", rng=rng)
        for resample in ("units", "images"):
            association_test(*concepts, resample=resample)
    return time.perf_counter() - start


def peak_megabytes() -> float:
    run = "from benchmarks.association_test import *; ours(one_test()); print(peak())"
    done = subprocess.run([sys.executable, "-c", run], check=True, capture_output=True, text=True)
    return float(done.stdout)


def peak() -> float:
    # Not ru_maxrss: that starts with the memory of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    sets = one_test()
    calls: dict[str, Callable[[], float]] = {
        "ours": lambda: ours(sets),
        "scipy, batches of 1,000": lambda: scipys(sets, 1_000),
        "scipy, batches of 10,000": lambda: scipys(sets, 10_000),
    }
    rounds = [{name: timed(call) for name, call in calls.items()} for _ in range(4)]
    best = {name: min(round_[name][0] for round_ in rounds) for name in calls}
    p = {name: rounds[0][name][1] for name in calls}
    peer = min(seconds for name, seconds in best.items() if name != "ours")
    error = 2 * math.sqrt(2 * p["ours"] * (1 - p["ours"]) / RESAMPLES)
    print("association_test, 250 + 250 images, 4 x 2,500 attribute images, 100,000 resamples")
    for name, seconds in best.items():
        print(f"  {name:26} {seconds:6.2f} s   p = {p[name]:.4f}")
    print(f"  {'scipy / ours':26} {peer / best['ours']:6.1f} x   (wanted: 2 or more)")
    difference = abs(p["ours"] - p["scipy, batches of 10,000"])
    print(f"  {'difference of p':26} {difference:8.4f}   (two standard errors: {2 * error:.4f})")
    print(f"  {'peak memory, ours':26} {peak_megabytes():6.0f} MB  (wanted: under 300)")
    seconds = min(eight_tests() for _ in range(2))
    print("eight tests of T2IAT from stored embeddings, 10,000 resamples, both kinds of intervals")
    print(f"  {'ours':26} {seconds:6.2f} s   (wanted: under 5)")


if __name__ == "__main__":
    main()
