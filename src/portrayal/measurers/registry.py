"""Which encoders there are, and how a name finds its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from portrayal.errors import MeasurementError, one_of
from portrayal.measurers.clip import open_clip_model
from portrayal.measurers.open_clip import PREFIX, open_open_clip
from portrayal.measurers.protocol import Encoder
from portrayal_practice.weights import CLIP, part_folder

PRACTICE = "practice"
_SETTINGS = ("dtype", "device", "batch_size", "truncate")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of encoder.

    Attributes:
        written: How a user writes such an encoder.
        is_meant: Whether a name means this kind.
        open: Takes the name and settings, returns the encoder.
        settings: The names of the settings that it takes.
    """

    written: str
    is_meant: Callable[[str], bool]
    open: Callable[..., Encoder]
    settings: tuple[str, ...] = _SETTINGS


def open_practice(model: str, **settings: Any) -> Encoder:
    """Open the practice encoder that ships with the package."""
    return open_clip_model(str(part_folder(CLIP)), name=model, **settings)


KINDS: tuple[Kind, ...] = (
    Kind(PRACTICE, lambda name: name == PRACTICE, open_practice),
    Kind(f"{PREFIX}ARCHITECTURE/WEIGHTS", lambda name: name.startswith(PREFIX), open_open_clip),
    Kind(
        "a folder or a Hub id (owner/name)",
        lambda name: True,
        open_clip_model,
        (*_SETTINGS, "revision"),
    ),
)
"""The first kind that a name fits is taken."""


def open_encoders_on(device: str | None, *, names: Sequence[str], truncate: bool) -> list[Encoder]:
    """Open encoders on a device; what engines send to their workers, with the rest filled in."""
    return [open_encoder(name, device=device, truncate=truncate) for name in names]


def open_encoder(name: str, **settings: Any) -> Encoder:
    """Open an encoder of images and texts by its name.

    Args:
        name: "practice", a folder, a Hub id, or "open_clip:ViT-B-32/laion2b_s34b_b79k".
        settings: dtype, device, batch_size, truncate, revision; None means the encoder's own.

    Raises:
        MeasurementError: No such encoder, or a setting that it does not have.
    """
    kind = next(kind for kind in KINDS if kind.is_meant(name))
    # A switch that is off is the same as one that was never mentioned.
    given = {
        key: value for key, value in settings.items() if value is not None and value is not False
    }
    for key in given:
        if key not in kind.settings:
            raise MeasurementError(
                f"{name}: setting {key} is unknown; allowed: {one_of(kind.settings)}"
            )
    return kind.open(name, **given)
