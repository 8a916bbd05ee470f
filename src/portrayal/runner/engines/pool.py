"""The workers of a Ray cluster: asked for, waited for, lost and replaced."""

from __future__ import annotations

from typing import Any

from portrayal.errors import GenerationError, PromptTooLong
from portrayal.loading import first_line
from portrayal.records import Identity
from portrayal.runner.engines.protocol import MeasurersOpener, Opener, require_one_model
from portrayal.runner.engines.worker import Broken, Stored, Worker

AHEAD = 2
"""Batches under way at a worker: one is made, the next waits or the last is being stored."""

HOPELESS = 3
"""Batches that fail wholly, or workers that die, one after another, before the run ends."""


class WorkerPool:
    """The workers that are loaded, and those that are on the way.

    Args:
        ray: The module, connected to a cluster.
        opener: Opens the generator.
        look: Opens those who look at images as soon as they are stored.
        count: How many workers.
        gpus: The share of a GPU that each takes.
    """

    def __init__(
        self, ray: Any, opener: Opener, look: MeasurersOpener | None, *, count: int, gpus: float
    ) -> None:
        self.ray = ray
        self.ready: list[Any] = []
        self._lost = 0
        self.batch_size = 1
        self._count = count
        self._deaths = 0
        self._last = ""
        self._found: Identity | None = None
        # The opener may be defined in a script that the nodes do not have: Ray pickles it by value.
        self._actor = ray.remote(
            num_cpus=1, num_gpus=gpus, max_concurrency=AHEAD, max_restarts=0
        )(Worker)  # fmt: skip
        self._opener, self._look = ray.put(opener), ray.put(look)
        self.opening: dict[Any, Any] = {}
        for _ in range(count):
            self.start()

    @property
    def identity(self) -> Identity:
        """The generator's identity."""
        assert self._found is not None
        return self._found

    def start(self) -> None:
        """Ask for a worker; it opens its generator as soon as there is room for it."""
        worker = self._actor.remote(self._opener, self._look)
        self.opening[worker.open.remote()] = worker

    def wait_for(self, count: int) -> None:
        """Wait until so many workers are ready."""
        while len(self.ready) < count:
            (reference,), _ = self.ray.wait(list(self.opening), num_returns=1)
            self.opened(reference)

    def opened(self, reference: Any) -> None:
        """Take in a worker whose `open` has ended, one way or the other."""
        worker = self.opening.pop(reference)
        answer = self.answer(reference)
        if answer is None:
            self.replace(worker)
            return
        if self._found is not None:
            require_one_model(self._found, answer.identity, who="the nodes of the cluster")
        self._found, self.batch_size = answer.identity, max(1, answer.batch_size)
        self.ready.append(worker)

    def answer(self, reference: Any) -> Any:
        """Return what a call came to; None where its worker is lost.

        Raises:
            GenerationError: What the worker met; no other one would do better.
        """
        try:
            answer = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            raise GenerationError(f"a worker failed: {first_line(error.cause)}") from error
        except self.ray.exceptions.RayError as error:
            self._last = first_line(error)
            return None
        if isinstance(answer, Broken) and answer.too_long:
            raise PromptTooLong(answer.message, answer.too_long)
        if isinstance(answer, Broken):
            raise GenerationError(answer.message)
        if isinstance(answer, Stored):  # only then: one may load well and die of its first batch
            self._deaths = 0
        return answer

    def replace(self, worker: Any) -> None:
        """Forget a worker that is lost and ask for another one.

        Raises:
            GenerationError: Too many were lost since the last batch that came to an end.
        """
        self._lost += 1
        self._deaths += 1
        if self._deaths >= HOPELESS + self._count:  # all at once may have been on one machine
            raise GenerationError(
                f"{self._deaths} workers died one after another, the last with: {self._last}; "
                "is portrayal installed on every node, and is there enough memory?"
            )
        self.ray.kill(worker)  # it may only have been out of reach, and would come back
        if worker in self.ready:
            self.ready.remove(worker)
        self.start()

    def check(self, prompts: list[str]) -> int:
        """Let a worker count the tokens of prompts."""
        while True:
            if not self.ready:
                self.wait_for(1)
            worker = self.ready[0]
            answer = self.answer(worker.check.remote(prompts))
            if answer is not None:
                return int(answer)
            self.replace(worker)

    def finish(self) -> None:
        """Wait until the workers have looked at all that they stored; lost ones have not."""
        for call in [worker.finish.remote() for worker in self.ready]:
            self.answer(call)

    def count_lost(self) -> int:
        """Return how many workers were lost since the last question."""
        lost, self._lost = self._lost, 0
        return lost

    def end(self) -> None:
        """Let all workers go."""
        for worker in (*self.ready, *self.opening.values()):
            self.ray.kill(worker)
