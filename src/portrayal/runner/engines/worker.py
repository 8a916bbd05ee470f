"""What a worker of a cluster does: keeps a generator, makes batches and stores them itself.

Images never travel to whoever hands out the batches; what goes back is a few counts. An instance
of `Worker` lives in a process of the cluster as long as the run.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from portrayal.audit import AuditFolder
from portrayal.errors import PortrayalError, PromptTooLong
from portrayal.generators import Generator, PreparesForLongRuns, record, store_records
from portrayal.loading import Attempts, Failure
from portrayal.measurers import Measurer, MeasuresWhileGenerating
from portrayal.records import GeneratedImage, Identity, Request
from portrayal.runner.engines.protocol import MeasurersOpener, Opener


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker whose generator is loaded."""

    identity: Identity
    batch_size: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A batch that is done: how many rows were stored, by status.

    A batch of which everything failed is not stored; its reasons are here instead, because only
    who sees all batches can tell whether the requests are to blame or the model.
    """

    counts: Counter[str] = field(default_factory=Counter)
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """An error of ours: no other worker would do better."""

    message: str
    too_long: tuple[str, ...] = ()


class Worker:
    """A long-lived generator. Two calls at a time: one makes while the other stores.

    Args:
        opener: Opens the generator.
        look: Opens those who look at images as soon as they are stored.
    """

    def __init__(self, opener: Opener, look: MeasurersOpener | None = None) -> None:
        self._opener = opener
        self._look = look
        self._measurers: Sequence[Measurer] = ()
        self._watching: MeasuresWhileGenerating | None = None
        self._turn = threading.Lock()
        self._generator: Generator | None = None
        self._attempts: Attempts[Request, GeneratedImage] | None = None
        self._audit: AuditFolder | None = None

    def open(self) -> Ready | Broken:
        """Load the generator."""
        try:
            generator = self._opener(None)
            self._measurers = self._look(None) if self._look is not None else ()
        except PortrayalError as error:
            return Broken(str(error))
        self._generator = generator
        self._attempts = Attempts(generator.generate, limit=generator.batch_size)
        return Ready(generator.identity, generator.batch_size)

    def check(self, prompts: Sequence[str]) -> int | Broken:
        """Return how many prompts would be cut."""
        assert self._generator is not None
        try:
            return self._generator.check(prompts)
        except PromptTooLong as error:
            return Broken(str(error), error.texts)
        except PortrayalError as error:
            return Broken(str(error))

    def make(
        self, folder: str, requests: Sequence[Request], *, again: bool, left: int
    ) -> Stored | Broken:
        """Make a batch and store it as one part of an audit.

        Args:
            folder: The audit.
            requests: The batch.
            again: Also store requests that failed before.
            left: About how many more images this worker will be asked for.
        """
        generator: object = self._generator
        assert self._attempts is not None
        try:
            with self._turn:
                if isinstance(generator, PreparesForLongRuns):
                    generator.expect(left)
                audit, watching = self._opened(folder)
                answers = self._attempts.run(requests)
            images = [
                GeneratedImage.failed(a.reason) if isinstance(a, Failure) else a for a in answers
            ]
            if all(image.status == "failed" for image in images):
                return Stored(reasons=tuple(str(image.reason) for image in images))
            batch = list(zip(requests, images, strict=True))
            counts = store_records(audit, [record(*pair) for pair in batch], again=again)
            if watching is not None and not counts["elsewhere"]:
                watching(batch)
            return Stored(counts)
        except PortrayalError as error:
            return Broken(str(error))

    def finish(self) -> Stored:
        """Wait until all that was stored has been looked at."""
        watching, self._watching = self._watching, None
        self._audit = None
        if watching is not None:
            watching.__exit__(None, None, None)
        return Stored()

    def _opened(self, folder: str) -> tuple[AuditFolder, MeasuresWhileGenerating | None]:
        if self._audit is None or str(self._audit.path) != folder:
            self.finish()
            self._audit = AuditFolder(folder)
            if self._measurers:
                self._watching = MeasuresWhileGenerating(self._audit, self._measurers).__enter__()
        return self._audit, self._watching
