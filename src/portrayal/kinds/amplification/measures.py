"""The statistics of an amplification study: each subset alone, against naive, and taken apart."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from portrayal.findings import AnalysisSettings, FloatArray
from portrayal.kinds.amplification.counts import SubsetComparison
from portrayal.kinds.amplification.schema import SUBSETS, SubsetName
from portrayal.statistics import (
    UNKNOWN,
    AmplificationResult,
    CountedAmplificationResult,
    DecompositionResult,
    Interval,
    ItemMean,
    Occupations,
    ReductionResult,
    Switching,
    amplification,
    amplification_from_counts,
    amplification_reduction,
    decomposition_from_counts,
    item_mean,
    reduction_from_counts,
)

CORRECTIONS: Mapping[SubsetName, frozenset[str]] = {
    "naive": frozenset(),
    "no-indicators": frozenset({"no indicators"}),
    "nearest": frozenset({"nearest neighbours"}),
    "both": frozenset({"no indicators", "nearest neighbours"}),
}
"""Which corrections each subset makes; all four are needed to take the naive one apart."""


@dataclass(frozen=True, slots=True)
class Amplified:
    """Amplification of one subset.

    Attributes:
        comparison: What was counted.
        sampled: Bias-corrected mean over occupations and prompts, images of both sides a sample.
        prompts: As in the paper, prompt by prompt, shares taken as known.
        paper: The paper's mean of each occupation over prompts, likewise.
    """

    comparison: SubsetComparison
    sampled: CountedAmplificationResult
    prompts: tuple[AmplificationResult, ...]
    paper: ItemMean

    @property
    def n_missing(self) -> int:
        """Occupations that are counted for no prompt."""
        return len(self.comparison.occupations) - self.sampled.n


def amplified(
    comparison: SubsetComparison, settings: AnalysisSettings, *, switching: Switching = "exclude"
) -> Amplified:
    """Compute amplification of one subset.

    Args:
        comparison: Both sides.
        settings: "units" takes occupations as drawn by chance, "images" takes them as they are.
        switching: What the paper's mean does with occupations that switch.
    """
    generated, training = (
        comparison.percent(side) for side in (comparison.generated, comparison.training)
    )
    prompts = tuple(
        amplification(
            generated[:, i], training[:, i], switching=switching, confidence=settings.confidence
        )
        for i in range(len(comparison.prompts))
    )
    per_item = np.stack([one.per_item for one in prompts], axis=1)
    sampled = amplification_from_counts(
        comparison.counts(comparison.generated),
        comparison.training_counts(),
        switching=switching,
        occupations=generality(settings),
        confidence=settings.confidence,
    )
    paper = item_mean(means(per_item), confidence=settings.confidence)
    return Amplified(comparison, sampled, prompts, paper)


def generality(settings: AnalysisSettings) -> Occupations:
    """Return whether occupations stand for others, or for themselves."""
    return "random" if settings.resample == "units" else "fixed"


def reduction(naive: Amplified, other: Amplified, settings: AnalysisSettings) -> ReductionResult:
    """Return how much smaller amplification is than the naive one, occupation by occupation.

    Where captions are prompts, generated images differ as well as training images; then the two
    amplifications are compared in place of the training images alone.
    """
    confidence = settings.confidence
    subset = SUBSETS[other.comparison.subset]
    if subset.prompts:
        return amplification_reduction(naive.sampled, other.sampled, confidence=confidence)
    return reduction_from_counts(
        naive.comparison.counts(naive.comparison.generated),
        naive.comparison.training_counts(),
        other.comparison.training_counts(),
        # Captions without indicators are among the sampled ones; nearest captions are others.
        nested=not subset.nearest,
        occupations=generality(settings),
        confidence=confidence,
    )


def taken_apart(
    found: Mapping[SubsetName, Amplified], *, confidence: float
) -> DecompositionResult | None:
    """Split the naive amplification; None where one of the four subsets is not asked for."""
    if not all(name in found for name in CORRECTIONS):
        return None
    naive = found["naive"].comparison
    return decomposition_from_counts(
        naive.counts(naive.generated),
        {key: found[name].comparison.training_counts() for name, key in CORRECTIONS.items()},
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class Dropping:
    """Whether more images are dropped on one side than on the other.

    Attributes:
        generated: Mean share dropped of generated images.
        training: Mean share dropped of training images.
        difference: Their difference, over occupations with both.
        interval: Student's t over occupations.
    """

    generated: float
    training: float
    difference: float
    interval: Interval

    @property
    def clear(self) -> bool:
        """Whether the sides differ more than occupations do by chance."""
        low, high = self.interval
        return bool(low > 0 or high < 0)


def dropping(comparison: SubsetComparison, *, confidence: float) -> Dropping:
    """Compare how much is dropped on the two sides."""
    made = comparison.dropped_share(comparison.generated)
    real = comparison.dropped_share(comparison.training)
    both = ~np.isnan(made) & ~np.isnan(real)
    made, real = made[both], real[both]
    if not made.size:
        return Dropping(math.nan, math.nan, math.nan, UNKNOWN)
    gap = item_mean(made - real, confidence=confidence)
    return Dropping(float(made.mean()), float(real.mean()), gap.value, gap.interval)


def means(per_item: FloatArray) -> FloatArray:
    """Return means over prompts; NaN where an occupation is in none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means of nothing, which are NaN
        return np.asarray(np.nanmean(per_item, axis=1), dtype=np.float64)
