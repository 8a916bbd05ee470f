"""What an amplification study costs, captions as prompts included."""

from __future__ import annotations

from dataclasses import replace

from portrayal.analysis.plan import StudyPlan
from portrayal.study.amplification import AmplificationStudy


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
    )
