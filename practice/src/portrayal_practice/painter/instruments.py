"""Musical instruments, each in a box from -20 to 20."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    CREAM,
    DARK_WOOD,
    GOLD,
    GREY,
    INK,
    RED,
    SILVER,
    STEEL,
    WHITE,
    WOOD,
    YELLOW,
    Colour,
    jitter,
    rgb,
    shade,
)

_BRASS = rgb("e8b83a")
_BRASS_DARK = rgb("b8862a")


def _tone(pen: Pen, code: str) -> Colour:
    return jitter(pen.rng, rgb(code), 16)


def _strings(pen: Pen, count: int, top: float, bottom: float, *, gap: float = 0.9) -> None:
    for i in range(count):
        x = (i - (count - 1) / 2.0) * gap
        pen.line(0.35, CREAM, x, top, x, bottom)


def _bowed(pen: Pen, colour: Colour, *, size: float, bow: bool) -> None:
    """Draw a body with a waist, a neck with a scroll, and perhaps a bow."""
    if bow:
        pen.line(1.3, DARK_WOOD, 13, -19, 18, 19)
        pen.line(0.6, WHITE, 14.6, -19, 19.4, 19)
    local = pen.at(-3 if bow else 0, 4, scale=size)
    local.mirror(shade(colour, 0.7), 0, -10, 6, -8.6, 7, -4, 5, 0, 8.6, 5.4, 8, 12, 0, 15)
    local.mirror(colour, 0, -9, 5.2, -7.8, 6, -4, 4.2, 0, 7.6, 5.4, 7, 11.2, 0, 14)
    for s in (-1.0, 1.0):
        local.curve(0.8, INK, s * 3.6, -1, s * 2.8, 2, s * 4, 5)
    local.box(-1.2, -21, 1.2, 1, INK)
    local.disc(0, -22.4, 2.2, DARK_WOOD)
    for y in (-21.0, -19.0):
        local.line(0.8, DARK_WOOD, -3, y, 3, y)
    local.box(-2.8, 4.6, 2.8, 5.8, CREAM)
    local.poly(INK, -1.7, 7.4, 1.7, 7.4, 1, 13, -1, 13)
    _strings(local, 4, -20, 8, gap=0.7)


def violin(pen: Pen) -> None:
    """An orange-brown violin with its bow."""
    _bowed(pen, _tone(pen, "c8702c"), size=0.86, bow=True)


def viola(pen: Pen) -> None:
    """A larger, darker, redder violin without bow."""
    _bowed(pen, _tone(pen, "8a3a24"), size=1.02, bow=False)


def fiddle(pen: Pen) -> None:
    """A pale country fiddle lying aslant, with notes."""
    _bowed(pen.at(2, 0, turn=52), _tone(pen, "e0a85a"), size=0.86, bow=False)
    for x, y in ((-13, -12), (-7, -16)):
        pen.oval(x, y, 2, 1.5, INK, turn=-20)
        pen.line(0.9, INK, x + 1.6, y, x + 1.6, y - 5)


def cello(pen: Pen) -> None:
    """A large body on a spike, with a chair-high neck."""
    c = _tone(pen, "9a5426")
    pen.line(1.0, STEEL, 0, 16, 0, 20)
    pen.mirror(shade(c, 0.7), 0, -6, 8, -4, 9.6, 1, 6.6, 5, 11.4, 10, 10, 17, 0, 18)
    pen.mirror(c, 0, -5, 7, -3.2, 8.4, 1, 5.6, 5, 10.2, 10, 9, 16, 0, 17)
    for s in (-1.0, 1.0):
        pen.curve(0.9, INK, s * 4.8, 4, s * 3.8, 7, s * 5.4, 10)
    pen.box(-1.2, -18, 1.2, 6, INK)
    pen.disc(0, -19, 2.2, DARK_WOOD)
    pen.box(-3.4, 8.4, 3.4, 9.6, CREAM)
    _strings(pen, 4, -17, 12, gap=0.75)
    pen.line(1.2, DARK_WOOD, -18, 3, 18, 12)


def guitar(pen: Pen) -> None:
    """A round-holed guitar."""
    c = _tone(pen, "e09a3a")
    local = pen.at(0, 0, turn=28)
    local.mirror(shade(c, 0.65), 0, -3, 7, -2, 8, 3, 6.4, 6.4, 11, 11, 9, 18.6, 0, 20)
    local.mirror(c, 0, -2, 6, -1, 7, 3, 5.4, 6.6, 9.8, 11, 8, 17.6, 0, 19)
    local.disc(0, 6.6, 3.4, INK)
    local.box(-1.5, -17, 1.5, 4, DARK_WOOD)
    local.box(-2.4, -22, 2.4, -16.4, INK, r=0.8)
    local.box(-4, 13.4, 4, 15, DARK_WOOD)
    _strings(local, 4, -20, 14, gap=0.7)


def lute(pen: Pen) -> None:
    """A pear-shaped body with a bent-back peg box and a rose."""
    c = _tone(pen, "d8b070")
    pen.mirror(shade(c, 0.6), 0, -7, 5, -3, 10.6, 7, 8, 17, 0, 20)
    pen.mirror(c, 0, -6, 4.2, -2.4, 9.4, 7, 7, 16, 0, 19)
    pen.ring(0, 5, 3.4, 1.1, DARK_WOOD)
    pen.star(0, 5, 2.4, DARK_WOOD, points=6)
    pen.box(-1.7, -15, 1.7, -2, DARK_WOOD)
    pen.poly(DARK_WOOD, -1.7, -16, 2, -14, 11, -19, 9, -21)
    for i in range(4):
        pen.line(0.8, CREAM, 3 + 2 * i, -19.4 - 0.3 * i, 5 + 2 * i, -15 - 0.6 * i)
    pen.box(-4, 13, 4, 14.2, DARK_WOOD)
    _strings(pen, 5, -14, 14, gap=0.6)


def mandolin(pen: Pen) -> None:
    """A small almond body in red-brown sunburst with two points."""
    c = _tone(pen, "a83a1c")
    local = pen.at(0, 0, turn=-26)
    local.smooth(shade(c, 0.6), 0, -3, 5, -7, 8, -4, 6.4, 2, 10, 9, 5, 17, -5, 17, -10, 9, -5, 1)
    local.smooth(AMBER, 0, 1, 5.6, 4, 7, 9, 3.6, 14, -3.6, 14, -7, 9, -4, 3)
    local.oval(0, 8, 3.6, 1.7, INK)
    local.box(-1.4, -16, 1.4, 4, INK)
    local.poly(INK, -3, -21, 3, -21, 2, -15, -2, -15)
    for y in (-20.0, -18.0, -16.4):
        local.line(0.8, WHITE, -3.8, y, 3.8, y)
    _strings(local, 4, -19, 13, gap=0.6)


def banjo(pen: Pen) -> None:
    """A round white drum body with a long neck."""
    local = pen.at(0, 0, turn=24)
    local.box(-1.4, -18, 1.4, 4, DARK_WOOD)
    local.box(-2.6, -23, 2.6, -17, INK, r=0.8)
    local.disc(0, 9, 10.4, _tone(pen, "a86a34"))
    local.disc(0, 9, 8.6, SILVER)
    local.disc(0, 9, 7.4, rgb("fbf8ee"))
    local.box(-2.6, 11.6, 2.6, 12.8, DARK_WOOD)
    _strings(local, 4, -20, 16, gap=0.7)


def bagpipe(pen: Pen) -> None:
    """A tartan bag with three pipes and a chanter."""
    for x, top in ((-6.0, -19), (0.0, -17), (6.0, -15)):
        pen.line(2.0, INK, 2 + x * 0.4, 2, x + 5, top)
        pen.line(2.8, CREAM, x + 4.6, top + 2, x + 5.2, top - 1)
    c = _tone(pen, "b8243a")
    pen.smooth(c, -15, 2, -8, -6, 6, -4, 15, 2, 12, 12, 0, 15, -12, 11)
    for x in (-9.0, -2.0, 5.0):
        pen.line(1.4, DARK_GREEN_LINE, x, -4, x + 2, 13)
    for y in (1.0, 7.0):
        pen.line(1.2, YELLOW, -13, y, 13, y)
    pen.line(2.2, INK, -10, 11, -15, 20)
    pen.line(1.8, INK, -13, -2, -18, -9)


DARK_GREEN_LINE: Colour = rgb("1f5a3a")


def _reed(pen: Pen, colour: Colour, *, bell: float, key: Colour, turn: float) -> None:
    """Draw a straight pipe with keys and a bell at its lower end."""
    local = pen.at(0, 0, turn=turn)
    local.line(3.2, colour, 0, -17, 0, 14)
    local.poly(colour, -1.6, 11, 1.6, 11, bell, 20, -bell, 20)
    local.box(-bell, 19, bell, 20.4, key)
    for i in range(6):
        local.disc(0, -9 + 3.7 * i, 1.3, key)
        if i % 2:
            local.line(0.8, key, 1, -9 + 3.7 * i, 3.4, -8 + 3.7 * i)
    for y in (-11.5, 11.0):
        local.box(-1.9, y, 1.9, y + 1.3, key)


def clarinet(pen: Pen) -> None:
    """A black pipe with silver keys and a wide bell."""
    _reed(pen, rgb("24242c"), bell=5.0, key=SILVER, turn=34)
    pen.at(0, 0, turn=34).poly(INK, -1.6, -17, 1.6, -17, 0.4, -21)


def oboe(pen: Pen) -> None:
    """A slim dark-red pipe with golden keys, a narrow bell and a reed."""
    _reed(pen, _tone(pen, "6a2a24"), bell=3.2, key=GOLD, turn=-30)
    pen.at(0, 0, turn=-30).line(1.0, AMBER, 0, -17, 0, -21.5)


def bassoon(pen: Pen) -> None:
    """A tall double pipe in maroon with a thin curved mouthpiece."""
    c = _tone(pen, "7c2a1c")
    pen.line(4.6, c, 2, -19, 2, 19)
    pen.line(3.8, shade(c, 0.8), -2.6, -6, -2.6, 19)
    pen.box(-5, 16, 5, 20, SILVER, r=1)
    pen.box(-0.6, -21, 4.6, -18, CREAM)
    pen.curve(1.0, SILVER, -2.6, -6, -6, -14, -13, -10, -14, -7)
    for y in (-13.0, -8.0, 0.0, 6.0, 11.0):
        pen.disc(2, y, 1.5, SILVER)
        pen.line(0.8, SILVER, 2, y, 6.4, y + 1)


def flute(pen: Pen) -> None:
    """A bright silver tube across the image."""
    local = pen.at(0, 0, turn=-32)
    local.line(3.2, STEEL, -20, 0, 20, 0)
    local.line(1.2, WHITE, -20, -0.7, 20, -0.7)
    local.oval(-14, 0, 2.8, 2.3, SILVER)
    local.oval(-14, 0, 1.3, 0.9, INK)
    for i in range(6):
        local.disc(-4 + 4.2 * i, 0, 1.9, GREY)
        local.disc(-4 + 4.2 * i, -0.3, 1.1, WHITE)


def harmonica(pen: Pen) -> None:
    """A flat box with a row of holes."""
    local = pen.at(0, 0, turn=-12)
    local.box(-19, -7.4, 19, 7.4, SILVER, r=2.4)
    local.box(-18, -6.4, 18, -1.4, WHITE, r=1.4)
    local.box(-18, 1, 18, 5.4, _tone(pen, "b03a3a"))
    for i in range(9):
        local.box(-16.4 + 3.8 * i, 1.8, -14 + 3.8 * i, 4.6, BLACK)
    local.box(-9, -5, 9, -3, GREY)


def trumpet(pen: Pen) -> None:
    """A short brass tube with three valves and a bell."""
    local = pen.at(0, 0, turn=-14)
    local.line(2.2, _BRASS, -19, -3, 10, -3)
    local.poly(_BRASS, 7, -4.4, 14, -5.4, 20, -11, 20, 5, 14, -0.6, 7, -1.6)
    local.oval(20, -3, 2, 8, _BRASS_DARK)
    local.arc(-1, 1.5, 9, 4.6, (0, 360), width=1.9, colour=_BRASS)
    for x in (-5.0, -1.0, 3.0):
        local.box(x - 1.4, -8, x + 1.4, 6, _BRASS_DARK, r=0.6)
        local.disc(x, -8.6, 1.5, CREAM)
    local.poly(SILVER, -21, -5, -18, -3.8, -18, -2.2, -21, -1)


def trombone(pen: Pen) -> None:
    """A long slide with a bell above it."""
    local = pen.at(0, 0, turn=-24)
    for y in (4.0, 9.0):
        local.line(1.5, _BRASS, -18, y, 18, y)
    local.arc(18, 6.5, 3, 2.5, (-90, 90), width=1.5, colour=_BRASS)
    local.arc(-15, 0.4, 4.6, 4.6, (90, 270), width=1.9, colour=_BRASS)
    local.poly(_BRASS, -15, -5, 2, -5.6, 11, -12, 11, 4, 2, -2.6, -15, -3.4)
    local.oval(11, -4, 1.9, 8.2, _BRASS_DARK)
    local.line(1.2, SILVER, -6, 4, -6, 9)


def tuba(pen: Pen) -> None:
    """A big brass coil with its bell upward."""
    pen.poly(_BRASS, -12, -18, 10, -18, 4, -6, 4, 8, -6, 8, -6, -6)
    pen.oval(-1, -18, 11.4, 3, _BRASS_DARK)
    pen.arc(0, 9, 9, 8.4, (0, 360), width=4.4, colour=_BRASS)
    pen.arc(0, 9, 9, 8.4, (100, 260), width=1.1, colour=rgb("fbe29a"))
    for x in (6.0, 9.4, 12.8):
        pen.box(x - 1.3, -4, x + 1.3, 6, _BRASS_DARK)
        pen.disc(x, -5, 1.4, CREAM)
    pen.line(1.5, _BRASS, 9, 3, 15, -9)


def horn(pen: Pen) -> None:
    """A round coil with a wide bell to the side."""
    pen.arc(-2, -2, 11, 11, (0, 360), width=2.6, colour=_BRASS)
    pen.arc(-2, -2, 6.6, 6.6, (0, 360), width=2.0, colour=_BRASS_DARK)
    pen.poly(_BRASS, 4, 6, 9, 2, 20, 10, 10, 20)
    pen.oval(15.4, 15, 7.4, 3, _BRASS_DARK, turn=-44)
    pen.line(1.7, _BRASS, -12, -6, -19, -14)
    for x in (-4.0, -1.0, 2.0):
        pen.disc(x, -2, 1.5, SILVER)


def saxophone(pen: Pen) -> None:
    """A golden pipe curved like a hook."""
    pen.curve(2.0, INK, -14, -14, -12, -18, -6, -18)
    pen.curve(3.0, _BRASS, -7, -18, -2, -15, -1, -4, 0, 8, end=5.0)
    pen.curve(5.0, _BRASS, 0, 8, 2, 16, 9, 15, 11, 6, end=7.0)
    pen.poly(_BRASS, 7, 7, 15, 7, 19, -5, 6, -5)
    pen.oval(12.6, -5, 6.8, 2.3, _BRASS_DARK)
    for i in range(5):
        pen.disc(-1.4 + 0.4 * i, -9 + 4 * i, 1.5, CREAM)
        pen.line(0.8, _BRASS_DARK, 0, -9 + 4 * i, 4, -8 + 4 * i)


def drum(pen: Pen) -> None:
    """A drum with zigzag cords and two sticks."""
    c = _tone(pen, "d03a34")
    pen.box(-14, -6, 14, 13, c)
    pen.oval(0, 13, 14, 5, c)
    for i in range(6):
        x = -14 + 4.7 * i
        pen.line(0.9, WHITE, x, -4, x + 2.3, 15, x + 4.7, -4)
    pen.oval(0, -6, 14.6, 5.6, GOLD)
    pen.oval(0, -6.6, 13, 4.4, CREAM)
    pen.line(1.5, WOOD, -17, -19, 2, -8)
    pen.line(1.5, WOOD, 17, -19, -1, -7)
    pen.disc(2, -8, 1.7, WOOD)


def bongo(pen: Pen) -> None:
    """A pair of small drums, one larger."""
    for x, w, h, code in ((-8.4, 9.4, 13, "a85a2a"), (10.4, 7.4, 12, "8a4420")):
        c = _tone(pen, code)
        pen.poly(c, x - w, -6, x + w, -6, x + w * 0.72, h, x - w * 0.72, h)
        pen.oval(x, h, w * 0.72, 2.4, c)
        pen.box(x - w, -3, x + w, -1, GREY)
        pen.oval(x, -7, w, 3.4, shade(c, 0.6))
        pen.oval(x, -7.4, w - 1.2, 2.6, CREAM)
    pen.box(0, 0, 4, 4, INK)


def harp(pen: Pen) -> None:
    """A tall golden frame with strings."""
    c = _tone(pen, "d8a030")
    pen.line(2.6, c, -12, 19, -12, -16)
    pen.curve(2.6, c, -12, -16, -4, -20, 4, -10, 14, -11)
    pen.line(3.4, shade(c, 0.8), 14, -11, -10, 19)
    for i in range(8):
        x = -9.6 + 2.7 * i
        pen.line(0.5, WHITE if i % 3 else RED, x, -17 + 1.1 * i, x, 17 - 3.3 * i)
    pen.box(-15, 17.6, -4, 20.4, shade(c, 0.7))


def piano(pen: Pen) -> None:
    """A black grand piano with an open lid."""
    pen.poly(rgb("2e2e38"), -16, -4, 4, -20, 17, -13, 14, -4)
    pen.line(0.9, GOLD, 8, -4, 9, -14)
    pen.smooth(BLACK, -18, -4, 0, -6, 17, -5, 18, 3, 10, 8, -18, 8)
    pen.box(-18, 2, 4, 6, WHITE)
    for i in range(8):
        pen.box(-17 + 2.6 * i, 2, -15.7 + 2.6 * i, 4.4, BLACK)
    for x in (-15.0, 1.0, 13.0):
        pen.line(1.9, BLACK, x, 7, x, 18)


def harpsichord(pen: Pen) -> None:
    """A slim painted case with two rows of keys and thin legs."""
    c = _tone(pen, "3a8a6a")
    pen.poly(CREAM, -17, -3, -6, -18, 17, -12, 17, -4)
    pen.poly(shade(c, 1.3), -14, -4, -5, -15, 14, -10.6, 14, -4)
    pen.poly(c, -18, -4, 18, -5, 17, 5, -18, 8)
    pen.line(1.0, GOLD, -18, -3.4, 18, -4.4)
    for y in (-1.0, 3.0):
        pen.box(-16, y, 2, y + 3, rgb("3a2a20"))
        for i in range(7):
            pen.box(-15.4 + 2.5 * i, y, -14.2 + 2.5 * i, y + 1.7, WHITE)
    for x in (-15.0, -3.0, 14.0):
        pen.curve(1.4, GOLD, x, 6, x + 1.4, 12, x - 0.6, 19)


def bell(pen: Pen) -> None:
    """A golden bell with a clapper."""
    c = _tone(pen, "e4b030")
    pen.ring(0, -16, 3, 1.6, DARK_WOOD)
    pen.disc(0, 15, 3.6, DARK_WOOD)
    pen.mirror(c, 0, -14, 5, -12.6, 8.6, -4, 10, 6, 15.4, 12, 0, 12.6)
    pen.oval(0, 12, 15, 2.6, shade(c, 0.72))
    pen.curve(1.7, shade(c, 1.55), -4.6, -9, -6.6, -1, -8, 7)
    pen.arc(0, 0, 10, 5, (30, 150), width=1.0, colour=shade(c, 0.72))


INSTRUMENT_PAINTERS: dict[str, Prop] = {
    "bagpipe": bagpipe, "cello": cello, "guitar": guitar, "lute": lute, "trombone": trombone,
    "banjo": banjo, "clarinet": clarinet, "harmonica": harmonica, "mandolin": mandolin,
    "trumpet": trumpet, "bassoon": bassoon, "drum": drum, "harp": harp, "oboe": oboe,
    "tuba": tuba, "bell": bell, "fiddle": fiddle, "harpsichord": harpsichord, "piano": piano,
    "viola": viola, "bongo": bongo, "flute": flute, "horn": horn, "saxophone": saxophone,
    "violin": violin,
}  # fmt: skip
