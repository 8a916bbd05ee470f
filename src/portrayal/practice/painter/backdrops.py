"""More backgrounds, for occupations and words that have no place of their own."""

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
    LIME,
    ORANGE,
    PAPER,
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
    jitter,
    pick,
    rgb,
    shade,
    veil,
)
from portrayal.practice.painter.places import PLACE_PAINTERS, Place


def _plain(pen: Pen, code: str) -> None:
    colour = jitter(pen.rng, rgb(code), 14)
    pen.blend(shade(colour, 1.15), shade(colour, 0.85), slant=between(pen.rng, -0.8, 0.8))


def space(pen: Pen) -> None:
    """Stars, a planet and the moon's ground."""
    pen.blend(rgb("141a44"), rgb("2b2a66"))
    for _ in range(16):
        pen.disc(
            between(pen.rng, 0, 64), between(pen.rng, 0, 48), between(pen.rng, 0.4, 0.9), WHITE
        )
    x = pick(pen.rng, (9.0, 55.0))
    pen.disc(x, 13, 8, rgb("3f8ad0"))
    pen.smooth(LEAF, x - 6, 10, x, 7, x + 3, 11, x - 2, 14)
    pen.smooth(rgb("b8b8c4"), -8, 56, 16, 51, 40, 54, 72, 50, 72, 70, -8, 70)


def night_sky(pen: Pen) -> None:
    """A night with moon and stars over hills."""
    pen.blend(rgb("26305e"), rgb("5a4a86"))
    x = pick(pen.rng, (10.0, 54.0))
    pen.disc(x, 11, 6, rgb("fff0b8"))
    pen.disc(x + 2.6, 9.6, 5, rgb("2c3566"))
    for _ in range(10):
        pen.star(between(pen.rng, 0, 64), between(pen.rng, 0, 36), 1.3, rgb("fff6cc"), points=4)
    pen.smooth(rgb("2a3a52"), -8, 50, 14, 40, 34, 46, 72, 38, 72, 70, -8, 70)


def cockpit(pen: Pen) -> None:
    """Sky through the front windows over a panel of dials."""
    pen.blend(rgb("69b4ec"), rgb("cfeafa"))
    for x in (8.0, 50.0):
        pen.disc(x + between(pen.rng, -3, 3), 16, 5, veil(WHITE, 0.85))
        pen.disc(x + 6, 18, 4, veil(WHITE, 0.85))
    pen.box(0, 0, 64, 4, COAL)
    pen.poly(COAL, 30, 0, 34, 0, 37, 32, 27, 32)
    pen.box(0, 31, 64, 64, rgb("3c434e"))
    for i in range(9):
        x = 4 + 7 * i
        pen.disc(x, 37, 2.6, INK)
        pen.disc(x, 37, 1.8, pick(pen.rng, (LIME, AMBER, CYAN, WHITE)))
        pen.disc(x, 45, 2.6, INK)
        pen.disc(x, 45, 1.6, pick(pen.rng, (LIME, AMBER, CYAN, RED)))


def cabin(pen: Pen) -> None:
    """The rounded windows and seats of an aircraft cabin."""
    _plain(pen, "e2e4ec")
    for x in (6.0, 20.0, 44.0, 58.0):
        pen.box(x - 4.6, 12, x + 4.6, 27, SILVER, r=4)
        pen.box(x - 3.4, 13.4, x + 3.4, 25.6, rgb("7cc4f0"), r=3)
    pen.box(0, 2, 64, 7, rgb("c2c8d4"))
    for x in (-2.0, 50.0):
        pen.box(x, 36, x + 16, 64, rgb("4a68a8"), r=4)
        pen.box(x + 2, 37, x + 14, 42, WHITE, r=1.4)


def fire(pen: Pen) -> None:
    """Flames and smoke behind a wall."""
    pen.blend(rgb("4a3038"), rgb("c8502c"))
    for x in (2.0, 13.0, 50.0, 62.0):
        x += between(pen.rng, -2, 2)
        pen.smooth(ORANGE, x - 9, 52, x - 7, 34, x - 2, 24, x, 10, x + 5, 26, x + 8, 36, x + 9, 52)
        pen.smooth(YELLOW, x - 5, 52, x - 3, 38, x, 26, x + 4, 38, x + 5, 52)
    pen.box(0, 50, 64, 64, rgb("5a3a34"))


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
    """A dark wall of grey surveillance pictures."""
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
    _plain(pen, "7a5e4e")
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
    _plain(pen, "fbe7a4")
    pen.box(2, 12, 62, 40, WOOD)
    pen.box(3.4, 13.4, 60.6, 38.6, rgb("3f7d62"))
    pen.ring(11, 21, 4, 1.2, YELLOW)
    for a in range(6):
        pen.at(11, 21, turn=60.0 * a).line(0.9, YELLOW, 5.4, 0, 7.4, 0)
    pen.line(1.5, PINK, 48, 30, 51, 19, 54, 30)
    pen.line(1.2, PINK, 49.4, 26, 52.8, 26)
    for i, colour in enumerate((RED, BLUE, GREEN, ORANGE, ROSE, CYAN, AMBER, LEAF)):
        pen.poly(colour, 8 * i, 1, 8 * i + 7, 1, 8 * i + 3.5, 9)


def easels(pen: Pen) -> None:
    """Canvases on easels in a bright studio."""
    _plain(pen, "efe3cc")
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
    _plain(pen, "8e3f48")
    for x, y, w, h in ((2, 5, 17, 14), (45, 4, 16, 18), (3, 25, 15, 18), (46, 28, 15, 14)):
        pen.box(x, y, x + w, y + h, GOLD)
        pen.box(x + 1.6, y + 1.6, x + w - 1.6, y + h - 1.6,
                pick(pen.rng, (SKY, CREAM, TEAL, rgb("e8a878"))))  # fmt: skip
        pen.disc(x + w / 2, y + h / 2, 3.4, pick(pen.rng, (RED, BLUE, GREEN, AMBER)))


def marble(pen: Pen) -> None:
    """A sculptor's room with a statue."""
    _plain(pen, "c8beb2")
    for x in (9.0, 55.0):
        pen.box(x - 6, 40, x + 6, 64, GREY)
        pen.smooth(WHITE, x - 5, 40, x - 6, 31, x, 27, x + 6, 31, x + 5, 40)
        pen.oval(x, 21, 4.4, 6, WHITE)
        pen.pie(x, 19, 4.8, 6, SILVER, 180, 360)


def barbershop(pen: Pen) -> None:
    """Checked floor and turning poles in red, white and blue."""
    _plain(pen, "e9e2d0")
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
    _plain(pen, "c77b52")
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
    _plain(pen, "e8eef0")
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
    _plain(pen, "dff0d6")
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
    _plain(pen, "bfd6dc")
    copper = rgb("c8763c")
    for xs in ((0, 14, 12, 14, 12, 64), (64, 22, 52, 22, 52, 64), (0, 30, 20, 30)):
        pen.line(4.4, shade(copper, 0.7), *xs)
        pen.line(2.8, copper, *xs)
    for x, y in ((12.0, 26.0), (52.0, 34.0)):
        pen.ring(x, y, 4.4, 1.6, RED)
        pen.disc(x, y, 1.4, RED)


def fuse_box(pen: Pen) -> None:
    """An open fuse box with cables."""
    _plain(pen, "cfc8e0")
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
    _plain(pen, "8fdcd8")
    for i in range(9):
        pen.line(0.6, WHITE, 0, 8 * i, 64, 8 * i)
        pen.line(0.6, WHITE, 8 * i, 0, 8 * i, 64)
    for _ in range(9):
        x, y, r = between(pen.rng, 0, 64), between(pen.rng, 2, 44), between(pen.rng, 2, 4.4)
        pen.disc(x, y, r, veil(WHITE, 0.55))
        pen.disc(x - r * 0.3, y - r * 0.3, r * 0.3, WHITE)


def lockers(pen: Pen) -> None:
    """A corridor of lockers."""
    _plain(pen, "d8d2b8")
    colour = pick(pen.rng, (rgb("6a86a8"), rgb("7a9a7a"), rgb("a87a6a")))
    for i in range(6):
        x = 11.0 * i
        pen.box(x, 4, x + 10, 50, colour)
        for y in (9.0, 11.4, 13.8):
            pen.line(0.7, shade(colour, 0.65), x + 2.6, y, x + 7.4, y)
        pen.box(x + 7.6, 26, x + 8.8, 30, SILVER)
    pen.box(0, 50, 64, 64, rgb("b8b09a"))


def ambulance(pen: Pen) -> None:
    """An ambulance with blue lights in a street."""
    pen.blend(rgb("a8cce4"), rgb("e2ecf0"))
    pen.box(-2, 12, 66, 52, WHITE)
    pen.box(-2, 30, 66, 37, rgb("f08020"))
    pen.box(4, 16, 20, 27, rgb("6a9ab8"))
    pen.box(46, 16, 62, 27, rgb("6a9ab8"))
    pen.box(6, 7, 16, 12, BLUE, r=2)
    pen.box(48, 7, 58, 12, BLUE, r=2)
    pen.disc(11, 9, 7, veil(CYAN, 0.4))
    pen.box(0, 52, 64, 64, rgb("7a7e86"))


def patrol(pen: Pen) -> None:
    """A street at dusk with red and blue lights."""
    PLACE_PAINTERS["street"](pen)
    pen.box(0, 0, 64, 50, veil(NIGHT, 0.35))
    pen.smooth(rgb("20304e"), -6, 52, -4, 42, 6, 40, 10, 34, 54, 34, 58, 40, 68, 42, 70, 52)
    pen.box(20, 29, 32, 34, RED, r=1.4)
    pen.box(32, 29, 44, 34, BLUE, r=1.4)
    for x, colour in ((8.0, RED), (56.0, BLUE)):
        pen.disc(x, 16, 11, veil(colour, 0.45))
        pen.disc(x, 16, 5, veil(colour, 0.6))


NIGHT = rgb("1e2850")


def post_street(pen: Pen) -> None:
    """Houses with a red letter box."""
    PLACE_PAINTERS["street"](pen)
    x = pick(pen.rng, (9.0, 55.0))
    pen.box(x - 6, 22, x + 6, 56, RED, r=1)
    pen.pie(x, 22, 6, 6, RED, 180, 360)
    pen.box(x - 4, 27, x + 4, 29, INK)
    pen.box(x - 3, 33, x + 3, 40, WHITE)


def desert_camp(pen: Pen) -> None:
    """Sand hills and a tent."""
    pen.blend(rgb("cfe0dc"), rgb("f0e0b0"))
    pen.smooth(rgb("d8bc80"), -8, 38, 14, 30, 34, 36, 72, 28, 72, 70, -8, 70)
    pen.smooth(rgb("c4a468"), -8, 50, 24, 42, 72, 48, 72, 70, -8, 70)
    x = pick(pen.rng, (10.0, 54.0))
    pen.poly(rgb("77805a"), x - 11, 44, x, 22, x + 11, 44)
    pen.poly(rgb("4a5238"), x - 3, 44, x, 28, x + 3, 44)


def puppet_booth(pen: Pen) -> None:
    """A striped booth with stars."""
    for i in range(8):
        pen.box(8 * i, 0, 8 * i + 8, 64, RED if i % 2 else CREAM)
    pen.box(6, 12, 58, 50, rgb("2c2a5a"))
    for _ in range(7):
        pen.star(between(pen.rng, 8, 56), between(pen.rng, 14, 44), 2.2, YELLOW)
    for i in range(6):
        pen.pie(6 + 10.4 * i, 10, 6, 6, AMBER, 0, 180)


def factory(pen: Pen) -> None:
    """A conveyor with boxes under a saw-tooth roof."""
    _plain(pen, "b4bfc4")
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


def on_air(pen: Pen) -> None:
    """Sound-proof foam with a red lamp."""
    _plain(pen, "4c4462")
    for i in range(6):
        for j in range(5):
            x, y = 11.0 * i, 11.0 * j
            pen.poly(rgb("5e5478"), x, y, x + 10, y, x, y + 10)
            pen.poly(rgb("3e3652"), x + 10, y, x + 10, y + 10, x, y + 10)
    x = pick(pen.rng, (11.0, 53.0))
    pen.box(x - 9, 6, x + 9, 16, RED, r=1.6)
    for dx in (-6.0, -2.0, 2.0, 6.0):
        pen.box(x + dx - 1.2, 8.6, x + dx + 1.2, 13.4, WHITE)


def pharmacy(pen: Pen) -> None:
    """White drawers and boxes with a green cross."""
    _plain(pen, "e6f4ea")
    for i in range(4):
        for j in range(5):
            colour = pick(pen.rng, (WHITE, MINT_BOX, SKY, WHITE, PINK))
            pen.box(1 + 13 * j, 20 + 9 * i, 12 + 13 * j, 27 + 9 * i, colour)
            pen.box(4 + 13 * j, 23 + 9 * i, 9 + 13 * j, 24.4 + 9 * i, GREY)
    for x in (9.0, 55.0):
        pen.box(x - 2.4, 2, x + 2.4, 17, GREEN)
        pen.box(x - 7.4, 7, x + 7.4, 12, GREEN)


MINT_BOX = rgb("bfe8cc")


def reception(pen: Pen) -> None:
    """Pigeon-holes with keys, and clocks."""
    _plain(pen, "d8a878")
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


def flags(pen: Pen) -> None:
    """A blue hall with flags on both sides."""
    _plain(pen, "34508e")
    pen.poly(rgb("46639f"), 22, 0, 42, 0, 46, 64, 18, 64)
    for x in (3.0, 12.0, 50.0, 59.0):
        pen.line(1.2, GOLD, x, 3, x, 60)
        lean = between(pen.rng, 0, 1.6)
        pen.smooth(RED, x, 4, x + 7, 7, x + 6 + lean, 30, x + 1, 34)
        pen.smooth(WHITE, x, 13, x + 6.6, 15, x + 6.4, 21, x, 22)


def dome(pen: Pen) -> None:
    """A white dome with columns."""
    pen.blend(rgb("8fc0e6"), rgb("dcecf6"))
    pen.pie(32, 26, 26, 24, WHITE, 180, 360)
    for a in (-16.0, -8.0, 8.0, 16.0):
        pen.curve(0.8, SILVER, 32, 2, 32 + a, 10, 32 + a * 1.3, 26)
    pen.box(4, 25, 60, 29, PAPER)
    for i in range(8):
        x = 4 + 7.4 * i
        pen.box(x, 29, x + 4, 52, WHITE)
        pen.box(x + 2.8, 29, x + 4, 52, SILVER)
    pen.box(0, 52, 64, 64, SILVER)


def rally(pen: Pen) -> None:
    """A crowd with signs and bunting."""
    pen.blend(rgb("9ad0f0"), rgb("eaf4f8"))
    for i, colour in enumerate((RED, WHITE, BLUE, RED, WHITE, BLUE, RED, WHITE)):
        pen.poly(colour, 8 * i, 0, 8 * i + 8, 0, 8 * i + 4, 7)
    for x, colour in ((8.0, RED), (22.0, BLUE), (44.0, AMBER), (56.0, GREEN)):
        y = between(pen.rng, 12, 22)
        pen.line(1.1, WOOD, x, y, x, 50)
        pen.box(x - 6, y - 5, x + 6, y + 4, colour)
        pen.box(x - 4, y - 1, x + 4, y, WHITE)
    for i in range(9):
        x = 4 + 7.4 * i
        pen.disc(x, 42 + 3 * (i % 2), 3.4, pick(pen.rng, (rgb("c49a74"), rgb("7c573f"))))
        pen.pie(x, 52, 5, 7, pick(pen.rng, (TEAL, CRIMSON, GREY, AMBER)), 180, 360)


def town_hall(pen: Pen) -> None:
    """A brick town hall with a clock tower."""
    pen.blend(rgb("96c8ec"), rgb("e6f0f4"))
    x = pick(pen.rng, (12.0, 52.0))
    pen.box(0, 28, 64, 56, BRICK)
    for i in range(7):
        pen.box(2 + 9 * i, 32, 7 + 9 * i, 42, CREAM)
    pen.box(x - 7, 10, x + 7, 56, rgb("9a4a36"))
    pen.poly(TEAL, x - 9, 10, x, -2, x + 9, 10)
    pen.disc(x, 18, 5, WHITE)
    pen.line(0.9, INK, x, 18, x, 14.6)
    pen.line(0.9, INK, x, 18, x + 2.6, 18)
    pen.box(0, 54, 64, 64, LEAF)


def photo_studio(pen: Pen) -> None:
    """Lamps with umbrellas and a paper roll."""
    _plain(pen, "b9bcc4")
    pen.poly(WHITE, 16, 0, 48, 0, 50, 64, 14, 64)
    for x, flip in ((8.0, 1.0), (56.0, -1.0)):
        pen.line(1.2, INK, x, 20, x, 64)
        pen.pie(x, 17, 9, 11, INK, 180, 360)
        pen.poly(rgb("fff6d0"), x - 6, 17, x + 6, 17, x + 4 * flip, 23, x - 2 * flip, 23)


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
    _plain(pen, "ff9a52")
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
    _plain(pen, "cdd8c4")
    pen.box(0, 22, 22, 60, rgb("93a58c"))
    pen.box(42, 22, 64, 60, rgb("93a58c"))
    for i in range(5):
        pen.box(2 + 3.6 * i, 12, 4.8 + 3.6 * i, 22, pick(pen.rng, (BLUE, RED, AMBER, TEAL)))
        pen.box(45 + 3.6 * i, 12, 47.8 + 3.6 * i, 22, pick(pen.rng, (BLUE, RED, AMBER, TEAL)))
    for x, y in ((4.0, 27.0), (12.0, 30.0), (47.0, 28.0), (55.0, 31.0)):
        pen.box(x, y, x + 6, y + 7, WHITE)


def data_wall(pen: Pen) -> None:
    """A wall of pinned graphs joined by red thread."""
    _plain(pen, "c9a878")
    for x, y in ((2, 4), (46, 5), (3, 24), (47, 27)):
        pen.box(x, y, x + 15, y + 13, WHITE)
        heights = [between(pen.rng, 2, 10) for _ in range(4)]
        pen.line(
            1.0, BLUE, *(v for i, h in enumerate(heights) for v in (x + 2 + 3.6 * i, y + 12 - h))
        )
    pen.line(0.7, RED, 9, 10, 54, 12, 10, 30, 54, 34)


def counselling(pen: Pen) -> None:
    """A quiet room with a couch and a large plant."""
    _plain(pen, "b8cdb4")
    pen.box(30, 38, 70, 56, rgb("8a6a9a"), r=4)
    pen.box(54, 26, 70, 54, rgb("775a88"), r=4)
    pen.box(5, 40, 15, 54, rgb("c87850"))
    for dx, dy in ((-8, -14), (-3, -22), (3, -22), (8, -14), (0, -12)):
        pen.smooth(rgb("3f7d4a"), 10, 40, 10 + dx - 2, 40 + dy * 0.6, 10 + dx, 40 + dy,
                   10 + dx + 2.6, 40 + dy * 0.5)  # fmt: skip
    pen.box(44, 7, 58, 19, WHITE)
    pen.disc(51, 13, 4, rgb("e8b89a"))


def ballet_room(pen: Pen) -> None:
    """A mirror wall with a barre."""
    _plain(pen, "f4d4c8")
    for i in range(4):
        pen.box(1 + 16 * i, 4, 15 + 16 * i, 44, rgb("d2e6ee"))
        pen.poly(WHITE, 4 + 16 * i, 40, 10 + 16 * i, 6, 13 + 16 * i, 6, 7 + 16 * i, 40)
    pen.box(0, 28, 64, 30, WOOD)
    pen.box(0, 46, 64, 64, rgb("d8a46a"))


def sunrise(pen: Pen) -> None:
    """A rising sun over a calm lake."""
    pen.blend(rgb("f7b5a0"), rgb("fde6b8"))
    pen.disc(32 + between(pen.rng, -4, 4), 30, 20, rgb("fbd66a"))
    pen.smooth(rgb("9a86b8"), -8, 42, 10, 30, 26, 40, 46, 31, 72, 42, 72, 50, -8, 50)
    pen.box(0, 43, 64, 64, rgb("86b8c8"))


def bus(pen: Pen) -> None:
    """The inside of a bus with a large windscreen."""
    _plain(pen, "6a7280")
    pen.box(2, 5, 62, 34, rgb("a8d8f0"))
    pen.poly(rgb("7a8088"), 24, 34, 30, 18, 34, 18, 40, 34)
    pen.box(2, 26, 24, 34, LEAF)
    pen.box(40, 26, 62, 34, LEAF)
    pen.box(31, 4, 33, 20, COAL)
    pen.box(46, 0, 60, 6, INK, r=1)
    pen.box(0, 38, 64, 42, AMBER)


def sewing_room(pen: Pen) -> None:
    """A dress form and rolls of cloth."""
    _plain(pen, "e6d3c2")
    pen.smooth(rgb("a8745c"), 6, 18, 10, 10, 14, 18, 17, 24, 15, 36, 16, 44, 4, 44, 5, 36, 3, 24)
    pen.line(1.3, DARK_WOOD, 10, 44, 10, 62)
    for i, colour in enumerate((ROSE, TEAL, AMBER, BLUE, rgb("8a5ab0"))):
        y = 7 + 8.6 * i
        pen.box(46, y, 66, y + 7, colour, r=3)
        pen.disc(47.6, y + 3.5, 2.2, CREAM)


def dental(pen: Pen) -> None:
    """A clinic with a bright lamp and a chair."""
    _plain(pen, "bfe9f0")
    pen.line(1.8, GREY, 64, 4, 54, 6, 52, 12)
    pen.oval(51, 14, 8, 4, WHITE)
    pen.oval(51, 15, 5.6, 2.2, YELLOW)
    pen.poly(veil(YELLOW, 0.35), 45, 16, 57, 16, 62, 44, 38, 44)
    pen.box(-4, 26, 12, 60, rgb("3aa0b0"), r=4)
    pen.box(2, 16, 12, 28, rgb("3aa0b0"), r=3)


def operating_room(pen: Pen) -> None:
    """A dark green room with round lamps and a pulse line."""
    _plain(pen, "4f8f86")
    for x in (10.0, 54.0):
        pen.line(1.4, GREY, x, 0, x, 6)
        pen.oval(x, 10, 9, 6, SILVER)
        for dx, dy in ((-4, 0), (0, -2), (4, 0), (0, 3)):
            pen.disc(x + dx, 10 + dy, 1.9, rgb("fffbd8"))
    pen.box(44, 24, 63, 40, INK, r=1)
    pen.line(1.2, LIME, 45, 33, 50, 33, 52, 27, 55, 38, 57, 33, 62, 33)


def pet_clinic(pen: Pen) -> None:
    """A wall with paw prints and a cat."""
    _plain(pen, "f6e2b2")
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
    _plain(pen, "d9f0a8")
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


def press_wall(pen: Pen) -> None:
    """Newspaper columns and a camera light."""
    _plain(pen, "eee9dc")
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
    _plain(pen, "dcebd8")
    for i in range(9):
        pen.line(0.5, rgb("9cc0a0"), 0, 7 * i, 64, 7 * i)
    for x in (4.0, 18.0, 46.0, 58.0):
        pen.line(0.6, rgb("d88a8a"), x, 0, x, 64)
        for i in range(8):
            pen.box(x + 1.6, 2 + 7 * i, x + between(pen.rng, 4, 9), 4.4 + 7 * i, rgb("4a6a5a"))


def chart_wall(pen: Pen) -> None:
    """A meeting board with bars and a pie."""
    _plain(pen, "aebfd6")
    for x in (1.0, 43.0):
        pen.box(x, 4, x + 20, 30, WHITE)
        for i in range(4):
            h = between(pen.rng, 5, 18)
            pen.box(x + 2.4 + 4.4 * i, 28 - h, x + 5.4 + 4.4 * i, 28, (BLUE, RED, GREEN, AMBER)[i])
    pen.box(0, 44, 64, 50, WOOD)


def study(pen: Pen) -> None:
    """A desk lamp, a round window and pinned pages."""
    _plain(pen, "74586a")
    pen.disc(10, 16, 9.6, CREAM)
    pen.disc(10, 16, 8, rgb("8fb8d8"))
    pen.line(1.0, CREAM, 10, 8, 10, 24)
    pen.line(1.0, CREAM, 2, 16, 18, 16)
    for x, y in ((46, 6), (55, 10), (48, 21)):
        pen.poly(PAPER, x, y, x + 8, y + 1, x + 7.4, y + 11, x - 0.6, y + 10)
        pen.line(0.6, GREY, x + 1.4, y + 4, x + 6, y + 4.4)
        pen.line(0.6, GREY, x + 1.4, y + 7, x + 6, y + 7.4)


def wedding_arch(pen: Pen) -> None:
    """An arch of flowers."""
    colour = jitter(
        pen.rng, pick(pen.rng, (rgb("f6e4e0"), rgb("dff0f4"), rgb("f8efd2"), rgb("e8e0f4")))
    )
    pen.blend(shade(colour, 1.3), shade(colour, 0.9))
    bloom = pick(pen.rng, ((ROSE, WHITE), (AMBER, WHITE), (RED, GOLD), (rgb("b48ae0"), WHITE)))
    for i in range(15):
        t = i / 14.0
        x = 4.0 + 56.0 * t
        y = 44.0 - 168.0 * t * (1.0 - t) + 4
        pen.disc(x, y, 4.2, LEAF)
        pen.disc(x + between(pen.rng, -1, 1), y - 1, 2.9, bloom[i % 2])
    for y in (48.0, 55.0, 62.0):
        for x in (4.0, 60.0):
            pen.disc(x, y, 4, LEAF)
            pen.disc(x, y, 2.6, bloom[int(y) % 2])


BACKDROPS: dict[str, Place] = PLACE_PAINTERS | {
    "space": space, "night sky": night_sky, "cockpit": cockpit, "cabin": cabin, "fire": fire,
    "monitors": monitors, "camera wall": camera_wall, "lecture hall": lecture_hall,
    "blackboard": blackboard, "playroom": playroom, "easels": easels, "gallery": gallery,
    "marble": marble, "barbershop": barbershop, "bar": bar, "bakery": bakery,
    "butchery": butchery, "flower shop": flower_shop, "pipes": pipes, "fuse box": fuse_box,
    "tiled bath": tiled_bath, "lockers": lockers, "ambulance": ambulance, "patrol": patrol,
    "post street": post_street, "desert camp": desert_camp, "puppet booth": puppet_booth,
    "factory": factory, "on air": on_air, "pharmacy": pharmacy, "reception": reception,
    "flags": flags, "dome": dome, "rally": rally, "town hall": town_hall,
    "photo studio": photo_studio, "drawing office": drawing_office, "start-up": start_up,
    "board room": board_room, "cubicles": cubicles, "data wall": data_wall,
    "counselling": counselling, "ballet room": ballet_room, "sunrise": sunrise, "bus": bus,
    "sewing room": sewing_room, "dental": dental, "operating room": operating_room,
    "pets": pet_clinic, "diet": diet_chart, "press": press_wall, "ledger": ledger,
    "charts": chart_wall, "study": study, "wedding arch": wedding_arch,
}  # fmt: skip
"""Every background: the places of the vocabulary and those of single occupations."""
