"""Find and read the papers' files."""

from __future__ import annotations

import functools
import os
import tomllib
from importlib.resources import files

from pydantic import ValidationError

from portrayal.errors import StudyError, one_of
from portrayal.papers.schema import Paper
from portrayal.studies import did_you_mean, study_error


@functools.cache
def paper_names() -> tuple[str, ...]:
    """Return the papers that can be reproduced."""
    names = (os.path.splitext(entry.name) for entry in files("portrayal.papers").iterdir())
    return tuple(sorted(name for name, ending in names if ending == ".toml"))


def load_paper(name: str) -> Paper:
    """Return how to reproduce a paper.

    Raises:
        StudyError: There is no such paper.
    """
    known = paper_names()
    if name not in known:
        raise StudyError(
            f"there is no paper {name!r}{did_you_mean(name, known)}; allowed: {one_of(known)}"
        )
    raw = tomllib.loads((files("portrayal.papers") / f"{name}.toml").read_text("utf-8"))
    try:
        return Paper.model_validate({"name": name, **raw})
    except ValidationError as error:
        raise study_error(error, source=f"{name}.toml", model=Paper, raw=raw) from error
