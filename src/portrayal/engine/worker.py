"""What a worker of a cluster does: keeps a generator, makes batches and stores them itself.

Pictures never travel to whoever hands out the batches; what goes back is a few counts. An instance
of `Worker` lives in a process of the cluster as long as the run.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from portrayal.audit import Audit
from portrayal.engine.protocol import Opener
from portrayal.errors import PortrayalError
from portrayal.generation import Generator
from portrayal.generation.protocol import Expectant
from portrayal.generation.writer import record, store_records
from portrayal.models.attempts import Attempts, Failure
from portrayal.records import Identity, Picture, Request


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


class Worker:
    """A long-lived generator. Two calls at a time: one makes while the other stores.

    Args:
        opener: Opens the generator.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._turn = threading.Lock()
        self._generator: Generator | None = None
        self._attempts: Attempts[Request, Picture] | None = None
        self._audit: Audit | None = None

    def open(self) -> Ready | Broken:
        """Load the generator."""
        try:
            generator = self._opener(None)
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
            left: About how many more pictures this worker will be asked for.
        """
        generator: object = self._generator
        assert self._attempts is not None
        try:
            with self._turn:
                if isinstance(generator, Expectant):
                    generator.expect(left)
                if self._audit is None or str(self._audit.path) != folder:
                    self._audit = Audit(folder)
                audit = self._audit
                answers = self._attempts.run(requests)
            pictures = [Picture.failed(a.reason) if isinstance(a, Failure) else a for a in answers]
            if all(picture.status == "failed" for picture in pictures):
                return Stored(reasons=tuple(str(picture.reason) for picture in pictures))
            records = [record(*pair) for pair in zip(requests, pictures, strict=True)]
            return Stored(store_records(audit, records, again=again))
        except PortrayalError as error:
            return Broken(str(error))
