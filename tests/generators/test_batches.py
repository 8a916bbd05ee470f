"""The largest batch that fits, from the memory of two small ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from portrayal.generators import open_generator
from portrayal.generators.batches import LARGEST, largest_batch
from portrayal.records import Request

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
def test_known_answers(base: int, each: int, available: int, expected: int) -> None:
    assert largest_batch(growing(base, each), available) == expected


def test_what_is_chosen_fits_and_twice_as_much_would_not() -> None:
    for each in (GB // 3, GB, 7 * GB):
        peak = growing(5 * GB, each)
        size = largest_batch(peak, 60 * GB)
        assert peak(size) <= 60 * GB
        assert size == LARGEST or peak(2 * size) > 60 * GB


def test_a_probe_makes_images_of_full_size_in_few_steps(sd1: Path) -> None:
    generator: Any = open_generator(str(sd1), steps=50, batch_size=2)
    steps = []
    whole = generator._pipeline.unet.forward

    def counted(*given: Any, **named: Any) -> Any:
        steps.append(len(given[0]))
        return whole(*given, **named)

    generator._pipeline.unet.forward = counted
    images = generator.probe([Request("", seed) for seed in range(3)])
    assert len(images) == 3
    assert len(steps) < 5
    assert set(steps) == {6}  # with and without the prompt
