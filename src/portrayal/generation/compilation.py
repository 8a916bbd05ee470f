"""Compiling denoiser and decoder once a run is long enough to pay for it, with batches of one size.

Compiling takes about a minute or two and then saves a third of the time on large GPUs, so it pays
where more than some ten minutes of work are left. A compiled network is made for one shape: the
last, smaller batch is filled up with repeats, which are thrown away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from portrayal.errors import GenerationError, one_of
from portrayal.records import Picture, Request

MODES = ("auto", "on", "off")
WORTH_S = 600.0
"""Seconds of work that must be left before compiling is worth its time."""

BACKEND = "inductor"


class Compilation:
    """Decides when to compile, and keeps batches at one size from then on.

    Args:
        pipeline: Whose denoiser and decoder are compiled.
        mode: "on" compiles before the first batch, "auto" on a GPU where it is worth it, "off"
            never.
        device: Where the pipeline is.
    """

    def __init__(self, pipeline: Any, *, mode: str, device: str) -> None:
        if mode not in MODES:
            raise GenerationError(f"--compile is {mode!r}; allowed: {one_of(MODES)}")
        self._networks = _networks(pipeline)
        self._undecided = mode == "auto" and device.startswith("cuda") and bool(self._networks)
        self._expected = 0
        self._size: int | None = None
        self.compiled = False
        self._at_once = mode == "on"

    def expect(self, pictures: int) -> None:
        """Take note of how many pictures are still to be made."""
        self._expected = pictures

    def run(
        self, call: Callable[[Sequence[Request]], list[Picture]], requests: Sequence[Request]
    ) -> list[Picture]:
        """Make a batch with `call`, at the size that the network was compiled for."""
        if self._at_once and not self.compiled:
            self._compile()
        if not self.compiled:
            started = time.perf_counter()
            pictures = call(requests)
            self._expected = max(0, self._expected - len(requests))
            left_s = (time.perf_counter() - started) / max(1, len(requests)) * self._expected
            if self._undecided and left_s > WORTH_S:
                self._compile()
            return pictures
        size = max(self._size or 0, len(requests))
        filled = [*requests, *[requests[-1]] * (size - len(requests))]
        self._size = None  # where memory runs out, the next and smaller batch sets the size
        pictures = call(filled)
        self._size = size
        return pictures[: len(requests)]

    def _compile(self) -> None:
        self._undecided = self._at_once = False
        for network in self._networks:
            network.compile(backend=BACKEND, dynamic=False)
            self.compiled = True


def _networks(pipeline: Any) -> list[Any]:
    denoiser = getattr(pipeline, "unet", None) or getattr(pipeline, "transformer", None)
    decoder = getattr(getattr(pipeline, "vae", None), "decoder", None)
    return [network for network in (denoiser, decoder) if network is not None]
