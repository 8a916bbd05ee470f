"""Hats and other things on the head; the brim lies above the brows, so that the face stays free."""

from __future__ import annotations

from collections.abc import Callable

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    COAL,
    CYAN,
    GOLD,
    INK,
    RED,
    SILVER,
    WHITE,
    YELLOW,
    Colour,
    shade,
    veil,
)

Hat = Callable[[Pen, Colour], None]


def toque(pen: Pen, c: Colour) -> None:
    """A tall pleated hat."""
    for x, y, r in ((-6.5, -20, 5.4), (6.5, -20, 5.4), (0, -22, 6.2)):
        pen.disc(x, y, r, shade(c, 0.94))
        pen.disc(x - 0.6, y - 0.6, r - 0.8, c)
    pen.box(-9.6, -17, 9.6, -8, c, r=1)
    for x in (-5.5, 0.0, 5.5):
        pen.line(0.7, shade(c, 0.8), x, -16, x, -9.6)
    pen.box(-9.8, -9.8, 9.8, -7.6, shade(c, 0.86))


def baker_cap(pen: Pen, c: Colour) -> None:
    """A low puffed cap."""
    pen.mirror(c, 0, -19.5, 9, -18.4, 13.4, -14, 10, -10, 0, -9.6)
    pen.box(-10, -11, 10, -7.8, shade(c, 0.82), r=0.8)


def paper_hat(pen: Pen, c: Colour) -> None:
    """A folded side hat with a coloured band."""
    pen.poly(WHITE, -10.4, -8, -8.4, -17, 8.4, -17, 10.4, -8)
    pen.box(-10.2, -11.4, 10.2, -8, c)


def bandana(pen: Pen, c: Colour) -> None:
    """A cloth tied over the crown, knotted at the side."""
    pen.mirror(c, 0, -16.4, 7.5, -14.6, 11, -8.6, 10.6, -5.4, 6, -7.8, 0, -8.6)
    pen.poly(shade(c, 0.8), 10, -7, 15.4, -10, 15, -5.6)
    pen.poly(shade(c, 0.7), 10, -7, 14.4, -2.6, 11.6, -1.6)
    for x, y in ((-5, -11), (0, -13), (5, -11), (-1.5, -10)):
        pen.disc(x, y, 0.8, WHITE)


def peaked_cap(pen: Pen, c: Colour) -> None:
    """An officer's cap with a badge."""
    pen.mirror(c, 0, -20.5, 9, -19.4, 14, -15.6, 10.6, -11, 0, -10.6)
    pen.box(-10.4, -13, 10.4, -8.8, shade(c, 0.55), r=0.6)
    pen.mirror(BLACK, 0, -9.6, 9.4, -9.4, 10, -6.6, 0, -6.0)
    pen.star(0, -14, 3.2, GOLD, points=6, inner=0.6)


def pilot_cap(pen: Pen, c: Colour) -> None:
    """A peaked cap with a white crown and golden wings."""
    pen.mirror(c, 0, -20.5, 9, -19.2, 14, -15.6, 10.6, -11, 0, -10.6)
    pen.box(-10.4, -13, 10.4, -8.8, INK, r=0.6)
    pen.mirror(BLACK, 0, -9.6, 9.4, -9.4, 10, -6.6, 0, -6.0)
    pen.curve(1.6, GOLD, -6, -15.6, 0, -13.6, 6, -15.6)
    pen.disc(0, -14.2, 1.6, GOLD)


def ball_cap(pen: Pen, c: Colour) -> None:
    """A cap with a long peak to one side."""
    pen.mirror(c, 0, -18, 7.8, -15.6, 10.8, -8.6, 0, -7.8)
    pen.smooth(
        shade(c, 0.72), -10.4, -9.4, 0, -8.4, 9, -9.4, 17.4, -7.6, 15, -5.8, 3, -6.4, -8, -6.6
    )
    pen.oval(0, -12.8, 3, 2.6, WHITE)
    pen.disc(0, -17.8, 1.0, shade(c, 0.7))


def visor(pen: Pen, c: Colour) -> None:
    """An eye shade on a band."""
    pen.box(-10.2, -11.4, 10.2, -8.6, shade(c, 0.6))
    pen.mirror(veil(c, 0.92), 0, -9.6, 9, -9.4, 13.4, -5.4, 0, -4.4)


def hard_hat(pen: Pen, c: Colour) -> None:
    """A safety helmet."""
    pen.mirror(c, 0, -20, 8, -18, 11.4, -10, 11.4, -8.4, 0, -8.2)
    pen.box(-14, -9.8, 14, -7.2, shade(c, 0.84), r=1.2)
    pen.box(-1.8, -20.4, 1.8, -9.6, shade(c, 1.35), r=0.8)
    pen.curve(1.0, shade(c, 1.4), -8, -12, -6.6, -15.4, -4, -17.4)


def fire_helmet(pen: Pen, c: Colour) -> None:
    """A helmet with a wide brim and a shield."""
    pen.mirror(c, 0, -21.5, 7.6, -19, 11, -10.6, 0, -9)
    pen.mirror(shade(c, 0.72), 0, -11, 10, -10.6, 17, -6.6, 8, -8, 0, -7.6)
    pen.poly(GOLD, -4, -19.4, 4, -19.4, 3.4, -12, 0, -9.6, -3.4, -12)
    pen.disc(0, -15.2, 1.9, RED)


def army_helmet(pen: Pen, c: Colour) -> None:
    """A round helmet with patches and a chin strap."""
    pen.mirror(c, 0, -19, 8.6, -17, 12.6, -8.4, 12, -4.8, 8.6, -6.8, 0, -7.4)
    for x, y in ((-6, -12), (3, -15), (7, -9.6), (-1, -10)):
        pen.oval(x, y, 2.6, 1.5, shade(c, 0.68), turn=20)
    for s in (-1.0, 1.0):
        pen.line(0.9, shade(c, 0.5), s * 10.4, -5, s * 9.4, 5, s * 5, 11)


def sailor_cap(pen: Pen, c: Colour) -> None:
    """A round white cap with a ribbon."""
    pen.mirror(c, 0, -18.6, 9.4, -17.4, 11, -13, 0, -12)
    pen.box(-10.8, -14, 10.8, -8.2, shade(c, 1.3), r=1.2)
    pen.box(-10.8, -9.8, 10.8, -7.8, (34, 58, 107))


def surgical_cap(pen: Pen, c: Colour) -> None:
    """A soft cap that covers the crown."""
    pen.mirror(c, 0, -17.4, 8, -15.8, 11.4, -9.6, 11, -6, 0, -7.4)
    pen.mirror(shade(c, 0.78), 0, -9, 10.6, -8.2, 11, -5.6, 0, -7.2)


def nurse_cap(pen: Pen, c: Colour) -> None:
    """A small white cap with a red cross."""
    pen.poly(shade(c, 0.86), -8.4, -10.4, -9.8, -18, 9.8, -18, 8.4, -10.4)
    pen.poly(c, -7.6, -11, -8.8, -17.4, 8.8, -17.4, 7.6, -11)
    pen.box(-1.1, -17, 1.1, -11.4, RED)
    pen.box(-2.9, -15.3, 2.9, -13.1, RED)


def beret(pen: Pen, c: Colour) -> None:
    """A flat cap pulled to one side."""
    pen.smooth(c, -10, -9, -12.6, -13.6, -6, -18.6, 5, -18.4, 13.6, -13.4, 14, -9.6, 6, -8.8)
    pen.smooth(shade(c, 0.7), -10.4, -9.6, 0, -10.8, 10.6, -9.4, 10, -7.6, 0, -8.6, -10, -7.6)
    pen.line(1.2, shade(c, 0.7), 1, -18, 2, -20.6)


def straw_hat(pen: Pen, c: Colour) -> None:
    """A hat with a wide brim and a band."""
    pen.mirror(shade(c, 0.88), 0, -11, 12, -10.6, 19, -8, 12, -6.6, 0, -6.8)
    pen.mirror(c, 0, -20, 7, -19, 9.6, -11, 0, -9.4)
    pen.box(-9.6, -12.4, 9.6, -9.4, (176, 70, 60))
    pen.curve(0.6, shade(c, 0.7), -15, -8.6, 0, -7.6, 15, -8.6)


def bucket_hat(pen: Pen, c: Colour) -> None:
    """A soft hat with a sloping brim."""
    pen.poly(c, -8.6, -10, -7, -18.4, 7, -18.4, 8.6, -10)
    pen.poly(shade(c, 0.8), -8.8, -11, 8.8, -11, 14.6, -5.4, -14.6, -5.4)


def fedora(pen: Pen, c: Colour) -> None:
    """A felt hat with a white card in its band."""
    pen.mirror(shade(c, 0.8), 0, -10.4, 11, -10.4, 16, -8.6, 10, -6.8, 0, -7)
    pen.smooth(c, -9, -10, -8.4, -18, -3, -19.6, 0, -17.8, 3, -19.6, 8.4, -18, 9, -10)
    pen.box(-9.2, -12.6, 9.2, -10, INK)
    pen.poly(WHITE, 4, -17, 9.4, -15.6, 8.2, -10.4, 3, -11.6)


def pillbox(pen: Pen, c: Colour) -> None:
    """A small flat hat worn aslant."""
    tilted = pen.at(2, -14.6, turn=8)
    tilted.mirror(c, 0, -4.6, 7.2, -4.2, 8.2, 2.6, 0, 3.6)
    tilted.box(-8, 0.6, 8, 2.4, GOLD)


def mortarboard(pen: Pen, c: Colour) -> None:
    """A square academic cap with a tassel."""
    pen.mirror(c, 0, -13, 9.8, -13, 10.2, -7.4, 0, -8)
    pen.poly(shade(c, 1.14), 0, -20.4, 18, -15.6, 0, -10.8, -18, -15.6)
    pen.line(0.9, GOLD, 0, -15.6, 13.6, -13.6, 14, -5.4)
    pen.box(12.8, -6.4, 15.4, -1.6, GOLD)


def post_cap(pen: Pen, c: Colour) -> None:
    """A round cap with a stiff peak and a bright band."""
    pen.mirror(c, 0, -18.4, 9, -17.6, 10.8, -13, 10.4, -9, 0, -8.6)
    pen.box(-10.5, -12, 10.5, -9.6, AMBER)
    pen.mirror(INK, 0, -9.6, 9, -9.4, 10.4, -6.6, 0, -6.2)


def flat_cap(pen: Pen, c: Colour) -> None:
    """A soft cap with a short peak."""
    pen.smooth(c, -11, -8.8, -10.6, -14, -3, -17.6, 6, -16.8, 12.4, -11.6, 12, -8.6, 0, -8.4)
    pen.mirror(shade(c, 0.7), 0, -10, 9.6, -9.6, 11, -6.8, 0, -6.6)


def headphones(pen: Pen, c: Colour) -> None:
    """Large headphones."""
    pen.arc(0, -1, 11.2, 15.4, (185, 355), width=1.9, colour=c)
    for s in (-1.0, 1.0):
        pen.box(s * 11 - 2.1, -3.4, s * 11 + 2.1, 5, c, r=1.6)
        pen.box(s * 12.2 - 0.9, -2, s * 12.2 + 0.9, 3.6, shade(c, 1.4), r=0.6)


def headset(pen: Pen, c: Colour) -> None:
    """An earphone with a microphone at the mouth."""
    pen.arc(0, -1, 10.8, 14.8, (185, 355), width=1.3, colour=c)
    pen.oval(-10.4, 1, 2.1, 3.2, c)
    pen.curve(0.9, c, -10.4, 3, -9.4, 8.6, -5, 9.8)
    pen.oval(-4.8, 9.7, 1.5, 1.1, INK)


def goggles_up(pen: Pen, c: Colour) -> None:
    """Safety goggles pushed up on the forehead."""
    pen.box(-10.4, -11.6, 10.4, -9.4, COAL)
    for s in (-1.0, 1.0):
        pen.oval(s * 4.4, -10.4, 4.2, 3.1, c)
        pen.oval(s * 4.4, -10.4, 3.1, 2.1, CYAN)
        pen.oval(s * 4.4 - 1, -11.2, 1, 0.6, WHITE)


def head_mirror(pen: Pen, c: Colour) -> None:
    """A round mirror on a band."""
    pen.box(-10.2, -10.6, 10.2, -8.8, c)
    pen.disc(0, -11, 4.2, SILVER)
    pen.disc(0, -11, 3.2, WHITE)
    pen.disc(0, -11, 1.1, INK)


def space_helmet(pen: Pen, c: Colour) -> None:
    """A clear globe around the head."""
    # No fill over the face: tinted glass would change the skin tone.
    pen.arc(0, -1, 16.6, 18, (0, 360), width=1.6, colour=veil(c, 0.55))
    pen.arc(0, -1, 18, 19.4, (0, 360), width=1.7, colour=WHITE)
    pen.arc(0, -1, 15.4, 16.6, (195, 250), width=1.6, colour=WHITE)


def headscarf(pen: Pen, c: Colour) -> None:
    """A scarf tied at the crown with a bow."""
    pen.mirror(c, 0, -14.8, 7, -13.8, 10.8, -7.6, 10, -5.6, 5.4, -9, 0, -10)
    for s in (-1.0, 1.0):
        pen.smooth(shade(c, 0.85), 0, -14, s * 3, -19, s * 6.4, -18.4, s * 4, -14)
    pen.disc(0, -14.4, 1.6, shade(c, 0.7))


def sweatband(pen: Pen, c: Colour) -> None:
    """A sports band around the forehead."""
    pen.mirror(c, 0, -10.6, 7, -10, 10.2, -7.4, 10, -5, 6.6, -7.4, 0, -7.8)


def pencil(pen: Pen, c: Colour) -> None:
    """A pencil behind the ear."""
    pen.line(1.7, YELLOW, 8, -5.6, 15, 0.4)
    pen.line(1.2, INK, 15, 0.4, 16.4, 1.6)


HATS: dict[str, Hat] = {
    "toque": toque, "baker cap": baker_cap, "paper hat": paper_hat, "bandana": bandana,
    "peaked cap": peaked_cap, "pilot cap": pilot_cap, "ball cap": ball_cap, "visor": visor,
    "hard hat": hard_hat, "fire helmet": fire_helmet, "army helmet": army_helmet,
    "sailor cap": sailor_cap, "surgical cap": surgical_cap, "nurse cap": nurse_cap,
    "beret": beret, "straw hat": straw_hat, "bucket hat": bucket_hat, "fedora": fedora,
    "pillbox": pillbox, "mortarboard": mortarboard, "post cap": post_cap, "flat cap": flat_cap,
    "headphones": headphones, "headset": headset, "goggles": goggles_up,
    "head mirror": head_mirror, "space helmet": space_helmet, "headscarf": headscarf,
    "sweatband": sweatband, "pencil": pencil,
}  # fmt: skip

OPEN_CROWN = frozenset({
    "headphones", "headset", "goggles", "head mirror", "sweatband", "pencil", "space helmet",
    "visor", "nurse cap", "pillbox",
})  # fmt: skip
"""Headgear that leaves the crown visible."""
