"""Tools of trades, each in a box from -10 to 10 around its grip."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    BLACK,
    BLUE,
    BRASS,
    BROWN,
    COAL,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    MAGENTA,
    ORANGE,
    PINK,
    PURPLE,
    RED,
    ROSE,
    SILVER,
    STEEL,
    TAN,
    TEAL,
    WHITE,
    WOOD,
    YELLOW,
    rgb,
    shade,
    veil,
)
from portrayal_practice.painter.wares import (
    bouquet,
    bread,
    cash_register,
    cocktail,
    contract,
    dog,
    drinks_tray,
    envelope,
    frying_pan,
    key_ring,
    medical_case,
    medical_clipboard,
    model_plane,
    moon_flag,
    pill_bottle,
    puppet,
    ribbon,
    salad,
    serving_tray,
    shopping_bag,
    soup_pot,
    thread_spool,
    tooth,
    yoga_mat,
)


def cleaver(pen: Pen) -> None:
    """A meat cleaver beside a steak."""
    pen.line(2.6, BROWN, 0, 9, 0, 0)
    pen.box(-2, -10, 7, 0.6, STEEL, r=1)
    pen.box(5.4, -9.6, 7, 0.2, WHITE)
    pen.disc(4.6, -7.4, 1.0, COAL)
    pen.smooth(rgb("c84858"), -10, 2, -5, -1, -1, 3, -3, 8, -9, 8)
    pen.smooth(rgb("f2c8c0"), -8, 3.4, -6, 2, -5, 4, -7, 5)


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


def handcuffs(pen: Pen) -> None:
    """Handcuffs."""
    pen.ring(-4.6, 2, 4.6, 2.0, SILVER)
    pen.ring(5, -3, 4.6, 2.0, STEEL)
    pen.line(1.3, GREY, -1, 0.4, 1.4, -1)
    pen.box(-6.4, 5.4, -2.6, 8.6, STEEL)


def ship_wheel(pen: Pen) -> None:
    """A ship's wheel."""
    for i in range(4):
        turned = pen.at(0, 0, turn=45.0 * i)
        turned.line(1.6, WOOD, 0, -10, 0, 10)
    pen.ring(0, 0, 6.6, 2.2, DARK_WOOD)
    pen.disc(0, 0, 2.4, GOLD)


def microscope(pen: Pen) -> None:
    """A microscope."""
    pen.box(-7, 7.6, 8, 10, INK, r=0.8)
    pen.arc(0, 0, 7, 7, (-70, 80), width=2.4, colour=COAL)
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
    turned.arc(0, -5.6, 2.6, 2.6, (150, 300), width=1.2, colour=WHITE)
    turned.box(-3, -2.4, 3, -0.8, GOLD)


def binoculars(pen: Pen) -> None:
    """Field glasses."""
    for s in (-1.0, 1.0):
        pen.poly(rgb("3c4430"), s * 1.4, -6, s * 5.4, -6, s * 8.6, 6, s * 1.4, 6)
        pen.oval(s * 5, 6.6, 4, 2, BLACK)
        pen.oval(s * 5, 6.6, 2.8, 1.2, CYAN)
        pen.box(s * 3.4 - 2.2, -9, s * 3.4 + 2.2, -6, BLACK)
    pen.box(-2, -3, 2, 1, BLACK)


def scalpel(pen: Pen) -> None:
    """A scalpel and a clamp on a green cloth."""
    pen.box(-9, -3, 9, 9, rgb("2f8f78"), r=2)
    pen.line(1.5, WHITE, -5, 9, 3, -7)
    pen.poly(SILVER, 2, -6, 4.4, -5, 6.4, -11)
    pen.line(1.1, STEEL, 4, 8, 6, -3)
    pen.line(1.1, STEEL, 8, 8, 5, -3)


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


def watering_can(pen: Pen) -> None:
    """A watering can."""
    pen.line(2.0, TEAL, 3, 6, 9.6, -4)
    pen.oval(9.8, -5, 2.6, 1.8, shade(TEAL, 0.7), turn=-40)
    pen.arc(-3, -2, 6, 6, (170, 360), width=1.6, colour=shade(TEAL, 0.75))
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
    pen.box(-8, 7.4, 6, 10, TAN, r=0.8)
    turned = pen.at(0, 0, turn=-36)
    turned.line(2.6, TAN, 0, 0, 13, 0)
    turned.box(-4.4, -7, 3.4, 7, WOOD, r=1)
    turned.box(-4.4, -4.8, 3.4, -3, GOLD)
    turned.box(-4.4, 3, 3.4, 4.8, GOLD)


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


def camera(pen: Pen) -> None:
    """A camera with a large lens and flash."""
    pen.box(-10, -5, 10, 8, BLACK, r=1.6)
    pen.box(-4.4, -8.6, 4.4, -4, COAL, r=0.8)
    pen.disc(0, 1.6, 5.9, GREY)
    pen.disc(0, 1.6, 4.6, INK)
    pen.disc(0, 1.6, 2.8, rgb("3a5a9a"))
    pen.disc(-1.4, 0.2, 1.1, WHITE)
    pen.disc(7.4, -2.4, 1.2, RED)


TOOLS: dict[str, Prop] = {
    "cleaver": cleaver, "frying pan": frying_pan, "soup pot": soup_pot, "tooth": tooth,
    "medical clipboard": medical_clipboard, "drinks tray": drinks_tray, "scissors": scissors_comb,
    "brush": brush_compact, "syringe": syringe, "palette": palette_brush,
    "model plane": model_plane, "handcuffs": handcuffs, "keys": key_ring, "puppet": puppet,
    "ship wheel": ship_wheel, "shopping bag": shopping_bag, "microscope": microscope,
    "microphone": microphone, "binoculars": binoculars, "contract": contract, "scalpel": scalpel,
    "spool": thread_spool, "tray": serving_tray, "wrench": wrench, "plunger": plunger,
    "hammer": hammer_saw, "shovel": shovel, "steering wheel": steering_wheel, "plug": cable_plug,
    "pitchfork": pitchfork, "hose": fire_hose, "bouquet": bouquet, "watering can": watering_can,
    "mop": mop, "spray": spray_bottle, "gavel": gavel, "medical case": medical_case,
    "envelope": envelope, "flashlight": flashlight, "chisel": chisel, "bread": bread,
    "clipper": razor, "register": cash_register, "cocktail": cocktail, "dog": dog,
    "camera": camera, "ribbon": ribbon, "mat": yoga_mat, "salad": salad, "pills": pill_bottle,
    "flag": moon_flag,
}  # fmt: skip
