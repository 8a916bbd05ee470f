"""retire, restore, rename: manage an audit on record."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from portrayal.cli import console
from portrayal.cli import options as o
from portrayal.errors import SettingError, one_of

_What = Annotated[str, typer.Argument(metavar="THING", help="measurer, campaign or study.")]
_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="Its name; of a measurer also its digest.")
]
_Reason = Annotated[str, typer.Option("--reason", help="Why; the report says it.")]


def add_to(root: typer.Typer) -> None:
    """Add the commands to the app."""
    for command in (retire, restore, rename):
        root.command(rich_help_panel="The folder")(command)


def retire(audit: o.AuditFolder, thing: _What, name: _Name, reason: _Reason) -> None:
    """Keep a measurer, campaign or study, but leave it out of findings and corrections."""
    from portrayal import runner
    from portrayal.audit import AuditFolder

    act = runner.retire(AuditFolder(audit), _thing(thing), name, reason=reason)
    console.say(f"{act.words()} Recompute: portrayal analyze {audit}")


def restore(audit: o.AuditFolder, thing: _What, name: _Name, reason: _Reason) -> None:
    """Count a measurer, campaign or study again that was retired."""
    from portrayal import runner
    from portrayal.audit import AuditFolder

    act = runner.restore(AuditFolder(audit), _thing(thing), name, reason=reason)
    console.say(f"{act.thing} {act.label} counts again. Recompute: portrayal analyze {audit}")


def rename(
    audit: o.AuditFolder,
    name: Annotated[str, typer.Argument(metavar="STUDY", help="A study of the audit.")],
    to: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    reason: _Reason,
) -> None:
    """Give a study of an audit another name."""
    from portrayal import runner
    from portrayal.audit import AuditFolder

    runner.rename(AuditFolder(audit), name, to, reason=reason)
    console.say(f"study {name} is called {to} now. Recompute: portrayal analyze {audit}")


def _thing(given: str) -> Any:
    from portrayal.audit import THINGS

    if given not in THINGS:
        raise SettingError("thing", f"is {given!r}; allowed: {one_of(THINGS)}")
    return given
