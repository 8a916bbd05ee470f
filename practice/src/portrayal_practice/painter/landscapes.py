"""Places outdoors, or with a wide view, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.grounds import outdoors, room
from portrayal_practice.painter.palette import (
    AMBER,
    BRICK,
    BROWN,
    GOLD,
    GREY,
    INK,
    PINK,
    RED,
    SAND,
    SILVER,
    STEEL,
    TAN,
    WHITE,
    WOOD,
    YELLOW,
    between,
    pick,
    rgb,
    shade,
)


def farm(pen: Pen) -> None:
    """A red barn, rows of crops and a fence."""
    outdoors(pen, rgb("a8c254"), horizon=36)
    x = between(pen.rng, 1, 4)
    pen.box(x, 20, x + 18, 38, rgb("b83a30"))
    pen.poly(rgb("7c2a26"), x - 2, 21, x + 9, 11, x + 20, 21)
    pen.box(x + 6, 27, x + 12, 38, WHITE)
    pen.line(0.9, rgb("b83a30"), x + 6, 27, x + 12, 38)
    for i in range(5):
        y = 40 + 5.4 * i
        pen.box(0, y, 64, y + 2, rgb("7d9a38"))
    for i in range(3):
        pen.box(46 + 7 * i, 28, 48 + 7 * i, 40, WHITE)
    pen.box(44, 31, 64, 33, WHITE)


def garden(pen: Pen) -> None:
    """Hedges and flower beds."""
    outdoors(pen, rgb("6fb04e"), horizon=38)
    for i in range(6):
        pen.disc(-2 + 14 * i + between(pen.rng, -2, 2), 34, 9, rgb("4c8f43"))
    for _ in range(12):
        x, y = between(pen.rng, 0, 64), between(pen.rng, 28, 52)
        pen.disc(x, y, 1.9, pick(pen.rng, (RED, PINK, YELLOW, WHITE, rgb("b06ad0"))))
        pen.disc(x, y, 0.7, AMBER)


def park(pen: Pen) -> None:
    """Trees, a path and a bench."""
    outdoors(pen, rgb("8cc860"), horizon=40)
    for x, r in ((7.0, 11.0), (57.0, 12.0)):
        x += between(pen.rng, -3, 3)
        pen.box(x - 1.7, 24, x + 1.7, 46, BROWN)
        pen.disc(x, 19, r, rgb("4f9a48"))
        pen.disc(x - 3, 15, r * 0.5, rgb("6cb45c"))
    pen.poly(SAND, 20, 64, 44, 64, 36, 40, 32, 40)
    pen.box(46, 42, 64, 44, WOOD)
    pen.box(46, 37, 64, 39, WOOD)


def street(pen: Pen) -> None:
    """Houses with windows, a road and a lamp."""
    pen.blend(rgb("9fc9e8"), rgb("dcecf4"))
    x = between(pen.rng, -6, 0)
    for w, top, colour in ((15, 14, BRICK), (14, 6, TAN), (18, 18, STEEL), (14, 4, rgb("b98a6a")),
                           (14, 12, rgb("8a9ab0"))):  # fmt: skip
        pen.box(x, top, x + w, 52, colour)
        for i in range(4):
            for dx in (2.4, 8.4):
                lit = YELLOW if pen.rng.random() < 0.3 else rgb("4a5c74")
                pen.box(x + dx, top + 3 + 8 * i, x + dx + 3.4, top + 7.6 + 8 * i, lit)
        x += w
    pen.box(0, 50, 64, 64, rgb("6b6f78"))
    pen.box(0, 56, 64, 57.4, WHITE)


def airport(pen: Pen) -> None:
    """A large window with an aeroplane outside."""
    room(pen, rgb("dfe6ec"), rgb("9aa6b2"), edge=50)
    pen.box(0, 5, 64, 36, rgb("8ecdf0"))
    pen.box(0, 30, 64, 36, rgb("9aa58a"))
    plane = pen.at(12 if pen.rng.random() < 0.5 else 51, between(pen.rng, 13, 20), turn=-14)
    plane.smooth(WHITE, -13, 0, -8, -2.6, 8, -2.6, 13, 0, 8, 2.4, -10, 2.4)
    plane.poly(RED, -12, -1, -14, -8, -9, -2)
    plane.poly(STEEL, -2, 0, 4, 0, -4, 8, -7, 8)
    for x in (0.0, 21.0, 42.0, 63.0):
        pen.box(x, 4, x + 1.4, 37, WHITE)
    pen.box(42, 40, 62, 47, INK, r=1)
    pen.box(44, 42, 58, 43.4, AMBER)


def ship(pen: Pen) -> None:
    """The sea, a rail and a life belt."""
    pen.blend(rgb("8fd0f4"), rgb("dff2fa"))
    pen.box(0, 30, 64, 64, rgb("2f74b0"))
    for i in range(4):
        y = 33 + 4.4 * i
        x = between(pen.rng, 0, 20)
        pen.curve(1.0, rgb("8fc4e8"), x, y, x + 6, y - 1.4, x + 12, y, x + 18, y - 1.4)
        pen.curve(1.0, rgb("8fc4e8"), x + 30, y, x + 36, y - 1.4, x + 42, y)
    pen.box(0, 43, 64, 45, WHITE)
    pen.box(0, 49, 64, 50.6, WHITE)
    for x in (4.0, 18.0, 46.0, 60.0):
        pen.box(x, 43, x + 1.6, 60, WHITE)
    pen.ring(8 if pen.rng.random() < 0.5 else 56, 37, 5.6, 3, RED)
    pen.box(0, 57, 64, 64, WOOD)


def beach(pen: Pen) -> None:
    """Sand, sea, a palm tree and a parasol."""
    pen.blend(rgb("6fc6f2"), rgb("d4f2fa"))
    pen.box(0, 30, 64, 42, rgb("2fa8c4"))
    pen.smooth(SAND, -8, 44, 10, 39, 34, 42, 72, 38, 72, 70, -8, 70)
    x = between(pen.rng, 5, 10)
    pen.curve(2.4, BROWN, x - 2, 48, x + 1, 30, x + 4, 14, end=1.6)
    for dx, dy in ((-10, 1), (-7, -7), (2, -9), (10, -4), (11, 4)):
        pen.curve(
            2.6, rgb("3f9a4a"), x + 4, 14, x + 4 + dx * 0.6, 12 + dy, x + 4 + dx, 16 + dy, end=0.6
        )
    pen.pie(55, 26, 10, 9, RED, 180, 360)
    pen.pie(55, 26, 4, 9, WHITE, 180, 360)
    pen.line(1.0, WOOD, 55, 26, 55, 48)


def building_site(pen: Pen) -> None:
    """A crane, scaffolding and bricks."""
    pen.blend(rgb("bcd8e8"), rgb("ece8d8"))
    pen.box(0, 48, 64, 64, rgb("c2a679"))
    x = between(pen.rng, 50, 56)
    pen.box(x, 6, x + 2.6, 50, AMBER)
    pen.box(x - 26, 6, x + 8, 8.6, AMBER)
    pen.line(0.8, INK, x - 18, 8, x - 18, 17)
    pen.box(x - 21, 17, x - 15, 20, GREY)
    for i in range(5):
        for j in range(3):
            bx = -3.0 + 7 * j + (3.5 if i % 2 else 0)
            pen.box(bx, 28 + 4.4 * i, bx + 6.2, 31.6 + 4.4 * i, BRICK)
    pen.box(1, 8, 2.6, 28, GREY)
    pen.box(16, 8, 17.6, 28, GREY)
    pen.box(0, 14, 19, 15.6, WOOD)


def university(pen: Pen) -> None:
    """A building with a pediment, columns and steps on a lawn."""
    outdoors(pen, rgb("7fb85a"), horizon=46)
    pen.box(2, 20, 62, 46, rgb("e6d8b8"))
    pen.poly(rgb("cbb890"), 0, 20, 32, 4, 64, 20)
    pen.box(0, 19, 64, 22, rgb("f2e8d0"))
    for x in (4.0, 12.0, 20.0, 40.0, 48.0, 56.0):
        pen.box(x, 22, x + 4, 46, WHITE)
        pen.box(x + 2.6, 22, x + 4, 46, SILVER)
    pen.box(0, 46, 64, 50, SILVER)


def company(pen: Pen) -> None:
    """Glass towers seen through a wide window."""
    pen.blend(rgb("8fc4ea"), rgb("e4f0f6"))
    x = -2.0
    while x < 64.0:
        w, top = between(pen.rng, 8, 12), between(pen.rng, 4, 24)
        colour = pick(pen.rng, (STEEL, rgb("5a7ea0"), rgb("3f6488"), rgb("88a4b8")))
        pen.box(x, top, x + w, 64, colour)
        for i in range(8):
            pen.box(x + 1.2, top + 2 + 5 * i, x + w - 1.2, top + 4.4 + 5 * i, shade(colour, 1.35))
        x += w + between(pen.rng, 0, 2)
    pen.box(0, 46, 64, 48, WHITE)
    pen.box(31, 0, 33, 48, WHITE)


def temple(pen: Pen) -> None:
    """Red pillars under a curved roof, with lanterns."""
    pen.blend(rgb("f4d9a0"), rgb("e8b070"))
    pen.smooth(rgb("2f6b5a"), -8, 9, 8, 6, 32, 2, 56, 6, 72, 9, 60, 14, 32, 12, 4, 14)
    pen.box(0, 12, 64, 16, GOLD)
    for x in (5.0, 59.0):
        pen.box(x - 3.4, 14, x + 3.4, 56, rgb("c0342c"))
        pen.box(x - 4.6, 14, x + 4.6, 17, GOLD)
    for x in (15.0, 49.0):
        pen.line(0.8, INK, x, 16, x, 20)
        pen.oval(x, 24, 3.6, 4.6, RED)
        pen.box(x - 1.6, 28, x + 1.6, 29.6, GOLD)
    pen.box(0, 54, 64, 64, rgb("b8a080"))
