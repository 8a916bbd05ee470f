"""Worlds for group shares over prompts, and for whether they differ between levels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import optimize
from scipy.special import expit

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.levels import LevelTest, level_test
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.validation.worlds import ValidationRow

PromptKind = Literal["beta", "logit-normal"]


@dataclass(frozen=True, slots=True)
class ShareWorld:
    """Prompts whose shares vary around `share` with intraclass correlation `icc`."""

    share: float
    prompts: int
    images: int
    icc: float
    kind: PromptKind = "beta"
    excuse: str = ""

    @property
    def setting(self) -> str:
        """The world in a few words."""
        return (
            f"share {self.share}, {self.prompts} prompts x {self.images}, ICC {self.icc}, "
            f"{self.kind}"
        )


@dataclass(frozen=True, slots=True)
class LevelWorld:
    """Levels with group shares `shares` (one row each), `prompts` prompts of `images` each."""

    name: str
    shares: tuple[tuple[float, ...], ...]
    prompts: int
    images: int
    icc: float
    excuse: str = ""

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


_BOUNDARY = "ICC at or near 0, its smallest value: a few prompts cannot tell it from a larger one"
_DISCRETE = "discreteness: few prompts can be exchanged in few ways"
_ZERO = "truth on the boundary: V cannot be below 0"


def _share_settings() -> list[ShareWorld]:
    """Return the worlds for shares."""
    return [
        ShareWorld(0.05, 30, 9, 0.3),
        ShareWorld(0.05, 30, 9, 0.5),
        ShareWorld(0.05, 30, 30, 0.3),
        ShareWorld(0.05, 30, 30, 0.5),
        ShareWorld(0.05, 30, 9, 0.5, "logit-normal"),
        ShareWorld(0.2, 4, 30, 0.3),
        ShareWorld(0.2, 4, 30, 0.5),
        ShareWorld(0.5, 4, 30, 0.5),
        ShareWorld(0.5, 4, 30, 0.7),
        ShareWorld(0.5, 4, 30, 0.5, "logit-normal"),
        ShareWorld(0.1, 12, 9, 0.3),
        ShareWorld(0.35, 6, 9, 0.5),
        ShareWorld(0.5, 12, 9, 0.1),
        ShareWorld(0.2, 4, 30, 0.0, excuse=_BOUNDARY),
        ShareWorld(0.5, 4, 30, 0.1, excuse=_BOUNDARY),
    ]


def _level_settings() -> list[LevelWorld]:
    """Return the worlds for Cramér's V."""
    same2, same4, same43 = ((0.5, 0.5),) * 2, ((0.3, 0.7),) * 4, ((0.5, 0.3, 0.2),) * 4
    apart2 = ((0.7, 0.3), (0.3, 0.7))
    apart4 = ((0.2, 0.8), (0.4, 0.6), (0.6, 0.4), (0.8, 0.2))
    apart43 = ((0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.4, 0.3, 0.3))
    return [
        LevelWorld("2 equal levels", same2, 4, 30, 0.3, _DISCRETE),
        LevelWorld("4 equal levels", same4, 4, 30, 0.3, _ZERO),
        LevelWorld("4 equal levels", same4, 4, 9, 0.1, _ZERO),
        LevelWorld("4 equal levels, 3 groups", same43, 4, 9, 0.3, _ZERO),
        LevelWorld("4 equal levels", same4, 12, 9, 0.3, _ZERO),
        LevelWorld("4 equal levels", same4, 1, 30, 0.0, _ZERO),
        LevelWorld("2 levels apart", apart2, 4, 30, 0.3, _DISCRETE),
        LevelWorld("2 levels apart", apart2, 12, 9, 0.3),
        LevelWorld("4 levels apart", apart4, 4, 9, 0.1),
        LevelWorld("4 levels apart", apart4, 4, 30, 0.3, _ZERO),
        LevelWorld("4 levels apart, 3 groups", apart43, 4, 30, 0.3),
        LevelWorld("4 levels apart, 3 groups", apart43, 12, 9, 0.3),
        LevelWorld("2 levels apart", apart2, 1, 30, 0.0),
    ]


def settings() -> list[ShareWorld | LevelWorld]:
    """Return all worlds of this family."""
    return [*_share_settings(), *_level_settings()]


def validate(
    world: ShareWorld | LevelWorld, *, worlds: int, rng: np.random.Generator
) -> ValidationRow:
    """Simulate one world."""
    if isinstance(world, ShareWorld):
        return _share_row(world, worlds=worlds, rng=rng)
    return _level_row(world, worlds=worlds, rng=rng)


def _share_row(world: ShareWorld, *, worlds: int, rng: np.random.Generator) -> ValidationRow:
    """Simulate one world of shares; the oracle knows the ICC and how the estimate is spread."""
    inside, widths, estimates = [], [], []
    totals = np.full(world.prompts, world.images)
    for _ in range(worlds):
        hits = rng.binomial(world.images, _prompt_shares(world, rng))
        low, high = prompts_share_interval(hits, totals)
        inside.append(low <= world.share <= high)
        widths.append(high - low)
        estimates.append(hits.sum() / totals.sum())
    low, high = np.quantile(estimates, [0.025, 0.975])
    return ValidationRow(
        "prompts_share_interval", world.setting, worlds, float(np.mean(inside)), math.nan,
        float(np.mean(estimates)) - world.share, math.nan, float(np.mean(widths) / (high - low)),
    )  # fmt: skip


def _level_row(
    world: LevelWorld, *, worlds: int, rng: np.random.Generator, resamples: int = 399
) -> ValidationRow:
    """Simulate one world of levels; the oracle is the spread of the estimate."""
    found: list[LevelTest] = []
    shares = np.repeat(np.array(world.shares), world.prompts, axis=0)
    codes = np.repeat(np.arange(len(world.shares)), world.prompts)
    for _ in range(worlds):
        drawn = shares
        if world.icc > 0:
            gamma = rng.standard_gamma(shares * (1 - world.icc) / world.icc) + 1e-300
            drawn = gamma / gamma.sum(axis=1, keepdims=True)
        counts = rng.multinomial(world.images, drawn)
        one = level_test(counts, codes, by_prompt=world.prompts > 1, resamples=resamples, rng=rng)
        if one is not None:
            found.append(one)
    truth, values = world.truth, np.array([one.v for one in found])
    bounds = np.array([one.interval for one in found])
    rejected = float(np.mean([one.p_value <= 0.05 for one in found]))
    inside = (bounds[:, 0] <= truth + 1e-12) & (truth <= bounds[:, 1] + 1e-12)
    spread = float(np.subtract(*np.quantile([one.plug_in for one in found], [0.975, 0.025])))
    return ValidationRow(
        "level_test", world.setting, len(found), float(inside.mean()),
        rejected if truth < 1e-12 else math.nan, float(values.mean()) - truth,
        rejected if truth >= 1e-12 else math.nan,
        float((bounds[:, 1] - bounds[:, 0]).mean()) / spread,
    )  # fmt: skip


def _prompt_shares(world: ShareWorld, rng: np.random.Generator) -> FloatArray:
    if world.icc == 0:
        return np.full(world.prompts, world.share)
    if world.kind == "beta":
        size = (1 - world.icc) / world.icc
        return rng.beta(world.share * size, (1 - world.share) * size, world.prompts)
    middle, spread = _logit_normal(world.share, world.icc)
    return np.asarray(expit(middle + spread * rng.standard_normal(world.prompts)))


@lru_cache(maxsize=64)
def _logit_normal(share: float, icc: float) -> tuple[float, float]:
    """Return mean and spread of the logit that give a share and an ICC."""
    points, weights = np.polynomial.hermite_e.hermegauss(81)
    weights = weights / weights.sum()

    def middle(spread: float) -> float:
        return float(
            optimize.brentq(lambda m: float(weights @ expit(m + spread * points)) - share, -60, 60)
        )

    def excess(spread: float) -> float:
        values = expit(middle(spread) + spread * points)
        return float(weights @ (values - share) ** 2) / (share * (1 - share)) - icc

    spread = float(optimize.brentq(excess, 0.01, 15))
    return middle(spread), spread
