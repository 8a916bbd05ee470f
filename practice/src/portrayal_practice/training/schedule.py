"""When training stops, how fast it learns on the way, and the average that is kept."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portrayal_practice.errors import PracticeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

WARM_UP = 0.02
FLOOR = 0.01


@dataclass
class Budget:
    """Minutes or steps, whichever is given; with both, whichever ends first.

    `span` is the part of the whole schedule that this run covers: training may be cut into several
    commands, (0, 0.5) and then (0.5, 1), and the learning rate goes on where it was.
    """

    minutes: float | None = None
    steps: int | None = None
    span: tuple[float, float] = (0.0, 1.0)
    done: int = 0
    _start: float | None = None

    def __post_init__(self) -> None:
        if self.minutes is None and self.steps is None:
            raise PracticeError("training budget: neither minutes nor steps given; give one")
        low, high = self.span
        if not 0.0 <= low < high <= 1.0:
            raise PracticeError(
                f"training budget: span {self.span} is wrong; allowed: 0 <= from < to <= 1"
            )

    def seconds(self) -> float:
        """Seconds since somebody first asked: data is read before a loop begins."""
        if self._start is None:
            self._start = time.monotonic()
        return time.monotonic() - self._start

    def used(self) -> float:
        """The part of this run that is over, 0 to 1."""
        parts = [0.0]
        if self.minutes is not None:
            parts.append(self.seconds() / (60.0 * max(self.minutes, 1e-9)))
        if self.steps is not None:
            parts.append(self.done / max(self.steps, 1))
        return min(max(parts), 1.0)

    def over(self) -> bool:
        """Whether training must stop now."""
        return self.used() >= 1.0

    def rate(self) -> float:
        """Factor on the learning rate: a short warm-up, then a cosine down to `FLOOR`."""
        low, high = self.span
        done = low + (high - low) * self.used()
        # A run that goes on from another one has a cold optimizer: it warms up as well.
        warm = min(1.0, (self.done + 1) / 100, (self.used() + 1e-4) / WARM_UP)
        return warm * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * done)))


class WeightAverage:
    """Exponential moving average of parameters, with a short memory at the start."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter], *, decay: float = 0.999) -> None:
        self.live = [p for p in parameters if p.requires_grad]
        self.kept = [p.detach().clone().float() for p in self.live]
        self.decay = decay
        self.steps = 0

    def update(self) -> None:
        """Take the live parameters in."""
        import torch

        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(self.kept, [p.detach() for p in self.live], 1 - decay)
