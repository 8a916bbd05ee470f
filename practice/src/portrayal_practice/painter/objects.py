"""Plain objects, and buildings and books of two religions, in a box from -20 to 20."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    BLUE,
    BROWN,
    CLOTH,
    CREAM,
    DARK_WOOD,
    GOLD,
    GREY,
    INK,
    LEAF,
    ORANGE,
    PAPER,
    PURPLE,
    RED,
    SILVER,
    SKY,
    WHITE,
    WOOD,
    YELLOW,
    Colour,
    jitter,
    pick,
    rgb,
    shade,
)

_STONE = rgb("f0e4c8")


def _any(pen: Pen) -> Colour:
    return jitter(pen.rng, pick(pen.rng, CLOTH[:19]), 16)


def _star_of_david(pen: Pen, x: float, y: float, r: float, colour: Colour) -> None:
    w, h = r * 0.87, r * 0.5
    pen.poly(colour, x, y - r, x + w, y + h, x - w, y + h)
    pen.poly(colour, x, y + r, x + w, y - h, x - w, y - h)


def synagogue(pen: Pen) -> None:
    """A bright stone building with a dome and a six-pointed star."""
    stone = jitter(pen.rng, _STONE, 10)
    for s in (-1.0, 1.0):
        pen.box(s * 14 - 5, -6, s * 14 + 5, 20, shade(stone, 0.92))
        pen.pie(s * 14, -6, 5, 5, rgb("4a8ac8"), 180, 360)
        pen.box(s * 14 - 1.9, 2, s * 14 + 1.9, 10, SKY)
        pen.pie(s * 14, 2, 1.9, 2.4, SKY, 180, 360)
    pen.box(-10, -4, 10, 20, stone)
    pen.pie(0, -4, 10, 11, rgb("4a8ac8"), 180, 360)
    pen.line(1.0, GOLD, 0, -15, 0, -18)
    _star_of_david(pen, 0, -19, 2.8, GOLD)
    pen.disc(0, 2, 4.6, WHITE)
    _star_of_david(pen, 0, 2, 3.6, BLUE)
    pen.box(-3.4, 11, 3.4, 20, BROWN)
    pen.pie(0, 11, 3.4, 3.4, BROWN, 180, 360)


def church(pen: Pen) -> None:
    """A bright stone building with a tower and a cross."""
    stone = jitter(pen.rng, _STONE, 10)
    for s in (-1.0, 1.0):
        pen.box(s * 13 - 6, 0, s * 13 + 6, 20, shade(stone, 0.92))
        pen.poly(rgb("b8543c"), s * 19.6, 1, s * 7, 1, s * 7, -7)
        pen.box(s * 13 - 1.9, 6, s * 13 + 1.9, 13, SKY)
        pen.pie(s * 13, 6, 1.9, 3, SKY, 180, 360)
    pen.box(-8, -6, 8, 20, stone)
    pen.poly(rgb("b8543c"), -10, -5, 0, -16, 10, -5)
    pen.box(-0.9, -22, 0.9, -14, GOLD)
    pen.box(-3, -20, 3, -18.2, GOLD)
    pen.disc(0, 2, 4.6, WHITE)
    pen.disc(0, 2, 3.4, rgb("d8546a"))
    pen.box(-0.6, -2, 0.6, 6, WHITE)
    pen.box(-4, 1.4, 4, 2.6, WHITE)
    pen.box(-3.4, 11, 3.4, 20, BROWN)
    pen.pie(0, 11, 3.4, 3.4, BROWN, 180, 360)


def torah(pen: Pen) -> None:
    """An open scroll on two wooden rollers with golden crowns."""
    for s in (-1.0, 1.0):
        pen.box(s * 15 - 3, -14, s * 15 + 3, 15, rgb("e2d0a4"), r=1.4)
        pen.line(2.2, DARK_WOOD, s * 15, -19, s * 15, 19)
        pen.box(s * 15 - 3.6, -15, s * 15 + 3.6, -13, GOLD)
        pen.box(s * 15 - 3.6, 14, s * 15 + 3.6, 16, GOLD)
        pen.disc(s * 15, -19, 2.2, GOLD)
    pen.box(-13, -13, 13, 14, jitter(pen.rng, rgb("f8eed2"), 8))
    for col in (-6.4, 6.4):
        for i in range(8):
            pen.box(col - 4.6, -10.4 + 2.9 * i, col + 4.6, -9.2 + 2.9 * i, rgb("5a4a3a"))


def bible(pen: Pen) -> None:
    """An open book on a ribbon, with a golden cross."""
    pen.smooth(jitter(pen.rng, rgb("6a2a34"), 10), -20, -11, 0, -8, 20, -11, 20, 14, 0, 17, -20, 14)
    for s in (-1.0, 1.0):
        pen.smooth(rgb("f8eed2"), 0, -9, s * 9, -13, s * 18, -11, s * 18, 11, s * 9, 10, 0, 14)
    for i in range(6):
        pen.box(-15.6, -7.6 + 2.9 * i, -3.4, -6.4 + 2.9 * i, rgb("5a4a3a"))
    pen.box(8.4, -8, 11, 8, GOLD)
    pen.box(4.4, -4, 15, -1.4, GOLD)
    pen.box(-1, 8, 1.4, 20, RED)


def chair(pen: Pen) -> None:
    """A wooden chair with a cushion."""
    wood = jitter(pen.rng, WOOD, 24)
    pen.line(2.6, wood, -10, 20, -10, -20)
    pen.line(2.6, wood, 9, 19, 9, 4)
    pen.line(2.2, shade(wood, 0.75), -3, 17, -3, 4)
    pen.line(2.2, shade(wood, 0.75), 14, 16, 14, 2)
    for y in (-17.0, -11.0, -5.0):
        pen.line(2.2, wood, -10, y, -3, y - 2)
    pen.line(2.4, shade(wood, 0.85), -3, -21, -3, 2)
    pen.poly(_any(pen), -12, 5, -4, 0, 16, 0, 11, 6)


def table(pen: Pen) -> None:
    """A table with four legs and a cloth."""
    wood = jitter(pen.rng, WOOD, 24)
    for x, y in ((-16.0, 18.0), (15.0, 18.0), (-10.0, 12.0), (10.0, 12.0)):
        pen.line(2.8, shade(wood, 0.8), x, -4, x, y)
    pen.poly(wood, -20, -2, -13, -10, 13, -10, 20, -2)
    pen.box(-20, -2, 20, 2, shade(wood, 0.72))
    pen.poly(_any(pen), -7, -2, -5, -10, 5, -10, 7, -2)


def cup(pen: Pen) -> None:
    """A cup on a saucer, steaming."""
    colour = _any(pen)
    pen.oval(0, 16, 18, 4, WHITE)
    pen.oval(0, 15.4, 12, 2.4, SILVER)
    pen.ring(13, 2, 5, 2.6, colour)
    pen.mirror(colour, 0, -6, 13, -6, 12, 8, 7, 15, 0, 15.6)
    pen.oval(0, -6, 13, 3.4, shade(colour, 0.7))
    pen.oval(0, -5.6, 11, 2.4, rgb("6b4024"))
    for x in (-5.0, 1.0, 6.0):
        pen.curve(1.3, WHITE, x, -9, x + 2, -13, x - 1.4, -16, x + 1, -20)


def car(pen: Pen) -> None:
    """A car from the side."""
    colour = _any(pen)
    pen.smooth(colour, -20, 10, -20, 1, -12, -1, -7, -10, 6, -10, 12, -1, 20, 2, 20, 10)
    pen.poly(SKY, -9, -1, -5.4, -8, -0.6, -8, -0.6, -1)
    pen.poly(SKY, 1, -1, 1, -8, 5.4, -8, 9.4, -1)
    for x in (-11.0, 11.0):
        pen.disc(x, 10, 5.4, INK)
        pen.disc(x, 10, 2.6, SILVER)
    pen.disc(19, 4, 1.5, YELLOW)
    pen.line(0.9, shade(colour, 0.65), 0, 0, 0, 8)


def lamp(pen: Pen) -> None:
    """A table lamp that shines."""
    pen.disc(0, -6, 19, (*YELLOW[:3], 70))
    pen.line(2.4, GOLD, 0, -2, 0, 16)
    pen.oval(0, 17, 9, 2.8, shade(GOLD, 0.8))
    pen.poly(_any(pen), -7, -18, 7, -18, 14, -1, -14, -1)
    pen.oval(0, -1, 14, 2, rgb("fff2b0"))


def bicycle(pen: Pen) -> None:
    """A bicycle from the side."""
    colour = _any(pen)
    for x in (-11.6, 11.6):
        pen.ring(x, 8, 8, 1.7, INK)
        for a in (0.0, 45.0, 90.0, 135.0):
            pen.at(x, 8, turn=a).line(0.4, GREY, -7.4, 0, 7.4, 0)
    pen.line(1.9, colour, -11.6, 8, -5, -6, 7.6, -6, 0, 8, -11.6, 8)
    pen.line(1.9, colour, -5, -6, 0, 8)
    pen.line(1.9, colour, 11.6, 8, 6.6, -11)
    pen.line(1.7, INK, 6.6, -11, 11, -13)
    pen.line(2.6, INK, -8.4, -9, -2, -9)
    pen.line(1.3, colour, -5, -6, -5.4, -9)
    pen.disc(0, 8, 2, GREY)


def clock(pen: Pen) -> None:
    """A round clock."""
    pen.disc(0, 0, 19, _any(pen))
    pen.disc(0, 0, 16, WHITE)
    for i in range(12):
        pen.at(0, 0, turn=30.0 * i).line(1.4, INK, 0, -14.4, 0, -12)
    pen.at(0, 0, turn=float(pen.rng.random()) * 360).line(2.0, INK, 0, 1, 0, -8)
    pen.at(0, 0, turn=float(pen.rng.random()) * 360).line(1.5, INK, 0, 2, 0, -12)
    pen.disc(0, 0, 1.8, RED)


def fruit_bowl(pen: Pen) -> None:
    """A bowl with apples, grapes, an orange and a banana."""
    pen.disc(-9, -2, 6.4, RED)
    pen.line(1.0, BROWN, -9, -8, -8, -11)
    pen.disc(9, -2, 6.4, ORANGE)
    pen.disc(0, -6, 6.4, LEAF)
    pen.curve(4.0, YELLOW, -13, -8, -4, -16, 8, -14, 13, -7, end=1.6)
    for x, y in ((2, -2), (5, 1), (0, 1), (-3, 0), (3, 3)):
        pen.disc(x, y, 2.3, PURPLE)
    pen.pie(0, 2, 18, 15, _any(pen), 0, 180)
    pen.box(-18, 1, 18, 3, SILVER)
    pen.box(-6, 16, 6, 19, GREY, r=1)


def vase(pen: Pen) -> None:
    """A bellied empty vase with a band of pattern."""
    colour = _any(pen)
    pen.mirror(colour, 0, -19, 5, -19, 4, -12, 8, -6, 13, 3, 10, 15, 6, 20, 0, 20)
    pen.oval(0, -18.6, 6, 1.8, shade(colour, 0.6))
    pen.curve(1.9, shade(colour, 1.5), -11.4, 2, 0, 4.6, 11.4, 2)
    for x in (-7.0, 0.0, 7.0):
        pen.disc(x, 9.4, 2, shade(colour, 1.5))
    pen.curve(1.4, shade(colour, 1.6), -7, -4, -10, 4, -8, 12)


def book(pen: Pen) -> None:
    """A closed book standing aslant."""
    colour = _any(pen)
    local = pen.at(0, 0, turn=-12)
    local.poly(shade(colour, 0.6), -14, -16, -10, -19, -10, 15, -14, 18)
    local.poly(PAPER, -12, 16, 11, 16, 14, 13, -10, 13)
    local.box(-11, -19, 13, 15, colour, r=0.8)
    local.poly(CREAM, 13, -18, 14.6, -16, 14.6, 14, 13, 15)
    local.box(-6, -13, 8, -10, CREAM)
    local.box(-3, -7.4, 5, -6, CREAM)
    local.ring(1, 4, 5, 1.3, CREAM)


OBJECT_PAINTERS: dict[str, Prop] = {
    "synagogue": synagogue, "torah": torah, "church": church, "bible": bible, "chair": chair,
    "table": table, "cup": cup, "car": car, "lamp": lamp, "bicycle": bicycle, "clock": clock,
    "fruit bowl": fruit_bowl, "vase": vase, "book": book,
}  # fmt: skip
