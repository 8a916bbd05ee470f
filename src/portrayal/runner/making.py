"""Making what is missing, here or by an engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from portrayal.audit import Audit, compact, outcomes
from portrayal.audit.wants import Wanted
from portrayal.errors import AuditError, GenerationError, StudyError
from portrayal.generators import GenerationSummary
from portrayal.kinds import kind_of
from portrayal.measurers import Encoder, require_valid
from portrayal.measurers.watching import Watching
from portrayal.runner.engines import Engine, Here, open_engine
from portrayal.runner.studies import names, remember, with_texts, with_training
from portrayal.runner.work import OnProgress, Work, is_imported
from portrayal.studies.schema import Study


@dataclass(frozen=True, slots=True)
class Imported:
    """What an audit of imported images holds of the prompts that are wanted; nothing is made.

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
            return f"imported images: all {self.prompts} prompts are there"
        more = f" and {len(self.absent) - 1} more" if len(self.absent) > 1 else ""
        return (
            f"imported images: {len(self.absent)} of {self.prompts} prompts have none: "
            f"{self.absent[0]!r}{more}"
        )


def check(work: Work) -> None:
    """Raise where work cannot be done, as far as it can be told before a model is loaded.

    Raises:
        AuditError: The place of the audit holds other things.
        StudyError: A study lacks its training captions.
        CorpusError: They cannot be read.
    """
    Audit.check_place(work.out)
    if work.corpus and not any(kind_of(study).takes_corpus for study in work.studies):
        raise StudyError(f"{names(work.studies)}: --corpus is for amplification studies alone")
    for study in work.studies:
        kind_of(study).check(study, work.out, work.corpus)


def generate(
    work: Work,
    *,
    on_progress: OnProgress,
    retry_failed: bool = False,
    encoders: Sequence[Encoder] = (),
) -> GenerationSummary | Imported:
    """Make the images that are missing; of imported images, say which prompts have none.

    Args:
        work: What is asked.
        on_progress: Called with what, done and total.
        retry_failed: Make again what failed in an earlier run.
        encoders: Those that will look at the images; on a GPU, and in the processes of an
            engine, they do so at once.
    """
    check(work)
    work = replace(work, studies=with_texts(work.studies, work.out))
    looking = [encoder.identity for encoder in encoders]
    if is_imported(work.out):
        require_valid(looking, Audit(work.out).generator)
        return _look_through(with_training(work, Audit(work.out), on_progress))
    device = work.settings.get("device")
    look = work.look() if encoders else None
    with open_engine(work.opener(), work.engine, device=device, look=look) as engine:
        require_valid(looking, engine.identity)
        engine.check(work.prompts())
        audit = Audit.at(work.out, engine.identity)
        known = work.prompts()
        work = with_training(work, audit, on_progress)
        if work.prompts() != known:
            engine.check(work.prompts())  # captions have become prompts
        remember(audit, work.studies)
        with _watched(engine, audit, encoders if encoders and work.is_on_gpu() else ()):
            made = _make(engine, audit, work.studies, on_progress, retry_failed=retry_failed)
    compact(audit)
    _require_images(audit)
    return replace(made, other_size=outcomes.of_other_size(audit))


@contextlib.contextmanager
def _watched(engine: Engine, audit: Audit, encoders: Sequence[Encoder]) -> Iterator[None]:
    """Let encoders look at images while they are in memory, where both are in this process."""
    if not isinstance(engine, Here) or not encoders:
        yield
        return
    with Watching(audit, encoders) as watching:
        engine.on_stored = watching
        yield


def _make(
    engine: Engine,
    audit: Audit,
    studies: Sequence[Study],
    on_progress: OnProgress,
    *,
    retry_failed: bool,
) -> GenerationSummary:
    wanted = Wanted.by(prompt for study in studies for prompt in study.prompts())
    before = outcomes.without_image(audit, wanted)
    if retry_failed:
        before.pop("failed", None)
    made = engine.generate(
        audit,
        wanted,
        on_progress=lambda done, total: on_progress("images", done, total),
        retry_failed=retry_failed,
    )
    return replace(
        made,
        present=made.present - before.total(),
        failed_before=before["failed"],
        refused_before=before["refused"],
    )


def _require_images(audit: Audit) -> None:
    """Raise where every image that was ever asked of this audit has failed."""
    if not (found := outcomes.reasons(audit, "failed")):
        return
    if len(audit.images().filter("status <> 'failed'").limit(1).fetchall()):
        return
    raise GenerationError(
        f"{audit.path}: no image could be made, {sum(n for _, n in found):,} failed, most with: "
        f"{found[0][0]}; mend it and run again with --retry-failed"
    )


def _look_through(work: Work) -> Imported:
    audit = Audit(work.out)
    there = {prompt for (prompt,) in audit.images().select("prompt").distinct().fetchall()}
    wanted = work.prompts()
    absent = tuple(text for text in wanted if text not in there)
    if len(absent) == len(wanted):
        raise AuditError(
            f"{work.out}: none of the {len(wanted)} prompts has an image here; wanted for example "
            f"{absent[0]!r}, here is for example {min(there, default='nothing')!r}"
        )
    remember(audit, work.studies)
    return Imported(len(wanted), absent)
