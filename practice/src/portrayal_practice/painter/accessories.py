"""Small things worn over clothes: stethoscope, scarf, lanyard, chain and the like."""

from __future__ import annotations

from collections.abc import Callable

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.cuts import apron_over, collar, tie
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BROWN,
    COAL,
    CRIMSON,
    GOLD,
    INK,
    MAGENTA,
    MINT,
    RED,
    SILVER,
    STEEL,
    WHITE,
    YELLOW,
    Colour,
    rgb,
    shade,
)

Accessory = Callable[[Pen, Look, Colour], None]


def stethoscope(pen: Pen, look: Look, colour: Colour) -> None:
    """A stethoscope around the neck."""
    n = look.neck + 1.6
    pen.curve(1.5, INK, -n, 15.5, -n - 1, 22, -3, 28, 0, 31)
    pen.curve(1.5, INK, n, 15.5, n + 1.6, 24, n + 0.6, 32)
    pen.curve(1.5, INK, 0, 31, 0.4, 34, 0, 36)
    pen.disc(n + 0.6, 33.4, 2.4, STEEL)
    pen.disc(n + 0.6, 33.4, 1.3, WHITE)


def mask(pen: Pen, look: Look, colour: Colour) -> None:
    """A surgical mask pulled down below the chin, so that the mouth stays free."""
    for s in (-1.0, 1.0):
        pen.line(0.7, WHITE, s * 5, 13.4, s * look.width, 3)
    pen.mirror(MINT, 0, 12.6, 6, 12.2, 6.4, 15.4, 3, 18.6, 0, 19)
    for y in (14.4, 16.4):
        pen.line(0.6, shade(MINT, 0.8), -5.4, y, 5.4, y)


def neckerchief(pen: Pen, look: Look, colour: Colour) -> None:
    """A small bright scarf knotted at the side."""
    pen.mirror(AMBER, 0, 14.4, look.neck + 1.6, 13.4, look.neck + 1.8, 16.4, 0, 19)
    pen.poly(AMBER, 3, 17, 8.4, 22.5, 4.4, 24.5, 2, 18)
    pen.poly(shade(AMBER, 0.8), 2, 17, 3, 25.5, -0.4, 25)


def scarf(pen: Pen, look: Look, colour: Colour) -> None:
    """A long scarf with one end hanging."""
    n = look.neck
    dark = shade(colour, 0.78)
    pen.poly(colour, 2, 17, 8, 17.5, 9.4, 36, 3.4, 37)
    for y in (26.0, 31.0):
        pen.line(1.5, dark, 3.2, y, 8.4, y - 0.6)
    pen.mirror(colour, 0, 13.4, n + 2.4, 12, n + 4.4, 15.8, n + 2, 19.4, 0, 20.6)
    pen.curve(0.9, dark, -n - 2.6, 15.4, 0, 18, n + 2.6, 14.6)


def red_scarf(pen: Pen, look: Look, colour: Colour) -> None:
    """A scarf in red."""
    scarf(pen, look, RED)


def lanyard(pen: Pen, look: Look, colour: Colour) -> None:
    """A ribbon with an identity card."""
    for s in (-1.0, 1.0):
        pen.line(1.3, BLUE, s * (look.neck + 1.6), 16, 0, 29)
    pen.box(-3.6, 28.6, 3.6, 36, WHITE, r=0.8)
    pen.box(-2.4, 30, 0.4, 34, rgb("c49a74"))
    pen.box(1, 30.4, 2.8, 31.4, INK)


def tape_measure(pen: Pen, look: Look, colour: Colour) -> None:
    """A measuring tape hung around the neck."""
    for s in (-1.0, 1.0):
        pen.curve(2.2, YELLOW, s * (look.neck + 2), 15.4, s * (look.neck + 2.6), 24, s * 7, 40)
        for i in range(4):
            pen.line(0.5, INK, s * 5.8, 22 + 4 * i, s * 7.6, 22 + 4 * i)


def chain(pen: Pen, look: Look, colour: Colour) -> None:
    """A golden chain of office."""
    for i in range(9):
        t = i / 8.0 * 2 - 1
        pen.disc(t * 11.4, 31 - 12.6 * t * t, 1.7, GOLD)
    pen.star(0, 34, 4, GOLD, points=8, inner=0.7)
    pen.disc(0, 34, 1.7, RED)


def rosette(pen: Pen, look: Look, colour: Colour) -> None:
    """A large rosette with ribbons."""
    pen.poly(RED, 7, 28, 6, 37, 8.6, 35.4, 11, 37, 10, 28)
    pen.star(8.6, 27, 4.4, RED, points=10, inner=0.8)
    pen.disc(8.6, 27, 2.5, WHITE)


def pin(pen: Pen, look: Look, colour: Colour) -> None:
    """A flag pin on the lapel."""
    pen.box(6, 23, 9.4, 25.4, WHITE)
    pen.box(6, 23, 9.4, 24.2, RED)


def backpack(pen: Pen, look: Look, colour: Colour) -> None:
    """Broad straps of a backpack."""
    for s in (-1.0, 1.0):
        pen.curve(3.2, BLUE, s * 9.4, 18, s * 10.6, 28, s * 11.6, 42)
        pen.box(s * 10.6 - 1.9, 28, s * 10.6 + 1.9, 30.4, SILVER)


def satchel(pen: Pen, look: Look, colour: Colour) -> None:
    """The strap of a shoulder bag."""
    pen.line(2.6, BROWN, -look.shoulders * 0.55, 18.6, 12, 44)
    pen.box(8.4, 40, 20, 52, BROWN, r=1.4)


def gloves(pen: Pen, look: Look, colour: Colour) -> None:
    """The hem of a rubber glove; the hand itself is drawn with the tool."""
    pen.box(-3, 40, 3, 42, MAGENTA)


def cape(pen: Pen, look: Look, colour: Colour) -> None:
    """A belt of tools over a dark top."""
    pen.line(1.9, rgb("e0567f"), -look.shoulders * 0.5, 19, 10, 44)
    for x, y, tone in ((-3.0, 28.0, SILVER), (1.0, 32.0, GOLD), (5.0, 36.4, SILVER)):
        pen.line(1.4, tone, x, y, x - 2, y + 5)


def brush_belt(pen: Pen, look: Look, colour: Colour) -> None:
    """An apron pocket with brushes."""
    pen.box(-8, 33, 8, 46, COAL, r=1.4)
    for i, tone in enumerate((MAGENTA, GOLD, RED, WHITE)):
        x = -5.4 + 3.6 * i
        pen.line(1.1, BROWN, x, 38, x, 31)
        pen.oval(x, 29.6, 1.4, 2.1, tone)


def leather_apron(pen: Pen, look: Look, colour: Colour) -> None:
    """A leather apron."""
    apron_over(pen, look, rgb("8a5a34"))


def bands(pen: Pen, look: Look, colour: Colour) -> None:
    """Two white bands at the collar."""
    collar(pen, look, WHITE)
    for s in (-1.0, 1.0):
        pen.poly(WHITE, 0, 18, s * 1.6, 18, s * 4, 28, s * 0.8, 28)


def security(pen: Pen, look: Look, colour: Colour) -> None:
    """A yellow sign across the chest and an earpiece."""
    pen.box(-11, 32, 11, 37, YELLOW)
    for i in range(6):
        pen.box(-9 + 3.2 * i, 33.4, -7 + 3.2 * i, 35.8, INK)
    pen.curve(0.9, WHITE, look.width + 0.4, 3, look.width + 1.4, 9, look.width - 1, 14)


def plain_tie(pen: Pen, look: Look, colour: Colour) -> None:
    """A shirt collar with a tie."""
    collar(pen, look, WHITE)
    tie(pen, colour)


def plain_apron(pen: Pen, look: Look, colour: Colour) -> None:
    """An apron over whatever is worn."""
    apron_over(pen, look, colour)


ACCESSORIES: dict[str, Accessory] = {
    "stethoscope": stethoscope, "mask": mask, "neckerchief": neckerchief, "scarf": scarf,
    "red scarf": red_scarf, "lanyard": lanyard, "tape measure": tape_measure, "chain": chain,
    "rosette": rosette, "pin": pin, "backpack": backpack, "satchel": satchel, "gloves": gloves,
    "cape": cape, "brush belt": brush_belt, "leather apron": leather_apron, "bands": bands,
    "security": security, "tie": plain_tie, "apron": plain_apron,
}  # fmt: skip

TIE_COLOURS: tuple[Colour, ...] = (RED, BLUE, CRIMSON, AMBER, rgb("2f7a5a"), rgb("6a3a8a"))
