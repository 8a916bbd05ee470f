"""What a composition study could detect."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from portrayal.findings import AnalysisSettings
from portrayal.kinds.composition.schema import TEMPLATE, CompositionStudy
from portrayal.statistics import (
    detectable_share_difference,
    difference_between_levels,
    difference_between_levels_of_prompts,
    prompts_share_interval,
)

ALIKE = 0.1
"""Intraclass correlation of a prompt's images where prompts are the units. A plan needs some
number."""


def detectable(study: CompositionStudy, settings: AnalysisSettings) -> str:
    """Return the difference of shares that would show four times in five, in words."""
    levels = _levels(study)
    if len(levels) < 2:
        return ""
    by_prompt = counts_prompts(study, settings)
    if by_prompt:
        points = 100 * _difference_of_prompts(levels, settings)
    else:
        least = min(map(sum, levels))
        points = 100 * detectable_share_difference(least, least)
    if math.isnan(points):
        return (
            "nothing: too few prompts" if by_prompt else "no difference of shares: too few images"
        )
    return f"shares {points:.0f} points apart"


def weakest(study: CompositionStudy, settings: AnalysisSettings) -> float:
    """Return the difference of shares around 50% that the test of levels would find.

    NaN with one level; infinite where too few prompts are exchanged to find any.
    """
    levels = _levels(study)
    if len(levels) < 2:
        return math.nan
    if counts_prompts(study, settings):
        found = _difference_of_prompts(levels, settings)
    else:
        found = difference_between_levels(min(map(sum, levels)), alpha=1 - settings.confidence)
    return math.inf if math.isnan(found) else found


def widest(study: CompositionStudy, settings: AnalysisSettings) -> float:
    """Return how wide the widest interval of a share near 50% would be."""
    kinds = {tuple(sorted(images)) for images in _levels(study)}
    return max(_width(images, settings) for images in kinds)


def counts_prompts(study: CompositionStudy, settings: AnalysisSettings) -> bool:
    """Tell whether prompts are the units: some level has more than one."""
    return settings.unit == "prompt" and any(len(images) > 1 for images in _levels(study))


def _width(images: Sequence[int], settings: AnalysisSettings) -> float:
    """Return the width of a level's interval, from typical prompts that lie around 50%."""
    totals = np.array(images)
    clustered = settings.unit == "prompt" and settings.resample == "units" and len(images) > 1
    if clustered:
        spread = (1 - ALIKE) / (2 * ALIKE)
        places = (np.arange(len(images)) + 0.5) / len(images)
        hits = np.rint(totals * stats.beta.ppf(places, spread, spread))
    else:
        hits = totals // 2
    low, high = prompts_share_interval(
        hits, totals, confidence=settings.confidence, clustered=clustered
    )
    return high - low


def _difference_of_prompts(levels: Sequence[Sequence[int]], settings: AnalysisSettings) -> float:
    return difference_between_levels_of_prompts(
        [len(images) for images in levels],
        min(min(images) for images in levels),
        correlation=ALIKE,
        alpha=1 - settings.confidence,
    )


def _levels(study: CompositionStudy) -> list[list[int]]:
    """Return the images of each prompt, by level of the factor with most levels.

    Wordings count only where nothing else varies. Without factors, all prompts are one level.
    """
    found: dict[str, dict[str, list[int]]] = {}
    whole = [prompt.images for prompt in study.prompts()]
    for prompt in study.prompts():
        for factor, level in prompt.factors.items():
            found.setdefault(factor, {}).setdefault(level, []).append(prompt.images)
    own = [levels for name, levels in found.items() if name != TEMPLATE and len(levels) > 1]
    most = max(own or found.values(), key=len, default={"": whole})
    return list(most.values())
