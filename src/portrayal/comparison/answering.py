"""From the numbers of two models to a difference: the statistics of every question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from portrayal.comparison.differences import ModelDifference
from portrayal.comparison.values import Values, seed_tables
from portrayal.findings import AnalysisSettings, Finding
from portrayal.statistics import (
    DifferenceResult,
    Interval,
    PromptUnit,
    Worse,
    equivalence,
    estimate_difference,
    mean_difference,
    non_inferiority,
    share_difference,
)

LEAST_PROMPTS = 4
"""With fewer prompts a difference is about other images of these: three cannot stand for others."""

LEAST_IMAGES = 3

MARGINS = {"diversity score": 2.0}
"""What a margin of shares is in another number: |2 share - 1| moves twice as far as the share."""


@dataclass(frozen=True, slots=True)
class Answering:
    """How questions are answered.

    Attributes:
        settings: Unit, confidence, resamples and seed.
        margin: The difference of shares that would matter.
    """

    settings: AnalysisSettings
    margin: float

    def of_values(
        self, asked: ModelDifference, prompts: Sequence[str], first: Values, second: Values
    ) -> ModelDifference:
        """Answer a question about shares or means of two models on the same prompts."""
        x, y = seed_tables(prompts, first, second)
        few = len(prompts) < LEAST_PROMPTS
        unit: PromptUnit = "image" if self.settings.unit == "image" or few else "prompt"
        confidence = self.settings.confidence
        if asked.is_share:
            rng = self.settings.rng(asked.study, asked.question, asked.first, asked.second)
            found = share_difference(
                x, y, rng=rng, unit=unit, resamples=self.settings.resamples, confidence=confidence
            )
        else:
            found = mean_difference(x, y, unit=unit, confidence=confidence)
        if min(found.n_first, found.n_second) < LEAST_IMAGES:
            have = f"{found.n_first} and {found.n_second} images can be compared"
            return replace(asked, reason=f"{have}; at least {LEAST_IMAGES} of each are needed")
        if math.isnan(found.p_value):
            return replace(asked, reason="the numbers of all images are the same")
        return self._answered(asked, found)

    def of_findings(
        self, asked: ModelDifference, first: Finding, second: Finding
    ) -> ModelDifference:
        """Answer a question about two estimates, by their intervals."""
        ends = [one for f in (first, second) for one in (f.estimate, f.low, f.high)]
        if any(one is None for one in ends):
            without = first if first.estimate is None or first.low is None else second
            return replace(asked, reason=without.reason or "an estimate has no interval")
        a, a_low, a_high, b, b_low, b_high = (math.nan if one is None else one for one in ends)
        found = estimate_difference(
            a, Interval(a_low, a_high), b, Interval(b_low, b_high),
            unit="image" if first.unit == "image" else "prompt",
            confidence=self.settings.confidence,
        )  # fmt: skip
        return replace(self._answered(asked, found), n_before=first.n, n_after=second.n)

    def _answered(self, asked: ModelDifference, found: DifferenceResult) -> ModelDifference:
        level = round(1 - self.settings.confidence, 10)
        scale = 1.0 if asked.is_share else MARGINS.get(asked.statistic)
        margin = None if scale is None else scale * self.margin
        same = no_worse = None
        if margin is not None:
            same = equivalence(found, margin, level=level).p_value
        if margin is not None and asked.better:
            worse: Worse = "lower" if asked.better == "higher" else "higher"
            no_worse = non_inferiority(found, margin, worse=worse, level=level).p_value
        return replace(
            asked,
            before=found.first, after=found.second, value=found.value,
            low=found.interval.low, high=found.interval.high, p=found.p_value,
            margin=margin, p_equivalent=same, p_no_worse=no_worse,
            n_before=found.n_first, n_after=found.n_second, n_pairs=found.n_pairs,
            n_prompts=found.n_prompts, unit=found.unit,
        )  # fmt: skip
