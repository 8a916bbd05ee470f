"""Signs for words of career and family life, in a box from -10 to 10."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BRASS,
    BROWN,
    COAL,
    CRIMSON,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LIME,
    NAVY,
    PINK,
    PURPLE,
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
    rgb,
)


def nameplate(pen: Pen) -> None:
    """A desk with a name plate and a leather chair."""
    pen.box(-6, -10, 6, 3, rgb("4a2a22"), r=2.4)
    for x, y in ((-2.4, -6), (2.4, -6), (-2.4, -2), (2.4, -2)):
        pen.disc(x, y, 0.7, rgb("2a1612"))
    pen.box(-11, 2, 11, 11, DARK_WOOD)
    pen.box(-5, 4, 5, 7.4, GOLD)
    pen.box(-3.4, 5.2, 3.4, 6.2, INK)


def org_chart(pen: Pen) -> None:
    """Boxes joined by lines."""
    pen.line(1.0, INK, 0, -6, 0, 0)
    pen.line(1.0, INK, -7, 5, -7, 0, 7, 0, 7, 5)
    pen.line(1.0, INK, 0, 0, 0, 5)
    pen.box(-4, -10, 4, -4, RED, r=0.8)
    for x, colour in ((-7, BLUE), (0, TEAL), (7, AMBER)):
        pen.box(x - 2.9, 3.4, x + 2.9, 9, colour, r=0.8)


def id_badge(pen: Pen) -> None:
    """A badge on a ribbon."""
    pen.line(1.4, BLUE, -5, -11, 0, -5)
    pen.line(1.4, BLUE, 5, -11, 0, -5)
    pen.box(-7, -5, 7, 10, WHITE, r=1.2)
    pen.box(-7, -5, 7, -2, BLUE)
    pen.disc(0, 1, 2.2, TAN)
    pen.pie(0, 6, 3.6, 3, COAL, 180, 360)
    pen.box(-4, 7.4, 4, 8.4, GREY)


def tower(pen: Pen) -> None:
    """Office towers."""
    for x0, x1, y, colour in ((-10, -4, -2, STEEL), (4, 10, -4, BLUE), (-4, 4, -10, NAVY)):
        pen.box(x0, y, x1, 11, colour)
        for i in range(5):
            for x in (x0 + 1.2, (x0 + x1) / 2 + 0.5):
                if y + 2 + 2.6 * i < 10:
                    pen.box(x, y + 1.4 + 2.6 * i, x + 1.5, y + 2.8 + 2.6 * i, YELLOW)


def monitor(pen: Pen) -> None:
    """A desk with a screen and a lamp."""
    pen.box(-11, 6, 11, 8.4, WOOD)
    pen.box(-7, -7, 6, 3, INK, r=0.8)
    pen.box(-6, -6, 5, 2, SKY)
    pen.box(-2, 3, 1, 6, GREY)
    pen.line(1.0, RED, 9, 6, 9, -4, 6, -8)
    pen.poly(RED, 3.4, -7, 7, -10.6, 8.4, -7)


def career_ladder(pen: Pen) -> None:
    """Steps that rise to a flag."""
    for i, colour in enumerate((SKY, CYAN, BLUE, NAVY)):
        pen.box(-10 + 5 * i, 6 - 4 * i, -5 + 5 * i, 11, colour)
    pen.line(1.0, INK, 7.4, -6, 7.4, -13)
    pen.poly(RED, 7.4, -13, 2, -11, 7.4, -9)
    pen.line(1.5, AMBER, -9, 1, 1, -7)
    pen.poly(AMBER, 2.6, -8.4, -1, -7.6, 1.4, -5)


def _figure(pen: Pen, x: float, y: float, size: float, shirt: Colour) -> None:
    skin = (TAN, rgb("8a5c40"), rgb("e8cca8"), rgb("5e4032"))[int(pen.rng.random() * 4)]
    small = pen.at(x, y, scale=size)
    small.mirror(shirt, 0, 2, 3, 2.6, 3.8, 9, 0, 9)
    small.disc(0, -0.6, 2.9, skin)
    small.pie(0, -1.2, 3.1, 2.7, COAL, 180, 360)


def _frame(pen: Pen) -> None:
    pen.box(-11, -10, 11, 10, BRASS, r=0.8)
    pen.box(-9.6, -8.6, 9.6, 8.6, rgb("e8f0ea"))


def parents(pen: Pen) -> None:
    """A framed picture of two grown-ups with a baby."""
    _frame(pen)
    _figure(pen, -4.4, -1.6, 1.1, BLUE)
    _figure(pen, 4.4, -1.6, 1.1, CRIMSON)
    _figure(pen, 0, 4, 0.5, YELLOW)


def children(pen: Pen) -> None:
    """Two children with balloons."""
    for x, colour in ((-8, RED), (8, BLUE)):
        pen.line(0.5, INK, x, -4, x * 0.6, 6)
        pen.oval(x, -8, 2.9, 3.6, colour)
    _figure(pen, -4, 3, 0.95, AMBER)
    _figure(pen, 4, 3, 0.95, TEAL)


def family(pen: Pen) -> None:
    """A framed picture of four, with a heart."""
    _frame(pen)
    for x, y, size, colour in ((-6, 0, 0.85, TEAL), (0, 0, 0.85, PURPLE), (5, 3, 0.6, AMBER),
                               (-3, 4, 0.55, RED)):  # fmt: skip
        _figure(pen, x, y, size, colour)
    pen.heart(6, -5, 2.6, RED)


def cousins(pen: Pen) -> None:
    """Three of about the same age, side by side in the same shirts."""
    for x in (-7.4, 0.0, 7.4):
        _figure(pen, x, -2, 1.0, GREEN)
    pen.box(-11, 6.6, 11, 9, LIME)


def rings(pen: Pen) -> None:
    """Two linked rings."""
    pen.ring(-3.6, 2, 6, 2.0, GOLD)
    pen.ring(4, 2, 6, 2.0, SILVER)
    pen.poly(CYAN, 4, -9.4, 7, -7, 4, -3.4, 1, -7)
    pen.heart(-5, -7.4, 2.6, ROSE)


def wedding_cake(pen: Pen) -> None:
    """A cake of three tiers with hearts."""
    for w, y in ((10.0, 4.0), (7.0, -2.0), (4.4, -8.0)):
        pen.box(-w, y, w, y + 6, WHITE, r=0.8)
        pen.box(-w, y + 4.6, w, y + 6, PINK)
    for x, y in ((-5, 6.6), (0, 6.6), (5, 6.6), (-2.6, 0.6), (2.6, 0.6)):
        pen.disc(x, y, 1.1, ROSE)
    pen.heart(0, -10.4, 2, RED)


def family_tree(pen: Pen) -> None:
    """A tree with portraits."""
    pen.poly(BROWN, -1.8, 11, 1.8, 11, 1, 0, -1, 0)
    pen.smooth(LEAF, -10, 0, -6, -9, 0, -11, 6, -9, 10, 0, 4, 5, -4, 5)
    for x, y in ((0, -7), (-5, -2), (5, -2), (-1.8, 2), (2.6, 2)):
        pen.disc(x, y, 2.1, WHITE)
        pen.disc(x, y, 1.4, TAN if x >= 0 else rgb("8a5c40"))
