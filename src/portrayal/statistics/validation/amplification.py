"""Worlds for amplification: training shares, generated shares and images, all known."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logit

from portrayal.statistics.amplification_sampling import (
    Occupations,
    amplification_against_shares,
    amplification_from_counts,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, Told

Draw = Callable[[np.random.Generator, int], FloatArray]
Move = Callable[[np.random.Generator, FloatArray], FloatArray]

_MANY = 400_000
_LISTED = np.array(
    [0.02, 0.07, 0.12, 0.2, 0.26, 0.31, 0.38, 0.44, 0.55, 0.63, 0.71, 0.8, 0.86, 0.93]
)


def broad(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares all over the range, most of them uneven."""
    return rng.beta(0.9, 1.2, n)


def listed(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw from a fixed list, as one writes down by hand."""
    return rng.choice(_LISTED, n)


def near_half(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares within three points of one half."""
    return rng.uniform(0.47, 0.53, n)


def aside(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares of 40% or 60%."""
    return rng.choice([0.4, 0.6], n)


def middling(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares within 15 points of one half."""
    return rng.uniform(0.35, 0.65, n)


def extreme(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares of nearly nobody or nearly everybody."""
    return np.where(rng.random(n) < 0.5, rng.beta(1, 20, n), rng.beta(20, 1, n))


def unchanged(rng: np.random.Generator, shares: FloatArray) -> FloatArray:
    """Return the shares as they are."""
    return shares


def _shift(rng: np.random.Generator, shares: FloatArray, *, points: float) -> FloatArray:
    return np.clip(shares + np.sign(shares - 0.5) * points / 100, 0, 1)


def shifted(points: float) -> Move:
    """Move every share so many points further to the side it leans to."""
    return partial(_shift, points=points)


def _stretch(rng: np.random.Generator, shares: FloatArray, *, factor: float) -> FloatArray:
    return np.clip(0.5 + factor * (shares - 0.5), 0, 1)


def stretched(factor: float) -> Move:
    """Multiply every distance from one half."""
    return partial(_stretch, factor=factor)


def _scatter(rng: np.random.Generator, shares: FloatArray, *, points: float) -> FloatArray:
    return np.clip(shares + points / 100 * rng.normal(size=shares.size), 0, 1)


def scattered(points: float) -> Move:
    """Move every share to either side, occupation by occupation."""
    return partial(_scatter, points=points)


def _tilt(
    rng: np.random.Generator, shares: FloatArray, *, log_odds: float, spread: float
) -> FloatArray:
    odds = logit(np.clip(shares, 1e-6, 1 - 1e-6))
    return np.asarray(expit(odds + np.sign(odds) * log_odds + spread * rng.normal(size=odds.size)))


def tilted(log_odds: float, spread: float) -> Move:
    """Move log-odds further to the side they lean to, by amounts that differ."""
    return partial(_tilt, log_odds=log_odds, spread=spread)


@dataclass(frozen=True, slots=True)
class AmplificationSetting:
    """Worlds that have this in common.

    Attributes:
        setting: In words.
        occupations: How many.
        prompts: Per occupation.
        generated: Images per occupation and prompt.
        training: Images per occupation; None where training shares are known.
        shares: How training shares are drawn.
        move: How generated shares follow from them.
        kind: Whether occupations are drawn anew in every world, or the same in all.
        null: Whether there is no amplification.
    """

    setting: str
    occupations: int
    prompts: int
    generated: int
    training: int | None
    shares: Draw = broad
    move: Move = unchanged
    kind: Occupations = "random"
    null: bool = True
    worlds: int = 1000
    estimator: str = "amplification"

    @property
    def reason(self) -> str:
        """At 50% no imbalance can be smaller; of a few given occupations counts are few."""
        if self.shares in (near_half, aside):
            return BOUNDARY
        return DISCRETE if self.kind == "fixed" and self.occupations < 4 else ""

    @property
    def truth(self) -> float:
        """The amplification of endless occupations; of given ones, theirs."""
        many = self.occupations if self.kind == "fixed" else _MANY
        return _truth(self, many)

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares and images; the plain test is Student's of percentages as they are."""
        training, generated = self._shares(rng)
        made, real = self._images(generated, rng), None
        if self.training is None:
            found = amplification_against_shares(made, 100 * training, occupations=self.kind)
        else:
            real = _both(rng.binomial(self.training, training), self.training)
            found = amplification_from_counts(made, real, occupations=self.kind)
        plain = [math.nan, math.nan]
        if self.kind == "random":
            still = self._images(training, rng)
            plain = [_plain_p(one, training if real is None else _share(real), self.prompts)
                     for one in (made, still)]  # fmt: skip
        oracle = _oracle_width(self, training, generated)
        return Told(found.mean, *found.interval, self.truth, found.p_value, oracle, *plain)

    def _shares(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        if self.kind == "fixed":
            rng = np.random.default_rng(zlib.crc32(self.setting.encode()))
        training = self.shares(rng, self.occupations)
        return training, self.move(rng, training)

    def _images(self, shares: FloatArray, rng: np.random.Generator) -> FloatArray:
        size = (self.prompts, self.occupations)
        return _both(rng.binomial(self.generated, shares, size).T, self.generated)


@lru_cache(maxsize=256)
def _truth(setting: AmplificationSetting, occupations: int) -> float:
    training, generated = replace(setting, occupations=occupations)._shares(
        np.random.default_rng(0)
    )
    return 100 * float((np.abs(generated - 0.5) - np.abs(training - 0.5)).mean())


def _share(counts: FloatArray) -> FloatArray:
    return np.asarray(counts[..., 0] / counts.sum(axis=-1))


def _plain_p(made: FloatArray, training: FloatArray, prompts: int) -> float:
    """Return Student's p of the mean over occupations of |G - 50| - |T - 50|."""
    gap = np.abs(_share(made).reshape(-1, prompts) - 0.5).mean(axis=1)
    return float(stats.ttest_1samp(gap - np.abs(training.reshape(-1) - 0.5), 0).pvalue)


def settings() -> list[AmplificationSetting]:
    """Return the settings whose coverage is promised."""
    found = [
        AmplificationSetting(f"known shares, 62 occupations, 4 prompts, n = {n}", 62, 4, n, None)
        for n in (10, 50, 100, 500)
    ]
    base = [
        AmplificationSetting(f"{k} occupations, 50 v 500 images", k, 1, 50, 500)
        for k in (4, 12, 62)
    ]
    found += base
    found += [_also(one, move=shifted(6), null=False, name="+6 points") for one in base]
    found += [_also(one, shares=near_half, name="near 50 %") for one in base]
    found += [
        _also(one, shares=near_half, move=shifted(6), null=False, name="near 50 %, +6 points")
        for one in base
    ]
    twelve, many = base[1], base[2]
    for one in (twelve, many):
        found += [
            _also(one, shares=middling, name="35 to 65 %"),
            _also(one, shares=extreme, name="0 or 100 %"),
            _also(one, move=stretched(1.4), null=False, name="distances x 1.4"),
            _also(one, move=stretched(0.5), null=False, name="distances x 0.5"),
            _also(one, move=scattered(8), null=False, name="either way by 8 points"),
            _also(one, move=tilted(0.5, 0.4), null=False, name="log-odds + 0.5"),
            _also(one, training=50, name="50 v 50"),
            _also(one, generated=500, training=20, name="500 v 20"),
        ]
    found += [
        _also(one, shares=near_half, move=shifted(45), null=False, name="near 50 %, +45 points")
        for one in (twelve, many)
    ]
    fixed = [
        AmplificationSetting(
            f"{k} fixed occupations, 50 v 500", k, 1, 50, 500, listed, kind="fixed"
        )
        for k in (1, 2, 3, 12, 62)
    ]
    found += fixed
    found += [_also(one, move=shifted(6), null=False, name="+6 points") for one in fixed]
    found += [_also(one, shares=near_half, name="near 50 %") for one in fixed]
    found += [
        _also(one, shares=extreme, move=stretched(0.1), null=False, name="0 or 100 % to the middle")
        for one in fixed[3:]
    ]
    found += [
        _also(fixed[3], shares=near_half, move=shifted(6), training=n, null=False,
              name=f"near 50 %, 50 v {n}, +6 points")
        for n in (50, 500)
    ]  # fmt: skip
    found += [
        _also(fixed[3], shares=aside, move=stretched(0), training=n, null=False,
              name=f"40 or 60 % to 50 %, 50 v {n}")
        for n in (50, 500)
    ]  # fmt: skip
    found += [
        _also(one, shares=near_half, move=shifted(6), training=50, null=False,
              name="near 50 %, 50 v 50, +6 points")
        for one in (twelve, many)
    ]  # fmt: skip
    return found


def _also(setting: AmplificationSetting, *, name: str, **changes: object) -> AmplificationSetting:
    return replace(setting, setting=f"{setting.setting}, {name}", **changes)  # type: ignore[arg-type]


def _both(first: NDArray[np.int64], total: int) -> FloatArray:
    return np.stack([first, total - first], axis=-1).astype(np.float64)


def _oracle_width(
    setting: AmplificationSetting, training: FloatArray, generated: FloatArray
) -> float:
    """Return the width of one who knows to which side every share leans, and its variance."""
    k = setting.occupations
    noise = generated * (1 - generated) / setting.generated / setting.prompts
    if setting.training is not None:
        noise = noise + training * (1 - training) / setting.training
    if setting.kind == "fixed":
        return 2 * 1.96 * 100 * math.sqrt(float(noise.sum())) / k
    gap = np.abs(generated - 0.5) - np.abs(training - 0.5)
    variance = float(gap.var(ddof=1)) + float(noise.mean())
    return 2 * float(stats.t.ppf(0.975, k - 1)) * 100 * math.sqrt(variance / k)
