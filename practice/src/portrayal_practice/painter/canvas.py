"""A pen that draws smooth shapes on an image four times too large, which is then reduced.

Shapes are given in local units; `Pen.at` moves, scales, turns or mirrors the paper under the pen,
so that a hat or a violin is drawn once around its own middle. Colours pass through the pen's
light, which is how gloom and sunshine reach every shape at no cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from portrayal_practice.painter.palette import Colour

Floats = npt.NDArray[np.float64]

SIDE = 64.0
"""Local units along one side of the image."""
OVERSAMPLING = 4
_STEPS = 4
_ROUND = 5.0
"""Strokes wider than this many large pixels get round ends."""


def _circle(count: int) -> Floats:
    turns = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


_CIRCLE, _SMALL_CIRCLE, _DOT = _circle(28), _circle(14), _circle(8)


class Light(NamedTuple):
    """A linear change of colour: `keep` times the colour plus an addition per channel."""

    keep: float = 1.0
    red: float = 0.0
    green: float = 0.0
    blue: float = 0.0

    def softened(self, share: float) -> Light:
        """The same light with only a share of its effect."""
        return Light(
            1.0 - (1.0 - self.keep) * share, self.red * share, self.green * share, self.blue * share
        )


PLAIN = Light()


@lru_cache(maxsize=64)
def _spline(count: int, closed: bool) -> Floats:
    """Matrix that turns `count` control points into a dense Catmull-Rom curve through them."""
    rows = []
    for segment in range(count if closed else count - 1):
        index = [segment - 1, segment, segment + 1, segment + 2]
        index = [i % count if closed else min(max(i, 0), count - 1) for i in index]
        for step in range(_STEPS):
            t = step / _STEPS
            weights = (
                -0.5 * t + t * t - 0.5 * t**3,
                1.0 - 2.5 * t * t + 1.5 * t**3,
                0.5 * t + 2.0 * t * t - 1.5 * t**3,
                -0.5 * t * t + 0.5 * t**3,
            )
            row = np.zeros(count)
            for i, weight in zip(index, weights, strict=True):
                row[i] += weight
            rows.append(row)
    if not closed:
        rows.append(np.eye(count)[-1])
    return np.array(rows)


@lru_cache(maxsize=256)
def _arc(start: float, end: float, count: int) -> Floats:
    """Points of the unit circle between two angles in degrees."""
    angles = np.radians(np.linspace(start, end, count))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@lru_cache(maxsize=64)
def _star(points: int, inner: float) -> Floats:
    angles = np.arange(2 * points) * (np.pi / points) - np.pi / 2.0
    radii = np.where(np.arange(2 * points) % 2 == 0, 1.0, inner)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


class Pen:
    """Draws on one image; immutable but for the image itself."""

    __slots__ = ("_across", "_blend", "_down", "_opaque", "image", "light", "rng", "unit")

    def __init__(self, image: Image.Image, *, rng: np.random.Generator, light: Light = PLAIN):
        """Start with the whole image 64 units wide."""
        self.image = image
        self.rng = rng
        self.light = light
        self.unit = image.width / SIDE
        self._opaque = ImageDraw.Draw(image)
        self._blend = ImageDraw.Draw(image, "RGBA")
        # Large-pixel x is across[0] * x + across[1] * y + across[2]; likewise y with down.
        self._across = (self.unit, 0.0, 0.0)
        self._down = (0.0, self.unit, 0.0)

    def _copy(self) -> Pen:
        other = object.__new__(Pen)
        for name in Pen.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    def at(
        self, x: float, y: float, *, scale: float = 1.0, turn: float = 0.0, flip: bool = False
    ) -> Pen:
        """Return a pen whose origin lies at (x, y); `turn` is in degrees, clockwise."""
        other = self._copy()
        angle = math.radians(turn)
        cos, sin = math.cos(angle) * scale, math.sin(angle) * scale
        sign = -1.0 if flip else 1.0
        (a, b, e), (c, d, f) = self._across, self._down
        other._across = (sign * (a * cos + b * sin), b * cos - a * sin, a * x + b * y + e)
        other._down = (sign * (c * cos + d * sin), d * cos - c * sin, c * x + d * y + f)
        other.unit = self.unit * scale
        return other

    def lit(self, light: Light) -> Pen:
        """Return a pen that draws under another light."""
        other = self._copy()
        other.light = light
        return other

    def varied(self, rng: np.random.Generator) -> Pen:
        """Return a pen that takes its variety from another source."""
        other = self._copy()
        other.rng = rng
        return other

    def _ink(self, colour: Colour) -> Colour:
        keep, add_red, add_green, add_blue = self.light
        red = int(colour[0] * keep + add_red)
        green = int(colour[1] * keep + add_green)
        blue = int(colour[2] * keep + add_blue)
        red = 255 if red > 255 else max(red, 0)
        green = 255 if green > 255 else max(green, 0)
        blue = 255 if blue > 255 else max(blue, 0)
        return (red, green, blue, *colour[3:])

    def _draw(self, placed: list[float], colour: Colour) -> None:
        """Fill a polygon given in large pixels."""
        draw = self._blend if len(colour) == 4 else self._opaque
        draw.polygon(placed, fill=self._ink(colour))

    def _fill(self, points: Floats, colour: Colour) -> None:
        """Fill a polygon given as an array in local units."""
        (a, b, e), (c, d, f) = self._across, self._down
        x, y = points[:, 0], points[:, 1]
        placed = np.empty(2 * len(points))
        placed[0::2] = a * x + b * y + e
        placed[1::2] = c * x + d * y + f
        self._draw(placed.tolist(), colour)

    def poly(self, colour: Colour, *xy: float) -> None:
        """Fill the polygon through the points x0, y0, x1, y1, ..."""
        (a, b, e), (c, d, f) = self._across, self._down
        placed: list[float] = []
        for i in range(0, len(xy), 2):
            x, y = xy[i], xy[i + 1]
            placed += (a * x + b * y + e, c * x + d * y + f)
        self._draw(placed, colour)

    def smooth(self, colour: Colour, *xy: float) -> None:
        """Fill a rounded shape through the points x0, y0, x1, y1, ..."""
        points = np.array(xy).reshape(-1, 2)
        self._fill(_spline(len(points), True) @ points, colour)

    def mirror(self, colour: Colour, *xy: float) -> None:
        """Fill a rounded shape given by its right half; the left half is mirrored."""
        half = np.array(xy).reshape(-1, 2)
        points = np.concatenate([half, half[::-1] * (-1.0, 1.0)])
        self._fill(_spline(len(points), True) @ points, colour)

    def oval(
        self, x: float, y: float, rx: float, ry: float, colour: Colour, *, turn: float = 0.0
    ) -> None:
        """Fill an ellipse."""
        reach = max(rx, ry) * self.unit
        ring = _CIRCLE if reach > 14.0 else _SMALL_CIRCLE if reach > 4.5 else _DOT
        if turn:
            self.at(x, y, turn=turn)._fill(ring * (rx, ry), colour)
            return
        (a, b, e), (c, d, f) = self._across, self._down
        cos, sin = ring[:, 0], ring[:, 1]
        placed = np.empty(2 * len(ring))
        placed[0::2] = (a * rx) * cos + (b * ry) * sin + (a * x + b * y + e)
        placed[1::2] = (c * rx) * cos + (d * ry) * sin + (c * x + d * y + f)
        self._draw(placed.tolist(), colour)

    def disc(self, x: float, y: float, r: float, colour: Colour) -> None:
        """Fill a circle."""
        self.oval(x, y, r, r, colour)

    def pie(
        self, x: float, y: float, rx: float, ry: float, colour: Colour, start: float, end: float
    ) -> None:
        """Fill the part of an ellipse between two angles (degrees, clockwise from the right)."""
        self._fill(_arc(start, end, 16) * (rx, ry) + np.array((x, y)), colour)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, colour: Colour, *, r: float = 0.0
    ) -> None:
        """Fill a rectangle, with corners rounded by radius `r`."""
        if not r:
            self.poly(colour, x0, y0, x1, y0, x1, y1, x0, y1)
            return
        q = r * 0.3
        self.poly(
            colour,
            x0 + r, y0, x1 - r, y0, x1 - q, y0 + q, x1, y0 + r, x1, y1 - r, x1 - q, y1 - q,
            x1 - r, y1, x0 + r, y1, x0 + q, y1 - q, x0, y1 - r, x0, y0 + r, x0 + q, y0 + q,
        )  # fmt: skip

    def _ribbon(self, points: Floats, width: float, end: float, colour: Colour) -> None:
        slopes = np.empty_like(points)
        slopes[1:-1] = points[2:] - points[:-2]
        slopes[0] = points[1] - points[0]
        slopes[-1] = points[-1] - points[-2]
        dx, dy = slopes[:, 0], slopes[:, 1]
        reach = np.full(len(points), width * 0.5)
        if end != width:
            reach = np.arange(len(points)) * ((end - width) * 0.5 / (len(points) - 1)) + reach
        reach /= np.sqrt(dx * dx + dy * dy) + 1e-9
        outline = np.empty((2 * len(points), 2))
        outline[: len(points), 0] = points[:, 0] - dy * reach
        outline[: len(points), 1] = points[:, 1] + dx * reach
        outline[len(points) :, 0] = (points[:, 0] + dy * reach)[::-1]
        outline[len(points) :, 1] = (points[:, 1] - dx * reach)[::-1]
        self._fill(outline, colour)

    def line(self, width: float, colour: Colour, *xy: float) -> None:
        """Draw straight strokes through the points, with round ends and corners."""
        half = width * 0.5
        for i in range(0, len(xy) - 2, 2):
            x0, y0, x1, y1 = xy[i : i + 4]
            dx, dy = x1 - x0, y1 - y0
            reach = half / (math.sqrt(dx * dx + dy * dy) + 1e-9)
            u, v = dy * reach, dx * reach
            self.poly(colour, x0 - u, y0 + v, x1 - u, y1 + v, x1 + u, y1 - v, x0 + u, y0 - v)
        if width * self.unit > _ROUND and len(colour) == 3:
            for i in range(0, len(xy), 2):
                self.disc(xy[i], xy[i + 1], half, colour)

    def curve(self, width: float, colour: Colour, *xy: float, end: float | None = None) -> None:
        """Draw a smooth stroke through the points; it tapers to width `end` if given."""
        points = np.array(xy).reshape(-1, 2)
        last = width if end is None else end
        self._ribbon(_spline(len(points), False) @ points, width, last, colour)
        if width * self.unit > _ROUND and len(colour) == 3:
            self.disc(xy[0], xy[1], width * 0.5, colour)
            self.disc(xy[-2], xy[-1], last * 0.5, colour)

    def arc(
        self, x: float, y: float, rx: float, ry: float, angles: tuple[float, float], *,
        width: float, colour: Colour,
    ) -> None:  # fmt: skip
        """Draw a stroke along an ellipse between two angles (degrees, clockwise)."""
        points = _arc(*angles, 22) * (rx, ry) + np.array((x, y))
        self._ribbon(points, width, width, colour)

    def ring(self, x: float, y: float, r: float, width: float, colour: Colour) -> None:
        """Draw a circle's line."""
        self.arc(x, y, r, r, (0.0, 360.0), width=width, colour=colour)

    def star(
        self, x: float, y: float, r: float, colour: Colour, *, points: int = 5, inner: float = 0.45
    ) -> None:
        """Fill a star that stands on two points."""
        self._fill(_star(points, inner) * r + np.array((x, y)), colour)

    def heart(self, x: float, y: float, r: float, colour: Colour) -> None:
        """Fill a heart."""
        self.oval(x - r * 0.48, y - r * 0.3, r * 0.55, r * 0.55, colour)
        self.oval(x + r * 0.48, y - r * 0.3, r * 0.55, r * 0.55, colour)
        self.poly(colour, x - r * 0.97, y - r * 0.08, x + r * 0.97, y - r * 0.08, x, y + r)

    def blend(self, top: Colour, bottom: Colour, *, slant: float = 0.0) -> None:
        """Fill the whole image with a gradient; `slant` from -1 to 1 tilts it sideways."""
        first = np.array(self._ink(top), dtype=np.float64)
        change = np.array(self._ink(bottom), dtype=np.float64) - first
        small = self.image.width // OVERSAMPLING
        ramp = np.linspace(0.0, 1.0, small)
        share = ramp[:, None] + (ramp[None, :] - 0.5) * (0.8 * slant)
        tile = np.clip(first + share[:, :, None] * change, 0, 255).astype(np.uint8)
        # Whole blocks of one colour: the gradient is exact after the reduction, and fast.
        wide = Image.fromarray(tile).resize(self.image.size, Image.Resampling.NEAREST)
        self.image.paste(wide)


Prop = Callable[[Pen], None]
"""Draws one thing around the origin."""
