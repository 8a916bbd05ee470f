"""What study files are made of: names, words, counts, and tables without unknown keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StringConstraints

Word = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\n\r]*$"),
]
"""A word, a phrase or a prompt: one line, not empty."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")]
"""A study's name: it becomes a file name inside the audit."""

Count = Annotated[StrictInt, Field(ge=1, le=1_000_000)]


class StudyPart(BaseModel):
    """A part of a study file; unknown keys are errors and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def without_repeats(words: tuple[str, ...]) -> tuple[str, ...]:
    """Pass a list of words on; raise ValueError where one is given twice."""
    seen: set[str] = set()
    for word in words:
        if word.casefold() in seen:
            raise ValueError(f"has {word!r} twice; each word once")
        seen.add(word.casefold())
    return words
