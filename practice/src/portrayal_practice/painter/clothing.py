"""Garments of everyday, office and stage, by cut, around the middle of the face."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.cuts import bow_tie, buttons, collar, neckline, tie, torso, v_neck
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import (
    CREAM,
    INK,
    PAPER,
    SILVER,
    WHITE,
    Colour,
    luminance,
    mix,
    shade,
    veil,
)


def tee(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A T-shirt; neckline wider for women."""
    torso(pen, look, c)
    neckline(pen, look, deep=3.4 if look.presentation == "woman" else 1.0)


def shirt(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A shirt with collar and buttons."""
    torso(pen, look, c)
    v_neck(pen, look, 4.0 if look.presentation == "woman" else 1.5)
    collar(pen, look, shade(c, 1.2))
    pen.line(0.5, shade(c, 0.8), 0, 21, 0, 52)
    buttons(pen, shade(c, 0.65))


def blouse(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A collarless top with a V neck."""
    torso(pen, look, c)
    v_neck(pen, look, 7.0 if look.presentation == "woman" else 4.0)
    for s in (-1.0, 1.0):
        pen.line(1.0, d, s * (look.neck + 1.4), 15.2, 0, 23.6)


def sweater(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A knitted jumper with a ribbed neck."""
    torso(pen, look, c)
    neckline(pen, look, deep=1.6)
    pen.arc(0, 15.5, look.neck + 2.0, 4.4, (0, 180), width=1.6, colour=d)
    for y in (30.0, 34.0):
        pen.line(1.3, d, 6 - look.shoulders, y, look.shoulders - 6, y)


def turtleneck(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jumper that covers the neck."""
    torso(pen, look, c)
    pen.box(-look.neck - 0.9, 12.4, look.neck + 0.9, 18, shade(c, 1.12), r=1.4)
    pen.curve(0.6, shade(c, 0.75), -look.neck - 0.8, 17.4, 0, 18.4, look.neck + 0.8, 17.4)


def hoodie(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A hooded sweatshirt with strings."""
    pen.oval(0, 17, look.neck + 8, 6, shade(c, 0.75))
    torso(pen, look, c)
    neckline(pen, look, deep=1.4)
    pen.arc(0, 15.2, look.neck + 3.0, 5.4, (-10, 190), width=2.6, colour=shade(c, 0.85))
    for s in (-1.0, 1.0):
        pen.line(0.9, d, s * 2.6, 20, s * 2.8, 28)
    pen.poly(shade(c, 0.85), -7, 40, 7, 40, 9, 52, -9, 52)


def suit(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jacket over a white shirt with a tie in the second colour."""
    torso(pen, look, c)
    pen.poly(WHITE, -look.neck - 2, 14.6, look.neck + 2, 14.6, 4.8, 20, 0, 38, -4.8, 20)
    if look.presentation == "woman" and look.fringe > 0.4:
        v_neck(pen, look, 6.0)
    else:
        tie(pen, d)
        v_neck(pen, look, 0.8)
    collar(pen, look, WHITE)
    _lapels(pen, look, c)


def _lapels(pen: Pen, look: Look, c: Colour) -> None:
    lapel = shade(c, 1.16) if luminance(c) < 110 else shade(c, 0.88)
    n = look.neck
    for s in (-1.0, 1.0):
        pen.poly(lapel, s * (n + 2.2), 14.6, s * (n + 6.4), 19, s * 7.6, 25, s * 9, 26.5, 0, 42,
                 s * 4.4, 21)  # fmt: skip
    pen.line(0.6, shade(c, 0.6), 0, 41, 0, 52)


def pinstripe(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A suit with thin light stripes."""
    suit(pen, look, c, d)
    for x in (8.5, 11.5, 14.5):
        for s in (-1.0, 1.0):
            pen.line(0.5, shade(c, 1.5), s * x, 26 if x > 9 else 30, s * x, 52)


def open_jacket(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jacket open over a T-shirt in the second colour."""
    torso(pen, look, c)
    pen.poly(d, -look.neck - 2, 14.6, look.neck + 2, 14.6, 6.4, 24, 6, 52, -6, 52, -6.4, 24)
    neckline(pen, look, deep=2.4 if look.presentation == "woman" else 1.0)
    lapel = shade(c, 1.2) if luminance(c) < 110 else shade(c, 0.86)
    for s in (-1.0, 1.0):
        pen.poly(lapel, s * (look.neck + 1.8), 14.6, s * (look.neck + 6), 19, s * 9.6, 28,
                 s * 5.4, 44, s * 6, 24)  # fmt: skip


def plaid(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A checked shirt."""
    torso(pen, look, c)
    line = veil(mix(c, d, 0.75), 0.75)
    for y in (23.0, 29.0, 35.0):
        pen.box(-look.shoulders, y, look.shoulders, y + 1.5, line)
    for x in (-12.0, -6.0, 0.0, 6.0, 12.0):
        pen.box(x - 0.7, 19, x + 0.8, 52, line)
    v_neck(pen, look, 1.6)
    collar(pen, look, c)


def striped(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jersey with cross stripes."""
    torso(pen, look, c)
    for y in (22.0, 26.0, 30.0, 34.0, 38.0):
        x = look.shoulders + (0.2 if y > 24 else -2.0)
        pen.box(-x, y, x, y + 1.9, d)
    neckline(pen, look, deep=1.6)


def cardigan(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A knitted jacket, buttoned low, over a blouse in the second colour."""
    torso(pen, look, c)
    pen.poly(d, -look.neck - 2, 14.6, look.neck + 2, 14.6, 5, 22, 0, 42, -5, 22)
    v_neck(pen, look, 4.4 if look.presentation == "woman" else 1.4)
    collar(pen, look, shade(d, 1.1))
    for s in (-1.0, 1.0):
        pen.line(1.5, shade(c, 0.8), s * (look.neck + 2.4), 15, s * 5.6, 23, 0, 42)
    buttons(pen, CREAM, top=40)


def leather(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A biker jacket with slanting zips over a T-shirt."""
    open_jacket(pen, look, c, d)
    for s in (-1.0, 1.0):
        pen.line(0.9, SILVER, s * 6.2, 26, s * 6.4, 52)
        pen.line(0.9, SILVER, s * 9.6, 34, s * 13.4, 31)


def polo(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A polo shirt with a collar and a name tag in the second colour."""
    torso(pen, look, c)
    v_neck(pen, look, 4)
    collar(pen, look, d)
    pen.box(4.4, 27, 12, 31, WHITE, r=0.6)
    pen.box(5.4, 28.5, 11, 29.4, INK)


def loose_shirt(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A full shirt with a ruffled opening."""
    torso(pen, look, c)
    v_neck(pen, look, 9)
    for s in (-1.0, 1.0):
        for i in range(4):
            pen.disc(s * (5.2 - 1.3 * i), 16.6 + 3 * i, 1.8, shade(c, 0.9))
            pen.disc(s * (5.4 - 1.3 * i), 16.2 + 3 * i, 1.5, PAPER)


def trench(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A coat with a broad collar and a belt."""
    torso(pen, look, c)
    v_neck(pen, look, 3)
    collar(pen, look, WHITE)
    for s in (-1.0, 1.0):
        pen.poly(shade(c, 0.86), s * (look.neck + 1.8), 14, s * (look.neck + 9.4), 18.6, s * 9, 26,
                 0, 31, s * 4.4, 21)  # fmt: skip
        for y in (33.0, 38.0):
            pen.disc(s * 4.6, y, 1.1, d)
    pen.box(-20, 42, 20, 45, shade(c, 0.7))


def waistcoat(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A waistcoat over a white shirt with a bow tie in the second colour."""
    torso(pen, look, WHITE)
    for s in (-1.0, 1.0):
        pen.smooth(c, s * (look.neck + 2.6), 17, s * (look.shoulders - 6), 19, s * 11.4, 30,
                   s * 12, 52, 0, 52, 0, 34)  # fmt: skip
    collar(pen, look, WHITE)
    bow_tie(pen, d)
    buttons(pen, shade(c, 1.5), top=36)


def suspenders(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A shirt with braces and a bow tie in the second colour."""
    torso(pen, look, c)
    for s in (-1.0, 1.0):
        pen.line(2.2, d, s * (look.shoulders * 0.55), 18.6, s * 7.6, 52)
    collar(pen, look, shade(c, 1.2))
    bow_tie(pen, d)


def tank_top(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A sleeveless top that leaves the arms bare."""
    torso(pen, look, look.skin)
    for s in (-1.0, 1.0):
        pen.line(3.0, c, s * (look.neck + 3.6), 17.4, s * 7.6, 27)
    pen.mirror(c, 0, 25.6, 6, 24, 9.6, 26.5, 12, 32, 12, 54, 0, 54)
    pen.curve(1.2, d, -8.6, 26, 0, 26.2, 8.6, 26)


def sequins(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A glittering stage dress or shirt."""
    torso(pen, look, c)
    if look.presentation == "woman":
        neckline(pen, look, deep=6.0)
    else:
        v_neck(pen, look, 9.0)
    for i in range(22):
        x = (i * 8.7) % 32.0 - 16.0
        y = 23.5 + (i * 3.7) % 20.0
        pen.star(x, y, 1.5, d if i % 2 else WHITE, points=4, inner=0.3)
