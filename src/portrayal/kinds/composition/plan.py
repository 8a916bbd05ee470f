"""What a composition study could detect."""

from __future__ import annotations

import math
from collections import Counter

from portrayal.findings import AnalysisSettings
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.statistics import (
    detectable_share_difference,
    difference_between_levels,
    share_interval,
)


def detectable(study: CompositionStudy) -> str:
    """Return the difference of shares that would show four times in five, in words."""
    if len(_images_per_level(study)) < 2:
        return ""
    points = 100 * difference(study)
    if math.isnan(points):
        return "no difference of shares: too few images"
    return f"shares {points:.0f} points apart"


def difference(study: CompositionStudy) -> float:
    """Return the difference of shares between two levels that would show; NaN with one level."""
    images = _images_per_level(study)
    if len(images) < 2:
        return math.nan
    return detectable_share_difference(min(images), min(images))


def weakest(study: CompositionStudy, settings: AnalysisSettings) -> float:
    """Return the difference of shares around 50% that the test of two levels would find."""
    images = _images_per_level(study)
    if len(images) < 2:
        return math.nan
    return difference_between_levels(min(images), alpha=1 - settings.confidence)


def widest(study: CompositionStudy, settings: AnalysisSettings) -> float:
    """Return how wide the interval of a share near 50% would be, images independent."""
    images = min(_images_per_level(study), default=sum(one.images for one in study.prompts()))
    low, high = share_interval(images // 2, images, confidence=settings.confidence)
    return high - low


def _images_per_level(study: CompositionStudy) -> list[int]:
    """Return the images of each level of the factor with most levels."""
    counts: dict[str, Counter[str]] = {}
    for prompt in study.prompts():
        for factor, level in prompt.factors.items():
            counts.setdefault(factor, Counter())[level] += prompt.images
    return list(max(counts.values(), key=len).values()) if counts else []
