"""ablate: which phrase of an intervention does it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from portrayal.cli import options as o
from portrayal.cli.engine_options import with_engine
from portrayal.cli.measurer_options import with_calls, with_measurers
from portrayal.cli.model_options import with_model_settings
from portrayal.cli.verbs import carry_out

Phrase = Annotated[
    str, typer.Option("--phrase", "-p", metavar="WORDS", help="Words to take out of interventions.")
]
Replacement = Annotated[
    str | None,
    typer.Option("--with", metavar="WORDS", help="Words to put in their place, if any."),
]


Attributes = Annotated[
    str | None,
    typer.Option(
        "--attributes", metavar="NAME,...", help="Ask about these attributes only (default: all)."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(rich_help_panel="Run")(ablate)


@with_engine
@with_model_settings
@with_measurers
@with_calls
def ablate(
    study: o.StudyName,
    phrase: Phrase,
    out: o.Out,
    replacement: Replacement = None,
    attributes: Attributes = None,
    model: o.Model = None,
    images: o.Images = None,
    truncate: o.Truncate = False,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    measurers: Sequence[str],
    calls: dict[str, Any],
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Take a phrase out of a study's interventions and measure again with and without it.

    The originals and the whole interventions are compared, too; no image is generated twice.
    """
    from portrayal import runner

    models = runner.Models(
        model, settings, measurers, truncate=truncate, engine=engine, calls=calls
    )
    session = runner.Session(out, models=models)
    chosen = [one.strip() for one in (attributes or "").split(",") if one.strip()]
    session.ask(
        runner.ablated_study(
            study, phrase, replacement=replacement, images=images, attributes=chosen
        )
    )
    carry_out(session, retry_failed=retry_failed, json=json)
