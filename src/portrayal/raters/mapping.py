"""MAP.toml: which columns of a raters' file say what.

format = "csv"                      csv, mturk or labelstudio
image = ["model", "prompt", "n"]    the column that names an image, or several together
rater = "worker"                    who voted
prompt = "caption"                  optional; with `seed` it finds the image in an audit
seed = "image"
time = "SubmitTime"                 optional: of a rater's two votes on an image the later counts

[[files]]                           optional: what one of several files calls its columns
name = "*geo_results.csv"           * matches anything
columns = { culture = "Answer.1" }  a question whose column another file has is not asked here
constants = { model = "A" }         columns that are the same in all rows of the file

[[patterns]]                        optional: columns that are parts of another one
column = "Input.url"
pattern = '.*/(?P<category>[^/]+)/(?P<folder>[^/]+)/.*'   a column for each named group
decode = "url"                      optional: read "a+photo" as "a photo"

[only]                              optional: rows to read; the others are dropped and counted
AssignmentStatus = ["Approved"]

[factors]                           optional: what scores are grouped by
model = "model"
intervention = { columns = ["category", "prompt"], values = { "objects/Prompt1" = "original" } }

[score]                             optional
attribute = "attribute"             the factor whose levels are attributes (k of equation 1)
by = ["model", "intervention"]      one table row for each combination of these

[[questions]]                       as for the rating page, and where the answer stands
id = "gender"
column = "gender"
values = { 1 = "man", 2 = "woman", 3 = "poor quality", 4 = "both visible" }
cant_judge = ["poor quality", "both visible"]
axis = "perceived gender"
counts_if = { person = ["yes"] }
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import unquote_plus

from pydantic import Field, field_validator, model_validator

from portrayal.errors import ImportFileError, one_of
from portrayal.raters.questions import (
    Keys,
    QuestionId,
    QuestionSet,
    questions_from,
    read_document,
    validated,
)
from portrayal.studies import StudyPart, did_you_mean

FORMATS = ("csv", "mturk", "labelstudio")
JOINT = "/"
"""What several columns that name one thing are joined with."""

Columns = Annotated[tuple[str, ...], Field(min_length=1)]


class Level(StudyPart):
    """Where to find the level of a factor.

    Attributes:
        columns: One column, or several that together tell the level.
        values: Level by what stands there; empty: what stands there is the level.
        other: What to do with a row whose value is not in `values`.
    """

    columns: Columns
    values: dict[str, str] = Field(default_factory=dict)
    other: Literal["error", "drop", "keep"] = "error"


class MappedQuestion(StudyPart):
    """A question, and where to find its answer.

    Attributes:
        column: The column with the answer.
        columns: Instead, one column of true and false for each answer key.
        values: Answer key by what stands in the column; empty: what stands there is the key.
        cant_judge: The answer keys that say "can't judge".
        groups: The other keys in the order of the scores; None: as in `values`.
    """

    id: QuestionId
    text: str = ""
    column: str = ""
    columns: dict[str, str] = Field(default_factory=dict)
    values: dict[str, str] = Field(default_factory=dict)
    cant_judge: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    asked_if: dict[str, Keys] = Field(default_factory=dict)
    counts_if: dict[str, Keys] = Field(default_factory=dict)
    axis: str = ""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.column) == bool(self.columns):
            raise ValueError("needs column, or columns with one for each answer; not both")
        if self.columns and self.values:
            raise ValueError("has columns and values; columns name the answers already")
        keys = self.answer_keys()
        named = (*(self.groups or ()), *self.cant_judge)
        for name in named:
            if name not in keys:
                raise ValueError(
                    f"names the answer {name!r}{did_you_mean(name, keys)}; allowed: {one_of(keys)}"
                )
        if len(set(named)) < len(named):
            raise ValueError("names an answer twice in groups and cant_judge; each once")
        rest = [key for key in keys if key not in named]
        if self.groups is not None and rest:
            raise ValueError(
                f"has the answer {rest[0]!r}, which is in neither groups nor cant_judge"
            )
        return self

    def answer_keys(self) -> tuple[str, ...]:
        """Return the answer keys; none where the column contains free text."""
        placed = (*self.columns, *self.values.values())
        return tuple(dict.fromkeys(placed or (*(self.groups or ()), *self.cant_judge)))

    def question(self) -> dict[str, Any]:
        """Return the question without its place, as data."""
        keys = self.answer_keys()
        groups = self.groups or tuple(key for key in keys if key not in self.cant_judge)
        answers = [{"key": key, "text": key} for key in groups]
        unsure = [{"key": key, "text": key, "cant_judge": True} for key in self.cant_judge]
        return {
            "id": self.id,
            "text": self.text or self.id,
            "answers": [*answers, *unsure],
            "asked_if": self.asked_if,
            "counts_if": self.counts_if,
            "axis": self.axis,
        }


class ScoringSection(StudyPart):
    """How images are grouped.

    Attributes:
        attribute: The factor whose levels are attributes; "": `attribute` where there is one,
            else all images of a group are one attribute.
        by: Factors; None: all but the attribute.
    """

    attribute: str = ""
    by: tuple[str, ...] | None = None


class Pattern(StudyPart):
    """Columns that are parts of another one.

    Attributes:
        column: The column to read.
        pattern: A regular expression for the whole cell; its named groups become columns.
        decode: "url": escapes of URLs are undone in the parts.
    """

    column: str
    pattern: str
    decode: Literal["", "url"] = ""

    @model_validator(mode="after")
    def _names_parts(self) -> Self:
        try:
            names = re.compile(self.pattern).groupindex
        except re.error as error:
            raise ValueError(f"pattern is no regular expression: {error}") from error
        if not names:
            raise ValueError("pattern names no part; write one as (?P<name>...)")
        return self

    def parts(self, text: str) -> dict[str, str] | None:
        """Return the parts of a cell by name; None where it does not match."""
        found = re.fullmatch(self.pattern, text)
        if found is None:
            return None
        parts = {name: part or "" for name, part in found.groupdict().items()}
        if self.decode == "url":
            return {name: unquote_plus(part) for name, part in parts.items()}
        return parts


class FileColumns(StudyPart):
    """What one of several files calls its columns.

    Attributes:
        name: The file's name; * matches anything.
        columns: The file's own column, by the name that the map uses.
        constants: Columns that the file does not have, the same in all rows.
    """

    name: str
    columns: dict[str, str] = Field(default_factory=dict)
    constants: dict[str, str] = Field(default_factory=dict)


class VoteMap(StudyPart):
    """The content of a MAP.toml."""

    format: Literal["csv", "mturk", "labelstudio"] = "csv"
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    image: Columns
    rater: str
    prompt: str = ""
    seed: str = ""
    time: str = ""
    duplicates: Literal["error", "first", "last"] = "error"
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    files: tuple[FileColumns, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    factors: dict[str, Level] = Field(default_factory=dict)
    score: ScoringSection = ScoringSection()
    mapped: Annotated[tuple[MappedQuestion, ...], Field(alias="questions", min_length=1)]

    @field_validator("image", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("factors", mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {
            name: {"columns": [one]} if isinstance(one, str) else _with_columns(one)
            for name, one in value.items()
        }

    @model_validator(mode="after")
    def _known_factors(self) -> Self:
        for name in (self.score.attribute, *(self.score.by or ())):
            if name and name not in self.factors:
                raise ValueError(
                    f"score names the factor {name!r}{did_you_mean(name, self.factors)}; "
                    f"allowed: {one_of(list(self.factors)) or 'none, there are no factors'}"
                )
        return self

    @property
    def attribute(self) -> str | None:
        """The factor whose levels are attributes."""
        return self.score.attribute or ("attribute" if "attribute" in self.factors else None)

    @property
    def by(self) -> tuple[str, ...]:
        """The factors that tables are split by."""
        if self.score.by is not None:
            return self.score.by
        return tuple(name for name in self.factors if name != self.attribute)

    def columns_of(self, file: str) -> FileColumns:
        """Return what a file calls its columns.

        Raises:
            ImportFileError: The map lists files, and not this one.
        """
        if not self.files:
            return FileColumns(name=file)
        for one in self.files:
            if fnmatchcase(file, one.name):
                return one
        raise ImportFileError(
            f"{file}: the map has no [[files]] for it; there are: "
            f"{one_of([one.name for one in self.files])}"
        )

    def questions(self, source: str) -> QuestionSet:
        """Return what was asked."""
        asked = [one.question() for one in self.mapped]
        return questions_from({"questions": asked}, source=source)


def shipped_maps() -> dict[str, Path]:
    """Return the maps for files that others released, by name."""
    return {file.stem: file for file in sorted((Path(__file__).parent / "maps").glob("*.toml"))}


def read_map(path: Path) -> VoteMap:
    """Read a MAP.toml, or one that comes with portrayal, by its name.

    Raises:
        ImportFileError: It is wrong.
    """
    path = shipped_maps().get(str(path), path)
    found = validated(VoteMap, read_document(path), source=path.name)
    found.questions(path.name)
    return found


def _with_columns(level: Any) -> Any:
    """Allow `column = "x"` for a level that stands in one column."""
    if isinstance(level, Mapping) and "column" in level:
        rest = {name: value for name, value in level.items() if name != "column"}
        return {"columns": [level["column"]], **rest}
    return level
