"""Walls, floors, skies and shelves that backgrounds are built from, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.palette import (
    WHITE,
    Colour,
    between,
    jitter,
    pick,
    rgb,
    shade,
    veil,
)


def room(pen: Pen, wall: Colour, floor: Colour, *, edge: float = 48.0) -> None:
    """Fill a wall and a floor that meets it at height `edge`."""
    wall = jitter(pen.rng, wall, 12)
    pen.blend(shade(wall, 1.12), shade(wall, 0.88), slant=between(pen.rng, -0.5, 0.5))
    pen.box(0, edge, 64, 64, floor)
    pen.box(0, edge - 0.8, 64, edge, shade(floor, 0.8))


def outdoors(pen: Pen, ground: Colour, *, horizon: float = 42.0) -> None:
    """Fill a sky with clouds, and the ground below the horizon."""
    pen.blend(rgb("7fc0ee"), rgb("d8f0fa"), slant=between(pen.rng, -0.4, 0.4))
    for x in (between(pen.rng, 4, 24), between(pen.rng, 40, 60)):
        y = between(pen.rng, 5, 15)
        for dx, r in ((-4.0, 2.6), (0.0, 3.8), (4.4, 2.8)):
            pen.disc(x + dx, y, r, veil(WHITE, 0.8))
    pen.box(0, horizon, 64, 64, jitter(pen.rng, ground, 10))


def window(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    """Draw a window with the sky behind it."""
    pen.box(x - 1.2, y - 1.2, x + w + 1.2, y + h + 1.2, WHITE)
    pen.box(x, y, x + w, y + h, rgb("9fd4f2"))
    pen.poly(rgb("c4e6f8"), x, y + h, x + w * 0.55, y, x + w * 0.9, y, x + w * 0.35, y + h)
    pen.line(0.9, WHITE, x + w / 2, y, x + w / 2, y + h)


def shelves(pen: Pen, colours: tuple[Colour, ...], *, case: Colour) -> None:
    """Fill the wall with shelves of upright books or boxes."""
    pen.blend(case, shade(case, 0.8))
    shift = between(pen.rng, -4, 4)
    for row in range(4):
        y = 2.0 + 15.0 * row
        x = -6.0 + shift * (1 if row % 2 else -1)
        while x < 64.0:
            w = between(pen.rng, 2.6, 5.0)
            pen.box(x, y + between(pen.rng, 0, 4), x + w - 0.5, y + 12.4, pick(pen.rng, colours))
            x += w
        pen.box(0, y + 12.4, 64, y + 14.4, shade(case, 0.62))


def plain(pen: Pen, code: str) -> None:
    """Fill a wall with one colour, slightly shaded."""
    colour = jitter(pen.rng, rgb(code), 14)
    pen.blend(shade(colour, 1.15), shade(colour, 0.85), slant=between(pen.rng, -0.8, 0.8))
