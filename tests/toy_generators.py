"""Generators and measurers without weights, for tests of the loops."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from PIL import Image

from portrayal.measurers import Answer, Reason
from portrayal.measurers.protocol import Given
from portrayal.records import GeneratedImage, Identity, Request


class ColourGenerator:
    """Fills images with noise around a colour that prompt and seed decide.

    Args:
        batch_size: Requests at once.
        before: Called with every batch; may raise, sleep or count.
        pause: Seconds a batch takes.
    """

    def __init__(
        self,
        *,
        batch_size: int = 4,
        before: Callable[[Sequence[Request]], None] = lambda requests: None,
        pause: float = 0.0,
    ) -> None:
        self.identity = Identity("colour", "colours", {"size": 8})
        self.batch_size = batch_size
        self.batches: list[list[Request]] = []
        self._before = before
        self._pause = pause

    def check(self, prompts: Iterable[str]) -> int:
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        self.batches.append(list(requests))
        self._before(requests)
        time.sleep(self._pause)
        return [self._image(request) for request in requests]

    def _image(self, request: Request) -> GeneratedImage:
        if "refuse" in request.prompt:
            return GeneratedImage.refused("policy")
        digest = hashlib.sha256(f"{request.prompt}\0{request.seed}".encode()).digest()
        rng = np.random.default_rng(list(digest[:8]))
        return GeneratedImage.ok(Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)))


class MeanColour:
    """Measures the mean of each channel; sees nothing in images that are too dark.

    Args:
        before: Called with every batch; may raise or sleep.
    """

    gives: Sequence[Given] = ("embedding", "numbers")

    def __init__(
        self,
        *,
        batch_size: int = 4,
        name: str = "mean colour",
        darkest: float = 0.0,
        before: Callable[[Sequence[Image.Image]], None] = lambda images: None,
    ) -> None:
        self.identity = Identity("colour", name, {"darkest": darkest})
        self.batch_size = batch_size
        self.batches: list[int] = []
        self._darkest = darkest
        self._before = before

    def measure(self, images: Sequence[Image.Image]) -> list[Answer | Reason]:
        self.batches.append(len(images))
        self._before(images)
        means = [np.asarray(image, dtype=np.float32).mean(axis=(0, 1)) for image in images]
        return [
            Reason("too dark")
            if mean.mean() < self._darkest
            else {"embedding": mean, "numbers": {"brightness": float(mean.mean())}}
            for mean in means
        ]
