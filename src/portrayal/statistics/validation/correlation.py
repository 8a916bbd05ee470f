"""Worlds for correlations: shares in images and in captions, over few and many occupations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from portrayal.statistics.correlation import pearson_correlation
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.worlds import Told


@dataclass(frozen=True, slots=True)
class CorrelationSetting:
    """Worlds in which shares in captions follow those in images.

    Attributes:
        occupations: How many.
        spread: Both parameters of the beta distribution of shares; below 1, most are extreme.
        slope: How much shares in captions rise with those in images.
        noise: Standard deviation around that.
    """

    occupations: int
    spread: float
    slope: float
    noise: float
    worlds: int = 1000
    estimator: str = "pearson_correlation"
    reason: str = ""

    @property
    def setting(self) -> str:
        """In words."""
        return (
            f"{self.occupations} occupations, beta({self.spread:g}) shares, "
            f"slope {self.slope:g} -+ {self.noise:g}"
        )

    @property
    def null(self) -> bool:
        """Whether shares in captions have nothing to do with those in images."""
        return self.slope == 0

    def told(self, rng: np.random.Generator) -> Told:
        """Draw shares; the oracle's interval is Fisher's around the truth."""
        truth = _truth(self.spread, self.slope, self.noise)
        found = pearson_correlation(*_shares(self, self.occupations, rng))
        reach = float(stats.norm.ppf(0.975)) / math.sqrt(self.occupations - 3)
        centre = math.atanh(truth)
        oracle = math.tanh(centre + reach) - math.tanh(centre - reach)
        return Told(found.estimate, found.low, found.high, truth, found.p_value, oracle)


def settings() -> list[CorrelationSetting]:
    """Return the worlds."""
    return [
        CorrelationSetting(n, spread, slope, noise)
        for n in (6, 12, 62)
        for spread, slope, noise in ((1, 0, 0.2), (1, 0.5, 0.2), (0.5, -0.3, 0.2), (3, 0.8, 0.1))
    ]


@lru_cache(maxsize=64)
def _truth(spread: float, slope: float, noise: float) -> float:
    """Return the correlation: shares have a variance of 1 / (8 spread + 4)."""
    signal = slope / math.sqrt(8 * spread + 4)
    return signal / math.hypot(signal, noise)


def _shares(setting: CorrelationSetting, n: int, rng: np.random.Generator) -> list[FloatArray]:
    images = rng.beta(setting.spread, setting.spread, n)
    captions = 0.5 + setting.slope * (images - 0.5) + setting.noise * rng.normal(size=n)
    return [images, captions]
