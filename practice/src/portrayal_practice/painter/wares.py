"""Things that people at work serve, sell, carry or show, in a box from -10 to 10."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BRASS,
    BROWN,
    COAL,
    CREAM,
    CRIMSON,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LIME,
    MAGENTA,
    NAVY,
    ORANGE,
    PAPER,
    PINK,
    RED,
    ROSE,
    SILVER,
    STEEL,
    TAN,
    TEAL,
    VIOLET,
    WHITE,
    WOOD,
    YELLOW,
    rgb,
    shade,
)


def frying_pan(pen: Pen) -> None:
    """A pan with a fried egg."""
    pen.line(2.4, DARK_WOOD, 2, 4, 10, 10)
    pen.disc(-2, -1, 8.4, INK)
    pen.disc(-2, -1, 6.8, COAL)
    pen.smooth(WHITE, -6, -3, -1, -5.6, 3, -2, 1, 3, -4, 3)
    pen.disc(-1.6, -1, 2.3, AMBER)


def soup_pot(pen: Pen) -> None:
    """A steaming pot with a ladle."""
    pen.line(1.6, WOOD, 4, -1, 8, -10)
    for x in (-5.0, 0.0):
        pen.curve(1.2, WHITE, x, -4, x + 1.4, -6.4, x - 1, -8, x + 0.6, -10)
    pen.box(-9, -2, 8, 9, TEAL, r=2.4)
    pen.oval(-0.5, -2, 8.6, 2.2, rgb("f0a860"))
    pen.box(-10, 0, -8, 3, INK)
    pen.box(7.4, 0, 9.6, 3, INK)


def drinks_tray(pen: Pen) -> None:
    """A small tray with a cup and a can."""
    pen.box(-10, 3, 10, 5.4, STEEL, r=1)
    pen.poly(WHITE, -7, -4, -1, -4, -1.8, 3, -6.2, 3)
    pen.box(-6.8, -3, -1.2, -1, rgb("6b3f22"))
    pen.box(2, -6, 7, 3, RED, r=0.8)
    pen.box(2, -3, 7, -0.6, WHITE)


def shopping_bag(pen: Pen) -> None:
    """A shopping bag with a sale mark."""
    pen.arc(0, -4, 4, 5, (180, 360), width=1.2, colour=INK)
    pen.poly(MAGENTA, -8, -4, 8, -4, 9, 10, -9, 10)
    pen.disc(-3, 1, 2, WHITE)
    pen.disc(3.4, 6, 2, WHITE)
    pen.line(1.4, WHITE, 4, -0.4, -4, 7.6)


def serving_tray(pen: Pen) -> None:
    """A silver tray with a wine glass and a covered dish."""
    pen.oval(0, 4, 10.5, 2.6, STEEL)
    pen.oval(0, 3.4, 9.4, 1.9, WHITE)
    pen.pie(3.4, 3.4, 5.4, 6.4, SILVER, 180, 360)
    pen.disc(3.4, -3.6, 1.1, GOLD)
    pen.line(0.9, WHITE, -5.6, 3.4, -5.6, -1)
    pen.pie(-5.6, -5.6, 3, 5, CRIMSON, 0, 180)
    pen.arc(-5.6, -6, 3, 5, (0, 180), width=0.7, colour=WHITE)


def bread(pen: Pen) -> None:
    """Loaves of bread."""
    crust = rgb("c8843c")
    turned = pen.at(3, -2, turn=28)
    turned.oval(0, 0, 2.8, 11, crust)
    for y in (-6.0, -2.0, 2.0, 6.0):
        turned.line(0.9, CREAM, -1.6, y + 0.8, 1.6, y - 0.8)
    pen.mirror(shade(crust, 0.9), 0, 0, 6, 0, 9, 5, 7.4, 9.6, 0, 10)
    for x in (-4.0, 0.0, 4.0):
        pen.line(1.1, CREAM, x - 1, 6, x + 1, 2.6)


def cocktail(pen: Pen) -> None:
    """A shaker and a cocktail glass."""
    pen.poly(STEEL, -9.4, -3, -2.6, -3, -3.6, 10, -8.4, 10)
    pen.poly(SILVER, -9.4, -3, -2.6, -3, -4.4, -8, -7.6, -8)
    pen.box(-7.2, -10, -4.8, -8, STEEL)
    pen.poly(ORANGE, 0.4, -4, 9.6, -4, 5, 3)
    pen.line(0.9, WHITE, 5, 2, 5, 9)
    pen.line(1.2, WHITE, 2, 9.6, 8, 9.6)
    pen.disc(8.4, -5, 2, LIME)


def salad(pen: Pen) -> None:
    """A bowl of vegetables with an apple."""
    for x, y, r, colour in ((-6, -1, 3.6, LEAF), (-1, -3, 4, GREEN), (5, -1, 3.6, LIME),
                            (2, -3, 2.6, RED), (-4, -3.4, 2.2, ORANGE)):  # fmt: skip
        pen.disc(x, y, r, colour)
    pen.pie(0, 0, 10, 9.6, WHITE, 0, 180)
    pen.box(-10, -0.8, 10, 0.8, SILVER)
    pen.disc(7, -6.4, 3.4, RED)
    pen.line(0.8, BROWN, 7, -9, 7.6, -11)


def bouquet(pen: Pen) -> None:
    """A bunch of flowers in paper."""
    pen.poly(PAPER, -7, 0, 7, 0, 1.6, 11, -1.6, 11)
    pen.poly(LIME, -5, -1, 5, -1, 0, 5)
    for x, y, colour in ((-6, -3, RED), (0, -1, PINK), (6, -3, VIOLET), (-3, -7, YELLOW),
                         (3.4, -7, ROSE), (0, -4.4, WHITE)):  # fmt: skip
        pen.disc(x, y, 3, colour)
        pen.disc(x, y, 1.1, shade(colour, 0.7))


def dog(pen: Pen) -> None:
    """A small dog."""
    fur = rgb("c08a4e")
    pen.mirror(fur, 0, -1, 5, 1, 7, 10, 0, 11)
    pen.mirror(fur, 0, -9, 5, -8, 6.4, -3, 3, 1.6, 0, 2)
    for s in (-1.0, 1.0):
        pen.oval(s * 6, -4, 2.2, 4.6, shade(fur, 0.6), turn=-s * 12)
        pen.disc(s * 2.4, -4.4, 1.0, INK)
    pen.oval(0, -0.6, 3, 2.2, CREAM)
    pen.oval(0, -1.8, 1.5, 1.0, INK)
    pen.oval(0, 7, 3.4, 3.4, CREAM)


def puppet(pen: Pen) -> None:
    """A string puppet under its wooden cross."""
    pen.line(1.8, DARK_WOOD, -8, -10, 8, -10)
    for x in (-7.0, 0.0, 7.0):
        pen.line(0.5, WHITE, x, -10, x * 0.8, 3)
    for s in (-1.0, 1.0):
        pen.line(1.9, BLUE, 0, 1.4, s * 6, 3)
        pen.line(1.9, NAVY, s * 1, 6, s * 3, 11)
    pen.mirror(RED, 0, 0, 3.2, 1, 3.6, 7, 0, 7.4)
    pen.disc(0, -3, 3.4, TAN)
    pen.poly(YELLOW, -3.6, -4, 3.6, -4, 0, -9)
    pen.disc(-1.2, -3, 0.6, INK)
    pen.disc(1.2, -3, 0.6, INK)


def yoga_mat(pen: Pen) -> None:
    """A rolled mat."""
    pen.box(-4, -10, 5, 10, VIOLET, r=2)
    pen.oval(0.5, -9.4, 4.6, 2.2, shade(VIOLET, 0.7))
    pen.oval(0.5, -9.4, 2.4, 1.1, VIOLET)
    pen.box(-4, -4, 5, -2.4, WHITE)
    pen.box(-4, 4, 5, 5.6, WHITE)


def ribbon(pen: Pen) -> None:
    """A dancer's ribbon."""
    pen.line(1.0, WOOD, -2, 9, 2, -1)
    pen.curve(2.2, MAGENTA, 2, -1, 9, -5, 4, -10, -2, -6, -8, -11, -11, -4)


def envelope(pen: Pen) -> None:
    """A letter with a stamp."""
    pen.box(-10, -6, 10, 7, PAPER)
    pen.poly(SILVER, -10, -6, 10, -6, 0, 2.4)
    pen.poly(WHITE, -9.4, -6, 9.4, -6, 0, 1.2)
    pen.box(5, 2.4, 8.6, 6, RED)


def medical_case(pen: Pen) -> None:
    """A first-aid case."""
    pen.arc(0, -6, 4, 3.4, (180, 360), width=1.5, colour=INK)
    pen.box(-10, -6, 10, 9, ORANGE, r=1.6)
    pen.disc(0, 1.4, 5.4, WHITE)
    pen.box(-1.4, -2.4, 1.4, 5.2, RED)
    pen.box(-3.8, 0, 3.8, 2.8, RED)


def cash_register(pen: Pen) -> None:
    """A cash register."""
    pen.box(-4, -10, 8, -4.6, INK, r=0.8)
    pen.box(-3, -9, 7, -6, LIME)
    pen.poly(SILVER, -8, -4.6, 9, -4.6, 10, 4, -9.6, 4)
    for i in range(3):
        for j in range(4):
            colour = RED if j == 3 else WHITE
            pen.box(-6.4 + 3.6 * j, -3.4 + 2.4 * i, -4 + 3.6 * j, -1.8 + 2.4 * i, colour)
    pen.box(-9.8, 4, 10, 10, COAL, r=0.8)
    pen.box(-2, 6, 2, 7.4, GOLD)


def pill_bottle(pen: Pen) -> None:
    """A medicine bottle with pills."""
    pen.box(-6, -5, 4, 10, ORANGE, r=1.4)
    pen.box(-6.6, -10, 4.6, -5, WHITE, r=0.8)
    pen.box(-6, -1, 4, 6, WHITE)
    pen.box(-2, 0, 0, 5, GREEN)
    pen.box(-3.5, 1.5, 1.5, 3.5, GREEN)
    pen.oval(8, 8, 2.8, 1.5, RED, turn=-25)
    pen.oval(7.6, 4, 2.4, 1.4, CYAN, turn=20)


def tooth(pen: Pen) -> None:
    """A large tooth with a toothbrush."""
    pen.line(1.8, CYAN, -10, 9, 6, -9)
    pen.line(3.0, WHITE, 3.4, -6, 7, -10)
    pen.mirror(SILVER, 0, -5.6, 4, -7.6, 8, -5, 7.4, 1, 5.6, 9, 3, 9, 1.6, 3, 0, 2)
    pen.mirror(WHITE, 0, -4.8, 4, -6.8, 7, -4.4, 6.4, 1, 5, 8, 3.6, 8, 2.2, 2, 0, 1)


def model_plane(pen: Pen) -> None:
    """A model airliner."""
    pen.at(0, 0, turn=-22).mirror(BLUE, 0, -4, 4, -2, 10, 5, 9, 6.4, 2, 2, 0, 2)
    turned = pen.at(0, 0, turn=-22)
    turned.mirror(WHITE, 0, -11, 2.2, -7, 2.2, 6, 0, 10)
    turned.poly(RED, 0, 4, 5, 10, -5, 10)
    turned.box(-1.4, -8, 1.4, -6.4, INK)


def moon_flag(pen: Pen) -> None:
    """A flag on a pole."""
    pen.line(1.2, SILVER, -6, 11, -6, -11)
    pen.smooth(BLUE, -5.4, -10.6, 0, -11.4, 4, -9.4, 9.6, -10.4, 9.6, -2.6, 4, -1.6, 0, -3.4,
               -5.4, -2.6)  # fmt: skip
    pen.star(2, -6.4, 3, WHITE)


def contract(pen: Pen) -> None:
    """A document with a wax seal."""
    pen.poly(PAPER, -7, -9, 6, -10, 8, 8, -6, 9)
    for i in range(5):
        pen.line(0.8, GREY, -4, -6 + 2.6 * i, 4.6, -6.6 + 2.6 * i)
    pen.star(3.4, 5.6, 3.6, CRIMSON, points=9, inner=0.8)
    pen.disc(3.4, 5.6, 1.6, shade(CRIMSON, 1.3))


def thread_spool(pen: Pen) -> None:
    """A spool of thread with a needle."""
    pen.box(-7, -8, 4, -5.4, WOOD, r=0.8)
    pen.box(-7, 6, 4, 8.6, WOOD, r=0.8)
    pen.box(-5.6, -5.4, 2.6, 6, CRIMSON)
    for y in (-3.4, -0.6, 2.2, 5.0):
        pen.line(0.7, shade(CRIMSON, 1.3), -5.6, y, 2.6, y - 1)
    pen.line(1.0, SILVER, 8, -10, 6.4, 9)
    pen.curve(0.7, CRIMSON, 2, 5, 5, 9, 8.6, 2, 7.8, -8)


def key_ring(pen: Pen) -> None:
    """A large ring with keys."""
    pen.ring(0, -5, 4.6, 1.5, GOLD)
    for x, colour in ((-5.0, BRASS), (0.0, GOLD), (5.0, SILVER)):
        pen.line(1.8, colour, x * 0.4, -0.6, x, 8.6)
        pen.box(x, 5, x + 3, 6.6, colour)
        pen.box(x, 8, x + 3, 9.4, colour)


def medical_clipboard(pen: Pen) -> None:
    """A clipboard with a red cross."""
    pen.box(-7, -9, 7, 10, WOOD, r=1)
    pen.box(-5.8, -7, 5.8, 9, WHITE)
    pen.box(-3, -10, 3, -7, STEEL, r=0.8)
    pen.box(-1.3, -5, 1.3, 2.4, RED)
    pen.box(-3.7, -2.6, 3.7, 0.0, RED)
    pen.box(-4, 4.4, 4, 5.4, GREY)
    pen.box(-4, 6.8, 3, 7.8, GREY)
