"""What an association study could detect."""

from __future__ import annotations

import math

from scipy import stats

from portrayal.findings import AnalysisSettings, reach_in_words
from portrayal.kinds.association.schema import AssociationStudy, Contrast
from portrayal.statistics import detectable_effect


def detectable(study: AssociationStudy, settings: AnalysisSettings) -> str:
    """Return the effect sizes that contrasts would show four times in five, in words.

    Associations of two images of one prompt are taken to be correlated by 0.5.
    """
    effects = [_detectable_d(study, contrast, settings) for contrast in study.contrasts]
    return reach_in_words("d", effects) if effects else ""


def _detectable_d(study: AssociationStudy, contrast: Contrast, settings: AnalysisSettings) -> float:
    n_x, n_y = (len(study.concepts[name].words) for name in contrast)
    by_prompt = settings.unit == "prompt"
    return detectable_effect(
        n_x if by_prompt else n_x * study.images,
        n_y if by_prompt else n_y * study.images,
        images_per_unit=study.images if by_prompt else 1,
        alpha=1 - settings.confidence,
        alternative=settings.alternative,
    )


def weakest(study: AssociationStudy, settings: AnalysisSettings) -> float:
    """Return the effect size that every contrast would show; infinite where one shows none."""
    effects = [_detectable_d(study, contrast, settings) for contrast in study.contrasts]
    return max((math.inf if math.isnan(one) else one for one in effects), default=math.nan)


def widest(study: AssociationStudy, settings: AnalysisSettings) -> float:
    """Return how wide the widest interval of d would be where there is no effect."""
    widths = []
    for contrast in study.contrasts:
        n_x, n_y = (len(study.concepts[name].words) for name in contrast)
        each = 0.5 + 0.5 / study.images if settings.unit == "prompt" else 1 / study.images
        if n_x + n_y > 2:
            t = float(stats.t.ppf(0.5 + settings.confidence / 2, n_x + n_y - 2))
            widths.append(2 * t * math.sqrt(each * (1 / n_x + 1 / n_y)))
    return max(widths, default=math.nan)
