"""Weapons as plain signs, each in a box from -20 to 20; nobody uses them."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen, Prop
from portrayal_practice.painter.palette import (
    AMBER,
    BLACK,
    BROWN,
    COAL,
    CREAM,
    DARK_WOOD,
    GOLD,
    GREY,
    INK,
    OLIVE,
    ORANGE,
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
    veil,
)


def _tone(pen: Pen, code: str) -> Colour:
    return jitter(pen.rng, rgb(code), 16)


def arrow(pen: Pen) -> None:
    """A feathered arrow."""
    local = pen.at(0, 0, turn=42)
    local.line(1.7, _tone(pen, "b5824f"), 0, -14, 0, 18)
    local.poly(STEEL, 0, -22, 4, -13, 0, -15, -4, -13)
    for s in (-1.0, 1.0):
        for y in (12.0, 16.0, 20.0):
            local.line(1.9, RED, 0, y - 3, s * 5, y)


def club(pen: Pen) -> None:
    """A knobbly wooden club."""
    local, c = pen.at(0, 0, turn=34), _tone(pen, "9a6a3c")
    local.smooth(c, -1.8, 20, -2.6, 6, -6.4, -8, -5, -18, 0, -21, 5, -18, 6.4, -8, 2.6, 6, 1.8, 20)
    for x, y in ((-3.0, -14.0), (3.0, -10.0), (-2.0, -6.0), (2.0, -17.0)):
        local.oval(x, y, 1.7, 1.3, shade(c, 0.62))
    for y in (12.0, 15.0, 18.0):
        local.line(1.2, DARK_WOOD, -2.4, y, 2.4, y)


def _handgun(pen: Pen, body: Colour, grip: Colour) -> None:
    pen.poly(grip, 6, 0, 15, 0, 18, 17, 9, 18)
    pen.box(-18, -7, 16, 1, body, r=1)
    pen.box(-18, -7, 16, -5, shade(body, 1.35))
    pen.arc(4, 2, 4.4, 5, (0, 180), width=1.4, colour=body)


def gun(pen: Pen) -> None:
    """A revolver."""
    body = _tone(pen, "6e7680")
    pen.poly(_tone(pen, "7c4a2a"), 8, -1, 15, -3, 19, 15, 11, 17)
    pen.box(-19, -7.4, 6, -3.4, body, r=0.8)
    pen.box(-2, -8.6, 9, 2, shade(body, 0.85), r=2.4)
    for y in (-6.0, -3.2, -0.4):
        pen.line(0.9, INK, -1, y, 7, y)
    pen.poly(body, 8, -8, 13, -11, 15, -3, 9, 1)
    pen.arc(6, 3, 4, 4.4, (0, 190), width=1.4, colour=body)


def pistol(pen: Pen) -> None:
    """A flat black pistol."""
    _handgun(pen, _tone(pen, "34363e"), rgb("26262c"))
    for x in (9.0, 11.0, 13.0):
        pen.line(0.8, GREY, x, -6, x, -2)


def firearm(pen: Pen) -> None:
    """An old flintlock with a curved wooden stock."""
    wood = _tone(pen, "8a5228")
    pen.smooth(wood, -8, -1, 4, -5, 12, -2, 18, 8, 16, 15, 11, 12, 8, 4, -6, 3)
    pen.line(2.8, STEEL, -20, -4, 5, -4)
    pen.line(1.2, GOLD, -12, -1.4, -12, -5)
    pen.curve(1.7, GOLD, 5, -5, 8, -10, 11, -7)
    pen.arc(5, 4, 3, 3.4, (0, 180), width=1.2, colour=GOLD)


def rifle(pen: Pen) -> None:
    """A long gun with a wooden stock and a scope."""
    local, wood = pen.at(0, 0, turn=-24), _tone(pen, "8a5a30")
    local.poly(wood, 5, -2, 20, 2, 20, 9, 3, 3)
    local.box(-10, -1, 7, 2.4, wood)
    local.line(1.7, INK, -22, -1.4, 6, -1.4)
    local.box(-3, -6.4, 7, -3.6, BLACK, r=1)
    local.arc(5, 3, 2.4, 3, (0, 180), width=1.1, colour=INK)


def shotgun(pen: Pen) -> None:
    """A double-barrelled gun, opened, with red cartridges."""
    wood = _tone(pen, "6a3a20")
    pen.poly(wood, 4, -1, 8, -3, 20, 11, 14, 16)
    for y in (0.0, 3.0):
        pen.line(2.4, GREY, 5, -2 + y, -18, 9 + y)
    pen.disc(5, 0, 2.4, COAL)
    for x in (-8.0, -2.0, 4.0):
        pen.box(x, -17, x + 4, -10, RED)
        pen.box(x, -10, x + 4, -8, GOLD)


def missile(pen: Pen) -> None:
    """A white rocket with red fins."""
    local = pen.at(0, 0, turn=28)
    local.smooth(ORANGE, -3, 14, 3, 14, 1, 20, 0, 23, -1, 20)
    local.poly(RED, -4, 4, -10, 15, -4, 14)
    local.poly(RED, 4, 4, 10, 15, 4, 14)
    local.mirror(_tone(pen, "e4e8ec"), 0, -21, 3.6, -14, 4.4, -4, 4.4, 14, 0, 14)
    local.mirror(RED, 0, -21, 3, -15.6, 3.8, -11, 0, -11)
    local.box(-4.3, 0, 4.3, 2, INK)


def spear(pen: Pen) -> None:
    """A long shaft with a leaf-shaped point and feathers."""
    local = pen.at(0, 0, turn=-30)
    local.line(1.9, _tone(pen, "a8743c"), 0, 21, 0, -9)
    local.smooth(STEEL, 0, -24, 4.4, -14, 0, -7, -4.4, -14)
    local.line(0.7, WHITE, 0, -21, 0, -9)
    for i, colour in enumerate((RED, YELLOW, RED)):
        local.line(1.5, colour, 0, -6, -3 + 3 * i, 1)


def harpoon(pen: Pen) -> None:
    """A barbed steel point with a coiled rope."""
    local = pen.at(0, 0, turn=30)
    local.line(2.0, STEEL, 0, 20, 0, -16)
    local.poly(GREY, 0, -23, 3, -15, 6, -9, 1, -13, -1, -13, -6, -9, -3, -15)
    rope = _tone(pen, "d8bc84")
    for y in (6.0, 9.0, 12.0):
        pen.arc(9, y, 8, 3.6, (0, 360), width=1.5, colour=rope)
    pen.curve(1.4, rope, 2, 12, -6, 16, -14, 13)


def _axe_head(pen: Pen, colour: Colour) -> None:
    pen.smooth(colour, 0, -16, 9, -20, 14, -11, 9, -3, 0, -7)
    pen.curve(1.3, WHITE, 10, -18.4, 14, -11, 10, -4)


def axe(pen: Pen) -> None:
    """A felling axe with a long handle."""
    local = pen.at(-2, 0, turn=16)
    local.line(2.6, _tone(pen, "b07a42"), 0, 21, 0, -18)
    _axe_head(local, _tone(pen, "8a949e"))


def hatchet(pen: Pen) -> None:
    """A short axe with a red handle."""
    local = pen.at(-3, 2, turn=-28)
    local.line(4.0, _tone(pen, "c8342c"), 0, 15, 0, -13)
    _axe_head(local.at(0, 2, scale=1.15), rgb("5a626c"))
    local.box(-2.6, 10, 2.6, 16, INK, r=1)


def dagger(pen: Pen) -> None:
    """A double-edged dagger with a golden guard."""
    local = pen.at(0, 0, turn=-20)
    local.poly(SILVER, -3, 2, 3, 2, 0, 21)
    local.poly(STEEL, 0, 2, 3, 2, 0, 21)
    local.line(2.4, GOLD, -7, 1, 7, 1)
    local.line(3.0, _tone(pen, "6a2a3a"), 0, -1, 0, -12)
    local.disc(0, -14, 2.8, GOLD)
    local.disc(0, -14, 1.3, RED)


def sword(pen: Pen) -> None:
    """A long straight sword."""
    local = pen.at(0, 0, turn=32)
    local.poly(SILVER, -2.4, 9, -2, -18, 0, -22, 2, -18, 2.4, 9)
    local.line(0.9, GREY, 0, -16, 0, 8)
    local.line(2.4, _tone(pen, "d8a83a"), -8, 10, 8, 10)
    local.line(2.6, DARK_WOOD, 0, 12, 0, 18)
    local.disc(0, 20, 2.5, GOLD)


def blade(pen: Pen) -> None:
    """A broad curved sabre."""
    local = pen.at(0, 0, turn=10)
    local.smooth(SILVER, -10, 12, -8, 2, 0, -8, 14, -20, 8, -6, 0, 6, -6, 14)
    local.curve(0.9, WHITE, -7, 10, 2, -4, 12, -17)
    local.line(2.2, GOLD, -13, 8, -4, 15)
    local.line(3.0, _tone(pen, "2f3a5a"), -10, 13, -15, 20)


def knife(pen: Pen) -> None:
    """A knife with one edge and a riveted black handle."""
    local = pen.at(0, 0, turn=-48)
    local.smooth(SILVER, -3, 4, -3, -14, -1, -21, 3, -14, 4.4, -2, 3, 4)
    local.line(0.8, WHITE, 2.6, 2, 2.8, -12)
    local.box(-3.2, 4, 3.2, 20, _tone(pen, "2a2a32"), r=1.6)
    for y in (8.0, 12.0, 16.0):
        local.disc(0, y, 0.9, SILVER)


def mace(pen: Pen) -> None:
    """A spiked ball on a handle."""
    local = pen.at(0, 0, turn=30)
    local.line(2.6, _tone(pen, "7c5433"), 0, 21, 0, -4)
    local.star(0, -11, 11, GREY, points=12, inner=0.66)
    local.disc(0, -11, 7.2, STEEL)
    local.disc(-2, -13, 2, SILVER)
    local.box(-1.9, 9, 1.9, 11, GOLD)


def slingshot(pen: Pen) -> None:
    """A forked stick with a rubber band."""
    c = _tone(pen, "a06a38")
    pen.curve(3.4, c, 0, 20, 0, 4, -4, -2, -10, -15)
    pen.curve(3.4, c, 0, 4, 4, -2, 10, -15)
    pen.curve(1.6, RED, -10, -15, 0, -4, 10, -15)
    pen.box(-3, -7, 3, -3, BROWN, r=1)
    pen.disc(0, -5, 1.7, GREY)


def whip(pen: Pen) -> None:
    """A coiled leather whip."""
    c = _tone(pen, "6a4028")
    pen.line(3.4, DARK_WOOD, -16, 18, -8, 6)
    pen.curve(2.0, c, -8, 6, -2, -8, 12, -12, 15, 2, 3, 10, -5, 0, 4, -6, 9, 1, 16, 14, end=0.6)
    pen.disc(-12, 12, 1.5, GOLD)


def bomb(pen: Pen) -> None:
    """A round black ball with a burning fuse."""
    pen.curve(1.4, CREAM, 6, -9, 9, -15, 14, -15)
    pen.star(15, -16, 5, ORANGE, points=8, inner=0.45)
    pen.star(15, -16, 2.6, YELLOW, points=8, inner=0.5)
    pen.disc(-1, 4, 14, _tone(pen, "2a2c34"))
    pen.box(1, -14, 9, -8, rgb("3c3e48"), r=0.8)
    pen.oval(-6, -2, 3, 4, GREY, turn=30)


def dynamite(pen: Pen) -> None:
    """A bundle of red sticks with a fuse."""
    c = _tone(pen, "d2302a")
    for x in (-9.0, 0.0, 9.0):
        pen.box(x - 4.2, -11, x + 4.2, 18, c, r=1)
        pen.box(x - 3.4, -11, x - 2, 18, shade(c, 1.4))
        pen.oval(x, -11, 4.2, 1.7, CREAM)
    pen.box(-14, 0, 14, 5, INK)
    pen.curve(1.2, BROWN, 0, -11, 2, -16, 8, -16)
    pen.star(9, -17, 4, AMBER, points=8, inner=0.4)


def grenade(pen: Pen) -> None:
    """A green segmented shell with a ring."""
    c = _tone(pen, "5a6e3a")
    pen.oval(0, 5, 11, 14, c)
    for x in (-5.0, 0.0, 5.0):
        pen.curve(1.1, shade(c, 0.6), x * 0.8, -8, x * 1.3, 5, x * 0.8, 18)
    for y in (-2.0, 5.0, 12.0):
        pen.line(1.1, shade(c, 0.6), -10, y, 10, y)
    pen.box(-4, -14, 4, -8, GREY)
    pen.line(2.0, GREY, 3, -13, 11, -9, 12, 4)
    pen.ring(-8, -13, 4, 1.3, GOLD)


def teargas(pen: Pen) -> None:
    """A canister lying in a cloud."""
    for x, y, r in ((-12, -4, 7), (-4, -9, 8), (7, -8, 8), (14, -1, 6), (0, -1, 8)):
        pen.disc(x, y, r, veil(rgb("e6ecd8"), 0.85))
    local = pen.at(1, 9, turn=-14)
    local.box(-12, -6, 11, 6, _tone(pen, "7c8a94"), r=1.6)
    local.box(-5, -6, 3, 6, YELLOW)
    local.poly(BLACK, -3.4, 3.4, 1.4, 3.4, -1, -3.4)
    local.box(11, -3, 15, 3, COAL)


def cannon(pen: Pen) -> None:
    """An old cannon on a wheel with balls."""
    local = pen.at(-2, -2, turn=-16)
    local.poly(_tone(pen, "3a3c44"), -14, -5.4, 18, -3.6, 18, 3.6, -14, 6.4)
    local.box(16, -5, 20, 5, INK)
    local.disc(-15, 0.4, 3.4, INK)
    for x in (-7.0, 3.0):
        local.box(x, -5.4, x + 1.6, 5.6, GREY)
    pen.poly(WOOD, -16, 14, 4, 4, 6, 9, -8, 17)
    pen.ring(-2, 9, 8, 2.2, DARK_WOOD)
    for a in (0.0, 60.0, 120.0):
        pen.at(-2, 9, turn=a).line(1.3, DARK_WOOD, -7.6, 0, 7.6, 0)
    for x, y in ((11, 16), (17, 16), (14, 11)):
        pen.disc(x, y, 3, INK)


def tank(pen: Pen) -> None:
    """An armoured vehicle with tracks and a turret."""
    c = _tone(pen, "6b7040")
    pen.line(2.4, shade(c, 0.7), 4, -7, 21, -11)
    pen.smooth(c, -10, -2, -8, -11, 4, -12, 8, -2)
    pen.poly(shade(c, 1.15), -17, -2, 15, -2, 19, 6, -19, 6)
    pen.box(-20, 5, 20, 16, shade(c, 0.5), r=4)
    for i in range(5):
        pen.disc(-14 + 7 * i, 10.6, 3.4, OLIVE)
        pen.disc(-14 + 7 * i, 10.6, 1.3, INK)
    pen.star(-2, -7, 2.7, WHITE)


WEAPON_PAINTERS: dict[str, Prop] = {
    "arrow": arrow, "club": club, "gun": gun, "missile": missile, "spear": spear, "axe": axe,
    "dagger": dagger, "harpoon": harpoon, "pistol": pistol, "sword": sword, "blade": blade,
    "dynamite": dynamite, "hatchet": hatchet, "rifle": rifle, "tank": tank, "bomb": bomb,
    "firearm": firearm, "knife": knife, "shotgun": shotgun, "teargas": teargas,
    "cannon": cannon, "grenade": grenade, "mace": mace, "slingshot": slingshot, "whip": whip,
}  # fmt: skip
