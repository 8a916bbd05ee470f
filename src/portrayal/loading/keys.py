"""Keys of services, from the environment; they are never stored nor printed."""

from __future__ import annotations

import os

from portrayal.errors import PortrayalError


def read_key(variable: str, *, error: type[PortrayalError]) -> str | None:
    """Return the key that an environment variable contains; None where it is absent or empty.

    Args:
        variable: Its name.
        error: What to raise where no request could carry the key.
    """
    found = os.environ.get(variable, "").strip()  # files that keys are read from end in a newline
    if not all("!" <= letter <= "~" for letter in found):
        raise error(
            f"the key in the environment variable {variable} contains a space, a control character "
            "or a letter beyond ASCII, which no request can carry; copy the key alone"
        )
    return found or None
