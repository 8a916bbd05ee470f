"""The verbs after making: measure, analyze, report; and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from portrayal.audit import Audit
from portrayal.findings.settings import AnalysisSettings
from portrayal.generators import GenerationSummary
from portrayal.kinds import kind_of
from portrayal.measurers import Encoder, MeasurementSummary, require_valid
from portrayal.measurers import measure as measure_images
from portrayal.report import write_figures, write_report
from portrayal.runner.analysis import Results
from portrayal.runner.analysis import analyze as analyze_audit
from portrayal.runner.making import Imported, check, generate
from portrayal.runner.studies import remember, with_texts
from portrayal.runner.work import OnProgress, Work
from portrayal.studies.schema import Study, asked_groups


@dataclass(frozen=True, slots=True)
class Done:
    """What all verbs together came to."""

    made: GenerationSummary | Imported
    measured: Sequence[MeasurementSummary]
    results: Results
    page: Path


def measure(
    work: Work, *, on_progress: OnProgress, encoders: Sequence[Encoder] | None = None
) -> list[MeasurementSummary]:
    """Embed the images and texts that the studies need with every encoder asked for.

    Args:
        work: What is asked.
        on_progress: Called with what, done and total.
        encoders: Those of the work where they are loaded already.
    """
    audit = Audit(work.out)
    # First, so that what cannot be opened is known before hours of looking, not after.
    opened = encoders or work.open_encoders()
    require_valid([encoder.identity for encoder in opened], audit.generator)
    people = work.people_encoders(opened)
    work = replace(work, studies=with_texts(work.studies, work.out))
    remember(audit, work.studies)
    texts = list(dict.fromkeys(text for study in work.studies for text in study.texts()))
    prompts = work.prompts()
    done = [
        measure_images(
            audit,
            [encoder],
            prompts=prompts,
            texts=texts,
            axes=asked_groups(work.studies),
            on_progress=lambda done, total: on_progress("measured", done, total),
        )
        for encoder in opened
    ]
    done += [
        measure_images(
            audit,
            [each],
            prompts=prompts,
            on_progress=lambda done, total: on_progress("people", done, total),
        )
        for each in people
    ]
    by_kind: dict[str, list[Study]] = {}
    for study in work.studies:
        by_kind.setdefault(study.kind, []).append(study)
    for studies in by_kind.values():
        kind = kind_of(studies[0])
        done += kind.measure_more(studies, audit, opened, on_progress=on_progress)
    return done


def analyze(
    out: Path,
    *,
    studies: Sequence[Study] = (),
    settings: AnalysisSettings | None = None,
) -> Results:
    """Compute all findings of an audit anew and write results.json.

    Args:
        out: The audit.
        studies: Studies that join those of the audit.
        settings: How.
    """
    audit = Audit(out)
    remember(audit, with_texts(studies, out))
    return analyze_audit(audit, settings=settings or AnalysisSettings())


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
    retry_failed: bool = False,
    settings: AnalysisSettings | None = None,
) -> Done:
    """Do all of it: make, measure, analyze, report."""
    check(work)
    # First, so that a mistyped encoder is known before hours of generation, not after.
    encoders = work.open_encoders()
    made = generate(work, on_progress=on_progress, retry_failed=retry_failed, encoders=encoders)
    measured = measure(work, on_progress=on_progress, encoders=encoders)
    results = analyze(work.out, settings=settings)
    return Done(made, measured, results, report(work.out))
