"""Keys of services, from the environment; they are never stored nor printed."""

from __future__ import annotations

import os

from portrayal.errors import PortrayalError

_SECRET = 12
"""Letters of the shortest key that is a secret; a service on a desk takes "none" or "test"."""


def is_secret(key: str | None) -> bool:
    """Return whether a key is one: a short one may be a part of any text, and opens nothing."""
    return key is not None and len(key) >= _SECRET


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
