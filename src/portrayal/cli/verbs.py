"""run, plan, generate, measure, analyze, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from portrayal.cli import console

STUDY = typer.Argument(metavar="STUDY", help="A built-in study or suite, or a TOML file.")
TARGET = typer.Argument(
    metavar="[STUDY|AUDIT]", help="A study (with --out), or an audit folder for all its studies."
)
OUT = typer.Option("--out", "-o", metavar="AUDIT", help="The audit folder; made if absent.")
IMAGES = typer.Option("--images", "-n", min=1, help="Images per prompt; default: the study's own.")
MODEL = typer.Option(
    "--model", "-m", help="practice, practice:painter, a diffusers folder, or a Hub id."
)
ENCODER = typer.Option(
    "--encoder", "-e", help="practice, a CLIP/SigLIP folder or Hub id, or open_clip:NAME/FILE."
)
JSON = typer.Option("--json", help="Print a result for machines and nothing else.")
STEPS = typer.Option("--steps", min=1, help="Denoising steps.")
GUIDANCE = typer.Option("--guidance", help="Guidance scale.")
SIZE = typer.Option("--size", help="Pixels, as 512 or 768x512.")
SCHEDULER = typer.Option("--scheduler", help="A diffusers scheduler class.")
NEGATIVE = typer.Option("--negative-prompt", help="What the picture should not show.")
DTYPE = typer.Option("--dtype", help="float32, bfloat16 or float16.")
DEVICE = typer.Option("--device", help="cpu, cuda, cuda:1, mps; default: the best there is.")
BATCH = typer.Option("--batch-size", min=1, help="Images per batch; does not change pictures.")
REVISION = typer.Option("--revision", help="Revision of a Hub id.")
TRUNCATE = typer.Option("--truncate", help="Cut texts that are too long instead of stopping.")
RETRY = typer.Option("--retry-failed", help="Try again what failed before.")
UNIT = typer.Option("--unit", help="What is permuted.")
ALTERNATIVE = typer.Option("--alternative", help="Which departure from the null counts.")
EFFECT = typer.Option("--effect", help="Deviation in d: pooled or over the union.")
RESAMPLES = typer.Option("--resamples", min=99, help="Permutations and bootstrap samples.")
CONFIDENCE = typer.Option("--confidence", help="Level of the intervals.")

Alternative = Literal["two-sided", "greater", "less"]


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the app, in the order of the work."""
    panel = "The work"
    for verb in (run, plan, generate, measure, analyze, report):
        app.command(rich_help_panel=panel)(verb)


def run(
    study: Annotated[str, STUDY],
    out: Annotated[Path, OUT],
    model: Annotated[str, MODEL] = "practice",
    encoder: Annotated[list[str], ENCODER] = ["practice"],  # noqa: B006 (typer copies it)
    images: Annotated[int | None, IMAGES] = None,
    steps: Annotated[int | None, STEPS] = None,
    guidance: Annotated[float | None, GUIDANCE] = None,
    size: Annotated[str | None, SIZE] = None,
    scheduler: Annotated[str | None, SCHEDULER] = None,
    negative_prompt: Annotated[str | None, NEGATIVE] = None,
    dtype: Annotated[str | None, DTYPE] = None,
    device: Annotated[str | None, DEVICE] = None,
    batch_size: Annotated[int | None, BATCH] = None,
    revision: Annotated[str | None, REVISION] = None,
    truncate: Annotated[bool, TRUNCATE] = False,
    retry_failed: Annotated[bool, RETRY] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Do all five verbs: plan, generate, measure, analyze, report."""
    from portrayal import workflow

    settings = _settings(
        steps=steps, guidance=guidance, size=size, scheduler=scheduler, dtype=dtype, device=device,
        negative_prompt=negative_prompt, batch_size=batch_size, revision=revision,
    )  # fmt: skip
    work = workflow.Work(
        out, workflow.studies_for(study, out, images), model, settings, tuple(encoder), truncate
    )
    if not json:
        console.say(f"{workflow.names(work.studies)} · {model} · {out}")
    with console.progress(json) as show:
        made = workflow.generate(work, on_progress=show, retry_failed=retry_failed)
        workflow.measure(work, on_progress=show)
    if not json:
        _say_made(made)
    results = workflow.analyze(out)
    page = workflow.report(out)
    if json:
        console.as_json(results.as_dict())
        return
    console.findings_table(results.as_dict()["findings"])
    console.say(f"report: {page}")


def plan(
    study: Annotated[str, STUDY],
    out: Annotated[Path, OUT] = Path("audits/new"),
    images: Annotated[int | None, IMAGES] = None,
    rate: Annotated[float, typer.Option(help="Pictures a second, for the time.")] = 4.0,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Say what a study costs and what it could detect, before anything is made."""
    from portrayal import workflow

    work = workflow.Work(out, workflow.studies_for(study, out, images))
    plans = workflow.plan(work, rate=rate)
    if json:
        console.as_json([one.as_dict() for one in plans])
        return
    console.plans(plans)


def generate(
    out: Annotated[Path, OUT],
    study: Annotated[str | None, STUDY] = None,
    model: Annotated[str, MODEL] = "practice",
    images: Annotated[int | None, IMAGES] = None,
    steps: Annotated[int | None, STEPS] = None,
    guidance: Annotated[float | None, GUIDANCE] = None,
    size: Annotated[str | None, SIZE] = None,
    scheduler: Annotated[str | None, SCHEDULER] = None,
    negative_prompt: Annotated[str | None, NEGATIVE] = None,
    dtype: Annotated[str | None, DTYPE] = None,
    device: Annotated[str | None, DEVICE] = None,
    batch_size: Annotated[int | None, BATCH] = None,
    revision: Annotated[str | None, REVISION] = None,
    truncate: Annotated[bool, TRUNCATE] = False,
    retry_failed: Annotated[bool, RETRY] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Make the images that are missing."""
    from portrayal import workflow

    settings = _settings(
        steps=steps, guidance=guidance, size=size, scheduler=scheduler, dtype=dtype, device=device,
        negative_prompt=negative_prompt, batch_size=batch_size, revision=revision,
    )  # fmt: skip
    work = workflow.Work(
        out, workflow.studies_for(study, out, images), model, settings, truncate=truncate
    )
    with console.progress(json) as show:
        made = workflow.generate(work, on_progress=show, retry_failed=retry_failed)
    if json:
        console.as_json({} if made is None else made.as_dict())
    else:
        _say_made(made)


def measure(
    target: Annotated[str | None, TARGET] = None,
    out: Annotated[Path | None, OUT] = None,
    encoder: Annotated[list[str], ENCODER] = ["practice"],  # noqa: B006
    truncate: Annotated[bool, TRUNCATE] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Look at the images with an encoder; several --encoder stand side by side."""
    from portrayal import workflow

    study, folder = _target(target, out)
    work = workflow.Work(
        folder,
        workflow.studies_for(study, folder, None),
        encoders=tuple(encoder),
        truncate=truncate,
    )
    with console.progress(json) as show:
        summaries = workflow.measure(work, on_progress=show)
    if json:
        console.as_json([one.as_dict() for one in summaries])
    else:
        for one in summaries:
            console.say(one.sentence())


def analyze(
    target: Annotated[str | None, TARGET] = None,
    out: Annotated[Path | None, OUT] = None,
    unit: Annotated[Literal["prompt", "image"], UNIT] = "prompt",
    alternative: Annotated[Alternative, ALTERNATIVE] = "two-sided",
    effect: Annotated[Literal["pooled", "union"], EFFECT] = "pooled",
    resamples: Annotated[int, RESAMPLES] = 9999,
    confidence: Annotated[float, CONFIDENCE] = 0.95,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Compute all findings anew from what was measured; needs no model and no GPU."""
    from portrayal import workflow
    from portrayal.analysis import AnalysisSettings

    _, folder = _target(target, out)
    settings = AnalysisSettings(
        unit=unit,
        alternative=alternative,
        effect=effect,
        resamples=resamples,
        confidence=confidence,
    )
    results = workflow.analyze(folder, settings=settings).as_dict()
    if json:
        console.as_json(results)
    else:
        console.findings_table(results["findings"])


def report(
    target: Annotated[str | None, TARGET] = None,
    out: Annotated[Path | None, OUT] = None,
    figures: Annotated[
        list[str] | None, typer.Option(help="Also write every figure as svg, pdf or png.")
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Write the report: one HTML file that opens without a network."""
    from portrayal import workflow

    _, folder = _target(target, out)
    page = workflow.report(folder)
    files = workflow.figures(folder, figures) if figures else []
    if json:
        console.as_json({"report": str(page), "figures": [str(file) for file in files]})
        return
    for file in files:
        console.say(f"figure: {file}")
    console.say(f"report: {page}")


def _settings(*, size: str | None, **given: Any) -> dict[str, Any]:
    """Return the settings that were given; unset ones stay the model's own."""
    from portrayal.errors import GenerationError

    settings = {name: value for name, value in given.items() if value is not None}
    if size is not None:
        width, _, height = size.lower().partition("x")
        if not width.isdigit() or (height and not height.isdigit()):
            raise GenerationError(f"--size is {size!r}; allowed: a number, or WIDTHxHEIGHT")
        settings |= {"width": int(width), "height": int(height or width)}
    return settings


def _target(target: str | None, out: Path | None) -> tuple[str | None, Path]:
    """Read `STUDY --out AUDIT`, or `AUDIT` alone."""
    from portrayal.errors import AuditError

    if out is not None:
        return target, out
    if target is None:
        raise AuditError("which audit? name its folder, or give --out AUDIT")
    return None, Path(target)


def _say_made(made: Any) -> None:
    if made is not None:
        console.say(made.sentence())
