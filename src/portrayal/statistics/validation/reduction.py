"""Worlds for reductions of amplification: a subset of the training captions beside all of them."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from portrayal.statistics.amplification_sampling import Occupations
from portrayal.statistics.amplification_subsets import (
    decomposition_from_counts,
    reduction_from_counts,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.amplification import Draw, broad, middling
from portrayal.statistics.validation.worlds import KnownWorld, Told

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


@dataclass(frozen=True, slots=True)
class DecompositionSetting:
    """Captions with two properties, a and b, each of which a correction asks for.

    500 training images per occupation: 60 with both, 140 with a only, 90 with b only. Shares of
    those with a property are further from 50 % by its points.

    Attributes:
        occupations: How many.
        points: Of a, and of b.
        what: The part that a explains, its share of the naive amplification, or what remains.
        shares: How training shares are drawn.
    """

    occupations: int
    points: tuple[float, float]
    what: Literal["part", "share", "remaining"] = "part"
    shares: Draw = broad
    worlds: int = 1000
    reason: str = ""
    null: bool = False

    @property
    def estimator(self) -> str:
        """Decomposition, and what of it."""
        return f"decomposition, {self.what}"

    @property
    def setting(self) -> str:
        """In words."""
        a, b = self.points
        return f"{self.occupations} occupations, +{a:g} and +{b:g} points"

    def told(self, rng: np.random.Generator) -> Told:
        """Draw captions of the four kinds, and images."""
        kinds = self._kinds(self.shares(rng, self.occupations))
        hits = [rng.binomial(n, share) for n, share in zip(_KINDS, kinds, strict=True)]
        made = rng.binomial(_ALL, _moved(kinds[3], _MADE))
        found = decomposition_from_counts(
            np.stack([made, _ALL - made], axis=-1),
            {key: _counts(hits, where) for key, where in _CORRECTIONS.items()},
        )
        one = found.remaining if self.what == "remaining" else found.parts["a"]
        truth = _parts(self)[("part", "share", "remaining").index(self.what)]
        if self.what == "share":
            return Told(one.share, *one.share_interval, truth)
        return Told(one.value, *one.interval, truth)

    def _kinds(self, shares: FloatArray) -> list[FloatArray]:
        a, b = self.points
        return [_moved(shares, a + b), _moved(shares, a), _moved(shares, b), shares]


_KINDS = (60, 140, 90, 210)
_CORRECTIONS = {
    frozenset[str](): (0, 1, 2, 3),
    frozenset({"a"}): (0, 1),
    frozenset({"b"}): (0, 2),
    frozenset({"a", "b"}): (0,),
}
"""Which kinds of captions each combination of corrections keeps."""


def _counts(hits: list[NDArray[np.int64]], where: tuple[int, ...]) -> FloatArray:
    total = sum(_KINDS[i] for i in where)
    first = np.sum([hits[i] for i in where], axis=0)
    return np.stack([first, total - first], axis=-1).astype(np.float64)


@lru_cache(maxsize=64)
def _parts(setting: DecompositionSetting) -> tuple[float, float, float]:
    """Return a's part, its share, and the remainder of endless occupations."""
    kinds = setting._kinds(setting.shares(np.random.default_rng(0), _MANY))
    made = np.abs(_moved(kinds[3], _MADE) - 0.5)
    found = {}
    for key, where in _CORRECTIONS.items():
        weights = np.array([_KINDS[i] for i in where]) / sum(_KINDS[i] for i in where)
        real = np.sum([w * kinds[i] for w, i in zip(weights, where, strict=True)], axis=0)
        found[key] = 100 * float((made - np.abs(real - 0.5)).mean())
    a, b = frozenset({"a"}), frozenset({"b"})
    part = ((found[frozenset()] - found[a]) + (found[b] - found[a | b])) / 2
    return part, part / found[frozenset()], found[a | b]


def settings() -> list[KnownWorld]:
    """Return the settings whose coverage is promised."""
    found: list[KnownWorld] = list(_reductions())
    found += [
        DecompositionSetting(occupations, points, what)
        for what in _WHAT
        for occupations, points in ((62, (3.0, 2.0)), (62, (0.0, 4.0)), (12, (5.0, 3.0)))
    ]
    return found


_WHAT: tuple[Literal["part", "share", "remaining"], ...] = ("part", "share", "remaining")


def _reductions() -> list[ReductionSetting]:
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
