"""Batches that are on their way: sent to the device, their images not yet asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from portrayal.generators.protocol import Generator, SendsAhead
from portrayal.records import GeneratedImage, Request


class Sender:
    """Sends batches ahead where a generator can, and else makes them when they are asked for.

    Args:
        generator: Who makes the images.
    """

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._waiting: dict[tuple[Request, ...], Callable[[], list[GeneratedImage]]] = {}

    @property
    def works_ahead(self) -> bool:
        """Whether a batch that is sent is made while others are waited for."""
        return isinstance(self._generator, SendsAhead) and self._generator.works_ahead

    def send(self, requests: Sequence[Request]) -> None:
        """Send a batch, if that is possible; what goes wrong is left to `generate`."""
        if isinstance(self._generator, SendsAhead) and self._generator.works_ahead:
            with contextlib.suppress(Exception):
                self._waiting[tuple(requests)] = self._generator.begin(requests)

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        """Return the images of a batch, whether it was sent or not."""
        wait = self._waiting.pop(tuple(requests), None)
        return self._generator.generate(requests) if wait is None else wait()
