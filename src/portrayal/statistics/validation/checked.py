"""Images of which people labelled a few, in a world whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.drawn_labels import DrawnAnswers, combine_draws, without_averaged_noise
from portrayal.statistics.intervals import Interval
from portrayal.statistics.label_errors import NOT_ASKED, LabelDraws, PromptOrder, draw_labels

IntArray = NDArray[np.intp]
CountArray = NDArray[np.int64]
Target = Literal[
    "share", "rare share", "share of rare group", "bias", "difference", "share by draws",
    "one prompt", "diversity", "levels", "no difference of levels",
    "amplification", "no amplification", "change of diversity", "no change of diversity",
    "distance", "no distance", "distance of cells", "no distance of cells",
    "largest share", "largest cell",
]  # fmt: skip

_ERRORS_VARY = 0.1
"""Intraclass correlation of errors within a prompt, where prompts differ in them."""


class ErrorRates(NamedTuple):
    """How often the measurer takes the first group for the second, and the second for the first."""

    first: float
    second: float


@dataclass(frozen=True, slots=True)
class CheckedSetting:
    """Images of which `labels` have a human label; the measurer errs at `errors`.

    Attributes:
        target: What is estimated.
        errors: Of the measurer.
        labels: Human labels.
        icc: How alike images of a prompt are.
        sides: The errors on the other side (training images, a second model), where they differ.
        by_answer: Whether as many images are drawn of each of the measurer's answers.
        other: Another generative model: shares of prompts are logit-normal, and the measurer errs
            more in some prompts than in others, which the error model does not know.
    """

    target: Target
    errors: ErrorRates
    labels: int
    icc: float
    sides: ErrorRates | None = None
    by_answer: bool = False
    other: bool = False


class WorldAnswer(NamedTuple):
    """What one world gave: an estimate, its interval, the truth, the oracle's interval, and p."""

    value: float
    interval: Interval
    truth: float
    oracle: Interval
    p: float | None = None


class CheckedImages(NamedTuple):
    """Images of one side: 1 is the first group; codes of prompts; labels, or -1."""

    truth: IntArray
    predicted: IntArray
    prompts: IntArray
    labels: IntArray


def draw_images(
    setting: CheckedSetting, shares: FloatArray, per_prompt: int, rng: np.random.Generator, *,
    errors: ErrorRates | None = None, labels: int | None = None,
) -> CheckedImages:  # fmt: skip
    """Draw images of prompts, the measurer's answers and the labels of those that were drawn.

    Args:
        setting: The world.
        shares: Of the first group, per prompt.
        per_prompt: Images.
        rng: Source of the draws.
        errors: Those of this side; None: the setting's.
        labels: Those of this side; None: the setting's.
    """
    rates, n = errors or setting.errors, setting.labels if labels is None else labels
    truth = (rng.random((shares.size, per_prompt)) < shares[:, None]).astype(np.intp).ravel()
    prompts = np.repeat(np.arange(shares.size), per_prompt)
    chances = np.array(rates)[:, None] * np.ones(shares.size)
    if setting.other:
        size = 1 / _ERRORS_VARY - 1
        chances = rng.beta(chances * size, (1 - chances) * size)
    wrong = rng.random(truth.size) < np.where(truth == 1, chances[0][prompts], chances[1][prompts])
    predicted = np.where(wrong, 1 - truth, truth)
    asked = rng.choice(truth.size, n, replace=False)
    if setting.by_answer:
        parts = [np.flatnonzero(predicted == answer) for answer in (0, 1)]
        asked = np.concatenate(
            [rng.choice(one, min(n // 2, one.size), replace=False) for one in parts]
        )
    given = np.full(truth.size, NOT_ASKED)
    given[asked] = truth[asked]
    return CheckedImages(truth, predicted, prompts, given)


def with_errors(truth: IntArray, errors: ErrorRates, rng: np.random.Generator) -> IntArray:
    """Return the measurer's answers: 1 is the first group."""
    rates = np.array([errors.second, errors.first])
    return np.where(rng.random(truth.size) < rates[truth], 1 - truth, truth)


def around(setting: CheckedSetting, means: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw shares of prompts around their means."""
    if setting.icc == 0:
        return means
    if setting.other:
        return _logit_normal(means, setting.icc, rng)
    size = (1 - setting.icc) / setting.icc
    return rng.beta(np.maximum(means * size, 1e-9), np.maximum((1 - means) * size, 1e-9))


_GRID = np.sqrt(2) * np.polynomial.hermite.hermgauss(61)[0]
_WEIGHTS = np.polynomial.hermite.hermgauss(61)[1] / np.sqrt(np.pi)


def _logit_normal(means: FloatArray, icc: float, rng: np.random.Generator) -> FloatArray:
    """Draw logit-normal shares with these means; at one half, with this correlation."""
    spread = _spread(icc)
    low, high = np.full(means.shape, -40.0), np.full(means.shape, 40.0)
    for _ in range(50):  # the centre whose mean is the one wanted
        middle = (low + high) / 2
        below = expit(middle[..., None] + spread * _GRID) @ _WEIGHTS < means
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(expit((low + high) / 2 + spread * rng.standard_normal(means.shape)))


def _spread(icc: float) -> float:
    low, high = 0.01, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        variance = (expit(middle * _GRID) - 0.5) ** 2 @ _WEIGHTS
        low, high = (middle, high) if variance < icc / 4 else (low, middle)
    return low


def drawn(
    images: CheckedImages, levels: IntArray | None, rng: np.random.Generator, *,
    groups: IntArray | None = None,
) -> LabelDraws:  # fmt: skip
    """Draw labels as people would give them."""
    return draw_labels(
        images.predicted, images.labels, images.prompts,
        answers=2, order=PromptOrder(levels, groups), rng=rng,
    )  # fmt: skip


def true_counts(images: CheckedImages, prompts: int) -> CountArray:
    """Return what an oracle counts: (prompts, 2)."""
    sides = [np.bincount(images.prompts[images.truth == k], minlength=prompts) for k in (0, 1)]
    return np.stack(sides, axis=1).astype(np.int64)


class Combined(NamedTuple):
    """An estimate and its interval."""

    value: float
    interval: Interval


def combined(
    found: list[tuple[float, Interval]], *, least: float = 0.0, most: float = 1.0,
    units: list[FloatArray] | None = None, plug_in: list[float] | None = None,
) -> Combined:  # fmt: skip
    """Combine what each set of labels gave."""
    rows = np.array([[value, *interval] for value, interval in found]).T
    once = (
        DrawnAnswers(*rows) if plug_in is None else without_averaged_noise(*rows, plug_in=plug_in)
    )
    parts = None if units is None else np.array(units)
    one = combine_draws(*once, within=(least, most), units=parts)
    return Combined(one.value, one.interval)
