"""A generator that fills images with a colour, and a measurer that labels them by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from PIL import Image

from portrayal import GeneratedImage, Identity, Request
from portrayal.generators import GeneratorKind
from portrayal.measurers import Answer, MeasurerKind


class Sketches:
    """Every third image is teal, the others are orange."""

    identity = Identity("sketches", "sketches")

    def __init__(self, *, batch_size: int = 4, device: str = "cpu") -> None:
        self.batch_size = batch_size

    def check(self, prompts: Iterable[str]) -> int:
        return 0

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        colours = ["orange" if one.seed % 3 else "teal" for one in requests]
        return [GeneratedImage.ok(Image.new("RGB", (8, 8), colour)) for colour in colours]


class Strokes:
    """Says "woman" of orange images and "man" of others."""

    identity = Identity("strokes", "strokes")
    gives = ("labels",)
    axes: ClassVar[dict[str, tuple[str, ...]]] = {"perceived gender": ("woman", "man")}

    def measure(self, images: Sequence[Image.Image]) -> list[Answer]:
        reds = [image.resize((1, 1)).tobytes()[0] for image in images]
        said = ["woman" if red > 100 else "man" for red in reds]
        return [{"labels": {"perceived gender": {group: 0.95}}} for group in said]


SKETCHES = GeneratorKind(
    written="sketches",
    open=lambda name, **settings: Sketches(**settings),
    names=("sketches",),
    settings=("batch_size", "device"),
    identity_kind="sketches",
    real_faces=False,
    notice="Sketches: squares of two colours.",
)
STROKES = MeasurerKind(
    written="strokes",
    open=lambda name, **settings: Strokes(),
    names=("strokes",),
    identity_kind="strokes",
    valid_for=SKETCHES.made,
    valid_words="sketches",
)
