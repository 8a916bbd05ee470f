"""Signs for fields of study, and one for every word of career and family life."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.emblems import (
    book_stack,
    briefcase,
    coins,
    flask,
    gear,
    house,
    quill,
)
from portrayal_practice.painter.lives import (
    career_ladder,
    children,
    cousins,
    family,
    family_tree,
    id_badge,
    monitor,
    nameplate,
    org_chart,
    parents,
    rings,
    tower,
    wedding_cake,
)
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BRASS,
    BROWN,
    COAL,
    CREAM,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    PURPLE,
    RED,
    ROSE,
    SILVER,
    TEAL,
    VIOLET,
    WHITE,
    WOOD,
    YELLOW,
    rgb,
    shade,
)
from portrayal_practice.painter.tools import palette_brush


def atom(pen: Pen) -> None:
    """An atom with its orbits."""
    for i, colour in enumerate((BLUE, RED, GREEN)):
        turned = pen.at(0, 0, turn=60.0 * i)
        turned.arc(0, 0, 3.6, 10, (0, 360), width=1.1, colour=colour)
        turned.disc(0, -10, 1.6, colour)
    pen.disc(0, 0, 2.4, AMBER)


def chip(pen: Pen) -> None:
    """A computer chip."""
    for i in range(4):
        p = -5.4 + 3.6 * i
        pen.line(1.3, GOLD, p, -10, p, 10)
        pen.line(1.3, GOLD, -10, p, 10, p)
    pen.box(-7.4, -7.4, 7.4, 7.4, rgb("1f6a52"), r=1)
    pen.box(-4, -4, 4, 4, INK)
    pen.disc(-2, -2, 0.9, CYAN)


def telescope(pen: Pen) -> None:
    """A telescope on its legs."""
    pen.line(1.3, WOOD, 0, 1, -5, 11)
    pen.line(1.3, WOOD, 0, 1, 5, 11)
    turned = pen.at(0, 0, turn=-36)
    turned.box(-10, -1.9, -2, 1.9, BRASS)
    turned.box(-3, -2.9, 5, 2.9, COAL)
    turned.box(4, -3.9, 10.4, 3.9, BRASS)
    pen.star(-7, -8, 2.6, YELLOW)


def geometry(pen: Pen) -> None:
    """A set square, a ruler and the sign pi."""
    pen.poly(YELLOW, -10, 10, -10, -9, 8, 10)
    pen.poly(WHITE, -7, 7, -7, -1, 0.6, 7)
    pen.line(1.7, RED, 0, -8, 10, -8)
    pen.line(1.7, RED, 3, -8, 2.4, 0)
    pen.line(1.7, RED, 7.4, -8, 7.8, 0)


def magnet(pen: Pen) -> None:
    """A horseshoe magnet with its field."""
    pen.arc(0, 1, 6, 7, (0, 180), width=4.4, colour=RED)
    for s in (-1.0, 1.0):
        pen.box(s * 6 - 2.2, -6, s * 6 + 2.2, 1.4, RED)
        pen.box(s * 6 - 2.2, -8.4, s * 6 + 2.2, -4.4, SILVER)
    pen.arc(0, -8, 3, 3, (180, 360), width=0.9, colour=BLUE)
    pen.poly(YELLOW, 1, -4, -2, 1, 0, 1, -1, 5, 2.6, -0.4, 0.6, -0.4)


def double_helix(pen: Pen) -> None:
    """A strand of DNA and a leaf."""
    for i in range(6):
        y = -9 + 3.4 * i
        pen.line(0.9, GREY, -3.4 if i % 3 else -1.4, y, 3.4 if i % 3 else 1.4, y)
    pen.curve(1.6, BLUE, -4, -10, 4, -5, -4, 0, 4, 5, -4, 10)
    pen.curve(1.6, ROSE, 4, -10, -4, -5, 4, 0, -4, 5, 4, 10)
    pen.smooth(LEAF, 5, 4, 6, -2, 10, -4, 10, 2)


def crystal(pen: Pen) -> None:
    """Crystals on a rock."""
    pen.smooth(GREY, -10, 9, -8, 4, 0, 3, 8, 4, 10, 9, 0, 11)
    for x, h, colour in ((-5, 7, TEAL), (0, 12, VIOLET), (5, 8, CYAN)):
        pen.poly(colour, x - 3, 5, x - 3, 5 - h, x, 2 - h, x, 6)
        pen.poly(shade(colour, 1.45), x, 6, x, 2 - h, x + 3, 5 - h, x + 3, 5)


def hourglass(pen: Pen) -> None:
    """An hourglass and a column."""
    pen.box(-10, -9, -2, -7, CREAM)
    pen.box(-10, 8, -2, 10, CREAM)
    for x in (-8.6, -6.0, -3.4):
        pen.box(x - 0.9, -7, x + 0.9, 8, CREAM)
    pen.poly(WHITE, 1, -8, 10, -8, 6, 1, 10, 9, 1, 9, 5, 1)
    pen.poly(AMBER, 3, -4, 8, -4, 5.6, 0.6)
    pen.poly(AMBER, 2.4, 8.4, 8.6, 8.4, 5.5, 4)
    pen.box(0, -9.6, 11, -7.6, DARK_WOOD)
    pen.box(0, 8.4, 11, 10.4, DARK_WOOD)


def globe(pen: Pen) -> None:
    """A globe on its stand."""
    pen.arc(0, -1, 9.4, 9.4, (-60, 120), width=1.4, colour=BRASS)
    pen.disc(0, -1, 7.8, BLUE)
    pen.smooth(LEAF, -6, -4, -1, -7, 1, -3, -2, 1, -5, 2)
    pen.smooth(LEAF, 2, 1, 5, -2, 6, 3, 3, 5)
    pen.box(-4, 9, 5, 10.8, BROWN)


def letters(pen: Pen) -> None:
    """A speech bubble with an A."""
    pen.box(-10, -10, 10, 5, WHITE, r=3)
    pen.poly(WHITE, -6, 4, -1, 4, -7, 11)
    pen.line(1.9, BLUE, -5, 2, -1.4, -7, 2, 2)
    pen.line(1.5, BLUE, -3.6, -1.4, 0.6, -1.4)
    pen.line(1.5, RED, 5, -2, 5, 2)
    pen.ring(6, 0, 1.7, 1.3, RED)


def bust(pen: Pen) -> None:
    """A marble bust with a question mark."""
    stone = rgb("dcdad2")
    pen.mirror(stone, 0, 3, 5, 4, 7, 9, 0, 9)
    pen.box(-2, 0, 2, 5, shade(stone, 0.85))
    pen.oval(0, -3, 4, 5.4, stone)
    pen.mirror(shade(stone, 0.82), 0, -9, 4.4, -7, 4.4, -3, 0, -6)
    pen.oval(0, 1.4, 3, 3, shade(stone, 0.9))
    pen.box(-5, 8.4, 5, 11, GREY)
    pen.arc(8, -7, 2.2, 2.4, (-180, 90), width=1.2, colour=PURPLE)
    pen.disc(8, -1.6, 0.9, PURPLE)


def lyre(pen: Pen) -> None:
    """A lyre with notes."""
    pen.curve(1.9, GOLD, -1, 8, -6.4, 4, -5, -3, -8, -9)
    pen.curve(1.9, GOLD, 1, 8, 6.4, 4, 5, -3, 8, -9)
    pen.line(1.5, GOLD, -6, -5, 6, -5)
    for x in (-3.0, -1.0, 1.0, 3.0):
        pen.line(0.5, WHITE, x, -5, x * 0.5, 8)
    pen.box(-2.4, 7, 2.4, 10, GOLD)
    note(pen.at(9, 3))


def note(pen: Pen) -> None:
    """One music note."""
    pen.oval(-1, 3, 1.9, 1.4, INK, turn=-20)
    pen.line(0.9, INK, 0.6, 3, 0.6, -4, 3, -2.4)


STUDIES: dict[str, Prop] = {
    "science": atom, "technology": chip, "astronomy": telescope, "math": geometry,
    "chemistry": flask, "physics": magnet, "biology": double_helix, "geology": crystal,
    "engineering": gear, "poetry": quill, "art": palette_brush, "history": hourglass,
    "humanities": globe, "English": letters, "philosophy": bust, "music": lyre,
    "literature": book_stack, "executive": nameplate, "management": org_chart,
    "professional": id_badge, "corporation": tower, "salary": coins, "office": monitor,
    "business": briefcase, "career": career_ladder, "home": house, "parents": parents,
    "children": children, "family": family, "cousins": cousins, "marriage": rings,
    "wedding": wedding_cake, "relatives": family_tree,
}  # fmt: skip
"""An image for every field of study and every word of career and family life."""
