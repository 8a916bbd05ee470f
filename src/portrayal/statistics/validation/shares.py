"""Worlds for group shares: of images, and over prompts that differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import optimize, stats
from scipy.special import expit

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.diversity import bias_score
from portrayal.statistics.intervals import cluster_bootstrap, share_interval
from portrayal.statistics.shares import prompts_share_interval
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, KnownWorld, Told

PromptKind = Literal["beta", "logit-normal", "two-point"]


@dataclass(frozen=True, slots=True)
class ShareWorld:
    """Prompts whose shares vary around `share` with intraclass correlation `icc`."""

    share: float
    prompts: int
    images: int
    icc: float
    kind: PromptKind = "beta"
    worlds: int = 2000
    estimator: str = "prompts_share_interval"
    null: bool = False

    @property
    def setting(self) -> str:
        """The world in a few words."""
        return (
            f"share {self.share}, {self.prompts} prompts x {self.images}, ICC {self.icc}, "
            f"{self.kind}"
        )

    @property
    def reason(self) -> str:
        """Prompts cannot differ less than not at all: where a test seldom sees that they do."""
        ratio = 1 + self.images * self.icc / (1 - self.icc)
        free = self.prompts - 1, self.prompts * (self.images - 1)
        return BOUNDARY if ratio <= stats.f.ppf(0.95, *free) else ""

    def told(self, rng: np.random.Generator) -> Told:
        """Draw prompts and images."""
        hits = rng.binomial(self.images, _prompt_shares(self, rng))
        totals = np.full(self.prompts, self.images)
        interval = prompts_share_interval(hits, totals)
        return Told(float(hits.sum() / totals.sum()), *interval, self.share)


@dataclass(frozen=True, slots=True)
class PlainShareWorld:
    """A share of independent images, by one of the functions that give one."""

    estimator: Literal["share_interval", "bias_score", "cluster_bootstrap"]
    share: float
    images: int
    worlds: int = 4000
    null: bool = False

    @property
    def setting(self) -> str:
        """The world in a few words."""
        return f"share {self.share}, {self.images} images"

    @property
    def reason(self) -> str:
        """A share of few images takes few values."""
        return DISCRETE

    def told(self, rng: np.random.Generator) -> Told:
        """Draw images."""
        hits = int(rng.binomial(self.images, self.share))
        if self.estimator == "bias_score":
            found = bias_score([hits], [self.images - hits])
            ends = float(found.interval.low[0]), float(found.interval.high[0])
            return Told(float(found.value[0]), *ends, 2 * self.share - 1)
        if self.estimator == "cluster_bootstrap":
            ratings = np.clip(rng.normal(self.share, 0.2, self.images), 0, 1)
            found_mean = cluster_bootstrap(np.mean, ratings, resamples=299, rng=rng)
            return Told(found_mean.estimate, *found_mean.interval, self.share)
        return Told(hits / self.images, *share_interval(hits, self.images), self.share)


def settings() -> list[KnownWorld]:
    """Return the worlds: rare groups, few prompts, prompts that differ little or much."""
    return [
        ShareWorld(0.05, 30, 9, 0.3),
        ShareWorld(0.05, 30, 9, 0.5),
        ShareWorld(0.05, 30, 30, 0.3),
        ShareWorld(0.05, 30, 30, 0.5),
        ShareWorld(0.05, 30, 9, 0.5, "logit-normal"),
        ShareWorld(0.2, 4, 30, 0.3),
        ShareWorld(0.2, 4, 30, 0.5),
        ShareWorld(0.5, 4, 30, 0.3),
        ShareWorld(0.5, 4, 30, 0.5),
        ShareWorld(0.5, 4, 30, 0.7),
        ShareWorld(0.5, 4, 30, 0.5, "logit-normal"),
        ShareWorld(0.1, 12, 9, 0.3),
        ShareWorld(0.1, 12, 9, 0.1),
        ShareWorld(0.3, 8, 20, 0.2, "two-point"),
        ShareWorld(0.35, 6, 9, 0.5),
        ShareWorld(0.5, 12, 9, 0.1),
        ShareWorld(0.5, 4, 9, 0.1),
        ShareWorld(0.5, 4, 30, 0.1),
        ShareWorld(0.2, 4, 30, 0.05),
        ShareWorld(0.2, 4, 30, 0.0),
        ShareWorld(0.5, 30, 9, 0.0),
        *(PlainShareWorld("share_interval", p, n) for p in (0.1, 0.5) for n in (9, 30, 100)),
        *(PlainShareWorld("bias_score", p, n) for p in (0.3, 0.5) for n in (9, 30)),
        PlainShareWorld("cluster_bootstrap", 0.5, 12, 1000),
    ]


def _prompt_shares(world: ShareWorld, rng: np.random.Generator) -> FloatArray:
    if world.icc == 0:
        return np.full(world.prompts, world.share)
    if world.kind == "beta":
        size = (1 - world.icc) / world.icc
        return rng.beta(world.share * size, (1 - world.share) * size, world.prompts)
    if world.kind == "two-point":
        # Two kinds of prompts, equally many on average, as far from the mean as the ICC asks.
        away = np.sqrt(world.icc * world.share * (1 - world.share))
        return np.asarray(world.share + away * rng.choice([-1.0, 1.0], world.prompts))
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
