"""Things that stand for desk work, studies and family life, in a box from -10 to 10."""

from __future__ import annotations

from portrayal.practice.painter.canvas import Pen
from portrayal.practice.painter.palette import (
    AMBER,
    BLUE,
    BRICK,
    BROWN,
    COAL,
    CREAM,
    CRIMSON,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LILAC,
    LIME,
    MINT,
    NAVY,
    ORANGE,
    PAPER,
    PINK,
    PURPLE,
    RED,
    ROSE,
    SILVER,
    SKY,
    STEEL,
    TAN,
    TEAL,
    VIOLET,
    WHITE,
    WOOD,
    YELLOW,
    Colour,
    rgb,
    shade,
)
from portrayal.practice.painter.tools import TOOLS, Prop


def scales(pen: Pen) -> None:
    """A balance."""
    pen.line(1.8, GOLD, 0, -9, 0, 9)
    pen.box(-5, 8, 5, 10, BROWN, r=0.6)
    pen.line(1.5, GOLD, -8, -6, 8, -7)
    for x, y in ((-8.0, -6.0), (8.0, -7.0)):
        pen.line(0.6, GOLD, x, y, x - 3.6, y + 7)
        pen.line(0.6, GOLD, x, y, x + 3.6, y + 7)
        pen.pie(x, y + 7, 4.4, 3, GOLD, 0, 180)


def lectern(pen: Pen) -> None:
    """A lectern with a microphone."""
    pen.curve(1.1, INK, 2, -4, 4, -8, 2, -10)
    pen.oval(1.6, -10, 1.6, 1.9, INK)
    pen.poly(WOOD, -10, -5, 10, -5, 8, 0, -8, 0)
    pen.poly(DARK_WOOD, -7, 0, 7, 0, 6, 12, -6, 12)
    pen.poly(PAPER, -5, -6, 3, -6, 2, -2, -6, -2)


def seal_podium(pen: Pen) -> None:
    """A blue lectern with a round seal."""
    pen.curve(1.0, INK, -3, -6, -4, -9, -2, -10)
    pen.curve(1.0, INK, 3, -6, 4, -9, 2, -10)
    pen.box(-10, -6, 10, -3.4, SILVER)
    pen.box(-9, -3.4, 9, 12, NAVY)
    pen.disc(0, 3.4, 5.4, GOLD)
    pen.disc(0, 3.4, 4.2, BLUE)
    pen.star(0, 3.4, 3, WHITE)


def laptop(pen: Pen) -> None:
    """A laptop with lines of code."""
    pen.box(-10, -9, 10, 5, COAL, r=1)
    pen.box(-8.8, -7.8, 8.8, 3.8, rgb("10202e"))
    for i, (x, w, colour) in enumerate(
        ((-7, 6, LIME), (-5, 8, CYAN), (-5, 5, ORANGE), (-7, 9, LIME), (-7, 4, ROSE))
    ):
        pen.box(x, -6.6 + 2 * i, x + w, -5.5 + 2 * i, colour)
    pen.poly(SILVER, -11, 5, 11, 5, 12, 8, -12, 8)


def abc_blocks(pen: Pen) -> None:
    """Toy blocks."""
    for x, y, colour in ((-5.2, 5, RED), (5.2, 5, BLUE), (0, -5.2, YELLOW)):
        pen.box(x - 5, y - 5, x + 5, y + 5, colour, r=0.8)
        pen.box(x - 3.8, y - 3.8, x + 3.8, y + 3.8, WHITE)
    pen.line(1.3, RED, -7.4, 7.8, -5.2, 2.4, -3, 7.8)
    pen.ring(5.2, 5, 2.3, 1.4, BLUE)
    pen.line(1.3, ORANGE, -1.8, -2.4, -1.8, -8, 1.4, -6.6, -1.4, -5.2, 1.8, -3.8, -1.4, -2.6)


def book_stack(pen: Pen) -> None:
    """A pile of books."""
    for i, (colour, dx) in enumerate(((RED, 0), (TEAL, 1.4), (AMBER, -1), (PURPLE, 0.6))):
        y = 6 - 5 * i
        pen.box(-9 + dx, y, 9 + dx, y + 4.4, colour, r=0.8)
        pen.box(-7 + dx, y + 0.9, 9.4 + dx, y + 3.4, PAPER)
        pen.box(-9 + dx, y, -6.6 + dx, y + 4.4, shade(colour, 0.75))


def desk_microphone(pen: Pen) -> None:
    """A studio microphone on its arm."""
    pen.line(1.5, INK, -9, 10, -6, -2, 0, -6)
    pen.oval(2, -2, 4.6, 7.4, COAL)
    for y in (-6.0, -3.4, -0.8):
        pen.line(0.9, SILVER, -2, y, 6, y)
    pen.box(-2.4, 1, 6.4, 3, RED)


def flask(pen: Pen) -> None:
    """A flask with a bubbling liquid."""
    pen.poly(WHITE, -2.6, -10, 2.6, -10, 2.6, -3, 9, 8, 7.6, 10, -7.6, 10, -9, 8, -2.6, -3)
    pen.poly(VIOLET, -4.6, 1, 4.6, 1, 8, 8, 7, 9, -7, 9, -8, 8)
    pen.disc(-2, 5, 1.5, LILAC)
    pen.disc(2.4, 3.4, 1.2, LILAC)
    pen.disc(1, -6, 1.1, VIOLET)
    pen.box(-3.4, -10.8, 3.4, -9.4, SILVER)


def trophy(pen: Pen) -> None:
    """A golden cup."""
    for s in (-1.0, 1.0):
        pen.arc(s * 6, -5, 3.4, 3.6, 0, 360, width=1.3, colour=GOLD)
    pen.mirror(GOLD, 0, -10, 6.6, -10, 5.6, -2, 1.6, 2, 0, 2)
    pen.box(-1.2, 1, 1.2, 6, GOLD)
    pen.box(-5, 6, 5, 10, INK, r=0.6)
    pen.star(0, -5.6, 2.6, WHITE)


def gear(pen: Pen) -> None:
    """A gear wheel with a blueprint roll."""
    pen.line(4.4, BLUE, -9, 9, 9, 3)
    pen.line(1.0, WHITE, -7, 8, 7, 3.4)
    pen.star(0, -2.4, 8.4, GREY, points=9, inner=0.76)
    pen.disc(0, -2.4, 5.6, STEEL)
    pen.disc(0, -2.4, 2.6, INK)


def press_microphone(pen: Pen) -> None:
    """A reporter's microphone with a cube, and a notepad."""
    pen.box(-10, -4, -2, 9, YELLOW)
    for i in range(4):
        pen.line(0.7, GREY, -8.6, -1 + 2.4 * i, -3.4, -1 + 2.4 * i)
    pen.line(2.0, INK, 4, 10, 4, 0)
    pen.box(0, -4, 8, 2.4, RED)
    pen.box(1.6, -2, 6.4, 0.4, WHITE)
    pen.disc(4, -6.6, 3.8, COAL)


def desk_bell(pen: Pen) -> None:
    """A reception bell and a telephone receiver."""
    pen.pie(-2, 6, 7.4, 7.4, GOLD, 180, 360)
    pen.box(-10, 6, 6, 8.4, INK, r=0.8)
    pen.disc(-2, -1.8, 1.4, INK)
    pen.arc(4, -3, 6, 6, 190, 330, width=2.6, colour=CRIMSON)
    pen.disc(-1.6, -4.4, 2.3, CRIMSON)
    pen.disc(9.2, -5.6, 2.3, CRIMSON)


def planner(pen: Pen) -> None:
    """A calendar page."""
    pen.box(-8, -8, 8, 9, WHITE, r=0.8)
    pen.box(-8, -8, 8, -3.6, TEAL)
    for x in (-4.0, 4.0):
        pen.line(1.2, INK, x, -10, x, -6.4)
    for i in range(3):
        for j in range(4):
            colour = ROSE if (i, j) == (1, 2) else SILVER
            pen.box(-6.4 + 3.5 * j, -1.8 + 3.5 * i, -4 + 3.5 * j, 0.6 + 3.5 * i, colour)


def novel(pen: Pen) -> None:
    """A thick book shown with its cover."""
    pen.poly(shade(CRIMSON, 0.7), -8, -9, -6, -10, -6, 9, -8, 10)
    pen.box(-7, -10, 7, 9.4, CRIMSON, r=0.6)
    pen.box(7, -9, 8.4, 9, PAPER)
    pen.box(-4.6, -6.4, 4.6, -4.6, GOLD)
    pen.box(-3, -3.4, 3, -2.4, GOLD)
    pen.star(0, 2.8, 3.4, GOLD)


def typewriter(pen: Pen) -> None:
    """A typewriter with a sheet of paper."""
    pen.box(-6, -11, 6, 0, WHITE)
    for i in range(3):
        pen.line(0.8, GREY, -4, -9 + 2.4 * i, 4, -9 + 2.4 * i)
    pen.box(-9.4, -3, 9.4, 1, INK, r=1)
    pen.poly(TEAL, -8, 1, 8, 1, 10.4, 10, -10.4, 10)
    for i in range(2):
        for j in range(5):
            pen.disc(-6 + 3 * j, 4 + 3 * i, 1.0, WHITE)


def quill(pen: Pen) -> None:
    """A quill over a sheet with verses."""
    pen.poly(CREAM, -9, -2, 6, -4, 8, 9, -7, 11)
    for i in range(4):
        pen.curve(0.7, BROWN, -6, 1 + 2.3 * i, -2, 0 + 2.3 * i, 3, 0.4 + 2.3 * i)
    pen.smooth(WHITE, 1, 4, 3, -3, 9, -11, 10, -6, 6, 0)
    pen.curve(0.8, GREY, 0, 6, 4, -1, 9, -10)


def checklist(pen: Pen) -> None:
    """A clipboard with ticks."""
    pen.box(-7, -9, 7, 10, INK, r=1)
    pen.box(-5.8, -7, 5.8, 9, WHITE)
    pen.box(-3, -10.4, 3, -7, AMBER, r=0.8)
    for i in range(3):
        y = -3.6 + 4 * i
        pen.line(1.1, GREEN, -4.6, y, -3.4, y + 1.4, -1.4, y - 1.6)
        pen.box(0, y - 0.5, 4.6, y + 0.6, GREY)


def calculator(pen: Pen) -> None:
    """A calculator."""
    pen.box(-7.4, -10, 7.4, 10, COAL, r=1.4)
    pen.box(-5.8, -8.4, 5.8, -4, LIME)
    for i in range(4):
        for j in range(3):
            colour = ORANGE if j == 2 else WHITE
            pen.box(-5.8 + 4.1 * j, -2.4 + 3 * i, -2.6 + 4.1 * j, -0.2 + 3 * i, colour)


def scroll(pen: Pen) -> None:
    """A rolled law with a ribbon."""
    pen.box(-8, -8, 8, 8, CREAM)
    pen.line(3.2, TAN, -9, -8.6, 9, -8.6)
    pen.line(3.2, TAN, -9, 8.6, 9, 8.6)
    for i in range(4):
        pen.line(0.8, BROWN, -5, -4 + 2.4 * i, 5, -4 + 2.4 * i)
    pen.disc(0, 6, 2, RED)


def megaphone(pen: Pen) -> None:
    """A megaphone."""
    turned = pen.at(0, 0, turn=-18)
    turned.line(2.4, INK, -4, 0, -3, 9)
    turned.poly(RED, -7, -3, -1, -3.6, 8, -9, 8, 9, -1, 3.6, -7, 3)
    turned.oval(8, 0, 2.4, 9, WHITE)
    turned.oval(8, 0, 1.2, 5.6, SILVER)


def city_key(pen: Pen) -> None:
    """A large golden key."""
    pen.line(2.2, GOLD, 0, -2, 0, 10)
    pen.box(0, 5, 5, 7, GOLD)
    pen.box(0, 8.4, 4, 10.4, GOLD)
    pen.ring(0, -5.6, 4.2, 2.2, GOLD)


def school_books(pen: Pen) -> None:
    """Exercise books and pencils under one arm."""
    pen.poly(BLUE, -8, -7, 5, -9, 7, 9, -6, 11)
    pen.poly(WHITE, -4, -4, 3, -5, 3.6, -1, -3.4, 0)
    pen.poly(ORANGE, -3, -3, 9, -4, 10, 10, -2, 11)
    pen.box(0, 0, 7, 3, WHITE)
    pen.line(1.5, YELLOW, -8, 4, -5, -10)


def model_house(pen: Pen) -> None:
    """A model of a house on a plan."""
    pen.poly(BLUE, -11, 5, 11, 5, 9, 11, -9, 11)
    pen.line(0.7, WHITE, -8, 8.6, 8, 8.6)
    pen.box(-7, -3, 7, 7, WHITE)
    pen.poly(SILVER, 2, -3, 7, -3, 7, 7, 2, 7)
    pen.poly(ORANGE, -9, -3, 0, -10, 9, -3)
    pen.box(-5, 0, -1.6, 3.4, CYAN)
    pen.box(3, 2, 6, 7, BROWN)


def held_guitar(pen: Pen) -> None:
    """A guitar."""
    turned = pen.at(0, 0, turn=38)
    turned.box(-1.1, -14, 1.1, 0, DARK_WOOD)
    turned.box(-1.9, -16, 1.9, -12.6, INK)
    turned.oval(0, 0, 4.6, 4.2, ORANGE)
    turned.oval(0, 6, 6.4, 5.6, ORANGE)
    turned.disc(0, 3, 2.2, INK)
    turned.box(-2.6, 8, 2.6, 9.2, INK)


def magnifier(pen: Pen) -> None:
    """A magnifying glass over papers."""
    pen.poly(WHITE, -9, -4, 3, -6, 6, 9, -6, 11)
    pen.line(1.2, BLUE, -5, 6, -3, 2, 0, 4, 2, -2)
    pen.line(2.8, DARK_WOOD, 4, 3, 9, 10)
    pen.disc(1, -3, 6.6, INK)
    pen.disc(1, -3, 5.2, SKY)
    pen.arc(1, -3, 3.6, 3.6, 180, 270, width=1.2, colour=WHITE)


def bar_chart(pen: Pen) -> None:
    """A chart with rising bars."""
    pen.box(-10, -9, 10, 9, WHITE, r=0.8)
    for i, colour in enumerate((BLUE, TEAL, AMBER, RED)):
        pen.box(-8 + 4.3 * i, 5 - 3.4 * i, -5 + 4.3 * i, 7.6, colour)
    pen.line(1.3, INK, -8, 1, 3, -6, 7, -7.4)


def light_bulb(pen: Pen) -> None:
    """A shining bulb."""
    for i in range(8):
        pen.at(0, -3, turn=45.0 * i).line(1.3, AMBER, 0, -8.4, 0, -11)
    pen.disc(0, -3, 6.6, YELLOW)
    pen.box(-3, 2, 3, 5, YELLOW)
    pen.box(-3, 4.6, 3, 9.4, GREY, r=0.8)
    pen.line(0.9, ORANGE, -2, 2, -2.4, -3, 0, -1.4, 2.4, -3, 2, 2)


def coffee_cups(pen: Pen) -> None:
    """A carrier with paper cups."""
    for x in (-5.0, 5.0):
        pen.poly(WHITE, x - 4, -6, x + 4, -6, x + 3, 6, x - 3, 6)
        pen.box(x - 4.4, -8.4, x + 4.4, -5.6, BROWN, r=0.8)
        pen.poly(WOOD, x - 3.7, -2, x + 3.7, -2, x + 3.3, 2.6, x - 3.3, 2.6)
    pen.box(-10, 4.4, 10, 9, TAN, r=1)


def diploma(pen: Pen) -> None:
    """A rolled diploma with a red ribbon."""
    turned = pen.at(0, 0, turn=-32)
    turned.box(-11, -3.4, 11, 3.4, CREAM, r=1.4)
    turned.oval(10.6, 0, 1.9, 3.4, TAN)
    turned.box(-1.6, -3.8, 1.6, 3.8, RED)
    pen.poly(RED, -1, 2, 3, 9, 0, 8, -3, 10)


def sketch_pad(pen: Pen) -> None:
    """A sketch pad with a drawing, and coloured pencils."""
    pen.box(-9, -9, 5, 8, WHITE)
    pen.box(-9, -10, 5, -7.8, INK)
    pen.disc(-4.4, -3, 2, YELLOW)
    pen.poly(LEAF, -8, 6, -3, -1, 4, 6)
    for i, colour in enumerate((RED, BLUE, VIOLET)):
        pen.line(1.7, colour, 4 + 2.4 * i, 10, 7 + 1.4 * i, -6)


def notepad(pen: Pen) -> None:
    """A small notepad with a pen and a tissue box."""
    pen.box(-9, -2, 5, 10, SKY, r=1)
    pen.smooth(WHITE, -6, -2, -4, -9, 0, -6, 3, -9, 3, -2)
    pen.oval(-2, -1.6, 4.4, 1.1, SILVER)
    pen.line(1.4, INK, 6, 10, 9.6, -3)


def atom(pen: Pen) -> None:
    """An atom with its orbits."""
    for i, colour in enumerate((BLUE, RED, GREEN)):
        turned = pen.at(0, 0, turn=60.0 * i)
        turned.arc(0, 0, 3.6, 10, 0, 360, width=1.1, colour=colour)
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
    turned.box(-10, -1.9, -2, 1.9, BRASS_TUBE)
    turned.box(-3, -2.9, 5, 2.9, COAL)
    turned.box(4, -3.9, 10.4, 3.9, BRASS_TUBE)
    pen.star(-7, -8, 2.6, YELLOW)


BRASS_TUBE: Colour = rgb("c9962f")


def geometry(pen: Pen) -> None:
    """A set square, a ruler and the sign pi."""
    pen.poly(YELLOW, -10, 10, -10, -9, 8, 10)
    pen.poly(WHITE, -7, 7, -7, -1, 0.6, 7)
    pen.line(1.7, RED, 0, -8, 10, -8)
    pen.line(1.7, RED, 3, -8, 2.4, 0)
    pen.line(1.7, RED, 7.4, -8, 7.8, 0)


def magnet(pen: Pen) -> None:
    """A horseshoe magnet with its field."""
    pen.arc(0, 1, 6, 7, 0, 180, width=4.4, colour=RED)
    for s in (-1.0, 1.0):
        pen.box(s * 6 - 2.2, -6, s * 6 + 2.2, 1.4, RED)
        pen.box(s * 6 - 2.2, -8.4, s * 6 + 2.2, -4.4, SILVER)
    pen.arc(0, -8, 3, 3, 180, 360, width=0.9, colour=BLUE)
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
    pen.arc(0, -1, 9.4, 9.4, -60, 120, width=1.4, colour=BRASS_TUBE)
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
    pen.arc(8, -7, 2.2, 2.4, -180, 90, width=1.2, colour=PURPLE)
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


def nameplate(pen: Pen) -> None:
    """A desk with a name plate and a leather chair."""
    pen.box(-6, -10, 6, 3, rgb("4a2a22"), r=2.4)
    for x, y in ((-2.4, -6), (2.4, -6), (-2.4, -2), (2.4, -2)):
        pen.disc(x, y, 0.7, rgb("2a1612"))
    pen.box(-11, 2, 11, 11, DARK_WOOD)
    pen.box(-5, 4, 5, 7.4, GOLD)
    pen.box(-3.4, 5.2, 3.4, 6.2, INK)


def org_chart(pen: Pen) -> None:
    """Boxes joined by lines."""
    pen.line(1.0, INK, 0, -6, 0, 0)
    pen.line(1.0, INK, -7, 5, -7, 0, 7, 0, 7, 5)
    pen.line(1.0, INK, 0, 0, 0, 5)
    pen.box(-4, -10, 4, -4, RED, r=0.8)
    for x, colour in ((-7, BLUE), (0, TEAL), (7, AMBER)):
        pen.box(x - 2.9, 3.4, x + 2.9, 9, colour, r=0.8)


def id_badge(pen: Pen) -> None:
    """A badge on a ribbon."""
    pen.line(1.4, BLUE, -5, -11, 0, -5)
    pen.line(1.4, BLUE, 5, -11, 0, -5)
    pen.box(-7, -5, 7, 10, WHITE, r=1.2)
    pen.box(-7, -5, 7, -2, BLUE)
    pen.disc(0, 1, 2.2, TAN)
    pen.pie(0, 6, 3.6, 3, COAL, 180, 360)
    pen.box(-4, 7.4, 4, 8.4, GREY)


def tower(pen: Pen) -> None:
    """Office towers."""
    for x0, x1, y, colour in ((-10, -4, -2, STEEL), (4, 10, -4, BLUE), (-4, 4, -10, NAVY)):
        pen.box(x0, y, x1, 11, colour)
        for i in range(5):
            for x in (x0 + 1.2, (x0 + x1) / 2 + 0.5):
                if y + 2 + 2.6 * i < 10:
                    pen.box(x, y + 1.4 + 2.6 * i, x + 1.5, y + 2.8 + 2.6 * i, YELLOW)


def coins(pen: Pen) -> None:
    """Piles of coins and a note."""
    pen.poly(GREEN, -10, -9, 7, -11, 8, -3, -9, -1)
    pen.disc(-1, -6, 2.4, MINT)
    for x, n in ((-6, 3), (1, 5), (8, 2)):
        for i in range(n):
            pen.oval(x, 9 - 2.2 * i, 4, 1.7, shade(GOLD, 0.78))
            pen.oval(x, 8.4 - 2.2 * i, 4, 1.6, GOLD)


def monitor(pen: Pen) -> None:
    """A desk with a screen and a lamp."""
    pen.box(-11, 6, 11, 8.4, WOOD)
    pen.box(-7, -7, 6, 3, INK, r=0.8)
    pen.box(-6, -6, 5, 2, SKY)
    pen.box(-2, 3, 1, 6, GREY)
    pen.line(1.0, RED, 9, 6, 9, -4, 6, -8)
    pen.poly(RED, 3.4, -7, 7, -10.6, 8.4, -7)


def briefcase(pen: Pen) -> None:
    """A briefcase."""
    pen.arc(0, -6, 4, 3.6, 180, 360, width=1.6, colour=INK)
    pen.box(-10.4, -6, 10.4, 9, BROWN, r=1.4)
    pen.box(-10.4, -0.6, 10.4, 1, shade(BROWN, 0.65))
    for x in (-5.0, 5.0):
        pen.box(x - 1.2, -1.4, x + 1.2, 2, GOLD)


def career_ladder(pen: Pen) -> None:
    """Steps that rise to a flag."""
    for i, colour in enumerate((SKY, CYAN, BLUE, NAVY)):
        pen.box(-10 + 5 * i, 6 - 4 * i, -5 + 5 * i, 11, colour)
    pen.line(1.0, INK, 7.4, -6, 7.4, -13)
    pen.poly(RED, 7.4, -13, 2, -11, 7.4, -9)
    pen.line(1.5, AMBER, -9, 1, 1, -7)
    pen.poly(AMBER, 2.6, -8.4, -1, -7.6, 1.4, -5)


def house(pen: Pen) -> None:
    """A house with a chimney."""
    pen.box(4, -9, 7, -2, BRICK)
    pen.box(-8, -2, 8, 10, CREAM)
    pen.poly(RED, -11, -1, 0, -11, 11, -1)
    pen.box(-2, 3, 2.4, 10, BROWN)
    pen.box(-6.6, 1, -3.4, 5, CYAN)
    pen.box(4, 1, 7, 5, CYAN)


def _figure(pen: Pen, x: float, y: float, size: float, shirt: Colour) -> None:
    skin = (TAN, rgb("8a5c40"), rgb("e8cca8"), rgb("5e4032"))[int(pen.rng.random() * 4)]
    small = pen.at(x, y, scale=size)
    small.mirror(shirt, 0, 2, 3, 2.6, 3.8, 9, 0, 9)
    small.disc(0, -0.6, 2.9, skin)
    small.pie(0, -1.2, 3.1, 2.7, COAL, 180, 360)


def _frame(pen: Pen) -> None:
    pen.box(-11, -10, 11, 10, BRASS_TUBE, r=0.8)
    pen.box(-9.6, -8.6, 9.6, 8.6, rgb("e8f0ea"))


def parents(pen: Pen) -> None:
    """A framed picture of two grown-ups with a baby."""
    _frame(pen)
    _figure(pen, -4.4, -1.6, 1.1, BLUE)
    _figure(pen, 4.4, -1.6, 1.1, CRIMSON)
    _figure(pen, 0, 4, 0.5, YELLOW)


def children(pen: Pen) -> None:
    """Two children with balloons."""
    for x, colour in ((-8, RED), (8, BLUE)):
        pen.line(0.5, INK, x, -4, x * 0.6, 6)
        pen.oval(x, -8, 2.9, 3.6, colour)
    _figure(pen, -4, 3, 0.95, AMBER)
    _figure(pen, 4, 3, 0.95, TEAL)


def family(pen: Pen) -> None:
    """A framed picture of four, with a heart."""
    _frame(pen)
    for x, y, size, colour in ((-6, 0, 0.85, TEAL), (0, 0, 0.85, PURPLE), (5, 3, 0.6, AMBER),
                               (-3, 4, 0.55, RED)):  # fmt: skip
        _figure(pen, x, y, size, colour)
    pen.heart(6, -5, 2.6, RED)


def cousins(pen: Pen) -> None:
    """Three of about the same age, side by side in the same shirts."""
    for x in (-7.4, 0.0, 7.4):
        _figure(pen, x, -2, 1.0, GREEN)
    pen.box(-11, 6.6, 11, 9, LIME)


def rings(pen: Pen) -> None:
    """Two linked rings."""
    pen.ring(-3.6, 2, 6, 2.0, GOLD)
    pen.ring(4, 2, 6, 2.0, SILVER)
    pen.poly(CYAN, 4, -9.4, 7, -7, 4, -3.4, 1, -7)
    pen.heart(-5, -7.4, 2.6, ROSE)


def wedding_cake(pen: Pen) -> None:
    """A cake of three tiers with hearts."""
    for w, y in ((10.0, 4.0), (7.0, -2.0), (4.4, -8.0)):
        pen.box(-w, y, w, y + 6, WHITE, r=0.8)
        pen.box(-w, y + 4.6, w, y + 6, PINK)
    for x, y in ((-5, 6.6), (0, 6.6), (5, 6.6), (-2.6, 0.6), (2.6, 0.6)):
        pen.disc(x, y, 1.1, ROSE)
    pen.heart(0, -10.4, 2, RED)


def family_tree(pen: Pen) -> None:
    """A tree with portraits."""
    pen.poly(BROWN, -1.8, 11, 1.8, 11, 1, 0, -1, 0)
    pen.smooth(LEAF, -10, 0, -6, -9, 0, -11, 6, -9, 10, 0, 4, 5, -4, 5)
    for x, y in ((0, -7), (-5, -2), (5, -2), (-1.8, 2), (2.6, 2)):
        pen.disc(x, y, 2.1, WHITE)
        pen.disc(x, y, 1.4, TAN if x >= 0 else rgb("8a5c40"))


EMBLEMS: dict[str, Prop] = {
    "scales": scales, "lectern": lectern, "seal podium": seal_podium, "laptop": laptop,
    "abc blocks": abc_blocks, "book stack": book_stack, "desk microphone": desk_microphone,
    "flask": flask, "trophy": trophy, "gear": gear, "press microphone": press_microphone,
    "desk bell": desk_bell, "planner": planner, "novel": novel, "typewriter": typewriter,
    "quill": quill, "checklist": checklist, "calculator": calculator, "scroll": scroll,
    "megaphone": megaphone, "city key": city_key, "school books": school_books,
    "model house": model_house, "held guitar": held_guitar, "magnifier": magnifier,
    "bar chart": bar_chart, "light bulb": light_bulb, "coffee cups": coffee_cups,
    "diploma": diploma, "sketch pad": sketch_pad, "notepad": notepad, "briefcase": briefcase,
    "house": house, "coins": coins,
}  # fmt: skip

STUDIES: dict[str, Prop] = {
    "science": atom, "technology": chip, "astronomy": telescope, "math": geometry,
    "chemistry": flask, "physics": magnet, "biology": double_helix, "geology": crystal,
    "engineering": gear, "poetry": quill, "art": TOOLS["palette"], "history": hourglass,
    "humanities": globe, "English": letters, "philosophy": bust, "music": lyre,
    "literature": book_stack, "executive": nameplate, "management": org_chart,
    "professional": id_badge, "corporation": tower, "salary": coins, "office": monitor,
    "business": briefcase, "career": career_ladder, "home": house, "parents": parents,
    "children": children, "family": family, "cousins": cousins, "marriage": rings,
    "wedding": wedding_cake, "relatives": family_tree,
}  # fmt: skip
"""A picture for every field of study and every word of career and family life."""
