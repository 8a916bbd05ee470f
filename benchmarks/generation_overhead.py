"""Our generation loop against a bare pipeline call at the same batch size.

    python -m benchmarks.generation_overhead [ROUNDS]

The practice model, batches of 16, 48 images a round of 6 prompts that the round before did not
have. The peer calls the pipeline as its documentation says, batch by batch, and keeps the images
in memory. Ours is `generate` into a fresh audit folder: prompts checked, texts encoded, images
encoded as PNG, hashed, flushed to disk, and the folder looked at for what others made. Both run in
turn on one loaded pipeline; of each the best round counts, because whatever else the machine does
can only slow a round down. Processor time includes the threads that encode and write.

"outside the model" is the wall time of our rounds that is not spent in the generator.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.generators import generate, open_generator
from portrayal.loading import quietly
from portrayal.records import GeneratedImage, Request

BATCH, PROMPTS, EACH = 16, 6, 8
WORDS = ("doctor", "nurse", "pilot", "teacher", "farmer", "lawyer", "baker", "soldier")


class Timed:
    """A generator that knows how long it has been at work."""

    def __init__(self, inner: Any) -> None:
        self.identity, self.batch_size = inner.identity, BATCH
        self.seconds = 0.0
        self._inner = inner

    def check(self, prompts: Iterable[str]) -> int:
        return int(self._inner.check(prompts))

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        started = time.perf_counter()
        images: list[GeneratedImage] = self._inner.generate(requests)
        self.seconds += time.perf_counter() - started
        return images


def wanted(turn: int) -> list[tuple[str, int]]:
    numbers = range(turn * PROMPTS, (turn + 1) * PROMPTS)
    return [(f"a photo of a {WORDS[i % len(WORDS)]}, number {i}", EACH) for i in numbers]


def bare(pipeline: Any, settings: dict[str, Any], turn: int) -> int:
    import torch

    requests = [(prompt, seed) for prompt, n in wanted(turn) for seed in range(n)]
    made = 0
    for start in range(0, len(requests), BATCH):
        batch = requests[start : start + BATCH]
        images = pipeline(
            [prompt for prompt, _ in batch],
            generator=[torch.Generator().manual_seed(seed) for _, seed in batch],
            num_inference_steps=settings["steps"],
            guidance_scale=settings["guidance"],
        ).images
        made += len(images)
    return made


def main(rounds: int = 4) -> None:
    inner: Any = open_generator("practice", batch_size=BATCH)
    best = {"bare": [float("inf")] * 2, "ours": [float("inf")] * 2}
    outside = []
    with tempfile.TemporaryDirectory() as scratch, quietly("diffusers"):
        inner.generate([Request("warm", seed) for seed in range(BATCH)])
        for turn in range(rounds):
            for name in ("bare", "ours") if turn % 2 else ("ours", "bare"):
                generator = Timed(inner)
                wall, cpu = time.perf_counter(), time.process_time()
                if name == "bare":
                    bare(inner._pipeline, inner.identity.settings, turn)
                else:
                    audit = AuditFolder.at(Path(scratch) / str(turn), generator.identity)
                    generate(audit, generator, wanted(turn))
                spent = [time.perf_counter() - wall, time.process_time() - cpu]
                best[name] = [min(pair) for pair in zip(best[name], spent, strict=True)]
                if name == "ours":
                    outside.append(spent[0] / generator.seconds - 1)
    images = PROMPTS * EACH
    print(f"generation loop, batch {BATCH}, {rounds} rounds of {images} images")
    print(f"{'':44}{'got':>12}  target")
    for name, place in (("wall time", 0), ("processor time", 1)):
        ratio = best["ours"][place] / best["bare"][place]
        print(f"{f'ours / bare pipeline, {name}':44}{ratio:>12.3f}  at most 1.03")
    print(f"{'outside the model, of its time':44}{min(outside):>12.1%}  under 3 %")
    print(f"{'images a second, bare':44}{images / best['bare'][0]:>12.2f}")
    print(f"{'images a second, ours':44}{images / best['ours'][0]:>12.2f}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
