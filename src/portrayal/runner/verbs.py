"""The verbs after measuring: analyze, report; and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from portrayal.findings import Results
from portrayal.generators import GenerationSummary
from portrayal.kinds.influence import Explanation, explanation
from portrayal.measurers import MeasurementSummary
from portrayal.report import write_figures, write_report
from portrayal.runner.analysis import analyze as analyze_audit
from portrayal.runner.generation import Imported, check, generate
from portrayal.runner.measurement import measure, study_data
from portrayal.runner.session import Session
from portrayal.studies import in_telling_order


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What all verbs together came to."""

    made: GenerationSummary | Imported
    measured: Sequence[MeasurementSummary]
    results: Results
    page: Path


def analyze(session: Session) -> Results:
    """Recompute all findings of an audit and write results.json.

    Args:
        session: The session; its studies join those that the audit remembers.
    """
    audit = session.opened()
    session.draw()
    session.remember()
    studies = in_telling_order(session.remembered().values())
    return analyze_audit(audit, studies=studies, settings=session.analysis)


def report(session: Session) -> Path:
    """Write the report from results.json."""
    return write_report(session.opened())


def figures(session: Session, formats: Sequence[str]) -> list[Path]:
    """Write every figure of the report as files beside it."""
    audit = session.opened()
    return write_figures(audit, audit.figures_folder, formats=formats)


def run(session: Session, *, retry_failed: bool = False) -> RunSummary:
    """Run the whole pipeline: generate, measure, analyze, report.

    Args:
        session: The session.
        retry_failed: Generate again what failed in an earlier run.
    """
    check(session)
    # First, so that a mistyped measurer is known before hours of generation, not after.
    _ = session.measurers
    made = generate(session, retry_failed=retry_failed, measuring=True)
    measured = measure(session)
    results = analyze(session)
    return RunSummary(made, measured, results, report(session))


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
