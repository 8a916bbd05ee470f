"""Worlds for reductions of amplification: a subset of the training captions beside all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.statistics.amplification import ReductionResult
from portrayal.statistics.amplification_sampling import Occupations
from portrayal.statistics.amplification_subsets import reduction_from_counts
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.amplification import Draw, broad, middling
from portrayal.statistics.validation.worlds import ValidationRow

_ALL = 500


@dataclass(frozen=True, slots=True)
class ReductionSetting:
    """Worlds in which a subset of 500 training images is compared with all of them.

    Attributes:
        occupations: How many.
        subset: Images in the subset, per occupation.
        points: How much further from 50 % the shares of the subset are.
        shares: How training shares are drawn.
        kind: Whether occupations are drawn anew in every world, or the same in all.
    """

    occupations: int
    subset: int
    points: float = 0.0
    shares: Draw = broad
    kind: Occupations = "random"

    @property
    def name(self) -> str:
        """In words."""
        where = "" if self.shares is broad else f", {self.shares.__name__}"
        return (
            f"{self.subset} of {_ALL} images, {self.occupations} {self.kind} occupations, "
            f"+{self.points:g} points{where}"
        )


def settings() -> list[ReductionSetting]:
    """Return the settings whose coverage is promised."""
    found = [ReductionSetting(62, subset) for subset in (20, 60, 150)]
    found += [ReductionSetting(62, subset, 6) for subset in (20, 60, 150)]
    found += [ReductionSetting(12, subset, points) for subset in (20, 150) for points in (0, 6)]
    found += [ReductionSetting(62, 20, points, middling) for points in (0, 6)]
    found += [ReductionSetting(12, 60, points, kind="fixed") for points in (0, 6)]
    return found


def validate_reduction(
    setting: ReductionSetting, *, worlds: int, rng: np.random.Generator
) -> ValidationRow:
    """Run the estimator in many worlds of one setting."""
    found: list[ReductionResult] = []
    truths, oracle = [], []
    fixed = setting.shares(rng, setting.occupations) if setting.kind == "fixed" else None
    for _ in range(worlds):
        shares = setting.shares(rng, setting.occupations) if fixed is None else fixed
        subset = np.clip(shares + np.sign(shares - 0.5) * setting.points / 100, 0, 1)
        whole = (setting.subset * subset + (_ALL - setting.subset) * shares) / _ALL
        truths.append(100 * float((np.abs(subset - 0.5) - np.abs(whole - 0.5)).mean()))
        found.append(_estimate(setting, shares, subset, rng))
        oracle.append(_oracle_width(setting, subset, shares))
    truth = float(np.mean(truths))
    low, high = np.array([one.interval for one in found]).T
    rejected = float(np.mean([one.p_value < 0.05 for one in found]))
    return ValidationRow(
        "reduction of amplification",
        setting.name,
        worlds,
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        rejection=math.nan if setting.points else rejected,
        bias=float(np.mean([one.value for one in found])) - truth,
        power=rejected if setting.points else math.nan,
        width_vs_oracle=float(np.mean(high - low) / np.mean(oracle)),
    )


def _estimate(
    setting: ReductionSetting, shares: FloatArray, subset: FloatArray, rng: np.random.Generator
) -> ReductionResult:
    part = rng.binomial(setting.subset, subset)
    whole = part + rng.binomial(_ALL - setting.subset, shares)
    made = rng.binomial(_ALL, np.clip(shares + np.sign(shares - 0.5) * 0.1, 0, 1))
    return reduction_from_counts(
        np.stack([made, _ALL - made], axis=-1),
        np.stack([whole, _ALL - whole], axis=-1),
        np.stack([part, setting.subset - part], axis=-1),
        nested=True,
        occupations=setting.kind,
    )


def _oracle_width(setting: ReductionSetting, subset: FloatArray, shares: FloatArray) -> float:
    """Return the width of one who knows to which side every share leans, and its variance."""
    rest = _ALL - setting.subset
    noise = subset * (1 - subset) / setting.subset + shares * (1 - shares) / rest
    noise = noise * (rest / _ALL) ** 2
    k = setting.occupations
    if setting.kind == "fixed":
        return 2 * 1.96 * 100 * math.sqrt(float(noise.sum())) / k
    gap = (np.abs(subset - 0.5) - np.abs(shares - 0.5)) * rest / _ALL
    variance = float(gap.var(ddof=1)) + float(noise.mean())
    return 2 * float(stats.t.ppf(0.975, k - 1)) * 100 * math.sqrt(variance / k)
