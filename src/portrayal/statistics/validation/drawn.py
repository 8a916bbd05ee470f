"""Settings that nobody chose: drawn at random from wide ranges, for every family."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from portrayal.statistics.change import Unit
from portrayal.statistics.validation.agreement import RankWorld, RaterWorld
from portrayal.statistics.validation.amplification import (
    AmplificationSetting,
    broad,
    middling,
    near_half,
    shifted,
    unchanged,
)
from portrayal.statistics.validation.association import AssociationWorld
from portrayal.statistics.validation.change import ChangeWorld
from portrayal.statistics.validation.classification import ClassifierWorld
from portrayal.statistics.validation.correlation import CorrelationSetting
from portrayal.statistics.validation.differences import TwoModelWorld
from portrayal.statistics.validation.diversity import EvennessWorld, ScoreWorld
from portrayal.statistics.validation.influence import InfluenceWorld
from portrayal.statistics.validation.levels import LevelWorld
from portrayal.statistics.validation.reduction import ReductionSetting
from portrayal.statistics.validation.shares import PromptKind, ShareWorld
from portrayal.statistics.validation.targets import CellWorld, TargetWorld
from portrayal.statistics.validation.worlds import KnownWorld

_T = TypeVar("_T")
_WORLDS = 1000


class _Chance:
    """Draws of parameters, rounded so that a setting's name says them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def between(self, low: float, high: float) -> float:
        """Return a number with two decimals."""
        return round(float(self._rng.uniform(low, high)), 2)

    def size(self, low: int, high: int) -> int:
        """Return a whole number; small ones are as likely as large ones on the log scale."""
        return round(float(np.exp(self._rng.uniform(np.log(low), np.log(high)))))

    def one(self, *of: _T) -> _T:
        """Return one of several things."""
        return of[int(self._rng.integers(len(of)))]

    def parts(self, k: int, least: float = 0.03) -> tuple[float, ...]:
        """Return k shares that sum to 1, in hundredths."""
        drawn = self._rng.dirichlet(np.full(k, 1.5)) * (1 - k * least) + least
        cents = np.floor(drawn * 100).astype(int)
        cents[int(np.argmax(cents))] += 100 - int(cents.sum())
        return tuple(float(cent) / 100 for cent in cents)

    def shares(self) -> str:
        """Return how shares of attributes are spread: alike, of two or three kinds, or beta."""
        kinds = self.one(0, 1, 2, 3)
        if kinds == 0:
            return f"Beta({self.between(0.3, 6)}, {self.between(0.3, 6)})"
        each = [f"{round(100 * self.between(0.02, 0.98))} %" for _ in range(kinds)]
        return f"all {each[0]}" if kinds == 1 else " or ".join(each)


def _share(draw: _Chance, name: str) -> KnownWorld:
    kind: PromptKind = draw.one("beta", "logit-normal")
    return ShareWorld(
        draw.between(0.05, 0.95), draw.size(4, 60), draw.size(4, 60), draw.between(0.02, 0.6),
        kind, _WORLDS,
    )  # fmt: skip


def _level(draw: _Chance, name: str) -> KnownWorld:
    levels, groups, prompts = draw.size(2, 15), draw.one(2, 2, 3), draw.one(1, 1, draw.size(3, 15))
    same = draw.parts(groups, 0.05)
    shares = tuple(same if name.endswith("0") else draw.parts(groups, 0.05) for _ in range(levels))
    icc = 0.0 if prompts == 1 else draw.between(0.05, 0.5)
    return LevelWorld(f"drawn {name}", shares, prompts, draw.size(8, 40), icc, _WORLDS)


def _diversity(draw: _Chance, name: str) -> KnownWorld:
    prompts = draw.one(1, 1, draw.size(2, 8))
    icc = draw.between(0.05, 0.5) if prompts > 1 else 0.0
    if draw.one(True, True, False):
        return ScoreWorld(draw.shares(), draw.size(3, 40), draw.size(5, 60), prompts, icc)
    spread = draw.one(float("inf"), draw.between(2, 10))
    groups = draw.parts(draw.one(3, 4, 5), 0.05)
    return EvennessWorld(groups, spread, draw.size(3, 40), draw.size(5, 60), prompts, icc)


def _change(draw: _Chance, name: str) -> KnownWorld:
    moved = draw.one(0.0, 0.0, draw.between(0.2, 0.9))
    unit: Unit = draw.one("image", "attribute")
    # Every second attribute flips: attributes that stand for others are no such sample.
    flipped = unit == "image" and draw.one(False, True)
    return ChangeWorld(
        draw.shares(), draw.size(4, 40), draw.size(5, 40), moved, 0.0, flipped,
        draw.one(0.0, draw.between(0.1, 0.8)),
        draw.one((0.0, 0.0), (draw.between(0, 0.3), draw.between(0, 0.5))),
        unit, draw.one("diversity", "diversity", "bias", "leaning"),
    )  # fmt: skip


def _difference(draw: _Chance, name: str) -> KnownWorld:
    share = draw.between(0.15, 0.7)
    return TwoModelWorld(
        share, draw.size(4, 40), draw.size(5, 60), draw.one(0.0, draw.between(0.05, 0.25)),
        draw.between(0.05, 0.5), 0.0, draw.one(0.0, draw.between(0.1, 0.8)),
        unit=draw.one("prompt", "image"),
    )  # fmt: skip


def _amplification(draw: _Chance, name: str) -> KnownWorld:
    points = draw.one(0, draw.size(2, 12))
    return AmplificationSetting(
        f"drawn {name}", draw.size(3, 80), draw.one(1, 1, 3), draw.size(15, 300),
        draw.one(None, draw.size(30, 600)), draw.one(broad, near_half, middling),
        shifted(points) if points else unchanged, draw.one("random", "fixed"), points == 0,
    )  # fmt: skip


def _reduction(draw: _Chance, name: str) -> KnownWorld:
    return ReductionSetting(
        draw.size(8, 80), draw.size(15, 250), draw.one(0.0, draw.between(2, 8)),
        draw.one(broad, middling), draw.one("random", "fixed"),
    )  # fmt: skip


def _association(draw: _Chance, name: str) -> KnownWorld:
    return AssociationWorld(
        f"drawn {name}", (draw.size(4, 30), draw.size(4, 30)), draw.between(0.4, 2.5),
        draw.one(0.0, draw.between(0.3, 4)), draw.size(2, 10), draw.size(8, 40),
        draw.one(False, True), draw.one("normal", "skewed", "exponential", "t"),
        draw.one("S", "d"), worlds=_WORLDS,
    )  # fmt: skip


def _influence(draw: _Chance, name: str) -> KnownWorld:
    return InfluenceWorld(
        f"drawn {name}", draw.size(8, 40), draw.size(1, 6), draw.between(0.0, 0.6), draw.one(1, 2),
        draw.between(0.1, 0.5), draw.between(0.05, 0.35), draw.one("word", "null word"),
        worlds=_WORLDS,
    )  # fmt: skip


def _correlation(draw: _Chance, name: str) -> KnownWorld:
    slope = draw.one(0.0, draw.between(-1, 1))
    return CorrelationSetting(draw.size(6, 80), draw.between(0.4, 4), slope, draw.between(0.1, 0.3))


def _agreement(draw: _Chance, name: str) -> KnownWorld:
    if draw.one(True, False):
        tau = draw.between(0.05, 0.8)
        items = draw.size(8, 80)
        return RankWorld(f"drawn {name}", items, tau, draw.one("normal", "t", "clayton"), _WORLDS)
    measure = draw.one("cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "percent_agreement")
    raters = 2 if measure == "cohen_kappa" else draw.size(2, 6)
    return RaterWorld(
        f"drawn {name}", measure, draw.size(10, 120), raters, draw.parts(draw.one(2, 3), 0.1),
        draw.between(0.1, 0.8), draw.one("truth", "shared"),
    )  # fmt: skip


def _classification(draw: _Chance, name: str) -> KnownWorld:
    return ClassifierWorld(
        draw.one("precision", "recall", "f1", "macro f1", "accuracy", "balanced"),
        draw.size(30, 400), draw.parts(draw.one(2, 3), 0.15), draw.between(0.65, 0.95), _WORLDS,
    )  # fmt: skip


def _target(draw: _Chance, name: str) -> KnownWorld:
    prompts, groups = draw.one(1, draw.size(6, 40)), draw.one(2, 3, 4)
    icc = 0.0 if prompts == 1 else draw.between(0.05, 0.4)
    images = draw.size(40, 300) if prompts == 1 else draw.size(6, 30)
    shares = draw.parts(groups, 0.05)
    if draw.one(True, False):
        target = draw.one(shares, draw.parts(groups, 0.05))
        sampled = draw.one(False, True)
        return TargetWorld(shares, target, prompts, images, icc, sampled, worlds=_WORLDS)
    other = draw.parts(draw.one(2, 3), 0.15)
    cells = tuple(tuple(one * two for two in other) for one in shares)
    return CellWorld(f"drawn {name}", cells, prompts, images, icc, _WORLDS)


_MAKERS: dict[str, Callable[[_Chance, str], KnownWorld]] = {
    "shares": _share,
    "levels": _level,
    "diversity": _diversity,
    "change": _change,
    "differences": _difference,
    "amplification": _amplification,
    "reduction": _reduction,
    "association": _association,
    "influence": _influence,
    "correlation": _correlation,
    "agreement": _agreement,
    "classification": _classification,
    "targets": _target,
}


def drawn_settings(family: str, number: int, seed: int) -> Iterator[KnownWorld]:
    """Yield settings of a family that are drawn at random; none where a family has no maker.

    Args:
        family: Its name.
        number: How many.
        seed: Start of the random numbers, of settings and not of worlds.
    """
    if family not in _MAKERS:
        return
    rng = np.random.default_rng([seed, zlib.crc32(family.encode())])
    seen = set()
    for i in range(number):
        found = _MAKERS[family](_Chance(rng), f"{family} {seed}-{i}")
        if (found.estimator, found.setting) not in seen:
            seen.add((found.estimator, found.setting))
            yield found
