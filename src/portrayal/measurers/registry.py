"""Which measurers are installed, how a name finds its own, and whose images each is valid for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portrayal import plugins
from portrayal.errors import MeasurementError, SettingError, one_of
from portrayal.plugins import (
    MEASURERS,
    PRACTICE_WORLD,
    NamedKind,
    default_name,
    known,
    meant,
    named_kinds,
    open_named,
)
from portrayal.records import Identity

if TYPE_CHECKING:  # packages register kinds with it, and the command line loads them at its start
    from portrayal.measurers.protocol import Measurer

ENCODER_SETTINGS = ("dtype", "device", "batch_size", "truncate")
"""What encoders usually take."""

ENCODER_KINDS = ("clip", "siglip")
"""The kinds of the identities of encoders that are opened by a folder or a Hub id."""

CALL_SETTINGS = ("max_calls", "max_call_cost", "call_price", "call_timeout")
"""What measurers behind a paid service take: ceilings on a run, and seconds to wait."""

_OF_ALL = ("device", "truncate", *CALL_SETTINGS)
"""Given to all measurers of a run; one that runs nowhere else or reads no text takes neither."""

EXAMPLE = 'faces (pip install "portrayal[faces]") or openai/clip-vit-base-patch32'


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurerKind(NamedKind["Measurer"]):
    """A kind of measurer, registered under the entry points `portrayal.measurers`.

    Attributes:
        name_of: Returns the name that opens what has an identity of `identity_kind`, "" where only
            its user knows one; None: the identity's own name does.
    """

    name_of: Callable[[Identity], str] | None = None


def measurer_kinds() -> list[MeasurerKind]:
    """Return the installed kinds; the first that a name means is taken."""
    return named_kinds(MEASURERS, MeasurerKind)


def default_measurer() -> str:
    """Return the measurer that is taken where none is named.

    Raises:
        MeasurementError: None declares itself the default.
    """
    if name := default_name(measurer_kinds()):
        return name
    written = one_of([kind.written for kind in measurer_kinds()])
    raise MeasurementError(
        f"which measurer? give `measurers`: {written}, such as {EXAMPLE}; {PRACTICE_WORLD}"
    )


def name_of(measurer: Identity) -> str:
    """Return the name that opens a measurer again; "" where only its user knows one."""
    for kind in measurer_kinds():
        if kind.name_of is not None and kind.identity_kind == measurer.kind:
            return kind.name_of(measurer)
        if kind.name_of is None and not kind.general and kind.made(measurer):
            return measurer.name
    is_hub_id = measurer.kind in ENCODER_KINDS and "/" in measurer.name
    return measurer.name if is_hub_id else ""


def default_is_valid(generator: Identity) -> bool:
    """Tell whether a measurer is taken where none is named, and is valid for these images."""
    name = default_name(measurer_kinds())
    kind = meant(measurer_kinds(), name)
    return kind is not None and (kind.valid_for is None or kind.valid_for(generator))


def is_valid(measurer: Identity, generator: Identity) -> bool:
    """Tell whether a measurer is valid for the images of a generator or of a corpus."""
    return plugins.is_valid(measurer_kinds(), measurer, generator)


def is_for_all_images(measurer: Identity) -> bool:
    """Tell whether a measurer is valid for all images."""
    kind = plugins.maker(measurer_kinds(), measurer)
    return kind is None or kind.valid_for is None


def validity(measurer: Identity) -> str:
    """Say whose images a measurer is valid for.

    >>> validity(Identity("clip", "openai/clip-vit-base-patch32"))
    'openai/clip-vit-base-patch32 is valid for all images'
    """
    return plugins.validity(measurer_kinds(), measurer)


def require_valid(measurers: Iterable[Identity], generator: Identity) -> None:
    """Raise where a measurer is not valid for the images of a generator.

    Raises:
        MeasurementError: One is not.
    """
    for one in measurers:
        if not is_valid(one, generator):
            raise MeasurementError(
                f"{validity(one)} only, not for those of {generator.name}; "
                f"name another measurer with `measurers`, such as {EXAMPLE}"
            )


def require_called(names: Iterable[str], settings: Iterable[str]) -> None:
    """Raise where settings of a paid service are given and no measurer is behind one.

    Args:
        names: The measurers' names.
        settings: Names of `CALL_SETTINGS` that were given.

    Raises:
        SettingError: None of the measurers takes one of them.
    """
    kinds = measurer_kinds()
    taken = {
        one for name in names if (kind := meant(kinds, name)) is not None for one in kind.settings
    }
    for one in settings:
        if one not in taken:
            raise SettingError(
                one, "is for a measurer behind a paid service, such as judge:MODEL; none is named"
            )


def open_measurer(name: str, **settings: Any) -> Measurer:
    """Open a measurer by its name.

    Args:
        name: The name of an installed measurer such as "faces", a folder, a Hub id, or
            "open_clip:ViT-B-32/laion2b_s34b_b79k".
        settings: Those of its kind; None means its own. `device`, `truncate` and `CALL_SETTINGS`
            may be given to any measurer.

    Raises:
        MeasurementError: No such measurer, or a setting that it does not have.
    """
    kinds = measurer_kinds()
    takes = known(kinds, name, "measurer", MeasurementError).settings
    given = {key: one for key, one in settings.items() if key in takes or key not in _OF_ALL}
    return open_named(kinds, name, given, what="measurer", error=MeasurementError)
