"""Parts that garments are cut from: the body of a garment, necklines, collars and ties."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import BLACK, Colour, luminance, shade, veil


def torso(pen: Pen, look: Look, colour: Colour) -> None:
    """Fill shoulders, chest and sleeves."""
    s = look.shoulders
    pen.mirror(
        colour, 0, 15.8, look.neck + 1.2, 15.4, s * 0.62, 18.4, s - 1.8, 20.4, s + 0.6, 25,
        s + 1.6, 36, s + 1.8, 52, s + 1.8, 140, 0, 140,
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


def apron_over(pen: Pen, look: Look, c: Colour) -> None:
    """Draw only the bib and its straps."""
    for s in (-1.0, 1.0):
        pen.line(2.0, shade(c, 0.8), s * (look.neck + 2.2), 16.4, s * 7.2, 26)
    pen.mirror(c, 0, 25, 7.6, 24.6, 9, 27, 11.5, 40, 13, 54, 0, 54)
    pen.line(1.0, shade(c, 0.75), -7.4, 26.2, 7.4, 26.2)
    pen.box(-5, 34, 5, 34.9, shade(c, 0.75))
