"""What an association study could detect."""

from __future__ import annotations

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
