"""A Ray cluster: long-lived workers, fed batch by batch from here.

Ray places the workers, watches over them and carries the calls. What is ours is the list of what
is missing: a batch whose worker is lost goes back to it and runs elsewhere, and a new worker is
asked for in its place. The workers end with the process that called them; what they stored stays,
so the same command continues. The audit must be one and the same path, or URL, on all nodes.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import Counter
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from portrayal.audit import AuditFolder, Pairs, Wanted
from portrayal.errors import GenerationError
from portrayal.generators import GenerationSummary, MissingRequests, Task, find_task, store_records
from portrayal.loading import first_line, import_extra
from portrayal.progress import OnCount
from portrayal.records import Identity, ImageRecord, Request
from portrayal.runner.engines.pool import AHEAD, HOPELESS, WorkerPool
from portrayal.runner.engines.protocol import MeasurersOpener, Opener

DEADLY = 4
"""A batch that has lost its worker so often is not tried again."""


class RayWorkers:
    """Generators on a Ray cluster; a context manager.

    Args:
        opener: Opens the generator; called on the nodes, where portrayal must be installed.
        look: Opens those who look at images as soon as they are stored, beside the generator.
        address: The cluster's; None for that of the environment, or a cluster of this machine.
        workers: How many; as many as fit now where left out.
        gpus_per_worker: The share of a GPU each takes; a whole one where the cluster has any.
    """

    def __init__(
        self,
        opener: Opener,
        *,
        look: MeasurersOpener | None = None,
        address: str | None = None,
        workers: int | None = None,
        gpus_per_worker: float | None = None,
    ) -> None:
        self._ray = import_extra("ray", extra="ray")
        self._opener = opener
        self._look = look
        self._address = address
        self._wanted = workers
        self._gpus = gpus_per_worker
        self._is_ours = False
        self._pool: WorkerPool | None = None

    def __enter__(self) -> RayWorkers:
        self._connect()
        try:
            self._pool = WorkerPool(self._ray, self._opener, self._look, **self._room())
            self._pool.wait_for(1)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.end()
        if self._is_ours:
            self._ray.shutdown()

    @property
    def identity(self) -> Identity:
        """The generator's identity, as the workers say."""
        return self._workers.identity

    def wait_for_all(self) -> None:
        """Wait until every worker is loaded; `generate` begins as soon as one is."""
        self._workers.wait_for(len(self._workers.ready) + len(self._workers.opening))

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts would be cut, as a worker says."""
        return self._workers.check(list(prompts))

    def generate(
        self,
        audit: AuditFolder,
        wanted: Wanted | Pairs,
        *,
        on_progress: OnCount | None = None,
        retry_failed: bool = False,
    ) -> GenerationSummary:
        """Make what is missing, on all workers.

        Raises:
            GenerationError: Batch after batch fails, or worker after worker dies.
        """
        audit.header.require(self.identity, audit.path)
        wanted = Wanted.of(wanted)
        truncated = self.check(wanted.prompts)
        task = find_task(audit, wanted, retry_failed=retry_failed)
        run = _TaskRun(self._workers, audit, task, on_progress or (lambda done, total: None))
        run.until_done()
        self._workers.finish()
        stored = run.stored
        made, refused, failed = (stored[name] for name in ("ok", "refused", "failed"))
        present = task.total - made - refused - failed
        lost = self._workers.count_lost()
        return GenerationSummary(made, refused, failed, present, truncated, lost)

    @property
    def _workers(self) -> WorkerPool:
        assert self._pool is not None, "use it as a context manager"
        return self._pool

    def _connect(self) -> None:
        if self._ray.is_initialized():
            return
        address = self._address or os.environ.get("RAY_ADDRESS")
        options: dict[str, Any] = {"include_dashboard": False} if address is None else {}
        try:
            _knock(address)
            self._ray.init(
                self._address, log_to_driver=False, logging_level=logging.ERROR, **options
            )
        except Exception as error:  # its client raises many kinds; all mean "not there"
            raise GenerationError(
                f"address {address}: no Ray cluster answers there ({first_line(error)}); "
                "a cluster with tokens wants RAY_AUTH_MODE=token; without an address this machine "
                "alone is used"
            ) from error
        self._is_ours = True

    def _room(self) -> dict[str, Any]:
        """Return how many workers to start, and what each takes."""
        there = self._ray.cluster_resources()
        gpus = self._gpus if self._gpus is not None else (1.0 if there.get("GPU") else 0.0)
        fits = there.get("GPU", 0.0) / gpus if gpus else there.get("CPU", 1.0)
        return {"count": self._wanted or max(1, int(fits)), "gpus": gpus}


def _knock(address: str | None) -> None:
    """Raise where nobody listens at an address; Ray itself would wait for two minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


class _TaskRun:
    """One task on its way through the workers."""

    def __init__(self, pool: WorkerPool, audit: AuditFolder, task: Task, report: OnCount) -> None:
        self.stored: Counter[str] = Counter()
        self._pool = pool
        self._audit = audit
        # The workers have other working directories.
        self._folder = str(audit.path.resolve())
        self._task = task
        self._report = report
        self._requests = MissingRequests(task.missing)
        self._arrivals = audit.arrivals(task.parts)
        self._flying: dict[Any, tuple[Any, list[Request]]] = {}
        self._again: list[list[Request]] = []
        self._deaths: Counter[Request] = Counter()
        self._failed: list[list[ImageRecord]] = []

    def until_done(self) -> None:
        """Hand out batches until nothing is missing."""
        self._tell()
        while self._requests.left or self._again or self._flying:
            self._feed()
            waiting = [*self._flying, *self._pool.opening]
            (reference,), _ = self._pool.ray.wait(waiting, num_returns=1)
            if reference in self._flying:
                self._land(reference)
            else:
                self._pool.opened(reference)
            for prompts, seeds in self._arrivals.look(failed_too=not self._task.retry_failed):
                self._requests.strike(prompts, seeds)
            self._tell()
        self._store_failed()

    def _feed(self) -> None:
        """Give every worker something to do, and no more than it can begin soon."""
        busy = Counter(id(worker) for worker, _ in self._flying.values())
        for depth in range(AHEAD):
            for worker in self._pool.ready:
                if busy[id(worker)] > depth:
                    continue
                batch = (
                    self._again.pop() if self._again else self._requests.take(self._pool.batch_size)
                )
                if not batch:
                    return
                call = worker.make.remote(
                    self._folder,
                    batch,
                    again=self._task.retry_failed,
                    left=self._requests.left // len(self._pool.ready),
                )
                self._flying[call] = (worker, batch)
                busy[id(worker)] += 1

    def _land(self, reference: Any) -> None:
        worker, batch = self._flying.pop(reference)
        answer = self._pool.answer(reference)
        if answer is None:
            self._lost_with(batch)
            if worker in self._pool.ready:  # else another of its batches has told already
                self._pool.replace(worker)
        elif answer.reasons:
            self._keep_failed(batch, answer.reasons)
        else:
            self.stored += answer.counts
            self._store_failed()

    def _lost_with(self, batch: list[Request]) -> None:
        """Let a batch whose worker died run elsewhere; but not for ever, it may be what kills."""
        self._deaths[batch[0]] += 1
        if self._deaths[batch[0]] < DEADLY:
            self._again.append(batch)
        else:
            reason = f"{DEADLY} workers died while they made this batch"
            self._failed.append([_failed(request, reason) for request in batch])

    def _keep_failed(self, batch: Sequence[Request], reasons: Sequence[str]) -> None:
        """Keep a batch that failed wholly until another one succeeds, as the local loop does."""
        self._failed.append([_failed(*pair) for pair in zip(batch, reasons, strict=True)])
        if len(self._failed) >= HOPELESS:
            raise GenerationError(
                f"{len(self._failed)} batches failed one after another, the last with: "
                f"{reasons[-1]}; fix it and run the same command again, "
                "it continues where it stopped"
            )

    def _store_failed(self) -> None:
        for records in self._failed:
            self.stored += store_records(self._audit, records, again=self._task.retry_failed)
        self._failed.clear()

    def _tell(self) -> None:
        under_way = sum(len(batch) for _, batch in self._flying.values())
        waiting = sum(map(len, self._again)) + sum(map(len, self._failed))
        self._report(self._task.total - self._requests.left - under_way - waiting, self._task.total)


def _failed(request: Request, reason: str) -> ImageRecord:
    return ImageRecord(request.prompt, request.seed, "failed", reason)
