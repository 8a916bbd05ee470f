"""The statistics of an amplification study: each subset alone, against naive, and taken apart."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from portrayal.findings import AnalysisSettings, FloatArray
from portrayal.kinds.amplification.counts import SubsetComparison
from portrayal.kinds.amplification.schema import SubsetName
from portrayal.statistics import (
    UNKNOWN,
    AmplificationBootstrapResult,
    AmplificationResult,
    DecompositionResult,
    Interval,
    ReductionResult,
    Switching,
    amplification,
    amplification_bootstrap,
    amplification_reduction,
    decomposition,
    item_mean,
)

RESAMPLES = 2000
"""Draws of the bootstrap at most; its bounds are steady from a thousand on."""

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
        switching: What became of occupations that switch.
        sampled: Mean over prompts with the interval that knows of images on both sides.
        prompts: As in the paper, prompt by prompt.
        t: The paper's test: of occupations' means over prompts against 0, shares taken as known.
        t_p_value: Of that t, two-sided.
        per_item: Amplification, (occupations, prompts); NaN where excluded or missing.
    """

    comparison: SubsetComparison
    switching: Switching
    sampled: AmplificationBootstrapResult
    prompts: tuple[AmplificationResult, ...]
    t: float
    t_p_value: float
    per_item: FloatArray = field(repr=False)

    @property
    def n_missing(self) -> int:
        """Occupations that are counted for no prompt."""
        return len(self.comparison.occupations) - self.sampled.n


def amplified(
    comparison: SubsetComparison, settings: AnalysisSettings, rng: np.random.Generator,
    *, switching: Switching = "exclude",
) -> Amplified:  # fmt: skip
    """Compute amplification of one subset.

    Args:
        comparison: Both sides.
        settings: "units" takes occupations as drawn by chance, "images" takes them as they are.
        rng: Source of the draws.
        switching: What to do with occupations that switch.
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
    sampled = amplification_bootstrap(
        comparison.counts(comparison.generated),
        comparison.training_counts(),
        rng=rng,
        switching=switching,
        occupations="random" if settings.resample == "units" else "fixed",
        resamples=min(settings.resamples, RESAMPLES),
        confidence=settings.confidence,
    )
    mean = item_mean(means(per_item), confidence=settings.confidence)
    return Amplified(comparison, switching, sampled, prompts, mean.t, mean.p_value, per_item)


def reduction(naive: Amplified, other: Amplified, *, confidence: float) -> ReductionResult:
    """Return how much smaller amplification is than the naive one, occupation by occupation.

    Where both have the same prompts, only prompts count in which an occupation is in both.
    """
    before, after = naive.per_item, other.per_item
    if before.shape == after.shape:
        both = ~np.isnan(before) & ~np.isnan(after)
        before, after = (np.where(both, values, np.nan) for values in (before, after))
    return amplification_reduction(
        _result(means(before)), _result(means(after)), confidence=confidence
    )


def taken_apart(
    found: Mapping[SubsetName, Amplified], *, confidence: float
) -> DecompositionResult | None:
    """Split the naive amplification; None where one of the four subsets is not asked for."""
    if not all(name in found for name in CORRECTIONS):
        return None
    parts = {name: found[name].per_item for name in CORRECTIONS}
    common = ~np.isnan(np.stack(list(parts.values()))).any(axis=0)
    return decomposition(
        {
            CORRECTIONS[name]: _result(means(np.where(common, values, np.nan)))
            for name, values in parts.items()
        },
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


def _result(per_item: FloatArray) -> AmplificationResult:
    """Return amplification that was computed item by item, as the statistics take it."""
    known = per_item[~np.isnan(per_item)]
    mean = float(known.mean()) if known.size else math.nan
    missing = int(np.isnan(per_item).sum())
    return AmplificationResult(
        mean, UNKNOWN, int(known.size), 0, missing, math.nan, math.nan, per_item
    )
