"""The measurers of a command, under their name and under an older one.

A command takes `measurers` and is decorated with `with_measurers`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from portrayal.cli.gathering import gathered

Measurers = Annotated[
    list[str] | None,
    typer.Option(
        "--measurer",
        "-e",
        metavar="MEASURER",
        help="A CLIP or SigLIP folder or Hub id, open_clip:..., or the name of an installed "
        "measurer; may be repeated. Also: --encoder.",
    ),
]
# Apart, because a help of 60 columns has no room for two names.
Encoders = Annotated[list[str] | None, typer.Option("--encoder", hidden=True)]


def _declared(measurer: Measurers = None, encoder: Encoders = None) -> None:
    """Hold the options, in the order in which the help shows them."""


def _as_names(given: Mapping[str, Any]) -> tuple[str, ...]:
    return (*(given["measurer"] or ()), *(given["encoder"] or ()))


with_measurers = gathered("measurers", _declared, _as_names)
"""Give a command the measurers; it receives the names that were given as `measurers`."""
