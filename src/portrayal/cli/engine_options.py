"""Options of where images are made, written once for every command that makes them.

A command takes `engine` and is decorated with `with_engine`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from portrayal.cli.gathering import gathered, option
from portrayal.errors import SettingError

if TYPE_CHECKING:
    from portrayal.runner import EngineSettings

_ENGINE = "Several GPUs or machines (changes no image)"
_OPTIONS = [
    option(name, kind, metavar, text, rich_help_panel=_ENGINE, **more)
    for name, kind, metavar, text, more in (
        ("devices", str | None, "LIST", "One process for each, as cuda:0,cuda:1.", {}),
        ("engine", Literal["local", "ray"], "local|ray", "This machine, or a Ray cluster.",
         {"default": "local"}),
        ("address", str | None, "ADDRESS", "Of the Ray cluster, as HOST:PORT or auto.", {}),
        ("workers", int | None, "N", "Generators on the cluster; default: all that fit.",
         {"min": 1}),
        ("gpus_per_worker", float | None, "X", "Share of a GPU for each, as 0.5; default: 1.", {}),
    )
]  # fmt: skip


def _as_engine(given: Mapping[str, Any]) -> EngineSettings:
    from portrayal.runner import EngineSettings

    written = given["devices"]
    devices = tuple(one.strip() for one in written.split(",")) if written is not None else ()
    if not all(devices):
        raise SettingError("devices", f"is {written!r}; allowed: a list as cuda:0,cuda:1")
    return EngineSettings(**{**given, "devices": devices})


with_engine = gathered("engine", _OPTIONS, _as_engine)
"""Give a command the options of an engine; it receives them as `engine`."""
