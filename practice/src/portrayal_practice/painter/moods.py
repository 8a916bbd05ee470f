"""Light and weather for a valence from -1 (gloomy) to +1 (bright and warm).

The same change is applied whoever or whatever is shown. Backgrounds take it in full, clothes and
things a third of it, skin almost nothing, so that skin tone stays readable in any light.
"""

from __future__ import annotations

from portrayal_practice.painter.canvas import Light, Pen
from portrayal_practice.painter.palette import PINK, WHITE, YELLOW, between, pick, rgb, veil

_GLOOM = rgb("1e2a44")
_SUN = rgb("fff2b8")
CLOTHES_SHARE = 0.3
SKIN_SHARE = 0.06


def light_of(valence: float) -> Light:
    """The light on a background."""
    if valence < 0.0:
        share = 0.62 * -valence
        return Light(1.0 - share, *(share * channel for channel in _GLOOM))
    share = 0.5 * valence
    return Light(1.0 - share, *(share * channel for channel in _SUN))


def draw_weather(pen: Pen, valence: float) -> None:
    """Draw rain and clouds, or sunshine and petals, over a background."""
    strength = abs(valence)
    if strength < 0.15:
        return
    if valence < 0.0:
        _draw_rain(pen, strength)
    else:
        _draw_sunshine(pen, strength)


def _draw_rain(pen: Pen, strength: float) -> None:
    cloud = veil(rgb("3c465a"), 0.3 + 0.5 * strength)
    for i in range(4):
        x = 20.0 * i + between(pen.rng, -6, 6)
        pen.oval(x, between(pen.rng, -1, 4), 12, 3 + 4.5 * strength, cloud)
    drop = veil(rgb("b4c8e4"), 0.35 + 0.35 * strength)
    for _ in range(int(6 + 16 * strength)):
        x, y = between(pen.rng, 0, 66), between(pen.rng, 4, 62)
        pen.line(0.6, drop, x, y, x - 1.7, y + 5)


def _draw_sunshine(pen: Pen, strength: float) -> None:
    left = pen.rng.random() < 0.5
    x = between(pen.rng, 2, 12) if left else between(pen.rng, 52, 62)
    y = between(pen.rng, 2, 8)
    ray = veil(rgb("fff6b0"), 0.12 + 0.25 * strength)
    start = between(pen.rng, 0, 20)
    for i in range(8):
        turned = pen.at(x, y, turn=start + 45.0 * i)
        turned.poly(ray, -1.4, 0, 1.4, 0, 7, 52, -7, 52)
    pen.disc(x, y, 5 + 3 * strength, veil(rgb("fff0a0"), 0.55))
    pen.disc(x, y, 3 + 2.6 * strength, veil(YELLOW, 0.95))
    for _ in range(int(3 + 7 * strength)):
        px, py = between(pen.rng, 0, 64), between(pen.rng, 0, 60)
        if pen.rng.random() < 0.5:
            pen.star(px, py, 1.8, WHITE, points=4, inner=0.25)
        else:
            pen.oval(px, py, 1.7, 1.0, pick(pen.rng, (PINK, WHITE, YELLOW)), turn=35)
