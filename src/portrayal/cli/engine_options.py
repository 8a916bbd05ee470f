"""Options of where images are made, written once for every command that makes them.

A command takes `engine` and is decorated with `with_engine`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from portrayal.cli.gathering import gathered
from portrayal.errors import SettingError

if TYPE_CHECKING:
    from portrayal.runner import EngineSettings

_ENGINE = "Several GPUs or machines (changes no image)"
Devices = Annotated[
    str | None,
    typer.Option(
        "--devices", metavar="LIST", help="One process for each, as cuda:0,cuda:1.",
        rich_help_panel=_ENGINE,
    ),
]  # fmt: skip
EngineName = Annotated[
    Literal["local", "ray"],
    typer.Option(
        "--engine", metavar="local|ray", help="This machine, or a Ray cluster.",
        rich_help_panel=_ENGINE,
    ),
]  # fmt: skip
Address = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="ADDRESS", help="Of the Ray cluster, as HOST:PORT or auto.",
        rich_help_panel=_ENGINE,
    ),
]  # fmt: skip
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, help="Generators on the cluster; default: all that fit.",
        rich_help_panel=_ENGINE,
    ),
]  # fmt: skip
GpusPerWorker = Annotated[
    float | None,
    typer.Option(
        "--gpus-per-worker", metavar="X", help="Share of a GPU for each, as 0.5; default: 1.",
        rich_help_panel=_ENGINE,
    ),
]  # fmt: skip


def _declared(
    devices: Devices = None,
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
) -> None:
    """Hold the options, in the order in which the help shows them."""


def _as_engine(given: Mapping[str, Any]) -> EngineSettings:
    from portrayal.runner import EngineSettings

    written = given["devices"]
    devices = tuple(one.strip() for one in written.split(",")) if written is not None else ()
    if not all(devices):
        raise SettingError("devices", f"is {written!r}; allowed: a list as cuda:0,cuda:1")
    return EngineSettings(**{**given, "devices": devices})


with_engine = gathered("engine", _declared, _as_engine)
"""Give a command the options of an engine; it receives them as `engine`."""
