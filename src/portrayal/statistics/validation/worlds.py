"""What a simulation says about an estimator, and how sure the simulation itself is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.intervals import Interval

COVERAGE = Interval(0.93, 0.97)
REJECTION = Interval(0.035, 0.065)
POWER_LOST = 0.05
_Z99 = stats.norm.ppf(0.995)
BOUNDARY = "truth on the boundary"
DISCRETE = "discreteness"


class Told(NamedTuple):
    """What an estimator says in one world, and what is true there.

    Attributes:
        value: The estimate.
        low: Low end of the 95 % interval.
        high: High end.
        truth: What the interval is about.
        p: Of the test against 0; NaN where there is none.
        oracle: Width of the interval of one who knows the nuisance parameters; NaN: the spread of
            the estimates over all worlds stands in for it.
        rival: p of the plain test that the estimator replaces; NaN where there is none.
        rival_null: Of that test in the same world without an effect: where it rejects too often,
            its power is no yardstick.
    """

    value: float
    low: float
    high: float
    truth: float
    p: float = math.nan
    oracle: float = math.nan
    rival: float = math.nan
    rival_null: float = math.nan


class KnownWorld(Protocol):
    """A setting of which worlds can be drawn."""

    @property
    def estimator(self) -> str:
        """Name of the public function, and of its variant."""

    @property
    def setting(self) -> str:
        """The setting in a few words; unique among those of the estimator."""

    @property
    def null(self) -> bool:
        """Whether the null hypothesis is true."""

    @property
    def reason(self) -> str:
        """Why coverage may exceed 97 %: `BOUNDARY`, `DISCRETE` or nothing."""

    @property
    def worlds(self) -> int:
        """How many a full run simulates."""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw a world and ask the estimator; None where it has no interval."""


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """How an estimator did in worlds whose truth is known; NaN where a column does not apply.

    Attributes:
        estimator: Name of the public function, and of its variant.
        setting: The worlds, in a few words.
        worlds: How many had an interval.
        coverage: Share of worlds whose interval holds the truth.
        rejection: Share of worlds with p at or below 5 % although the null hypothesis is true.
        bias: Mean estimate minus truth.
        power: Share of worlds with p at or below 5 % where the null hypothesis is false.
        rival: The same of the plain test that the estimator replaces.
        rival_level: How often that test rejects in the same worlds without an effect.
        lost: Power lost to that test, at the least that Monte Carlo error leaves open.
        width_vs_oracle: Mean width of the interval, over that of one who knows the nuisance
            parameters.
        disagreeing: Worlds in which p and interval contradict each other.
        reason: Why coverage may exceed 97 %.
    """

    estimator: str
    setting: str
    worlds: int
    coverage: float
    rejection: float
    bias: float
    power: float
    rival: float
    rival_level: float
    lost: float
    width_vs_oracle: float
    disagreeing: int
    reason: str

    @property
    def verdict(self) -> str:
        """`ok`, `ok` with the reason why the row may leave the band, or what is wrong."""
        wrong = []
        cover = binomial_band(self.coverage, self.worlds)
        if cover.high < COVERAGE.low:
            wrong.append("covers too rarely")
        rejects = binomial_band(0.05 if math.isnan(self.rejection) else self.rejection, self.worlds)
        if rejects.low > REJECTION.high:
            wrong.append("rejects too often")
        if self.disagreeing:
            wrong.append(f"p and interval disagree in {self.disagreeing}")
        valid = not math.isnan(self.rival_level) and (
            binomial_band(self.rival_level, self.worlds).low <= REJECTION.high
        )
        if valid and self.lost > POWER_LOST:
            wrong.append("loses power")
        careful = cover.low > COVERAGE.high or rejects.high < REJECTION.low
        if careful and not self.reason:
            wrong.append("covers too often")
        if wrong:
            return "FAILS: " + "; ".join(wrong)
        return f"ok ({self.reason})" if careful else "ok"


def prompt_counts(
    shares: ArrayLike,
    prompts: int,
    images: int | NDArray[np.int64],
    icc: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw counts (prompts, groups) whose shares vary around `shares` by Dirichlet's distribution.

    Args:
        shares: Of the groups: one row for all prompts, or one per prompt.
        prompts: How many.
        images: Per prompt: one number for all prompts, or one each.
        icc: Intraclass correlation; 0: all prompts are alike.
        rng: Source of draws.
    """
    each = prompt_shares(shares, prompts, icc, rng)
    return rng.multinomial(images, each).astype(np.float64)


def prompt_shares(
    shares: ArrayLike, prompts: int, icc: float, rng: np.random.Generator
) -> FloatArray:
    """Draw shares of prompts, (prompts, groups), around those of all prompts: `prompt_counts`."""
    each = np.broadcast_to(np.asarray(shares, dtype=np.float64), (prompts, np.shape(shares)[-1]))
    if icc == 0:
        return each
    drawn = rng.standard_gamma(each * (1 - icc) / icc) + 1e-300
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def validation_row(world: KnownWorld, told: Sequence[Told]) -> ValidationRow:
    """Sum up what an estimator said in the worlds of one setting."""
    table = np.array(told, dtype=np.float64).reshape(len(told), len(Told._fields))
    value, low, high, truth, p, oracle, rival, rival_null = table.T
    inside = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    tested = not np.isnan(p).any()
    rejected = float((p <= 0.05).mean()) if tested else math.nan
    without = (low > 0) | (high < 0)
    spread = float(np.subtract(*np.quantile(value - truth, [0.975, 0.025])))
    wide = float(oracle.mean()) if not np.isnan(oracle).any() else spread
    return ValidationRow(
        world.estimator, world.setting, len(table), float(inside.mean()),
        rejected if world.null else math.nan, float((value - truth).mean()),
        math.nan if world.null else rejected,
        math.nan if world.null or np.isnan(rival).any() else float((rival <= 0.05).mean()),
        math.nan if np.isnan(rival_null).any() else float((rival_null <= 0.05).mean()),
        math.nan if world.null else _least_lost(p, rival),
        float((high - low).mean()) / wide if wide else math.nan,
        int((without != (p <= 0.05)).sum()) if tested else 0, world.reason,
    )  # fmt: skip


def _least_lost(p: FloatArray, rival: FloatArray) -> float:
    """Return the low end of the 99 % Monte Carlo interval of power lost, worlds being paired."""
    lost = (rival <= 0.05).astype(np.float64) - (p <= 0.05)
    error = float(lost.std()) / math.sqrt(max(lost.size, 1))
    return math.nan if np.isnan(rival).any() else float(lost.mean()) - float(_Z99) * error


def binomial_band(rate: float, worlds: int, level: float = 0.99) -> Interval:
    """Return Wilson's interval of a simulated rate: what Monte Carlo error leaves open.

    Args:
        rate: Share of worlds.
        worlds: How many were simulated.
        level: Confidence of the interval.

    >>> low, high = binomial_band(0.95, 1000)
    >>> round(low, 3), round(high, 3)
    (0.929, 0.965)
    """
    test = stats.binomtest(round(rate * worlds), worlds)
    found = test.proportion_ci(level, method="wilson")
    return Interval(float(found.low), float(found.high))
