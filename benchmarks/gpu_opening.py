"""How long a large model takes to open, and what it does on a GPU that is too small for it.

    python -m benchmarks.gpu_opening [--model flux] [--free GB ...] [--tiny]

Exact shapes of a model with random weights in bfloat16 (FLUX.1-schnell: 34 GB with its text tower)
are written to a folder. In one run: diffusers' `from_pretrained` and the way to the GPU, twice,
then ours, the first time (weights are hashed, the batch size is found) and the second (both are
remembered on the machine; the process forgets them).

With --free, after that: all but so many GB of the GPU are occupied, the model is opened, and two
batches are generated, one size of memory after the other. --tiny makes the same run with small
networks on any machine; its figures mean nothing. Without a GPU that is what happens.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.gpu_generation import Figures
from benchmarks.gpu_models import MODELS, build, settings_of
from portrayal.generators import open_generator
from portrayal.loading import files, quietly
from portrayal.records import Request

AIM_S = 3.0


def write_model(name: str, folder: Path, found: Figures, *, tiny: bool) -> Callable[[], Any]:
    """Write a model to a folder; return what opens it as a user of portrayal does."""
    device = "cpu" if tiny else "cuda"
    started = time.perf_counter()
    build(name, tiny=tiny, device=device).save_pretrained(folder)
    forget()
    found["building and writing, s"] = time.perf_counter() - started
    found["GB"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e9
    settings = settings_of(name, tiny=tiny)
    return lambda: open_generator(str(folder), dtype="bfloat16", device=device, **settings)


def time_openings(folder: Path, ours: Callable[[], Any], found: Figures, *, tiny: bool) -> None:
    """Open the model by diffusers and by portrayal, each twice."""
    import diffusers
    import torch

    def plain() -> Any:
        pipeline = diffusers.DiffusionPipeline.from_pretrained(folder, torch_dtype=torch.bfloat16)
        return pipeline.to("cpu" if tiny else "cuda")

    tries = {
        "from_pretrained, first": plain,
        "from_pretrained, second": plain,
        "ours, first": ours,
        "ours, second": ours,
    }
    for what, opening in tries.items():
        found[f"{what}, s"] = seconds(opening)[0]
        forget()
    found["second opening beyond from_pretrained, s"] = (
        found["ours, second, s"] - found["from_pretrained, second, s"]
    )


def run_with_little_memory(
    free: float, ours: Callable[[], Any], found: Figures, *, tiny: bool
) -> None:
    """Open the model and generate while only so many GB of the GPU are free."""
    import torch

    with occupied(free, tiny=tiny):
        if not tiny:
            torch.cuda.reset_peak_memory_stats()
        before = 0 if tiny else torch.cuda.memory_allocated()
        found[f"{free:g} GB: opening, s"], generator = seconds(ours)
        found[f"{free:g} GB: batch size"] = size = generator.batch_size
        for batch in ("first", "second"):
            requests = [Request(f"a photo of person {i}", i) for i in range(size)]
            took, answers = seconds(lambda one=generator, many=requests: one.generate(many))
            assert all(one.image is not None for one in answers)
            found[f"{free:g} GB: {batch} batch, s per image"] = took / size
        peak = 0 if tiny else torch.cuda.max_memory_allocated()
        found[f"{free:g} GB: peak memory, GB"] = (peak - before) / 1e9
        del generator, answers
    forget()


@contextmanager
def occupied(free: float, *, tiny: bool) -> Iterator[None]:
    """Occupy all memory of the GPU but so many GB."""
    import torch

    size = 0 if tiny else max(0, torch.cuda.mem_get_info()[0] - int(free * 1e9))
    ballast = torch.empty(size, dtype=torch.uint8, device="cpu" if tiny else "cuda")
    yield
    del ballast


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call takes, and its answer."""
    started = time.perf_counter()
    answer = call()
    return time.perf_counter() - started, answer


def forget() -> None:
    """Free memory, and what this process knows of files: the machine's notes are what counts."""
    import torch

    gc.collect()
    files._known_hash.cache_clear()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def main(arguments: Sequence[str] = ()) -> None:
    import torch

    parser = argparse.ArgumentParser(prog="benchmarks.gpu_opening")
    parser.add_argument("--model", default="flux", choices=tuple(MODELS))
    parser.add_argument("--free", type=float, nargs="+", default=[])
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args(arguments)
    tiny = given.tiny or not torch.cuda.is_available()
    card = "tiny networks on a CPU: figures mean nothing" if tiny else torch.cuda.get_device_name()
    print(f"{MODELS[given.model].name}: {card}", flush=True)
    found = Figures()
    with tempfile.TemporaryDirectory() as scratch, quietly("diffusers", "transformers"):
        os.environ["XDG_CACHE_HOME"] = str(Path(scratch) / "cache")
        folder = Path(scratch) / "model"
        ours = write_model(given.model, folder, found, tiny=tiny)
        time_openings(folder, ours, found, tiny=tiny)
        print(f"aim on an NVIDIA H200: at most {AIM_S:g} s beyond from_pretrained", flush=True)
        for free in given.free:
            run_with_little_memory(free, ours, found, tiny=tiny)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
