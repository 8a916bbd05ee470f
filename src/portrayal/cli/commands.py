"""The commands that come with portrayal, registered like those of any other package."""

from __future__ import annotations

import typer

from portrayal.cli import (
    ablate,
    bring,
    check,
    compare,
    corpus,
    explain,
    manage,
    raters,
    reproduce,
    share,
    studies,
    validate,
    verbs,
    verify,
    view,
)
from portrayal.plugins import CommandGroup


def _add_all(app: typer.Typer) -> None:
    for module in (
        verbs,
        view,
        explain,
        ablate,
        reproduce,
        compare,
        studies,
        bring,
        manage,
        corpus,
        raters,
        validate,
        check,
        share,
        verify,
    ):
        module.add_to(app)


OURS = CommandGroup(_add_all, place=0)
