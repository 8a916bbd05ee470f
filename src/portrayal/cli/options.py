"""Options that several commands share, each written once.

A command takes one as `images: Images = None`; name, short form and help come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from portrayal.errors import AuditError, GenerationError

NO_VALUE = ""
"""The metavar of a switch; typer would write `<bool>`."""

StudyName = Annotated[
    str, typer.Argument(metavar="STUDY", help="A built-in study or suite, or a TOML file.")
]
Target = Annotated[
    str | None,
    typer.Argument(
        metavar="STUDY|AUDIT", help="A study (with --out), or an audit for all its studies."
    ),
]
AuditFolder = Annotated[Path, typer.Argument(metavar="AUDIT", help="The audit folder.")]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="AUDIT", help="The audit folder; made if absent."),
]
MaybeOut = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="AUDIT", help="The audit folder.")
]
Json = Annotated[
    bool, typer.Option("--json", metavar=NO_VALUE, help="Print JSON for machines, nothing else.")
]

Images = Annotated[
    int | None,
    typer.Option(
        "--images", "-n", metavar="N", min=1, help="Images per prompt, instead of the study's."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="practice (default), practice:painter, a diffusers folder, or a Hub id.",
    ),
]
Encoders = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder",
        "-e",
        metavar="ENCODER",
        help="practice (default), a CLIP or SigLIP folder or Hub id, or open_clip:...; may be "
        "repeated.",
    ),
]
Rate = Annotated[
    float, typer.Option("--rate", metavar="N", help="Pictures a second, for the expected time.")
]

_MODEL = "The model"
Steps = Annotated[
    int | None,
    typer.Option("--steps", metavar="N", min=1, help="Denoising steps.", rich_help_panel=_MODEL),
]
Guidance = Annotated[
    float | None,
    typer.Option("--guidance", metavar="X", help="Guidance scale.", rich_help_panel=_MODEL),
]
Size = Annotated[
    str | None,
    typer.Option(
        "--size", metavar="PIXELS", help="As 512 or 768x512 (width x height).",
        rich_help_panel=_MODEL,
    ),
]  # fmt: skip
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="CLASS", help="A diffusers scheduler.", rich_help_panel=_MODEL
    ),
]
NegativePrompt = Annotated[
    str | None,
    typer.Option(
        "--negative-prompt", metavar="TEXT", help="What not to show.", rich_help_panel=_MODEL
    ),
]
Dtype = Annotated[
    str | None,
    typer.Option(
        "--dtype", metavar="TYPE", help="float32, bfloat16 or float16.", rich_help_panel=_MODEL
    ),
]
Revision = Annotated[
    str | None,
    typer.Option("--revision", metavar="REV", help="Revision of a Hub id.", rich_help_panel=_MODEL),
]

_MACHINE = "The machine (changes no picture)"
Device = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="DEVICE", help="cpu, cuda, cuda:1, mps; default: the best there is.",
        rich_help_panel=_MACHINE,
    ),
]  # fmt: skip
BatchSize = Annotated[
    int | None,
    typer.Option(
        "--batch-size", metavar="N", min=1, help="Images per batch.", rich_help_panel=_MACHINE
    ),
]

Truncate = Annotated[
    bool,
    typer.Option("--truncate", metavar=NO_VALUE, help="Cut texts that are too long; else stop."),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", metavar=NO_VALUE, help="Try again what failed before.")
]

Unit = Annotated[
    Literal["prompt", "image"],
    typer.Option("--unit", metavar="prompt|image", help="What is exchanged under the null."),
]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"],
    typer.Option(
        "--alternative",
        metavar="two-sided|greater|less",
        help="Which departure from the null counts.",
    ),
]
Effect = Annotated[
    Literal["pooled", "union"],
    typer.Option(
        "--effect",
        metavar="pooled|union",
        help="Deviation in d: pooled, or over the union as in WEAT.",
    ),
]
Resample = Annotated[
    Literal["units", "images"],
    typer.Option(
        "--resample", metavar="units|images", help="What intervals take as drawn by chance."
    ),
]
Permute = Annotated[
    Literal["stimuli", "targets"],
    typer.Option(
        "--permute",
        metavar="stimuli|targets",
        help="What changes sides; targets: neutral images, as in T2IAT.",
    ),
]
Resamples = Annotated[
    int,
    typer.Option("--resamples", metavar="N", min=99, help="Permutations and bootstrap samples."),
]
Confidence = Annotated[
    float, typer.Option("--confidence", metavar="X", help="Level of the intervals.")
]

MODEL_SETTINGS = (
    "steps", "guidance", "scheduler", "negative_prompt", "dtype", "revision", "device",
    "batch_size",
)  # fmt: skip


def model_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Pick a model's settings from a command's arguments; unset ones stay the model's own.

    Args:
        given: All arguments of the command, as `locals()` holds them at its start.
    """
    settings = {name: given[name] for name in MODEL_SETTINGS if given[name] is not None}
    size = given["size"]
    if size is not None:
        width, cross, height = size.lower().partition("x")
        sides = (width, height) if cross else (width, width)
        if not all(side.isdecimal() and int(side) > 0 for side in sides):
            raise GenerationError(f"--size is {size!r}; allowed: 512, or WIDTHxHEIGHT as 768x512")
        settings |= {"width": int(sides[0]), "height": int(sides[1])}
    return settings


def study_and_folder(target: str | None, out: Path | None) -> tuple[str | None, Path]:
    """Read `STUDY --out AUDIT`, or `AUDIT` alone, which stands for all of its studies."""
    if out is not None:
        return target, out
    if target is None:
        raise AuditError("which audit? name its folder, or give --out AUDIT")
    return None, Path(target)
