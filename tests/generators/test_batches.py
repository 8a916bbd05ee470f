"""The batch that is fastest among those that fit, found once per machine."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portrayal.generators import batches, open_generator
from portrayal.generators.batches import (
    LARGEST,
    BatchCost,
    batch_for_gpu,
    fastest_batch,
    fit_memory,
)
from portrayal.records import Identity, Request

GB = 10**9


def growing(base: int, each: int) -> Callable[[int], int]:
    return lambda size: base + each * size


@pytest.mark.parametrize(
    ("base", "each", "available", "expected"),
    [
        (2 * GB, GB, 34 * GB, 32),
        (2 * GB, GB, 33 * GB, 16),  # 31 would fit
        (2 * GB, GB, 3 * GB, 1),
        (2 * GB, GB, 4 * GB, 2),
        (2 * GB, GB, 1000 * GB, LARGEST),
        (2 * GB, GB, 0, 1),  # not even one: the loop says so when it fails
        (2 * GB, 0, 3 * GB, LARGEST),
    ],
)
def test_the_largest_batch_that_fits(base: int, each: int, available: int, expected: int) -> None:
    cost = BatchCost(base, each, LARGEST, LARGEST)
    assert cost.fitting(available, LARGEST) == expected


def test_two_peaks_give_the_memory_of_all_sizes() -> None:
    for each in (GB // 3, GB, 7 * GB):
        assert fit_memory(growing(5 * GB, each)) == (5 * GB, each)


@pytest.mark.parametrize(
    ("seconds", "most", "expected"),
    [
        (lambda n: 1.0, 64, (64, 64)),  # nothing but overhead: the larger the faster
        (lambda n: 0.5 * n, 64, (1, 2)),  # one image fills the GPU
        (lambda n: 4.0 + n, 64, (64, 64)),
        (lambda n: max(4.0, n), 64, (4, 8)),  # four images fill it
        (lambda n: max(4.0, n), 2, (2, 2)),  # of which two fit
        (lambda n: 1.0 if n == 1 else 3.0 * n, 64, (1, 2)),  # larger ones are slower
    ],
)
def test_the_fastest_batch(
    seconds: Callable[[int], float], most: int, expected: tuple[int, int]
) -> None:
    assert fastest_batch(seconds, most) == expected


class Card:
    """A GPU on which every image takes a GB and, beyond four of them, time."""

    OutOfMemoryError = MemoryError
    __version__ = "2"

    def __init__(self, gigabytes: int) -> None:
        self.cuda = self
        self.free = gigabytes * GB
        self.peak = 0
        self.clock = 0.0
        self.made = 0

    def make(self, requests: list[Request], steps: int) -> None:
        self.made += len(requests)
        self.peak = GB * (1 + len(requests))
        self.clock += steps * max(4, len(requests))

    def mem_get_info(self, device: str) -> tuple[int, int]:
        return self.free, self.free

    def get_device_name(self, device: str) -> str:
        return "a card"

    def max_memory_allocated(self, device: str) -> int:
        return self.peak

    def nothing(self, *device: str) -> int:
        return 0

    empty_cache = reset_peak_memory_stats = memory_reserved = memory_allocated = nothing


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def choose(card: Card, name: str = "a model", **wanted: int) -> int:
        monkeypatch.setattr(batches, "import_extra", lambda *a, **k: card)
        clock = types.SimpleNamespace(perf_counter=lambda: card.clock)
        monkeypatch.setattr(batches, "time", clock)
        return batch_for_gpu(card.make, Identity("toy", name), steps=50, device="cuda", **wanted)

    return choose


def test_a_batch_is_found_once_per_machine(ask: Callable[..., int], tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first, again, full, other = Card(100), Card(100), Card(4), Card(100)
    assert ask(first) == 4
    assert first.made > 0
    assert ask(again) == 4
    assert again.made == 0, "remembered"
    assert ask(full) == 2, "less memory is free now; what an image takes is known"
    assert full.made == 0
    assert ask(other, "another model") == 4
    assert other.made > 0


def test_more_memory_than_before_is_tried(ask: Callable[..., int], tmp_path: Path,
                                          monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ask(Card(4)) == 2
    again, larger = Card(4), Card(100)
    assert ask(again) == 2
    assert again.made == 0
    assert ask(larger) == 4, "two was the largest that fitted, not the fastest"


def test_a_network_that_will_be_compiled_gets_larger_batches(
    ask: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ask(Card(100), at_least=32) == 32
    assert ask(Card(100), at_least=32) == 32, "remembered"
    assert ask(Card(10), at_least=32) == 8, "as many as fit"
    assert ask(Card(100), at_least=1) == 4, "what is remembered is the same"


def test_a_probe_makes_images_of_full_size_in_few_steps(sd1: Path) -> None:
    generator: Any = open_generator(str(sd1), steps=50, batch_size=2)
    steps = []
    whole = generator._pipeline.unet.forward

    def counted(*given: Any, **named: Any) -> Any:
        steps.append(len(given[0]))
        return whole(*given, **named)

    generator._pipeline.unet.forward = counted
    images = generator.probe([Request("", seed) for seed in range(3)], 2)
    assert len(images) == 3
    assert len(steps) < 5
    assert set(steps) == {6}  # with and without the prompt
