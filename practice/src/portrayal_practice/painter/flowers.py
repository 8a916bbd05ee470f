"""Flowers, each in a box from -20 to 20: form by family, colour by species."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    AMBER,
    BROWN,
    DARK_GREEN,
    LEAF,
    LILAC,
    ORANGE,
    WHITE,
    YELLOW,
    Colour,
    jitter,
    rgb,
    shade,
)


def _stem(pen: Pen, *, top: float = 0.0, leaf: str = "long") -> None:
    pen.curve(1.9, rgb("4f8f3e"), 1, 20, 0.4, 12, 0, top)
    if leaf == "long":
        pen.smooth(LEAF, 1, 18, -5, 10, -9, 2, -7, 12, -3, 18)
        pen.smooth(rgb("4f9a42"), 1, 19, 6, 12, 11, 5, 9, 14, 4, 19)
    elif leaf == "round":
        pen.oval(-6, 14, 5, 2.6, LEAF, turn=24)
        pen.oval(6.4, 12, 5, 2.6, rgb("4f9a42"), turn=-28)


def _petals(
    pen: Pen, count: int, reach: float, rx: float, ry: float, colour: Colour, *, start: float = 0.0
) -> None:
    edge = shade(colour, 0.84)
    for i in range(count):
        turned = pen.at(0, 0, turn=start + 360.0 * i / count)
        turned.oval(0, -reach, rx, ry, edge if i % 2 else colour)


def _tone(pen: Pen, code: str) -> Colour:
    return jitter(pen.rng, rgb(code), 18)


def _head(pen: Pen) -> Pen:
    return pen.at(0, -6)


def aster(pen: Pen) -> None:
    """Many thin purple rays."""
    _stem(pen)
    head, colour = _head(pen), _tone(pen, "9a78d8")
    _petals(head, 22, 8.4, 1.5, 5, colour)
    head.disc(0, 0, 4.4, AMBER)
    head.disc(0, 0, 2.4, ORANGE)


def daisy(pen: Pen) -> None:
    """White rays around yellow."""
    _stem(pen, leaf="round")
    head = _head(pen)
    _petals(head, 13, 8, 2.4, 5.4, _tone(pen, "f8f8f4"))
    head.disc(0, 0, 4.8, YELLOW)
    head.disc(1, 1, 2.4, AMBER)


def marigold(pen: Pen) -> None:
    """A dense orange ball of ruffles."""
    _stem(pen, leaf="round")
    head, colour = _head(pen), _tone(pen, "f59a1c")
    for count, reach, size, factor in ((14, 10, 3.2, 0.8), (12, 7, 3.2, 0.92), (8, 4, 2.8, 1.05)):
        for i in range(count):
            head.at(0, 0, turn=360.0 * i / count + reach * 9).disc(
                0, -reach, size, shade(colour, factor - (0.07 if i % 2 else 0.0))
            )
    head.disc(0, 0, 2.6, shade(colour, 1.25))


def zinnia(pen: Pen) -> None:
    """Layers of broad magenta petals with a ring of yellow stars."""
    _stem(pen, leaf="long")
    head, colour = _head(pen), _tone(pen, "d8327e")
    _petals(head, 14, 9.4, 2.6, 4.2, shade(colour, 0.82))
    _petals(head, 12, 6.4, 2.6, 3.8, colour, start=14)
    _petals(head, 8, 3.6, 2.2, 3, shade(colour, 1.2))
    head.disc(0, 0, 2.6, BROWN)
    for i in range(6):
        head.at(0, 0, turn=60.0 * i).disc(0, -2.7, 1.0, YELLOW)


def buttercup(pen: Pen) -> None:
    """Five round shining yellow petals, two small flowers."""
    pen.curve(1.4, LEAF, 1, 20, -6, 8, -9, -2)
    pen.curve(1.4, LEAF, 1, 20, 6, 6, 8, -8)
    pen.smooth(LEAF, 1, 20, -8, 14, -12, 16, -6, 20)
    for x, y, size in ((-9, -3, 0.85), (8, -9, 1.0)):
        head, colour = pen.at(x, y, scale=size), _tone(pen, "fbdc20")
        _petals(head, 5, 5, 4.4, 4.6, colour)
        head.disc(0, 0, 3, shade(colour, 0.8))
        head.disc(0, 0, 1.6, rgb("9ab028"))


def poppy(pen: Pen) -> None:
    """Four large crinkled red petals with a black middle."""
    _stem(pen)
    head, colour = _head(pen), _tone(pen, "e0301e")
    for i, turn in enumerate((0, 180, 90, 270)):
        petal = head.at(0, 0, turn=turn)
        petal.smooth(shade(colour, 0.82 + 0.06 * i), 0, 1, -9, -5, -7, -12, 0, -11, 7, -12, 9, -5)
    head.disc(0, 0, 4, rgb("1e1a1c"))
    head.disc(0, 0, 1.9, rgb("6a8a3a"))


def daffodil(pen: Pen) -> None:
    """Six yellow petals with an orange trumpet."""
    _stem(pen)
    head, colour = _head(pen), _tone(pen, "fbe04a")
    for i in range(6):
        head.at(0, 0, turn=60.0 * i).smooth(
            shade(colour, 0.9 if i % 2 else 1.0), 0, 0, -4.4, -6, 0, -13.4, 4.4, -6
        )
    head.star(0, 0, 6.2, ORANGE, points=10, inner=0.86)
    head.disc(0, 0, 3.8, rgb("d86a14"))
    head.disc(0, 0, 1.5, YELLOW)


def petunia(pen: Pen) -> None:
    """A round funnel with five lobes and a white star."""
    _stem(pen, leaf="round")
    head, colour = _head(pen), _tone(pen, "b01e8e")
    _petals(head, 5, 6, 6.4, 5.8, colour)
    head.star(0, 0, 10.5, WHITE, points=5, inner=0.28)
    head.disc(0, 0, 2.8, rgb("5e1450"))


def azalea(pen: Pen) -> None:
    """A cluster of pink five-petalled flowers over dark leaves."""
    pen.line(2.2, BROWN, 0, 20, 0, 6)
    for x, y, turn in ((-12, 8, 30), (12, 8, -30), (-7, 14, 60), (8, 14, -60), (0, 10, 0)):
        pen.oval(x, y, 6, 2.6, DARK_GREEN, turn=turn)
    for x, y in ((-8, -2), (8, -2), (0, -10), (0, 4)):
        head, colour = pen.at(x, y, scale=0.95, turn=x * 3), _tone(pen, "f2609e")
        _petals(head, 5, 4.4, 2.9, 3.9, colour)
        head.disc(0, 0, 1.6, shade(colour, 0.7))
        head.line(0.6, WHITE, 0, 0, 2.6, -3)


def magnolia(pen: Pen) -> None:
    """Large pale cups on a bare brown branch."""
    pen.curve(2.4, BROWN, -18, 20, -6, 12, 2, 6, 14, 4, end=1.6)
    pen.curve(1.6, BROWN, 2, 6, 0, 2, -1, -2)
    for x, y, size in ((-1, -4, 1.0), (13, -1, 0.55)):
        cup = pen.at(x, y, scale=size)
        pale = _tone(pen, "f8e4ea")
        cup.smooth(shade(pale, 0.88), -3, 5, -11, -2, -9, -13, -3, -6)
        cup.smooth(shade(pale, 0.88), 3, 5, 11, -2, 9, -13, 3, -6)
        cup.smooth(pale, -4, 5, -6, -8, 0, -16, 6, -8, 4, 5)
        cup.smooth(rgb("e0a0bc"), -2.4, 5, -3, -1, 0, -5, 3, -1, 2.4, 5)


def lily(pen: Pen) -> None:
    """Six pointed white petals with long stamens."""
    _stem(pen)
    head, colour = _head(pen), _tone(pen, "fbf6ee")
    for i in range(6):
        petal = head.at(0, 0, turn=60.0 * i + 30)
        petal.smooth(shade(colour, 0.88 if i % 2 else 1.0), 0, 0, -4, -5, -2.4, -11, 0, -15.4,
                     2.4, -11, 4, -5)  # fmt: skip
        petal.line(0.8, rgb("e8b0c0"), 0, -1, 0, -9)
    for i in range(6):
        stamen = head.at(0, 0, turn=60.0 * i)
        stamen.line(0.7, rgb("c8d890"), 0, 0, 0, -6.4)
        stamen.oval(0, -6.8, 1.5, 0.8, rgb("b0561c"))
    head.disc(0, 0, 1.8, rgb("b8d060"))


def orchid(pen: Pen) -> None:
    """Three sepals, two broad petals and a dark lip."""
    pen.curve(1.4, rgb("5a8a3c"), -12, 20, -10, 4, -2, -6)
    pen.smooth(DARK_GREEN, -12, 20, -2, 14, 8, 16, 2, 20)
    head, colour = pen.at(1, -4, scale=1.1), _tone(pen, "cf6ad0")
    for turn in (0.0, 130.0, 230.0):
        head.at(0, 0, turn=turn).oval(0, -7.6, 3, 6, shade(colour, 0.82))
    for s in (-1.0, 1.0):
        head.smooth(colour, 0, 0, s * 6, -8, s * 13, -5, s * 12, 3, s * 5, 4)
    head.mirror(rgb("7c1460"), 0, -1, 3, 1, 4, 6, 0, 9)
    head.disc(0, 0.6, 1.9, YELLOW)


def iris(pen: Pen) -> None:
    """Three upright and three hanging blue-violet petals with yellow tongues."""
    pen.line(2.0, rgb("4f8f3e"), 0, 20, 0, 2)
    for s in (-1.0, 1.0):
        pen.poly(LEAF, s * 1, 20, s * 12, -4, s * 6, 20)
    colour = _tone(pen, "4f4ac8")
    for s in (-1.0, 1.0):
        pen.smooth(shade(colour, 0.85), 0, 0, s * 8, -5, s * 13, 2, s * 10, 10, s * 5, 6)
        pen.curve(1.4, YELLOW, s * 2, 0, s * 6, 0, s * 9, 4)
        pen.smooth(shade(colour, 1.2), 0, 0, s * 7, -6, s * 8, -16, s * 2, -14)
    pen.mirror(colour, 0, -18, 4, -13, 3.4, -3, 0, 0)
    pen.mirror(shade(colour, 0.75), 0, -1, 4, 3, 4, 9, 0, 12)
    pen.line(1.5, YELLOW, 0, 0, 0, 6)


def pansy(pen: Pen) -> None:
    """Five overlapping petals with a dark face."""
    _stem(pen, leaf="round")
    head = _head(pen)
    upper, lower = _tone(pen, "5a2a9a"), _tone(pen, "f8cf3a")
    for x in (-5.4, 5.4):
        head.oval(x, -6, 7, 6.6, upper)
    for x in (-7.0, 7.0):
        head.oval(x, 2, 6.4, 6, lower)
    head.oval(0, 6, 8, 6.6, lower)
    for x, y, rx, ry in ((-5, 1.4, 3.4, 2.6), (5, 1.4, 3.4, 2.6), (0, 5, 3.6, 4)):
        head.oval(x, y, rx, ry, rgb("2e1440"))
    head.disc(0, 1, 1.7, ORANGE)


def violet(pen: Pen) -> None:
    """Small dark violet flowers over heart-shaped leaves."""
    for x, y in ((-11, 14), (11, 14), (0, 17)):
        pen.heart(x, y, 7, rgb("3f8a45"))
    for x, y, size in ((-8, -4, 0.9), (8, -6, 0.9), (0, -12, 0.8)):
        pen.curve(1.2, LEAF, 0, 16, x * 0.5, 6, x, y)
        head, colour = pen.at(x, y, scale=size), _tone(pen, "5a22b8")
        for turn in (-36.0, 36.0, 105.0, 255.0):
            head.at(0, 0, turn=turn).oval(0, -4.4, 2.7, 4, colour)
        head.oval(0, 4.4, 3.4, 4, shade(colour, 1.2))
        head.disc(0, 0.4, 1.5, WHITE)


def tulip(pen: Pen) -> None:
    """A cup of smooth red petals on a straight stem."""
    _stem(pen)
    colour = _tone(pen, "e2335a")
    pen.smooth(
        shade(colour, 0.8), -8, -6, -8.6, -18, -3, -13, 0, -19, 3, -13, 8.6, -18, 8, -6, 0, 1
    )
    pen.smooth(colour, -5, -4, -5, -12, 0, -17, 5, -12, 5, -4, 0, 1)
    pen.curve(1.0, shade(colour, 1.35), -2.6, -4, -2.8, -9, -1, -13)


def crocus(pen: Pen) -> None:
    """A slender cup that rises from the ground among thin leaves."""
    pen.oval(0, 19, 16, 3, rgb("8a6a48"))
    for x in (-11.0, -6.0, 6.0, 11.0):
        pen.curve(1.5, rgb("3f8a45"), x * 0.3, 19, x * 0.7, 6, x, -4, end=0.4)
    colour = _tone(pen, "8a5ae0")
    pen.poly(shade(colour, 1.5), -1.5, 18, 1.5, 18, 3, 4, -3, 4)
    for s in (-1.0, 1.0):
        pen.smooth(shade(colour, 0.85), 0, 6, s * 8, -2, s * 9, -14, s * 3, -8)
    for y in (-14.0, -11.0):
        pen.line(1.2, ORANGE, 0, 0, 0, y)
    pen.smooth(colour, -3.4, 5, -5.4, -4, 0, -12, 5.4, -4, 3.4, 5)


def rose(pen: Pen) -> None:
    """A spiral of red petals with thorns."""
    _stem(pen, leaf="round")
    pen.poly(rgb("4f8f3e"), 0.4, 8, 3, 6.4, 0.4, 6)
    head, colour = pen.at(0, -7), _tone(pen, "cc1630")
    for turn, factor in ((0, 0.72), (72, 0.8), (144, 0.76), (216, 0.84), (288, 0.78)):
        head.at(0, 0, turn=turn).oval(0, -5.6, 6.8, 5.6, shade(colour, factor))
    head.disc(0, 0, 7, colour)
    for r, start in ((5.4, 20), (3.8, 160), (2.2, 300)):
        head.arc(0, 0, r, r, (start, start + 230), width=1.2, colour=shade(colour, 0.62))
    head.disc(0, 0, 1.3, shade(colour, 0.6))


def peony(pen: Pen) -> None:
    """A full ball of soft pink petals."""
    _stem(pen, leaf="long")
    head, colour = pen.at(0, -6), _tone(pen, "f4a4c4")
    _petals(head, 9, 8, 5.4, 5.4, shade(colour, 0.84))
    _petals(head, 8, 5.2, 4.6, 4.6, colour, start=20)
    _petals(head, 6, 2.8, 3.6, 3.6, shade(colour, 1.25), start=8)
    head.arc(0, 0, 3, 3, (0, 250), width=0.8, colour=shade(colour, 0.75))


def carnation(pen: Pen) -> None:
    """A fan of fringed petals above a long green cup."""
    pen.curve(1.8, rgb("6a9a7a"), 1, 20, 0, 10, 0, 4)
    pen.curve(1.6, rgb("6a9a7a"), 0.4, 14, -5, 10, -9, 11)
    pen.curve(1.6, rgb("6a9a7a"), 0.4, 16, 5, 12, 9, 13)
    pen.poly(rgb("6a9a7a"), -2.6, -2, 2.6, -2, 1.6, 7, -1.6, 7)
    colour = _tone(pen, "f0506a")
    for y, r, factor in ((-6, 12, 0.78), (-6, 9.4, 0.95), (-7, 6.6, 1.2)):
        pen.star(0, y, r, shade(colour, factor), points=13, inner=0.76)
    pen.star(0, -8, 3.4, shade(colour, 0.75), points=9, inner=0.7)


def clover(pen: Pen) -> None:
    """A pink pompom with three-part leaves."""
    pen.curve(1.5, LEAF, 1, 20, 0, 10, 0, 0)
    for x, y in ((-9, 12), (10, 14)):
        for turn in (0, 120, 240):
            pen.at(x, y, turn=turn).heart(0, -4, 3.6, rgb("3f8f4a"))
            pen.at(x, y, turn=turn).line(0.7, rgb("a8d890"), -1.4, -4, 0, -3, 1.4, -4)
    colour = _tone(pen, "d884c0")
    for i in range(18):
        pen.at(0, -7, turn=20.0 * i).line(
            1.9, shade(colour, 0.82 if i % 2 else 1.1), 0, -2, 0, -8.6
        )
    pen.disc(0, -7, 4, shade(colour, 1.2))


def hyacinth(pen: Pen) -> None:
    """A thick spike of small stars between broad leaves."""
    for s in (-1.0, 1.0):
        pen.smooth(LEAF, s * 1, 20, s * 8, 6, s * 11, -2, s * 9, 12, s * 5, 20)
    pen.line(2.4, rgb("5f9a48"), 0, 20, 0, -8)
    colour = _tone(pen, "5a6ae8")
    for row in range(6):
        y = 6.0 - 4.4 * row
        wide = 6.6 - 0.5 * row
        for i in range(3):
            x = (i - 1) * wide * (1.0 if row % 2 else 0.8)
            pen.star(x, y, 3.9, shade(colour, 0.85 if (i + row) % 2 else 1.15), points=6, inner=0.5)
            pen.disc(x, y, 1.0, WHITE)


def bluebell(pen: Pen) -> None:
    """Bells that hang from an arching stem."""
    pen.curve(1.6, rgb("4f8f3e"), -6, 20, -5, 0, 0, -14, 10, -15)
    pen.smooth(LEAF, -6, 20, -13, 6, -14, -4, -10, 10)
    colour = _tone(pen, "4a74e0")
    for x, y in ((11, -10), (5, -7), (-1, -4), (7, 2), (0, 7)):
        pen.line(0.8, rgb("4f8f3e"), x - 2, y - 6, x, y - 2)
        pen.smooth(colour, x - 2, y - 3, x + 2, y - 3, x + 3, y + 3, x + 4.6, y + 5, x, y + 3.8,
                   x - 4.6, y + 5, x - 3, y + 3)  # fmt: skip
        pen.line(0.8, shade(colour, 1.4), x - 0.8, y - 2, x - 1.2, y + 2)


def lilac(pen: Pen) -> None:
    """A cone of tiny flowers over heart-shaped leaves."""
    pen.line(2.0, BROWN, 0, 20, 0, 8)
    for x in (-9.0, 9.0):
        pen.heart(x, 13, 6.6, rgb("3f8a4a"))
    colour = _tone(pen, "b48ad8")
    for row in range(7):
        wide = 1.6 + 1.5 * row
        for i in range(2 + row // 2 + 1):
            x = -wide + 2.0 * wide * i / (2 + row // 2)
            tone = (colour, shade(colour, 0.84), LILAC)[(i + row) % 3]
            pen.disc(x, -17 + 4 * row, 2.7, tone)
            pen.disc(x, -17 + 4 * row, 0.7, WHITE)


def gladiola(pen: Pen) -> None:
    """A tall sword-leaved spike of open trumpets."""
    pen.poly(LEAF, -2, 20, -12, -8, -7, 20)
    pen.poly(rgb("4f9a42"), 2, 20, 12, -4, 7, 20)
    pen.line(1.8, rgb("4f8f3e"), 0, 20, 0, -18)
    colour = _tone(pen, "f4744a")
    for i in range(5):
        y, size = 9.0 - 6.2 * i, 1.0 - 0.13 * i
        bloom = pen.at(-3.2 if i % 2 else 3.2, y, scale=size)
        _petals(bloom, 6, 3.6, 2.6, 3.6, colour)
        bloom.disc(0, 0, 2, rgb("fbe6a0"))
    pen.oval(0, -18, 1.5, 2.4, rgb("8ab05a"))


FLOWER_PAINTERS: dict[str, Prop] = {
    "aster": aster, "clover": clover, "hyacinth": hyacinth, "marigold": marigold,
    "poppy": poppy, "azalea": azalea, "crocus": crocus, "iris": iris, "orchid": orchid,
    "rose": rose, "bluebell": bluebell, "daffodil": daffodil, "lilac": lilac, "pansy": pansy,
    "tulip": tulip, "buttercup": buttercup, "daisy": daisy, "lily": lily, "peony": peony,
    "violet": violet, "carnation": carnation, "gladiola": gladiola, "magnolia": magnolia,
    "petunia": petunia, "zinnia": zinnia,
}  # fmt: skip
