"""The batch that is fastest on a GPU, among those whose memory fits.

Memory grows by the same amount with every image of a batch, so the peaks of two sizes give the
rest. Larger batches are faster up to the size that fills the GPU, and no further: batches of
growing size are timed for a few steps until one gains next to nothing. What was found is remembered
on this machine, for this model with its settings and this GPU.

A network that is compiled as a whole (a UNet, where compiling is allowed) gains from sizes that
gain nothing before. Compiling it for every size to be timed would take minutes, so it gets batches
of `COMPILED_PIXELS`, as far as they fit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from portrayal.loading import import_extra, recall, remember
from portrayal.records import Identity, Request

LARGEST = 64
USED = 0.9
"""Part of the memory that a batch may take; the rest is for measurers, fragments, and what our own
kernels take once the networks are compiled."""

GAIN = 1.03
"""How much faster per image a batch of twice the size must be."""

COMPILED_PIXELS = 32 * 512 * 512
"""Pixels of a batch for a network that is compiled as a whole."""

_PROBES = (1, 3)
_STEPS = (2, 4)
_TOPIC = "batches"


@dataclass(frozen=True, slots=True)
class BatchCost:
    """What batches of a model take on a GPU.

    Attributes:
        base: Bytes that a batch takes whatever its size.
        each: Bytes per image of a batch.
        fastest: The smallest batch beyond which images come hardly any faster.
        tried: The largest batch that was timed; where it is the fastest, larger ones may be faster.
    """

    base: int
    each: int
    fastest: int
    tried: int

    def fitting(self, available: int, most: int) -> int:
        """Return the largest batch that fits into so many bytes: a power of two, 1 or more."""
        size = min(most, max(1, (available - self.base) // max(1, self.each)))
        return 1 << (size.bit_length() - 1)

    def decides(self, available: int) -> bool:
        """Whether the fastest batch is known for so many bytes."""
        return self.fastest < self.tried or self.fitting(available, LARGEST) <= self.tried


def fit_memory(peak: Callable[[int], int]) -> tuple[int, int]:
    """Return the bytes without images and the bytes per image, from the peaks of two batches."""
    small, large = _PROBES
    first = peak(small)
    each = max(1, (peak(large) - first) // (large - small))
    return first - small * each, each


def fastest_batch(seconds: Callable[[int], float], most: int) -> tuple[int, int]:
    """Return the size from which on twice as many images take twice as long, and the last tried.

    Args:
        seconds: How long a batch of that size takes.
        most: The largest size to try.
    """
    size, rate = 1, 1 / seconds(1)
    while size * 2 <= most:
        larger = 2 * size / seconds(2 * size)
        if larger < GAIN * rate:
            return size, 2 * size
        size, rate = 2 * size, larger
    return size, size


def batch_for_gpu(
    make: Callable[[list[Request], int], object],
    identity: Identity,
    *,
    steps: int,
    device: str,
    at_least: int = 1,
) -> int:
    """Return the fastest batch that fits on a GPU.

    Args:
        make: Makes images in so many denoising steps.
        identity: Of the generator; another one has other batches.
        steps: Denoising steps of a real image.
        device: The GPU.
        at_least: Images of a batch that is taken where it fits, though a smaller one be as fast.
    """
    torch: Any = import_extra("torch", extra="models")

    def peak(size: int) -> int:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        before = int(torch.cuda.memory_allocated(device))
        make(_requests(size), _STEPS[0])
        return int(torch.cuda.max_memory_allocated(device)) - before

    def seconds(size: int) -> float:
        few, more = _STEPS
        make(_requests(size), few)  # the first batch of a size is slower
        short, long = (_timed(make, size, count) for count in _STEPS)
        step = (long - short) / (more - few)
        return max(short + (steps - few) * step, 1e-6)

    free = int(torch.cuda.mem_get_info(device)[0])
    ours = int(torch.cuda.memory_reserved(device)) - int(torch.cuda.memory_allocated(device))
    available = int(USED * (free + ours))
    key = [identity.digest, torch.cuda.get_device_name(device), torch.__version__]
    try:
        known = BatchCost(**recall(_TOPIC, key))
        if known.decides(available):
            return known.fitting(available, max(known.fastest, at_least))
    except TypeError:  # nothing remembered, or by another version
        pass
    try:
        base, each = fit_memory(peak)
        most = BatchCost(base, each, LARGEST, LARGEST).fitting(available, LARGEST)
        cost = BatchCost(base, each, *fastest_batch(seconds, most))
    except torch.OutOfMemoryError:
        return 1
    remember(_TOPIC, key, asdict(cost))
    return cost.fitting(available, max(cost.fastest, at_least))


def _requests(size: int) -> list[Request]:
    return [Request("", seed) for seed in range(size)]


def _timed(make: Callable[[list[Request], int], object], size: int, steps: int) -> float:
    started = time.perf_counter()
    make(_requests(size), steps)  # returns images, so the GPU has been waited for
    return time.perf_counter() - started
