"""Options of a model, written once for every command that opens one.

A command takes `settings` and is decorated with `with_model_settings`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from portrayal.cli.gathering import gathered
from portrayal.errors import SettingError

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

Lora = Annotated[
    list[str] | None,
    typer.Option(
        "--lora", metavar="LORA", rich_help_panel=_MODEL,
        help="An adapter: a file, a folder or a Hub id, as NAME or NAME@0.8; may be repeated.",
    ),
]  # fmt: skip

_SERVICE = "An image API (--model openai:MODEL or api:MODEL)"
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", metavar="URL", help="Where the service is, as http://HOST:PORT/v1.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip
Quality = Annotated[
    str | None,
    typer.Option(
        "--quality", metavar="WORD", help="What the service calls quality.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip
MaxImages = Annotated[
    int | None,
    typer.Option(
        "--max-images", metavar="N", min=1, help="Pay for at most so many images in this run.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="X", help="Spend at most so much in this run; needs --price.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip
Price = Annotated[
    float | None,
    typer.Option("--price", metavar="X", help="Of one image.", rich_help_panel=_SERVICE),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", metavar="N", min=1, help="Calls at the same time; default: 8.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", metavar="SECONDS", help="Give up an answer after; default: 180.",
        rich_help_panel=_SERVICE,
    ),
]  # fmt: skip

_MACHINE = "The machine (changes no image)"
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
Compile = Annotated[
    str | None,
    typer.Option(
        "--compile", metavar="auto|on|off", rich_help_panel=_MACHINE,
        help="Compile the network; auto: on a GPU, in long runs.",
    ),
]  # fmt: skip


def _declared(
    steps: Steps = None,
    guidance: Guidance = None,
    size: Size = None,
    scheduler: Scheduler = None,
    negative_prompt: NegativePrompt = None,
    dtype: Dtype = None,
    revision: Revision = None,
    lora: Lora = None,
    base_url: BaseUrl = None,
    quality: Quality = None,
    max_images: MaxImages = None,
    max_cost: MaxCost = None,
    price: Price = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    device: Device = None,
    batch_size: BatchSize = None,
    compile: Compile = None,
) -> None:
    """Hold the options, in the order in which the help shows them."""


def _as_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given; what was not stays the model's own."""
    settings = {name: value for name, value in given.items() if value not in (None, [])}
    if (size := settings.pop("size", None)) is not None:
        width, cross, height = size.lower().partition("x")
        sides = (width, height) if cross else (width, width)
        if not all(side.isdecimal() and int(side) > 0 for side in sides):
            raise SettingError("size", f"is {size!r}; allowed: 512, or WIDTHxHEIGHT as 768x512")
        settings |= {"width": int(sides[0]), "height": int(sides[1])}
    return settings


with_model_settings = gathered("settings", _declared, _as_settings)
"""Give a command the options of a model; it receives those that were given as `settings`."""
