"""Which studies a session is about: named, given, or remembered by the audit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from portrayal.audit import AuditFolder
from portrayal.errors import SettingError, StudyError, require_count, shown
from portrayal.kinds import kind_of
from portrayal.progress import OnProgress, no_progress
from portrayal.studies import Study, builtin_names, load_studies, study_from_dict

AskedOne = str | os.PathLike[str] | Study
"""How a study is asked for: the name of a study or suite, a file, or the study itself."""

Asked = AskedOne | Sequence[AskedOne]
"""How studies are asked for: one, or several in a list."""


def find_studies(
    asked: Asked, remembered: Mapping[str, Study] | None = None, *, images: int | None = None
) -> tuple[Study, ...]:
    """Return the studies that are asked for.

    Args:
        asked: A name, a file, a study, or several of these. A name that is not built in may also be
            that of a study which the audit remembers.
        remembered: What the audit remembers, by name.
        images: Images per prompt, instead of the studies' own.

    Raises:
        StudyError: There is no such study, or its file is wrong.
        SettingError: What was given is no study.
    """
    each = _each(asked)
    found = tuple(study for one in each for study in _found(one, remembered or {}))
    if not found:
        raise _no_study(asked)
    if len({study.name for study in found}) < len(found):
        raise StudyError(f"two of {names(found)} have one name; give each study a name of its own")
    return found if images is None else tuple(with_images(study, images) for study in found)


def names_own(asked: Asked) -> bool:
    """Tell whether something that is asked for may be a study that only an audit knows."""
    return any(_is_own_name(one) for one in _each(asked))


def _is_own_name(asked: object) -> bool:
    return isinstance(asked, str) and not asked.endswith(".toml") and asked not in builtin_names()


def _each(asked: object) -> tuple[object, ...]:
    # A study is iterable too: over its fields.
    if isinstance(asked, str | os.PathLike | Study) or not isinstance(asked, Iterable):
        return (asked,)
    return tuple(asked)


def _found(asked: object, remembered: Mapping[str, Study]) -> tuple[Study, ...]:
    """Return the study that is asked for, or those of the suite."""
    if isinstance(asked, Study):
        return (asked,)
    if isinstance(asked, str):
        own = remembered.get(asked) if _is_own_name(asked) else None
        return load_studies(asked) if own is None else (own,)
    if isinstance(asked, os.PathLike):
        return load_studies(Path(asked))
    raise _no_study(asked)


def _no_study(asked: object) -> SettingError:
    return SettingError(
        "study",
        f"is {shown(asked)}; allowed: the name of a study or suite, a file, a study as load_study "
        "gives it, or a list of these",
    )


def with_images(study: Study, images: int) -> Study:
    """Return a study with another number of images per prompt.

    Raises:
        SettingError: That is no number of images.
    """
    require_count("images", images)
    return study.with_images(images)


def ablated_study(
    asked: str | os.PathLike[str],
    phrase: str,
    *,
    replacement: str | None = None,
    images: int | None = None,
    attributes: Sequence[str] = (),
) -> Study:
    """Return the study that asks what a phrase of an intervention does.

    Args:
        asked: A built-in intervention study, or a file.
        phrase: Words of one or more of its interventions.
        replacement: What stands in their place; None: nothing.
        images: Images per prompt, instead of the study's.
        attributes: Ask about these attributes only; none: about all.

    Raises:
        StudyError: It is no intervention study, or no intervention has the phrase.
    """
    study, *others = find_studies(asked)
    if others:
        raise StudyError(f"{asked} is a suite; name one of its studies: {names((study, *others))}")
    found: Study = kind_of(study).without_phrase(study, phrase, replacement, attributes)
    return found if images is None else with_images(found, images)


def reworded(studies: Sequence[Study], remembered: Mapping[str, Study]) -> list[str]:
    """Return the names under which an audit remembers another study than these.

    How much a study asks for, its title, and the texts that were drawn for it may differ.
    """
    return [
        study.name
        for study in studies
        if (before := remembered.get(study.name)) is not None
        and study.wording() != before.wording()
    ]


def with_real_world(studies: Sequence[Study], file: str | os.PathLike[str]) -> tuple[Study, ...]:
    """Return the studies with real-world shares as a second baseline, where they can use one.

    Raises:
        StudyError: The file is wrong.
        SettingError: None of them can.
    """
    found = [kind_of(study).with_real_world(study, Path(file)) for study in studies]
    if not any(found):
        raise SettingError("real_world", f"is for amplification studies; {names(studies)}: no")
    return tuple(new or study for new, study in zip(found, studies, strict=True))


def check_corpus(studies: Sequence[Study], corpus: Path | None) -> None:
    """Refuse training data that none of the studies compares with.

    Raises:
        SettingError: None does.
    """
    if corpus is not None and not any(kind_of(study).takes_corpus for study in studies):
        raise SettingError("corpus", f"is for amplification studies; {names(studies)}: no")


def remembered_studies(audit: AuditFolder | None, known: Iterable[Study] = ()) -> dict[str, Study]:
    """Return the studies that an audit remembers, by name, in the order of its files.

    Args:
        audit: The audit; None: there is none yet.
        known: Studies that are validated already; one that the audit holds unchanged is taken,
            and what the audit holds under its name need not be readable.

    Raises:
        StudyError: A file is no study.
    """
    if audit is None:
        return {}
    own = {study.name: study for study in known}
    found = {}
    for name, data in audit.studies().items():
        study = own.get(name)
        if study is not None and study.as_dict() == data:
            found[name] = study
            continue
        try:
            found[name] = study_from_dict(data, source=f"{name}.json")
        except StudyError:
            if study is None:
                raise
    return found


def names(studies: Sequence[Study]) -> str:
    """Return the studies' names in one line."""
    return ", ".join(study.name for study in studies)


def links_to_try(
    asked: Asked, corpus: Path, *, on_progress: OnProgress = no_progress
) -> Mapping[tuple[int, int], str]:
    """Return the training captions whose images studies need next, by source and row.

    Args:
        asked: The studies: see `find_studies`.
        corpus: A corpus folder whose captions have addresses.
        on_progress: Called as work goes on.
    """
    found: dict[tuple[int, int], str] = {}
    for study in find_studies(asked):
        found |= kind_of(study).links_to_try(study, corpus, on_progress=on_progress)
    return found
