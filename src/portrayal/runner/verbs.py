"""The verbs after measuring: analyze, report; and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from portrayal.errors import SettingError
from portrayal.findings import Results
from portrayal.generators import GenerationSummary
from portrayal.kinds.influence import Explanation, explanation
from portrayal.measurers import MeasurementSummary
from portrayal.report import remove_outdated, write_figures, write_report, write_tables
from portrayal.runner.analysis import analyze as analyze_audit
from portrayal.runner.generation import Imported, check, generate
from portrayal.runner.measurement import measure, study_data
from portrayal.runner.session import Session
from portrayal.runner.until import Outcome, Stopping, Until
from portrayal.studies import in_telling_order


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What all verbs together came to."""

    made: GenerationSummary | Imported
    measured: Sequence[MeasurementSummary]
    results: Results
    page: Path
    outcome: Outcome | None = None


def analyze(session: Session, *, stopping: Stopping | None = None) -> Results:
    """Recompute all findings of an audit and write results.json.

    Args:
        session: The session; its studies join those that the audit remembers.
        stopping: The planned looks that this analysis is one of.
    """
    audit = session.opened()
    session.draw()
    session.remember()
    studies = in_telling_order(session.remembered().values())
    if stopping is None:
        return analyze_audit(audit, studies=studies, settings=session.analysis)
    return analyze_audit(
        audit,
        studies=studies,
        settings=session.analysis,
        planned=stopping.planned(session.studies),
        bounds=stopping.until.width is not None,
    )


def report(session: Session) -> Path:
    """Write the report from results.json; figures and tables of earlier results go."""
    audit = session.opened()
    page = write_report(audit)
    for folder in (audit.figures_folder, audit.tables_folder):
        remove_outdated(audit, folder)
    return page


def figures(session: Session, formats: Sequence[str]) -> list[Path]:
    """Write every figure of the report as files beside it."""
    audit = session.opened()
    written = write_figures(audit, audit.figures_folder, formats=formats)
    remove_outdated(audit, audit.figures_folder, written)
    return written


def tables(session: Session, formats: Sequence[str]) -> list[Path]:
    """Write the findings and every table of the report as files beside it."""
    audit = session.opened()
    written = write_tables(audit, audit.tables_folder, formats=formats)
    remove_outdated(audit, audit.tables_folder, written)
    return written


def run(
    session: Session,
    *,
    retry_failed: bool = False,
    until: str | Until | None = None,
    max_images: int | None = None,
) -> RunSummary:
    """Run the whole pipeline: generate, measure, analyze, report.

    Args:
        session: The session.
        retry_failed: Generate again what failed in an earlier run.
        until: Generate in rounds and stop early: "decided", or "width=0.1". None: all images.
        max_images: With `until`, most images in all, where the studies ask for more.

    Raises:
        SettingError: `until` or `max_images` cannot be.
    """
    if until is None and max_images is not None:
        raise SettingError("max_images", "is for runs with until; to ask for fewer, give images")
    check(session)
    # First, so that a mistyped measurer is known before hours of generation, not after.
    _ = session.measurers
    if until is None:
        made = generate(session, retry_failed=retry_failed, measuring=True)
        measured = measure(session)
        results = analyze(session)
        return RunSummary(made, measured, results, report(session))
    stopping = Stopping(session, Until.read(until), max_images=max_images)

    def look() -> bool:
        measure(session)
        return stopping.advance(session, analyze(session, stopping=stopping))

    made = generate(session, retry_failed=retry_failed, measuring=True, look=look)
    measured = measure(session)
    results = analyze(session, stopping=stopping)
    outcome = stopping.outcome(session, results)
    return RunSummary(made, measured, results, report(session), outcome)


def explain(session: Session, *, retry_failed: bool = False) -> Explanation:
    """Run a session that asks about the words of one prompt, and say which word causes it.

    Args:
        session: The session; its only study is that of a `PromptQuestion`. Of several measurers
            the first one's answer is given; the report has all.
        retry_failed: Generate again what failed in an earlier run.
    """
    done = run(session, retry_failed=retry_failed)
    (study,) = session.studies
    made = 0 if isinstance(done.made, Imported) else done.made.made
    data, *_ = study_data(session, study)
    return explanation(study, data, session.analysis, made=made, report=done.page)
