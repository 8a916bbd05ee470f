"""How a command ends, for scripts: one table for all commands."""

from __future__ import annotations

import re
from enum import IntEnum

from portrayal.errors import PortrayalError, SettingError

_OPTIONS = {"width": "size", "height": "size", "measurers": "measurer", "draws": "texts"}
"""Settings whose option has another name."""


_ARGUMENTS = {"audits": "AUDIT"}
"""Settings that are no option but an argument, as the help writes them."""


class ExitCode(IntEnum):
    """What a command's exit code means.

    A command that computes or writes has done its work also where the data are too few for a
    finding: the finding says so. The codes 3 and 4 are for commands that decide.
    """

    DONE = 0
    ERROR = 1
    """A file, a study, a model or a service is not as it has to be."""
    USAGE = 2
    """An option, its value or a command cannot be."""
    FAILED = 3
    """A rule or a verification failed."""
    NOT_ENOUGH_DATA = 4
    """A rule cannot be decided."""
    INTERRUPTED = 130
    """Ctrl-C, as shells have it."""


def exit_code(error: PortrayalError) -> ExitCode:
    """Return the code with which an error ends a command."""
    return ExitCode.USAGE if isinstance(error, SettingError) else ExitCode.ERROR


def in_options(said: PortrayalError | str) -> str:
    """Return a line as the command line writes it: settings by the names of their options.

    >>> in_options(SettingError("batch_size", "is 0; allowed: 1 or more"))
    '--batch-size is 0; allowed: 1 or more'
    >>> in_options("knows no `retry_failed`; allowed: `width`, `height`, `seed`")
    'knows no --retry-failed; allowed: --size, --seed'
    >>> in_options(SettingError("width", "is 2; allowed: at most 1", option="width"))
    '--width is 2; allowed: at most 1'
    """
    if isinstance(said, SettingError):
        name = f"--{said.option}" if said.option else f"`{said.setting}`"
        text = f"{name} {said.problem}"
    else:
        text = str(said)
    text = re.sub(r"`([a-z_]+)`", lambda found: _option(found[1]), text)
    return text.replace("--size, --size", "--size")


def _option(setting: str) -> str:
    if setting in _ARGUMENTS:
        return _ARGUMENTS[setting]
    return f"--{_OPTIONS.get(setting, setting).replace('_', '-')}"
