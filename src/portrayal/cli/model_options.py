"""Options of a model, written once for every command that opens one.

A command takes `settings` and is decorated with `with_model_settings`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from portrayal.cli.gathering import gathered, option
from portrayal.errors import SettingError

_MODEL = partial(option, rich_help_panel="The model")
_SERVICE = partial(option, rich_help_panel="An image API (--model openai:MODEL or api:MODEL)")
_MACHINE = partial(option, rich_help_panel="The machine (changes no image)")

_OPTIONS = [
    _MODEL("steps", int | None, "N", "Denoising steps.", min=1),
    _MODEL("guidance", float | None, "X", "Guidance scale."),
    _MODEL("size", str | None, "PIXELS", "As 512 or 768x512 (width x height)."),
    _MODEL("scheduler", str | None, "CLASS", "A diffusers scheduler."),
    _MODEL("negative_prompt", str | None, "TEXT", "What not to show."),
    _MODEL("dtype", str | None, "TYPE", "float32, bfloat16 or float16."),
    _MODEL("revision", str | None, "REV", "Revision of a Hub id."),
    _MODEL(
        "lora",
        list[str] | None,
        "LORA",
        "An adapter: a file, a folder or a Hub id, as NAME or NAME@0.8; may be repeated.",
    ),
    _SERVICE("base_url", str | None, "URL", "Where the service is, as http://HOST:PORT/v1."),
    _SERVICE("quality", str | None, "WORD", "What the service calls quality."),
    _SERVICE(
        "max_images",
        int | None,
        "N",
        "Pay for at most N images in this run; with --until, plan for at most N in all.",
        min=1,
    ),
    _SERVICE("max_cost", float | None, "X", "Spend at most so much in this run; needs --price."),
    _SERVICE("price", float | None, "X", "Price per image."),
    _SERVICE("concurrency", int | None, "N", "Calls at the same time; default: 8.", min=1),
    _SERVICE(
        "link_host",
        list[str] | None,
        "HOST",
        "Fetch images behind links to HOST, not only from the service's own; may be repeated.",
    ),
    _SERVICE("refusals", str | None, "FILE", "Phrases of the service's refusals, one per line."),
    _SERVICE("timeout", float | None, "SECONDS", "Seconds to wait for a response (default: 180)."),
    _MACHINE("device", str | None, "DEVICE", "cpu, cuda, cuda:1, mps; default: the best there is."),
    _MACHINE("batch_size", int | None, "N", "Images per batch.", min=1),
    _MACHINE(
        "compile",
        str | None,
        "auto|on|off",
        "Compile the network; auto: on a GPU, in long runs.",
    ),
]


def _device(given: Mapping[str, Any]) -> Any:
    return given["device"]


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


with_device = gathered("device", [one for one in _OPTIONS if one.name == "device"], _device)
"""Give a command a device and no other setting of a model."""
with_model_settings = gathered("settings", _OPTIONS, _as_settings)
"""Give a command the options of a model; it receives those that were given as `settings`."""
