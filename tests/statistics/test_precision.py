from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.statistics.precision import Moves


def test_degrees_of_freedom_of_equal_strata() -> None:
    """Two strata of 4 degrees each: Welch's 8. Ten, which need 4 + 1.6: 10 * 5.6 - 1.6."""
    values = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    found = Moves(values, np.array([0, 0, 1, 1]), np.array([4.0, 4.0]))
    assert found.degrees == pytest.approx([8.0])
    many = Moves(np.ones((10, 1)), np.arange(10), np.full(10, 4.0))
    assert many.degrees == pytest.approx([54.4])
    alone = Moves(values, np.zeros(4, dtype=np.intp), np.array([7.0]))
    assert alone.degrees == pytest.approx([7.0])


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_p_is_students(alternative: str) -> None:
    values = np.random.default_rng(4).normal(0.4, 1.0, size=9)
    moves = ((values - values.mean()) * math.sqrt(9 / 8) / 9)[:, None]
    found = Moves(moves, np.zeros(9, dtype=np.intp), np.array([8.0]))
    wanted = stats.ttest_1samp(values, 0.0, alternative=alternative).pvalue
    assert found.p_value(values.mean(), alternative=alternative) == pytest.approx(wanted)  # type: ignore[arg-type]


def test_no_variance_gives_no_width_and_no_warning() -> None:
    found = Moves(np.zeros((3, 2)), np.zeros(3, dtype=np.intp), np.array([2.0]))
    assert found.interval(0.5, confidence=0.95) == (0.5, 0.5)
    assert found.p_value(0.5) == 0.0
    assert found.p_value(0.0) == 1.0
