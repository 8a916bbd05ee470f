"""Which generators there are, and how a model's name finds its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from portrayal.errors import GenerationError, one_of
from portrayal.generators.adapters import absolute
from portrayal.generators.api import SERVICES, open_api
from portrayal.generators.api import SETTINGS as API_SETTINGS
from portrayal.generators.diffusers import SETTINGS, open_diffusers
from portrayal.generators.protocol import Generator
from portrayal_practice.generator import NAME as PAINTER
from portrayal_practice.generator import open_painter
from portrayal_practice.weights import PIPELINE, part_folder

PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of generator.

    Attributes:
        written: How a user writes such a model.
        is_meant: Whether a name means this kind.
        open: Takes the name and settings, returns the generator.
        settings: The names of the settings that it takes.
    """

    written: str
    is_meant: Callable[[str], bool]
    open: Callable[..., Generator]
    settings: tuple[str, ...]


def open_practice(model: str, **settings: Any) -> Generator:
    """Open the practice model that ships with the package."""
    return open_diffusers(str(part_folder(PIPELINE)), name=model, **settings)


KINDS: tuple[Kind, ...] = (
    Kind(
        PAINTER,
        lambda model: model == PAINTER,
        open_painter,
        ("width", "height", "batch_size", "device"),
    ),
    Kind(
        PRACTICE,
        lambda model: model == PRACTICE,
        open_practice,
        tuple(name for name in SETTINGS if name != "revision"),
    ),
    Kind(
        "openai:MODEL or api:MODEL",
        lambda model: model.startswith(SERVICES),
        open_api,
        API_SETTINGS,
    ),
    Kind("a folder or a Hub id (owner/name)", lambda model: True, open_diffusers, SETTINGS),
)
"""The first kind that a name fits is taken."""


def open_generator(model: str, **settings: Any) -> Generator:
    """Open a generator by its name.

    Args:
        model: "practice", "practice:painter", "openai:MODEL", "api:MODEL", a pipeline folder, or
            a Hub id.
        settings: steps, guidance, width, height, scheduler, negative_prompt, dtype, device,
            batch_size, revision, truncate; of a service see `open_api`. None means the model's
            own.

    Raises:
        GenerationError: No such model, or a setting that it does not have.
    """
    if model.startswith(f"{PRACTICE}:") and model != PAINTER:
        raise GenerationError(f"there is no model {model!r}; allowed: {PRACTICE} or {PAINTER}")
    kind = next(kind for kind in KINDS if kind.is_meant(model))
    # A switch that is off is the same as one that was never mentioned.
    given = {
        name: value for name, value in settings.items() if value is not None and value is not False
    }
    for name in given:
        if name not in kind.settings:
            raise GenerationError(
                f"{model} knows no {_option(name)}; allowed: "
                f"{one_of(list(dict.fromkeys(_option(one) for one in kind.settings)))}"
            )
    return kind.open(model, **given)


def _option(setting: str) -> str:
    """Return a setting's name as it is written on the command line.

    >>> _option("max_images")
    '--max-images'
    """
    return "--size" if setting in ("width", "height") else f"--{setting.replace('_', '-')}"


def open_on(device: str | None, *, model: str, **settings: Any) -> Generator:
    """Open a generator on a device; what engines send to their workers, with the rest filled in."""
    return open_generator(model, device=device, **settings)


def portable_name(model: str) -> str:
    """Return a model's name as processes in other folders understand it."""
    ours = (PRACTICE, PAINTER)  # also where a folder happens to be called so
    return model if model in ours or model.startswith(SERVICES) else absolute(model)
