"""Backgrounds of desks, classes and consulting rooms, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.grounds import plain
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    BROWN,
    CREAM,
    CYAN,
    GOLD,
    GREEN,
    GREY,
    INK,
    LEAF,
    LIME,
    ORANGE,
    PAPER,
    PINK,
    RED,
    ROSE,
    SILVER,
    SKY,
    TEAL,
    WHITE,
    WOOD,
    YELLOW,
    between,
    pick,
    rgb,
    veil,
)


def monitors(pen: Pen) -> None:
    """A dark room with screens full of code."""
    pen.blend(rgb("1c2438"), rgb("2c3a52"))
    for x, y in ((1.0, 5.0), (44.0, 5.0), (1.0, 28.0), (44.0, 28.0)):
        pen.box(x, y, x + 19, y + 18, BLACK_FRAME, r=1)
        pen.box(x + 1, y + 1, x + 18, y + 17, rgb("0c2a2c"))
        for i in range(6):
            w = between(pen.rng, 4, 13)
            pen.box(x + 3, y + 2.6 + 2.4 * i, x + 3 + w, y + 3.8 + 2.4 * i,
                    pick(pen.rng, (LIME, CYAN, GREEN, ROSE)))  # fmt: skip


BLACK_FRAME = rgb("0a0d14")


def camera_wall(pen: Pen) -> None:
    """A dark wall of grey surveillance images."""
    pen.blend(rgb("2a2c30"), rgb("44474c"))
    for i in range(4):
        for j in range(3):
            x, y = 1 + 16 * i, 2 + 15 * j
            pen.box(x, y, x + 14, y + 12, rgb("8e979c"))
            pen.box(x, y + 7, x + 14, y + 12, rgb("5e676c"))
            pen.box(x + between(pen.rng, 1, 10), y + 4, x + 11, y + 9, rgb("c2c9cc"))
    pen.disc(60, 4, 1.5, RED)


def lecture_hall(pen: Pen) -> None:
    """A bright projection screen in a brown hall."""
    plain(pen, "7a5e4e")
    pen.box(2, 3, 62, 34, INK)
    pen.box(3.4, 4.4, 60.6, 32.6, rgb("eef4fa"))
    pen.box(6, 7, 22, 9, BLUE)
    for i in range(4):
        pen.box(6, 13 + 4 * i, between(pen.rng, 12, 20), 14.4 + 4 * i, GREY)
    pen.pie(52, 18, 7, 7, ORANGE, -90, 140)
    pen.pie(52, 18, 7, 7, TEAL, 140, 270)


def blackboard(pen: Pen) -> None:
    """A black board with formulas."""
    pen.blend(rgb("2e3436"), rgb("232829"))
    for y in (8.0, 18.0, 28.0):
        x = between(pen.rng, 3, 6)
        pen.curve(1.0, WHITE, x, y, x + 3, y - 4, x + 4, y + 3, x + 8, y - 2, x + 12, y)
        pen.line(1.0, WHITE, 46, y - 1, 51, y - 1)
        pen.line(1.0, WHITE, 46, y + 1.4, 51, y + 1.4)
        pen.ring(57, y, 2.6, 1.0, YELLOW)
    pen.box(0, 44, 64, 47, WOOD)


def playroom(pen: Pen) -> None:
    """A blackboard with a drawn sun, paper flags and toys."""
    plain(pen, "fbe7a4")
    pen.box(2, 12, 62, 40, WOOD)
    pen.box(3.4, 13.4, 60.6, 38.6, rgb("3f7d62"))
    pen.ring(11, 21, 4, 1.2, YELLOW)
    for a in range(6):
        pen.at(11, 21, turn=60.0 * a).line(0.9, YELLOW, 5.4, 0, 7.4, 0)
    pen.line(1.5, PINK, 48, 30, 51, 19, 54, 30)
    pen.line(1.2, PINK, 49.4, 26, 52.8, 26)
    for i, colour in enumerate((RED, BLUE, GREEN, ORANGE, ROSE, CYAN, AMBER, LEAF)):
        pen.poly(colour, 8 * i, 1, 8 * i + 7, 1, 8 * i + 3.5, 9)


def reception(pen: Pen) -> None:
    """Pigeon-holes with keys, and clocks."""
    plain(pen, "d8a878")
    for x in (9.0, 55.0):
        pen.disc(x, 9, 6, WHITE)
        pen.ring(x, 9, 6, 1.3, BROWN)
        pen.line(0.9, INK, x, 9, x, 5.4)
        pen.line(0.9, INK, x, 9, x + 3, 10)
    for i in range(4):
        for j in range(6):
            x, y = 2 + 10.4 * j, 19 + 8 * i
            pen.box(x, y, x + 8.4, y + 6.4, rgb("7a4a2c"))
            pen.line(0.9, GOLD, x + 4, y + 1.6, x + 4, y + 4.8)


def drawing_office(pen: Pen) -> None:
    """Blueprints on the wall."""
    pen.blend(rgb("2f66a8"), rgb("24528c"))
    for i in range(8):
        pen.line(0.4, rgb("5a8cc8"), 0, 8 * i + 3, 64, 8 * i + 3)
        pen.line(0.4, rgb("5a8cc8"), 8 * i + 3, 0, 8 * i + 3, 64)
    pen.line(1.0, WHITE, 3, 30, 3, 14, 10, 7, 18, 14, 18, 30, 3, 30)
    pen.line(1.0, WHITE, 8, 30, 8, 22, 13, 22, 13, 30)
    pen.ring(54, 16, 7, 1.0, WHITE)
    pen.line(1.0, WHITE, 46, 28, 62, 28)
    pen.line(1.0, WHITE, 54, 6, 54, 34)


def start_up(pen: Pen) -> None:
    """A bright wall with a rocket and sticky notes."""
    plain(pen, "ff9a52")
    x = pick(pen.rng, (11.0, 53.0))
    rocket = pen.at(x, 20, turn=20)
    rocket.mirror(WHITE, 0, -14, 4, -7, 4.4, 5, 0, 7)
    rocket.poly(RED, 4, 1, 8, 8, 3.4, 6)
    rocket.poly(RED, -4, 1, -8, 8, -3.4, 6)
    rocket.disc(0, -4, 2.2, CYAN)
    rocket.smooth(YELLOW, -2, 7, 2, 7, 0, 15)
    for i in range(5):
        y = 6 + 9 * i + between(pen.rng, -1, 1)
        pen.box(64 - x - 4, y, 64 - x + 3, y + 6.4, pick(pen.rng, (YELLOW, PINK, LIME, SKY)))


def board_room(pen: Pen) -> None:
    """A dark panelled room over a skyline at sunset."""
    pen.blend(rgb("f2a65a"), rgb("f6d9a0"))
    x = 0.0
    while x < 64:
        w, top = between(pen.rng, 5, 9), between(pen.rng, 10, 30)
        pen.box(x, top, x + w, 50, rgb("5a4a6a"))
        x += w + 1
    for x in (0.0, 20.0, 42.0, 61.0):
        pen.box(x, 0, x + 3, 52, rgb("3a2420"))
    pen.box(0, 0, 64, 4, rgb("3a2420"))
    pen.box(0, 48, 64, 64, rgb("55332a"))


def cubicles(pen: Pen) -> None:
    """Grey-green partitions with files."""
    plain(pen, "cdd8c4")
    pen.box(0, 22, 22, 60, rgb("93a58c"))
    pen.box(42, 22, 64, 60, rgb("93a58c"))
    for i in range(5):
        pen.box(2 + 3.6 * i, 12, 4.8 + 3.6 * i, 22, pick(pen.rng, (BLUE, RED, AMBER, TEAL)))
        pen.box(45 + 3.6 * i, 12, 47.8 + 3.6 * i, 22, pick(pen.rng, (BLUE, RED, AMBER, TEAL)))
    for x, y in ((4.0, 27.0), (12.0, 30.0), (47.0, 28.0), (55.0, 31.0)):
        pen.box(x, y, x + 6, y + 7, WHITE)


def data_wall(pen: Pen) -> None:
    """A wall of pinned graphs joined by red thread."""
    plain(pen, "c9a878")
    for x, y in ((2, 4), (46, 5), (3, 24), (47, 27)):
        pen.box(x, y, x + 15, y + 13, WHITE)
        heights = [between(pen.rng, 2, 10) for _ in range(4)]
        pen.line(
            1.0, BLUE, *(v for i, h in enumerate(heights) for v in (x + 2 + 3.6 * i, y + 12 - h))
        )
    pen.line(0.7, RED, 9, 10, 54, 12, 10, 30, 54, 34)


def counselling(pen: Pen) -> None:
    """A quiet room with a couch and a large plant."""
    plain(pen, "b8cdb4")
    pen.box(30, 38, 70, 56, rgb("8a6a9a"), r=4)
    pen.box(54, 26, 70, 54, rgb("775a88"), r=4)
    pen.box(5, 40, 15, 54, rgb("c87850"))
    for dx, dy in ((-8, -14), (-3, -22), (3, -22), (8, -14), (0, -12)):
        pen.smooth(rgb("3f7d4a"), 10, 40, 10 + dx - 2, 40 + dy * 0.6, 10 + dx, 40 + dy,
                   10 + dx + 2.6, 40 + dy * 0.5)  # fmt: skip
    pen.box(44, 7, 58, 19, WHITE)
    pen.disc(51, 13, 4, rgb("e8b89a"))


def press_wall(pen: Pen) -> None:
    """Newspaper columns and a camera light."""
    plain(pen, "eee9dc")
    for j in range(5):
        x = 1 + 13 * j
        pen.box(x, 3, x + 11, 7, INK)
        for i in range(11):
            if (i + j) % 5:
                pen.box(x, 10 + 4 * i, x + 11, 11.6 + 4 * i, GREY)
            else:
                pen.box(x, 9 + 4 * i, x + 11, 12.6 + 4 * i, rgb("a8b4bc"))


def ledger(pen: Pen) -> None:
    """Columns of figures with a rising line."""
    plain(pen, "dcebd8")
    for i in range(9):
        pen.line(0.5, rgb("9cc0a0"), 0, 7 * i, 64, 7 * i)
    for x in (4.0, 18.0, 46.0, 58.0):
        pen.line(0.6, rgb("d88a8a"), x, 0, x, 64)
        for i in range(8):
            pen.box(x + 1.6, 2 + 7 * i, x + between(pen.rng, 4, 9), 4.4 + 7 * i, rgb("4a6a5a"))


def chart_wall(pen: Pen) -> None:
    """A meeting board with bars and a pie."""
    plain(pen, "aebfd6")
    for x in (1.0, 43.0):
        pen.box(x, 4, x + 20, 30, WHITE)
        for i in range(4):
            h = between(pen.rng, 5, 18)
            pen.box(x + 2.4 + 4.4 * i, 28 - h, x + 5.4 + 4.4 * i, 28, (BLUE, RED, GREEN, AMBER)[i])
    pen.box(0, 44, 64, 50, WOOD)


def study(pen: Pen) -> None:
    """A desk lamp, a round window and pinned pages."""
    plain(pen, "74586a")
    pen.disc(10, 16, 9.6, CREAM)
    pen.disc(10, 16, 8, rgb("8fb8d8"))
    pen.line(1.0, CREAM, 10, 8, 10, 24)
    pen.line(1.0, CREAM, 2, 16, 18, 16)
    for x, y in ((46, 6), (55, 10), (48, 21)):
        pen.poly(PAPER, x, y, x + 8, y + 1, x + 7.4, y + 11, x - 0.6, y + 10)
        pen.line(0.6, GREY, x + 1.4, y + 4, x + 6, y + 4.4)
        pen.line(0.6, GREY, x + 1.4, y + 7, x + 6, y + 7.4)


def dental(pen: Pen) -> None:
    """A clinic with a bright lamp and a chair."""
    plain(pen, "bfe9f0")
    pen.line(1.8, GREY, 64, 4, 54, 6, 52, 12)
    pen.oval(51, 14, 8, 4, WHITE)
    pen.oval(51, 15, 5.6, 2.2, YELLOW)
    pen.poly(veil(YELLOW, 0.35), 45, 16, 57, 16, 62, 44, 38, 44)
    pen.box(-4, 26, 12, 60, rgb("3aa0b0"), r=4)
    pen.box(2, 16, 12, 28, rgb("3aa0b0"), r=3)


def operating_room(pen: Pen) -> None:
    """A dark green room with round lamps and a pulse line."""
    plain(pen, "4f8f86")
    for x in (10.0, 54.0):
        pen.line(1.4, GREY, x, 0, x, 6)
        pen.oval(x, 10, 9, 6, SILVER)
        for dx, dy in ((-4, 0), (0, -2), (4, 0), (0, 3)):
            pen.disc(x + dx, 10 + dy, 1.9, rgb("fffbd8"))
    pen.box(44, 24, 63, 40, INK, r=1)
    pen.line(1.2, LIME, 45, 33, 50, 33, 52, 27, 55, 38, 57, 33, 62, 33)


def pet_clinic(pen: Pen) -> None:
    """A wall with paw prints and a cat."""
    plain(pen, "f6e2b2")
    for x, y in ((8.0, 12.0), (18.0, 28.0), (6.0, 42.0), (52.0, 9.0), (60.0, 24.0)):
        pen.oval(x, y, 3, 2.4, rgb("c88a5a"))
        for dx in (-3.0, -1.0, 1.0, 3.0):
            pen.disc(x + dx, y - 3.6 + 0.4 * abs(dx), 1.0, rgb("c88a5a"))
    cat = rgb("7a7480")
    pen.smooth(cat, 47, 52, 49, 40, 55, 38, 61, 40, 63, 52)
    pen.disc(55, 35, 5, cat)
    pen.poly(cat, 50, 34, 50.6, 27.6, 54, 31)
    pen.poly(cat, 60, 34, 59.4, 27.6, 56, 31)


def diet_chart(pen: Pen) -> None:
    """Diet charts: a plate in coloured sectors."""
    plain(pen, "d9f0a8")
    for x in (10.0, 54.0):
        pen.disc(x, 15, 9, WHITE)
        for i, colour in enumerate((GREEN, ORANGE, RED, rgb("c89a5a"))):
            pen.pie(x, 15, 7.4, 7.4, colour, 90 * i, 90 * i + 90)
            pen.poly(colour, x, 15, *_corner(x, 15, 7.4, 90 * i))
    for x, colour in ((6.0, RED), (14.0, ORANGE), (50.0, LEAF), (58.0, YELLOW)):
        pen.disc(x, 38, 3.6, colour)
        pen.line(0.9, BROWN, x, 35, x + 1, 33)


def _corner(x: float, y: float, r: float, start: int) -> tuple[float, float, float, float]:
    ends = {0: (r, 0, 0, r), 90: (0, r, -r, 0), 180: (-r, 0, 0, -r), 270: (0, -r, r, 0)}[start]
    return (x + ends[0], y + ends[1], x + ends[2], y + ends[3])


def pharmacy(pen: Pen) -> None:
    """White drawers and boxes with a green cross."""
    plain(pen, "e6f4ea")
    for i in range(4):
        for j in range(5):
            colour = pick(pen.rng, (WHITE, MINT_BOX, SKY, WHITE, PINK))
            pen.box(1 + 13 * j, 20 + 9 * i, 12 + 13 * j, 27 + 9 * i, colour)
            pen.box(4 + 13 * j, 23 + 9 * i, 9 + 13 * j, 24.4 + 9 * i, GREY)
    for x in (9.0, 55.0):
        pen.box(x - 2.4, 2, x + 2.4, 17, GREEN)
        pen.box(x - 7.4, 7, x + 7.4, 12, GREEN)


MINT_BOX = rgb("bfe8cc")
