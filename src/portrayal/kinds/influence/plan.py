"""What an influence study could detect."""

from __future__ import annotations

import math

from portrayal.kinds.influence.schema import InfluenceStudy
from portrayal.statistics import detectable_share_difference


def detectable(study: InfluenceStudy) -> str:
    """Say what one word must do to be found four times in five, where texts do not differ."""
    each = study.draws * study.images
    difference = detectable_share_difference(each, each)
    if math.isnan(difference):
        return "nothing: too few images"
    return f"a word that moves a share by {100 * difference:.0f} points"
