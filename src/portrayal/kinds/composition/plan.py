"""What a composition study could detect."""

from __future__ import annotations

import math
from collections import Counter

from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.statistics import detectable_share_difference


def detectable(study: CompositionStudy) -> str:
    """Return the difference of shares that would show four times in five, in words."""
    images = _images_per_level(study)
    if len(images) < 2:
        return ""
    difference = detectable_share_difference(min(images), min(images))
    if math.isnan(difference):
        return "no difference of shares: too few images"
    return f"shares {100 * difference:.0f} points apart"


def _images_per_level(study: CompositionStudy) -> list[int]:
    """Return the images of each level of the factor with most levels."""
    counts: dict[str, Counter[str]] = {}
    for prompt in study.prompts():
        for factor, level in prompt.factors.items():
            counts.setdefault(factor, Counter())[level] += prompt.images
    return list(max(counts.values(), key=len).values()) if counts else []
