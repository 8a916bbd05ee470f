"""What studies would cost, before anything is generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, is_number, shown
from portrayal.findings import DEFAULT_RATE, TOGETHER, AnalysisSettings, StudyPlan, plan_studies
from portrayal.kinds import kind_of
from portrayal.runner.session import Place, Session, checked_analysis
from portrayal.runner.studies import Asked, find_studies, remembered_studies
from portrayal.studies import Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Plan:
    """What studies would cost, each alone and together.

    Attributes:
        studies: One for each study.
        together: All of them, where there are several: images that they share are counted once.
        is_imported: Whether the audit's images were imported, so that no generator makes more.
    """

    studies: tuple[StudyPlan, ...]
    together: StudyPlan | None
    is_imported: bool

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame, one row per study; of several also one for all together."""
        import pandas as pd

        rows = [*self.studies, *([] if self.together is None else [self.together])]
        return pd.DataFrame([one.as_dict() for one in rows])

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False)
        return html


def plan(
    asked: Asked,
    out: Place | None = None,
    *,
    images: int | None = None,
    rate: float = DEFAULT_RATE,
    analysis: AnalysisSettings | None = None,
) -> Plan:
    """Say what studies would cost and could detect, before anything is generated.

    Args:
        asked: The studies: see `find_studies`.
        out: An audit whose images count as generated; it need not be there.
        images: Images per prompt, instead of the studies' own.
        rate: Images per second.
        analysis: How they will be analyzed.

    Raises:
        SettingError: A rate that is none, or another value that cannot be.
    """
    if not is_number(rate) or rate <= 0:
        raise SettingError("rate", f"is {shown(rate)}; allowed: images per second, above 0")
    how = checked_analysis(analysis)
    session = None if out is None else Session(out)
    before = {} if session is None else session.remembered()
    audit = None if session is None else session.audit
    studies = find_studies(asked, before, images=images)
    drawn = [_as_drawn(study, before.get(study.name)) for study in studies]
    each = tuple(_planned(study, audit, rate=rate, settings=how) for study in drawn)
    several = len(studies) > 1
    together = plan_studies(drawn, audit, name=TOGETHER, rate=rate) if several else None
    return Plan(each, together, audit is not None and audit.is_imported)


def plan_study(
    study: Study,
    audit: AuditFolder | None = None,
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
    before = remembered_studies(audit, [study]).get(study.name)
    return _planned(_as_drawn(study, before), audit, rate=rate, settings=settings)


def _planned(
    study: Study, audit: AuditFolder | None, *, rate: float, settings: AnalysisSettings | None
) -> StudyPlan:
    detectable = kind_of(study).detectable(study, settings or AnalysisSettings())
    return plan_studies([study], audit, name=study.name, rate=rate, detectable=detectable)


def _as_drawn(study: Study, before: Study | None) -> Study:
    """Return a study with the captions or texts that the audit has drawn for it."""
    drawn: Study = study if before is None else kind_of(study).carry_over(study, before)
    return drawn
