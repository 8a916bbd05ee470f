"""The measurers of a command, under their name and under an older one.

A command takes `measurers` and is decorated with `with_measurers`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from portrayal.cli.gathering import gathered, option

_OPTIONS = [
    option(
        "measurer", list[str] | None, "MEASURER",
        "A CLIP or SigLIP folder or Hub id, open_clip:..., or the name of an installed measurer; "
        "may be repeated. Also: --encoder.",
        short="-e",
    ),
    # Apart, because a help of 60 columns has no room for two names.
    option("encoder", list[str] | None, "MEASURER", "", hidden=True),
]  # fmt: skip


def _as_names(given: Mapping[str, Any]) -> tuple[str, ...]:
    return (*(given["measurer"] or ()), *(given["encoder"] or ()))


with_measurers = gathered("measurers", _OPTIONS, _as_names)
"""Give a command the measurers; it receives the names that were given as `measurers`."""
