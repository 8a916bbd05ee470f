"""Backgrounds of crafts, shops and arts, 64 by 64 units."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.grounds import plain
from portrayal_practice.painter.palette import (
    AMBER,
    BLUE,
    COAL,
    CREAM,
    CYAN,
    DARK_WOOD,
    GOLD,
    GREEN,
    GREY,
    INK,
    LIME,
    ORANGE,
    PINK,
    RED,
    ROSE,
    SILVER,
    SKY,
    STEEL,
    TEAL,
    WHITE,
    WOOD,
    YELLOW,
    between,
    pick,
    rgb,
    shade,
    veil,
)


def easels(pen: Pen) -> None:
    """Canvases on easels in a bright studio."""
    plain(pen, "efe3cc")
    for x, colour in ((10.0, SKY), (54.0, rgb("f6c6a0"))):
        pen.line(1.4, WOOD, x - 6, 58, x, 6)
        pen.line(1.4, WOOD, x + 6, 58, x, 6)
        pen.box(x - 9, 10, x + 9, 36, WHITE)
        pen.box(x - 7.8, 11.2, x + 7.8, 34.8, colour)
    pen.disc(8, 18, 3.4, YELLOW)
    pen.poly(GREEN, 2.2, 34.8, 9, 22, 17.8, 34.8)
    pen.oval(54, 22, 4, 6, ROSE)
    pen.box(47, 30, 61, 34.8, BLUE)


def gallery(pen: Pen) -> None:
    """A dark red wall with golden frames."""
    plain(pen, "8e3f48")
    for x, y, w, h in ((2, 5, 17, 14), (45, 4, 16, 18), (3, 25, 15, 18), (46, 28, 15, 14)):
        pen.box(x, y, x + w, y + h, GOLD)
        pen.box(x + 1.6, y + 1.6, x + w - 1.6, y + h - 1.6,
                pick(pen.rng, (SKY, CREAM, TEAL, rgb("e8a878"))))  # fmt: skip
        pen.disc(x + w / 2, y + h / 2, 3.4, pick(pen.rng, (RED, BLUE, GREEN, AMBER)))


def marble(pen: Pen) -> None:
    """A sculptor's room with a statue."""
    plain(pen, "c8beb2")
    for x in (9.0, 55.0):
        pen.box(x - 6, 40, x + 6, 64, GREY)
        pen.smooth(WHITE, x - 5, 40, x - 6, 31, x, 27, x + 6, 31, x + 5, 40)
        pen.oval(x, 21, 4.4, 6, WHITE)
        pen.pie(x, 19, 4.8, 6, SILVER, 180, 360)


def barbershop(pen: Pen) -> None:
    """Checked floor and turning poles in red, white and blue."""
    plain(pen, "e9e2d0")
    for x in (7.0, 57.0):
        pen.box(x - 4, 7, x + 4, 40, WHITE)
        for i in range(4):
            y = 9 + 8 * i
            pen.poly(RED, x - 4, y + 4, x + 4, y - 1, x + 4, y + 2, x - 4, y + 7)
            pen.poly(BLUE, x - 4, y + 8, x + 4, y + 3, x + 4, y + 5.6, x - 4, y + 10.6)
        pen.pie(x, 7, 5, 5, SILVER, 180, 360)
        pen.box(x - 5, 40, x + 5, 44, SILVER)
    for i in range(8):
        pen.box(8 * i, 50 + 4 * (i % 2), 8 * i + 8, 54 + 4 * (i % 2), INK)


def bar(pen: Pen) -> None:
    """Lit shelves of bottles in a dark room."""
    pen.blend(rgb("2e1f38"), rgb("54263c"))
    for y in (17.0, 35.0):
        pen.box(0, y, 64, y + 1.4, AMBER)
        pen.box(0, y - 13, 64, y, veil(AMBER, 0.2))
        for i in range(10):
            x = 2 + 6.6 * i + between(pen.rng, -0.6, 0.6)
            colour = pick(pen.rng, (LIME, AMBER, CYAN, RED, WHITE, ORANGE))
            pen.box(x, y - 8, x + 3.4, y, colour, r=0.8)
            pen.box(x + 1.1, y - 12, x + 2.3, y - 7, colour)
    pen.box(0, 50, 64, 64, DARK_WOOD)


def bakery(pen: Pen) -> None:
    """A brick oven and racks of loaves."""
    plain(pen, "c77b52")
    for i in range(9):
        pen.line(0.6, rgb("e8c0a0"), 0, 4 + 6 * i, 64, 4 + 6 * i)
        for j in range(5):
            x = 14.0 * j + (7 if i % 2 else 0)
            pen.line(0.6, rgb("e8c0a0"), x, 4 + 6 * i, x, 10 + 6 * i)
    pen.pie(11, 24, 10, 14, INK, 180, 360)
    pen.pie(11, 24, 6, 9, ORANGE, 180, 360)
    for y in (14.0, 28.0, 42.0):
        pen.box(44, y, 64, y + 1.4, WOOD)
        for x in (48.0, 56.0, 63.0):
            pen.oval(x, y - 2.4, 3.8, 2.8, AMBER)


def butchery(pen: Pen) -> None:
    """White tiles with hanging sausages and ham."""
    plain(pen, "e8eef0")
    for i in range(8):
        pen.line(0.5, SILVER, 0, 8 * i, 64, 8 * i)
        pen.line(0.5, SILVER, 8 * i, 0, 8 * i, 64)
    pen.box(0, 3, 64, 4.6, GREY)
    for x in (5.0, 10.0, 15.0):
        for i in range(4):
            pen.oval(x + between(pen.rng, -0.5, 0.5), 9 + 6 * i, 2.1, 3.2, rgb("b0463c"))
    pen.smooth(rgb("d8737a"), 50, 5, 58, 6, 62, 18, 57, 30, 49, 26, 47, 14)
    pen.smooth(rgb("f6dcd2"), 53, 10, 57, 12, 57, 22, 52, 20)


def flower_shop(pen: Pen) -> None:
    """Buckets full of flowers."""
    plain(pen, "dff0d6")
    for y in (18.0, 36.0, 54.0):
        for i in range(5):
            x = 6.5 + 13 * i
            colour = pick(pen.rng, (RED, PINK, YELLOW, rgb("b06ad0"), WHITE, ORANGE))
            for dx, dy in ((-3.4, -4), (0, -7), (3.4, -4), (0, -2)):
                pen.disc(x + dx, y + dy, 2.6, colour)
                pen.disc(x + dx, y + dy, 0.9, shade(colour, 0.75))
            pen.poly(STEEL, x - 4, y, x + 4, y, x + 3, y + 8, x - 3, y + 8)


def pipes(pen: Pen) -> None:
    """Copper pipes with valves on tiles."""
    plain(pen, "bfd6dc")
    copper = rgb("c8763c")
    for xs in ((0, 14, 12, 14, 12, 64), (64, 22, 52, 22, 52, 64), (0, 30, 20, 30)):
        pen.line(4.4, shade(copper, 0.7), *xs)
        pen.line(2.8, copper, *xs)
    for x, y in ((12.0, 26.0), (52.0, 34.0)):
        pen.ring(x, y, 4.4, 1.6, RED)
        pen.disc(x, y, 1.4, RED)


def fuse_box(pen: Pen) -> None:
    """An open fuse box with cables."""
    plain(pen, "cfc8e0")
    for x in (2.0, 45.0):
        pen.box(x, 5, x + 17, 40, GREY, r=1)
        pen.box(x + 1.4, 6.4, x + 15.6, 38.6, SILVER)
        for i in range(4):
            for j in range(3):
                pen.box(x + 3 + 4 * j, 9 + 7.4 * i, x + 6 + 4 * j, 14 + 7.4 * i,
                        pick(pen.rng, (INK, INK, RED, YELLOW)))  # fmt: skip
    for x, colour in ((7.0, RED), (10.0, BLUE), (54.0, GREEN), (57.0, YELLOW)):
        pen.curve(1.2, colour, x, 40, x + 2, 50, x - 2, 64)


def tiled_bath(pen: Pen) -> None:
    """Shining tiles with soap bubbles."""
    plain(pen, "8fdcd8")
    for i in range(9):
        pen.line(0.6, WHITE, 0, 8 * i, 64, 8 * i)
        pen.line(0.6, WHITE, 8 * i, 0, 8 * i, 64)
    for _ in range(9):
        x, y, r = between(pen.rng, 0, 64), between(pen.rng, 2, 44), between(pen.rng, 2, 4.4)
        pen.disc(x, y, r, veil(WHITE, 0.55))
        pen.disc(x - r * 0.3, y - r * 0.3, r * 0.3, WHITE)


def lockers(pen: Pen) -> None:
    """A corridor of lockers."""
    plain(pen, "d8d2b8")
    colour = pick(pen.rng, (rgb("6a86a8"), rgb("7a9a7a"), rgb("a87a6a")))
    for i in range(6):
        x = 11.0 * i
        pen.box(x, 4, x + 10, 50, colour)
        for y in (9.0, 11.4, 13.8):
            pen.line(0.7, shade(colour, 0.65), x + 2.6, y, x + 7.4, y)
        pen.box(x + 7.6, 26, x + 8.8, 30, SILVER)
    pen.box(0, 50, 64, 64, rgb("b8b09a"))


def factory(pen: Pen) -> None:
    """A conveyor with boxes under a saw-tooth roof."""
    plain(pen, "b4bfc4")
    for i in range(4):
        pen.poly(rgb("7a8a92"), 16 * i, 12, 16 * i + 16, 2, 16 * i + 16, 12)
    pen.box(0, 12, 64, 13.4, COAL)
    pen.box(0, 40, 64, 44, COAL)
    for i in range(5):
        x = 13 * i + between(pen.rng, -1, 2)
        pen.box(x, 31, x + 9, 40, WOOD)
        pen.box(x + 3.6, 31, x + 5.4, 40, CREAM)
        pen.disc(x + 4, 46, 2, GREY)
    for x in (8.0, 56.0):
        pen.poly(AMBER, x - 4, 22, x, 16, x + 4, 22)


def puppet_booth(pen: Pen) -> None:
    """A striped booth with stars."""
    for i in range(8):
        pen.box(8 * i, 0, 8 * i + 8, 64, RED if i % 2 else CREAM)
    pen.box(6, 12, 58, 50, rgb("2c2a5a"))
    for _ in range(7):
        pen.star(between(pen.rng, 8, 56), between(pen.rng, 14, 44), 2.2, YELLOW)
    for i in range(6):
        pen.pie(6 + 10.4 * i, 10, 6, 6, AMBER, 0, 180)


def sewing_room(pen: Pen) -> None:
    """A dress form and rolls of cloth."""
    plain(pen, "e6d3c2")
    pen.smooth(rgb("a8745c"), 6, 18, 10, 10, 14, 18, 17, 24, 15, 36, 16, 44, 4, 44, 5, 36, 3, 24)
    pen.line(1.3, DARK_WOOD, 10, 44, 10, 62)
    for i, colour in enumerate((ROSE, TEAL, AMBER, BLUE, rgb("8a5ab0"))):
        y = 7 + 8.6 * i
        pen.box(46, y, 66, y + 7, colour, r=3)
        pen.disc(47.6, y + 3.5, 2.2, CREAM)


def ballet_room(pen: Pen) -> None:
    """A mirror wall with a barre."""
    plain(pen, "f4d4c8")
    for i in range(4):
        pen.box(1 + 16 * i, 4, 15 + 16 * i, 44, rgb("d2e6ee"))
        pen.poly(WHITE, 4 + 16 * i, 40, 10 + 16 * i, 6, 13 + 16 * i, 6, 7 + 16 * i, 40)
    pen.box(0, 28, 64, 30, WOOD)
    pen.box(0, 46, 64, 64, rgb("d8a46a"))


def photo_studio(pen: Pen) -> None:
    """Lamps with umbrellas and a paper roll."""
    plain(pen, "b9bcc4")
    pen.poly(WHITE, 16, 0, 48, 0, 50, 64, 14, 64)
    for x, flip in ((8.0, 1.0), (56.0, -1.0)):
        pen.line(1.2, INK, x, 20, x, 64)
        pen.pie(x, 17, 9, 11, INK, 180, 360)
        pen.poly(rgb("fff6d0"), x - 6, 17, x + 6, 17, x + 4 * flip, 23, x - 2 * flip, 23)


def on_air(pen: Pen) -> None:
    """Sound-proof foam with a red lamp."""
    plain(pen, "4c4462")
    for i in range(6):
        for j in range(5):
            x, y = 11.0 * i, 11.0 * j
            pen.poly(rgb("5e5478"), x, y, x + 10, y, x, y + 10)
            pen.poly(rgb("3e3652"), x + 10, y, x + 10, y + 10, x, y + 10)
    x = pick(pen.rng, (11.0, 53.0))
    pen.box(x - 9, 6, x + 9, 16, RED, r=1.6)
    for dx in (-6.0, -2.0, 2.0, 6.0):
        pen.box(x + dx - 1.2, 8.6, x + dx + 1.2, 13.4, WHITE)
