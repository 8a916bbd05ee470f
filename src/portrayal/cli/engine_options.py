"""Options of where images are made, written once for every command that makes them.

A command takes `engine` and is decorated with `with_engine`; the options come along.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

_ENGINE = "Several GPUs or machines (changes no picture)"
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


DECLARED = inspect.signature(_declared, eval_str=True).parameters


def with_engine(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of an engine; it receives them as `engine`."""
    own = inspect.signature(command, eval_str=True)
    mine = [one for one in own.parameters.values() if one.name != "engine"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [one.replace(kind=keyword) for one in (*mine, *DECLARED.values())]

    @functools.wraps(command)
    def parsed(**given: Any) -> None:
        from portrayal.engine import EngineSettings

        found = {name: given.pop(name) for name in DECLARED}
        found["devices"] = tuple(filter(None, (found["devices"] or "").split(",")))
        command(**given, engine=EngineSettings(**found))

    parsed.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    parsed.__annotations__ = {one.name: one.annotation for one in parameters}
    return parsed
