"""Worlds for reductions of amplification: a subset of the training captions beside all of them."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from portrayal.statistics.amplification_sampling import Occupations
from portrayal.statistics.amplification_subsets import reduction_from_counts
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.amplification import Draw, broad, middling
from portrayal.statistics.validation.worlds import Told

_ALL = 500
_MADE = 10.0
_MANY = 400_000


@dataclass(frozen=True, slots=True)
class ReductionSetting:
    """Worlds in which a subset of 500 training images is compared with all of them.

    Attributes:
        occupations: How many.
        subset: Images in the subset, per occupation.
        points: How much further from 50 % the shares of the subset are.
        shares: How training shares are drawn.
        kind: Whether occupations are drawn anew in every world, or the same in all.
        relative: Whether the reduction is asked for as a share of amplification.
    """

    occupations: int
    subset: int
    points: float = 0.0
    shares: Draw = broad
    kind: Occupations = "random"
    relative: bool = False
    worlds: int = 1000
    reason: str = ""

    @property
    def estimator(self) -> str:
        """The reduction in points, or as a share of amplification."""
        return "reduction of amplification" + (", share" if self.relative else "")

    @property
    def null(self) -> bool:
        """Whether the subset is like all."""
        return self.points == 0

    @property
    def setting(self) -> str:
        """In words."""
        where = "" if self.shares is broad else f", {self.shares.__name__}"
        return (
            f"{self.subset} of {_ALL} images, {self.occupations} {self.kind} occupations, "
            f"+{self.points:g} points{where}"
        )

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares and images; the oracle knows to which side every share leans."""
        many = self.occupations if self.kind == "fixed" else _MANY
        points, whole_points = _truth(self, many)
        shares = _shares(self, self.occupations, rng)
        subset = _moved(shares, self.points)
        part = rng.binomial(self.subset, subset)
        whole = part + rng.binomial(_ALL - self.subset, shares)
        made = rng.binomial(_ALL, _moved(shares, _MADE))
        found = reduction_from_counts(
            np.stack([made, _ALL - made], axis=-1),
            np.stack([whole, _ALL - whole], axis=-1),
            np.stack([part, self.subset - part], axis=-1),
            nested=True,
            occupations=self.kind,
        )
        if self.relative:
            return Told(found.relative, *found.relative_interval, points / whole_points)
        oracle = _oracle_width(self, subset, shares)
        return Told(found.value, *found.interval, points, found.p_value, oracle)


def settings() -> list[ReductionSetting]:
    """Return the settings whose coverage is promised."""
    found = [ReductionSetting(62, subset) for subset in (20, 60, 150)]
    found += [ReductionSetting(62, subset, 6) for subset in (20, 60, 150)]
    found += [ReductionSetting(12, subset, points) for subset in (20, 150) for points in (0, 6)]
    found += [ReductionSetting(62, 20, points, middling) for points in (0, 6)]
    found += [ReductionSetting(12, 60, points, kind="fixed") for points in (0, 6)]
    found += [ReductionSetting(62, 60, points, relative=True) for points in (0, 6)]
    return found


@lru_cache(maxsize=256)
def _truth(setting: ReductionSetting, occupations: int) -> tuple[float, float]:
    """Return the reduction and the amplification of endless (or given) occupations, in points."""
    shares = _shares(setting, occupations, np.random.default_rng(0))
    subset = _moved(shares, setting.points)
    part = setting.subset / _ALL
    whole = part * subset + (1 - part) * shares
    made = _moved(shares, _MADE)
    return (
        100 * float((np.abs(subset - 0.5) - np.abs(whole - 0.5)).mean()),
        100 * float((np.abs(made - 0.5) - np.abs(whole - 0.5)).mean()),
    )


def _shares(setting: ReductionSetting, occupations: int, rng: np.random.Generator) -> FloatArray:
    if setting.kind == "fixed":
        rng = np.random.default_rng(zlib.crc32(setting.setting.encode()))
    return setting.shares(rng, occupations)


def _moved(shares: FloatArray, points: float) -> FloatArray:
    return np.clip(shares + np.sign(shares - 0.5) * points / 100, 0, 1)


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
