"""Bride and groom in six traditions of dress, each simplified to a few clear signs."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.cuts import bow_tie, collar, neckline, torso, v_neck
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    COAL,
    CRIMSON,
    GOLD,
    INK,
    LEAF,
    PINK,
    RED,
    ROSE,
    SILVER,
    WHITE,
    Colour,
    jitter,
    pick,
    rgb,
    shade,
    veil,
)
from portrayal_practice.scene import ShownPerson

IVORY = rgb("fbf6ea")
SINDOOR = rgb("c01c30")
ASO_OKE: tuple[Colour, ...] = tuple(
    rgb(c) for c in ["8a2a8a", "d8542a", "1f8a7a", "b8860b", "2a4aa8"]
)


def bride(person: ShownPerson, look: Look) -> bool:
    """Whether a wedding dress is a bride's; an ambiguous person may be shown as either."""
    if person.presentation == "ambiguous":
        return look.fringe < 0.5
    return person.presentation == "woman"


def veiled(person: ShownPerson) -> bool:
    """Whether the head dress hides the hair at the back."""
    covering = {"japanese"} if person.presentation == "woman" else {"indian", "arab"}
    return person.dress in covering


def draw_wedding_dress(pen: Pen, look: Look, person: ShownPerson) -> Colour:
    """Draw the dress and return the colour of the sleeves."""
    drawers = _BRIDES if bride(person, look) else _GROOMS
    return drawers[str(person.dress)](pen, look)


def _western_bride(pen: Pen, look: Look) -> Colour:
    veil_colour = veil(WHITE, 0.7)
    for s in (-1.0, 1.0):
        pen.smooth(
            veil_colour, s * 6, -8, s * 13, -6, s * 19, 18, s * 22, 50, s * 11, 50, s * 11, 8
        )
    torso(pen, look, IVORY)
    neckline(pen, look, deep=6.4)
    for i in range(7):
        x = -9.0 + 3 * i
        pen.disc(x, 24.4 - 0.05 * x * x, 1.5, WHITE)
        pen.disc(x, 29, 0.8, SILVER)
    pen.curve(1.0, SILVER, -9, 34, 0, 36, 9, 34)
    _flowers(pen, (PINK, WHITE, ROSE))
    return IVORY


def _flowers(pen: Pen, colours: tuple[Colour, ...]) -> None:
    for i, (x, y) in enumerate(((-5, 38), (0, 36), (5, 38), (-2.6, 41), (2.6, 41), (0, 39))):
        pen.disc(x, y, 3.2, LEAF if i == 3 else colours[i % len(colours)])
        pen.disc(x, y, 1.2, shade(colours[i % len(colours)], 0.8))


def _western_groom(pen: Pen, look: Look) -> Colour:
    torso(pen, look, BLACK)
    pen.poly(WHITE, -look.neck - 2, 14.6, look.neck + 2, 14.6, 5, 22, 0, 40, -5, 22)
    collar(pen, look, WHITE)
    for s in (-1.0, 1.0):
        pen.poly(COAL, s * (look.neck + 2.2), 14.6, s * (look.neck + 6.6), 19, s * 8, 26, 0, 42,
                 s * 4.6, 22)  # fmt: skip
    bow_tie(pen, BLACK)
    for y in (25.0, 30.0, 35.0):
        pen.disc(0, y, 0.8, INK)
    pen.disc(9.4, 26, 2.6, pick(pen.rng, (WHITE, ROSE, RED)))
    pen.line(1.0, LEAF, 9.4, 28, 8.6, 31.6)
    return BLACK


def _indian_bride(pen: Pen, look: Look) -> Colour:
    red = jitter(pen.rng, SINDOOR, 16)
    pen.mirror(red, 0, -17.4, 9, -15, 13.6, -4, 15, 14, 19, 30, 0, 34)
    torso(pen, look, red)
    neckline(pen, look, deep=4.6)
    for i in range(7):
        x = -7.5 + 2.5 * i
        pen.disc(x, 22.6 - 0.05 * x * x, 1.3, GOLD)
        pen.disc(x, 25.4 - 0.05 * x * x, 0.9, GOLD)
    pen.poly(shade(red, 0.82), -18, 20, -11, 19, 12, 52, -4, 52)
    pen.line(1.9, GOLD, -11, 19, 12, 52)
    for i in range(5):
        pen.disc(-12 + 3.2 * i, 26 + 5 * i, 1.2, GOLD)
    return red


def _indian_groom(pen: Pen, look: Look) -> Colour:
    cream = jitter(pen.rng, rgb("f2dfae"), 10)
    torso(pen, look, cream)
    pen.box(-look.neck - 1.2, 13.2, look.neck + 1.2, 18, GOLD, r=1)
    pen.line(2.2, GOLD, 0, 18, 0, 52)
    for s in (-1.0, 1.0):
        for i in range(7):
            pen.disc(s * (9.6 - 0.14 * i * i), 20 + 3.6 * i, 1.9, AMBER if i % 2 else RED)
    pen.disc(0, 43, 3, RED)
    return cream


def _chinese_bride(pen: Pen, look: Look) -> Colour:
    red = jitter(pen.rng, rgb("d41f2c"), 10)
    torso(pen, look, red)
    pen.box(-look.neck - 1, 13, look.neck + 1, 17.6, red, r=1)
    pen.line(0.9, GOLD, -look.neck - 1, 17.4, look.neck + 1, 17.4)
    pen.curve(1.3, GOLD, 0, 17.6, 5, 22, 11, 25)
    for x, y in ((2.0, 19.0), (6.0, 22.4), (10.0, 24.6)):
        pen.disc(x, y, 1.2, GOLD)
    pen.curve(1.6, GOLD, -10, 38, -6, 28, -1, 34, 4, 28, 9, 38)
    pen.disc(-1, 40, 3, GOLD)
    return red


def _chinese_groom(pen: Pen, look: Look) -> Colour:
    robe = jitter(pen.rng, rgb("7c1622"), 10)
    torso(pen, look, robe)
    pen.box(-look.neck - 1.2, 13, look.neck + 1.2, 17.6, BLACK, r=1)
    for s in (-1.0, 1.0):
        pen.line(3.0, RED, s * look.shoulders * 0.6, 18.6, 0, 31)
        pen.ring(s * 11.4, 36, 3.6, 1.1, GOLD)
    pen.star(0, 31, 6.4, RED, points=9, inner=0.75)
    pen.disc(0, 31, 2.2, shade(RED, 0.7))
    return robe


def _nigerian_bride(pen: Pen, look: Look) -> Colour:
    colour = jitter(pen.rng, ASO_OKE[int(look.gaze * 100) % 5], 14)
    torso(pen, look, colour)
    neckline(pen, look, deep=4.6)
    for x in (-12.0, -4.0, 4.0, 12.0):
        pen.line(1.2, GOLD, x, 27, x * 1.1, 52)
    for row in range(3):
        for i in range(7):
            x = -7.5 + 2.5 * i
            pen.disc(x, 19.4 + 2.4 * row - 0.05 * x * x, 1.2, rgb("e8542c"))
    return colour


def _nigerian_groom(pen: Pen, look: Look) -> Colour:
    colour = jitter(pen.rng, ASO_OKE[int(look.gaze * 100) % 5], 14)
    torso(pen, look, colour)
    s = look.shoulders
    pen.smooth(shade(colour, 0.86), -s - 3, 52, -s - 3, 24, -9, 18, -4, 52)
    pen.smooth(shade(colour, 0.86), s + 3, 52, s + 3, 24, 9, 18, 4, 52)
    v_neck(pen, look, 2)
    for y in range(4):
        pen.arc(0, 24, 7 - 1.4 * y, 9 - 1.6 * y, (0, 180), width=0.9, colour=GOLD)
    for i in range(7):
        x = -6.0 + 2 * i
        pen.disc(x, 23 - 0.12 * x * x, 1.3, rgb("e8542c"))
    return colour


def _kimono(pen: Pen, look: Look, colour: Colour, edge: Colour) -> None:
    torso(pen, look, colour)
    v_neck(pen, look, 5)
    n = look.neck
    pen.poly(edge, n + 1, 14.6, n + 4, 15.4, -2, 34, -6, 34)
    pen.poly(shade(edge, 0.9), -n - 1, 14.6, -n - 4, 15.4, 0, 28, 2, 24)
    pen.line(0.7, SILVER, n + 4, 15.6, -2, 34)


def _japanese_bride(pen: Pen, look: Look) -> Colour:
    _kimono(pen, look, IVORY, WHITE)
    pen.box(-13, 34, 13, 40, rgb("f0e4cc"))
    pen.box(-13, 36.4, 13, 37.8, rgb("c8342c"))
    for x, y in ((-12.0, 27.0), (11.0, 29.0), (14.0, 44.0), (-9.0, 46.0)):
        pen.star(x, y, 2.6, rgb("ece0d4"), points=6, inner=0.6)
    return IVORY


def _japanese_groom(pen: Pen, look: Look) -> Colour:
    dark = rgb("23242c")
    _kimono(pen, look, dark, rgb("3a3b46"))
    for s in (-1.0, 1.0):
        pen.disc(s * 10.6, 25.4, 2.0, WHITE)
        pen.disc(s * 10.6, 25.4, 1.0, dark)
        pen.curve(1.4, WHITE, s * 4, 30, s * 1, 35, 0, 37)
    for x in (-9.0, -4.5, 0.0, 4.5, 9.0):
        pen.box(x - 2.2, 40, x + 2.2, 54, rgb("8a8c94") if int(x) % 2 else rgb("a4a6ae"))
    pen.disc(0, 36.6, 2.4, WHITE)
    return dark


def _arab_bride(pen: Pen, look: Look) -> Colour:
    base = jitter(pen.rng, pick(pen.rng, (rgb("1f7a5a"), rgb("f6f0e2"), rgb("8a2a5a"))), 10)
    for s in (-1.0, 1.0):
        pen.smooth(veil(base, 0.85), s * 5, -13, s * 12, -8, s * 16, 14, s * 20, 50, s * 9, 50,
                   s * 11, 6)  # fmt: skip
    torso(pen, look, base)
    pen.mirror(GOLD, 0, 15.4, look.neck + 3, 15, 10, 20, 6, 30, 0, 38)
    pen.mirror(base, 0, 20, 5.6, 20, 4, 27, 0, 32)
    neckline(pen, look, deep=1.6)
    for i in range(5):
        pen.disc(-6 + 3 * i, 22 + 1.2 * (2 - abs(i - 2)), 1.0, rgb("fff0b0"))
    pen.box(-14, 40, 14, 43, GOLD)
    return base


def _arab_groom(pen: Pen, look: Look) -> Colour:
    torso(pen, look, WHITE)
    pen.box(-look.neck - 1, 13.4, look.neck + 1, 17.4, WHITE, r=1)
    pen.line(0.6, SILVER, 0, 17.4, 0, 52)
    s = look.shoulders
    for side in (-1.0, 1.0):
        pen.smooth(INK, side * 7, 17.4, side * (s + 2), 21, side * (s + 4), 52, side * 6, 54,
                   side * 5, 34)  # fmt: skip
        pen.curve(1.9, GOLD, side * 7, 17.6, side * 5.4, 32, side * 5.6, 52)
    return INK


def draw_wedding_hat(pen: Pen, look: Look, person: ShownPerson) -> None:
    """Draw crown, veil, turban or wrap."""
    if bride(person, look):
        _bride_crown(pen, look, str(person.dress))
    else:
        _groom_hat(pen, look, str(person.dress))


def _bride_crown(pen: Pen, look: Look, dress: str) -> None:
    w = look.width
    if dress == "western":
        pen.mirror(veil(WHITE, 0.75), 0, -17, 8, -15.4, 12.4, -6, 14.6, 10, 10.8, 4, 10, -7, 0, -12)
        for x in (-6.0, -3.0, 0.0, 3.0, 6.0):
            pen.disc(x, -12.6 + 0.06 * x * x, 1.7, WHITE)
            pen.disc(x, -12.6 + 0.06 * x * x, 0.7, PINK)
    elif dress == "indian":
        pen.line(1.0, GOLD, 0, -14, 0, -8)
        pen.disc(0, -6.6, 1.9, GOLD)
        pen.disc(0, -3.4, 0.9, RED)
        pen.ring(look.gaze + 2, 5.6, 1.5, 0.6, GOLD)
        pen.arc(0, -2, w + 2.6, 14.6, (190, 350), width=2.0, colour=GOLD)
    elif dress == "chinese":
        pen.mirror(GOLD, 0, -20, 6, -18, 11.6, -13, 9, -9, 0, -11)
        pen.disc(0, -15, 2.3, RED)
        for s in (-1.0, 1.0):
            pen.disc(s * 6, -13.4, 1.6, RED)
            for i in range(4):
                pen.disc(s * (w + 1.8), -7 + 3 * i, 0.9, GOLD if i % 2 else RED)
    elif dress == "nigerian":
        colour = ASO_OKE[int(look.gaze * 100) % 5]
        pen.smooth(colour, -11, -7, -17, -17, -8, -22, 2, -20, 12, -25, 18, -15, 11, -7, 0, -9)
        pen.curve(1.3, GOLD, -11, -9, -4, -16, 14, -19)
        pen.curve(1.1, shade(colour, 0.7), -8, -8, 2, -13, 12, -12)
        pen.curve(1.1, shade(colour, 1.4), -13, -15, -4, -19, 6, -19)
    elif dress == "japanese":
        pen.mirror(IVORY, 0, -19.6, 10, -17, 15, -7, 14.6, 5, 11.6, 11, 10, 2, 8, -7, 0, -10.4)
        pen.curve(0.9, SILVER, -11.4, 10, -9.6, -2, -7, -8, 0, -10.6, 7, -8, 9.6, -2, 11.4, 10)
    else:
        pen.arc(0, -2, w + 0.8, 12, (195, 345), width=2.4, colour=GOLD)
        for x in (-6.0, -3.0, 0.0, 3.0, 6.0):
            pen.line(0.7, GOLD, x, -12.6 + 0.1 * x * x, x, -9 + 0.1 * x * x)
            pen.disc(x, -8.2 + 0.1 * x * x, 1.0, rgb("fff0b0"))


def _groom_hat(pen: Pen, look: Look, dress: str) -> None:
    if dress == "indian":
        colour = rgb("c8283c")
        pen.mirror(colour, 0, -20.4, 9, -18, 13, -11, 11, -6, 0, -8)
        for s in (-1.0, 1.0):
            pen.curve(1.2, shade(colour, 0.7), s * 11, -8, s * 4, -12, -s * 2, -18)
        pen.disc(0, -12, 2.4, GOLD)
        pen.smooth(GOLD, -1, -14, -2.4, -22, 1, -24.6, 2.6, -20, 1, -14)
    elif dress == "chinese":
        pen.mirror(BLACK, 0, -18.6, 8, -16.6, 10.8, -9, 0, -8.4)
        pen.disc(0, -18.8, 1.9, RED)
        pen.box(-10.6, -10.6, 10.6, -8, CRIMSON)
    elif dress == "nigerian":
        colour = ASO_OKE[int(look.gaze * 100) % 5]
        pen.smooth(colour, -10.4, -8, -9, -17, 0, -20, 9, -20, 14.4, -14.4, 10.4, -8, 0, -9)
        pen.curve(1.3, GOLD, -10, -10, 0, -11.4, 10.4, -10)
    elif dress == "arab":
        pen.mirror(WHITE, 0, -16.6, 9, -14.4, 13, -5, 14.4, 10, 16, 24, 10, 22, 10.4, 6, 9.2, -5,
                   0, -9.4)  # fmt: skip
        pen.curve(1.9, BLACK, -11.6, -8.4, 0, -12.4, 11.6, -8.4)
        pen.curve(1.6, BLACK, -11.2, -11, 0, -14.6, 11.2, -11)


_BRIDES = {
    "western": _western_bride, "indian": _indian_bride, "chinese": _chinese_bride,
    "nigerian": _nigerian_bride, "japanese": _japanese_bride, "arab": _arab_bride,
}  # fmt: skip
_GROOMS = {
    "western": _western_groom, "indian": _indian_groom, "chinese": _chinese_groom,
    "nigerian": _nigerian_groom, "japanese": _japanese_groom, "arab": _arab_groom,
}  # fmt: skip
