"""Working clothes by cut, around the middle of the face."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.clothing import plaid, shirt, tee
from portrayal_practice.painter.cuts import apron_over, collar, neckline, tie, torso, v_neck
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    COAL,
    GOLD,
    INK,
    SILVER,
    STEEL,
    WHITE,
    Colour,
    luminance,
    rgb,
    shade,
)


def lab_coat(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A coat open at the neck over a shirt in the second colour, with a breast pocket."""
    torso(pen, look, c)
    pen.poly(d, -look.neck - 2, 14.6, look.neck + 2, 14.6, 5.6, 22, 0, 40, -5.6, 22)
    v_neck(pen, look, 2.6)
    edge = shade(c, 0.85)
    for s in (-1.0, 1.0):
        pen.poly(edge, s * (look.neck + 1.8), 14.2, s * (look.neck + 6.6), 19, s * 8, 25.5, 0, 42,
                 s * 4.6, 22)  # fmt: skip
        pen.poly(shade(c, 1.3), s * (look.neck + 1.8), 14.2, s * (look.neck + 5.8), 19, s * 7, 25,
                 0.0, 40.4, s * 4.4, 22)  # fmt: skip
    pen.line(0.6, edge, 0, 41, 0, 52)
    pen.box(7.6, 31, 12.4, 36.5, edge)
    pen.line(1.0, d, 9, 29, 9, 33)


def scrubs(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A hospital tunic with a V neck and a pocket."""
    torso(pen, look, c)
    v_neck(pen, look, 6.0)
    for s in (-1.0, 1.0):
        pen.line(1.6, d, s * (look.neck + 1.6), 14.8, 0, 23)
    pen.box(6.6, 29, 11.6, 35, shade(c, 0.85))


def chef_coat(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A double-breasted coat with a neckerchief in the second colour."""
    torso(pen, look, c)
    pen.line(0.7, shade(c, 0.78), -7.5, 20, -5.4, 52)
    for y in (25.0, 30.5, 36.0):
        for x in (-4.4, 4.4):
            pen.disc(x, y, 1.15, INK)
    pen.mirror(d, 0, 14.4, look.neck + 1.8, 14, look.neck + 1.6, 17.2, 0, 20)
    pen.poly(shade(d, 0.85), 0, 18, 3.2, 24.5, -3.2, 24.5)
    pen.disc(0, 18.6, 1.6, shade(d, 0.8))


def apron(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """An apron in the first colour over a shirt in the second."""
    shirt(pen, look, d, d)
    apron_over(pen, look, c)


def striped_apron(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A white apron with upright stripes in the first colour."""
    shirt(pen, look, d, d)
    apron_over(pen, look, WHITE)
    for x in (-6.0, -2.0, 2.0, 6.0):
        pen.line(2.0, c, x, 26, x * 1.25, 54)


def overalls(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """Bib overalls over a shirt in the second colour."""
    shirt(pen, look, d, d)
    _bib(pen, look, c)


def plaid_overalls(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """Bib overalls over a checked shirt."""
    plaid(pen, look, d, WHITE)
    _bib(pen, look, c)


def _bib(pen: Pen, look: Look, c: Colour) -> None:
    for s in (-1.0, 1.0):
        pen.line(3.2, c, s * (look.shoulders * 0.6), 18.6, s * 6.6, 30)
        pen.disc(s * 6.4, 29.6, 1.3, GOLD)
    pen.mirror(c, 0, 28, 8, 28, 9.6, 34, 12.5, 42, 14, 54, 0, 54)
    pen.box(-4.2, 32, 4.2, 37.5, shade(c, 1.18))


def uniform(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A buttoned uniform with shoulder boards, pockets and a badge."""
    torso(pen, look, c)
    tie(pen, shade(c, 0.55))
    collar(pen, look, shade(c, 1.18))
    _shoulder_boards(pen, look, d)
    for s in (-1.0, 1.0):
        pen.box(s * 8.6 - 3, 31, s * 8.6 + 3, 36, shade(c, 0.78))
    pen.star(8.4, 27.4, 3.2, GOLD, points=6, inner=0.6)
    pen.disc(8.4, 27.4, 1.0, shade(GOLD, 0.7))


def _shoulder_boards(pen: Pen, look: Look, d: Colour) -> None:
    for s in (-1.0, 1.0):
        x = s * (look.shoulders - 4.6)
        pen.line(2.8, INK, x - s * 3, 19.4, x + s * 2.4, 21.6)
        for i in (0.0, 1.9):
            pen.line(
                0.9, d, x - s * (2.2 - i) - 0.2, 18.6 + 0.5 * i, x - s * (2.8 - i), 21 + i * 0.3
            )


def white_uniform(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A shirt with a black tie and gold-striped shoulder boards."""
    torso(pen, look, c)
    collar(pen, look, shade(c, 1.1))
    tie(pen, BLACK)
    _shoulder_boards(pen, look, GOLD)
    pen.curve(1.6, GOLD, 5, 29, 8.6, 28, 12.4, 29)


def sailor_suit(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A white top with a broad blue collar and a knotted scarf."""
    torso(pen, look, c)
    v_neck(pen, look, 6)
    for s in (-1.0, 1.0):
        pen.poly(d, s * (look.neck + 1), 14.6, s * (look.shoulders - 3), 20, s * 11, 28, 0, 30,
                 0, 25)  # fmt: skip
        pen.line(0.8, WHITE, s * (look.shoulders - 4), 21.5, s * 10.2, 27, 0, 28.6)
    pen.poly(shade(d, 0.65), -1.6, 27, 1.6, 27, 4, 37, 0, 34, -4, 37)


def vest(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A sleeveless vest with pockets, open over a T-shirt in the second colour."""
    tee(pen, look, d, d)
    for s in (-1.0, 1.0):
        pen.smooth(c, s * (look.neck + 3), 16.6, s * (look.shoulders - 5), 18.8, s * 12, 30,
                   s * 13, 52, s * 3.6, 52, s * 4.4, 26)  # fmt: skip
        pen.box(s * 8.4 - 2.8, 30, s * 8.4 + 2.8, 35.4, shade(c, 0.8))
        pen.box(s * 8.4 - 2.8, 30, s * 8.4 + 2.8, 31.4, shade(c, 0.65))


def hi_vis(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A safety vest with reflecting bands over a dark shirt."""
    torso(pen, look, d)
    for s in (-1.0, 1.0):
        pen.smooth(c, s * (look.neck + 2), 16, s * (look.shoulders - 3.4), 19.4, s * 14, 30,
                   s * 14.5, 52, s * 0.4, 52, s * 0.4, 27)  # fmt: skip
        pen.line(2.3, SILVER, s * 8.4, 19, s * 8.4, 33)
    pen.box(-14, 33, 14, 36, SILVER)
    neckline(pen, look, deep=0.8)


def turnout(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A fire-fighting coat with bright bands and a high collar."""
    torso(pen, look, c)
    s = look.shoulders + 1
    for y in (26.0, 35.0):
        pen.box(-s, y, s, y + 3.6, d)
        pen.box(-s, y + 1.3, s, y + 2.3, SILVER)
    pen.box(-look.neck - 2.4, 12.6, look.neck + 2.4, 18, shade(c, 0.75), r=1.4)
    pen.line(1.4, shade(c, 0.6), 0, 17, 0, 52)


def space_suit(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A padded suit with a wide metal ring at the neck and a control box."""
    torso(pen, look, c)
    pen.oval(0, 16.4, look.neck + 7, 4.6, STEEL)
    pen.oval(0, 15.6, look.neck + 5.6, 3.2, COAL)
    pen.poly(look.skin, -look.neck, 8, look.neck, 8, look.neck, 16.6, -look.neck, 16.6)
    pen.box(-6.4, 27, 6.4, 36, STEEL, r=1.2)
    for x, colour in ((-3.4, rgb("e04040")), (0.0, AMBER), (3.4, rgb("40b060"))):
        pen.disc(x, 30, 1.3, colour)
    pen.box(-4.6, 32.6, 4.6, 34.4, INK)
    for s in (-1.0, 1.0):
        pen.box(s * (look.shoulders - 3) - 2.4, 24, s * (look.shoulders - 3) + 2.4, 27, d)


def robe(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A wide robe with a white pleated band at the neck."""
    torso(pen, look, c)
    fold = shade(c, 1.22) if luminance(c) < 90 else shade(c, 0.8)
    for x in (-11.0, -5.6, 5.6, 11.0):
        pen.line(0.9, fold, x * 0.8, 21, x, 52)
    collar(pen, look, WHITE)
    pen.poly(WHITE, -1.4, 18, 1.4, 18, 4, 29.5, -4, 29.5)
    pen.line(0.6, SILVER, 0, 19, 0, 29)


def gown(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """An academic gown with a hood in the second colour."""
    torso(pen, look, c)
    v_neck(pen, look, 3)
    collar(pen, look, WHITE)
    for s in (-1.0, 1.0):
        pen.smooth(d, s * (look.neck + 2), 15, s * (look.neck + 7.5), 19, s * 9, 30, 0, 40,
                   0, 34, s * 4.4, 24)  # fmt: skip
        pen.line(0.9, GOLD, s * (look.neck + 6.6), 20, s * 8, 29, 0, 37.6)


def camouflage(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jacket with patches in three greens and browns."""
    torso(pen, look, c)
    tones = (rgb("3d4a2a"), rgb("8f8355"), rgb("56452e"))
    for i in range(11):
        x = (i * 7.3) % 34.0 - 17.0
        y = 22.0 + (i * 5.1) % 24.0
        pen.smooth(tones[i % 3], x - 3.4, y, x, y - 2, x + 3.6, y - 0.4, x + 1.4, y + 2.4)
    v_neck(pen, look, 1.0)
    collar(pen, look, shade(c, 0.8))


def jumpsuit(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A working suit with a zip and a name patch."""
    torso(pen, look, c)
    v_neck(pen, look, 2)
    collar(pen, look, shade(c, 0.8))
    pen.line(1.0, SILVER, 0, 21, 0, 52)
    pen.box(4.6, 27, 11.6, 30.6, WHITE, r=0.8)
    pen.box(-11, 27, -5, 33, shade(c, 0.78))
    pen.box(-14, 42, 14, 44.4, d)


def smock(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A loose smock with spots of paint."""
    torso(pen, look, c)
    pen.mirror(d, 0, 16.4, look.neck + 2.6, 15, look.neck + 4, 19, 0, 21)
    spots = (rgb("e04848"), rgb("f4c430"), rgb("48a860"), WHITE, rgb("e078b0"))
    for i in range(9):
        x, y = (i * 6.7) % 24.0 - 12.0, 24.0 + (i * 4.9) % 18.0
        pen.oval(x, y, 1.6, 1.2, spots[i % 5])


def tunic(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A tunic buttoned on one side, with edges in the second colour."""
    torso(pen, look, c)
    pen.box(-look.neck - 1.2, 13.2, look.neck + 1.2, 17.6, d, r=1.2)
    pen.line(1.8, d, -3, 17, -8, 22, -8, 52)
    for y in (26.0, 31.0, 36.0):
        pen.disc(-5.4, y, 0.9, d)
