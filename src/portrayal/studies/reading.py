"""Find study files, read them, and say in one line what is wrong with one."""

from __future__ import annotations

import difflib
import functools
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from portrayal.errors import PluginError, StudyError, one_of, shown
from portrayal.plugins import PRACTICE_WORLD, STUDIES, plugins
from portrayal.studies.axes import default_axes
from portrayal.studies.problems import did_you_mean, study_error
from portrayal.studies.registry import registered_kinds
from portrayal.studies.schema import WRITTEN, Study, asked_groups
from portrayal.studies.suite import Suite


def known_groups(stored: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the groups of every axis that may be meant by its name.

    Args:
        stored: The studies of an audit, as it stores them; default axes come beside theirs.
    """
    asked = asked_groups(
        study_from_dict(data, source=f"{name}.json") for name, data in stored.items()
    )
    return {name: list(axis.groups) for name, axis in default_axes().items()} | asked


def in_telling_order(studies: Iterable[Study]) -> list[Study]:
    """Return studies by kind, as a report tells of them; those of one kind stay in their order."""
    place = {kind: i for i, kind in enumerate(registered_kinds())}
    return sorted(studies, key=lambda study: place[study.kind])


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """What `portrayal studies` prints of a built-in study or suite."""

    name: str
    kind: str
    title: str
    question: str
    citation: str
    prompts: int
    images: int
    studies: tuple[str, ...] = ()


def load_study(name_or_path: str | Path) -> Study:
    """Return one study: a built-in one by name, or one from a TOML file.

    Raises:
        StudyError: There is none, its file is wrong, or it is a suite.
    """
    found = _load(name_or_path)
    if isinstance(found, Suite):
        raise StudyError(
            f"{found.name} is a suite of {len(found.studies)} studies "
            f"({one_of(found.studies)}); name one of them, or use load_studies"
        )
    return found


def load_studies(name_or_path: str | Path) -> tuple[Study, ...]:
    """Return the studies of a suite, or the one study of that name or file."""
    found = _load(name_or_path)
    if not isinstance(found, Suite):
        return (found,)
    folder = Path(name_or_path).parent if _is_path(name_or_path) else None
    members = []
    for member in found.studies:
        beside = folder / member if folder is not None else None
        members.append(load_study(beside if beside and beside.is_file() else member))
    names = [study.name for study in members]
    for name in names:
        if names.count(name) > 1:
            raise StudyError(f"{found.name}: two of its studies are named {name!r}; each name once")
    return tuple(members)


def builtin_names() -> tuple[str, ...]:
    """Return the names of the built-in studies and suites, those of other packages included."""
    return tuple(builtin_files())


@functools.cache
def builtin_files() -> Mapping[str, Traversable]:
    """Return the study files of all packages that bring some, by name.

    Raises:
        PluginError: Two packages bring a study of the same name.
    """
    found: dict[str, Traversable] = {}
    for package in plugins(STUDIES, ModuleType).values():
        for entry in files(package).iterdir():
            name, ending = os.path.splitext(entry.name)
            if ending != ".toml":
                continue
            if name in found:
                raise PluginError(
                    f"two packages bring the study {name!r} ({package.__name__} is one of them); "
                    "uninstall one"
                )
            found[name] = entry
    return dict(sorted(found.items()))


def builtin_studies() -> list[StudyInfo]:
    """Return what there is to ask: built-in studies first, then suites."""
    rows = [study_info(_load(name)) for name in builtin_names()]
    return sorted(rows, key=lambda row: (row.kind == "suite", row.kind, row.name))


def study_from_dict(data: Mapping[str, Any], *, source: str = "") -> Study:
    """Return the study that `Study.as_dict` wrote.

    Args:
        data: The study as data.
        source: What to call it in an error.
    """
    found = _validate(dict(data), source or str(data.get("name", "study")))
    if isinstance(found, Suite):
        raise StudyError(f"{source or found.name} is a suite; an audit remembers its studies")
    return found


def study_from_toml(text: str, *, source: str, name: str = "") -> Study | Suite:
    """Read a study from the text of a TOML file.

    Args:
        text: The file's content.
        source: What to call it in an error.
        name: The study's name where the file gives none.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise StudyError(f"{source}: not a study: lists or tables nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = where[1] if where else str(len(text.splitlines()))  # else "at end of document"
        what = re.sub(r"\s*\(at .*\)", "", str(error))
        raise StudyError(f"{source}, line {line}: not valid TOML: {what}") from error
    if name:
        data.setdefault("name", name)
    return _validate(data, source, written=True)


def _load(name_or_path: str | Path) -> Study | Suite:
    given: object = name_or_path  # whatever it is, the answer is one line
    if not isinstance(given, str | Path):
        raise StudyError(f"study is {shown(given)}; allowed: the name of a study, or a file")
    if _is_path(name_or_path):
        return _from_file(Path(name_or_path))
    name = str(name_or_path)
    known = builtin_files()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        near_ones = f"did you mean {' or '.join(near)}?"
        hint = near_ones if near else "`portrayal studies list` shows which there are"
        # Where no other package brings studies, the short ones of the first steps are absent.
        more = f"; {PRACTICE_WORLD}" if len(plugins(STUDIES, ModuleType)) == 1 else ""
        raise StudyError(
            f"there is no study {name!r}; {hint} (a file's name ends with .toml){more}"
        )
    return study_from_toml(known[name].read_text("utf-8"), source=f"{name}.toml", name=name)


def _is_path(name_or_path: str | Path) -> bool:
    if isinstance(name_or_path, Path):
        return True
    return name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path


def _from_file(path: Path) -> Study | Suite:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file; portrayal studies new NAME writes one") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not a text file in UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from error
    return study_from_toml(text, source=path.name, name=path.stem)


def _validate(data: dict[str, Any], source: str, *, written: bool = False) -> Study | Suite:
    models: dict[str, type[Study] | type[Suite]] = {
        name: kind.study for name, kind in registered_kinds().items()
    }
    models["suite"] = Suite
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in models:
        got = "is missing" if kind is None else f"is {kind!r}{did_you_mean(kind, models)}"
        raise StudyError(f"{source}: kind {got}; allowed: {one_of(list(models))}")
    model = models[kind]
    data.setdefault("title", str(data.get("name", "")))
    try:
        return model.model_validate(data, context={WRITTEN: written})
    except ValidationError as error:
        raise study_error(error, source=source, model=model, raw=data) from error


def study_info(found: Study | Suite) -> StudyInfo:
    """Say what a study asks and costs; texts that are drawn only when it is run are counted."""
    members = tuple(load_study(name) for name in found.studies) if isinstance(found, Suite) else ()
    prompts: dict[str, int] = {}
    texts = images = 0  # with replaced words: drawn only when the study is run
    for study in members or (found,):
        assert isinstance(study, Study)
        for prompt in study.prompts():
            prompts[prompt.text] = max(prompt.images, prompts.get(prompt.text, 0))
        texts += study.undrawn().prompts
        images += study.undrawn().images
    return StudyInfo(
        found.name,
        found.kind,
        found.title,
        found.question,
        found.citation,
        len(prompts) + texts,
        sum(prompts.values()) + images,
        tuple(study.name for study in members),
    )


def starter_text(kind: str, name: str = "NAME") -> str:
    """Return a commented TOML file of this kind, which loads as it is.

    Args:
        kind: Which kind of study.
        name: The file's name without its ending, for the command in its first line.

    Raises:
        StudyError: There is no such kind.
    """
    known = registered_kinds()
    if kind not in known:
        raise StudyError(f"there is no study kind {kind!r}; allowed: {one_of(list(known))}")
    return known[kind].starter().replace("NAME.toml", f"{name}.toml")
