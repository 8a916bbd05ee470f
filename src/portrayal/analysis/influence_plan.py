"""What an influence study costs and could detect, once its texts are drawn."""

from __future__ import annotations

import math

from portrayal.analysis.plan import DEFAULT_RATE, StudyPlan
from portrayal.audit import Audit
from portrayal.audit.listed import missing_requests
from portrayal.statistics.power import detectable_share_difference
from portrayal.study import InfluenceStudy


def plan_influence(
    study: InfluenceStudy, audit: Audit | None = None, *, rate: float = DEFAULT_RATE
) -> StudyPlan:
    """Say what a study costs in this audit, and what it could detect.

    Before its texts are drawn the numbers are those of `InfluenceStudy.cost`, which may count an
    image that two prompts share twice.

    Args:
        study: The study.
        audit: Where its images go; None: a new audit.
        rate: Pictures a second.
    """
    cost = study.cost()
    texts, images, missing = cost.texts, cost.images, cost.images
    if study.is_drawn():
        requests = study.requests()
        texts = len({request.prompt for request in requests})
        images = missing = len(requests)
        if audit is not None:
            missing = int(missing_requests(audit, requests).num_rows)
    return StudyPlan(
        study=study.name,
        prompts=texts,
        images=images,
        present=images - missing,
        missing=missing,
        seconds=missing / rate,
        detectable=_detectable(study),
    )


def _detectable(study: InfluenceStudy) -> str:
    """Say what one word must do to be found four times in five, where texts do not differ."""
    each = study.draws * study.images
    difference = detectable_share_difference(each, each)
    if math.isnan(difference):
        return "nothing: too few images"
    return f"a word that moves a share by {100 * difference:.0f} points"
