"""Group shares of prompts with words replaced: what images of a few texts are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from portrayal.errors import StatisticsError
from portrayal.statistics.counts import FloatArray, as_counts
from portrayal.statistics.influence import Subset, check_positions

Texts = Literal["sampled", "fixed"]
TEXTS: tuple[Texts, ...] = ("sampled", "fixed")
# Chosen by simulation: enough to steady sets with few images of the group.
_SHARED_TEXTS = 4.0
# Degrees of freedom of a variance that follows from the share and is not estimated.
_MANY = 1e6


class TextShares(NamedTuple):
    """Shares of every set of replaced words, and what they rest on.

    Attributes:
        value: (sets, groups); NaN for a set without images.
        worth: Independent images that the images of a set are worth; NaN where texts are a sample
            and only one of them has images, so that nothing is known of the others.
        freedom: Degrees of freedom of the variance of its shares.
        images: Images of a set.
        texts: Texts of a set that have an image.
    """

    value: FloatArray
    worth: FloatArray
    freedom: FloatArray
    images: FloatArray
    texts: FloatArray


def text_shares(
    counts: Mapping[Subset, ArrayLike], subsets: list[Subset], n_words: int, texts: Texts
) -> TextShares:
    """Return the shares of `subsets`, or refuse counts that give none.

    Args:
        counts: Images by text (rows) and group (columns) for every set of replaced positions.
        subsets: The sets wanted.
        n_words: Words in the prompt.
        texts: Whether the texts are a sample or all there are.
    """
    tables = _tables(counts, subsets, n_words, texts)
    images = np.array([table.sum() for table in tables])
    number = np.array([float(len(table)) for table in tables])
    sums = np.stack([table.sum(axis=0) for table in tables])
    value = np.full(sums.shape, np.nan)
    np.divide(sums, images[:, None], out=value, where=images[:, None] > 0)
    sampled = np.array([len(subset) > 0 and texts == "sampled" for subset in subsets])
    # One image a text: there is no spread within texts to tell apart, and none is estimated.
    clustered = sampled & (number > 1) & (images > number)
    worth = np.maximum(images, 1.0) / _design_effect(tables, clustered)
    return TextShares(
        value=value,
        worth=np.where(sampled & (number == 1), np.nan, worth),
        freedom=np.where(clustered, number - 1, _MANY),
        images=images,
        texts=number,
    )


def _tables(
    counts: Mapping[Subset, ArrayLike], subsets: list[Subset], n_words: int, texts: Texts
) -> list[FloatArray]:
    check_positions(counts, n_words)
    tables: list[FloatArray] = []
    for subset in subsets:
        name = f"counts of the set {sorted(subset)}"
        if subset not in counts:
            raise StatisticsError(f"{name} are missing; allowed: every set up to the level")
        table = as_counts(name, np.atleast_2d(np.asarray(counts[subset])), ndim=2)
        if table.shape[1] < 2 or (tables and table.shape[1] != tables[0].shape[1]):
            raise StatisticsError(
                f"{name} have {table.shape[1]} groups; allowed: the same in all sets, at least 2 "
                "(the group and all others)"
            )
        if texts == "sampled" and subset and len(table) == 1:
            raise StatisticsError(
                f"{name} hold 1 text; allowed: at least 2, or texts='fixed' where it is the only "
                "one there is"
            )
        tables.append(table[table.sum(axis=1) > 0])
    if not tables:
        raise StatisticsError("counts is empty; allowed: images for the empty set and others")
    return tables


def _design_effect(tables: list[FloatArray], clustered: NDArray[np.bool_]) -> FloatArray:
    """Return by how much texts that differ inflate the variance of every set's shares.

    A few texts with few images of the group tell little about how much texts differ, so what all
    sets together show counts like _SHARED_TEXTS more texts of each set.
    """
    between, alone = np.zeros(len(tables)), np.ones(len(tables))
    for i in np.flatnonzero(clustered):
        table = tables[i]
        size, n = table.sum(axis=1, keepdims=True), table.sum()
        smooth = (table.sum(axis=0) + 0.5) / (n + table.shape[1] / 2)
        alone[i] = float((smooth * (1 - smooth)).sum()) / n
        moves = table - size * table.sum(axis=0) / n
        between[i] = float((moves**2).sum()) / n**2 * len(table) / (len(table) - 1)
    own = between / alone
    if not clustered.any():
        return np.ones(len(tables))
    shared = max(float(between[clustered].sum() / alone[clustered].sum()), 1.0)
    number = np.array([float(len(table)) for table in tables])
    mixed = ((number - 1) * own + _SHARED_TEXTS * shared) / (number - 1 + _SHARED_TEXTS)
    return np.where(clustered, np.maximum(mixed, 1.0), 1.0)
