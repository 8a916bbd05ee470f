"""The generation loop: wanted minus present, in batches, until nothing is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from portrayal.audit import AuditFolder, Pairs, Wanted
from portrayal.errors import GenerationError, GenerationStopped
from portrayal.generators.missing import MissingRequests, Task, find_task
from portrayal.generators.protocol import GenerationSummary, Generator, PreparesForLongRuns
from portrayal.generators.sender import Sender
from portrayal.generators.writer import PartWriter
from portrayal.loading import Attempts, Failure, Patience
from portrayal.progress import OnCount
from portrayal.records import GeneratedImage, Request

OnStored = Callable[[Sequence[tuple[Request, GeneratedImage]]], None]
"""Called with every batch once it is stored, in the thread that stored it."""


def generate(
    audit: AuditFolder,
    generator: Generator,
    wanted: Wanted | Pairs,
    *,
    on_progress: OnCount | None = None,
    on_stored: OnStored | None = None,
    retry_failed: bool = False,
    patience: Patience | None = None,
) -> GenerationSummary:
    """Make what is wanted and not there yet.

    Stopping at any moment, by whatever means, loses at most the batches in flight. Several
    processes may run this on one folder; they share the work.

    Args:
        audit: Where the images go.
        generator: Who makes them; must be the audit's own.
        wanted: Prompt texts, each with its seeds, or with the number of images wanted (seeds
            0 ... n-1).
        on_progress: Called after every batch with done and total.
        on_stored: Called with every batch once it is stored, for measuring in memory.
        retry_failed: Make again what failed in an earlier run.
        patience: How often a failing batch is tried.

    Raises:
        AuditError: The audit is about another generator, or the disk is full.
        PromptTooLong: A prompt would be cut silently; nothing has been made then.
        GenerationError: Batch after batch fails wholly, or the generator cannot go on (a ceiling
            is reached); what was made before is stored.
    """
    audit.header.require(generator.identity, audit.path)
    wanted = Wanted.of(wanted)
    truncated = generator.check(wanted.prompts)
    task = find_task(audit, wanted, retry_failed=retry_failed)
    done = make(
        audit, generator, task, on_progress=on_progress, on_stored=on_stored, patience=patience
    )
    return replace(done, truncated=truncated)


def make(
    audit: AuditFolder,
    generator: Generator,
    task: Task,
    *,
    on_progress: OnCount | None = None,
    on_stored: OnStored | None = None,
    patience: Patience | None = None,
) -> GenerationSummary:
    """Make what a task says is missing, beside others who may be at the same task.

    Args:
        audit: Where the images go.
        generator: Who makes them.
        task: What is missing.
        on_progress: See `generate`.
        on_stored: See `generate`.
        patience: See `generate`.

    Raises:
        AuditError: See `generate`.
        GenerationError: See `generate`.
    """
    report = on_progress or (lambda done, total: None)
    report(task.present, task.total)
    if not len(task.missing):
        return GenerationSummary(present=task.present)
    if isinstance(generator, PreparesForLongRuns):
        generator.expect(len(task.missing))
    arrivals = audit.arrivals(task.parts)
    with audit.own_place() as place:
        requests = MissingRequests(task.missing, place=place)
        run = _Run(generator, requests, patience or Patience())
        writer = PartWriter(audit, again=task.retry_failed, on_stored=on_stored)
        try:
            with writer:
                while run.left:
                    batch = _next_batch(run, writer)
                    run.store(batch, writer)
                    for prompts, seeds in arrivals.look(failed_too=not task.retry_failed):
                        run.elsewhere += run.requests.strike(prompts, seeds)
                    report(task.total - run.left - run.waiting, task.total)
                run.give_up_waiting(writer)
        except BaseException:  # the last that is seen of a run that ends early is what it stored
            report(task.present + run.elsewhere + writer.stored.total(), task.total)
            raise
    stored = writer.stored
    report(task.total, task.total)
    return GenerationSummary(
        made=stored["ok"],
        refused=stored["refused"],
        failed=stored["failed"],
        present=task.present + run.elsewhere + stored["elsewhere"],
    )


def _next_batch(run: _Run, writer: PartWriter) -> list[tuple[Request, GeneratedImage]]:
    """Make the next batch; where the generator stops in its middle, store what it made of it."""
    try:
        return run.next_batch()
    except GenerationStopped as stop:
        if stop.made:
            writer.put(stop.made)
        if isinstance(stop.__cause__, KeyboardInterrupt):
            raise stop.__cause__ from None
        raise


class _Run:
    """The state of one run: the requests left, and batches of which nothing succeeded.

    Such batches wait until a later one succeeds: only then is it their own fault and worth a row.
    Where everything fails, the model is broken, the run ends, and the next one tries them again.
    """

    def __init__(self, generator: Generator, requests: MissingRequests, patience: Patience) -> None:
        self.requests = requests
        self.elsewhere = 0
        self._patience = patience
        self._sender = Sender(generator)
        self._sent: list[Request] = []
        self._attempts: Attempts[Request, GeneratedImage] = Attempts(
            self._sender.generate, limit=generator.batch_size, patience=patience
        )
        self._failed: list[list[tuple[Request, GeneratedImage]]] = []

    @property
    def waiting(self) -> int:
        """Requests in batches of which nothing succeeded."""
        return sum(len(batch) for batch in self._failed)

    @property
    def left(self) -> int:
        """Requests that are neither made nor struck out."""
        return self.requests.left + len(self._sent)

    def next_batch(self) -> list[tuple[Request, GeneratedImage]]:
        """Make the next batch; where the generator works ahead, the one after it is sent first."""
        requests = self._sent or self._send()
        self._sent = []
        try:
            if self._sender.works_ahead and self.requests.left:
                self._sent = self._send()
        except KeyboardInterrupt as interrupt:
            raise GenerationStopped("stopped", self._made(requests)) from interrupt
        return self._made(requests)

    def _send(self) -> list[Request]:
        requests = self.requests.take(self._attempts.limit)
        self._sender.send(requests)
        return requests

    def _made(self, requests: list[Request]) -> list[tuple[Request, GeneratedImage]]:
        answers = self._attempts.run(requests)
        images = [GeneratedImage.failed(a.reason) if isinstance(a, Failure) else a for a in answers]
        return list(zip(requests, images, strict=True))

    def store(self, batch: list[tuple[Request, GeneratedImage]], writer: PartWriter) -> None:
        """Hand a batch to the writer, or keep it back where all of it failed."""
        if all(image.status == "failed" for _, image in batch):
            self._failed.append(batch)
            if len(self._failed) >= self._patience.hopeless:
                raise GenerationError(
                    f"{len(self._failed)} batches failed one after another, the last with: "
                    f"{batch[-1][1].reason}; fix it and run the same command again, "
                    "it continues where it stopped"
                )
            return
        self.give_up_waiting(writer)
        writer.put(batch)

    def give_up_waiting(self, writer: PartWriter) -> None:
        """Store the batches that failed wholly."""
        for batch in self._failed:
            writer.put(batch)
        self._failed.clear()
