"""Worlds for two models on the same prompts: differences of shares, means and estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from portrayal.statistics.counts import FloatArray
from portrayal.statistics.differences import (
    PromptUnit,
    estimate_difference,
    mean_difference,
    share_difference,
)
from portrayal.statistics.equivalence import equivalence
from portrayal.statistics.intervals import share_interval
from portrayal.statistics.validation.worlds import BOUNDARY, DISCRETE, Told

_RESAMPLES = 399

Statistic = Literal["share", "equivalence", "mean", "estimates"]


@dataclass(frozen=True, slots=True)
class TwoModelWorld:
    """Two models on the same prompts, whose shares differ by prompt and by model.

    Attributes:
        share: Mean share of the first model's images, over prompts.
        prompts: How many.
        images: Of each, per model.
        by: How much the second model's shares are higher.
        icc: How much the prompts' shares differ.
        spread: Standard deviation of the second model's changes over prompts.
        alike: Chance that both images of a seed are drawn together.
        paired: Whether both models have the same seeds.
        unknown: Share of images without a known group, per model.
        unit: What the answer generalises to.
        of: The statistic: a share; how far inside the margin it is; a mean of numbers; or two
            estimates with intervals.
        margin: Of equivalence.
    """

    share: float
    prompts: int
    images: int
    by: float = 0.0
    icc: float = 0.3
    spread: float = 0.0
    alike: float = 0.0
    paired: bool = True
    unknown: tuple[float, float] = (0.0, 0.0)
    unit: PromptUnit = "prompt"
    of: Statistic = "share"
    margin: float = 0.1
    worlds: int = 1000

    @property
    def estimator(self) -> str:
        """The function and the unit."""
        if self.of == "estimates":
            return "estimate_difference"
        function = {"share": "share_difference", "mean": "mean_difference"}.get(self.of, self.of)
        return f"{function} ({self.unit})"

    @property
    def setting(self) -> str:
        """The world in a few words."""
        before, after = self.unknown
        parts = [
            f"share {self.share:g}, {self.prompts} x {self.images}",
            f"{100 * self.by:+.0f} points" if self.by else "",
            f"ICC {self.icc:g}" if self.icc else "",
            f"changes differ by {100 * self.spread:.0f}" if self.spread else "",
            f"seeds alike {self.alike:.0%}" if self.alike else "" if self.paired else "unpaired",
            f"unknown {before:.0%} and {after:.0%}" if before or after else "",
            f"margin {100 * self.margin:.0f}" if self.of == "equivalence" else "",
        ]
        return ", ".join(part for part in parts if part)

    @property
    def null(self) -> bool:
        """Whether there is no difference; for equivalence, whether it is as large as the margin."""
        if self.of == "equivalence":
            return abs(self.by) >= self.margin
        return self.by == 0

    @property
    def reason(self) -> str:
        """No share is below 0; few images have few outcomes."""
        exactly_equal = self.of == "equivalence" and self.by == 0
        if self.share <= 0.05 or exactly_equal:
            return BOUNDARY
        return DISCRETE if self.unit == "image" and self.prompts * self.images <= 40 else ""

    def told(self, rng: np.random.Generator) -> Told | None:
        """Draw prompts and images."""
        first, second = self.shares(rng)
        truth = float((second - first).mean()) if self.unit == "image" else self.by
        x, y = self.images_of(first, second, rng)
        if self.of == "estimates":
            return self._estimates(x, y, truth)
        if self.of == "mean":
            noise = [rng.normal(size=x.shape) for _ in range(2)]
            noise[1] = self.alike * noise[0] + math.sqrt(1 - self.alike**2) * noise[1]
            x, y = x + noise[0], y + noise[1]
            found = mean_difference(x, y, paired=self.paired, unit=self.unit)
        else:
            found = share_difference(
                x, y, rng=rng, paired=self.paired, unit=self.unit, resamples=_RESAMPLES
            )
        if self.of == "equivalence":
            # How far inside the margin: above 0 exactly where the models count as equivalent.
            same = equivalence(found, self.margin)
            value, end, true = abs(found.value), max(map(abs, same.interval)), abs(truth)
            inside = [self.margin - one for one in (value, end, true)]
            return Told(inside[0], inside[1], self.margin, inside[2], same.p_value)
        rival = math.nan
        if self.by and self.prompts > 1 and not any(self.unknown):
            rival = float(stats.ttest_rel(y.mean(axis=1), x.mean(axis=1)).pvalue)
        return Told(found.value, *found.interval, truth, found.p_value, rival=rival)

    def shares(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw the prompts' shares in images of both models."""
        first = np.full(self.prompts, self.share)
        if self.icc:
            size = (1 - self.icc) / self.icc
            first = rng.beta(self.share * size, (1 - self.share) * size, self.prompts)
        # Within the range on both sides, so that the mean change stays what it is.
        first = max(-self.by, 0.0) + self.spread + first * (1 - abs(self.by) - 2 * self.spread)
        signs = rng.choice([-1.0, 1.0], self.prompts)
        if self.unit == "image":  # of these prompts, as many change one way as the other
            signs = np.where(np.arange(self.prompts) % 2, 1.0, -1.0)
        change = self.by + self.spread * signs
        return first, np.clip(first + change, 0.0, 1.0)

    def images_of(
        self, first: FloatArray, second: FloatArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw the images of both models; 1 of the group, 0 of another, NaN unknown."""
        drawn = rng.random((2, self.prompts, self.images))
        drawn[1] = np.where(rng.random(drawn[0].shape) < self.alike, drawn[0], drawn[1])
        found = []
        for share, one, unknown in zip((first, second), drawn, self.unknown, strict=True):
            groups = (one < share[:, None]).astype(np.float64)
            groups[rng.random(groups.shape) < unknown] = np.nan
            found.append(groups)
        return found[0], found[1]

    def _estimates(self, x: FloatArray, y: FloatArray, truth: float) -> Told:
        counts = [(int(np.nansum(one)), int((~np.isnan(one)).sum())) for one in (x, y)]
        (a, n), (b, m) = counts
        found = estimate_difference(a / n, share_interval(a, n), b / m, share_interval(b, m))
        return Told(found.value, *found.interval, truth, found.p_value)


def settings() -> list[TwoModelWorld]:
    """Return the worlds: no difference and some, paired and not, few images, rare groups."""
    world, found = TwoModelWorld, []
    units: tuple[PromptUnit, ...] = ("prompt", "image")
    for unit in units:
        found += [
            world(0.4, 8, 20, unit=unit),
            world(0.4, 8, 20, unit=unit, paired=False),
            world(0.4, 8, 20, alike=0.7, unit=unit),
            world(0.4, 24, 4, unit=unit),
            world(0.5, 4, 30, unit=unit),
            world(0.05, 12, 16, unit=unit),
            world(0.02, 8, 12, icc=0.0, unit=unit),
            world(0.4, 12, 12, unknown=(0.1, 0.4), unit=unit),
            world(0.4, 8, 20, by=0.15, unit=unit),
            world(0.4, 8, 20, by=0.15, alike=0.7, unit=unit),
            world(0.4, 12, 12, by=0.15, spread=0.15, unit=unit),
            world(0.4, 12, 12, spread=0.2, unit=unit),
            world(0.6, 12, 12, by=-0.2, unknown=(0.1, 0.4), unit=unit),
            world(0.05, 12, 16, by=0.1, unit=unit),
            world(0.4, 8, 20, unit=unit, of="mean"),
            world(0.4, 8, 20, by=0.3, alike=0.7, unit=unit, of="mean"),
            world(0.4, 24, 4, paired=False, unit=unit, of="mean"),
            world(0.4, 8, 40, unit=unit, of="equivalence"),
            world(0.4, 8, 40, by=0.1, unit=unit, of="equivalence"),
            world(0.4, 8, 40, by=-0.1, alike=0.7, unit=unit, of="equivalence"),
        ]
    found += [world(0.4, 1, 20, icc=0.0, unit="image"), world(0.4, 1, 60, by=0.2, unit="image")]
    found += [
        world(share, 1, n, by=by, icc=0.0, unit="image", of="estimates")
        for share, n, by in ((0.5, 60, 0.0), (0.1, 60, 0.0), (0.3, 60, 0.2), (0.5, 200, 0.1))
    ]
    return found
