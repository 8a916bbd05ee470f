"""What people would say of every image: draws from an error model that human labels teach.

People labelled some images, a measurer labelled all. How the measurer errs on each group is drawn
from both (`portrayal.statistics.error_tables`). Within a prompt, what people would say of the other
images follows from the prompt's own answers and from other prompts, whose shares vary around a
common mean with an intraclass correlation that is learned along.

The assumption: the measurer errs alike in all prompts. Each draw is a full set of labels; a
statistic is computed from each, and `combine_draws` makes one answer of them.

References: Rubin (1987), Multiple imputation for nonresponse in surveys; Blackwell, Honaker,
King (2017), Sociological Methods & Research 46, for imputing what was measured with error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln

from portrayal.errors import StatisticsError
from portrayal.statistics.checks import check_rng
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.error_tables import (
    CheckedCounts,
    ErrorTables,
    IntArray,
    draw_error_tables,
    draw_possible_shares,
)
from portrayal.statistics.overdispersion import Correlations, correlation_prior

DRAWS = 20
"""Sets of labels."""

NOT_ASKED = -1

_SWEEPS = 24
_EVERY = 3
"""Sweeps per draw of the intraclass correlations, which cost most and change least."""

_CELLS = 8


@dataclass(frozen=True, slots=True, eq=False)
class LabelDraws:
    """Labels as people would give them, drawn several times.

    Attributes:
        labels: (draws, images), codes of the people's answers; where people answered, theirs.
        errors: (draws, people's answers, measurer's answers): how each group is labelled.
        n_labelled: Images that people labelled.
    """

    labels: NDArray[np.int16]
    errors: FloatArray
    n_labelled: int

    def counts(self, cells: ArrayLike) -> NDArray[np.int64]:
        """Return counts per draw, cell (such as a prompt) and answer."""
        place = np.asarray(cells, dtype=np.intp)
        height, width = int(place.max(initial=-1)) + 1, self.errors.shape[1]
        flat = place * width + self.labels
        found = [np.bincount(one, minlength=height * width) for one in flat]
        return np.stack(found).reshape(len(found), height, width).astype(np.int64)


class PromptOrder(NamedTuple):
    """How prompts belong together.

    Attributes:
        levels: Code of each prompt's level, where several prompts belong to one; None: none do.
        groups: Code of each prompt's group, where groups are compared, such as prompts with and
            without an addition: each has a mean and an intraclass correlation of its own; None:
            there is one group.
    """

    levels: ArrayLike | None = None
    groups: ArrayLike | None = None


ALIKE = PromptOrder()


def draw_labels(
    predicted: ArrayLike,
    labels: ArrayLike,
    prompts: ArrayLike,
    *,
    answers: int | None = None,
    order: PromptOrder = ALIKE,
    weights: ArrayLike | None = None,
    rng: np.random.Generator,
) -> LabelDraws:
    """Draw what people would say of every image.

    Args:
        predicted: Code of the measurer's answer, 0 and up, per image ("unknown" is an answer).
        labels: Code of the people's answer, 0 and up; -1 where nobody was asked.
        prompts: Code of each image's prompt, 0 and up.
        answers: How many answers people may give; None: those up to the largest that they gave.
        order: How prompts belong together.
        weights: One over the probability of being asked, per image; None: the same within each of
            the measurer's answers.
        rng: Source of the draws.

    >>> predicted = np.repeat([0, 1], 50)
    >>> labels = np.where(np.arange(100) % 5 == 0, predicted, -1)
    >>> found = draw_labels(predicted, labels, np.arange(100) % 10, rng=np.random.default_rng(0))
    >>> found.labels.shape, found.n_labelled
    ((20, 100), 20)
    """
    check_rng(rng)
    found = CodedImages.of(predicted, labels, prompts, answers, weights)
    errors = draw_tables(found, rng)
    shares = draw_shares(found.counts, errors, order, rng)
    drawn = labels_of_images(
        found.predicted, found.labels, found.prompts, shares, errors.tables, rng
    )
    return LabelDraws(drawn, errors.tables, int((found.labels != NOT_ASKED).sum()))


class CodedImages(NamedTuple):
    """Images whose labels on an axis are checked: codes per image, and how many answers there are.

    Attributes:
        predicted: The measurer's answer.
        labels: People's answer, or -1.
        prompts: The prompt.
        weights: One over the probability of being asked.
        shape: How many answers people give, and how many the measurer.
    """

    predicted: IntArray
    labels: IntArray
    prompts: IntArray
    weights: FloatArray
    shape: tuple[int, int]

    @classmethod
    def of(
        cls,
        predicted: ArrayLike,
        labels: ArrayLike,
        prompts: ArrayLike,
        answers: int | None,
        weights: ArrayLike | None,
    ) -> CodedImages:
        """Check what `draw_labels` is given."""
        f, y, cell = (np.asarray(one, dtype=np.intp) for one in (predicted, labels, prompts))
        if not f.shape == y.shape == cell.shape or f.ndim != 1:
            raise StatisticsError(
                f"predicted, labels and prompts have shapes {f.shape}, {y.shape} and {cell.shape}; "
                "allowed: one code of each per image"
            )
        if not (y != NOT_ASKED).any():
            raise StatisticsError("no image has a label by people; at least 1 is needed")
        w = np.ones(f.size) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(f, y, cell, w, (max(answers or 0, int(y.max()) + 1), int(f.max()) + 1))

    @property
    def counts(self) -> CheckedCounts:
        """The images by prompt."""
        return CheckedCounts.of(self.predicted, self.labels, self.prompts, shape=self.shape)


def draw_tables(images: CodedImages, rng: np.random.Generator) -> ErrorTables:
    """Draw how a measurer labels images of each group."""
    given = images.predicted, images.labels, images.weights
    return draw_error_tables(*given, images.counts, draws=DRAWS, rng=rng)


def draw_shares(
    images: CheckedCounts, errors: ErrorTables, order: PromptOrder, rng: np.random.Generator
) -> FloatArray:
    """Draw the shares of prompts, (draws, prompts, people's answers), for each error table."""
    height = len(images.other)
    for name, codes in order._asdict().items():
        if codes is not None and np.shape(codes) != (height,):
            raise StatisticsError(
                f"{name} has shape {np.shape(codes)}; allowed: ({height},), one code per prompt"
            )
    level, group = (
        np.zeros(height, dtype=np.intp) if one is None else np.asarray(one, dtype=np.intp)
        for one in order
    )
    shares = np.empty((len(errors.tables), height, errors.tables.shape[1]))
    for one in np.unique(group):
        here = group == one
        nested = np.unique(level[here], return_inverse=True)[1]
        shares[:, here] = _sample_shares(images.of_prompts(here), nested, errors, rng)
    return shares


def _sample_shares(
    images: CheckedCounts,
    level: IntArray,
    errors: ErrorTables,
    rng: np.random.Generator,
) -> FloatArray:
    """Return shares of each answer, (draws, prompts, answers), one Gibbs chain per draw."""
    draws = len(errors.tables)
    most = float(np.hstack(images).sum(axis=1).max())
    icc = correlation_prior(most, cells=_CELLS)
    several = int(level.max(initial=0)) > 0 and int(level.max()) + 1 < level.size
    nested = np.eye(int(level.max(initial=0)) + 1)[level] if several else None
    means = middle = errors.means[:, None]
    tables = zip(*errors, strict=True)
    shares = np.stack([draw_possible_shares(*one, images, rng) for one in tables])
    if nested is not None:
        means = np.einsum("dpa,pl->dla", shares, nested / nested.sum(axis=0))[:, level]
    size = outer_size = np.ones((draws, 1, 1))
    for sweep in range(_SWEEPS):
        anew = sweep % _EVERY == 0
        drawn = rng.multinomial(images.other[None], _chances(shares, errors.tables))
        counts = drawn.sum(axis=2) + images.known
        if nested is None:
            size = _draw_size(counts, middle, icc, rng) if anew else size
            middle = _dirichlet(_tables(counts, size * middle).sum(axis=1, keepdims=True) + 1, rng)
            means = middle
        else:
            size = _draw_size(counts, means, icc, rng) if anew else size
            inner = np.einsum("dck,cl->dlk", _tables(counts, size * means), nested)
            outer_size = _draw_size(inner, middle, icc, rng) if anew else outer_size
            outer = _tables(inner, outer_size * middle).sum(axis=1, keepdims=True)
            middle = _dirichlet(outer + 1, rng)
            means = _dirichlet(inner + outer_size * middle, rng)[:, level]
        shares = _dirichlet(counts + size * means, rng)
    return shares


def _chances(shares: FloatArray, errors: FloatArray) -> FloatArray:
    """Return the chance of each of people's answers, (draws, prompts, measurer's answers, own)."""
    chance = np.maximum(shares[:, :, None, :] * np.swapaxes(errors, 1, 2)[:, None], 1e-300)
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))


def _draw_size(
    counts: FloatArray, means: FloatArray, prior: Correlations, rng: np.random.Generator
) -> FloatArray:
    """Draw 1 / ICC - 1 of each chain, given counts that vary around means; (draws, 1, 1)."""
    total = counts.sum(axis=2)
    logs = np.empty((len(counts), prior.values.size))
    for i, size in enumerate(1 / prior.values - 1):
        a = size * means
        each = (gammaln(a + counts) - gammaln(a)).sum(axis=2)
        each = each + gammaln(size) - gammaln(size + total)
        logs[:, i] = each.sum(axis=1)
    chance = np.exp(logs - logs.max(axis=1, keepdims=True)) * prior.weights
    chance /= chance.sum(axis=1, keepdims=True)
    chosen = (np.cumsum(chance, axis=1) < rng.random((len(counts), 1))).sum(axis=1)
    icc = prior.values[np.minimum(chosen, prior.values.size - 1)]
    return np.asarray((1 / icc - 1)[:, None, None])


def _tables(counts: FloatArray, prior: FloatArray) -> FloatArray:
    """Return how many independent draws from the mean counts stand for (Antoniak 1974)."""
    return np.asarray(prior * (digamma(prior + counts) - digamma(prior)))


def _dirichlet(weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    drawn = rng.standard_gamma(weights) + 1e-200
    return np.asarray(np.maximum(drawn / drawn.sum(axis=-1, keepdims=True), 1e-12))


def labels_of_images(
    f: IntArray,
    y: IntArray,
    cell: IntArray,
    shares: FloatArray,
    errors: FloatArray,
    rng: np.random.Generator,
) -> NDArray[np.int16]:
    """Draw a label for every image that people did not label."""
    found = np.empty((len(shares), f.size), dtype=np.int16)
    for i, (share, error) in enumerate(zip(shares, errors, strict=True)):
        chance = share[cell] * error[:, f].T
        edges = np.cumsum(chance, axis=1)
        edges /= edges[:, -1:]
        drawn = (edges[:, :-1] < rng.random((f.size, 1))).sum(axis=1)
        found[i] = np.where(y == NOT_ASKED, drawn, y)
    return found
