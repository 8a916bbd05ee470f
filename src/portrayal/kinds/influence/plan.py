"""What an influence study could detect."""

from __future__ import annotations

import math

from portrayal.kinds import Requirement, extra, weights
from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.language import language_kinds
from portrayal.statistics import detectable_share_difference


def detectable(study: InfluenceStudy) -> str:
    """Say what one word must do to be found four times in five, where texts do not differ."""
    points = 100 * difference(study)
    if math.isnan(points):
        return "nothing: too few images"
    return f"a word that moves a share by {points:.0f} points"


def difference(study: InfluenceStudy) -> float:
    """Return the difference of shares that one word must cause."""
    each = study.draws * study.images
    return detectable_share_difference(each, each)


def requirements(study: InfluenceStudy) -> list[Requirement]:
    """Return what draws the texts, unless they are drawn already."""
    source = study.transmuter
    if study.drawn is not None or source.by == "list":
        return []
    if source.by == "wordnet":
        return [extra("language", "nltk")]
    installed = [name for kind in language_kinds("words") for name in kind.names]
    return [
        extra("models", "torch", "transformers"),
        weights("word model", source.model, installed=installed),
    ]
