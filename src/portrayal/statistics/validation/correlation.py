"""Worlds for correlations: shares in images and in captions, over few and many occupations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from portrayal.statistics.correlation import CorrelationResult, pearson_correlation
from portrayal.statistics.counts import FloatArray
from portrayal.statistics.validation.worlds import ValidationRow

_MANY = 400_000


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

    @property
    def name(self) -> str:
        """In words."""
        return (
            f"{self.occupations} occupations, beta({self.spread:g}) shares, "
            f"slope {self.slope:g} -+ {self.noise:g}"
        )


def settings() -> list[CorrelationSetting]:
    """Return the settings whose coverage is promised."""
    return [
        CorrelationSetting(n, spread, slope, noise)
        for n in (6, 12, 62)
        for spread, slope, noise in ((1, 0, 0.2), (1, 0.5, 0.2), (0.5, -0.3, 0.2), (3, 0.8, 0.1))
    ]


def validate_correlation(
    setting: CorrelationSetting, *, worlds: int, rng: np.random.Generator
) -> ValidationRow:
    """Run the estimator in many worlds of one setting."""
    truth = 0.0
    if setting.slope:
        images, captions = _shares(setting, _MANY, rng)
        truth = float(np.corrcoef(images, captions)[0, 1])
    found: list[CorrelationResult] = [
        pearson_correlation(*_shares(setting, setting.occupations, rng)) for _ in range(worlds)
    ]
    low, high = (np.array([getattr(one, name) for one in found]) for name in ("low", "high"))
    rejected = float(np.mean([one.p_value < 0.05 for one in found]))
    reach = float(stats.norm.ppf(0.975)) / math.sqrt(setting.occupations - 3)
    centre = math.atanh(truth)
    return ValidationRow(
        "correlation",
        setting.name,
        worlds,
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        rejection=math.nan if setting.slope else rejected,
        bias=float(np.mean([one.estimate for one in found])) - truth,
        power=rejected if setting.slope else math.nan,
        width_vs_oracle=float(
            np.mean(high - low) / (math.tanh(centre + reach) - math.tanh(centre - reach))
        ),
    )


def _shares(setting: CorrelationSetting, n: int, rng: np.random.Generator) -> list[FloatArray]:
    images = rng.beta(setting.spread, setting.spread, n)
    captions = 0.5 + setting.slope * (images - 0.5) + setting.noise * rng.normal(size=n)
    return [images, captions]
