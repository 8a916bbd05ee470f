"""How fast the practice model makes images on this machine, and how long it takes to load.

Run on a quiet machine: `python -m benchmarks practice_speed`. CPU time stands beside wall time, so
that a busy machine is noticed.
"""

from __future__ import annotations

import subprocess
import sys
import time

IMAGES = 64
LOADING = """
import time
start = time.perf_counter()
from portrayal.generators import open_generator
open_generator("practice")
print(time.perf_counter() - start)
"""


def main() -> None:
    from portrayal.generators import open_generator
    from portrayal.records import Request

    loads = [
        float(subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True,
                             check=True).stdout)
        for _ in range(2)
    ]  # fmt: skip
    generator = open_generator("practice")
    requests = [Request(f"a photo of a {w}", s) for s in range(IMAGES // 4)
                for w in ("nurse", "pilot", "rose", "judge")]  # fmt: skip
    size = generator.batch_size
    generator.generate(requests[:2])
    wall, cpu = time.perf_counter(), time.process_time()
    for start in range(0, IMAGES, size):
        generator.generate(requests[start : start + size])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print("practice model, default steps and guidance")
    print(f"  loading, in a fresh process (second of two): {loads[1]:6.1f} s   (target: under 5)")
    print(f"  images a second, batches of {size}:        {IMAGES / wall:8.1f}     (target: 4)")
    print(f"  processor seconds a wall second:             {cpu / wall:8.2f}")


if __name__ == "__main__":
    main()
