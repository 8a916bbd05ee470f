"""Insects and their kin, each in a box from -20 to 20, seen from above or from the side."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    CREAM,
    INK,
    LEAF,
    ORANGE,
    RED,
    WHITE,
    YELLOW,
    Colour,
    jitter,
    rgb,
    shade,
    veil,
)

_WING = veil(rgb("d4e6f0"), 0.8)


def _tone(pen: Pen, code: str) -> Colour:
    return jitter(pen.rng, rgb(code), 16)


def _legs(pen: Pen, colour: Colour, *, width: float = 1.1, reach: float = 13.0) -> None:
    """Draw six jointed legs."""
    for s in (-1.0, 1.0):
        for y0, y1, y2 in ((-4, -8, -13), (0, 0, 3), (4, 8, 15)):
            pen.line(width, colour, s * 2, y0, s * reach * 0.6, y1 - 1, s * reach, y2)


def _feelers(pen: Pen, colour: Colour, y: float, *, reach: float = 6.0, wide: float = 5.0) -> None:
    for s in (-1.0, 1.0):
        pen.curve(0.9, colour, s * 1, y, s * wide * 0.6, y - reach * 0.7, s * wide, y - reach)


def ant(pen: Pen) -> None:
    """Three round parts and a thin waist."""
    c = _tone(pen, "5a2a1c")
    _legs(pen, c)
    pen.oval(0, 11, 5, 7, c)
    pen.oval(0, 0, 3, 4.4, shade(c, 1.15))
    pen.oval(0, -9, 4.4, 4.4, c)
    _feelers(pen, c, -12, reach=7)
    pen.disc(-2, -10, 0.9, WHITE)
    pen.disc(2, -10, 0.9, WHITE)


def termite(pen: Pen) -> None:
    """Like an ant, but pale, thick-waisted and with strong jaws."""
    c = _tone(pen, "e6c48a")
    _legs(pen, shade(c, 0.75), reach=10)
    pen.mirror(c, 0, -6, 4, -4, 6.4, 6, 5, 16, 0, 19)
    for y in (2.0, 6.0, 10.0, 14.0):
        pen.line(0.8, shade(c, 0.8), -5.4, y, 5.4, y)
    pen.oval(0, -9, 5, 5, rgb("b0642c"))
    for s in (-1.0, 1.0):
        pen.curve(1.5, rgb("6a3414"), s * 3, -12, s * 4, -17, s * 1, -18.6)


def flea(pen: Pen) -> None:
    """A narrow body from the side with a long jumping leg."""
    c = _tone(pen, "8a4a28")
    pen.smooth(c, -14, 3, -9, -7, 0, -10, 9, -7, 14, 3, 5, 8, -6, 8)
    for x in (-7.0, -2.0, 3.0, 8.0):
        pen.curve(0.9, shade(c, 0.65), x, -8.4, x + 1.6, 0, x, 7)
    pen.oval(-14, 0, 4, 4.4, shade(c, 0.85))
    pen.disc(-15, -1, 1.0, BLACK)
    pen.line(2.0, shade(c, 0.8), 6, 6, 16, 2, 12, 18, 17, 18)
    pen.line(1.4, shade(c, 0.8), -2, 7, 1, 12, -2, 18)
    pen.line(1.4, shade(c, 0.8), -9, 6, -9, 12, -13, 17)


def bedbug(pen: Pen) -> None:
    """A flat round red-brown body with stripes."""
    c = _tone(pen, "a8402c")
    _legs(pen, shade(c, 0.7), reach=15)
    pen.mirror(c, 0, -8, 7, -5, 11.4, 5, 8, 15, 0, 18)
    for y in (0.0, 4.0, 8.0, 12.0):
        pen.curve(1.1, shade(c, 0.65), -9.6, y, 0, y + 1.4, 9.6, y)
    pen.oval(0, -8.6, 6, 3, shade(c, 0.85))
    pen.oval(0, -12.4, 3, 2.6, shade(c, 0.7))
    _feelers(pen, c, -14, reach=4)


def cockroach(pen: Pen) -> None:
    """A long brown oval with spiny legs and very long feelers."""
    c = _tone(pen, "7c4420")
    _legs(pen, shade(c, 0.6), width=1.5, reach=14)
    pen.oval(0, 4, 7, 14, c)
    pen.line(0.9, shade(c, 0.6), 0, -6, 0, 17)
    pen.oval(0, -8, 7, 4.6, shade(c, 1.25))
    pen.oval(0, -7.6, 3.4, 2.4, shade(c, 0.6))
    pen.oval(0, -13, 3, 2.4, shade(c, 0.6))
    for s in (-1.0, 1.0):
        pen.curve(0.8, c, s * 1, -14, s * 9, -20, s * 17, -13, s * 18, -5)


def roach(pen: Pen) -> None:
    """A roach from the side, darker and flatter than the one seen from above."""
    c = _tone(pen, "4e2a1a")
    for x in (-6.0, 0.0, 7.0):
        pen.line(1.5, shade(c, 0.8), x, 4, x - 3, 10, x - 6, 15)
        pen.line(1.3, shade(c, 0.6), x + 2, 4, x + 6, 10, x + 4, 15)
    pen.smooth(c, -13, 4, -10, -3, 0, -7, 12, -3, 19, 3, 10, 6, -8, 6)
    pen.curve(1.1, shade(c, 1.6), -8, -2, 2, -4.6, 14, 1)
    pen.smooth(shade(c, 1.3), -16, 4, -14, -3, -8, -5, -8, 4)
    pen.curve(0.8, c, -15, -1, -18, -10, -10, -17, 2, -16)


def beetle(pen: Pen) -> None:
    """Domed shining wing cases."""
    c = _tone(pen, "1f7a5a")
    _legs(pen, INK, width=1.6, reach=15)
    pen.oval(0, 5, 10, 13, c)
    pen.line(1.1, shade(c, 0.5), 0, -7, 0, 18)
    pen.oval(-4.4, 0, 2, 5.4, shade(c, 1.5), turn=14)
    pen.oval(0, -8.6, 7.4, 4.6, shade(c, 0.7))
    pen.oval(0, -14, 4, 3, INK)
    _feelers(pen, INK, -16, reach=4, wide=6)


def weevil(pen: Pen) -> None:
    """A small round beetle with a long curved snout."""
    c = _tone(pen, "8a7450")
    for x in (-4.0, 3.0, 9.0):
        pen.line(1.5, shade(c, 0.6), x, 6, x - 2, 12, x - 5, 17)
    pen.smooth(c, -6, 4, -4, -7, 5, -11, 15, -5, 17, 6, 6, 9)
    for x, y in ((2, -5), (8, -4), (13, 1), (5, 2), (10, 5)):
        pen.disc(x, y, 1.2, shade(c, 0.65))
    pen.oval(-7, 1, 5, 5.4, shade(c, 0.85))
    pen.curve(2.4, shade(c, 0.7), -10, 2, -16, 5, -17, 14, end=1.4)
    pen.line(0.8, INK, -14, 5, -18, 1, -20, 4)
    pen.disc(-9, 0, 1.2, BLACK)


def _winged(
    pen: Pen, body: Colour, stripe: Colour, *, slim: float, wing: tuple[float, float]
) -> None:
    """Draw a striped flyer seen from above."""
    for s in (-1.0, 1.0):
        pen.oval(s * 9, -3, wing[0], wing[1], _WING, turn=s * 62)
        pen.oval(s * 7.4, 4, wing[0] * 0.7, wing[1] * 0.8, _WING, turn=s * 112)
    _legs(pen, INK, width=0.9, reach=9)
    pen.mirror(body, 0, 0, 4.6 * slim, 2, 6 * slim, 9, 3 * slim, 16, 0, 19)
    for y, w in ((4.0, 5.2), (8.6, 6.0), (13.0, 4.4)):
        pen.line(2.2, stripe, -w * slim + 0.8, y, w * slim - 0.8, y)


def bee(pen: Pen) -> None:
    """A plump furry body in yellow and black."""
    yellow = _tone(pen, "f4b81c")
    _winged(pen, yellow, INK, slim=1.3, wing=(4, 9))
    pen.star(0, -4, 6.4, shade(yellow, 0.9), points=14, inner=0.85)
    pen.disc(0, -11, 4.4, INK)
    _feelers(pen, INK, -14, reach=5)
    for s in (-1.0, 1.0):
        pen.disc(s * 2, -11.4, 1.0, WHITE)


def wasp(pen: Pen) -> None:
    """A slim yellow body with a thin waist and a sting."""
    yellow = _tone(pen, "f8dc28")
    _winged(pen, yellow, BLACK, slim=0.85, wing=(2.7, 10))
    pen.poly(BLACK, -0.8, 18, 0.8, 18, 0, 22)
    pen.line(1.2, BLACK, 0, -1, 0, 3)
    pen.oval(0, -4, 3.6, 4.4, BLACK)
    pen.disc(0, -11, 3.4, yellow)
    _feelers(pen, BLACK, -13, reach=7)
    for s in (-1.0, 1.0):
        pen.disc(s * 2, -11.4, 1.1, BLACK)


def hornet(pen: Pen) -> None:
    """A large wasp in orange and brown."""
    orange = _tone(pen, "e8801c")
    _winged(pen, orange, rgb("5a2410"), slim=1.2, wing=(3.2, 11))
    pen.oval(0, -4, 5.4, 5.4, rgb("6a2c14"))
    pen.oval(0, -12, 5, 4.6, orange)
    _feelers(pen, rgb("5a2410"), -15, reach=5)
    for s in (-1.0, 1.0):
        pen.oval(s * 3, -12.4, 1.4, 2.2, BLACK)
        pen.curve(1.2, BLACK, s * 2, -15, s * 3, -17.6, s * 0.6, -18)


def _fly(pen: Pen, body: Colour, eye: Colour, *, size: float, belly: Colour) -> None:
    """Draw a fly seen from above with wings laid back."""
    local = pen.at(0, 0, scale=size)
    _legs(local, INK, width=1.0, reach=12)
    local.oval(0, 7, 5.6, 8.4, belly)
    local.line(1.0, shade(belly, 0.6), -4.4, 6, 4.4, 6)
    local.line(1.0, shade(belly, 0.6), -4.6, 10, 4.6, 10)
    local.oval(0, -3, 5.4, 5.4, body)
    for s in (-1.0, 1.0):
        local.oval(s * 6.4, 8, 3.6, 10.4, _WING, turn=-s * 22)
        local.line(0.5, rgb("8a9aa4"), s * 3, 0, s * 8.4, 14)
    local.oval(0, -10, 5, 3.8, shade(body, 0.8))
    for s in (-1.0, 1.0):
        local.oval(s * 3.6, -10.6, 2.7, 3.2, eye)
        local.disc(s * 3.2, -11.6, 0.8, WHITE)


def fly(pen: Pen) -> None:
    """A grey house fly with red eyes."""
    _fly(pen, _tone(pen, "5e6672"), rgb("b02a24"), size=1.0, belly=rgb("7a8088"))


def blackfly(pen: Pen) -> None:
    """A small hump-backed black fly from the side."""
    c = _tone(pen, "24242c")
    for x in (-4.0, 1.0, 6.0):
        pen.line(1.1, c, x, 4, x - 3, 11, x - 1, 17)
    pen.oval(8, 5, 9, 4.6, c, turn=18)
    pen.disc(-3, -2, 7.6, c)
    pen.oval(-11, 3, 4, 4.4, shade(c, 1.2))
    pen.disc(-12, 2, 1.9, rgb("a83a30"))
    pen.oval(8, -4, 11, 3.8, _WING, turn=12)


def horsefly(pen: Pen) -> None:
    """A stout brown fly with large green eyes and a striped belly."""
    _fly(pen, _tone(pen, "6a5434"), rgb("2fb868"), size=1.15, belly=rgb("c88a3a"))


def gnat(pen: Pen) -> None:
    """A swarm of tiny flyers."""
    for x, y in ((-11, -9), (4, -13), (13, -3), (-3, 0), (-14, 8), (7, 9), (-4, 15), (15, 15)):
        small = pen.at(x, y, scale=0.34, turn=x * 9)
        for s in (-1.0, 1.0):
            small.oval(s * 6, 2, 3, 8, _WING, turn=-s * 40)
        small.oval(0, 3, 2.6, 8, rgb("4a4438"))
        small.disc(0, -7, 3.4, INK)
        small.line(1.4, INK, -3, 4, -9, 12)
        small.line(1.4, INK, 3, 4, 9, 12)


def mosquito(pen: Pen) -> None:
    """A thin body on very long legs, with a needle."""
    c = _tone(pen, "57504a")
    for x0, x1, x2 in ((-4, -10, -16), (-2, -4, -8), (2, 6, 6), (4, 13, 18)):
        pen.line(0.8, c, x0, 1, x1, -6, x2, 18)
    pen.oval(8, 5, 10, 2.2, c, turn=22)
    for t in (3.0, 7.0, 11.0):
        pen.line(0.9, WHITE, t, 1.6 + 0.36 * t, t - 0.6, 5 + 0.3 * t)
    pen.oval(9, -5, 11, 2.4, _WING, turn=-8)
    pen.oval(-2, 0, 4, 3.6, shade(c, 0.8))
    pen.disc(-8, 1, 2.8, c)
    pen.line(0.9, INK, -9, 2, -17, 11)
    pen.disc(-8.6, 0.4, 1.0, RED)


def moth(pen: Pen) -> None:
    """Broad dusty wings with eye spots and feathered feelers."""
    c = _tone(pen, "b89a74")
    for s in (-1.0, 1.0):
        pen.smooth(shade(c, 0.85), 0, 2, s * 9, 3, s * 14, 10, s * 9, 17, s * 2, 10)
        pen.smooth(c, 0, -4, s * 9, -14, s * 19, -11, s * 17, 0, s * 8, 5, 0, 3)
        pen.disc(s * 12, -6, 3, CREAM)
        pen.disc(s * 12, -6, 1.6, rgb("5a3a2a"))
        pen.curve(1.0, shade(c, 0.6), s * 6, 1, s * 12, 1, s * 16, -3)
        pen.curve(1.6, rgb("7a5a3a"), s * 1, -9, s * 4, -14, s * 8, -15.6)
    pen.oval(0, 2, 3.2, 10, shade(c, 0.7))
    pen.disc(0, -8, 3, shade(c, 0.6))


def dragonfly(pen: Pen) -> None:
    """A long thin blue body with four narrow wings."""
    c = _tone(pen, "1f9ac8")
    for s in (-1.0, 1.0):
        pen.oval(s * 11, -8, 10, 2.3, veil(rgb("cdeef4"), 0.9), turn=s * -12)
        pen.oval(s * 10, -2, 9, 2.6, veil(rgb("bfe4ee"), 0.9), turn=s * 14)
        pen.disc(s * 18, -9.4, 0.9, INK)
    pen.line(2.4, c, 0, -2, 0, 19)
    for y in (3.0, 7.0, 11.0, 15.0):
        pen.line(0.8, INK, -1.2, y, 1.2, y)
    pen.oval(0, -6, 3.2, 5, shade(c, 0.8))
    for s in (-1.0, 1.0):
        pen.disc(s * 2.3, -12.4, 2.8, rgb("2f7a4a"))


def spider(pen: Pen) -> None:
    """Eight thin legs around a round belly, on a web."""
    for i in range(4):
        pen.at(0, 0, turn=45.0 * i).line(0.4, WHITE, -20, 0, 20, 0)
    for r in (9.0, 15.0, 20.0):
        pen.ring(0, 0, r, 0.4, WHITE)
    c = _tone(pen, "38303a")
    for s in (-1.0, 1.0):
        for y0, y1, y2 in ((-6, -14, -12), (-4, -8, -3), (-2, -2, 7), (0, 4, 16)):
            pen.line(1.1, c, s * 2, y0, s * 9, y1, s * 14.4, y2)
    pen.oval(0, 6, 6.4, 7.4, c)
    pen.poly(RED, -2, 3, 2, 3, -2, 9, 2, 9)
    pen.disc(0, -4, 4.4, shade(c, 1.2))
    for x in (-1.6, 1.6):
        pen.disc(x, -6, 0.8, WHITE)


def tarantula(pen: Pen) -> None:
    """Eight thick hairy legs and a furry brown body."""
    c = _tone(pen, "6a4428")
    for s in (-1.0, 1.0):
        for y0, y1, y2 in ((-8, -15, -18), (-5, -8, -9), (-2, 0, 3), (1, 8, 15)):
            pen.line(3.4, c, s * 4, y0, s * 10.4, y1, s * 16.4, y2)
            pen.line(1.6, ORANGE, s * 9.6, y1 + 0.4, s * 11.6, y1 + 0.2)
    pen.star(0, 9, 9.4, shade(c, 0.8), points=20, inner=0.86)
    pen.star(0, -5, 7, c, points=16, inner=0.86)
    for x in (-1.7, 1.7):
        pen.disc(x, -8, 1.0, BLACK)
        pen.line(2.0, shade(c, 0.6), x * 1.2, -11, x * 1.4, -14.6)


def caterpillar(pen: Pen) -> None:
    """A row of round green parts on a leaf."""
    pen.smooth(LEAF, -20, 12, -6, 5, 12, 7, 20, 12, 6, 19, -10, 18)
    c = _tone(pen, "9ac83a")
    for i in range(6):
        x = 15.0 - 5.8 * i
        y = 4.0 - (3.6 if i in (2, 3) else 1.6 if i in (1, 4) else 0.0)
        pen.line(1.0, INK, x, y + 4, x, y + 8)
        pen.disc(x, y, 5.2, c if i % 2 else shade(c, 0.85))
        pen.disc(x, y - 1.4, 1.5, AMBER)
    pen.disc(-16, -1, 5.4, rgb("d8482c"))
    for x in (-17.8, -14.4):
        pen.disc(x, -2, 1.2, WHITE)
        pen.line(0.8, INK, x, -5, x - 0.8, -10)


def maggot(pen: Pen) -> None:
    """A pale ringed grub, curled."""
    c = _tone(pen, "f2e4c4")
    pen.curve(10.0, shade(c, 0.86), -12, -4, -8, 9, 6, 10, 13, -4, end=6.0)
    pen.curve(8.4, c, -12, -4, -8, 9, 6, 10, 13, -4, end=4.6)
    for x0, y0, x1, y1 in ((-15, 2, -7, -1), (-13, 8, -5, 4), (-6, 13, -3, 5), (2, 14, 1, 6),
                           (9, 11, 5, 4), (13, 5, 7, 1)):  # fmt: skip
        pen.line(1.0, shade(c, 0.72), x0, y0, x1, y1)
    pen.disc(13, -5, 1.6, rgb("6a4a2a"))


def centipede(pen: Pen) -> None:
    """A long curved body with a leg on every part."""
    c = _tone(pen, "c8562a")
    spots = [(-15.0, 12.0), (-11.4, 8.0), (-7.0, 6.4), (-2.6, 6.8), (1.8, 7.0), (5.6, 4.4),
             (7.4, 0.2), (7.4, -4.4), (5.6, -8.6), (2.0, -11.4)]  # fmt: skip
    for i, (x, y) in enumerate(spots):
        dx, dy = (0.0, 6.4) if i < 5 else (6.4, 1.6)
        pen.line(1.1, AMBER, x - dx, y - dy, x + dx, y + dy)
    for i, (x, y) in enumerate(spots):
        pen.disc(x, y, 3.3, c if i % 2 else shade(c, 0.72))
    pen.disc(-2, -13.4, 4, shade(c, 0.6))
    pen.curve(0.9, c, -3, -16, -8, -19, -12, -17)
    pen.curve(0.9, c, -5, -14, -10, -13, -14, -10)


def _hopper(pen: Pen, c: Colour, *, wing: Colour) -> None:
    """Draw a jumper from the side with a large hind leg."""
    pen.line(1.3, shade(c, 0.7), -6, 5, -8, 11, -12, 16)
    pen.line(1.3, shade(c, 0.7), -1, 6, -2, 12, -5, 17)
    pen.smooth(c, -16, 0, -12, -5, 0, -5, 14, 0, 19, 5, 8, 7, -10, 7)
    pen.smooth(wing, -7, -4, 4, -6, 20, 1, 16, 4, -4, 2)
    pen.smooth(shade(c, 0.85), 0, 6, 6, -4, 14, -14, 15, -11, 8, 2, 4, 8)
    pen.line(1.6, shade(c, 0.7), 14, -13, 12, 17, 17, 17)
    pen.oval(-15, -1, 4, 5.4, c)


def locust(pen: Pen) -> None:
    """A sand-coloured jumper with spotted wings and short feelers."""
    c = _tone(pen, "c8a04a")
    _hopper(pen, c, wing=shade(c, 1.3))
    for x in (0.0, 5.0, 10.0, 14.0):
        pen.disc(x, 0.4, 1.0, rgb("7a5420"))
    pen.disc(-16, -2.4, 1.5, BLACK)
    pen.line(1.0, shade(c, 0.6), -16, -5, -19, -10)


def cricket(pen: Pen) -> None:
    """A dark jumper with a round head and feelers longer than the body."""
    c = _tone(pen, "4a3424")
    _hopper(pen, c, wing=rgb("6a4c30"))
    pen.disc(-15, -1, 5.4, shade(c, 0.8))
    pen.disc(-16.4, -2, 1.3, YELLOW)
    pen.curve(0.8, c, -16, -5, -12, -17, 4, -20)
    pen.curve(0.8, c, -17, -5, -19, -14, -12, -20)


INSECT_PAINTERS: dict[str, Prop] = {
    "ant": ant, "caterpillar": caterpillar, "flea": flea, "locust": locust, "spider": spider,
    "bedbug": bedbug, "centipede": centipede, "fly": fly, "maggot": maggot,
    "tarantula": tarantula, "bee": bee, "cockroach": cockroach, "gnat": gnat,
    "mosquito": mosquito, "termite": termite, "beetle": beetle, "cricket": cricket,
    "hornet": hornet, "moth": moth, "wasp": wasp, "blackfly": blackfly, "dragonfly": dragonfly,
    "horsefly": horsefly, "roach": roach, "weevil": weevil,
}  # fmt: skip
