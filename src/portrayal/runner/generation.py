"""Generating what is missing, in this process or by an engine, in one round or several."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from portrayal.audit import AuditFolder, compact, outcomes
from portrayal.errors import AuditError, GenerationError, PromptTooLong
from portrayal.generators import GenerationSummary
from portrayal.kinds import kind_of
from portrayal.measurers import Measurer, MeasuresWhileGenerating, require_valid
from portrayal.progress import counted
from portrayal.records import Identity
from portrayal.runner.engines import Engine, InProcess, open_engine
from portrayal.runner.measurement import require_valid_measurers
from portrayal.runner.rounds import next_round
from portrayal.runner.session import Session
from portrayal.runner.studies import check_corpus


@dataclass(frozen=True, slots=True)
class Imported:
    """What an audit of imported images contains of the prompts that are wanted; none is generated.

    Attributes:
        prompts: How many different prompts are wanted.
        absent: Those that no image is of.
    """

    prompts: int
    absent: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return {"imported": True, "prompts": self.prompts, "absent": list(self.absent)}

    def sentence(self) -> str:
        """Say it in one line."""
        if not self.absent:
            return f"imported images: no prompt is missing ({self.prompts} in all)"
        more = f" and {len(self.absent) - 1} more" if len(self.absent) > 1 else ""
        return (
            f"imported images: {len(self.absent)} of {self.prompts} prompts have none: "
            f"{self.absent[0]!r}{more}"
        )


def check(session: Session) -> None:
    """Raise where a session cannot generate, as far as it can be told before a model is loaded.

    Raises:
        AuditError: The place of the audit holds other things, or its images were imported and a
            model was named.
        StudyError: A study lacks its training captions.
        CorpusError: They cannot be read.
    """
    AuditFolder.check_place(session.path)
    session.models.settled(session.audit)
    check_corpus(session.studies, session.corpus)
    for study in session.studies:
        kind_of(study).check(study, session.path, session.corpus)


def generate(
    session: Session,
    *,
    retry_failed: bool = False,
    measuring: bool = False,
    look: Callable[[], bool] | None = None,
) -> GenerationSummary | Imported:
    """Generate the images that are missing; of imported images, say which prompts have none.

    Args:
        session: The session.
        retry_failed: Generate again what failed in an earlier run.
        measuring: Measure as well: on a GPU, and in the processes of an engine, while images are
            generated; and of studies that go in rounds, before the next round is decided. Without
            it only the images are generated that the studies want now.
        look: Asked after each round; whether the session now wants more.
    """
    check(session)
    session.draw()
    measurers = [one.identity for one in session.measurers] if measuring else []
    if session.is_imported:
        _require_valid(session, measurers, session.opened().generator)
        return _look_through(session)
    models = session.models.settled(session.audit)
    beside = models.measurers_opener() if measuring and not models.engine.is_here else None
    with open_engine(models.opener(), models.engine, device=models.device, look=beside) as engine:
        _require_valid(session, measurers, engine.identity)
        engine.check(session.wanted().prompts)
        audit = session.begin(engine.identity)
        known = session.studies
        session.prepare()
        require_valid_measurers(session, measurers)
        if session.studies != known:
            _fit(session, engine)  # captions have become prompts
        here = session.measurers if measuring and _looks_beside(session, engine) else ()
        rounds = [_round(session, engine, audit, here, retry_failed=retry_failed)]
        while measuring and (next_round(session) or (look is not None and look())):
            engine.check(session.wanted().prompts)
            rounds.append(_round(session, engine, audit, here, retry_failed=retry_failed))
    compact(audit)
    _require_images(audit)
    return replace(_together(rounds), other_size=outcomes.of_other_size(audit))


def _require_valid(session: Session, measurers: Sequence[Identity], generator: Identity) -> None:
    """Raise where measurers, or what drew a study's texts, are not valid for a generator."""
    require_valid(measurers, generator)
    for study in session.studies:
        kind_of(study).require_valid(study, generator)


def _fit(session: Session, engine: Engine) -> None:
    """Leave out texts that a kind has found itself and that the text encoder would cut.

    Raises:
        PromptTooLong: A prompt that a person wrote is too long.
    """
    try:
        engine.check(session.wanted().prompts)
    except PromptTooLong as error:
        long = frozenset(error.texts)
        session.studies = tuple(kind_of(one).without_texts(one, long) for one in session.studies)
        engine.check(session.wanted().prompts)


def _looks_beside(session: Session, engine: Engine) -> bool:
    """Tell whether measurers of this process can work while images are generated in it."""
    return isinstance(engine, InProcess) and session.models.is_on_gpu()


@contextlib.contextmanager
def _measured_beside(
    engine: Engine, audit: AuditFolder, measurers: Sequence[Measurer]
) -> Iterator[None]:
    """Let measurers have images while they are in memory, where both are in this process."""
    if not isinstance(engine, InProcess) or not measurers:
        yield
        return
    with MeasuresWhileGenerating(audit, measurers) as beside:
        engine.on_stored = beside
        yield


def _round(
    session: Session,
    engine: Engine,
    audit: AuditFolder,
    measurers: Sequence[Measurer],
    *,
    retry_failed: bool,
) -> GenerationSummary:
    session.remember()
    wanted = session.wanted()
    before = outcomes.without_image(audit, wanted)
    if retry_failed:
        before.pop("failed", None)
    with _measured_beside(engine, audit, measurers):
        made = engine.generate(
            audit,
            wanted,
            on_progress=counted(session.on_progress, "images"),
            retry_failed=retry_failed,
        )
    return replace(
        made,
        present=made.present - before.total(),
        failed_before=before["failed"],
        refused_before=before["refused"],
    )


def _together(rounds: Sequence[GenerationSummary]) -> GenerationSummary:
    """Return what several rounds came to; what an earlier one left is no find of a later one."""
    *earlier, last = rounds
    made, refused, failed, lost = (
        sum(getattr(one, name) for one in rounds) for name in ("made", "refused", "failed", "lost")
    )
    return replace(
        last,
        made=made,
        refused=refused,
        failed=failed,
        lost=lost,
        present=last.present - sum(one.made for one in earlier),
        refused_before=last.refused_before - sum(one.refused for one in earlier),
        failed_before=max(0, last.failed_before - sum(one.failed for one in earlier)),
    )


def _require_images(audit: AuditFolder) -> None:
    """Raise where every image that was ever asked of this audit has failed."""
    if not (found := outcomes.reasons(audit, "failed")):
        return
    if len(audit.images().filter("status <> 'failed'").limit(1).fetchall()):
        return
    raise GenerationError(
        f"{audit.path}: no image could be made, {sum(n for _, n in found):,} failed, most with: "
        f"{found[0][0]}; fix it and run again with `retry_failed`"
    )


def _look_through(session: Session) -> Imported:
    session.prepare()
    audit = session.opened()
    there = {prompt for (prompt,) in audit.images().select("prompt").distinct().fetchall()}
    wanted = session.wanted().prompts
    absent = tuple(text for text in wanted if text not in there)
    if len(absent) == len(wanted):
        raise AuditError(
            f"{audit.path}: none of the {len(wanted)} prompts has an image here; wanted for "
            f"example {absent[0]!r}, here is for example {min(there, default='nothing')!r}"
        )
    session.remember()
    return Imported(len(wanted), absent)
