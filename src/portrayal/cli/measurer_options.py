"""The measurers of a command, under their name and under an older one.

A command takes `measurers` and is decorated with `with_measurers`; the options come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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


_CALL = partial(option, rich_help_panel="A judge behind an API (--measurer judge:MODEL)")
_CALLS = [
    _CALL("max_calls", int | None, "N", "Pay for at most N calls in this run.", min=1),
    _CALL(
        "max_call_cost", float | None, "X",
        "Spend at most so much on calls in this run; needs --call-price.",
    ),
    _CALL("call_price", float | None, "X", "Price per call."),
    _CALL(
        "call_timeout", float | None, "SECONDS", "Seconds to wait for an answer (default: 60)."
    ),
]  # fmt: skip


def _given(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


with_calls = gathered("calls", _CALLS, _given)
"""Give a command the ceilings of a judge; it receives those that were given as `calls`."""
with_measurers = gathered("measurers", _OPTIONS, _as_names)
"""Give a command the measurers; it receives the names that were given as `measurers`."""
