"""check: whether an audit keeps to rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.cli.exit_codes import ExitCode

CODES = {
    "pass": ExitCode.DONE,
    "fail": ExitCode.FAILED,
    "not enough data": ExitCode.NOT_ENOUGH_DATA,
}


def add_to(root: typer.Typer) -> None:
    """Add the command to the app."""
    root.command(rich_help_panel="Decide and share")(check)


def check(
    audit: o.AuditFolder,
    rules: Annotated[
        Path, typer.Option(metavar="FILE", help="The rules, as TOML (default: rules.toml).")
    ] = Path("rules.toml"),
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="AUDIT", parser=o.location, help="Compare with this audit (change_of rules)."
        ),
    ] = None,
    init: Annotated[
        bool,
        typer.Option("--init", help="Write a rules file to begin with, from this audit."),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the verdicts as JUnit XML.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Decide whether an audit keeps to rules: exit code 3 if one fails, 4 if data are too few."""
    from portrayal import decisions, runner
    from portrayal.audit import write_text

    if init:
        console.say(f"written: {runner.write_starter(audit, rules)}")
        return
    found = runner.check(audit, rules, baseline=baseline)
    if junit is not None:
        write_text(junit, decisions.junit_xml(found))
    if json:
        console.as_json(found.as_dict())
    else:
        for line in decisions.text_lines(found):
            console.paragraph(line)
    raise typer.Exit(CODES[found.outcome])
