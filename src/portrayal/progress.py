"""How long work tells of its progress; every loop takes one of these."""

from __future__ import annotations

from collections.abc import Callable

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

OnCount = Callable[[int, int], None]
"""The same of a loop that does one thing: how much is done, and how much there is."""


OnRemark = Callable[[str], None]
"""Called with a line for whoever waits: why nothing happens right now."""


def no_remark(text: str) -> None:
    """Say nothing."""


def no_progress(what: str, done: int, total: int) -> None:
    """Show nothing."""


def counted(on_progress: OnProgress, what: str) -> OnCount:
    """Return what a loop that does one thing calls.

    Args:
        on_progress: Who is told.
        what: What the loop does.
    """
    return lambda done, total: on_progress(what, done, total)
