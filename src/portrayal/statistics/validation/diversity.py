"""Worlds for the diversity score and its change."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.statistics.change import Unit, paired_change
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.diversity import diversity_score
from portrayal.statistics.validation.worlds import ValidationRow

ShareMaker = Callable[[int, np.random.Generator], FloatArray]


def _even(share: float) -> ShareMaker:
    return lambda k, rng: np.full(k, share)


def _two(first: float, second: float) -> ShareMaker:
    return lambda k, rng: np.where(np.arange(k) % 2, first, second)


def _spread(a: float, b: float) -> ShareMaker:
    return lambda k, rng: rng.beta(a, b, k)


SHARES: dict[str, ShareMaker] = {
    "all 50 %": _even(0.5),
    "all 70 %": _even(0.7),
    "all 90 %": _even(0.9),
    "10 % or 90 %": _two(0.1, 0.9),
    "50 % or 95 %": _two(0.5, 0.95),
    "uniform": _spread(1, 1),
    "Beta(2, 2)": _spread(2, 2),
    "Beta(5, 2)": _spread(5, 2),
}
_ZERO = "truth on the boundary: the score cannot be below 0"
_FEW = "discreteness: few images of few attributes"
_PROMPTS = "the ICC is learned from all levels, but only four prompts tell each level's share"
_OPEN = "three images tell the mean of squared imbalances only, and the score from that in part"


@dataclass(frozen=True, slots=True)
class ScoreWorld:
    """Attributes (or levels of several prompts) whose shares are drawn as `shares` says."""

    shares: str
    attributes: int
    images: int
    prompts: int = 1
    icc: float = 0.0
    excuse: str = ""

    @property
    def setting(self) -> str:
        """The world in a few words."""
        prompts = f", {self.prompts} prompts each, ICC {self.icc}" if self.prompts > 1 else ""
        return f"{self.shares}, {self.attributes} x {self.images}{prompts}"


@dataclass(frozen=True, slots=True)
class ChangeWorld:
    """The same attributes before and after, with shares of unknown images on both sides.

    `toward_even` is how far shares move to one half: 0 not at all, 1 all the way.
    """

    shares: str
    attributes: int
    images: int
    toward_even: float = 0.0
    unknown_before: float = 0.0
    unknown_after: float = 0.0
    unit: Unit = "image"
    excuse: str = ""

    @property
    def setting(self) -> str:
        """The world in a few words."""
        moved = f", {self.toward_even:.0%} toward even" if self.toward_even else ""
        unknown = (
            f", unknown {self.unknown_before:.0%} -> {self.unknown_after:.0%}"
            if self.unknown_before or self.unknown_after
            else ""
        )
        return f"{self.shares}, {self.attributes} x {self.images}{moved}{unknown}"


def _score_settings() -> list[ScoreWorld]:
    """Return the worlds for the score."""
    sizes = {
        (4, 3): ("all 70 %", "uniform"),
        (25, 3): ("all 50 %", "all 70 %", "all 90 %", "uniform"),
        (4, 9): ("all 70 %", "all 90 %", "uniform", "Beta(5, 2)"),
        (12, 9): ("all 50 %", "all 70 %", "10 % or 90 %", "50 % or 95 %", "uniform"),
        (12, 30): ("all 70 %", "50 % or 95 %", "Beta(2, 2)"),
    }
    worlds = []
    for (attributes, images), names in sizes.items():
        for shares in names:
            excuse = _OPEN if images == 3 else _FEW if attributes * images <= 40 else ""
            excuse = _ZERO if shares == "all 50 %" else excuse
            worlds.append(ScoreWorld(shares, attributes, images, excuse=excuse))
    for icc in (0.3, 0.5):
        for shares in ("all 70 %", "all 90 %", "uniform"):
            worlds.append(ScoreWorld(shares, 8, 9, prompts=4, icc=icc, excuse=_PROMPTS))
    return worlds


def _change_settings() -> list[ChangeWorld]:
    """Return the worlds for the change of the score."""
    return [
        ChangeWorld("all 70 %", 4, 3, excuse=_FEW),
        ChangeWorld("all 70 %", 4, 9),
        ChangeWorld("uniform", 4, 30),
        ChangeWorld("uniform", 25, 3),
        ChangeWorld("50 % or 95 %", 25, 9),
        ChangeWorld("uniform", 8, 9, unknown_before=0.05, unknown_after=0.6),
        ChangeWorld("all 70 %", 25, 9, unknown_after=0.3),
        ChangeWorld("all 50 %", 25, 9, unknown_before=0.05, unknown_after=0.6),
        ChangeWorld("all 50 %", 25, 9, unknown_before=0.05, unknown_after=0.6, unit="attribute"),
        ChangeWorld("uniform", 12, 9, toward_even=0.5),
        ChangeWorld("uniform", 8, 9, unit="attribute"),
        ChangeWorld("all 70 %", 25, 3, unit="attribute"),
        ChangeWorld("50 % or 95 %", 25, 9, unit="attribute"),
        ChangeWorld("all 70 %", 25, 9, unit="attribute", unknown_before=0.05, unknown_after=0.6),
        ChangeWorld("uniform", 8, 9, unit="attribute", unknown_after=0.3),
        ChangeWorld("uniform", 25, 9, toward_even=0.5, unit="attribute"),
    ]


def settings() -> list[ScoreWorld | ChangeWorld]:
    """Return all worlds of this family."""
    return [*_score_settings(), *_change_settings()]


def validate(
    world: ScoreWorld | ChangeWorld, *, worlds: int, rng: np.random.Generator
) -> ValidationRow:
    """Simulate one world."""
    if isinstance(world, ScoreWorld):
        return _score_row(world, worlds=worlds, rng=rng)
    return _change_row(world, worlds=worlds, rng=rng)


def _score_row(world: ScoreWorld, *, worlds: int, rng: np.random.Generator) -> ValidationRow:
    """Simulate one world; the oracle knows how the published score is spread and its bias."""
    k, prompts = world.attributes, world.prompts
    levels = np.repeat(np.arange(k), prompts)
    rows = []
    for _ in range(worlds):
        mean = SHARES[world.shares](k, rng)
        shares = np.repeat(mean, prompts)
        if world.icc > 0:
            size = (1 - world.icc) / world.icc
            shares = rng.beta(shares * size, (1 - shares) * size)
        first = rng.binomial(world.images, shares)
        found = diversity_score(
            first, world.images - first, rng=rng, levels=levels if prompts > 1 else None
        )
        truth = float(np.abs(2 * mean - 1).mean())
        low, high = found.interval
        inside = low <= truth + 1e-12 and truth <= high + 1e-12
        rows.append((inside, found.value - truth, high - low, found.published - truth))
    table = np.array(rows, dtype=np.float64)
    oracle = float(np.subtract(*np.quantile(table[:, 3], [0.975, 0.025])))
    return ValidationRow(
        "diversity_score", world.setting, worlds, float(table[:, 0].mean()), math.nan,
        float(table[:, 1].mean()), math.nan, float(table[:, 2].mean()) / oracle,
    )  # fmt: skip


def _change_row(
    world: ChangeWorld, *, worlds: int, rng: np.random.Generator, resamples: int = 399
) -> ValidationRow:
    """Simulate one world; the oracle knows how the estimate is spread."""
    rows = []
    for _ in range(worlds):
        share = SHARES[world.shares](world.attributes, rng)
        moved = 0.5 + (1 - world.toward_even) * (share - 0.5)
        truth = float((np.abs(2 * moved - 1) - np.abs(2 * share - 1)).mean())
        before = _groups(share, world.images, world.unknown_before, rng)
        after = _groups(moved, world.images, world.unknown_after, rng)
        found = paired_change(
            before, after, rng=rng, unit=world.unit, resamples=resamples
        ).diversity
        low, high = found.interval
        rows.append((low <= truth <= high, found.p_value <= 0.05, found.value - truth, high - low))
    table = np.array(rows, dtype=np.float64)
    inside, rejected, error, width = (np.nanmean(table, axis=0)[i] for i in range(4))
    oracle = 2 * stats.norm.ppf(0.975) * float(np.nanstd(table[:, 2]))
    null = world.toward_even == 0
    return ValidationRow(
        f"paired_change.diversity ({world.unit})", world.setting, worlds, float(inside),
        float(rejected) if null else math.nan, float(error), math.nan if null else float(rejected),
        float(width) / oracle,
    )  # fmt: skip


def _groups(share: FloatArray, images: int, unknown: float, rng: np.random.Generator) -> FloatArray:
    groups = (rng.random((share.size, images)) < share[:, None]).astype(np.float64)
    groups[rng.random(groups.shape) < unknown] = np.nan
    return groups
