"""Worlds for whether group shares differ between levels: Cramér's V over prompts or images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.statistics.levels import level_test
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, Told, prompt_counts

_RESAMPLES = 399

Shares = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class LevelWorld:
    """Levels with group shares `shares` (one row each), `prompts` prompts of `images` each."""

    name: str
    shares: Shares
    prompts: int
    images: int
    icc: float
    worlds: int = 4000
    estimator: str = "level_test"

    @property
    def setting(self) -> str:
        """The world in a few words."""
        return f"{self.name}, {self.prompts} prompts x {self.images}, ICC {self.icc}"

    @property
    def truth(self) -> float:
        """Cramér's V of the shares."""
        table = np.array(self.shares)
        mean = table.mean(axis=0)
        square = float(((table - mean) ** 2 / mean).sum(axis=1).mean())
        return math.sqrt(square / (min(table.shape) - 1))

    @property
    def null(self) -> bool:
        """Whether all levels are equal."""
        return self.truth < 1e-12

    @property
    def reason(self) -> str:
        """V cannot be below 0, nor above 1; two levels of four prompts have 35 splits.

        Where V is large, nearly every prompt shows one group only: four per level leave few tables.
        """
        if self.null or self.truth > 0.9:
            return BOUNDARY
        few = self.prompts == 4 and (len(self.shares) == 2 or self.truth > 0.8)
        return DISCRETE if few else ""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw prompts and images."""
        shares = np.repeat(np.array(self.shares), self.prompts, axis=0)
        codes = np.repeat(np.arange(len(self.shares)), self.prompts)
        counts = prompt_counts(shares, len(shares), self.images, self.icc, rng)
        by_prompt = self.prompts > 1
        one = level_test(counts, codes, by_prompt=by_prompt, resamples=_RESAMPLES, rng=rng)
        if one is None:
            return None
        return Told(one.v, *one.interval, self.truth, one.p_value)


def settings() -> list[LevelWorld]:
    """Return the worlds: two and four levels, two and three groups, prompts and images as units."""
    same2, same4, same43 = ((0.5, 0.5),) * 2, ((0.3, 0.7),) * 4, ((0.5, 0.3, 0.2),) * 4
    apart2 = ((0.7, 0.3), (0.3, 0.7))
    apart4 = ((0.2, 0.8), (0.4, 0.6), (0.6, 0.4), (0.8, 0.2))
    apart43 = ((0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.4, 0.3, 0.3))
    far2 = ((0.97, 0.03), (0.03, 0.97))
    far33 = ((0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.05, 0.05, 0.9))
    near20, middle20 = _levels(0.5), _levels(3.0)
    mixed8 = tuple((0.05 + 0.12 * i, 0.95 - 0.12 * i) for i in range(8))
    return [
        LevelWorld("2 equal levels", same2, 4, 30, 0.3),
        LevelWorld("4 equal levels", same4, 4, 30, 0.3),
        LevelWorld("4 equal levels", same4, 4, 9, 0.1),
        LevelWorld("4 equal levels, 3 groups", same43, 4, 9, 0.3),
        LevelWorld("4 equal levels", same4, 12, 9, 0.3),
        LevelWorld("4 equal levels", same4, 1, 30, 0.0),
        LevelWorld("2 levels apart", apart2, 4, 30, 0.3),
        LevelWorld("2 levels apart", apart2, 12, 9, 0.3),
        LevelWorld("4 levels apart", apart4, 4, 9, 0.1),
        LevelWorld("4 levels apart", apart4, 4, 30, 0.3),
        LevelWorld("4 levels apart, 3 groups", apart43, 4, 30, 0.3),
        LevelWorld("4 levels apart, 3 groups", apart43, 12, 9, 0.3),
        LevelWorld("2 levels apart", apart2, 1, 30, 0.0),
        LevelWorld("8 levels apart", mixed8, 4, 9, 0.2),
        LevelWorld("8 levels apart", mixed8, 1, 16, 0.0),
        LevelWorld("2 levels far apart", far2, 4, 30, 0.3),
        LevelWorld("2 levels far apart", far2, 12, 9, 0.1),
        LevelWorld("2 levels far apart", far2, 12, 9, 0.5),
        LevelWorld("2 levels at 90 and 10 %", ((0.9, 0.1), (0.1, 0.9)), 4, 30, 0.3),
        LevelWorld("2 levels at 90 and 10 %", ((0.9, 0.1), (0.1, 0.9)), 8, 9, 0.5),
        LevelWorld("20 levels, most near 0 or 1", near20, 1, 9, 0.0),
        LevelWorld("20 levels, most near 0 or 1", near20, 4, 9, 0.3),
        LevelWorld("20 levels around the middle", middle20, 1, 30, 0.0),
        LevelWorld("3 levels, 3 groups, far apart", far33, 1, 30, 0.0),
        LevelWorld("3 levels, 3 groups, far apart", far33, 4, 9, 0.3),
        LevelWorld("8 equal levels, rare group", ((0.05, 0.95),) * 8, 1, 16, 0.0),
        LevelWorld("20 equal levels, rare group", ((0.05, 0.95),) * 20, 4, 9, 0.3),
    ]


def _levels(size: float) -> Shares:
    """Return 20 levels whose shares are quantiles of a symmetric Beta distribution."""
    shares = stats.beta.ppf((np.arange(20) + 0.5) / 20, size, size)
    return tuple((float(one), 1 - float(one)) for one in shares)
