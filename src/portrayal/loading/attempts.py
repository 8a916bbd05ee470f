"""A batch that fails: again after a pause, in halves when memory ran out, then one by one.

A model that fails on sixteen items at once usually fails because of one of them, or because of
something that passes. What is left after all attempts names the guilty items alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from portrayal.errors import PortrayalError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item has no answer after all attempts."""

    reason: str


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try and how long to wait in between.

    Attributes:
        tries: Attempts with a whole batch, and again with each of its items alone.
        pause: Seconds before the second try; doubled before each further one.
        hopeless: Batches that fail wholly, one after another, before the run is given up.
        sleep: Waits; given by tests.
    """

    tries: int = 3
    pause: float = 1.0
    hopeless: int = 3
    sleep: Callable[[float], None] = time.sleep

    def wait(self, attempt: int) -> None:
        """Wait after an attempt (counted from 0) that was not the last."""
        if attempt + 1 < self.tries:
            self.sleep(self.pause * 2.0**attempt)


class Attempts(Generic[Item, Answer]):
    """Calls a model on batches so that one bad item, or a full memory, costs only itself.

    `limit` is the batch size that still fits into memory; it shrinks when memory runs out.
    """

    def __init__(
        self,
        call: Callable[[Sequence[Item]], Sequence[Answer]],
        *,
        limit: int,
        patience: Patience | None = None,
    ) -> None:
        self.limit = max(1, limit)
        self._call = call
        self._patience = patience or Patience()

    def run(self, items: Sequence[Item]) -> list[Answer | Failure]:
        """Return an answer or a failure for every item, in order.

        Raises:
            PortrayalError: Raised by the model itself: trying again would not help.
        """
        answers: list[Answer | Failure] = []
        while len(answers) < len(items):
            batch = items[len(answers) : len(answers) + self.limit]
            done = self._batch(batch)
            if done is not None:
                answers.extend(done)
        return answers

    def _batch(self, batch: Sequence[Item]) -> Sequence[Answer | Failure] | None:
        """Answer a batch; None when memory ran out and the batch must be made smaller."""
        failure = Failure("not tried")
        for attempt in range(self._patience.tries):
            outcome = self._try(batch)
            if not isinstance(outcome, Failure):
                return outcome
            if len(batch) > 1 and outcome is OUT_OF_MEMORY:
                self.limit = len(batch) // 2
                return None
            failure = outcome
            self._patience.wait(attempt)
        return self._one_by_one(batch) if len(batch) > 1 else [failure]

    def _one_by_one(self, batch: Sequence[Item]) -> list[Answer | Failure]:
        """Try items alone, in rounds, so that all of them share the pauses."""
        answers: list[Answer | Failure] = [Failure("not tried")] * len(batch)
        waiting = list(range(len(batch)))
        for attempt in range(self._patience.tries):
            for i in waiting:
                outcome = self._try([batch[i]])
                answers[i] = outcome if isinstance(outcome, Failure) else outcome[0]
            waiting = [i for i in waiting if isinstance(answers[i], Failure)]
            if not waiting:
                break
            self._patience.wait(attempt)
        return answers

    def _try(self, batch: Sequence[Item]) -> Sequence[Answer] | Failure:
        try:
            answers = self._call(batch)
        except PortrayalError:
            raise
        except Exception as problem:
            # The exception's frames hold the batch's tensors: only words may leave this block.
            return OUT_OF_MEMORY if is_out_of_memory(problem) else Failure(first_line(problem))
        if len(answers) != len(batch):
            raise PortrayalError(
                f"a model answered {len(answers)} of {len(batch)} items; it is broken"
            )
        return answers


OUT_OF_MEMORY = Failure("out of memory")


def is_out_of_memory(problem: BaseException) -> bool:
    """Tell an exhausted memory, of the device or of the machine, from other errors."""
    if isinstance(problem, MemoryError):
        return True
    if any(kind.__name__ == "OutOfMemoryError" for kind in type(problem).__mro__):
        return True
    text = str(problem).lower()
    return isinstance(problem, RuntimeError) and (
        "out of memory" in text or "can't allocate memory" in text
    )


def first_line(problem: BaseException, *, limit: int = 200) -> str:
    """Return an exception as one short line: its kind and the first line that it says.

    A first line that ends with a colon says nothing without the second.
    """
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    text = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    line = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return line if len(line) <= limit else line[: limit - 1] + "…"
