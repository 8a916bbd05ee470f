"""The command line: parse, call, print."""

from __future__ import annotations

import sys

import typer

from portrayal import __version__
from portrayal.cli import bring, practice, studies, verbs
from portrayal.cli.console import notes
from portrayal.errors import PortrayalError

app = typer.Typer(
    name="portrayal",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=(
        "Measure how a text-to-image model portrays people.\n\n"
        "An [b]audit[/b] is a folder about one model; [b]studies[/b] are questions asked of it. "
        "Start with [b]portrayal run demo --out audits/demo[/b]: it audits the embedded practice "
        "model and needs neither a network nor a GPU."
    ),
)
verbs.add_to(app)
studies.add_to(app)
bring.add_to(app)
practice.add_to(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"portrayal {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Hold the options that stand before a command."""


def main() -> None:
    """Run the CLI; an error of ours is one line and exit code 1, anything else is a bug."""
    try:
        app()
    except PortrayalError as error:
        notes.print(f"error: {error}", style="red", soft_wrap=True, markup=False)
        sys.exit(1)
    except KeyboardInterrupt:
        notes.print("\nstopped; the same command continues where it was", soft_wrap=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
