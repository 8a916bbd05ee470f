"""What a generator is, and what a run of the loop says at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable

from portrayal.records import GeneratedImage, Identity, Request


class Generator(Protocol):
    """Makes images: the same request gives the same image, whatever else is in the batch."""

    @property
    def identity(self) -> Identity:
        """Everything that changes pixels, and nothing else."""

    @property
    def batch_size(self) -> int:
        """How many requests to give at once."""

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts would be cut to the text window, because the user allowed it.

        Raises:
            PromptTooLong: A prompt would be cut, and nobody allowed it.
        """

    def generate(self, requests: Sequence[Request]) -> list[GeneratedImage]:
        """Return one image for each request, in order.

        A refusal is an image too. An exception is tried again; a `PortrayalError` ends the run,
        a `GenerationStopped` after what it holds has been stored.
        """


@runtime_checkable
class PreparesForLongRuns(Protocol):
    """A generator that wants to know how long a run will be, to prepare for a long one."""

    def expect(self, images: int) -> None:
        """Take note of how many images are to be made."""


@runtime_checkable
class SendsAhead(Protocol):
    """A generator that can be sent a batch while the one before it is still being made."""

    @property
    def works_ahead(self) -> bool:
        """Whether `begin` returns before the images are made; may change during a run."""

    def begin(self, requests: Sequence[Request]) -> Callable[[], list[GeneratedImage]]:
        """Send a batch; return what waits for its images, as `generate` would give them.

        What goes wrong here is met again by `generate`, which is then called instead.
        """


@dataclass(frozen=True, slots=True)
class GenerationSummary:
    """How a run of the loop ended.

    Attributes:
        made: Images stored by this run.
        refused: Requests that the generator declined, stored as such by this run.
        failed: Requests that failed after all attempts, stored with their reason by this run.
        present: Wanted images that were there before, or that another process made meanwhile.
        failed_before: Requests that failed in an earlier run and were not tried again.
        refused_before: Requests that the generator declined in an earlier run.
        other_size: Images of the audit that are not of the size asked for; services do that.
        truncated: Prompts that were cut to the text window, as the user allowed.
        lost: Workers of an engine that ended before their time; others did their work.
    """

    made: int = 0
    refused: int = 0
    failed: int = 0
    present: int = 0
    truncated: int = 0
    lost: int = 0
    failed_before: int = 0
    refused_before: int = 0
    other_size: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return a JSON-ready copy."""
        return asdict(self)

    def sentence(self) -> str:
        """Say it in one line; what did not happen is not mentioned."""
        parts = [f"{self.made:,} images generated", f"{self.present:,} reused"]
        for count, words in (
            (self.refused, "refused by the model"),
            (self.failed, "failed (`retry_failed` tries again)"),
            (self.failed_before, "failed before (`retry_failed` tries again)"),
            (self.refused_before, "refused before"),
            (self.other_size, "not of the size asked for"),
            (self.truncated, "prompts cut to the text window"),
            (self.lost, "workers lost, others did their work"),
        ):
            if count:
                parts.append(f"{count:,} {words}")
        return ", ".join(parts)
