"""Measurers that look at images while the next ones are made, without a detour through files.

An image is looked at once it is stored, never before: what a killed run leaves behind has its
image. What cannot be measured here is left to `measure`, which tries again and judges.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementStopped, PortrayalError
from portrayal.loading import Attempts, Failure, Patience
from portrayal.measurers.answers import CheckedMeasurer, Values
from portrayal.measurers.loop import THREADS, measured, measurement_row, prepared
from portrayal.measurers.protocol import Measurer, Unanswered
from portrayal.pixels import as_rgb
from portrayal.records import GeneratedImage, Request, image_key

Batch = Sequence[tuple[Request, GeneratedImage]]
_WAITING = 2


class MeasuresWhileGenerating:
    """Looks at batches in a thread of its own; a context manager that ends when all are done.

    Args:
        audit: Whose images these are, and where measurements go.
        measurers: Who looks.
    """

    def __init__(self, audit: AuditFolder, measurers: Sequence[Measurer]) -> None:
        self._audit = audit
        self._lookers: list[tuple[CheckedMeasurer, Attempts[Any, Values]]] = [
            (one, Attempts(one.measure, limit=one.batch_size, patience=Patience(tries=1)))
            for one in map(CheckedMeasurer, measurers)
        ]
        self._queue: queue.Queue[Batch | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._work, name="portrayal-watch", daemon=True)
        self._given_up = False
        self._preparers = ThreadPoolExecutor(THREADS, "portrayal-prepare")

    def __call__(self, batch: Batch) -> None:
        """Hand over a batch that is stored; wait where the measurers are slower than the model."""
        if not self._given_up:
            self._queue.put(batch)

    def __enter__(self) -> MeasuresWhileGenerating:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._queue.put(None)
        self._thread.join()
        self._preparers.shutdown()

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            if self._given_up:
                continue
            try:
                self._look(batch)
            except PortrayalError:  # a full disk, say: `measure` will meet it again and say so
                self._given_up = True

    def _look(self, batch: Batch) -> None:
        keys, images = [], []
        for request, image in batch:
            if image.image is not None:
                keys.append(image_key(self._audit.generator, request.prompt, request.seed))
                images.append(as_rgb(image.image).copy())  # a measurer may draw on it
        for measurer, attempts in self._lookers:
            try:
                items = list(self._preparers.map(partial(prepared, measurer), images))
                answers = measured(attempts, items)
            except MeasurementStopped as stopped:
                made: dict[int, Any] = dict(stopped.answers)
                rows = [measurement_row(keys[i], one) for i, one in made.items()]
                self._audit.append_measurements(measurer.identity, measurer.columns, rows)
                raise
            rows = [
                measurement_row(key, answer)
                for key, answer in zip(keys, answers, strict=True)
                if not isinstance(answer, (Failure, Unanswered))
            ]
            self._audit.append_measurements(measurer.identity, measurer.columns, rows)
            if len(rows) < len(keys):
                self._given_up = True
