"""Hair: what lies behind the head, what lies on it, and what falls over the shoulders."""

from __future__ import annotations

from portrayal_practice.painter.canvas import Pen
from portrayal_practice.painter.looks import Look
from portrayal_practice.painter.palette import Colour, shade, veil


def draw_back_hair(pen: Pen, look: Look, *, covered: bool) -> None:
    """Draw the hair behind head and body."""
    c, d, w = look.hair, shade(look.hair, 0.78), look.width
    match look.style:
        case "long":
            pen.mirror(d, 0, -15.4, w, -11, w + 2.6, 0, w + 3.6, 14, w + 3, 28, 4, 31)
        case "wavy":
            pen.mirror(
                d, 0, -15.5, w, -11, w + 2.8, -2, w + 2.2, 5, w + 4.6, 11, w + 3.4, 18, w + 5, 24,
                w + 1, 29, 3, 28,
            )  # fmt: skip
        case "curly long":
            for x, y, r in ((w, -6, 5), (w + 2, 1, 5), (w + 2.8, 8, 5.2), (w + 2, 15, 5)):
                pen.disc(x, y, r, d)
                pen.disc(-x, y, r, d)
            pen.mirror(d, 0, -16, w, -11, w + 3, 0, w + 3, 16, 0, 18)
        case "bob":
            pen.mirror(d, 0, -15.4, w, -11.5, w + 3, -2, w + 3.4, 7, w + 1.8, 11.5, 2, 11)
        case "chin" | "shag":
            pen.mirror(d, 0, -15.2, w, -11, w + 2.4, -2, w + 2.2, 6, w + 0.6, 9.6, 2, 9)
        case "chin curly":
            for x, low, r in ((w - 1, -8.0, 4.4), (w + 1, -2.0, 4.2), (w + 0.8, 4.5, 4.0)):
                pen.disc(x, low, r, d)
                pen.disc(-x, low, r, d)
        case "shoulder":
            pen.mirror(d, 0, -15, w, -11, w + 2.2, 0, w + 2.4, 11, w + 1.5, 17, 2, 16)
        case "afro":
            pen.mirror(c, 0, -20, 11, -17.5, 16, -8, 15.5, 2, 11, 8, 0, 9)
        case "small afro":
            pen.mirror(c, 0, -17, 8, -15, 12, -8, 11, -1, 8, 1, 0, 0)
        case "bun":
            knot = pen.at(w + 1.0, 11.0) if covered else pen.at(0, -17.5)
            knot.disc(0, 0, 5.2, d)
            knot.arc(0, 0, 2.8, 2.8, (120, 380), width=0.8, colour=shade(d, 0.75))
        case "ponytail":
            pen.smooth(d, w - 2, -12, w + 6, -12, w + 8.5, -2, w + 6.5, 9, w + 4.5, 17, w + 3, 8,
                       w + 1, -3)  # fmt: skip
            pen.oval(w + 1, -9.5, 1.6, 2.2, shade(c, 1.5))
        case "pigtails":
            for s in (-1.0, 1.0):
                pen.smooth(d, s * w, -5, s * (w + 6), -8, s * (w + 8), 0, s * (w + 4.5), 9,
                           s * (w + 2), 3)  # fmt: skip
        case _:
            pass


def _cap(pen: Pen, look: Look, inner: tuple[float, ...], *, top: float, side: float) -> None:
    """Fill the crown down to a hairline given from the right to the left."""
    w = look.width
    pen.smooth(
        look.hair,
        -w - 0.8, side, -w - 1.2, -6, -w * 0.72, top + 2.6, 0, top, w * 0.72, top + 2.6,
        w + 1.2, -6, w + 0.8, side, *inner,
    )  # fmt: skip


def _hairline(look: Look) -> tuple[float, ...]:
    """Inner edge of the front hair: fringe, middle parting or side parting."""
    w = look.width
    if look.fringe < 0.33:
        return (w - 0.6, -3.5, w * 0.6, -4.6, 0, -5, -w * 0.6, -4.6, -w + 0.6, -3.5)
    if look.fringe < 0.66:
        return (w - 1, -2, w * 0.72, -6.4, 0.6, -11.4, -0.6, -11.4, -w * 0.72, -6.4, -w + 1, -2)
    return (w - 0.9, -3, w * 0.55, -7.2, -w * 0.35, -11, -w * 0.75, -6.5, -w + 0.8, -3)


def draw_front_hair(pen: Pen, look: Look) -> None:
    """Draw the hair on the crown and around the face."""
    w, style = look.width, look.style
    match style:
        case "bald":
            pen.oval(-2.5, -9, 3, 1.6, veil(look.glow, 0.8), turn=-20)
            return
        case "balding":
            for s in (-1.0, 1.0):
                pen.smooth(look.hair, s * (w + 1), 1.5, s * (w + 1.3), -5, s * (w - 1.2), -9.5,
                           s * (w - 1), -3)  # fmt: skip
            pen.oval(-2, -9.6, 3, 1.4, veil(look.glow, 0.8), turn=-15)
            return
        case "crew":
            _cap(pen, look, (w - 0.8, -5.5, w * 0.7, -8.6, 0, -9, -w * 0.7, -8.6, -w + 0.8, -5.5),
                 top=-13.9, side=-2.5)  # fmt: skip
        case "small afro":
            _cap(pen, look, (w - 0.6, -4.5, w * 0.65, -8, 0, -8.8, -w * 0.65, -8, -w + 0.6, -4.5),
                 top=-16, side=-1)  # fmt: skip
        case "quiff":
            _cap(pen, look, (w - 0.8, -4.5, w * 0.7, -8.5, 0, -8.4, -w * 0.7, -9, -w + 0.8, -4.5),
                 top=-15.5, side=-1.5)  # fmt: skip
            pen.smooth(look.hair, -w * 0.8, -10, -4, -17.5, 4, -18.6, w * 0.85, -13, w * 0.6, -9)
        case "short":
            _cap(pen, look, (w - 0.8, -4, w * 0.5, -7, 1, -8.8, -w * 0.3, -7.2, -w * 0.7, -8.2,
                             -w + 0.8, -4), top=-15.4, side=-0.5)  # fmt: skip
        case "side" | "pixie":
            dip = -5.4 if style == "pixie" else -7.6
            _cap(pen, look, (w - 0.8, -3.2, w * 0.72, dip, 0, -8.2, -w * 0.45, -11, -w * 0.8, -7,
                             -w + 0.8, -3.5), top=-15.8, side=0.5)  # fmt: skip
        case "bowl":
            _cap(pen, look, (w - 0.4, -3.4, w * 0.5, -4.6, 0, -4.9, -w * 0.5, -4.6, -w + 0.4, -3.4),
                 top=-15.2, side=-0.5)  # fmt: skip
        case "curly" | "curly long" | "chin curly" | "afro":
            _curls(pen, look, wide=style != "curly")
            return
        case _:
            _cap(pen, look, _hairline(look), top=-15.4, side=2.0 if style != "bun" else -1.0)
    _shine(pen, look.hair, w)


def _shine(pen: Pen, colour: Colour, w: float) -> None:
    pen.curve(1.0, veil(shade(colour, 1.35), 0.7), -w * 0.6, -10.6, -w * 0.2, -13, w * 0.3, -13.2)


def _curls(pen: Pen, look: Look, *, wide: bool) -> None:
    c, d, w = look.hair, shade(look.hair, 1.16), look.width
    spots = [(0, -13), (5, -12.3), (-5, -12.3), (w - 0.5, -8.6), (0.5 - w, -8.6)]
    if wide:
        spots += [(w + 0.6, -4.2), (-w - 0.6, -4.2)]
    for x, y in spots:
        pen.disc(x, y, 3.9, c)
    pen.box(-w * 0.8, -13, w * 0.8, -8.4, c, r=2)
    for x, y in spots[:5]:
        pen.arc(x, y, 2.2, 2.2, (180, 330), width=0.8, colour=d)


def draw_locks(pen: Pen, look: Look) -> None:
    """Draw the hair that falls in front of the shoulders."""
    c, w = look.hair, look.width
    d = shade(c, 0.82)
    match look.style:
        case "long":
            for s in (-1.0, 1.0):
                pen.smooth(c, s * (w - 0.6), -4, s * (w + 2.4), -3, s * (w + 3.4), 12,
                           s * (w + 2.2), 25, s * (w - 1), 24, s * (w - 0.2), 10)  # fmt: skip
                pen.curve(0.6, d, s * (w + 1), 0, s * (w + 1.8), 12, s * (w + 0.8), 22)
        case "wavy":
            for s in (-1.0, 1.0):
                pen.smooth(c, s * (w - 0.6), -4, s * (w + 2.6), -2, s * (w + 2), 5,
                           s * (w + 4), 11, s * (w + 2.6), 17, s * (w + 3.6), 23, s * w, 25,
                           s * (w - 0.6), 17, s * (w + 0.6), 10, s * (w - 0.4), 4)  # fmt: skip
        case "curly long":
            for s in (-1.0, 1.0):
                for x, y, r in ((0.6, -2, 2.8), (1.6, 4, 3), (2, 10, 3.2), (1.6, 16, 3.2)):
                    pen.disc(s * (w + x), y, r, c)
        case "bob" | "chin" | "shag" | "shoulder":
            low = {"bob": 10.5, "chin": 8.6, "shag": 8.8, "shoulder": 15.5}[look.style]
            for s in (-1.0, 1.0):
                pen.smooth(
                    c, s * (w - 0.5), -5, s * (w + 2), -4, s * (w + 2.6), low - 5, s * (w + 1.2),
                    low, s * (w - 1.8), low - 1.2, s * (w - 0.6), 2,
                )  # fmt: skip
        case "braids":
            for s in (-1.0, 1.0):
                for i in range(6):
                    pen.oval(s * (w + 0.8 + 0.2 * i), -1 + 4.1 * i, 2.5, 2.7, c)
                    pen.curve(0.6, d, s * (w - 1), -1 + 4.1 * i, s * (w + 2.6), 0.8 + 4.1 * i)
                pen.oval(s * (w + 2), 22.5, 1.9, 1.1, shade(c, 1.55))
        case _:
            pass
