"""Tools of trades, each in a box from -10 to 10 around its grip."""

from __future__ import annotations

from collections.abc import Callable

from portrayal.practice.painter.canvas import Pen
from portrayal.practice.painter.palette import (
    AMBER,
    BLACK,
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
    PURPLE,
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
    veil,
)

Prop = Callable[[Pen], None]


def cleaver(pen: Pen) -> None:
    """A meat cleaver beside a steak."""
    pen.line(2.6, BROWN, 0, 9, 0, 0)
    pen.box(-2, -10, 7, 0.6, STEEL, r=1)
    pen.box(5.4, -9.6, 7, 0.2, WHITE)
    pen.disc(4.6, -7.4, 1.0, COAL)
    pen.smooth(rgb("c84858"), -10, 2, -5, -1, -1, 3, -3, 8, -9, 8)
    pen.smooth(rgb("f2c8c0"), -8, 3.4, -6, 2, -5, 4, -7, 5)


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


def tooth(pen: Pen) -> None:
    """A large tooth with a toothbrush."""
    pen.line(1.8, CYAN, -10, 9, 6, -9)
    pen.line(3.0, WHITE, 3.4, -6, 7, -10)
    pen.mirror(SILVER, 0, -5.6, 4, -7.6, 8, -5, 7.4, 1, 5.6, 9, 3, 9, 1.6, 3, 0, 2)
    pen.mirror(WHITE, 0, -4.8, 4, -6.8, 7, -4.4, 6.4, 1, 5, 8, 3.6, 8, 2.2, 2, 0, 1)


def medical_clipboard(pen: Pen) -> None:
    """A clipboard with a red cross."""
    pen.box(-7, -9, 7, 10, WOOD, r=1)
    pen.box(-5.8, -7, 5.8, 9, WHITE)
    pen.box(-3, -10, 3, -7, STEEL, r=0.8)
    pen.box(-1.3, -5, 1.3, 2.4, RED)
    pen.box(-3.7, -2.6, 3.7, 0.0, RED)
    pen.box(-4, 4.4, 4, 5.4, GREY)
    pen.box(-4, 6.8, 3, 7.8, GREY)


def drinks_tray(pen: Pen) -> None:
    """A small tray with a cup and a can."""
    pen.box(-10, 3, 10, 5.4, STEEL, r=1)
    pen.poly(WHITE, -7, -4, -1, -4, -1.8, 3, -6.2, 3)
    pen.box(-6.8, -3, -1.2, -1, rgb("6b3f22"))
    pen.box(2, -6, 7, 3, RED, r=0.8)
    pen.box(2, -3, 7, -0.6, WHITE)


def scissors_comb(pen: Pen) -> None:
    """Scissors crossed with a comb."""
    pen.box(-9, -8, -6, 8, PURPLE, r=0.8)
    for i in range(7):
        pen.line(0.7, PURPLE, -6, -7 + 2.3 * i, -3, -7 + 2.3 * i)
    pen.line(2.0, SILVER, 1, 3, 8, -10)
    pen.line(2.0, STEEL, 6, 3, 0, -10)
    pen.ring(0.6, 6.4, 2.8, 1.6, RED)
    pen.ring(7, 6.4, 2.8, 1.6, RED)
    pen.disc(3.6, -1.4, 1.0, INK)


def brush_compact(pen: Pen) -> None:
    """A powder brush and an open compact."""
    pen.disc(-4, 3, 6, INK)
    pen.disc(-4, 3, 4.6, PINK)
    pen.disc(-5, 2, 1.6, rgb("ffd8e4"))
    pen.line(1.9, INK, 9, 9, 5, -1)
    pen.line(2.6, GOLD, 5.4, 0, 4.4, -3)
    pen.smooth(ROSE, 2.4, -3.6, 0.4, -9, 4.4, -10.4, 7, -6.6, 6, -3)


def syringe(pen: Pen) -> None:
    """A syringe with a heart."""
    turned = pen.at(0, 0, turn=40)
    turned.line(0.9, STEEL, 0, -6, 0, -12)
    turned.box(-2.4, -6, 2.4, 6, WHITE, r=0.6)
    turned.box(-1.7, -1, 1.7, 5.4, CYAN)
    turned.line(1.4, STEEL, 0, 6, 0, 10)
    turned.box(-3.2, 9, 3.2, 10.6, STEEL)
    pen.heart(-5, -5, 4.4, RED)


def palette_brush(pen: Pen) -> None:
    """A painter's palette with dabs of colour and a brush."""
    pen.smooth(TAN, -10, 0, -5, -7, 4, -7, 9.6, -1, 7, 6, 2, 4, 0, 8, -6, 7)
    pen.oval(3, 2.4, 1.4, 1.1, DARK_WOOD)
    for x, y, colour in ((-7, 0, RED), (-4, -4, YELLOW), (1, -5, BLUE), (5.4, -2, GREEN),
                         (-4.4, 4.4, MAGENTA)):  # fmt: skip
        pen.disc(x, y, 1.7, colour)
    pen.line(1.3, DARK_WOOD, -3, 9, 7, -8)
    pen.line(2.0, RED, 7, -8, 8.4, -10.4)


def model_plane(pen: Pen) -> None:
    """A model airliner."""
    pen.at(0, 0, turn=-22).mirror(BLUE, 0, -4, 4, -2, 10, 5, 9, 6.4, 2, 2, 0, 2)
    turned = pen.at(0, 0, turn=-22)
    turned.mirror(WHITE, 0, -11, 2.2, -7, 2.2, 6, 0, 10)
    turned.poly(RED, 0, 4, 5, 10, -5, 10)
    turned.box(-1.4, -8, 1.4, -6.4, INK)


def handcuffs(pen: Pen) -> None:
    """Handcuffs."""
    pen.ring(-4.6, 2, 4.6, 2.0, SILVER)
    pen.ring(5, -3, 4.6, 2.0, STEEL)
    pen.line(1.3, GREY, -1, 0.4, 1.4, -1)
    pen.box(-6.4, 5.4, -2.6, 8.6, STEEL)


def key_ring(pen: Pen) -> None:
    """A large ring with keys."""
    pen.ring(0, -5, 4.6, 1.5, GOLD)
    for x, colour in ((-5.0, BRASS), (0.0, GOLD), (5.0, SILVER)):
        pen.line(1.8, colour, x * 0.4, -0.6, x, 8.6)
        pen.box(x, 5, x + 3, 6.6, colour)
        pen.box(x, 8, x + 3, 9.4, colour)


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


def ship_wheel(pen: Pen) -> None:
    """A ship's wheel."""
    for i in range(4):
        turned = pen.at(0, 0, turn=45.0 * i)
        turned.line(1.6, WOOD, 0, -10, 0, 10)
    pen.ring(0, 0, 6.6, 2.2, DARK_WOOD)
    pen.disc(0, 0, 2.4, GOLD)


def shopping_bag(pen: Pen) -> None:
    """A shopping bag with a sale mark."""
    pen.arc(0, -4, 4, 5, 180, 360, width=1.2, colour=INK)
    pen.poly(MAGENTA, -8, -4, 8, -4, 9, 10, -9, 10)
    pen.disc(-3, 1, 2, WHITE)
    pen.disc(3.4, 6, 2, WHITE)
    pen.line(1.4, WHITE, 4, -0.4, -4, 7.6)


def microscope(pen: Pen) -> None:
    """A microscope."""
    pen.box(-7, 7.6, 8, 10, INK, r=0.8)
    pen.arc(0, 0, 7, 7, -70, 80, width=2.4, colour=COAL)
    turned = pen.at(0, -2, turn=-24)
    turned.box(-2.6, -9, 2.6, 5, WHITE, r=0.6)
    turned.box(-2, -11, 2, -8, INK)
    turned.box(-1.6, 4, 1.6, 7.4, STEEL)
    pen.box(-7, 4.4, 4, 5.9, INK)


def microphone(pen: Pen) -> None:
    """A hand microphone."""
    turned = pen.at(0, 0, turn=24)
    turned.poly(INK, -2, -2, 2, -2, 1.3, 11, -1.3, 11)
    turned.disc(0, -5.6, 4.6, GREY)
    turned.arc(0, -5.6, 2.6, 2.6, 150, 300, width=1.2, colour=WHITE)
    turned.box(-3, -2.4, 3, -0.8, GOLD)


def binoculars(pen: Pen) -> None:
    """Field glasses."""
    for s in (-1.0, 1.0):
        pen.poly(rgb("3c4430"), s * 1.4, -6, s * 5.4, -6, s * 8.6, 6, s * 1.4, 6)
        pen.oval(s * 5, 6.6, 4, 2, BLACK)
        pen.oval(s * 5, 6.6, 2.8, 1.2, CYAN)
        pen.box(s * 3.4 - 2.2, -9, s * 3.4 + 2.2, -6, BLACK)
    pen.box(-2, -3, 2, 1, BLACK)


def contract(pen: Pen) -> None:
    """A document with a wax seal."""
    pen.poly(PAPER, -7, -9, 6, -10, 8, 8, -6, 9)
    for i in range(5):
        pen.line(0.8, GREY, -4, -6 + 2.6 * i, 4.6, -6.6 + 2.6 * i)
    pen.star(3.4, 5.6, 3.6, CRIMSON, points=9, inner=0.8)
    pen.disc(3.4, 5.6, 1.6, shade(CRIMSON, 1.3))


def scalpel(pen: Pen) -> None:
    """A scalpel and a clamp on a green cloth."""
    pen.box(-9, -3, 9, 9, rgb("2f8f78"), r=2)
    pen.line(1.5, WHITE, -5, 9, 3, -7)
    pen.poly(SILVER, 2, -6, 4.4, -5, 6.4, -11)
    pen.line(1.1, STEEL, 4, 8, 6, -3)
    pen.line(1.1, STEEL, 8, 8, 5, -3)


def thread_spool(pen: Pen) -> None:
    """A spool of thread with a needle."""
    pen.box(-7, -8, 4, -5.4, WOOD, r=0.8)
    pen.box(-7, 6, 4, 8.6, WOOD, r=0.8)
    pen.box(-5.6, -5.4, 2.6, 6, CRIMSON)
    for y in (-3.4, -0.6, 2.2, 5.0):
        pen.line(0.7, shade(CRIMSON, 1.3), -5.6, y, 2.6, y - 1)
    pen.line(1.0, SILVER, 8, -10, 6.4, 9)
    pen.curve(0.7, CRIMSON, 2, 5, 5, 9, 8.6, 2, 7.8, -8)


def serving_tray(pen: Pen) -> None:
    """A silver tray with a wine glass and a covered dish."""
    pen.oval(0, 4, 10.5, 2.6, STEEL)
    pen.oval(0, 3.4, 9.4, 1.9, WHITE)
    pen.pie(3.4, 3.4, 5.4, 6.4, SILVER, 180, 360)
    pen.disc(3.4, -3.6, 1.1, GOLD)
    pen.line(0.9, WHITE, -5.6, 3.4, -5.6, -1)
    pen.pie(-5.6, -5.6, 3, 5, CRIMSON, 0, 180)
    pen.arc(-5.6, -6, 3, 5, 0, 180, width=0.7, colour=WHITE)


def wrench(pen: Pen) -> None:
    """A spanner."""
    turned = pen.at(0, 0, turn=32)
    turned.line(3.2, STEEL, 0, 10, 0, -5)
    turned.disc(0, -7, 4.6, STEEL)
    turned.poly(INK, -1.9, -12, 1.9, -12, 1.9, -6.4, -1.9, -6.4)
    turned.disc(0, 8.4, 1.3, INK)


def plunger(pen: Pen) -> None:
    """A plunger."""
    pen.line(2.4, WOOD, 3, -10, 0, 4)
    pen.mirror(RED, 0, 1, 4, 2, 7, 8, 7.6, 10, 0, 10.4)
    pen.oval(0, 9.6, 7.6, 1.8, shade(RED, 0.65))


def hammer_saw(pen: Pen) -> None:
    """A hammer over a saw."""
    pen.poly(SILVER, -10, -2, 6, 4, 6, 9, -10, 1.4)
    for i in range(6):
        pen.poly(GREY, -9 + 2.6 * i, 1.8 + 1.1 * i, -7 + 2.6 * i, 2.7 + 1.1 * i, -8.2 + 2.6 * i,
                 4.4 + 1.1 * i)  # fmt: skip
    pen.box(5, 3, 10, 10, WOOD, r=1.4)
    pen.line(2.2, DARK_WOOD, -6, 10, 2, -6)
    turned = pen.at(2, -7, turn=27)
    turned.box(-6, -2, 5, 2, COAL, r=0.6)


def shovel(pen: Pen) -> None:
    """A shovel."""
    pen.line(2.0, WOOD, 0, 11, 0, -2)
    pen.mirror(GREY, 0, -13, 3, -11, 5, -5, 4.6, -1, 0, -1)
    pen.line(0.9, SILVER, 0, -10, 0, -3)


def steering_wheel(pen: Pen) -> None:
    """A steering wheel."""
    pen.ring(0, 0, 9.4, 2.6, BLACK)
    for a in (90.0, 210.0, 330.0):
        pen.at(0, 0, turn=a).line(2.2, COAL, 0, 0, 8.6, 0)
    pen.disc(0, 0, 3, COAL)
    pen.disc(0, 0, 1.5, SILVER)


def cable_plug(pen: Pen) -> None:
    """A plug with its cable and a lightning bolt."""
    pen.curve(1.7, INK, -10, 10, -4, 4, -8, -2, -3, -4)
    pen.box(-4, -7, 3, -0.6, INK, r=1.4)
    pen.line(1.3, SILVER, 3, -5.4, 6.6, -5.4)
    pen.line(1.3, SILVER, 3, -2.2, 6.6, -2.2)
    pen.poly(YELLOW, 5, -1, 1, 5.4, 4, 5.4, 2, 11, 9, 3.4, 5.8, 3.4, 8.4, -1)


def pitchfork(pen: Pen) -> None:
    """A hay fork."""
    pen.line(1.8, WOOD, 0, 12, 0, -4)
    pen.line(1.4, STEEL, -5, -12, -5, -6, 5, -6, 5, -12)
    pen.line(1.4, STEEL, 0, -13, 0, -4)


def fire_hose(pen: Pen) -> None:
    """A hose spraying water."""
    pen.curve(3.4, rgb("d8a83a"), -10, 10, -2, 8, 0, 2)
    pen.line(3.2, BRASS, 0, 2, 3, -3)
    pen.poly(veil(CYAN, 0.85), 2, -3.4, 4.4, -2, 12, -10, 5, -14)
    pen.disc(5, -10, 1.2, WHITE)
    pen.disc(8, -7.6, 1.0, WHITE)


def bouquet(pen: Pen) -> None:
    """A bunch of flowers in paper."""
    pen.poly(PAPER, -7, 0, 7, 0, 1.6, 11, -1.6, 11)
    pen.poly(LIME, -5, -1, 5, -1, 0, 5)
    for x, y, colour in ((-6, -3, RED), (0, -1, PINK), (6, -3, VIOLET), (-3, -7, YELLOW),
                         (3.4, -7, ROSE), (0, -4.4, WHITE)):  # fmt: skip
        pen.disc(x, y, 3, colour)
        pen.disc(x, y, 1.1, shade(colour, 0.7))


def watering_can(pen: Pen) -> None:
    """A watering can."""
    pen.line(2.0, TEAL, 3, 6, 9.6, -4)
    pen.oval(9.8, -5, 2.6, 1.8, shade(TEAL, 0.7), turn=-40)
    pen.arc(-3, -2, 6, 6, 170, 360, width=1.6, colour=shade(TEAL, 0.75))
    pen.box(-8, -2, 4, 10, TEAL, r=1.4)
    pen.box(-8, 1, 4, 2.6, shade(TEAL, 1.4))


def mop(pen: Pen) -> None:
    """A mop."""
    pen.line(1.8, YELLOW, 0, 12, 0, -6)
    pen.box(-4, -7.4, 4, -5.4, RED)
    for i in range(5):
        x = -5.0 + 2.5 * i
        pen.curve(2.4, WHITE if i % 2 else SILVER, x * 0.7, -7, x, -11, x * 1.3, -14)


def spray_bottle(pen: Pen) -> None:
    """A spray bottle with foam."""
    pen.box(-5, -1, 5, 11, CYAN, r=2)
    pen.box(-5, 3, 5, 7.4, WHITE)
    pen.box(-2, -4, 2, -1, WHITE)
    pen.poly(RED, -4, -8, 4, -8, 4, -4, -1, -4, -2, -5.4, -4, -5)
    for x, y, r in ((-8, -9, 1.6), (-9, -5.6, 1.2), (-6, -7, 1.0)):
        pen.disc(x, y, r, WHITE)


def gavel(pen: Pen) -> None:
    """A judge's hammer on its block."""
    pen.box(-8, 7.4, 6, 10, DARK_WOOD, r=0.8)
    turned = pen.at(0, 0, turn=-36)
    turned.line(2.2, WOOD, 0, 0, 12, 0)
    turned.box(-4, -6.6, 3, 6.6, BROWN, r=1)
    turned.box(-4, -4.4, 3, -3, GOLD)
    turned.box(-4, 3, 3, 4.4, GOLD)


def medical_case(pen: Pen) -> None:
    """A first-aid case."""
    pen.arc(0, -6, 4, 3.4, 180, 360, width=1.5, colour=INK)
    pen.box(-10, -6, 10, 9, ORANGE, r=1.6)
    pen.disc(0, 1.4, 5.4, WHITE)
    pen.box(-1.4, -2.4, 1.4, 5.2, RED)
    pen.box(-3.8, 0, 3.8, 2.8, RED)


def envelope(pen: Pen) -> None:
    """A letter with a stamp."""
    pen.box(-10, -6, 10, 7, PAPER)
    pen.poly(SILVER, -10, -6, 10, -6, 0, 2.4)
    pen.poly(WHITE, -9.4, -6, 9.4, -6, 0, 1.2)
    pen.box(5, 2.4, 8.6, 6, RED)


def flashlight(pen: Pen) -> None:
    """A torch with its beam."""
    turned = pen.at(0, 2, turn=-30)
    turned.poly(veil(YELLOW, 0.75), 3, -3, 16, -9, 16, 9, 3, 3)
    turned.box(-10, -1.9, 1, 1.9, BLACK, r=0.6)
    turned.poly(COAL, 0, -2, 4, -3.6, 4, 3.6, 0, 2)
    turned.box(-4, -0.7, -1.6, 0.7, RED)


def chisel(pen: Pen) -> None:
    """A mallet and a chisel."""
    pen.line(2.0, WOOD, -7, 10, -2, -1)
    turned = pen.at(-1, -4, turn=24)
    turned.box(-6, -4.4, 6, 3.4, DARK_WOOD, r=1.4)
    pen.line(2.2, ORANGE, 8, -8, 6.4, -1)
    pen.poly(STEEL, 5, -1, 7.6, -0.4, 5, 10, 3, 9)


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


def razor(pen: Pen) -> None:
    """A hair clipper and a comb."""
    pen.box(-9.6, -9, -6.8, 8, INK, r=0.6)
    for i in range(7):
        pen.line(0.7, INK, -6.8, -8 + 2.4 * i, -4, -8 + 2.4 * i)
    pen.smooth(RED, 0, -5, 6, -5, 6.4, 4, 5, 11, 1, 11, -0.4, 4)
    pen.box(0, -9.4, 6, -5, SILVER)
    for x in (0.6, 2.4, 4.2):
        pen.box(x, -11, x + 1, -9, STEEL)
    pen.disc(3, 1, 1.3, WHITE)


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


def cocktail(pen: Pen) -> None:
    """A shaker and a cocktail glass."""
    pen.poly(STEEL, -9.4, -3, -2.6, -3, -3.6, 10, -8.4, 10)
    pen.poly(SILVER, -9.4, -3, -2.6, -3, -4.4, -8, -7.6, -8)
    pen.box(-7.2, -10, -4.8, -8, STEEL)
    pen.poly(ORANGE, 0.4, -4, 9.6, -4, 5, 3)
    pen.line(0.9, WHITE, 5, 2, 5, 9)
    pen.line(1.2, WHITE, 2, 9.6, 8, 9.6)
    pen.disc(8.4, -5, 2, LIME)


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


def camera(pen: Pen) -> None:
    """A camera with a large lens and flash."""
    pen.box(-10, -5, 10, 8, BLACK, r=1.6)
    pen.box(-4.4, -8.6, 4.4, -4, COAL, r=0.8)
    pen.disc(0, 1.6, 5.9, GREY)
    pen.disc(0, 1.6, 4.6, INK)
    pen.disc(0, 1.6, 2.8, rgb("3a5a9a"))
    pen.disc(-1.4, 0.2, 1.1, WHITE)
    pen.disc(7.4, -2.4, 1.2, RED)


def ribbon(pen: Pen) -> None:
    """A dancer's ribbon."""
    pen.line(1.0, WOOD, -2, 9, 2, -1)
    pen.curve(2.2, MAGENTA, 2, -1, 9, -5, 4, -10, -2, -6, -8, -11, -11, -4)


def yoga_mat(pen: Pen) -> None:
    """A rolled mat."""
    pen.box(-4, -10, 5, 10, VIOLET, r=2)
    pen.oval(0.5, -9.4, 4.6, 2.2, shade(VIOLET, 0.7))
    pen.oval(0.5, -9.4, 2.4, 1.1, VIOLET)
    pen.box(-4, -4, 5, -2.4, WHITE)
    pen.box(-4, 4, 5, 5.6, WHITE)


def salad(pen: Pen) -> None:
    """A bowl of vegetables with an apple."""
    for x, y, r, colour in ((-6, -1, 3.6, LEAF), (-1, -3, 4, GREEN), (5, -1, 3.6, LIME),
                            (2, -3, 2.6, RED), (-4, -3.4, 2.2, ORANGE)):  # fmt: skip
        pen.disc(x, y, r, colour)
    pen.pie(0, 0, 10, 9.6, WHITE, 0, 180)
    pen.box(-10, -0.8, 10, 0.8, SILVER)
    pen.disc(7, -6.4, 3.4, RED)
    pen.line(0.8, BROWN, 7, -9, 7.6, -11)


def pill_bottle(pen: Pen) -> None:
    """A medicine bottle with pills."""
    pen.box(-6, -5, 4, 10, ORANGE, r=1.4)
    pen.box(-6.6, -10, 4.6, -5, WHITE, r=0.8)
    pen.box(-6, -1, 4, 6, WHITE)
    pen.box(-2, 0, 0, 5, GREEN)
    pen.box(-3.5, 1.5, 1.5, 3.5, GREEN)
    pen.oval(8, 8, 2.8, 1.5, RED, turn=-25)
    pen.oval(7.6, 4, 2.4, 1.4, CYAN, turn=20)


def moon_flag(pen: Pen) -> None:
    """A flag on a pole."""
    pen.line(1.2, SILVER, -6, 11, -6, -11)
    pen.smooth(BLUE, -5.4, -10.6, 0, -11.4, 4, -9.4, 9.6, -10.4, 9.6, -2.6, 4, -1.6, 0, -3.4,
               -5.4, -2.6)  # fmt: skip
    pen.star(2, -6.4, 3, WHITE)


TOOLS: dict[str, Prop] = {
    "cleaver": cleaver, "frying pan": frying_pan, "soup pot": soup_pot, "tooth": tooth,
    "medical clipboard": medical_clipboard, "drinks tray": drinks_tray,
    "scissors": scissors_comb, "brush": brush_compact, "syringe": syringe,
    "palette": palette_brush, "model plane": model_plane, "handcuffs": handcuffs,
    "keys": key_ring, "puppet": puppet, "ship wheel": ship_wheel, "shopping bag": shopping_bag,
    "microscope": microscope, "microphone": microphone, "binoculars": binoculars,
    "contract": contract, "scalpel": scalpel, "spool": thread_spool, "tray": serving_tray,
    "wrench": wrench, "plunger": plunger, "hammer": hammer_saw, "shovel": shovel,
    "steering wheel": steering_wheel, "plug": cable_plug, "pitchfork": pitchfork,
    "hose": fire_hose, "bouquet": bouquet, "watering can": watering_can, "mop": mop,
    "spray": spray_bottle, "gavel": gavel, "medical case": medical_case, "envelope": envelope,
    "flashlight": flashlight, "chisel": chisel, "bread": bread, "clipper": razor,
    "register": cash_register, "cocktail": cocktail, "dog": dog, "camera": camera,
    "ribbon": ribbon, "mat": yoga_mat, "salad": salad, "pills": pill_bottle,
    "flag": moon_flag,
}  # fmt: skip
