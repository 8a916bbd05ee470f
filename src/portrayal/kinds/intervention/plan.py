"""What an intervention study could detect."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from portrayal.findings import AnalysisSettings, reach_in_words
from portrayal.kinds.intervention.schema import InterventionStudy


def detectable(study: InterventionStudy, settings: AnalysisSettings) -> str:
    """Return the changes of leaning that would show four times in five, in words."""
    return reach_in_words("change of leaning", _changes(study, settings))


def weakest(study: InterventionStudy, settings: AnalysisSettings) -> float:
    """Return the change that would show on every axis; infinite where none would."""
    return max(math.inf if math.isnan(one) else one for one in _changes(study, settings))


def _changes(study: InterventionStudy, settings: AnalysisSettings) -> list[float]:
    axes = dict.fromkeys(axis for category in study.categories for axis in category.axes)
    return [_detectable_change(study, axis, settings) for axis in axes]


def _detectable_change(study: InterventionStudy, axis: str, settings: AnalysisSettings) -> float:
    """Return the change of leaning that an intervention must cause to be found four times in five.

    Normal approximation for attributes of which three images in four show one group; weighting
    them by their usual leaning costs a fifth of them. NaN where even a change from one group only
    to even shares would not do.
    """
    attributes = sum(len(part.attributes) for part in study.categories if axis in part.axes)
    variance = 2 * (1 - 0.5**2) / (study.images * attributes * 0.8)
    quantiles = stats.norm.ppf([0.5 + settings.confidence / 2, 0.8])
    change = float(np.sum(quantiles)) * math.sqrt(variance)
    return change if change <= 1 else math.nan
