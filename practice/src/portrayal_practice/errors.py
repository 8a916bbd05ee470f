"""The error that the practice world raises on purpose."""

from __future__ import annotations

from portrayal.errors import PortrayalError


class PracticeError(PortrayalError, ValueError):
    """The practice world was asked for what it does not know."""
