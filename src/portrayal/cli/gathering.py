"""Options that several commands share as a group: declared once, handed over as one argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

Command = Callable[..., None]


def option(
    name: str,
    kind: Any,
    metavar: str,
    text: str,
    *,
    short: str = "",
    default: Any = None,
    **more: Any,
) -> inspect.Parameter:
    """Return an option of a group.

    Args:
        name: The parameter; `batch_size` is written `--batch-size`.
        kind: The type of its value.
        metavar: What the help writes for the value.
        text: The help.
        short: Another name of one letter, as `-e`.
        default: The value where it is not given.
        more: As of `typer.Option`.
    """
    names = [f"--{name.replace('_', '-')}", *([short] if short else [])]
    written = typer.Option(*names, metavar=metavar, help=text, **more)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, written],
    )


def gathered(
    argument: str,
    declared: Sequence[inspect.Parameter],
    read: Callable[[Mapping[str, Any]], Any],
) -> Callable[[Command], Command]:
    """Return a decorator that gives a command a group of options.

    Args:
        argument: The command's argument that takes their place in its own signature.
        declared: The options, in the order of the help.
        read: Turns the options as given into the argument.
    """
    options = {one.name: one for one in declared}

    def decorated(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        mine = [one for one in own.parameters.values() if one.name != argument]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [one.replace(kind=keyword) for one in (*mine, *options.values())]

        @functools.wraps(command)
        def parsed(**given: Any) -> None:
            group = {name: given.pop(name) for name in options}
            command(**given, **{argument: read(group)})

        parsed.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        parsed.__annotations__ = {one.name: one.annotation for one in parameters}
        return parsed

    return decorated
