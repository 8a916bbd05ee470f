"""The five verbs over one audit folder, for the CLI and for Python.

    plan -> generate -> measure -> analyze -> report

Each verb computes what is wanted minus what is present and appends, so calling one again, asking
for more images and adding a study are the same act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portrayal.analysis import AnalysisSettings, Results
from portrayal.analysis import analyze as analyze_audit
from portrayal.analysis.plan import DEFAULT_RATE, StudyPlan, plan_study
from portrayal.audit import Audit
from portrayal.errors import AuditError, NotAnAudit
from portrayal.generation import GenerationSummary, Generator, open_generator
from portrayal.generation import generate as generate_images
from portrayal.measurement import MeasurementSummary, open_encoder
from portrayal.measurement import measure as measure_images
from portrayal.report import write_figures, write_report
from portrayal.study import Study, load_studies, study_from_dict

OnProgress = Callable[[str, int, int], None]
DEFAULT_MODEL = "practice"
DEFAULT_ENCODER = "practice"


@dataclass(frozen=True, slots=True)
class Work:
    """What a verb is asked to do: which studies, with which model, in which folder."""

    out: Path
    studies: tuple[Study, ...]
    model: str = DEFAULT_MODEL
    settings: Mapping[str, Any] = field(default_factory=dict)
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    truncate: bool = False

    def wanted(self) -> list[tuple[str, int]]:
        """Return every prompt text with the number of images wanted of it."""
        return [(prompt.text, prompt.images) for s in self.studies for prompt in s.prompts()]

    def generator(self) -> Generator:
        """Load the model."""
        return open_generator(self.model, truncate=self.truncate, **self.settings)


def studies_for(question: str | Path | None, out: Path, images: int | None) -> tuple[Study, ...]:
    """Return the studies named, or those that the audit remembers where none is named."""
    if question is not None:
        studies = load_studies(question)
    else:
        remembered = Audit(out).studies()
        if not remembered:
            raise AuditError(f"{out}: no study was asked of this audit yet; name one")
        studies = tuple(study_from_dict(data, source=name) for name, data in remembered.items())
    return studies if images is None else tuple(study.with_images(images) for study in studies)


def plan(work: Work, *, rate: float = DEFAULT_RATE) -> list[StudyPlan]:
    """Say what the studies would cost and could detect, before anything is made."""
    audit = Audit(work.out) if (work.out / "audit.json").exists() else None
    return [plan_study(study, audit, rate=rate) for study in work.studies]


def generate(
    work: Work, *, on_progress: OnProgress, retry_failed: bool = False
) -> GenerationSummary | None:
    """Make the images that are missing; None where the audit's images were imported."""
    if is_imported(work.out):
        _remember(Audit(work.out), work.studies)
        return None
    generator = work.generator()
    generator.check(dict.fromkeys(text for text, _ in work.wanted()))
    audit = Audit.at(work.out, generator.identity)
    _remember(audit, work.studies)
    return generate_images(
        audit,
        generator,
        work.wanted(),
        on_progress=lambda done, total: on_progress("images", done, total),
        retry_failed=retry_failed,
    )


def measure(work: Work, *, on_progress: OnProgress) -> list[MeasurementSummary]:
    """Embed the images and texts that the studies need with every encoder asked for."""
    audit = Audit(work.out)
    _remember(audit, work.studies)
    texts = list(dict.fromkeys(text for study in work.studies for text in study.texts()))
    prompts = {text for text, _ in work.wanted()}
    return [
        measure_images(
            audit,
            [open_encoder(name, truncate=work.truncate)],
            prompts=prompts,
            texts=texts,
            on_progress=lambda done, total: on_progress("measured", done, total),
        )
        for name in work.encoders
    ]


def analyze(out: Path, *, settings: AnalysisSettings | None = None) -> Results:
    """Compute all findings of an audit anew and write results.json."""
    return analyze_audit(Audit(out), settings=settings or AnalysisSettings())


def report(out: Path) -> Path:
    """Write the report from results.json."""
    return write_report(Audit(out))


def figures(out: Path, formats: Sequence[str]) -> list[Path]:
    """Write every figure of the report as files beside it."""
    return write_figures(Audit(out), out / "report" / "figures", formats=formats)


def run(
    work: Work,
    *,
    on_progress: OnProgress = lambda what, done, total: None,
    settings: AnalysisSettings | None = None,
) -> Results:
    """Do all of it: make, measure, analyze, report."""
    generate(work, on_progress=on_progress)
    measure(work, on_progress=on_progress)
    results = analyze(work.out, settings=settings)
    report(work.out)
    return results


def is_imported(out: Path) -> bool:
    """Tell whether an audit's images came from a folder instead of a model."""
    try:
        return Audit(out).generator.kind == "folder"
    except NotAnAudit:
        return False


def _remember(audit: Audit, studies: Iterable[Study]) -> None:
    for study in studies:
        audit.remember_study(study.name, study.as_dict())


def names(studies: Sequence[Study]) -> str:
    """Return the studies' names in one line."""
    return ", ".join(study.name for study in studies)
