"""Places indoors, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.grounds import room, shelves, window
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BROWN,
    CLOTH,
    COAL,
    CREAM,
    CRIMSON,
    CYAN,
    DARK_GREEN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LIME,
    NAVY,
    ORANGE,
    PINK,
    RED,
    ROSE,
    SILVER,
    SKY,
    STEEL,
    TAN,
    TEAL,
    WHITE,
    WOOD,
    YELLOW,
    Colour,
    between,
    jitter,
    mix,
    pick,
    rgb,
    shade,
    veil,
)


def studio(pen: Pen) -> None:
    """A plain backdrop, with one of a few quiet patterns."""
    colour = jitter(
        pen.rng, mix(pick(pen.rng, CLOTH), (205, 205, 205), between(pen.rng, 0.35, 0.8))
    )
    pen.blend(shade(colour, 1.2), shade(colour, 0.86), slant=between(pen.rng, -1, 1))
    kind = int(pen.rng.random() * 5)
    soft = veil(shade(colour, 1.4), 0.5)
    if kind == 0:
        pen.disc(between(pen.rng, 24, 40), between(pen.rng, 22, 34), between(pen.rng, 20, 28), soft)
    elif kind == 1:
        for i in range(5):
            x = 14.0 * i + between(pen.rng, -6, 2)
            pen.poly(soft, x, 0, x + 5, 0, x - 3, 64, x - 8, 64)
    elif kind == 2:
        for _ in range(7):
            pen.disc(between(pen.rng, 0, 64), between(pen.rng, 0, 50), between(pen.rng, 2, 6), soft)
    elif kind == 3:
        pen.poly(soft, 0, between(pen.rng, 30, 60), 64, between(pen.rng, 20, 50), 64, 64, 0, 64)


def office(pen: Pen) -> None:
    """Window with blinds, pinned papers, a desk screen and a plant."""
    room(pen, rgb("d5dce2"), rgb("8fa3b5"))
    window(pen, between(pen.rng, 1, 4), 5, 17, 19)
    for i in range(5):
        pen.box(0, 6 + 3.2 * i, 21, 7 + 3.2 * i, veil(WHITE, 0.7))
    pen.box(46, 8, 62, 22, WOOD)
    for x, y, colour in ((47.5, 9.5, YELLOW), (54.5, 10, PINK), (48, 16, SKY), (55, 15.6, WHITE)):
        pen.box(x, y, x + 5, y + 4.6, colour)
    pen.box(47, 36, 62, 48, INK, r=1)
    pen.box(48.4, 37.4, 60.6, 45, CYAN)


def gym(pen: Pen) -> None:
    """Wall bars, a mirror and weights."""
    room(pen, rgb("e8b66a"), rgb("5a5f6b"), edge=50)
    for i in range(7):
        pen.box(1, 6 + 6 * i, 18, 7.6 + 6 * i, DARK_WOOD)
    pen.box(0, 3, 2, 48, BROWN)
    pen.box(17, 3, 19, 48, BROWN)
    pen.line(1.4, SILVER, 44, 16, 64, 16)
    for x in (47.0, 60.0):
        pen.box(x - 1.7, 9, x + 1.7, 23, INK, r=1)
        pen.box(x - 3.4, 11, x - 1.6, 21, RED, r=0.8)
    pen.ring(55, 38, 6, 2.4, RED)


def salon(pen: Pen) -> None:
    """A mirror with bulbs, bottles and a hair dryer hood."""
    room(pen, rgb("f0c3d6"), rgb("b88aa8"))
    pen.box(2, 4, 22, 34, GOLD, r=2)
    pen.box(3.6, 5.6, 20.4, 32.4, rgb("d8eef4"), r=1.4)
    pen.poly(WHITE, 5, 30, 14, 7, 18, 7, 9, 30)
    for i in range(4):
        pen.disc(2.4, 8 + 7.4 * i, 1.5, rgb("fff3b0"))
        pen.disc(21.8, 8 + 7.4 * i, 1.5, rgb("fff3b0"))
    pen.pie(54, 16, 9, 10, SILVER, 180, 360)
    pen.box(53, 16, 55, 46, GREY)
    for i, colour in enumerate((TEAL, ROSE, AMBER)):
        pen.box(44 + 6 * i, 38, 47.6 + 6 * i, 47, colour, r=1)


def spa(pen: Pen) -> None:
    """Bamboo, stacked stones, a candle and towels."""
    room(pen, rgb("c3e4d3"), rgb("b9a88a"))
    for x in (4.0, 9.0, 15.0):
        x += between(pen.rng, -1, 1)
        pen.box(x, 0, x + 2.6, 48, rgb("7fae5a"))
        for y in (10.0, 24.0, 38.0):
            pen.box(x - 0.3, y, x + 2.9, y + 1, DARK_GREEN)
    for w, y in ((8, 45), (6.4, 40), (4.6, 35.6)):
        pen.oval(54, y, w, 2.6, rgb("565c62"))
    pen.box(46, 12, 62, 16, WHITE, r=2)
    pen.box(47, 16.4, 61, 20.4, rgb("f4d8e0"), r=2)
    pen.disc(54, 29, 2.4, veil(YELLOW, 0.8))


def mall(pen: Pen) -> None:
    """Shop fronts on two floors with bright signs."""
    room(pen, rgb("f1e6d2"), rgb("cfc4b4"), edge=50)
    for i in range(4):
        colour = pick(pen.rng, (ROSE, TEAL, AMBER, BLUE, PINK, LIME))
        x = 16.0 * i + between(pen.rng, -2, 2)
        pen.box(x + 1, 4, x + 15, 20, rgb("fff2c4"))
        pen.box(x + 1, 2, x + 15, 6.4, colour)
        pen.box(x + 1, 28, x + 15, 50, rgb("cfe6ee"))
        pen.box(x + 1, 26, x + 15, 31, shade(colour, 0.8))
    pen.box(0, 20.6, 64, 22.4, SILVER)
    pen.box(0, 23.6, 64, 24.6, GREY)


def hospital(pen: Pen) -> None:
    """Pale walls with a cross, a curtain and a drip."""
    room(pen, rgb("d4ecee"), rgb("a9c9cd"))
    pen.box(2, 6, 16, 20, WHITE, r=1)
    pen.box(7.4, 8, 10.6, 18, RED)
    pen.box(4, 11.4, 14, 14.6, RED)
    for i in range(5):
        pen.box(44 + 4.2 * i, 3, 47 + 4.2 * i, 46, rgb("8fcac6") if i % 2 else rgb("a5d8d2"))
    pen.box(42, 2, 64, 3.6, GREY)
    pen.line(1.0, GREY, 6, 26, 6, 50)
    pen.box(3, 26, 9, 35, veil(CYAN, 0.9), r=1.4)


def classroom(pen: Pen) -> None:
    """A green board with chalk writing."""
    room(pen, rgb("f0dfb4"), rgb("b98d5c"), edge=50)
    pen.box(1, 4, 63, 34, WOOD)
    pen.box(2.6, 5.6, 61.4, 32.4, rgb("2f6b4f"))
    for y in (10.0, 15.0, 20.0):
        pen.line(1.0, WHITE, 5, y, between(pen.rng, 11, 17), y)
    pen.line(1.2, YELLOW, 48, 12, 58, 12)
    pen.ring(53, 21, 4, 1.0, PINK)
    pen.box(6, 40, 20, 50, DARK_WOOD)


def laboratory(pen: Pen) -> None:
    """Shelves of coloured flasks and a tap."""
    room(pen, rgb("cdd9ea"), rgb("eef2f5"), edge=50)
    for y in (18.0, 36.0):
        pen.box(0, y, 64, y + 1.6, GREY)
        for i in range(9):
            x = 4.0 + 7.2 * i + between(pen.rng, -1, 1)
            colour = pick(pen.rng, (LIME, ROSE, CYAN, AMBER, VIOLET_LIQUID))
            if i % 2:
                pen.box(x - 1.4, y - 10, x + 1.4, y, veil(WHITE, 0.85))
                pen.box(x - 1.4, y - 6, x + 1.4, y, colour)
            else:
                pen.poly(WHITE, x - 1, y - 10, x + 1, y - 10, x + 3.4, y, x - 3.4, y)
                pen.poly(colour, x - 1.8, y - 5, x + 1.8, y - 5, x + 3.4, y, x - 3.4, y)


VIOLET_LIQUID: Colour = rgb("9a6be0")


def library(pen: Pen) -> None:
    """Shelves full of books."""
    shelves(pen, (CRIMSON, NAVY, DARK_GREEN, AMBER, BROWN, TEAL, rgb("8a4a6a")), case=DARK_WOOD)


def kitchen(pen: Pen) -> None:
    """Tiles, hanging pans and a stove."""
    room(pen, rgb("f3ecd8"), rgb("9aa5ac"), edge=50)
    for i in range(9):
        pen.line(0.5, rgb("cfc6ae"), 0, 22 + 4 * i, 64, 22 + 4 * i)
        pen.line(0.5, rgb("cfc6ae"), 8 * i, 20, 8 * i, 50)
    pen.box(0, 7, 64, 9, GREY)
    for x, r, colour in ((6, 5, COAL), (17, 3.6, rgb("b8653a")), (49, 4, STEEL), (59, 5, COAL)):
        pen.line(1.0, colour, x, 8, x, 13)
        pen.disc(x + between(pen.rng, -0.6, 0.6), 13 + r, r, colour)
        pen.disc(x, 13 + r, r * 0.65, shade(colour, 1.25))
    pen.box(0, 44, 18, 64, STEEL)
    pen.oval(9, 44, 7, 1.8, INK)


def restaurant(pen: Pen) -> None:
    """A warm room with lamps and laid tables."""
    room(pen, rgb("a9543f"), rgb("6b3c2c"), edge=46)
    for x in (8.0, 56.0):
        x += between(pen.rng, -2, 2)
        pen.line(0.8, INK, x, 0, x, 8)
        pen.poly(AMBER, x - 5, 14, x - 2, 7, x + 2, 7, x + 5, 14)
        pen.disc(x, 16, 5, veil(YELLOW, 0.5))
    for x in (7.0, 57.0):
        pen.poly(WHITE, x - 10, 41, x + 10, 41, x + 8, 56, x - 8, 56)
        pen.line(0.9, WHITE, x, 40, x, 36)
        pen.pie(x, 32, 2.4, 4, CRIMSON, 0, 180)


def workshop(pen: Pen) -> None:
    """A pegboard with tools over a bench."""
    room(pen, rgb("d9b98a"), rgb("8b5f3a"), edge=47)
    pen.box(1, 4, 63, 36, rgb("c69a62"))
    for x in range(4, 62, 5):
        for y in (8, 15, 22, 29):
            pen.disc(x, y, 0.5, BROWN)
    pen.line(1.9, RED, 6, 30, 6, 14)
    pen.box(3, 10, 11, 14, STEEL)
    pen.line(2.0, BLUE, 14, 28, 14, 18)
    pen.line(1.2, SILVER, 14, 18, 14, 9)
    pen.poly(SILVER, 48, 12, 60, 24, 56, 26, 46, 14)
    pen.box(56, 23, 62, 30, ORANGE, r=1)


def garage(pen: Pen) -> None:
    """A car on a lift, tyres and a shutter."""
    room(pen, rgb("a6b0b8"), rgb("5d646c"), edge=50)
    for i in range(6):
        pen.box(0, 4 + 4 * i, 64, 5 + 4 * i, rgb("8b959d"))
    colour = pick(pen.rng, (RED, BLUE, AMBER, TEAL))
    pen.smooth(colour, -8, 34, -4, 27, 4, 25, 9, 20, 20, 20, 24, 27, 24, 35)
    pen.poly(SKY, 8, 25.4, 11, 21.6, 18, 21.6, 20, 25.4)
    pen.disc(2, 36, 4, INK)
    pen.disc(19, 36, 4, INK)
    for y in (45.0, 38.0, 31.0):
        pen.oval(56, y, 8, 4, INK)
        pen.oval(56, y - 0.6, 3.6, 1.6, GREY)


def home(pen: Pen) -> None:
    """A sofa, an image and a lamp."""
    room(pen, rgb("f2d9b8"), rgb("b98258"), edge=50)
    pen.box(3, 7, 19, 20, BROWN)
    pen.box(4.4, 8.4, 17.6, 18.6, SKY)
    pen.poly(LEAF, 4.4, 18.6, 10, 12, 17.6, 18.6)
    sofa = pick(pen.rng, (TEAL, ROSE, BLUE, AMBER, GREEN))
    pen.box(-4, 32, 68, 54, sofa, r=4)
    pen.box(-6, 38, 8, 56, shade(sofa, 0.8), r=3)
    pen.box(56, 38, 70, 56, shade(sofa, 0.8), r=3)
    pen.line(1.0, BROWN, 55, 20, 55, 34)
    pen.poly(YELLOW, 48, 20, 51, 9, 59, 9, 62, 20)


def courtroom(pen: Pen) -> None:
    """Wood panels, columns and a high bench."""
    room(pen, rgb("9a6b42"), rgb("5b3a24"), edge=46)
    for i in range(5):
        pen.box(2 + 13 * i, 4, 11 + 13 * i, 24, rgb("84572f"))
        pen.box(3.4 + 13 * i, 6, 9.6 + 13 * i, 22, rgb("a8794c"))
    for x in (2.0, 55.0):
        pen.box(x, 0, x + 7, 46, CREAM)
        pen.line(0.8, TAN, x + 2.4, 3, x + 2.4, 44)
        pen.line(0.8, TAN, x + 4.8, 3, x + 4.8, 44)
        pen.box(x - 1.4, 0, x + 8.4, 3, CREAM)
    pen.box(0, 38, 64, 41, rgb("6b4226"))


def stage(pen: Pen) -> None:
    """Red curtains and beams of light."""
    pen.blend(rgb("3a2a5a"), rgb("6a3a7a"))
    for x, lean in ((10.0, 14.0), (54.0, -14.0), (32.0, between(pen.rng, -8, 8))):
        pen.poly(
            veil(rgb("fff0a0"), 0.33), x - 2, 0, x + 2, 0, x + lean + 11, 64, x + lean - 11, 64
        )
    for s in (0, 1):
        for i in range(3):
            x = 4.4 * i
            colour = rgb("b8263a") if i % 2 == 0 else rgb("8a1a30")
            pen.poly(colour, *((x, 0, x + 5, 0, x + 2.6, 64, x - 3, 64) if s == 0 else
                               (64 - x, 0, 59 - x, 0, 61.4 - x, 64, 67 - x, 64)))  # fmt: skip
    pen.box(0, 54, 64, 64, rgb("8a5a34"))


def church(pen: Pen) -> None:
    """Pointed windows of coloured glass, and a cross."""
    room(pen, rgb("e4dccb"), rgb("a88a6a"), edge=50)
    for x in (8.0, 56.0):
        pen.smooth(GREY, x - 7, 38, x - 7, 16, x, 4, x + 7, 16, x + 7, 38)
        pen.smooth(SKY, x - 5.6, 37, x - 5.6, 17, x, 6, x + 5.6, 17, x + 5.6, 37)
        for y, colour in ((15.0, ROSE), (22.0, AMBER), (29.0, BLUE)):
            pen.disc(x, y, 3.2, colour)
    pen.box(30.4, 2, 33.6, 18, GOLD)
    pen.box(26, 6, 38, 9, GOLD)


def synagogue(pen: Pen) -> None:
    """Round windows with a six-pointed star, and a lamp."""
    room(pen, rgb("e4dccb"), rgb("a88a6a"), edge=50)
    for x in (8.0, 56.0):
        pen.box(x - 7, 14, x + 7, 38, GREY)
        pen.pie(x, 14, 7, 9, GREY, 180, 360)
        pen.box(x - 5.6, 14, x + 5.6, 37, SKY)
        pen.pie(x, 14, 5.6, 7.4, SKY, 180, 360)
        pen.poly(BLUE, x, 13, x + 4.6, 21, x - 4.6, 21)
        pen.poly(BLUE, x, 24, x + 4.6, 16, x - 4.6, 16)
        pen.disc(x, 31, 3, AMBER)
    pen.line(1.0, GOLD, 32, 0, 32, 5)
    pen.disc(32, 8, 4, GOLD)
    pen.disc(32, 8, 2.2, YELLOW)


def bank(pen: Pen) -> None:
    """A vault door and counters."""
    room(pen, rgb("cfd8d0"), rgb("6e8a76"))
    pen.disc(10, 20, 12, GREY)
    pen.disc(10, 20, 9.6, SILVER)
    pen.ring(10, 20, 5, 1.6, COAL)
    for a in (0.0, 60.0, 120.0):
        pen.at(10, 20, turn=a).line(1.3, COAL, -6.6, 0, 6.6, 0)
    for i in range(3):
        pen.box(44 + 7 * i, 6, 49 + 7 * i, 40, rgb("e8ecdf"))
    pen.box(42, 4, 64, 7, GOLD)
    pen.box(0, 40, 64, 46, DARK_GREEN)


def shop(pen: Pen) -> None:
    """Shelves of bright goods with price cards."""
    shelves(pen, (RED, YELLOW, BLUE, LIME, ORANGE, PINK, CYAN, WHITE), case=rgb("e6dccb"))


def prison(pen: Pen) -> None:
    """Bars in front of a grey wall."""
    room(pen, rgb("7d8288"), rgb("54585e"), edge=54)
    for i in range(5):
        pen.box(0, 10 * i, 64, 10 * i + 0.7, rgb("62676d"))
    pen.box(22, 3, 42, 13, rgb("b8d4e4"))
    x = between(pen.rng, 0, 4)
    while x < 64:
        pen.box(x, 0, x + 2.4, 56, rgb("2e3136"))
        pen.box(x + 0.4, 0, x + 1.0, 56, rgb("9aa0a8"))
        x += 8.0
    pen.box(0, 24, 64, 26.4, rgb("2e3136"))


def parliament(pen: Pen) -> None:
    """Rows of curved benches and flags."""
    room(pen, rgb("ead9bb"), rgb("8a5a3a"), edge=52)
    for i, colour in enumerate((rgb("a83a3a"), rgb("943030"), rgb("7e2828"))):
        y = 30.0 + 8.0 * i
        pen.smooth(colour, -8, y + 4, 32, y - 6, 72, y + 4, 72, y + 12, 32, y + 3, -8, y + 12)
    for x, colour in ((7.0, BLUE), (57.0, GREEN)):
        pen.line(1.0, GOLD, x, 2, x, 34)
        pen.smooth(colour, x, 3, x + 5, 5, x + 4, 18, x, 20)
        pen.smooth(WHITE, x, 8, x + 4.8, 9, x + 4.4, 13, x, 14)
    pen.pie(32, 8, 14, 8, CREAM, 180, 360)
