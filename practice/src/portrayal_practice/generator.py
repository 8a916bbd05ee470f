"""The practice world's painter as a generator: its true distribution is known exactly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from PIL import Image

from portrayal.errors import GenerationError
from portrayal.records import GeneratedImage, Identity, Request, digest
from portrayal_practice import NAME, PAINTER
from portrayal_practice.painter import paint
from portrayal_practice.world import World

VERSION = 2
"""Raise this when a scene's image changes: old and new images must not share an audit."""


class PainterGenerator:
    """Draws a scene from the planted distribution of a prompt and paints it.

    Args:
        size: Width and height of the images.
        batch_size: How many images make a part.
        world: Another table than the one that ships with the package.
    """

    def __init__(self, *, size: int = 64, batch_size: int = 64, world: World | None = None) -> None:
        self.batch_size = batch_size
        self._size = size
        self._world = world or World.load()

    @cached_property
    def identity(self) -> Identity:
        """The painter, the planted table and the size."""
        table = digest(repr(self._world.table))
        settings = {"size": self._size, "table": table, "version": VERSION}
        return Identity("painter", PAINTER, settings)

    def check(self, prompts: Iterable[str]) -> int:
        """Return 0: the world reads texts of any length."""
        del prompts
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        """Paint one image for each request."""
        return [GeneratedImage.ok(self._paint(request)) for request in requests]

    def _paint(self, request: Request) -> Image.Image:
        seed = stable_seed(request)
        scene = self._world.sample(request.prompt, np.random.default_rng([seed, 0]))
        return Image.fromarray(paint(scene, seed, size=self._size))


def stable_seed(request: Request) -> int:
    """Return a number that depends on prompt and seed alone, the same in every process."""
    text = f"{request.seed}\0{request.prompt}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def open_painter(
    model: str,
    *,
    width: int | None = None,
    height: int | None = None,
    batch_size: int = 64,
    device: str | None = None,
) -> PainterGenerator:
    """Open `practice:painter`.

    Args:
        model: Its name; nothing else of the practice world paints.
        width: Pixels along one side; 64 where left out.
        height: The same; images are square.
        batch_size: How many images make a part.
        device: For the encoders that are opened beside it; the painter needs none.
    """
    del device
    if model != PAINTER:
        raise GenerationError(f"there is no model {model!r}; allowed: {NAME} or {PAINTER}")
    sizes = {size for size in (width, height) if size is not None} or {64}
    if len(sizes) > 1:
        raise GenerationError(f"{model}: images are square, got {width}x{height}")
    return PainterGenerator(size=sizes.pop(), batch_size=batch_size)
