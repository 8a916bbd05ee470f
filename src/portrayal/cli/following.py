"""A session at work, as a person at the terminal follows it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from portrayal.cli import console

if TYPE_CHECKING:
    from portrayal.measurers import MeasurementSummary
    from portrayal.runner import Session


@contextlib.contextmanager
def following(session: Session, quiet: bool, title: str = "") -> Iterator[None]:
    """Show what a session does, and why it waits, until the context ends.

    Args:
        session: The session.
        quiet: Show nothing.
        title: A line above the first bar.
    """
    with console.progress(quiet, title) as session.on_progress:
        if not quiet:
            session.on_remark = console.say
        yield


def say_unmeasured(measured: Sequence[MeasurementSummary]) -> None:
    """Say why images could not be measured."""
    for one in measured:
        for reason, count in one.common_reasons().items():
            console.say(f"{count:,} {'image' if count == 1 else 'images'} not measured: {reason}")
