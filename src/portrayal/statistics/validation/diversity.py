"""Worlds for the diversity score and the many-group diversity."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.diversity import diversity_score, many_group_diversity
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, KnownWorld, Told

_FEW_SMALLER = 12
"""Images, of all attributes' smaller groups together, with which a score moves in steps."""


def drawn_shares(name: str, k: int, rng: np.random.Generator) -> FloatArray:
    """Return shares of k attributes as a name says.

    Args:
        name: "all 70 %", "50 % or 95 %" (in turn), "uniform" or "Beta(2, 2)".
        k: Number of attributes.
        rng: Source of draws.

    >>> drawn_shares("10 % or 90 %", 3, np.random.default_rng(0)).tolist()
    [0.1, 0.9, 0.1]
    """
    numbers = [float(found) for found in re.findall(r"[.\d]+", name)]
    if name == "uniform" or name.startswith("Beta("):
        a, b = numbers or (1.0, 1.0)
        return rng.beta(a, b, k)
    return np.resize(np.array(numbers) / 100, k)


@dataclass(frozen=True, slots=True)
class ScoreWorld:
    """Attributes (or levels of several prompts) whose shares are drawn as `shares` says."""

    shares: str
    attributes: int
    images: int
    prompts: int = 1
    icc: float = 0.0
    worlds: int = 1000
    estimator: str = "diversity_score"
    null: bool = False

    @property
    def setting(self) -> str:
        """The world in a few words."""
        prompts = f", {self.prompts} prompts each, ICC {self.icc}" if self.prompts > 1 else ""
        return f"{self.shares}, {self.attributes} x {self.images}{prompts}"

    @property
    def reason(self) -> str:
        """No score is below 0; few images leave few scores.

        Three images are 3 : 0 or 2 : 1, whatever the number of attributes: they tell how often two
        images differ, and no more of how shares are spread, on which the score depends as well.
        Where attributes lean alike, the images of their smaller groups are what a score rests on.
        """
        if self.shares in ("all 50 %", "all 60 %"):
            return BOUNDARY
        few = self.images <= 3 or self.attributes * self.images <= 40
        return DISCRETE if few or self._smaller() <= _FEW_SMALLER else ""

    def _smaller(self) -> float:
        """Return how many images of the smaller groups there are, where shares are given."""
        if self.shares == "uniform" or self.shares.startswith("Beta("):
            return math.inf
        shares = drawn_shares(self.shares, self.attributes, np.random.default_rng())
        return float(self.images * self.prompts * np.minimum(shares, 1 - shares).sum())

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares and images."""
        mean = drawn_shares(self.shares, self.attributes, rng)
        shares = np.repeat(mean, self.prompts)
        if self.icc > 0:
            size = (1 - self.icc) / self.icc
            shares = rng.beta(shares * size, (1 - shares) * size)
        first = rng.binomial(self.images, shares)
        levels = np.repeat(np.arange(self.attributes), self.prompts)
        found = diversity_score(first, self.images - first, levels=levels)
        return Told(found.value, *found.interval, float(np.abs(2 * mean - 1).mean()))


@dataclass(frozen=True, slots=True)
class EvennessWorld:
    """Attributes with shares of several groups, drawn around `shares` (concentration `size`).

    `size` infinite: all attributes have the same shares.
    """

    shares: tuple[float, ...]
    size: float
    attributes: int
    images: int
    prompts: int = 1
    icc: float = 0.0
    worlds: int = 1000
    estimator: str = "many_group_diversity"
    null: bool = False

    @property
    def setting(self) -> str:
        """The world in a few words."""
        prompts = f", {self.prompts} prompts each, ICC {self.icc}" if self.prompts > 1 else ""
        shares = " / ".join(f"{100 * share:.0f}" for share in self.shares)
        spread = "" if np.isinf(self.size) else f" spread {self.size:g}"
        return f"{shares} %{spread}, {self.attributes} x {self.images}{prompts}"

    @property
    def reason(self) -> str:
        """Nothing is more even than even; few images of few attributes leave few values."""
        if max(self.shares) - min(self.shares) < 0.11 and np.isinf(self.size):
            return BOUNDARY
        return DISCRETE if self.attributes * self.images <= 40 else ""

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares and images."""
        mean = np.tile(self.shares, (self.attributes, 1))
        if np.isfinite(self.size):
            mean = _dirichlet(self.size * mean, rng)
        shares = np.repeat(mean, self.prompts, axis=0)
        if self.icc > 0:
            shares = _dirichlet(shares * (1 - self.icc) / self.icc, rng)
        counts = rng.multinomial(self.images, shares)
        levels = np.repeat(np.arange(self.attributes), self.prompts)
        found = many_group_diversity(counts, levels=levels)
        groups = len(self.shares)
        truth = float((1 - (mean**2).sum(axis=1)).mean()) * groups / (groups - 1)
        return Told(found.value, *found.interval, truth)


def _dirichlet(sizes: FloatArray, rng: np.random.Generator) -> FloatArray:
    drawn = rng.standard_gamma(sizes) + 1e-300
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def settings() -> list[KnownWorld]:
    """Return the worlds: few and many images, shares alike or spread, several prompts a level."""
    sizes = {
        (4, 3): ("all 70 %", "uniform"),
        (12, 3): ("uniform", "Beta(2, 2)", "Beta(.5, .5)"),
        (25, 3): ("all 50 %", "all 70 %", "all 90 %", "uniform"),
        (4, 9): ("all 70 %", "all 90 %", "uniform", "Beta(5, 2)"),
        (12, 9): (
            "all 50 %", "all 60 %", "all 70 %", "10 % or 90 %", "50 % or 95 %", "uniform",
            "Beta(.5, .5)",
        ),
        (25, 9): ("all 70 %", "uniform"),
        (12, 30): ("all 70 %", "50 % or 95 %", "Beta(2, 2)", "uniform"),
        (62, 30): ("uniform", "Beta(5, 2)"),
    }  # fmt: skip
    worlds: list[KnownWorld] = [
        ScoreWorld(shares, *size) for size, names in sizes.items() for shares in names
    ]
    for icc in (0.3, 0.5):
        for shares in ("all 70 %", "all 90 %", "uniform"):
            worlds.append(ScoreWorld(shares, 8, 9, prompts=4, icc=icc))
    worlds.append(ScoreWorld("uniform", 4, 30, prompts=4, icc=0.3))
    worlds.append(ScoreWorld("Beta(2, 2)", 20, 9, prompts=4, icc=0.1))
    three, five = (0.6, 0.3, 0.1), (0.5, 0.2, 0.1, 0.1, 0.1)
    many = ((three, 4, 9), (three, 12, 9), (three, 25, 3), (five, 12, 30), ((0.5, 0.5), 12, 9))
    for groups, attributes, images in many:
        for size in (np.inf, 3.0):
            worlds.append(EvennessWorld(groups, size, attributes, images))
    for icc in (0.3, 0.5):
        worlds.append(EvennessWorld(three, 3.0, 8, 9, prompts=4, icc=icc))
    worlds.append(EvennessWorld(three, 3.0, 8, 9, prompts=12, icc=0.2))
    return worlds
