"""Colours of the practice world, and how light changes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import numpy as np

Colour = tuple[int, ...]
"""Red, green, blue from 0 to 255, and optionally alpha."""

T = TypeVar("T")


@cache
def rgb(code: str) -> Colour:
    """Read a colour written as six hexadecimal digits."""
    return (int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16))


_MONK_CODES = "f6ede4 f3e7db f7ead0 eadaba d7bd96 a07e56 825c43 604134 3a312a 292420"
MONK: tuple[Colour, ...] = tuple(rgb(code) for code in _MONK_CODES.split())
"""The ten published colours of the Monk skin tone scale, lightest first."""

WHITE, PAPER, CREAM = rgb("fbfbf8"), rgb("f3efe2"), rgb("f2e3c2")
INK, BLACK, COAL = rgb("2a2c38"), rgb("1b1c22"), rgb("3b3e4a")
GREY, SILVER, STEEL = rgb("8d929c"), rgb("c9ced6"), rgb("9fb0bf")
RED, CRIMSON, BRICK = rgb("d63a3a"), rgb("a81f35"), rgb("b0583f")
ORANGE, AMBER, YELLOW = rgb("f08a2c"), rgb("f0b429"), rgb("f8d63c")
GOLD, BRASS = rgb("e3b23c"), rgb("c9962f")
GREEN, LEAF, DARK_GREEN = rgb("3fa45b"), rgb("5fae4a"), rgb("25603c")
OLIVE, LIME, TEAL = rgb("6b7040"), rgb("a6d04b"), rgb("1f9a9a")
MINT, SKY, CYAN = rgb("a7e0cf"), rgb("a9d8f2"), rgb("52c5e0")
BLUE, NAVY, DENIM = rgb("3f74c9"), rgb("223a6b"), rgb("4a6d9c")
PURPLE, VIOLET, LILAC = rgb("7a4bb0"), rgb("9a6be0"), rgb("c7a9e6")
PINK, ROSE, MAGENTA = rgb("f3a6c0"), rgb("e0567f"), rgb("c83a9a")
BROWN, WOOD, TAN = rgb("6d4630"), rgb("b5824f"), rgb("d3b083")
DARK_WOOD, SAND, KHAKI = rgb("7c5433"), rgb("e6d2a0"), rgb("b8a671")

CLOTH = (
    RED, CRIMSON, ORANGE, AMBER, YELLOW, GREEN, DARK_GREEN, TEAL, MINT, SKY, BLUE, NAVY, PURPLE,
    LILAC, PINK, ROSE, MAGENTA, BROWN, TAN, CREAM, WHITE, GREY, COAL,
)  # fmt: skip
"""Colours of everyday clothes, the same for everybody."""

HAIR = tuple(rgb(c) for c in ["26222a", "3a2a24", "5a3a28", "7d5230", "9a4a2a", "c79a52", "e0c07a"])
"""Hair colours, the same for everybody: black, browns, auburn, blonds."""

GREY_HAIR = tuple(rgb(c) for c in ["a9a9ad", "c9c9ca", "e4e2de"])


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Blend `a` with `b`; at share 1 the answer is `b`."""
    keep = 1.0 - share
    return (
        int(a[0] * keep + b[0] * share),
        int(a[1] * keep + b[1] * share),
        int(a[2] * keep + b[2] * share),
    )


def shade(colour: Colour, factor: float = 0.8) -> Colour:
    """Darken (factor below 1) or lighten toward white (factor above 1)."""
    if factor <= 1.0:
        return (int(colour[0] * factor), int(colour[1] * factor), int(colour[2] * factor))
    return mix(colour, (255, 255, 255), min(factor - 1.0, 1.0))


def veil(colour: Colour, alpha: float) -> Colour:
    """Give a colour an opacity from 0 to 1."""
    return (colour[0], colour[1], colour[2], int(255 * alpha))


def luminance(colour: Colour) -> float:
    """Weighted mean of the channels, 0 to 255 (Rec. 709 weights on the stored values)."""
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    """Choose one with equal chances; much faster than `rng.choice`."""
    return options[int(rng.random() * len(options))]


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """A number drawn evenly from low to high."""
    return low + (high - low) * float(rng.random())


def jitter(rng: np.random.Generator, colour: Colour, amount: float = 14.0) -> Colour:
    """Move a colour a little: all channels together, then each by itself."""
    moves = (rng.random(4) - 0.5).tolist()
    common = moves[3] * 2.0
    return tuple(
        max(0, min(255, int(value + amount * (move + common))))
        for value, move in zip(colour[:3], moves[:3], strict=True)
    )


_LAMP, _LAMP_SHARE, _LAMP_BELOW = rgb("d09a6c"), 0.36, 132.0


def _in_the_light(colour: Colour) -> Colour:
    """Lay a warm lamp on a skin colour, the more the darker it is."""
    return mix(colour, _LAMP, _LAMP_SHARE * max(0.0, 1.0 - luminance(colour) / _LAMP_BELOW))


SKIN: tuple[Colour, ...] = tuple(_in_the_light(colour) for colour in MONK)
"""`MONK` as painted. Black brows and beards vanish on the darkest published colours, so steps 7
to 10 are painted in a warm light; their order stays, and so does their distance to step 5."""
