"""Labels of several axes drawn together: axes go together in the draws as they do in truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from portrayal.errors import StatisticsError
from portrayal.statistics import NOT_ASKED, AxisLabels, draw_joint_labels, draw_labels

TIED = np.array([0.4, 0.1, 0.2, 0.3])
"""Shares of the cells of two axes with two groups each."""


class Images(NamedTuple):
    truth: np.ndarray
    predicted: np.ndarray
    prompts: np.ndarray


def images(seed: int = 0) -> Images:
    """Return 3,000 images of which the measurer errs at 30% and 10%, alike on both axes."""
    rng = np.random.default_rng(seed)
    truth = np.stack(np.divmod(rng.choice(4, 3000, p=TIED), 2))
    wrong = rng.random(truth.shape) < np.where(truth == 1, 0.3, 0.1)
    return Images(truth, np.where(wrong, 1 - truth, truth), np.arange(3000) % 30)


def axes(one: Images, asked: np.ndarray) -> list[AxisLabels]:
    """Return what is known where people labelled these images, one row per axis."""
    given = np.where(asked, one.truth, NOT_ASKED)
    return [AxisLabels(*both, 2) for both in zip(one.predicted, given, strict=True)]


def every(n: int) -> np.ndarray:
    return np.arange(3000) % n == 0


def shares(cells: np.ndarray) -> np.ndarray:
    """Return the shares of cells, from codes of the first and second axis."""
    return np.bincount((2 * cells[0] + cells[1]).ravel(), minlength=4) / cells[0].size


def test_bad_input_is_refused() -> None:
    rng, none = np.random.default_rng(0), np.array([-1, -1])
    with pytest.raises(StatisticsError, match="axes has 1; allowed: two or more"):
        draw_joint_labels([AxisLabels([0, 1], [0, -1])], [0, 0], rng=rng)
    with pytest.raises(StatisticsError, match="no image has a label"):
        draw_joint_labels([AxisLabels([0, 1], none), AxisLabels([0, 1], none)], [0, 0], rng=rng)
    two = [AxisLabels([0, 1], [0, -1]), AxisLabels([0, 1, 1], [0, -1, 1])]
    with pytest.raises(StatisticsError, match="one code of each per image"):
        draw_joint_labels(two, [0, 0], rng=rng)


def test_cells_have_the_shares_that_labels_drawn_axis_by_axis_miss() -> None:
    one, asked = images(), every(6)
    rng = np.random.default_rng(1)
    alone = [
        draw_labels(*own[:2], one.prompts, answers=2, rng=rng).labels for own in axes(one, asked)
    ]
    together = draw_joint_labels(axes(one, asked), one.prompts, rng=rng)
    assert np.abs(shares(np.stack(alone)) - TIED).max() > 0.06
    assert shares(together) == pytest.approx(TIED, abs=0.03)
    for own, both in zip(alone, together, strict=True):
        assert both.mean() == pytest.approx(own.mean(), abs=0.015), "each axis stays as it is"


def test_axes_without_anything_in_common_stay_so() -> None:
    rng = np.random.default_rng(3)
    one = images()
    other = np.stack([one.truth[0], rng.permutation(one.truth[1])])
    wrong = rng.random(other.shape) < np.where(other == 1, 0.3, 0.1)
    mixed = Images(other, np.where(wrong, 1 - other, other), one.prompts)
    found = shares(draw_joint_labels(axes(mixed, every(6)), mixed.prompts, rng=rng))
    assert found == pytest.approx([0.3, 0.2, 0.3, 0.2], abs=0.035)


def test_human_labels_stay_also_where_axes_were_asked_of_different_images() -> None:
    one = images()
    asked = np.stack([every(6), every(5)])
    found = draw_joint_labels(axes(one, asked), one.prompts, rng=np.random.default_rng(1))
    assert found.shape == (2, 20, 3000)
    for both, here, truth in zip(found, asked, one.truth, strict=True):
        assert (both[:, here] == truth[here]).all()
        assert len(np.unique(both[:, ~here], axis=0)) == 20, "the others are drawn"


def test_nothing_is_drawn_where_people_labelled_all() -> None:
    one = images()
    found = draw_joint_labels(axes(one, every(1)), one.prompts, rng=np.random.default_rng(1))
    assert (found == one.truth[:, None]).all()


def test_three_axes_of_which_one_has_more_groups() -> None:
    rng = np.random.default_rng(2)
    one = images()
    third = (one.truth[0] + rng.integers(0, 2, 3000)) % 3  # goes with the first axis
    given = np.where(every(5), third, NOT_ASKED)
    found = draw_joint_labels(
        [*axes(one, every(5)), AxisLabels(third, given)], one.prompts, rng=rng
    )
    assert found.shape == (3, 20, 3000)
    assert found[2].mean() == pytest.approx(third.mean(), abs=0.03)
    drawn = np.corrcoef(found[0].ravel(), found[2].ravel())[0, 1]
    assert drawn == pytest.approx(np.corrcoef(one.truth[0], third)[0, 1], abs=0.06)
