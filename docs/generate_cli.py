"""Write docs/cli.md from the app itself: `python docs/generate_cli.py`.

A test fails when the page is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from portrayal.cli import command_line

PAGE = Path(__file__).parent / "cli.md"

START = """\
# Commands
Written by `docs/generate_cli.py` from the commands' own help; do not edit.

An error is one line on standard error. What an import refuses leaves the audit folder as it was; \
a run that ends in an error keeps the images and answers that are stored by then, those of a \
folder in place of a study among them. After an error or Ctrl-C the same command continues. \
Progress and remarks go to standard error, results to standard output; with `--json`, standard \
output contains JSON and nothing else. \
`portrayal --install-completion` teaches your shell the commands.

| exit code | |
|---|---|
| 0 | Done. Also where data are too few for a finding: the finding says so. |
| 1 | An error: a file, a study, a model or a service is not as it has to be. |
| 2 | Wrong usage: an option, its value or a command cannot be. |
| 3 | A rule or a verification failed; for commands that decide. |
| 4 | Not enough data to decide; for commands that decide. |
| 130 | Interrupted. |
"""


def page() -> str:
    """Return the whole page."""
    sections = [START]
    for words, command in _commands(typer.main.get_command(command_line()), ("portrayal",)):
        sections.append(_section(words, command))
    return "\n".join(sections)


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command that does something, in the order of the help."""
    children = getattr(command, "commands", {})
    if not children or (len(words) > 1 and command.invoke_without_command):
        yield words, command
    for name, child in children.items():
        yield from _commands(child, (*words, name))


def _section(words: tuple[str, ...], command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([*words, *(_written(p) for p in arguments)])
    usage += "".join(f" {p.opts[0]} {_value(p)}" for p in options if p.required)
    about = " ".join((command.help or "").split())
    lines = [f"## {' '.join(words)}", f"`{usage}{' [OPTIONS]' if options else ''}`", "", about, ""]
    rows = [(f"`{_written(p)}`".replace("|", "\\|"), _help(p)) for p in arguments]
    rows += [(f"`{_names(p)}`", _help(p)) for p in options if p.name != "help"]
    if rows:
        lines += ["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows), ""]
    return "\n".join(lines)


def _written(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper())
    return name if argument.required else f"[{name}]"


def _names(option: Any) -> str:
    if option.is_flag:
        return ", ".join([*option.opts, *option.secondary_opts])
    return ", ".join(option.opts) + " " + _value(option).replace("|", "\\|")


def _value(option: Any) -> str:
    return str(option.metavar or option.name.upper())


def _help(parameter: Any) -> str:
    text = str(parameter.help or "").replace("|", "\\|")
    default = parameter.default
    if getattr(parameter, "secondary_opts", ()):
        default = (parameter.opts if default else parameter.secondary_opts)[0]
    nothing = default is None or default is False or default == ""
    if nothing or callable(default) or parameter.required:
        return text
    return f"{text} Default: `{default}`."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
