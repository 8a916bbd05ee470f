"""The pen: shapes land where they are put, whatever the paper under it does."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from portrayal_practice.painter.canvas import Light, Pen

WHITE = (255, 255, 255)


def _pen(light: Light | None = None) -> Pen:
    image = Image.new("RGB", (256, 256))
    return Pen(image, rng=np.random.default_rng(0), light=light or Light())


def _covered(pen: Pen) -> npt.NDArray[np.bool_]:
    return np.asarray(pen.image)[:, :, 0] > 127


def _area(pen: Pen) -> float:
    """Covered area in local units of the whole image."""
    return float(_covered(pen).sum()) / 16.0


def test_areas_match_geometry() -> None:
    pen = _pen()
    pen.oval(32, 32, 20, 10, WHITE)
    assert _area(pen) == pytest.approx(math.pi * 200.0, rel=0.03)
    pen = _pen()
    pen.box(10, 20, 30, 50, WHITE)
    assert _area(pen) == pytest.approx(600.0, rel=0.03)
    pen = _pen()
    pen.line(4.0, WHITE, 12, 32, 52, 32)
    assert _area(pen) == pytest.approx(160.0 + math.pi * 4.0, rel=0.06)


@pytest.mark.parametrize("turn", [0.0, 30.0, 90.0, 200.0])
def test_turned_and_moved_paper_keeps_area_and_middle(turn: float) -> None:
    pen = _pen()
    local = pen.at(40, 24, scale=0.5, turn=turn)
    local.box(-16, -8, 16, 8, WHITE)
    assert _area(pen) == pytest.approx(128.0, rel=0.06)
    rows, columns = np.nonzero(_covered(pen))
    assert columns.mean() / 4.0 == pytest.approx(40.0, abs=0.3)
    assert rows.mean() / 4.0 == pytest.approx(24.0, abs=0.3)


def test_turning_is_clockwise_and_flipping_mirrors_first() -> None:
    pen = _pen()
    pen.at(32, 32, turn=90.0).box(10, -2, 20, 2, WHITE)
    rows, _ = np.nonzero(_covered(pen))
    assert rows.mean() / 4.0 == pytest.approx(47.0, abs=0.3)
    pen = _pen()
    pen.at(32, 32, turn=90.0, flip=True).box(10, -2, 20, 2, WHITE)
    rows, _ = np.nonzero(_covered(pen))
    assert rows.mean() / 4.0 == pytest.approx(17.0, abs=0.3)


def test_nested_paper_composes() -> None:
    nested, flat = _pen(), _pen()
    nested.at(32, 32, turn=40.0).at(8, 0, scale=2.0, turn=-40.0).disc(0, 0, 3, WHITE)
    angle = math.radians(40.0)
    flat.disc(32 + 8 * math.cos(angle), 32 + 8 * math.sin(angle), 6, WHITE)
    assert (_covered(nested) ^ _covered(flat)).mean() < 0.002


def test_mirror_is_symmetric() -> None:
    pen = _pen()
    pen.at(32, 32).mirror(WHITE, 0, -15, 12, -6, 9, 10, 0, 14)
    shape = _covered(pen)
    assert (shape[:, 1:] ^ shape[:, 1:][:, ::-1]).mean() < 0.01


def test_smooth_curves_pass_through_their_points() -> None:
    pen = _pen()
    points = (10, 40, 24, 12, 40, 50, 56, 20)
    pen.curve(2.0, WHITE, *points)
    for x, y in zip(points[::2], points[1::2], strict=True):
        assert _covered(pen)[y * 4, x * 4]


def test_light_changes_colours_and_stays_in_range() -> None:
    pen = _pen(Light(0.5, 100.0, 300.0, -300.0))
    pen.box(0, 0, 64, 64, (100, 100, 100))
    assert tuple(np.asarray(pen.image)[128, 128]) == (150, 255, 0)
    assert Light(0.5, 100.0, 0.0, 0.0).softened(0.0) == Light()


def test_gradient_runs_from_top_to_bottom() -> None:
    pen = _pen()
    pen.blend((0, 0, 0), (200, 100, 50))
    column = np.asarray(pen.image)[:, 100].astype(int)
    assert tuple(column[0]) == (0, 0, 0)
    assert tuple(column[-1]) == (200, 100, 50)
    assert (np.diff(column, axis=0) >= 0).all()
