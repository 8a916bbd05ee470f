"""The measurement loop: images that measurers have not seen, in batches, until none is left.

One pass serves all measurers: an image is read and decoded once, and prepared for each of them, in
threads that work ahead while the measurers look at the batch before.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pyarrow.compute as pc
from PIL import Image

from portrayal.audit import AuditFolder
from portrayal.errors import MeasurementError, MeasurementStopped, PortrayalError
from portrayal.loading import Attempts, Failure, Patience, first_line
from portrayal.measurers.answers import CheckedMeasurer, Values
from portrayal.measurers.decoding import decode
from portrayal.measurers.protocol import Encoder, MeasurementSummary, Measurer, Reason, Unanswered
from portrayal.progress import OnCount
from portrayal.records import Measurement

_TEXTS_AT_ONCE = 256
_FAILED = "measuring failed: "
# Quick measurers would write many small parts; a second of work is little to lose.
_STORE_EVERY_S = 1.0
_AHEAD = 3
THREADS = min(32, os.cpu_count() or 1)
"""How many images are decoded and prepared at once."""


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
            batch; the other measurers have looked at everything then.
        AuditError: A part is damaged, or the disk is full.
    """
    checked = [CheckedMeasurer(measurer) for measurer in measurers]
    for one in checked:
        one.check_axes(axes or {})
    chosen = None if prompts is None else set(prompts)
    wanted = _images_of(audit, chosen)
    looks = [_Look(audit, one, patience or Patience(), wanted) for one in checked]
    present = sum(len(look.seen & wanted) for look in looks)
    counts: Counter[str] = Counter()
    needed = list(texts)
    for measurer in measurers:
        if isinstance(measurer, Encoder):
            counts += _embed_texts(audit, measurer, needed)
    report = on_progress or (lambda done, total: None)
    total = len(wanted) * len(measurers)
    report(present, total)
    _run(audit, looks, chosen, lambda done: report(present + done, total))
    reasons: Counter[str] = Counter()
    for look in looks:
        reasons += look.reasons
    return MeasurementSummary(
        measured=sum(look.measured for look in looks),
        present=present,
        reasons=dict(reasons),
        texts=counts["texts"],
        truncated=counts["truncated"],
    )


def _run(
    audit: AuditFolder,
    looks: Sequence[_Look],
    prompts: Collection[str] | None,
    after_batch: Callable[[int], None],
) -> None:
    """Show every image to each measurer that has not seen it; one that is broken stops alone."""
    errors: list[PortrayalError] = []
    going = list(looks)

    def each(call: Callable[[_Look], None]) -> None:
        for look in tuple(going):
            try:
                call(look)
            except PortrayalError as error:
                errors.append(look.told(error))
                going.remove(look)

    with contextlib.ExitStack() as stack:
        for look in looks:
            stack.callback(look.close)  # all of them, even where one cannot store its rest
        if looks:
            with contextlib.closing(_prepared_ahead(audit, looks, prompts)) as ahead:
                for batch in ahead:
                    each(lambda look, batch=batch: look.take(batch))  # type: ignore[misc]
                    after_batch(sum(look.done for look in looks))
                    if not going:
                        break
        each(_Look.finish)
    if errors:
        raise errors[0]


class _Shown:
    """An image on its way to measurers: a key, and what each of them is given, or why not."""

    def __init__(self, key: str, data: bytes, looks: Sequence[_Look]) -> None:
        self.key = key
        image = decode(data)
        self.items = {
            look: image if isinstance(image, Reason) else prepared(look.measurer, image)
            for look in looks
            if key not in look.seen
        }


class _Look:
    """One measurer going through the images of an audit.

    Batches of which nothing could be measured are kept back until a later one succeeds: only then
    is it the images' fault and worth a row. Of a broken measurer nothing is recorded, so that the
    next run asks again.
    """

    def __init__(
        self,
        audit: AuditFolder,
        measurer: CheckedMeasurer,
        patience: Patience,
        wanted: set[str],
    ) -> None:
        self._audit = audit
        self._wanted = wanted
        self.measurer = measurer
        self._patience = patience
        self._attempts: Attempts[Any, Values] = Attempts(
            measurer.measure, limit=measurer.batch_size, patience=patience
        )
        self._unstored: list[Measurement] = []
        self._stored_at = time.monotonic()
        self._storer = ThreadPoolExecutor(1, "portrayal-store")
        self._storing: Future[int] | None = None
        self._doubtful: list[list[Measurement]] = []
        self._is_trusted = False
        self.seen = _seen(audit, measurer)
        self._unanswered: list[str] = []
        self.done = 0
        self.measured = 0
        self.reasons: Counter[str] = Counter()

    def take(self, batch: Sequence[_Shown]) -> None:
        """Measure those images of a batch that the measurer has not seen."""
        mine = [one for one in batch if self in one.items]
        size = self.measurer.batch_size
        for at in range(0, len(mine), size):
            some = mine[at : at + size]
            rows = self._batch([one.key for one in some], [one.items[self] for one in some])
            self._keep(rows)
            self.done += len(rows)
            if time.monotonic() - self._stored_at > _STORE_EVERY_S:
                self._store()

    def finish(self) -> None:
        """Judge, once all images were shown, the batches of which nothing was measured."""
        if self._unanswered and not self.done and not self._has_measured_before():
            raise MeasurementError(
                f"{self.measurer.identity.name}: no image has an answer: {self._unanswered[-1]}; "
                "correct it and run the same command again, it continues where it stopped"
            )
        if self._doubtful and not self._is_trusted and not self._has_measured_before():
            raise self._broken("every image")
        self._trust()

    def told(self, error: PortrayalError) -> PortrayalError:
        """Return an error with what is stored all the same, where the measurer stopped."""
        if not isinstance(error, MeasurementStopped):
            return error
        stored = len(self.seen & self._wanted) + self.done
        line = f"{error} ({stored:,} of {len(self._wanted):,} images are measured and stored)"
        return MeasurementStopped(line, error.answers)

    def _batch(self, keys: Sequence[str], items: Sequence[Any]) -> list[Measurement]:
        try:
            answers = measured(self._attempts, items)
        except MeasurementStopped as stopped:
            made: dict[int, Any] = dict(stopped.answers)
            self._unstored += [measurement_row(keys[i], one) for i, one in made.items()]
            self.done += len(made)
            raise
        return [
            measurement_row(key, answer)
            for key, answer in zip(keys, answers, strict=True)
            if not self._is_unanswered(answer)
        ]

    def _is_unanswered(self, answer: Values | Failure) -> bool:
        """Tell, and count, an answer that is to be asked for again."""
        if not isinstance(answer, Unanswered):
            return False
        self.reasons[answer.text] += 1
        self._unanswered.append(answer.text)
        return True

    def _keep(self, rows: list[Measurement]) -> None:
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
        rows = self._audit.measurements(self.measurer.identity, columns=["key", "reason"])
        return bool(rows.filter("reason IS NULL").limit(1).fetchall())

    def _broken(self, where: str) -> MeasurementError:
        reason = next(row.reason for row in reversed(self._doubtful[-1]) if _is_failed(row))
        return MeasurementError(
            f"{self.measurer.identity.name}: {where}: {reason}; correct it and run the same "
            "command again, it continues where it stopped"
        )

    def _trust(self) -> None:
        for rows in self._doubtful:
            self._unstored += rows
        self._doubtful.clear()

    def close(self) -> None:
        """Write the rest; return once everything is stored."""
        with self._storer:
            self._store()
        self._await_stored()

    def _store(self) -> None:
        """Let a thread write what was measured since the last time; the measurer goes on."""
        self._await_stored()
        rows, self._unstored = self._unstored, []
        self._stored_at = time.monotonic()
        measurer = self.measurer
        self._storing = self._storer.submit(
            self._audit.append_measurements, measurer.identity, measurer.columns, rows
        )
        self.measured += sum(row.values is not None for row in rows)
        self.reasons += Counter(row.reason for row in rows if row.reason is not None)

    def _await_stored(self) -> None:
        storing, self._storing = self._storing, None
        if storing is not None:
            storing.result()


def _is_failed(row: Measurement) -> bool:
    return row.reason is not None and row.reason.startswith(_FAILED)


def measurement_row(key: str, answer: Values | Failure) -> Measurement:
    """Return what is stored of an answer."""
    if isinstance(answer, Failure):
        return Measurement(key, None, f"{_FAILED}{answer.reason}")
    if isinstance(answer, Reason):
        return Measurement(key, None, answer.text)
    return Measurement(key, answer)


def prepared(measurer: CheckedMeasurer, image: Image.Image) -> Any:
    """Return an image as a measurer takes it, or the failure to prepare it."""
    try:
        return measurer.prepare(image)
    except Exception as problem:  # a measurer may be anybody's object; this image alone is lost
        return Failure(first_line(problem))


def measured(attempts: Attempts[Any, Values], items: Sequence[Any]) -> list[Values | Failure]:
    """Return an answer for every item; a reason or a failure among the items is its own answer.

    Raises:
        MeasurementStopped: With the answers so far, by the items' places.
    """
    places = [i for i, one in enumerate(items) if not isinstance(one, (Reason, Failure))]
    try:
        answers = iter(attempts.run([items[i] for i in places]))
    except MeasurementStopped as stopped:
        made = {places[i]: one for i, one in stopped.answers.items()}
        raise MeasurementStopped(str(stopped), made) from stopped
    return [one if isinstance(one, (Reason, Failure)) else next(answers) for one in items]


def _prepared_ahead(
    audit: AuditFolder, looks: Sequence[_Look], prompts: Collection[str] | None
) -> Generator[list[_Shown], None, None]:
    """Read, decode and prepare the next batches while the measurers work on this one."""
    batches: Iterator[list[tuple[str, bytes]]] = audit.unmeasured_images(
        *(look.measurer.identity for look in looks),
        prompts=prompts,
        batch=max(look.measurer.batch_size for look in looks),
    )

    def fetch() -> list[Future[_Shown]] | None:
        batch = next(batches, None)
        if batch is None:
            return None
        return [workers.submit(_Shown, key, data, looks) for key, data in batch]

    with (
        ThreadPoolExecutor(THREADS, "portrayal-prepare") as workers,
        ThreadPoolExecutor(1, "portrayal-read") as reader,
    ):
        coming = deque(reader.submit(fetch) for _ in range(_AHEAD))
        while (batch := coming.popleft().result()) is not None:
            coming.append(reader.submit(fetch))
            yield [one.result() for one in batch]


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
