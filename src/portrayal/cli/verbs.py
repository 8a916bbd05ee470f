"""run, plan, generate, measure, analyze, report.

`run` takes no options of the analysis: `analyze` recomputes everything within seconds, without a
model, and is the place for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.analysis_options import with_analysis
from portrayal.cli.compare import run_each
from portrayal.cli.engine_options import with_engine
from portrayal.cli.exit_codes import in_options
from portrayal.cli.following import following, say_unmeasured
from portrayal.cli.measurer_options import with_calls, with_measurers
from portrayal.cli.model_options import with_device, with_model_settings

if TYPE_CHECKING:
    from portrayal.audit import AuditFolder
    from portrayal.findings import Results
    from portrayal.generators import GenerationSummary
    from portrayal.runner import Imported, RunSummary, Session


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the app, in the order of the work."""
    for verb in (run, plan, generate, measure, analyze, report):
        app.command(rich_help_panel="Run")(verb)


@with_engine
@with_model_settings
@with_measurers
@with_calls
def run(
    study: o.StudyOrImages,
    out: o.Out,
    model: o.SeveralModels = None,
    images: o.Images = None,
    corpus: o.Corpus = None,
    real_world: o.RealWorld = None,
    until: o.Until = None,
    truncate: o.Truncate = False,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    measurers: Sequence[str],
    calls: dict[str, Any],
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Run the whole pipeline: plan, generate, measure, analyze, report.

    A folder of images is imported and asked who is shown: its subfolders, or the prompts of its
    manifest.csv, side by side.

    With several models: one audit for each under the folder --out, and a comparison of them.
    """
    from portrayal import runner

    most = None if until is None else settings.pop("max_images", None)
    asked = runner.brought(study, out, say=console.say)

    def session_of(name: str | None, place: Path) -> Session:
        models = runner.Models(
            name, dict(settings), measurers, truncate=truncate, engine=engine, calls=calls
        )
        session = runner.Session(place, models=models, corpus=corpus)
        session.ask(asked, images=images)
        if real_world is not None:
            session.studies = runner.with_real_world(session.studies, real_world)
        return session

    def carry_out_one(name: str, place: Path) -> Session:
        session = session_of(name, place)
        done = execute(session, json, retry_failed=retry_failed, until=until, max_images=most)
        if not json:
            say_made(done.made, session)
            say_unmeasured(done.measured)
            console.say(f"report: {done.page}")
        return session

    if model is not None and len(model) > 1:
        run_each(model, out, carry_out_one, json=json)
        return
    session = session_of(model[0] if model else None, out)
    carry_out(session, retry_failed=retry_failed, json=json, until=until, max_images=most)


def execute(session: Session, quiet: bool, **settings: Any) -> RunSummary:
    """Run the whole pipeline with progress shown; settings as of `runner.run`."""
    from portrayal import runner

    say_reworded(session)
    title = f"{runner.names(session.studies)} · {session.generator_label} · {session.path}"
    with following(session, quiet, title):
        return runner.run(session, **settings)


def carry_out(
    session: Session,
    *,
    retry_failed: bool,
    json: bool,
    until: str | None = None,
    max_images: int | None = None,
) -> None:
    """Run the whole pipeline with progress shown, and print the findings."""
    from portrayal.audit import quoted

    done = execute(session, json, retry_failed=retry_failed, until=until, max_images=max_images)
    results = done.results
    outcome = done.outcome
    if json:
        ended = {} if outcome is None else {"until": outcome.as_dict()}
        console.as_json({**results.as_dict(), **ended})
        return
    say_made(done.made, session)
    say_unmeasured(done.measured)
    console.findings(results, quoted(session.path))
    for line in () if outcome is None else outcome.sentences():
        console.say(line)
    say_left_out(results, session.opened())
    console.say(f"report: {done.page}")
    console.say(f"all images, to filter and correct labels: portrayal view {quoted(session.path)}")


def say_made(made: GenerationSummary | Imported, session: Session) -> None:
    """Say what was generated, and why images failed or were refused."""
    from portrayal.audit import outcomes

    console.say(in_options(made.sentence()))
    counts = made.as_dict()
    if counts.get("failed") or counts.get("failed_before"):
        why = outcomes.reasons(session.opened(), "failed")[0][0]
        console.say(f"most failed with: {in_options(why)}")
    if counts.get("refused") or counts.get("refused_before"):
        why = outcomes.reasons(session.opened(), "refused")[0][0]
        console.say(f"most refused for: {in_options(why)}")


def say_left_out(results: Results, audit: AuditFolder) -> None:
    """Remark what an answer leaves out: what is gone, is too much, or nobody measured."""
    from portrayal.audit import outcomes
    from portrayal.runner import measure_command, unused_images, unused_settings

    command = measure_command(audit)
    for gone in outcomes.gaps(audit):
        console.say(f"warning: {gone}")
    for section in results.studies:
        if section.unused:
            console.say(f"{section.study}: the {unused_images(section.unused)}")
        for line in [
            *section.unmeasured(command),
            *unused_settings(section.kind, results.settings),
        ]:
            console.say(f"{section.study}: {line}")


def say_reworded(session: Session) -> None:
    """Remark where a study takes the place of another one of its name."""
    from portrayal import runner

    for name in runner.reworded(session.studies, session.remembered()):
        console.say(
            f"{name}: the audit contains another study of this name, which this one now replaces; "
            "to keep both, give one another name"
        )


def plan(
    study: o.StudyName,
    out: o.MaybeOut = None,
    images: o.Images = None,
    rate: o.Rate = 4.0,
    width: o.Width = None,
    effect: o.Effect = None,
    pilot: o.Pilot = None,
    price: o.Price = None,
    corpus: o.Corpus = None,
    model: o.Model = None,
    json: o.Json = False,
) -> None:
    """Estimate images, time, cost and detectable effect, and list what is missing.

    With --width or --effect: how many images it takes, from a pilot where there is one.
    """
    from portrayal import runner

    found = runner.plan(
        study, out, images=images, rate=rate, width=width, effect=effect, pilot=pilot,
        price=price, corpus=corpus, model=model,
    )  # fmt: skip
    if json:
        console.as_json(found.as_dict())
        return
    console.plans(found.studies, found.together)
    for size in found.sizes:
        console.paragraph(in_options(size.sentence()))
    for need in found.requirements:
        console.paragraph(in_options(need.sentence()))
    if found.cost is not None:
        console.paragraph(f"cost of the images to be generated: {found.cost:,.2f}")
    if found.is_imported:
        console.say("its images were imported: what is missing, no model makes")
        return
    console.say(f"time at {rate:g} images per second; --rate for yours")


@with_engine
@with_model_settings
def generate(
    target: o.Target = None,
    out: o.MaybeOut = None,
    model: o.Model = None,
    images: o.Images = None,
    corpus: o.Corpus = None,
    truncate: o.Truncate = False,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Generate the images that are missing."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    models = runner.Models(model, settings, truncate=truncate, engine=engine)
    session = runner.Session(folder, models=models, corpus=corpus)
    session.ask(study, images=images)
    with following(session, json):
        made = runner.generate(session, retry_failed=retry_failed)
    if json:
        console.as_json(made.as_dict())
    else:
        say_made(made, session)


@with_measurers
@with_calls
@with_device
def measure(
    target: o.Target = None,
    out: o.MaybeOut = None,
    people: o.People = None,
    truncate: o.Truncate = False,
    json: o.Json = False,
    *,
    device: str | None,
    measurers: Sequence[str],
    calls: dict[str, Any],
) -> None:
    """Measure the images with one measurer or several; results show them side by side."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    models = runner.Models(
        settings={"device": device},
        measurers=measurers,
        people=people,
        truncate=truncate,
        calls=calls,
    )
    session = runner.Session(folder, models=models)
    session.ask_again(study)
    session.continue_measurers()
    with following(session, json):
        summaries = runner.measure(session)
    if json:
        console.as_json([one.as_dict() for one in summaries])
    else:
        for one in summaries:
            console.say(one.sentence())


@with_analysis
def analyze(
    target: o.Target = None,
    out: o.MaybeOut = None,
    json: o.Json = False,
    *,
    analysis: Any,
) -> None:
    """Recompute all findings from what was measured; needs no model and no GPU.

    A study that is named joins those of the audit. All of them are computed, because the
    correction of p-values goes over all questions of an audit.
    """
    from portrayal import runner
    from portrayal.audit import quoted

    study, folder = o.study_and_folder(target, out)
    session = runner.Session(folder, analysis=analysis)
    session.ask_again(study)
    say_reworded(session)
    results = runner.analyze(session)
    if json:
        console.as_json(results.as_dict())
        return
    console.findings(results, quoted(folder))
    say_left_out(results, session.opened())
    if session.opened().has_report and not session.opened().report_is_current:
        console.say(f"the report is out of date; run: portrayal report {quoted(folder)}")


def report(
    target: o.Reported = None,
    out: o.MaybeOut = None,
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--figures",
            metavar="FORMAT",
            help="Also write every figure as svg, pdf or png; may be repeated.",
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--tables",
            metavar="FORMAT",
            help="Also write every table as csv, latex or markdown; may be repeated.",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    """Write the report: one HTML file that opens without a network."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    session = runner.Session(folder)
    session.ask(study)  # a page is about all; a mistyped name still is wrong
    files = {
        "figures": runner.figures(session, figures) if figures else [],
        "tables": runner.tables(session, tables) if tables else [],
    }
    page = runner.report(session)
    if json:
        written = {name: [str(file) for file in found] for name, found in files.items()}
        console.as_json({"report": str(page), **written})
        return
    for file in files["figures"]:
        console.say(f"figure: {file}")
    if files["tables"]:
        console.say(f"tables: {len(files['tables'])} files in {files['tables'][0].parent}")
    console.say(f"report: {page}")
