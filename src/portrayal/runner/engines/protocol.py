"""What an engine is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from portrayal.audit import AuditFolder, Pairs, Wanted
from portrayal.errors import GenerationError
from portrayal.generators import GenerationSummary, Generator
from portrayal.measurers import Measurer
from portrayal.progress import OnCount
from portrayal.records import Identity

Opener = Callable[[str | None], Generator]
"""Opens the generator on a device (None: the best there is). Sent to other processes: picklable."""

MeasurersOpener = Callable[[str | None], Sequence[Measurer]]
"""Opens, on the same device, those who look at images as soon as they are stored; picklable."""


class Engine(Protocol):
    """Makes what is wanted and not there yet, somewhere."""

    @property
    def identity(self) -> Identity:
        """The identity of the generator, the same on every worker."""

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts would be cut; raise where that was not allowed."""

    def generate(
        self,
        audit: AuditFolder,
        wanted: Wanted | Pairs,
        *,
        on_progress: OnCount | None = None,
        retry_failed: bool = False,
    ) -> GenerationSummary:
        """Make what is missing, as `portrayal.generators.generate` does."""


def require_one_model(one: Identity, other: Identity, *, who: str) -> None:
    """Raise where two workers would make other images of the same request.

    Args:
        one: What a worker opened.
        other: What another one did.
        who: The workers, for the message.

    Raises:
        GenerationError: They differ, and in what.
    """
    if one.digest == other.digest:
        return
    found = "; ".join(
        f"{name} is {mine!r} or {theirs!r}"
        for name, (mine, theirs) in one.differences(other).items()
    )
    raise GenerationError(
        f"{who} have different models: {found}; an audit has one: set what differs, as with `dtype`"
    )
