"""Images go to disk while the next batch is being made.

One thread takes finished batches from a short queue, encodes their images side by side and
stores each batch as one part. Whatever was put is stored before the writer closes, also after
Ctrl-C.
"""

from __future__ import annotations

import io
import os
import queue
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from portrayal.audit import AuditFolder
from portrayal.pixels import as_rgb, fingerprint
from portrayal.records import GeneratedImage, ImageRecord, Request

Batch = Sequence[tuple[Request, GeneratedImage]]
_WAITING = 2
# zlib's default of 6 takes three times as long for files that are hardly smaller.
_COMPRESSION = 2


class PartWriter:
    """Stores batches in the background; a context manager that leaves nothing unwritten.

    Args:
        audit: Where to.
        again: Also store requests that failed before.
        on_stored: Called with every batch that was stored wholly by this writer.
    """

    def __init__(
        self,
        audit: AuditFolder,
        *,
        again: bool = False,
        on_stored: Callable[[Batch], None] | None = None,
    ) -> None:
        self._audit = audit
        self._again = again
        self._on_stored = on_stored
        self._queue: queue.Queue[Batch | None] = queue.Queue(_WAITING)
        self._error: BaseException | None = None
        self._encoders = ThreadPoolExecutor(min(8, os.cpu_count() or 1), "portrayal-encode")
        self._thread = threading.Thread(target=self._work, name="portrayal-write", daemon=True)
        self.stored: Counter[str] = Counter()
        """How many rows were stored, by status; "elsewhere" counts what another process had."""

    def put(self, batch: Batch) -> None:
        """Hand over a batch; wait where the disk is slower than the model.

        Raises:
            PortrayalError: What the writer met while storing an earlier batch.
        """
        while True:
            if self._error is not None:
                raise self._error
            try:
                return self._queue.put(batch, timeout=0.2)
            except queue.Full:
                continue

    def __enter__(self) -> PartWriter:
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
        self._encoders.shutdown()
        if kind is None and self._error is not None:
            raise self._error

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            if self._error is not None:
                continue
            try:
                self._store(batch)
            except BaseException as error:  # handed to the loop, which raises it
                self._error = error

    def _store(self, batch: Batch) -> None:
        records = list(self._encoders.map(record, *zip(*batch, strict=True)))
        counts = store_records(self._audit, records, again=self._again)
        self.stored += counts
        # Of what another process stored first, the images may be others (services have no seeds).
        if self._on_stored is not None and not counts["elsewhere"]:
            self._on_stored(batch)


def store_records(
    audit: AuditFolder, records: Sequence[ImageRecord], *, again: bool
) -> Counter[str]:
    """Store rows as one part; return how many were stored by status, and how many "elsewhere"."""
    new = audit.append_counted(records, again=again)
    old = Counter(str(one.status) for one in records) - new
    # What failed before and failed again is no news to the folder; nobody else made it, though.
    still = old["failed"] if again else 0
    return new + Counter({"failed": still, "elsewhere": old.total() - still})


def record(request: Request, generated: GeneratedImage) -> ImageRecord:
    """Return the row of `images/` for an image, with the image as PNG."""
    if generated.image is None:
        return ImageRecord(
            request.prompt,
            request.seed,
            generated.status,
            generated.reason,
            response=generated.response,
        )
    image = as_rgb(generated.image)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_COMPRESSION)
    return ImageRecord(
        request.prompt,
        request.seed,
        generated.status,
        data=buffer.getvalue(),
        width=image.width,
        height=image.height,
        path=None,
        revised_prompt=generated.revised_prompt,
        response=generated.response,
        fingerprint=fingerprint(image),
    )
