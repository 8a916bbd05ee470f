"""Worlds for amplification: training shares, generated shares and images, all known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from portrayal.statistics.amplification_sampling import (
    CountedAmplificationResult,
    Occupations,
    amplification_against_shares,
    amplification_from_counts,
)
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.worlds import ValidationRow

Draw = Callable[[np.random.Generator, int], FloatArray]
Move = Callable[[np.random.Generator, FloatArray], FloatArray]

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


def middling(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares within 15 points of one half."""
    return rng.uniform(0.35, 0.65, n)


def extreme(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw training shares of nearly nobody or nearly everybody."""
    return np.where(rng.random(n) < 0.5, rng.beta(1, 20, n), rng.beta(20, 1, n))


def unchanged(rng: np.random.Generator, shares: FloatArray) -> FloatArray:
    """Return the shares as they are."""
    return shares


def shifted(points: float) -> Move:
    """Move every share so many points further to the side it leans to."""
    return lambda rng, shares: np.clip(shares + np.sign(shares - 0.5) * points / 100, 0, 1)


def stretched(factor: float) -> Move:
    """Multiply every distance from one half."""
    return lambda rng, shares: np.clip(0.5 + factor * (shares - 0.5), 0, 1)


def scattered(points: float) -> Move:
    """Move every share to either side, occupation by occupation."""
    return lambda rng, shares: np.clip(shares + points / 100 * rng.normal(size=shares.size), 0, 1)


def tilted(log_odds: float, spread: float) -> Move:
    """Move log-odds further to the side they lean to, by amounts that differ."""

    def move(rng: np.random.Generator, shares: FloatArray) -> FloatArray:
        odds = np.log(np.clip(shares, 1e-6, 1 - 1e-6) / (1 - np.clip(shares, 1e-6, 1 - 1e-6)))
        moved = odds + np.sign(odds) * log_odds + spread * rng.normal(size=odds.size)
        return np.asarray(1 / (1 + np.exp(-moved)))

    return move


@dataclass(frozen=True, slots=True)
class AmplificationSetting:
    """Worlds that have this in common.

    Attributes:
        name: In words.
        occupations: How many.
        prompts: Per occupation.
        generated: Images per occupation and prompt.
        training: Images per occupation; None where training shares are known.
        shares: How training shares are drawn.
        move: How generated shares follow from them.
        kind: Whether occupations are drawn anew in every world, or the same in all.
        null: Whether there is no amplification.
    """

    name: str
    occupations: int
    prompts: int
    generated: int
    training: int | None
    shares: Draw = broad
    move: Move = unchanged
    kind: Occupations = "random"
    null: bool = True

    @property
    def conservative(self) -> str:
        """Why coverage may lie above 97 %; empty where it may not."""
        if self.shares is near_half:
            return "truth on the boundary: no imbalance is below 0"
        if self.kind == "fixed" and self.occupations < 4:
            return "discreteness: a few counts"
        return ""


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
        _also(one, shares=near_half, move=shifted(6), training=50, null=False,
              name="near 50 %, 50 v 50, +6 points")
        for one in (twelve, many)
    ]  # fmt: skip
    return found


def _also(setting: AmplificationSetting, *, name: str, **changes: object) -> AmplificationSetting:
    return replace(setting, name=f"{setting.name}, {name}", **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _World:
    generated: FloatArray
    training: FloatArray
    counts: FloatArray
    training_counts: FloatArray | None

    @property
    def truth(self) -> float:
        gap = np.abs(self.generated - 0.5) - np.abs(self.training - 0.5)
        return 100 * float(gap.mean())


def validate_amplification(
    setting: AmplificationSetting, *, worlds: int, rng: np.random.Generator
) -> ValidationRow:
    """Run an estimator in many worlds of one setting."""
    ours: list[CountedAmplificationResult] = []
    truths, oracle = [], []
    fixed = _shares(setting, rng) if setting.kind == "fixed" else None
    for _ in range(worlds):
        world = _images(setting, *(fixed or _shares(setting, rng)), rng)
        ours.append(_estimate(setting, world))
        truths.append(world.truth)
        oracle.append(_oracle_width(setting, world))
    truth = float(np.mean(truths))
    low, high = np.array([one.interval for one in ours]).T
    rejected = float(np.mean([one.p_value < 0.05 for one in ours]))
    return ValidationRow(
        "amplification",
        setting.name,
        worlds,
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        rejection=rejected if setting.null else math.nan,
        bias=float(np.mean([one.mean for one in ours])) - truth,
        power=math.nan if setting.null else rejected,
        width_vs_oracle=float(np.mean(high - low) / np.mean(oracle)),
    )


def _shares(
    setting: AmplificationSetting, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    training = setting.shares(rng, setting.occupations)
    return setting.move(rng, training), training


def _images(
    setting: AmplificationSetting,
    generated: FloatArray,
    training: FloatArray,
    rng: np.random.Generator,
) -> _World:
    size = (setting.prompts, setting.occupations)
    made = rng.binomial(setting.generated, generated, size).T
    real = None
    if setting.training is not None:
        real = _both(rng.binomial(setting.training, training), setting.training)
    return _World(generated, training, _both(made, setting.generated), real)


def _both(first: NDArray[np.int64], total: int) -> FloatArray:
    return np.stack([first, total - first], axis=-1).astype(np.float64)


def _estimate(setting: AmplificationSetting, world: _World) -> CountedAmplificationResult:
    if world.training_counts is None:
        return amplification_against_shares(
            world.counts, 100 * world.training, occupations=setting.kind
        )
    return amplification_from_counts(world.counts, world.training_counts, occupations=setting.kind)


def _oracle_width(setting: AmplificationSetting, world: _World) -> float:
    """Return the width of one who knows to which side every share leans, and its variance."""
    k = setting.occupations
    noise = world.generated * (1 - world.generated) / setting.generated / setting.prompts
    if setting.training is not None:
        noise = noise + world.training * (1 - world.training) / setting.training
    if setting.kind == "fixed":
        return 2 * 1.96 * 100 * math.sqrt(float(noise.sum())) / k
    gap = np.abs(world.generated - 0.5) - np.abs(world.training - 0.5)
    variance = float(gap.var(ddof=1)) + float(noise.mean())
    return 2 * float(stats.t.ppf(0.975, k - 1)) * 100 * math.sqrt(variance / k)
