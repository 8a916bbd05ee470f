"""This machine: one generator in this process, or one process per device.

The processes need nobody to hand them batches: each runs the generation loop on the same audit
folder, where they find out from the parts what the others have made. So a process that dies costs
its batch in flight and nothing else, and whoever starts the same command again continues.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any

from portrayal import errors
from portrayal.audit import AuditFolder, Pairs, Wanted
from portrayal.errors import GenerationError, PortrayalError
from portrayal.generators import (
    GenerationSummary,
    Generator,
    OnStored,
    Task,
    find_task,
    generate,
    make,
)
from portrayal.measurers import Measurer, MeasuresWhileGenerating
from portrayal.progress import OnCount
from portrayal.records import Identity
from portrayal.runner.engines.protocol import MeasurersOpener, Opener, require_one_model

_PATIENCE_S = 60.0


class InProcess:
    """A generator in this process.

    Attributes:
        on_stored: Called with every batch once it is stored.
    """

    def __init__(self, generator: Generator) -> None:
        self.on_stored: OnStored | None = None
        self._generator = generator

    @property
    def identity(self) -> Identity:
        """The generator's identity."""
        return self._generator.identity

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts would be cut."""
        return self._generator.check(prompts)

    def generate(
        self,
        audit: AuditFolder,
        wanted: Wanted | Pairs,
        *,
        on_progress: OnCount | None = None,
        retry_failed: bool = False,
    ) -> GenerationSummary:
        """Make what is missing."""
        return generate(
            audit,
            self._generator,
            wanted,
            on_progress=on_progress,
            on_stored=self.on_stored,
            retry_failed=retry_failed,
        )


@dataclass(slots=True)
class _Worker:
    """A process with its device and the pipe to it."""

    device: str
    process: SpawnProcess
    pipe: Connection

    def end(self) -> None:
        """Wait for the process, which has been told to end; make it end where it does not."""
        self.process.join(_PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()
        self.process.close()


class DeviceProcesses:
    """One process per device; a context manager.

    Args:
        opener: Opens the generator on a device; called in every process.
        devices: The devices; one may stand several times.
        look: Opens those who look at images as soon as they are stored, in every process.

    Raises:
        GenerationError: The generator cannot be opened on one of the devices, or makes other
            images there (the default dtype of a CPU is another than a GPU's).
    """

    def __init__(
        self, opener: Opener, devices: Sequence[str], *, look: MeasurersOpener | None = None
    ) -> None:
        self._opener = opener
        self._look = look
        self._devices = devices
        self._workers: list[_Worker] = []
        self._lost = 0
        self.identity = Identity("", "")

    def __enter__(self) -> DeviceProcesses:
        context = multiprocessing.get_context("spawn")
        try:
            for device in self._devices:
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_serve,
                    args=(self._opener, self._look, device, theirs),
                    name=f"portrayal {device}",
                )
                process.start()
                theirs.close()
                self._workers.append(_Worker(device, process, ours))
            found = [self._receive(worker) for worker in self._workers]
            for device, identity in zip(self._devices, found, strict=True):
                who = f"the devices {self._devices[0]} and {device}"
                require_one_model(found[0], identity, who=who)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        self.identity = found[0]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            if kind is None:
                with contextlib.suppress(OSError):
                    worker.pipe.send(None)
            else:
                if worker.process.is_alive():
                    worker.process.terminate()  # it stores what is made, then ends
                # A signal can be lost (an exception within a destructor is); a closed pipe cannot.
                worker.pipe.close()
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def check(self, prompts: Iterable[str]) -> int:
        """Return how many prompts would be cut, as the first process says."""
        worker = self._workers[0]
        worker.pipe.send(("check", list(prompts)))
        return int(self._receive(worker))

    def generate(
        self,
        audit: AuditFolder,
        wanted: Wanted | Pairs,
        *,
        on_progress: OnCount | None = None,
        retry_failed: bool = False,
    ) -> GenerationSummary:
        """Make what is missing, on all devices.

        Raises:
            GenerationError: No process is left that could go on.
        """
        audit.header.require(self.identity, audit.path)
        wanted = Wanted.of(wanted)
        truncated = self.check(wanted.prompts)
        task = find_task(audit, wanted, retry_failed=retry_failed)
        report = on_progress or (lambda done, total: None)
        report(task.present, task.total)
        summaries = self._share(audit, task, report) if len(task.missing) else []
        made, refused, failed = (
            sum(getattr(one, name) for one in summaries) for name in ("made", "refused", "failed")
        )
        present = task.total - made - refused - failed
        lost, self._lost = self._lost, 0
        return GenerationSummary(made, refused, failed, present, truncated, lost)

    def _share(self, audit: AuditFolder, task: Task, report: OnCount) -> list[GenerationSummary]:
        for worker in self._workers:
            worker.pipe.send(("make", audit.path, task))
        busy = {worker.pipe: worker for worker in self._workers}
        summaries: list[GenerationSummary] = []
        done = task.present
        problem: PortrayalError | None = None
        while busy:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                try:
                    answer = self._receive(worker)
                except PortrayalError as error:
                    # The others find what it left in the list, and do it.
                    problem = problem or error
                    self._lose(busy.pop(worker.pipe))
                    continue
                if isinstance(answer, int):
                    done = max(done, answer)
                    report(done, task.total)
                else:
                    summaries.append(answer)
                    del busy[worker.pipe]
        if problem is not None and not self._workers:
            raise problem
        return summaries

    def _lose(self, worker: _Worker) -> None:
        self._lost += 1
        self._workers.remove(worker)
        worker.process.terminate()
        worker.end()

    def _receive(self, worker: _Worker) -> Any:
        """Return what a process says.

        Raises:
            PortrayalError: What it met, or that it is gone.
        """
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError) as error:
            worker.process.join(_PATIENCE_S)
            raise GenerationError(
                f"the process of device {worker.device} ended with code {worker.process.exitcode}; "
                "run the same command again, it continues where it stopped"
            ) from error
        if isinstance(answer, _Trouble):
            raise answer.error()
        return answer


@dataclass(frozen=True, slots=True)
class _Trouble:
    """An error of ours on its way between processes."""

    kind: str
    message: str
    too_long: tuple[str, ...] = ()

    def error(self) -> PortrayalError:
        """Return it as an exception again."""
        if self.too_long:
            return errors.PromptTooLong(self.message, self.too_long)
        kind = getattr(errors, self.kind, GenerationError)
        # Some exceptions are made from other things than a message.
        return (
            kind(self.message) if kind.__init__ is PortrayalError.__init__
            else GenerationError(self.message)
        )  # fmt: skip


def _serve(opener: Opener, look: MeasurersOpener | None, device: str, pipe: Connection) -> None:
    """Answer the other end of the pipe until it says None; the main function of a process."""
    # Ctrl-C reaches all processes of a terminal; it is the first one's to end the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # A broken pipe is the other end's death, after which nobody wants an answer.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError, EOFError), _told(pipe):
        generator = opener(device)
        measurers = look(device) if look is not None else ()
        pipe.send(generator.identity)
        while (order := pipe.recv()) is not None:
            with _told(pipe):
                if order[0] == "check":
                    pipe.send(generator.check(order[1]))
                else:
                    pipe.send(_make(generator, measurers, pipe, *order[1:]))
    # All is stored; who still asks for an end has it in a moment, without a trace.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _make(
    generator: Generator, measurers: Sequence[Measurer], pipe: Connection, folder: Any, task: Task
) -> GenerationSummary:
    audit = AuditFolder(folder)
    with (
        MeasuresWhileGenerating(audit, measurers)
        if measurers
        else contextlib.nullcontext() as watching
    ):
        return make(
            audit,
            generator,
            task,
            on_progress=lambda done, total: pipe.send(done),
            on_stored=watching,
        )


@contextlib.contextmanager
def _told(pipe: Connection) -> Iterator[None]:
    try:
        yield
    except PortrayalError as error:
        pipe.send(_Trouble(type(error).__name__, str(error), getattr(error, "texts", ())))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
