"""Suites: several studies under one name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from portrayal.studies.parts import Name, StudyPart, Word, without_repeats


class Suite(StudyPart):
    """A list of studies: names of built-in ones, or files beside the suite's own file."""

    name: Name
    kind: Literal["suite"]
    title: str = ""
    question: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    studies: Annotated[tuple[Word, ...], Field(min_length=1)]

    _once = field_validator("studies")(without_repeats)
