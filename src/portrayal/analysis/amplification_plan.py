"""What an amplification study costs, captions as prompts included, and what it could detect."""

from __future__ import annotations

import math
from dataclasses import replace

from scipy import stats

from portrayal.analysis.plan import StudyPlan
from portrayal.study.amplification import AmplificationStudy

SPREAD = 12.0
"""Standard deviation of amplification over occupations, in points: that of the practice model over
its 76 occupations (11.4 points, 95 % interval 8.7 to 14.2). A plan needs some number."""


def with_captions(plan: StudyPlan, study: AmplificationStudy, *, rate: float) -> StudyPlan:
    """Return a plan that counts the captions that will be prompts, too.

    Args:
        plan: Of the prompts that are known.
        study: The study; once its captions are drawn they are in the plan already.
        rate: Pictures a second.
    """
    more = study.undrawn_images()
    return replace(
        plan,
        prompts=plan.prompts + more // study.caption_images,
        images=plan.images + more,
        missing=plan.missing + more,
        seconds=plan.seconds + more / rate,
        detectable=detectable(len(study.occupations)),
    )


def detectable(occupations: int, *, alpha: float = 0.05) -> str:
    """Return the mean amplification that a study would find four times in five, in words.

    Args:
        occupations: How many count.
        alpha: Level of the t-test.
    """
    if occupations < 2:
        return "nothing: too few occupations"
    quantile = float(stats.t.ppf(1 - alpha / 2, occupations - 1)) + float(stats.norm.ppf(0.8))
    points = quantile * SPREAD / math.sqrt(occupations)
    return (
        f"amplification of {points:.1f} points" if points < 50 else "nothing: too few occupations"
    )
