"""What studies would cost, before anything is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from portrayal import training_examples
from portrayal.analysis.amplification_plan import with_captions
from portrayal.analysis.influence_plan import plan_influence
from portrayal.analysis.plan import DEFAULT_RATE, StudyPlan, plan_study, plan_together
from portrayal.audit import Audit
from portrayal.errors import StudyError
from portrayal.language.drawing import carried_over
from portrayal.study import AmplificationStudy, InfluenceStudy, Study


def plan(
    studies: Sequence[Study], out: Path | None = None, *, rate: float = DEFAULT_RATE
) -> list[StudyPlan]:
    """Say what studies would cost and could detect, before anything is made.

    Args:
        studies: The studies.
        out: An audit whose images count as made; it need not be there.
        rate: Pictures a second.
    """
    audit = _audit_to_plan_in(out, rate)
    return [_planned(_as_drawn(study, audit), audit, rate) for study in studies]


def plan_all(
    studies: Sequence[Study], out: Path | None = None, *, rate: float = DEFAULT_RATE
) -> StudyPlan:
    """Say what studies would cost together: images that several of them want are made once.

    Args:
        studies: The studies. Those of influence draw texts of their own, so they share nothing.
        out: An audit whose images count as made; it need not be there.
        rate: Pictures a second.
    """
    audit = _audit_to_plan_in(out, rate)
    drawn = [_as_drawn(study, audit) for study in studies]
    own = [_planned(one, audit, rate) for one in drawn if isinstance(one, InfluenceStudy)]
    sharing = [one for one in drawn if not isinstance(one, InfluenceStudy)]
    total = plan_together(sharing, audit, others=own, rate=rate)
    for one in sharing:
        if isinstance(one, AmplificationStudy):
            total = with_captions(total, one, rate=rate)
    return replace(total, detectable="")


def _audit_to_plan_in(out: Path | None, rate: float) -> Audit | None:
    if not 0 < rate < math.inf:
        raise StudyError(f"rate is {rate}; allowed: pictures a second, above 0")
    return Audit(out) if out is not None and (out / "audit.json").exists() else None


def _as_drawn(study: Study, audit: Audit | None) -> Study:
    """Return a study with the captions or texts that the audit has drawn for it."""
    if audit is None:
        return study
    if isinstance(study, AmplificationStudy):
        return training_examples.carried_over(study, audit)
    if not isinstance(study, InfluenceStudy):
        return study
    stored = audit.studies().get(study.name)
    return study if stored is None else carried_over(study, stored)


def _planned(study: Study, audit: Audit | None, rate: float) -> StudyPlan:
    if isinstance(study, AmplificationStudy):
        return with_captions(plan_study(study, audit, rate=rate), study, rate=rate)
    if isinstance(study, InfluenceStudy):
        return plan_influence(study, audit, rate=rate)
    return plan_study(study, audit, rate=rate)
