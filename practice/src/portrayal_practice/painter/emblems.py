"""Things of desk work and public life, in a box from -10 to 10."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
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
    rgb,
    shade,
)


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
    pen.oval(2, -2, 5.4, 8, SILVER)
    pen.oval(2, -2, 4.4, 7, GREY)
    for y in (-6.0, -3.4, -0.8):
        pen.line(0.9, WHITE, -2, y, 6, y)
    pen.box(-3, 1, 7, 3.4, RED)


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
        pen.arc(s * 6, -5, 3.4, 3.6, (0, 360), width=1.3, colour=GOLD)
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
    pen.arc(4, -3, 6, 6, (190, 330), width=2.6, colour=CRIMSON)
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
    pen.arc(1, -3, 3.6, 3.6, (180, 270), width=1.2, colour=WHITE)


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


def briefcase(pen: Pen) -> None:
    """A briefcase."""
    pen.arc(0, -6, 4, 3.6, (180, 360), width=1.6, colour=INK)
    pen.box(-10.4, -6, 10.4, 9, BROWN, r=1.4)
    pen.box(-10.4, -0.6, 10.4, 1, shade(BROWN, 0.65))
    for x in (-5.0, 5.0):
        pen.box(x - 1.2, -1.4, x + 1.2, 2, GOLD)


def house(pen: Pen) -> None:
    """A house with a chimney."""
    pen.box(4, -9, 7, -2, BRICK)
    pen.box(-8, -2, 8, 10, CREAM)
    pen.poly(RED, -11, -1, 0, -11, 11, -1)
    pen.box(-2, 3, 2.4, 10, BROWN)
    pen.box(-6.6, 1, -3.4, 5, CYAN)
    pen.box(4, 1, 7, 5, CYAN)


def coins(pen: Pen) -> None:
    """Piles of coins and a note."""
    pen.poly(GREEN, -10, -9, 7, -11, 8, -3, -9, -1)
    pen.disc(-1, -6, 2.4, MINT)
    for x, n in ((-6, 3), (1, 5), (8, 2)):
        for i in range(n):
            pen.oval(x, 9 - 2.2 * i, 4, 1.7, shade(GOLD, 0.78))
            pen.oval(x, 8.4 - 2.2 * i, 4, 1.6, GOLD)


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
