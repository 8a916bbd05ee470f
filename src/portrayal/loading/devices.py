"""Optional imports, the choice of device and dtype, and silence while models load."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Iterator
from typing import Any

from portrayal.errors import MissingExtra, PortrayalError, one_of

DTYPES = ("float32", "bfloat16", "float16")
_SHORT = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


def import_extra(module: str, *, extra: str) -> Any:
    """Import a module of an optional dependency.

    Raises:
        MissingExtra: It is not installed; the message is the pip command.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:  # the module itself, or something that it needs
        raise MissingExtra((error.name or module).partition(".")[0], extra) from error


def choose_device(device: str | None, *, error: type[PortrayalError]) -> str:
    """Return the device asked for, checked, or the best one here."""
    torch = import_extra("torch", extra="models")
    best = "cpu"
    if torch.cuda.is_available():
        best = "cuda"
    elif torch.backends.mps.is_available():
        best = "mps"
    if device is None:
        return best
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        raise error(
            f"device {device!r} cannot be used here; leave it out to use {best}"
        ) from problem
    return device


def choose_dtype(dtype: str | None, *, default: str, error: type[PortrayalError]) -> str:
    """Return the name of the dtype asked for, checked, or of the default."""
    name = str(dtype or default).removeprefix("torch.")
    name = _SHORT.get(name, name)
    if name not in DTYPES:
        raise error(f"dtype is {dtype!r}; allowed: {one_of(DTYPES)}")
    return name


@contextlib.contextmanager
def quietly(*libraries: str) -> Iterator[None]:
    """Keep the model libraries' progress bars, remarks and warnings off the terminal.

    What they say is about their own insides, or repeats what is recorded (a refused image, a cut
    prompt), once a batch.

    Args:
        libraries: Of "transformers" and "diffusers", those that are used.
    """
    voices = [import_extra(f"{name}.utils.logging", extra="models") for name in libraries]
    before = [(voice.get_verbosity(), voice.is_progress_bar_enabled()) for voice in voices]
    for voice in voices:
        voice.set_verbosity_error()
        voice.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for voice, (verbosity, bars) in zip(voices, before, strict=True):
            voice.set_verbosity(verbosity)
            if bars:
                voice.enable_progress_bar()
