"""What studies would cost, before anything is generated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, is_number, one_of, shown
from portrayal.findings import (
    DEFAULT_RATE,
    TOGETHER,
    AnalysisSettings,
    Results,
    StudyPlan,
    plan_studies,
)
from portrayal.kinds import Requirement, kind_of, weights
from portrayal.plugins import registered_names
from portrayal.runner.requirements import requirements
from portrayal.runner.session import Place, Session, checked_analysis, place
from portrayal.runner.sizing import Pilot, SizeGoal, Sizing, sized
from portrayal.runner.studies import Asked, check_corpus, find_studies, remembered_studies
from portrayal.studies import Study, did_you_mean

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Plan:
    """What studies would cost, each alone and together.

    Attributes:
        studies: One for each study.
        together: All of them, where there are several: images that they share are counted once.
        is_imported: Whether the audit's images were imported, so that no generator makes more.
        sizes: What a width or an effect takes, for each study, where one was asked for.
        requirements: What the studies need, each with whether it is there.
        price: Per image; None: not known.
    """

    studies: tuple[StudyPlan, ...]
    together: StudyPlan | None
    is_imported: bool
    sizes: tuple[Sizing, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    price: float | None = None

    @property
    def cost(self) -> float | None:
        """What the images still to be generated cost; None without a price."""
        if self.price is None:
            return None
        whole = self.together or self.studies[0]
        return self.price * whole.missing

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {
            "studies": [one.as_dict() for one in self.studies],
            "together": None if self.together is None else self.together.as_dict(),
            "sizes": [one.as_dict() for one in self.sizes],
            "requirements": [one.as_dict() for one in self.requirements],
            "cost": self.cost,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame, one row per study; of several also one for all together."""
        import pandas as pd

        rows = [*self.studies, *([] if self.together is None else [self.together])]
        return pd.DataFrame([one.as_dict() for one in rows])

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False)
        return html


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What else a plan is asked for.

    Attributes:
        width: How many images intervals of this width take.
        effect: How many images it takes to find an effect of this size four times in five.
        pilot: An audit whose variance is taken for that; `out` where it has results.
        price: Per image.
        corpus: The training data, whose captions are searched for images.
        model: The generator, whose weights must be there.

    Raises:
        SettingError: A value cannot be.
    """

    width: float | None = None
    effect: float | None = None
    pilot: Place | None = None
    price: float | None = None
    corpus: Place | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        if self.price is not None and (not is_number(self.price) or self.price < 0):
            raise SettingError("price", f"is {shown(self.price)}; allowed: 0 or more, per image")
        if self.pilot is not None and self.goal is None:
            raise SettingError("pilot", "is for a width or an effect; give one of the two")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> PlanOptions:
        """Read options by name.

        Raises:
            SettingError: One is unknown.
        """
        allowed = [one.name for one in fields(cls)]
        for name in given:
            if name not in allowed:
                meant = did_you_mean(name, allowed)
                raise SettingError(name, f"is no setting{meant}; allowed: {one_of(allowed)}")
        return cls(**given)

    @property
    def goal(self) -> SizeGoal | None:
        """What images are wanted for, if anything."""
        if self.width is None and self.effect is None:
            return None
        return SizeGoal(self.width, self.effect)


def plan(
    asked: Asked,
    out: Place | None = None,
    *,
    images: int | None = None,
    rate: float = DEFAULT_RATE,
    analysis: AnalysisSettings | None = None,
    **options: Any,
) -> Plan:
    """Say what studies would cost, need and could detect, before anything is generated.

    Args:
        asked: The studies: see `find_studies`.
        out: An audit whose images count as generated; it need not be there.
        images: Images per prompt, instead of the studies' own.
        rate: Images per second.
        analysis: How they will be analyzed.
        options: The fields of `PlanOptions`: `width` or `effect`, `pilot`, `price`, `corpus`,
            `model`.

    Raises:
        SettingError: A rate that is none, training data that no study compares with, or another
            value that cannot be.
    """
    more = PlanOptions.of(options)
    if not is_number(rate) or rate <= 0:
        raise SettingError("rate", f"is {shown(rate)}; allowed: images per second, above 0")
    how = checked_analysis(analysis)
    session = None if out is None else Session(out)
    before = {} if session is None else session.remembered()
    audit = None if session is None else session.audit
    studies = find_studies(asked, before, images=images)
    corpus = None if more.corpus is None else Path(place("corpus", more.corpus))
    check_corpus(studies, corpus)
    drawn = [_as_drawn(study, before.get(study.name)) for study in studies]
    each = tuple(_planned(study, audit, rate=rate, settings=how) for study in drawn)
    several = len(studies) > 1
    together = plan_studies(drawn, audit, name=TOGETHER, rate=rate) if several else None
    needs = requirements(
        drawn,
        None if session is None else session.path,
        audit,
        corpus=corpus,
        missing=(together or each[0]).missing,
    )
    if more.model is not None:
        needs.insert(0, weights("weights", more.model, installed=registered_names()))
    sizes = _sizes(drawn, more, audit, rate=rate, settings=how)
    imported = audit is not None and audit.is_imported
    return Plan(each, together, imported, sizes, tuple(needs), more.price)


def _sizes(
    studies: Sequence[Study],
    options: PlanOptions,
    audit: AuditFolder | None,
    *,
    rate: float,
    settings: AnalysisSettings,
) -> tuple[Sizing, ...]:
    """Return what the goal takes; from a pilot's variance where there is one."""
    goal = options.goal
    if goal is None:
        return ()
    source = audit if options.pilot is None else AuditFolder(place("pilot", options.pilot))
    pilot = None
    if source is not None and (options.pilot is not None or source.results_file.exists()):
        pilot = Results.read(source)
    known = remembered_studies(source) if pilot is not None else {}
    if options.pilot is not None and not any(study.name in known for study in studies):
        names = one_of([study.name for study in studies])
        raise SettingError(
            "pilot",
            f"is {shown(str(options.pilot))}, which has no {names}; its studies: "
            f"{one_of(list(known)) or 'none'}; name an audit of the study, or leave it out",
        )
    return tuple(
        sized(
            study,
            goal,
            settings,
            pilot=Pilot(pilot, known[study.name].images)
            if pilot is not None and study.name in known
            else None,
            audit=audit,
            rate=rate,
            price=options.price,
        )
        for study in studies
    )


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
