"""reproduce: a published paper, from its prompts to its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.engine_options import with_engine
from portrayal.cli.following import following, say_unmeasured
from portrayal.cli.measurer_options import with_measurers
from portrayal.cli.model_options import with_model_settings
from portrayal.cli.verbs import say_made, say_reworded

PaperName = Annotated[
    str, typer.Argument(metavar="PAPER", help="t2iat, entigen, paradox or word-level.")
]
Small = Annotated[
    bool,
    typer.Option(
        "--small",
        help="Run a short form: a few minutes on the installed model.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(rich_help_panel="Run")(reproduce)


@with_engine
@with_model_settings
@with_measurers
def reproduce(
    paper: PaperName,
    out: o.Out,
    model: o.Model = None,
    small: Small = False,
    corpus: o.Corpus = None,
    retry_failed: o.RetryFailed = False,
    json: o.Json = False,
    *,
    measurers: Sequence[str],
    settings: dict[str, Any],
    engine: Any,
) -> None:
    """Reproduce a paper: prompts, settings and rules, to tables and figures.

    The page has the published numbers beside ours, in the paper's order.
    After raters have answered, run the same command again. paradox compares
    with training data: name it with --corpus; --small writes the installed
    model's own beside the audit.
    """
    from portrayal import runner
    from portrayal.findings import AnalysisSettings
    from portrayal.papers import load_paper

    chosen = load_paper(paper)
    models = runner.reproduction_models(chosen, model, settings, measurers, engine=engine)
    analysis = AnalysisSettings(**chosen.analysis)
    session = runner.Session(out, models=models, corpus=corpus, analysis=analysis)
    say_reworded(session)
    with following(session, json, f"{paper} · {session.path}"):
        done = runner.reproduce(session, chosen, small=small, retry_failed=retry_failed)
    if json:
        console.as_json({**done.run.results.as_dict(), "page": str(done.page)})
        return
    say_made(done.run.made, session)
    say_unmeasured(done.run.measured)
    console.say(f"report: {done.run.page}")
    console.say(f"tables and figures of the paper: {done.page}")
