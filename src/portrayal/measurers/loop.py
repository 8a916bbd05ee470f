"""The measurement loop: images that a measurer has not seen, in batches, until none is left."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pyarrow.compute as pc
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError, MeasurementStopped
from portrayal.loading import Attempts, Failure, Patience
from portrayal.measurers.answers import CheckedMeasurer, Values
from portrayal.measurers.decoding import decode
from portrayal.measurers.protocol import Encoder, MeasurementSummary, Measurer, Reason, Unanswered
from portrayal.progress import OnCount
from portrayal.records import Measurement

_TEXTS_AT_ONCE = 256
_FAILED = "measuring failed: "
# Quick measurers would write many small parts; a second of work is little to lose.
_STORE_EVERY_S = 1.0


def measure(
    audit: AuditFolder,
    measurers: Sequence[Measurer],
    *,
    prompts: Iterable[str] | None = None,
    texts: Iterable[str] = (),
    axes: Mapping[str, Collection[str]] | None = None,
    on_progress: OnCount | None = None,
    patience: Patience | None = None,
) -> MeasurementSummary:
    """Let measurers look at the images that they have not seen, and encoders read texts.

    Args:
        audit: Where images come from and measurements go.
        measurers: Who looks.
        prompts: Only images of these prompts; all where left out.
        texts: What encoders among the measurers embed as well.
        axes: Groups by axis that will be asked for; a measurer that labels one of them with other
            answers is refused before it looks.
        on_progress: Called after every batch with done and total.
        patience: How often a failing batch is tried.

    Raises:
        MeasurementError: A text is too long, an answer is none, or a measurer fails batch after
            batch.
        AuditError: A part is damaged, or the disk is full.
    """
    checked = [CheckedMeasurer(measurer) for measurer in measurers]
    for one in checked:
        one.check_axes(axes or {})
    chosen = None if prompts is None else set(prompts)
    wanted = _images_of(audit, chosen)
    present = sum(len(_seen(audit, one) & wanted) for one in checked)
    total = len(wanted) * len(measurers)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    needed = list(texts)
    for measurer in measurers:
        if isinstance(measurer, Encoder):
            counts += _embed_texts(audit, measurer, needed)
    report = on_progress or (lambda done, total: None)
    report(present, total)
    for one in checked:
        look = _Look(audit, one, patience or Patience())
        before = present + counts["measured"] + reasons.total()
        look.run(chosen, after_batch=partial(_report_after, report, before, total))
        counts["measured"] += look.measured
        reasons += look.reasons
    return MeasurementSummary(
        measured=counts["measured"],
        present=present,
        reasons=dict(reasons),
        texts=counts["texts"],
        truncated=counts["truncated"],
    )


def _report_after(report: OnCount, before: int, total: int, done: int) -> None:
    report(before + done, total)


class _Look:
    """One measurer going through the images of an audit.

    Batches of which nothing could be measured are kept back until a later one succeeds: only then
    is it the images' fault and worth a row. Of a broken measurer nothing is recorded, so that the
    next run asks again.
    """

    def __init__(self, audit: AuditFolder, measurer: CheckedMeasurer, patience: Patience) -> None:
        self._audit = audit
        self._measurer = measurer
        self._patience = patience
        self._attempts: Attempts[Image.Image, Values] = Attempts(
            measurer.measure, limit=measurer.batch_size, patience=patience
        )
        self._unstored: list[Measurement] = []
        self._doubtful: list[list[Measurement]] = []
        self._is_trusted = False
        self.measured = 0
        self.reasons: Counter[str] = Counter()

    def run(self, prompts: Collection[str] | None, *, after_batch: Callable[[int], None]) -> None:
        """Measure everything unseen; `after_batch` is told how many images that were so far."""
        batches = self._audit.unmeasured_images(
            self._measurer.identity, prompts=prompts, batch=self._measurer.batch_size
        )
        stored_at, done = time.monotonic(), 0
        try:
            with contextlib.closing(_decoded_ahead(batches)) as ahead:
                for keys, images in ahead:
                    self._keep(self._batch(keys, images), images)
                    if time.monotonic() - stored_at > _STORE_EVERY_S:
                        self._store()
                        stored_at = time.monotonic()
                    done += len(keys)
                    after_batch(done)
            if self._doubtful and not self._is_trusted and not self._has_measured_before():
                raise self._broken("every image")
            self._trust()
        finally:
            self._store()

    def _batch(
        self, keys: Sequence[str], images: Sequence[Image.Image | Reason]
    ) -> list[Measurement]:
        readable = [image for image in images if not isinstance(image, Reason)]
        try:
            left = iter(self._attempts.run(readable))
        except MeasurementStopped as stopped:
            known = [
                key for key, one in zip(keys, images, strict=True) if not isinstance(one, Reason)
            ]
            made: dict[int, Any] = dict(stopped.answers)
            self._unstored += [measurement_row(known[i], one) for i, one in made.items()]
            raise
        return [
            measurement_row(key, answer)
            for key, image in zip(keys, images, strict=True)
            if not self._is_unanswered(answer := image if isinstance(image, Reason) else next(left))
        ]

    def _is_unanswered(self, answer: Values | Failure) -> bool:
        """Tell, and count, an answer that is to be asked for again."""
        if not isinstance(answer, Unanswered):
            return False
        self.reasons[answer.text] += 1
        return True

    def _keep(self, rows: list[Measurement], images: Sequence[Image.Image | Reason]) -> None:
        del images
        tried = [row for row in rows if row.reason is None or _is_failed(row)]
        failed = [row for row in tried if _is_failed(row)]
        if not tried:
            self._unstored += rows
            return
        if len(failed) < len(tried):
            self._is_trusted = True
            self._trust()
            self._unstored += rows
            return
        self._doubtful.append(rows)
        if len(self._doubtful) >= self._patience.hopeless:
            raise self._broken(f"{len(self._doubtful)} batches one after another")

    def _has_measured_before(self) -> bool:
        rows = self._audit.measurements(self._measurer.identity, columns=["key", "reason"])
        return bool(rows.filter("reason IS NULL").limit(1).fetchall())

    def _broken(self, where: str) -> MeasurementError:
        reason = next(row.reason for row in reversed(self._doubtful[-1]) if _is_failed(row))
        return MeasurementError(
            f"{self._measurer.identity.name}: {where}: {reason}; correct it and run the same "
            "command again, it continues where it stopped"
        )

    def _trust(self) -> None:
        for rows in self._doubtful:
            self._unstored += rows
        self._doubtful.clear()

    def _store(self) -> None:
        rows, self._unstored = self._unstored, []
        measurer = self._measurer
        self._audit.append_measurements(measurer.identity, measurer.columns, rows)
        self.measured += sum(row.values is not None for row in rows)
        self.reasons += Counter(row.reason for row in rows if row.reason is not None)


def _is_failed(row: Measurement) -> bool:
    return row.reason is not None and row.reason.startswith(_FAILED)


def measurement_row(key: str, answer: Values | Failure) -> Measurement:
    """Return what is stored of an answer."""
    if isinstance(answer, Failure):
        return Measurement(key, None, f"{_FAILED}{answer.reason}")
    if isinstance(answer, Reason):
        return Measurement(key, None, answer.text)
    return Measurement(key, answer)


def _decoded_ahead(
    batches: Iterator[list[tuple[str, bytes]]],
) -> Generator[tuple[list[str], list[Image.Image | Reason]], None, None]:
    """Read and decode the next batch while the measurer works on this one."""

    def fetch() -> tuple[list[str], list[Image.Image | Reason]] | None:
        batch = next(batches, None)
        if batch is None:
            return None
        return [key for key, _ in batch], [decode(data) for _, data in batch]

    with ThreadPoolExecutor(1, "portrayal-decode") as reader:
        coming = reader.submit(fetch)
        while (fetched := coming.result()) is not None:
            coming = reader.submit(fetch)
            yield fetched


def _embed_texts(audit: AuditFolder, encoder: Encoder, texts: Sequence[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    missing = audit.missing_texts(encoder.identity, texts)
    for start in range(0, len(missing), _TEXTS_AT_ONCE):
        some = missing[start : start + _TEXTS_AT_ONCE]
        found = encoder.embed_texts(some)
        audit.append_texts(
            encoder.identity, some, found.vectors, tokens=found.tokens, truncated=found.truncated
        )
        counts["texts"] += len(some)
        counts["truncated"] += sum(found.truncated)
    return counts


def embed_prompts(audit: AuditFolder, encoder: Encoder, prompts: Sequence[str]) -> None:
    """Embed the prompts, so that images can be compared with what was asked for.

    A prompt that the encoder cannot read (one longer than its window) is left out: no finding
    rests on it.

    Args:
        audit: Where embeddings go.
        encoder: Who reads.
        prompts: Prompt texts.
    """
    try:
        _embed_texts(audit, encoder, prompts)
    except MeasurementError:
        for prompt in audit.missing_texts(encoder.identity, prompts):
            with contextlib.suppress(MeasurementError):
                _embed_texts(audit, encoder, [prompt])


def _images_of(audit: AuditFolder, prompts: Collection[str] | None) -> set[str]:
    """Return the keys of the images that exist, of some prompts or of all."""
    rows = audit.images().select("key, prompt, status").to_arrow_table()
    rows = rows.filter(pc.equal(rows["status"], "ok"))
    found = zip(rows["key"].to_pylist(), rows["prompt"].to_pylist(), strict=True)
    return {key for key, prompt in found if prompts is None or prompt in prompts}


def _seen(audit: AuditFolder, measurer: CheckedMeasurer) -> set[str]:
    rows = audit.measurements(measurer.identity, columns=["key"]).to_arrow_table()
    return set(rows["key"].to_pylist())
