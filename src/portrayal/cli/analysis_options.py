"""Options of an analysis, made from the settings themselves.

A command takes `analysis` and is decorated with `with_analysis`; the options come along.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_args

from portrayal.cli.gathering import gathered, option
from portrayal.findings import AnalysisSettings, Choice, choices

_METAVARS = {int: "N", float: "X"}


def _option(choice: Choice) -> inspect.Parameter:
    metavar = "|".join(map(str, get_args(choice.type))) or _METAVARS[choice.type]
    about = choice.help
    return option(
        choice.name, choice.type, metavar, about.text, default=choice.default, min=about.least
    )


def _as_analysis(given: Mapping[str, Any]) -> AnalysisSettings:
    return AnalysisSettings(**given)


COMPARED = ("unit", "people", "consensus", "resamples", "confidence")
"""Settings of an analysis that a comparison takes."""

with_analysis = gathered("analysis", [_option(choice) for choice in choices()], _as_analysis)
"""Give a command the options of an analysis; it receives them as `analysis`."""

with_comparing = gathered(
    "analysis", [_option(choice) for choice in choices() if choice.name in COMPARED], _as_analysis
)
"""Give a command the options of a comparison; it receives them as `analysis`."""
