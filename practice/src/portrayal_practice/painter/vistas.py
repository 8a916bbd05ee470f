"""Backgrounds of journeys, emergencies, public life and feasts, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.grounds import plain
from portrayal_practice.painter.landscapes import street
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BRICK,
    COAL,
    CREAM,
    CRIMSON,
    CYAN,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LIME,
    ORANGE,
    PAPER,
    RED,
    ROSE,
    SILVER,
    TEAL,
    WHITE,
    WOOD,
    YELLOW,
    between,
    jitter,
    pick,
    rgb,
    shade,
    veil,
)


def space(pen: Pen) -> None:
    """Stars, a planet and the moon's ground."""
    pen.blend(rgb("141a44"), rgb("2b2a66"))
    for _ in range(16):
        pen.disc(
            between(pen.rng, 0, 64), between(pen.rng, 0, 48), between(pen.rng, 0.4, 0.9), WHITE
        )
    x = pick(pen.rng, (9.0, 55.0))
    pen.disc(x, 13, 8, rgb("3f8ad0"))
    pen.smooth(LEAF, x - 6, 10, x, 7, x + 3, 11, x - 2, 14)
    pen.smooth(rgb("b8b8c4"), -8, 56, 16, 51, 40, 54, 72, 50, 72, 70, -8, 70)


def night_sky(pen: Pen) -> None:
    """A night with moon and stars over hills."""
    pen.blend(rgb("26305e"), rgb("5a4a86"))
    x = pick(pen.rng, (10.0, 54.0))
    pen.disc(x, 11, 6, rgb("fff0b8"))
    pen.disc(x + 2.6, 9.6, 5, rgb("2c3566"))
    for _ in range(10):
        pen.star(between(pen.rng, 0, 64), between(pen.rng, 0, 36), 1.3, rgb("fff6cc"), points=4)
    pen.smooth(rgb("2a3a52"), -8, 50, 14, 40, 34, 46, 72, 38, 72, 70, -8, 70)


def cockpit(pen: Pen) -> None:
    """Sky through the front windows over a panel of dials."""
    pen.blend(rgb("69b4ec"), rgb("cfeafa"))
    for x in (8.0, 50.0):
        pen.disc(x + between(pen.rng, -3, 3), 16, 5, veil(WHITE, 0.85))
        pen.disc(x + 6, 18, 4, veil(WHITE, 0.85))
    pen.box(0, 0, 64, 4, COAL)
    pen.poly(COAL, 30, 0, 34, 0, 37, 32, 27, 32)
    pen.box(0, 31, 64, 64, rgb("3c434e"))
    for i in range(9):
        x = 4 + 7 * i
        pen.disc(x, 37, 2.6, INK)
        pen.disc(x, 37, 1.8, pick(pen.rng, (LIME, AMBER, CYAN, WHITE)))
        pen.disc(x, 45, 2.6, INK)
        pen.disc(x, 45, 1.6, pick(pen.rng, (LIME, AMBER, CYAN, RED)))


def cabin(pen: Pen) -> None:
    """The rounded windows and seats of an aircraft cabin."""
    plain(pen, "e2e4ec")
    for x in (6.0, 20.0, 44.0, 58.0):
        pen.box(x - 4.6, 12, x + 4.6, 27, SILVER, r=4)
        pen.box(x - 3.4, 13.4, x + 3.4, 25.6, rgb("7cc4f0"), r=3)
    pen.box(0, 2, 64, 7, rgb("c2c8d4"))
    for x in (-2.0, 50.0):
        pen.box(x, 36, x + 16, 64, rgb("4a68a8"), r=4)
        pen.box(x + 2, 37, x + 14, 42, WHITE, r=1.4)


def fire(pen: Pen) -> None:
    """Flames and smoke behind a wall."""
    pen.blend(rgb("4a3038"), rgb("c8502c"))
    for x in (2.0, 13.0, 50.0, 62.0):
        x += between(pen.rng, -2, 2)
        pen.smooth(ORANGE, x - 9, 52, x - 7, 34, x - 2, 24, x, 10, x + 5, 26, x + 8, 36, x + 9, 52)
        pen.smooth(YELLOW, x - 5, 52, x - 3, 38, x, 26, x + 4, 38, x + 5, 52)
    pen.box(0, 50, 64, 64, rgb("5a3a34"))


def ambulance(pen: Pen) -> None:
    """An ambulance with blue lights in a street."""
    pen.blend(rgb("a8cce4"), rgb("e2ecf0"))
    pen.box(-2, 12, 66, 52, WHITE)
    pen.box(-2, 30, 66, 37, rgb("f08020"))
    pen.box(4, 16, 20, 27, rgb("6a9ab8"))
    pen.box(46, 16, 62, 27, rgb("6a9ab8"))
    pen.box(6, 7, 16, 12, BLUE, r=2)
    pen.box(48, 7, 58, 12, BLUE, r=2)
    pen.disc(11, 9, 7, veil(CYAN, 0.4))
    pen.box(0, 52, 64, 64, rgb("7a7e86"))


def patrol(pen: Pen) -> None:
    """A street at dusk with red and blue lights."""
    street(pen)
    pen.box(0, 0, 64, 50, veil(NIGHT, 0.35))
    pen.smooth(rgb("20304e"), -6, 52, -4, 42, 6, 40, 10, 34, 54, 34, 58, 40, 68, 42, 70, 52)
    pen.box(20, 29, 32, 34, RED, r=1.4)
    pen.box(32, 29, 44, 34, BLUE, r=1.4)
    for x, colour in ((8.0, RED), (56.0, BLUE)):
        pen.disc(x, 16, 11, veil(colour, 0.45))
        pen.disc(x, 16, 5, veil(colour, 0.6))


NIGHT = rgb("1e2850")


def post_street(pen: Pen) -> None:
    """Houses with a red letter box."""
    street(pen)
    x = pick(pen.rng, (9.0, 55.0))
    pen.box(x - 6, 22, x + 6, 56, RED, r=1)
    pen.pie(x, 22, 6, 6, RED, 180, 360)
    pen.box(x - 4, 27, x + 4, 29, INK)
    pen.box(x - 3, 33, x + 3, 40, WHITE)


def desert_camp(pen: Pen) -> None:
    """Sand hills and a tent."""
    pen.blend(rgb("cfe0dc"), rgb("f0e0b0"))
    pen.smooth(rgb("d8bc80"), -8, 38, 14, 30, 34, 36, 72, 28, 72, 70, -8, 70)
    pen.smooth(rgb("c4a468"), -8, 50, 24, 42, 72, 48, 72, 70, -8, 70)
    x = pick(pen.rng, (10.0, 54.0))
    pen.poly(rgb("77805a"), x - 11, 44, x, 22, x + 11, 44)
    pen.poly(rgb("4a5238"), x - 3, 44, x, 28, x + 3, 44)


def flags(pen: Pen) -> None:
    """A blue hall with flags on both sides."""
    plain(pen, "34508e")
    pen.poly(rgb("46639f"), 22, 0, 42, 0, 46, 64, 18, 64)
    for x in (3.0, 12.0, 50.0, 59.0):
        pen.line(1.2, GOLD, x, 3, x, 60)
        lean = between(pen.rng, 0, 1.6)
        pen.smooth(RED, x, 4, x + 7, 7, x + 6 + lean, 30, x + 1, 34)
        pen.smooth(WHITE, x, 13, x + 6.6, 15, x + 6.4, 21, x, 22)


def dome(pen: Pen) -> None:
    """A white dome with columns."""
    pen.blend(rgb("8fc0e6"), rgb("dcecf6"))
    pen.pie(32, 26, 26, 24, WHITE, 180, 360)
    for a in (-16.0, -8.0, 8.0, 16.0):
        pen.curve(0.8, SILVER, 32, 2, 32 + a, 10, 32 + a * 1.3, 26)
    pen.box(4, 25, 60, 29, PAPER)
    for i in range(8):
        x = 4 + 7.4 * i
        pen.box(x, 29, x + 4, 52, WHITE)
        pen.box(x + 2.8, 29, x + 4, 52, SILVER)
    pen.box(0, 52, 64, 64, SILVER)


def rally(pen: Pen) -> None:
    """A crowd with signs and bunting."""
    pen.blend(rgb("9ad0f0"), rgb("eaf4f8"))
    for i, colour in enumerate((RED, WHITE, BLUE, RED, WHITE, BLUE, RED, WHITE)):
        pen.poly(colour, 8 * i, 0, 8 * i + 8, 0, 8 * i + 4, 7)
    for x, colour in ((8.0, RED), (22.0, BLUE), (44.0, AMBER), (56.0, GREEN)):
        y = between(pen.rng, 12, 22)
        pen.line(1.1, WOOD, x, y, x, 50)
        pen.box(x - 6, y - 5, x + 6, y + 4, colour)
        pen.box(x - 4, y - 1, x + 4, y, WHITE)
    for i in range(9):
        x = 4 + 7.4 * i
        pen.disc(x, 42 + 3 * (i % 2), 3.4, pick(pen.rng, (rgb("c49a74"), rgb("7c573f"))))
        pen.pie(x, 52, 5, 7, pick(pen.rng, (TEAL, CRIMSON, GREY, AMBER)), 180, 360)


def town_hall(pen: Pen) -> None:
    """A brick town hall with a clock tower."""
    pen.blend(rgb("96c8ec"), rgb("e6f0f4"))
    x = pick(pen.rng, (12.0, 52.0))
    pen.box(0, 28, 64, 56, BRICK)
    for i in range(7):
        pen.box(2 + 9 * i, 32, 7 + 9 * i, 42, CREAM)
    pen.box(x - 7, 10, x + 7, 56, rgb("9a4a36"))
    pen.poly(TEAL, x - 9, 10, x, -2, x + 9, 10)
    pen.disc(x, 18, 5, WHITE)
    pen.line(0.9, INK, x, 18, x, 14.6)
    pen.line(0.9, INK, x, 18, x + 2.6, 18)
    pen.box(0, 54, 64, 64, LEAF)


def sunrise(pen: Pen) -> None:
    """A rising sun over a calm lake."""
    pen.blend(rgb("f7b5a0"), rgb("fde6b8"))
    pen.disc(32 + between(pen.rng, -4, 4), 30, 20, rgb("fbd66a"))
    pen.smooth(rgb("9a86b8"), -8, 42, 10, 30, 26, 40, 46, 31, 72, 42, 72, 50, -8, 50)
    pen.box(0, 43, 64, 64, rgb("86b8c8"))


def bus(pen: Pen) -> None:
    """The inside of a bus with a large windscreen."""
    plain(pen, "6a7280")
    pen.box(2, 5, 62, 34, rgb("a8d8f0"))
    pen.poly(rgb("7a8088"), 24, 34, 30, 18, 34, 18, 40, 34)
    pen.box(2, 26, 24, 34, LEAF)
    pen.box(40, 26, 62, 34, LEAF)
    pen.box(31, 4, 33, 20, COAL)
    pen.box(46, 0, 60, 6, INK, r=1)
    pen.box(0, 38, 64, 42, AMBER)


def wedding_arch(pen: Pen) -> None:
    """An arch of flowers."""
    colour = jitter(
        pen.rng, pick(pen.rng, (rgb("f6e4e0"), rgb("dff0f4"), rgb("f8efd2"), rgb("e8e0f4")))
    )
    pen.blend(shade(colour, 1.3), shade(colour, 0.9))
    bloom = pick(pen.rng, ((ROSE, WHITE), (AMBER, WHITE), (RED, GOLD), (rgb("b48ae0"), WHITE)))
    for i in range(15):
        t = i / 14.0
        x = 4.0 + 56.0 * t
        y = 44.0 - 168.0 * t * (1.0 - t) + 4
        pen.disc(x, y, 4.2, LEAF)
        pen.disc(x + between(pen.rng, -1, 1), y - 1, 2.9, bloom[i % 2])
    for y in (48.0, 55.0, 62.0):
        for x in (4.0, 60.0):
            pen.disc(x, y, 4, LEAF)
            pen.disc(x, y, 2.6, bloom[int(y) % 2])
