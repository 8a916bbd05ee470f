"""What studies would cost, before anything is generated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from portrayal.audit import Audit
from portrayal.errors import StudyError
from portrayal.findings.plan import DEFAULT_RATE, TOGETHER, StudyPlan, plan_studies
from portrayal.findings.settings import AnalysisSettings
from portrayal.kinds import kind_of
from portrayal.studies.schema import Study


def plan(
    studies: Sequence[Study],
    out: Path | None = None,
    *,
    rate: float = DEFAULT_RATE,
    settings: AnalysisSettings | None = None,
) -> list[StudyPlan]:
    """Say what studies would cost and could detect, before anything is generated.

    Args:
        studies: The studies.
        out: An audit whose images count as generated; it need not be there.
        rate: Images per second.
        settings: How they will be analyzed.
    """
    audit = _audit_to_plan_in(out, rate)
    return [plan_study(study, audit, rate=rate, settings=settings) for study in studies]


def plan_study(
    study: Study,
    audit: Audit | None = None,
    *,
    rate: float = DEFAULT_RATE,
    settings: AnalysisSettings | None = None,
) -> StudyPlan:
    """Say what one study would cost and could detect.

    Args:
        study: The study.
        audit: Where its images go; None: a new audit.
        rate: Images per second.
        settings: How it will be analyzed.
    """
    detectable = kind_of(study).detectable(study, settings or AnalysisSettings())
    drawn = [_as_drawn(study, audit)]
    return plan_studies(drawn, audit, name=study.name, rate=rate, detectable=detectable)


def plan_all(
    studies: Sequence[Study], out: Path | None = None, *, rate: float = DEFAULT_RATE
) -> StudyPlan:
    """Say what studies would cost together: images that several of them want are generated once.

    Args:
        studies: The studies.
        out: An audit whose images count as generated; it need not be there.
        rate: Images per second.
    """
    audit = _audit_to_plan_in(out, rate)
    drawn = [_as_drawn(study, audit) for study in studies]
    return plan_studies(drawn, audit, name=TOGETHER, rate=rate)


def _audit_to_plan_in(out: Path | None, rate: float) -> Audit | None:
    if not 0 < rate < math.inf:
        raise StudyError(f"rate is {rate}; allowed: images per second, above 0")
    return Audit(out) if out is not None and (out / "audit.json").exists() else None


def _as_drawn(study: Study, audit: Audit | None) -> Study:
    """Return a study with the captions or texts that the audit has drawn for it."""
    if audit is None:
        return study
    drawn: Study = kind_of(study).carry_over(study, audit)
    return drawn
