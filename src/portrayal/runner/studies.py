"""Which studies a verb is about: named, remembered, with what was drawn for them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from portrayal.audit import Audit
from portrayal.errors import AuditError, StudyError
from portrayal.kinds import kind_of
from portrayal.runner.work import OnProgress, Work
from portrayal.studies.reading import builtin_names, load_studies, study_from_dict
from portrayal.studies.schema import Study


def studies_for(
    question: str | Path | None, out: Path | None, images: int | None
) -> tuple[Study, ...]:
    """Return the studies named, or those that the audit remembers where none is named.

    A name that is not built in may also be that of a study which the audit remembers.
    """
    if question is not None and (own := _remembered(str(question), out)) is not None:
        studies: tuple[Study, ...] = (own,)
    elif question is not None:
        studies = load_studies(question)
    elif out is not None and (remembered := Audit(out).studies()):
        studies = tuple(study_from_dict(data, source=name) for name, data in remembered.items())
    else:
        raise AuditError(f"{out or 'new audit'}: no study was asked of it yet; name one")
    return studies if images is None else tuple(study.with_images(images) for study in studies)


def _remembered(name: str, out: Path | None) -> Study | None:
    if out is None or name in builtin_names() or name.endswith(".toml"):
        return None
    with contextlib.suppress(AuditError):
        found = Audit(out).studies().get(name)
        return None if found is None else study_from_dict(found, source=name)
    return None


def studies_again(question: str | Path | None, out: Path) -> tuple[Study, ...]:
    """Return the studies to look at again: as they are now, with the images asked for before."""
    remembered = Audit(out).studies()
    images = {name: data.get("images") for name, data in remembered.items()}
    return tuple(
        study.with_images(n) if isinstance(n := images.get(study.name), int) else study
        for study in studies_for(question, out, None)
    )


def ablated_study(
    question: str | Path, phrase: str, *, replacement: str | None = None, images: int | None = None
) -> Study:
    """Return the study that asks what a phrase of an intervention does.

    Args:
        question: A built-in intervention study, or a file.
        phrase: Words of one or more of its interventions.
        replacement: What stands in their place; None: nothing.
        images: Images per prompt, instead of the study's.

    Raises:
        StudyError: It is no intervention study, or no intervention has the phrase.
    """
    study, *others = load_studies(question)
    if others:
        raise StudyError(
            f"{question} is a suite; name one of its studies: {names((study, *others))}"
        )
    found: Study = kind_of(study).without_phrase(study, phrase, replacement)
    return found if images is None else found.with_images(images)


def reworded(studies: Sequence[Study], out: Path) -> list[str]:
    """Return the names under which an audit remembers another study than these.

    How many images are wanted, and the texts that were drawn for a study, may differ.
    """
    if not (out / "audit.json").exists():
        return []
    stored = Audit(out).studies()
    found = []
    for study in studies:
        before, now = stored.get(study.name), study.as_dict()
        if before is None:
            continue
        keys = {*before, *now} - {"images", "attribute_images", "drawn", "real_world"}
        if any(before.get(key) != now.get(key) for key in keys):
            found.append(study.name)
    return found


def with_texts(studies: Sequence[Study], out: Path) -> tuple[Study, ...]:
    """Return the studies with the texts that a language model draws for some of them.

    What the audit has drawn before is kept; a study whose texts are all there opens no model.
    """
    audit = Audit(out) if (out / "audit.json").exists() else None
    return tuple(kind_of(study).draw(study, audit) for study in studies)


def with_training(work: Work, audit: Audit, on_progress: OnProgress) -> Work:
    """Return the work with all that its studies need beside images: captions, training images."""
    return replace(
        work,
        studies=tuple(
            kind_of(study).prepare(study, audit, work.corpus, on_progress=on_progress)
            for study in work.studies
        ),
    )


def with_real_world(studies: Sequence[Study], file: Path) -> tuple[Study, ...]:
    """Return the studies with real-world shares as a second baseline, where they can use one.

    Raises:
        StudyError: None of them can, or the file is wrong.
    """
    found = [kind_of(study).with_real_world(study, file) for study in studies]
    if not any(found):
        raise StudyError(f"{names(studies)}: --real-world is for amplification studies alone")
    return tuple(new or study for new, study in zip(found, studies, strict=True))


def remember(audit: Audit, studies: Iterable[Study]) -> None:
    """Write studies into an audit, which then knows what was asked of it."""
    for study in studies:
        audit.remember_study(study.name, study.as_dict())


def names(studies: Sequence[Study]) -> str:
    """Return the studies' names in one line."""
    return ", ".join(study.name for study in studies)
