"""Garments by cut; each covers the body below the neck, around the middle of the face."""

from __future__ import annotations

from collections.abc import Callable

from portrayal.practice.painter.canvas import Pen
from portrayal.practice.painter.looks import Look
from portrayal.practice.painter.palette import (
    AMBER,
    BLACK,
    COAL,
    CREAM,
    GOLD,
    INK,
    PAPER,
    SILVER,
    STEEL,
    WHITE,
    Colour,
    luminance,
    mix,
    rgb,
    shade,
    veil,
)

Garment = Callable[[Pen, Look, Colour, Colour], None]
"""Draws one cut in a main and a second colour."""


def torso(pen: Pen, look: Look, colour: Colour) -> None:
    """Fill shoulders, chest and sleeves."""
    s = look.shoulders
    pen.mirror(
        colour, 0, 15.8, look.neck + 1.2, 15.4, s * 0.62, 18.4, s - 1.8, 20.4, s + 0.6, 25,
        s + 1.6, 36, s + 1.8, 52, 0, 52,
    )  # fmt: skip
    fold = shade(colour, 0.82 if luminance(colour) > 50 else 1.14)
    for side in (-1.0, 1.0):
        pen.curve(0.8, fold, side * (s - 5.6), 29, side * (s - 5), 37, side * (s - 5.2), 50)
    pen.smooth(veil(BLACK, 0.13), s - 5.2, 28, s + 0.6, 26, s + 2, 38, s + 2, 52, s - 4.8, 52)


def neckline(pen: Pen, look: Look, *, deep: float) -> None:
    """Cut a round neckline into a garment; deeper for larger `deep`."""
    n = look.neck
    pen.oval(0, 15.5, n + 1.4, 2.2 + deep, look.skin)
    pen.mirror(look.dark, n * 0.2, 16.4, n, 13.8, n, 11)


def v_neck(pen: Pen, look: Look, depth: float) -> None:
    """Cut a pointed neckline."""
    n = look.neck
    pen.poly(look.skin, -n - 1.2, 15, n + 1.2, 15, 0, 16.5 + depth)
    pen.mirror(look.dark, n * 0.2, 16.4, n, 13.8, n, 11)


def collar(pen: Pen, look: Look, colour: Colour) -> None:
    """Draw a shirt collar."""
    n, edge = look.neck, shade(colour, 0.8)
    for s in (-1.0, 1.0):
        pen.poly(edge, s * (n + 1.6), 13.8, s * (n + 2.8), 18.5, s * 2.4, 22, 0, 17)
        pen.poly(colour, s * (n + 1.2), 13.6, s * (n + 2.2), 17.8, s * 2.6, 21, 0, 16.4)


def buttons(pen: Pen, colour: Colour, *, top: float = 22.0) -> None:
    """Draw a row of buttons down the middle."""
    for i in range(4):
        pen.disc(0, top + 4.6 * i, 0.75, colour)


def tie(pen: Pen, colour: Colour) -> None:
    """Draw a necktie."""
    dark = shade(colour, 0.75)
    pen.poly(colour, -1.7, 19.5, 1.7, 19.5, 2.9, 36, 0, 40, -2.9, 36)
    pen.poly(dark, -2.1, 17, 2.1, 17, 1.4, 20.4, -1.4, 20.4)
    pen.line(0.9, shade(colour, 1.4), -2.2, 27, 2.2, 24.4)
    pen.line(0.9, shade(colour, 1.4), -2.5, 32, 2.5, 29.4)


def bow_tie(pen: Pen, colour: Colour) -> None:
    """Draw a bow tie."""
    for s in (-1.0, 1.0):
        pen.poly(colour, 0, 18.6, s * 4.6, 16.4, s * 4.6, 21, 0, 19.6)
    pen.disc(0, 18.9, 1.2, shade(colour, 0.7))


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
    pen.arc(0, 15.5, look.neck + 2.0, 4.4, 0, 180, width=1.6, colour=d)
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
    pen.arc(0, 15.2, look.neck + 3.0, 5.4, -10, 190, width=2.6, colour=shade(c, 0.85))
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


def apron_over(pen: Pen, look: Look, c: Colour) -> None:
    """Draw only the bib and its straps."""
    for s in (-1.0, 1.0):
        pen.line(2.0, shade(c, 0.8), s * (look.neck + 2.2), 16.4, s * 7.2, 26)
    pen.mirror(c, 0, 25, 7.6, 24.6, 9, 27, 11.5, 40, 13, 54, 0, 54)
    pen.line(1.0, shade(c, 0.75), -7.4, 26.2, 7.4, 26.2)
    pen.box(-5, 34, 5, 34.9, shade(c, 0.75))


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


def striped(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A jersey with cross stripes."""
    torso(pen, look, c)
    for y in (22.0, 26.0, 30.0, 34.0, 38.0):
        x = look.shoulders + (0.2 if y > 24 else -2.0)
        pen.box(-x, y, x, y + 1.9, d)
    neckline(pen, look, deep=1.6)


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


def tank_top(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A sleeveless top that leaves the arms bare."""
    torso(pen, look, look.skin)
    for s in (-1.0, 1.0):
        pen.line(3.0, c, s * (look.neck + 3.6), 17.4, s * 7.6, 27)
    pen.mirror(c, 0, 25.6, 6, 24, 9.6, 26.5, 12, 32, 12, 54, 0, 54)
    pen.curve(1.2, d, -8.6, 26, 0, 26.2, 8.6, 26)


def cardigan(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A knitted jacket, buttoned low, over a blouse in the second colour."""
    torso(pen, look, c)
    pen.poly(d, -look.neck - 2, 14.6, look.neck + 2, 14.6, 5, 22, 0, 42, -5, 22)
    v_neck(pen, look, 4.4 if look.presentation == "woman" else 1.4)
    collar(pen, look, shade(d, 1.1))
    for s in (-1.0, 1.0):
        pen.line(1.5, shade(c, 0.8), s * (look.neck + 2.4), 15, s * 5.6, 23, 0, 42)
    buttons(pen, CREAM, top=40)


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


def leather(pen: Pen, look: Look, c: Colour, d: Colour) -> None:
    """A biker jacket with slanting zips over a T-shirt."""
    open_jacket(pen, look, c, d)
    for s in (-1.0, 1.0):
        pen.line(0.9, SILVER, s * 6.2, 26, s * 6.4, 52)
        pen.line(0.9, SILVER, s * 9.6, 34, s * 13.4, 31)


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


GARMENTS: dict[str, Garment] = {
    "tee": tee, "shirt": shirt, "blouse": blouse, "sweater": sweater, "turtleneck": turtleneck,
    "hoodie": hoodie, "suit": suit, "pinstripe": pinstripe, "open jacket": open_jacket,
    "lab coat": lab_coat, "scrubs": scrubs, "chef coat": chef_coat, "apron": apron,
    "striped apron": striped_apron, "overalls": overalls, "plaid overalls": plaid_overalls,
    "plaid": plaid, "uniform": uniform, "white uniform": white_uniform,
    "sailor suit": sailor_suit, "striped": striped, "waistcoat": waistcoat,
    "suspenders": suspenders, "vest": vest, "hi-vis": hi_vis, "turnout": turnout,
    "space suit": space_suit, "robe": robe, "gown": gown, "camouflage": camouflage,
    "jumpsuit": jumpsuit, "sequins": sequins, "tank top": tank_top, "cardigan": cardigan,
    "trench": trench, "leather": leather, "smock": smock, "tunic": tunic, "polo": polo,
    "loose shirt": loose_shirt,
}  # fmt: skip

EVERYDAY = ("tee", "tee", "shirt", "blouse", "sweater", "turtleneck", "hoodie", "cardigan",
            "striped", "open jacket", "polo", "plaid")  # fmt: skip
"""Cuts worn by people without an occupation, the same for everybody."""
