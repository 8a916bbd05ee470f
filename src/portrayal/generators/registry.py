"""Which generators are installed, and how a model's name finds its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portrayal.errors import GenerationError, one_of
from portrayal.plugins import (
    GENERATORS,
    PRACTICE_WORLD,
    NamedKind,
    default_name,
    known,
    maker,
    named_kinds,
    open_named,
    registered_names,
)
from portrayal.records import Identity

if TYPE_CHECKING:  # packages register kinds with it, and the command line loads them at its start
    from portrayal.generators.protocol import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorKind(NamedKind["Generator"]):
    """A kind of generator, registered under the entry points `portrayal.generators`.

    Attributes:
        service: Whether a service makes the images, so that engines have nothing to spread.
        real_faces: Whether detectors of faces in photographs apply to its images.
        notice: What a report says of its images before anything else.
        training_data: Writes so many of its training captions, with their images, into a folder,
            where it can; what is there already is kept.
    """

    service: bool = False
    real_faces: bool = True
    notice: str = ""
    training_data: Callable[[Path, int], object] | None = None


def generator_kinds() -> list[GeneratorKind]:
    """Return the installed kinds; the first that a name means is taken."""
    return named_kinds(GENERATORS, GeneratorKind)


def default_model() -> str:
    """Return the model that is taken where none is named.

    Raises:
        GenerationError: None declares itself the default.
    """
    if name := default_name(generator_kinds()):
        return name
    written = one_of([kind.written for kind in generator_kinds()])
    raise GenerationError(f"which model? give `model`: {written}; {PRACTICE_WORLD}")


def open_generator(model: str, **settings: Any) -> Generator:
    """Open a generator by its name.

    Args:
        model: The name of an installed model, "openai:MODEL", "api:MODEL", a pipeline folder, or
            a Hub id.
        settings: steps, guidance, width, height, scheduler, negative_prompt, dtype, device,
            batch_size, revision, truncate; of a service see `open_api`. None means the model's
            own.

    Raises:
        GenerationError: No such model, or a setting that it does not have.
    """
    return open_named(generator_kinds(), model, settings, what="model", error=GenerationError)


def open_on(device: str | None, *, model: str, **settings: Any) -> Generator:
    """Open a generator on a device; what engines send to their workers, with the rest filled in."""
    return open_generator(model, device=device, **settings)


def is_service(model: str) -> bool:
    """Tell whether a service makes the images of a model."""
    return known(generator_kinds(), model, "model", GenerationError).service


def taken_settings(model: str) -> tuple[str, ...]:
    """Return the names of the settings that a model takes."""
    return known(generator_kinds(), model, "model", GenerationError).settings


def write_training_data(model: str, folder: Path, captions: int) -> bool:
    """Write training captions and images of a model into a folder; tell whether that was possible.

    Args:
        model: The name of an installed model.
        folder: Where they go.
        captions: How many.
    """
    write = known(generator_kinds(), model, "model", GenerationError).training_data
    if write is not None:
        write(folder, captions)
    return write is not None


def portable_name(model: str) -> str:
    """Return the name of a model or an encoder as processes in other folders understand it."""
    # A registered name stays, also where a folder happens to be called so.
    from portrayal.generators.adapters import absolute

    return model if model in registered_names() else absolute(model)


def is_found_by_name(generator: Identity) -> bool:
    """Tell whether a generator's name alone finds it again."""
    kind = maker(generator_kinds(), generator)
    return kind is not None and generator.name in kind.names


def notice(generator: Identity) -> str:
    """Return what a report says of a generator's images before anything else; mostly ""."""
    kind = maker(generator_kinds(), generator)
    return "" if kind is None else kind.notice


def has_real_faces(generator: Identity) -> bool:
    """Tell whether detectors of faces in photographs apply to a generator's images."""
    kind = maker(generator_kinds(), generator)
    return kind is None or kind.real_faces
