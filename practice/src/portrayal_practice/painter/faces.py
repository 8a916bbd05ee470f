"""Head and face of one person, around the middle of the face (about 19 by 25 units)."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import (
    GOLD,
    INK,
    MAGENTA,
    SKY,
    WHITE,
    Colour,
    mix,
    rgb,
    shade,
    veil,
)


def draw_neck(pen: Pen, look: Look) -> None:
    """Draw the neck, with the shadow of the chin."""
    n = look.neck
    pen.poly(look.skin, -n, 6, n, 6, n + 0.3, 17, n + 2.5, 21, -n - 2.5, 21, -n - 0.3, 17)
    pen.mirror(look.dark, n * 0.2, 16.2, n, 13.6, n, 9)


def draw_head(pen: Pen, look: Look) -> None:
    """Draw ears, skull and jaw, without features."""
    w, jaw = look.width, look.jaw
    chin = 12.9 if look.age != "child" else 11.6
    for side in (-1.0, 1.0):
        pen.oval(side * (w + 0.1), 1.4, 1.7, 2.6, look.skin)
        pen.oval(side * (w + 0.2), 1.5, 0.8, 1.5, look.dark)
    pen.mirror(
        look.skin,
        0, -12.6, w * 0.62, -11.2, w, -5.5, w, 1.5, w * (0.88 + 0.08 * jaw), 6.6,
        w * (0.50 + 0.20 * jaw), chin - 1.9 + 0.7 * jaw, w * (0.16 + 0.16 * jaw), chin,
    )  # fmt: skip
    # One cheek in shade gives the head its roundness.
    pen.smooth(
        veil(look.dark, 0.55),
        w, -4, w, 2, w * 0.9, 7, w * 0.45, chin - 0.6, w * 0.62, 7, w * 0.8, 1,
    )  # fmt: skip
    if look.age != "older":
        for side in (-1.0, 1.0):
            pen.oval(side * 5.6 + look.gaze * 0.5, 5.4, 1.9, 1.3, veil(_blush(look), 0.4))


def _blush(look: Look) -> Colour:
    return mix(look.skin, rgb("e8624e"), 0.5)


def draw_features(pen: Pen, look: Look) -> None:
    """Draw brows, eyes, nose and mouth, and the marks of age."""
    dx = look.gaze
    if look.age == "older":
        for side in (-1.0, 1.0):
            pen.curve(
                0.6, look.dark, dx + side * 3.0, 5.2, dx + side * 4.6, 7.4, dx + side * 4.6, 9
            )
            pen.curve(0.55, look.dark, side * 2.6 + dx, 3.4, side * 4.4 + dx, 4, side * 6 + dx, 3.2)
        pen.curve(0.5, look.dark, dx - 4, -7, dx, -7.6, dx + 4, -7)
    _draw_nose(pen, look)
    for side in (-1.0, 1.0):
        _draw_eye(pen.at(dx + side * 4.15, 0.6, flip=side < 0), look)
    _draw_mouth(pen.at(dx * 0.8, 8.3 if look.age != "child" else 7.4), look)


def _draw_eye(pen: Pen, look: Look) -> None:
    """Draw one eye and brow; the outer corner is at the right."""
    big = 1.15 if look.age == "child" else 1.0
    sad, smile = look.expression == "sad", look.expression == "smiling"
    if "makeup" in look.worn:
        pen.smooth(
            mix(look.skin, MAGENTA, 0.75), -2.6, -0.4, -0.6, -3.2, 2.4, -3.2, 3.6, -1.4, 0, 0
        )
    pen.oval(0, 0, 2.5 * big, 1.95 * big, WHITE)
    iris = look.eye
    pen.disc(-0.15, 0.1, 1.4 * big, iris)
    pen.disc(-0.15, 0.1, 0.75 * big, rgb("120e10"))
    pen.disc(0.35, -0.55, 0.5, WHITE)
    lid = rgb("17120f") if look.lashes else look.line
    if look.lashes:
        pen.curve(0.95, lid, -2.3, -0.5, -0.3, -1.9, 1.7, -1.3, 3.2, -2.1, end=0.5)
        pen.line(0.5, lid, 1.9, -1.2, 3.3, -0.7)
    else:
        pen.curve(0.7, lid, -2.3, -0.5, 0, -1.75, 2.3, -0.4)
    if smile:
        pen.curve(0.5, look.dark, -1.9, 1.7, 0, 2.2, 1.9, 1.6)
    brow = mix(look.hair, rgb("2a1e18"), 0.45)
    if look.dark_skinned:
        brow = mix(look.skin, rgb("08060a"), 0.85)
    inner, outer = (-5.0, -2.8) if sad else (-3.5, -3.5)
    pen.curve(look.brow, brow, -2.3, inner, 0.3, (-4.4 if not sad else -4.1), 2.8, outer, end=0.45)


def _draw_nose(pen: Pen, look: Look) -> None:
    dx = look.gaze * 1.2
    wide = 1.3 + 0.35 * look.jaw
    pen.curve(0.65, look.dark, dx + 0.9, 0.8, dx + wide, 3.8, dx + wide - 0.2, 4.8)
    pen.curve(0.75, look.line, dx - wide, 4.9, dx, 5.5, dx + wide, 4.9)
    pen.oval(dx - 0.4, 3.3, 0.5, 1.3, veil(look.glow, 0.7))
    if "nose piercing" in look.worn:
        pen.ring(dx + wide + 0.1, 5.1, 1.15, 0.75, GOLD)
        pen.disc(dx + wide + 0.8, 5.5, 0.6, rgb("fff6d8"))


def _draw_mouth(pen: Pen, look: Look) -> None:
    wide = 3.1 if look.age != "child" else 2.6
    lips, line = look.lips, mix(look.lips, rgb("30080c"), 0.55)
    if look.expression == "smiling":
        pen.smooth(lips, -wide - 0.6, -0.9, 0, -0.5, wide + 0.6, -0.9, wide * 0.55, 1.7, 0, 2.3,
                   -wide * 0.55, 1.7)  # fmt: skip
        pen.smooth(WHITE, -wide * 0.85, -0.4, 0, 0.0, wide * 0.85, -0.4, 0, 1.1)
    elif look.expression == "sad":
        pen.smooth(lips, -wide, 1.5, -1, -0.1, 1, -0.1, wide, 1.5, 0, 1.3)
        pen.curve(0.6, line, -wide, 1.7, 0, 0.3, wide, 1.7)
        if look.fringe < 0.5:
            pen.oval(5.2, -4.2, 0.7, 1.2, SKY)
    else:
        pen.smooth(lips, -wide, 0, -0.9, -0.75, 0, -0.5, 0.9, -0.75, wide, 0, 0, 1.15)
        pen.curve(0.5, line, -wide, 0, 0, 0.15, wide, 0)


def draw_beard(pen: Pen, look: Look) -> None:
    """Draw facial hair, if any; goes under the mouth."""
    w, dx = look.width, look.gaze * 0.8
    # A fair beard on dark skin would read as lighter skin, so beards are darker there.
    darkness = 0.92 if look.dark_skinned else 0.1
    hair = mix(look.hair, rgb("100c0e"), darkness)
    if look.beard == "stubble":
        pen.mirror(
            veil(hair, 0.42), 0, 6.2, w * 0.5, 6.2, w * 0.8, 2.5, w * 0.98, 1.0, w * 0.95, 6.5,
            w * 0.68, 11.8, w * 0.2, 13.0, 0, 13.0,
        )  # fmt: skip
    elif look.beard == "beard":
        pen.mirror(
            hair, 0, 6.3, w * 0.42, 6.5, w * 0.74, 4.8, w * 0.86, 0.5, w * 1.02, -2.0, w * 1.0, 6.5,
            w * 0.74, 12.6, w * 0.25, 14.6, 0, 14.8,
        )  # fmt: skip
    elif look.beard == "goatee":
        pen.mirror(hair, 0.2, 10.2, 3.2, 10.4, 2.8, 13.6, 0.2, 14.4)
    if look.beard in ("moustache", "goatee"):
        pen.smooth(hair, dx - 4.4, 8.0, dx - 2, 6.2, dx, 6.6, dx + 2, 6.2, dx + 4.4, 8.0, dx, 7.6)


def draw_face_wear(pen: Pen, look: Look, *, glasses: bool, earring: bool) -> None:
    """Draw glasses and earrings."""
    dx = look.gaze
    if earring:
        for side in (-1.0, 1.0):
            pen.disc(side * (look.width + 0.6), 4.6, 1.0, GOLD)
            pen.ring(side * (look.width + 0.6), 6.8, 1.7, 0.9, GOLD)
    if not glasses:
        return
    frame = INK if not look.dark_skinned else rgb("c4ccd8")
    for side in (-1.0, 1.0):
        x = dx + side * 4.3
        pen.oval(x, 0.8, 3.5, 3.1, veil(WHITE, 0.22))
        pen.arc(x, 0.8, 3.6, 3.2, (0, 360), width=0.95, colour=frame)
        pen.line(0.8, frame, dx + side * 7.8, 0.2, side * (look.width + 0.3), -0.4)
    pen.line(0.9, frame, dx - 0.9, 0.3, dx + 0.9, 0.3)


def draw_hand(pen: Pen, look: Look, x: float, y: float) -> None:
    """Draw a closed hand."""
    pen.oval(x, y, 2.9, 2.7, look.skin)
    pen.curve(0.5, look.dark, x - 1.8, y - 0.4, x, y - 0.1, x + 1.8, y - 0.4)
    pen.curve(0.5, shade(look.dark, 0.95), x - 1.6, y + 0.9, x, y + 1.2, x + 1.6, y + 0.9)
