"""What people would say of every image on several axes at once: draws that keep axes together.

Labels that are drawn axis by axis (`draw_labels`) are right for each axis, but not for its groups
together with those of another: what a measurer's errors hid of how axes go together stays hidden.
Here each axis has its error table, drawn as for the axis alone, and the shares of prompts are those
of cells: a group of the first axis with a group of the second, and so on.

The assumptions: the measurer errs alike in all prompts, and errors on one axis do not depend on the
groups of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_rng
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.error_tables import CheckedCounts, ErrorTables, IntArray
from portrayal.statistics.label_errors import (
    ALIKE,
    NOT_ASKED,
    CodedImages,
    PromptOrder,
    draw_shares,
    draw_tables,
    labels_of_images,
)

_STEPS = 200
"""Of the EM algorithm that finds the shares of cells, from which the draws begin."""


class AxisLabels(NamedTuple):
    """The labels of all images on one axis.

    Attributes:
        predicted: Code of the measurer's answer, 0 and up, per image.
        labels: Code of the people's answer, 0 and up; -1 where nobody was asked.
        answers: How many answers people may give; None: those up to the largest that they gave.
        weights: One over the probability of being asked; None: the same for all.
    """

    predicted: ArrayLike
    labels: ArrayLike
    answers: int | None = None
    weights: ArrayLike | None = None


def draw_joint_labels(
    axes: Sequence[AxisLabels],
    prompts: ArrayLike,
    *,
    order: PromptOrder = ALIKE,
    rng: np.random.Generator,
) -> NDArray[np.int16]:
    """Draw what people would say of every image on several axes.

    Args:
        axes: The labels of the same images on each axis.
        prompts: Code of each image's prompt, 0 and up.
        order: How prompts belong together.
        rng: Source of the draws.

    Returns:
        Codes of the people's answers, (axes, draws, images); where people answered, theirs.

    >>> predicted = np.repeat([0, 1], 50)
    >>> labels = np.where(np.arange(100) % 5 == 0, predicted, -1)
    >>> both = [AxisLabels(predicted, labels), AxisLabels(predicted, labels)]
    >>> draw_joint_labels(both, np.arange(100) % 10, rng=np.random.default_rng(0)).shape
    (2, 20, 100)
    """
    check_rng(rng)
    if len(axes) < 2:
        raise StatisticsError(f"axes has {len(axes)}; allowed: two or more")
    checked = [
        CodedImages.of(one.predicted, one.labels, prompts, one.answers, one.weights) for one in axes
    ]
    sizes = [one.shape[0] for one in checked]
    answer, chances = _product(checked, [draw_tables(one, rng).tables for one in checked])
    prompt, n = checked[0].prompts, int(answer.max()) + 1
    cells, height = int(np.prod(sizes)), int(prompt.max()) + 1
    other = np.bincount(prompt * n + answer, minlength=height * n).reshape(height, n)
    none = np.zeros((height, cells), dtype=np.intp)
    means = _cell_shares(chances, np.bincount(answer, minlength=n))
    errors = ErrorTables(chances, means)
    shares = draw_shares(CheckedCounts(other, none), errors, order, rng)
    unasked = np.full(answer.size, NOT_ASKED)
    found = labels_of_images(answer, unasked, prompt, shares, chances, rng)
    return np.stack(np.unravel_index(found, sizes)).astype(np.int16)


def _product(
    axes: Sequence[CodedImages], tables: Sequence[FloatArray]
) -> tuple[IntArray, FloatArray]:
    """Return a code for all that is known of an image, and its chance in each cell.

    What people said of an image on an axis takes the place of what the measurer said there: an
    answer that is given in one group only. (images,) and (draws, cells, codes).
    """
    given = np.stack(
        [
            np.where(one.labels == NOT_ASKED, one.predicted, one.shape[1] + one.labels)
            for one in axes
        ]
    )
    kinds, code = np.unique(given, axis=1, return_inverse=True)
    chances = np.ones((len(tables[0]), 1, kinds.shape[1]))
    for table, kind in zip(tables, kinds, strict=True):
        own = np.broadcast_to(np.eye(table.shape[1]), (len(table), *[table.shape[1]] * 2))
        each = np.concatenate([table, own], axis=2)[:, :, kind]
        chances = (chances[:, :, None] * each[:, None]).reshape(len(table), -1, kinds.shape[1])
    return np.asarray(code).ravel(), chances


def _cell_shares(chances: FloatArray, counts: IntArray) -> FloatArray:
    """Return the likeliest shares of cells over all images, (draws, cells)."""
    draws, cells, _ = chances.shape
    shares = np.full((draws, cells), 1 / cells)
    for _ in range(_STEPS):
        part = shares[:, :, None] * chances
        part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-300)
        shares = part @ counts + 1 / cells
        shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)
