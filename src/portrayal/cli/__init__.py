"""The command line: parse, call, print."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

import typer

from portrayal import __version__
from portrayal.cli import console, options
from portrayal.cli.console import notes
from portrayal.cli.exit_codes import ExitCode, exit_code, in_options
from portrayal.cli.interrupts import noted_interrupts
from portrayal.errors import PortrayalError
from portrayal.plugins import COMMANDS, CommandGroup, plugins

# Packages that register commands use the two modules too.
__all__ = ["app", "command_line", "console", "main", "options"]

KEEPING = frozenset(
    {"run", "generate", "measure", "explain", "ablate", "reproduce", "corpus", "annotate"}
)
"""Commands of which a part is done for good when they are stopped."""

# Typer has a class for this and no public name for it.
USAGE_ERROR: type[BaseException] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="portrayal",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=(
        "Measure how a text-to-image model portrays people.\n\n"
        "An [b]audit[/b] is a folder about one model; [b]studies[/b] are questions asked of it. "
        'Start with [b]pip install "portrayal\\[practice]"[/b] and '
        "[b]portrayal run demo --out audits/demo[/b]: it needs neither a network nor a GPU."
    ),
)


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
    """Take the options that come before a command."""


@functools.cache
def command_line() -> typer.Typer:
    """Return the app with the commands of all packages that bring some.

    Raises:
        PluginError: What a package registers cannot be used.
    """
    for group in sorted(plugins(COMMANDS, CommandGroup).values(), key=lambda one: one.place):
        group.add_to(app)
    return app


@functools.cache
def _command() -> Any:
    command = typer.main.get_command(command_line())
    _without_types(command)
    return command


def main() -> None:
    """Run the CLI; an error of ours is one line and an exit code, anything else is a bug."""
    # Errors of loading reach us as exceptions; diffusers would tell them a second time.
    os.environ.setdefault("DIFFUSERS_VERBOSITY", "error")
    with noted_interrupts() as interrupted:
        try:
            # Typer frames errors of usage over several lines; ours are one line, like all others.
            code: int | None = _command()(prog_name="portrayal", standalone_mode=False)
        except KeyboardInterrupt:
            code = ExitCode.INTERRUPTED
        except Exception as error:
            # Whatever follows Ctrl-C is its doing: libraries raise errors of their own.
            code = ExitCode.INTERRUPTED if interrupted.is_set() else _said(error)
    if code == ExitCode.INTERRUPTED:
        keeps = KEEPING & set(sys.argv[1:2])
        more = "; the same command continues where it was" if keeps else ""
        notes.print(f"\nstopped{more}", soft_wrap=True)
    sys.exit(code or 0)


def _said(error: Exception) -> ExitCode:
    """Say an error of ours, or of usage, in one line and return its code; raise any other."""
    if isinstance(error, PortrayalError):
        return _fail(in_options(error), exit_code(error))
    if isinstance(error, USAGE_ERROR):
        return _usage(error)
    if isinstance(error, typer.Abort):
        return ExitCode.INTERRUPTED
    raise error


def _without_types(command: Any) -> None:
    """Let no switch have a type in its help: typer writes `--help <bool>`."""
    for one in (*command.params, command.get_help_option(typer.Context(command))):
        if getattr(one, "is_flag", False) and one.metavar is None:
            one.metavar = ""
    for child in getattr(command, "commands", {}).values():
        _without_types(child)


def _fail(line: str, code: ExitCode) -> ExitCode:
    console.say(f"error: {line}", style="red")
    return code


def _usage(error: Any) -> ExitCode:
    """Say what is wrong and which command explains more."""
    line = " ".join(error.format_message().split())
    if not line:  # a group was called without a command, and its help has been shown
        return ExitCode.DONE
    faults = getattr(error.__cause__, "errors", None)  # pydantic's, which read the value
    if faults is not None and getattr(error, "param", None) is not None:
        line = _not_allowed(error.param, faults()[0])
    command = error.ctx.command_path if error.ctx is not None else "portrayal"
    return _fail(f"{line} (see: {command} --help)", ExitCode.USAGE)


_ALLOWED = {
    "greater_than_equal": "{ge:g} or more", "greater_than": "above {gt:g}",
    "less_than_equal": "at most {le:g}", "less_than": "below {lt:g}",
    "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_parsing": "a number", "finite_number": "a number",
}  # fmt: skip
"""What a value has to be, by pydantic's name of the fault."""


def _not_allowed(parameter: Any, fault: Any) -> str:
    """Say which value an option does not take, and what it takes."""
    is_option = parameter.param_type_name == "option"
    name = parameter.opts[0] if is_option else parameter.human_readable_name
    context, allowed = fault.get("ctx", {}), _ALLOWED.get(fault["type"])
    what = str(context.get("error", fault["msg"])).replace("Input should", "it should")
    said = what.rstrip(".") if allowed is None else f"allowed: {allowed.format(**context)}"
    return f"{name} is {fault['input']}; {said}"
