"""view: look at the audits of a folder in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o


def add_to(root: typer.Typer) -> None:
    """Add the command to the app."""
    root.command(rich_help_panel="Run")(view)


def view(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", parser=o.location, help="A folder of audits, or an audit."
        ),
    ] = Path("audits"),
    port: Annotated[
        int, typer.Option(metavar="PORT", help="Port on this machine; 0 takes any free one.")
    ] = 8001,
    rater: Annotated[
        str,
        typer.Option(metavar="NAME", help="Your name; labels that you correct become your votes."),
    ] = "",
) -> None:
    """Browse audits in a web page on this machine: search, filter images, correct labels.

    Shows every image of every audit in the folder, and two audits side by side. Only this machine
    can open the page, and only with the link that is printed.
    """
    from portrayal.report import serve_view

    serve_view(folder, port=port, rater=rater, on_ready=_say_link)


def _say_link(link: str) -> None:
    console.line(f"open: {link}")
    console.say("Ctrl-C stops the page")
