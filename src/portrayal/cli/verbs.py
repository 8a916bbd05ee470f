"""run, plan, generate, measure, analyze, report.

`run` takes no options of the analysis: `analyze` computes everything anew within seconds, without
a model, and is the place for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.engine_options import with_engine
from portrayal.cli.model_options import Device, with_model_settings

if TYPE_CHECKING:
    from portrayal.generators import GenerationSummary
    from portrayal.runner import Imported, Work
    from portrayal.studies.schema import Study


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the app, in the order of the work."""
    for verb in (run, plan, generate, measure, analyze, report):
        app.command(rich_help_panel="The work")(verb)


@with_engine
@with_model_settings
def run(
    study: o.StudyName,
    out: o.Out,
    model: o.Model = None,
    encoder: o.Encoders = None,
    images: o.Images = None,
    corpus: o.Corpus = None,
    real_world: o.RealWorld = None,
    truncate: o.Truncate = False,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Do all five verbs: plan, generate, measure, analyze, report."""
    from portrayal import runner

    studies = runner.studies_for(study, out, images)
    if real_world is not None:
        studies = runner.with_real_world(studies, real_world)
    work = runner.Work(
        out, studies, runner.model_for(out, model), settings,
        tuple(encoder or ()), truncate, corpus, engine=engine,
    )  # fmt: skip
    carry_out(work, retry_failed=retry_failed, json=json)


def carry_out(work: Work, *, retry_failed: bool, json: bool) -> None:
    """Do all verbs with progress shown, and print the findings."""
    from portrayal import runner

    say_reworded(work.studies, work.out)
    made_by = "imported images" if runner.is_imported(work.out) else work.model
    title = f"{runner.names(work.studies)} · {made_by} · {work.out}"
    with console.progress(json, title) as show:
        done = runner.run(work, on_progress=show, retry_failed=retry_failed)
    results = done.results.as_dict()
    if json:
        console.as_json(results)
        return
    say_made(done.made, work.out)
    console.findings(results)
    say_unused(results)
    console.say(f"report: {done.page}")


def say_made(made: GenerationSummary | Imported, out: Path) -> None:
    """Say what was made, and why images failed or were refused."""
    from portrayal.audit import Audit, outcomes

    console.say(made.sentence())
    counts = made.as_dict()
    if counts.get("failed") or counts.get("failed_before"):
        console.say(f"most failed with: {outcomes.reasons(Audit(out), 'failed')[0][0]}")
    if counts.get("refused") or counts.get("refused_before"):
        console.say(f"most refused for: {outcomes.reasons(Audit(out), 'refused')[0][0]}")


def say_unused(results: dict[str, Any]) -> None:
    """Remark where an audit holds images that an answer leaves out."""
    from portrayal.runner.analysis import unused_images

    for section in results["studies"]:
        if section["unused"]:
            console.say(f"{section['study']}: the {unused_images(section['unused'])}")


def say_reworded(studies: Sequence[Study], out: Path) -> None:
    """Remark where a study takes the place of another one of its name."""
    from portrayal import runner

    for name in runner.reworded(studies, out):
        console.say(
            f"{name}: the audit holds another study of this name, which this one now replaces; "
            "to keep both, give one another name"
        )


def plan(
    study: o.StudyName,
    out: o.MaybeOut = None,
    images: o.Images = None,
    rate: o.Rate = 4.0,
    json: o.Json = False,
) -> None:
    """Say what a study costs and what it could detect, before anything is made."""
    from portrayal import runner

    studies = runner.studies_for(study, out, images)
    plans = runner.plan(studies, out, rate=rate)
    if json:
        console.as_json([one.as_dict() for one in plans])
        return
    total = runner.plan_all(studies, out, rate=rate) if len(studies) > 1 else None
    console.plans(plans, total)
    if out is not None and runner.is_imported(out):
        console.say("its images were imported: what is missing, no model makes")
        return
    console.say(f"time at {rate:g} images a second; --rate for yours")


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
    """Make the images that are missing."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    work = runner.Work(
        folder, runner.studies_for(study, folder, images), runner.model_for(folder, model),
        settings, truncate=truncate, corpus=corpus, engine=engine,
    )  # fmt: skip
    with console.progress(json) as show:
        made = runner.generate(work, on_progress=show, retry_failed=retry_failed)
    if json:
        console.as_json(made.as_dict())
    else:
        say_made(made, work.out)


def measure(
    target: o.Target = None,
    out: o.MaybeOut = None,
    encoder: o.Encoders = None,
    people: o.People = None,
    device: Device = None,
    truncate: o.Truncate = False,
    json: o.Json = False,
) -> None:
    """Look at the images with an encoder; several stand side by side in the results."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    work = runner.Work(
        folder,
        runner.studies_again(study, folder),
        settings={"device": device},
        encoders=tuple(encoder or ()),
        truncate=truncate,
        people=people,
    )
    with console.progress(json) as show:
        summaries = runner.measure(work, on_progress=show)
    if json:
        console.as_json([one.as_dict() for one in summaries])
    else:
        for one in summaries:
            console.say(one.sentence())


def analyze(
    target: o.Target = None,
    out: o.MaybeOut = None,
    unit: o.Unit = "prompt",
    alternative: o.Alternative = "two-sided",
    effect: o.Effect = "pooled",
    resample: o.Resample = "units",
    permute: o.Permute = "stimuli",
    people: o.Judge = "each",
    consensus: o.Consensus = "majority",
    resamples: o.Resamples = 9999,
    confidence: o.Confidence = 0.95,
    json: o.Json = False,
) -> None:
    """Compute all findings anew from what was measured; needs no model and no GPU.

    A study that is named joins those of the audit. All of them are computed, because the
    correction of p-values goes over all questions of an audit.
    """
    from portrayal import runner
    from portrayal.findings.settings import AnalysisSettings

    settings = AnalysisSettings(
        unit=unit,
        alternative=alternative,
        effect=effect,
        resample=resample,
        permute=permute,
        people=people,
        consensus=consensus,
        resamples=resamples,
        confidence=confidence,
    )
    study, folder = o.study_and_folder(target, out)
    studies = runner.studies_again(study, folder)
    say_reworded(studies, folder)
    results = runner.analyze(folder, studies=studies, settings=settings).as_dict()
    if json:
        console.as_json(results)
    else:
        console.findings(results)
        say_unused(results)
        if (folder / "report" / "index.html").exists():
            console.say(f"the report is older than this; anew: portrayal report {folder}")


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
    json: o.Json = False,
) -> None:
    """Write the report: one HTML file that opens without a network."""
    from portrayal import runner

    study, folder = o.study_and_folder(target, out)
    runner.studies_for(study, folder, None)  # a page is about all; a mistyped name still is wrong
    files = runner.figures(folder, figures) if figures else []
    page = runner.report(folder)
    if json:
        console.as_json({"report": str(page), "figures": [str(file) for file in files]})
        return
    for file in files:
        console.say(f"figure: {file}")
    console.say(f"report: {page}")
