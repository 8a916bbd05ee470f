"""Options of an analysis, made from the settings themselves.

A command takes `analysis` and is decorated with `with_analysis`; the options come along.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import typer

from portrayal.cli.gathering import gathered
from portrayal.findings import AnalysisSettings, Choice, choices

_METAVARS = {int: "N", float: "X"}


def _option(choice: Choice) -> inspect.Parameter:
    values = "|".join(map(str, get_args(choice.type)))
    option = typer.Option(
        f"--{choice.name}",
        metavar=values or _METAVARS[choice.type],
        min=choice.help.least,
        help=choice.help.text,
    )
    return inspect.Parameter(
        choice.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=choice.default,
        annotation=Annotated[choice.type, option],
    )


def _as_analysis(given: Mapping[str, Any]) -> AnalysisSettings:
    return AnalysisSettings(**given)


with_analysis = gathered("analysis", [_option(choice) for choice in choices()], _as_analysis)
"""Give a command the options of an analysis; it receives them as `analysis`."""
