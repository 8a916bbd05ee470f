"""What a paper's file may say: its settings, its studies, and its tables and figures in order.

Numbers are not here: published ones are in the study files (`[[published]]`), ours in the results.
A table only says which number is in which place.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from portrayal.language import default_text_model
from portrayal.studies import Count, Study, StudyPart, load_studies, study_from_dict

MeasurerSort = Literal["encoder", "raters"]


class PaperRow(StudyPart):
    """A row of a table.

    Attributes:
        head: What the paper prints at its left, one for each column of `PaperTable.head`.
        key: What `{key}` in a column's `of` is replaced by.
        study: The study whose numbers it has; "": that of the table.
        statistic: The name of its numbers, where they are not the column's.
    """

    head: tuple[str, ...]
    key: str = ""
    study: str = ""
    statistic: str = ""


class PaperColumn(StudyPart):
    """A column of numbers: those that the paper printed, one for each of its models, and ours.

    Attributes:
        name: Its heading.
        statistic: The name of the numbers, as in `[[published]]`; "": that of each row. Without
            any this audit cannot have numbers, and the printed ones are alone.
        of: What the numbers are of, as in `[[published]]`; `{key}` is the row's.
        measurer: Who labelled the images.
        models: The paper's models, as in `[[published]]`; none: the paper has no such column.
        printed: Numbers that the paper printed about several studies together, row by row.
        only: Keys of the rows that have a number; none: all.
    """

    name: str
    statistic: str = ""
    of: str = "{key}"
    measurer: MeasurerSort = "encoder"
    models: tuple[str, ...] = ("",)
    printed: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


class PaperTable(StudyPart):
    """A table of numbers in the paper's layout."""

    head: tuple[str, ...]
    rows: Annotated[tuple[PaperRow, ...], Field(min_length=1)]
    columns: Annotated[tuple[PaperColumn, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for row in self.rows:
            if len(row.head) != len(self.head):
                raise ValueError(f"row {row.head} has {len(row.head)} heads of {len(self.head)}")
        for column in self.columns:
            if column.printed and len(column.printed) != len(self.rows):
                raise ValueError(f"printed of {column.name!r} needs one number for each row")
            if not (column.printed or all(self.statistic(row, column) for row in self.rows)):
                raise ValueError(f"column {column.name!r} has neither a statistic nor printed")
        return self

    @staticmethod
    def statistic(row: PaperRow, column: PaperColumn) -> str:
        """Return the name of the numbers in a place; "" where this audit cannot have any."""
        return row.statistic or column.statistic


class FigureOf(StudyPart):
    """A figure that is a part of a study's answer.

    Attributes:
        study: The study.
        part: The part's name, without the measurer.
        measurer: Who labelled the images in the paper; without such labels, the encoder's are
            shown.
        choices: What a figure with a choice shows first, by the choice's name.
    """

    study: str
    part: str
    measurer: MeasurerSort = "encoder"
    choices: dict[str, str] = Field(default_factory=dict)


class TableOf(StudyPart):
    """A table that is a part of a study's answer, or some of its rows.

    Attributes:
        study: The study.
        part: The part's name, without the measurer; * matches anything.
        columns: Those that are shown; none: all.
        only: By column, the values of the rows that are shown.
        each: Rows of each value of the first column in `only`; None: all.
    """

    study: str
    part: str
    columns: tuple[str, ...] = ()
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    each: Count | None = None


class GridLine(StudyPart):
    """A row or column of a grid of images: its heading, and the factors of its prompts."""

    name: str
    factors: dict[str, str] = Field(default_factory=dict)


class ImageGrid(StudyPart):
    """Generated images side by side.

    Attributes:
        study: Whose images.
        rows: From top to bottom.
        columns: From left to right.
        each: Images in a cell, lowest seeds first.
    """

    study: str
    rows: tuple[GridLine, ...]
    columns: tuple[GridLine, ...] = (GridLine(name=""),)
    each: int = 9


class SideLine(StudyPart):
    """A row of training or generated images, with the captions of training images below.

    Attributes:
        name: Its heading.
        subset: Which training captions the images were compared with.
        occupation: The occupation.
        side: Which of the two.
    """

    name: str
    subset: str
    occupation: str
    side: Literal["training", "generated"]


class SideGrid(StudyPart):
    """Images of both sides of a study that compares with training data."""

    study: str
    rows: Annotated[tuple[SideLine, ...], Field(min_length=1)]


class WordListing(StudyPart):
    """Words or texts of a study.

    Attributes:
        study: The study.
        path: Where they are in the study, keys joined by dots: a list, a table of lists or of
            tables, or a list of tables.
        name: In a list of tables, the key of the heading; of a list, the heading itself, or "#" to
            number its texts.
        words: Of tables, the key of the list.
    """

    study: str
    path: str
    name: str = ""
    words: str = ""


class PaperPart(StudyPart):
    """A table or figure of the paper.

    Attributes:
        label: As the paper numbers it: "Table 1".
        title: What it shows.
        note: What must be said beside it.
        table: Numbers in the paper's layout.
        figures: Figures.
        tables: Tables of studies.
        images: Generated images.
        sides: Training images beside generated ones.
        listings: Words of studies.
        questions: A study whose questions for raters are listed; "": none.
        commands: What to run for what this page cannot show.
    """

    label: str
    title: str
    note: str = ""
    table: PaperTable | None = None
    figures: tuple[FigureOf, ...] = ()
    tables: tuple[TableOf, ...] = ()
    images: tuple[ImageGrid, ...] = ()
    sides: tuple[SideGrid, ...] = ()
    listings: tuple[WordListing, ...] = ()
    questions: str = ""
    commands: tuple[str, ...] = ()


class Small(StudyPart):
    """How a paper is reproduced in minutes, with an installed model.

    Attributes:
        images: Images per prompt.
        captions: Training captions that are compared with, where no corpus is named: those that
            the installed model can write; 0: the paper needs none.
        installed: Keys of studies that name a text model, and the role of that model; in the short
            form the installed one takes its place, where there is one.
        studies: By name, what replaces parts of a study; studies that are not here stay whole.
    """

    images: Count
    captions: Annotated[int, Field(ge=0)] = 0
    installed: tuple[Literal["sentences", "names"], ...] = ()
    studies: dict[str, dict[str, Any]] = Field(default_factory=dict)


class Paper(StudyPart):
    """How to reproduce a paper.

    Attributes:
        name: As in `portrayal reproduce NAME`.
        title: The paper's title.
        citation: Where it was published.
        models: What the paper generated images with, in words.
        abbreviations: What the tables call a model, by its name in `[[published]]`.
        settings: Of the generator.
        measurers: Names of the paper's measurers.
        analysis: Settings of the analysis that are not our defaults.
        studies: Names of studies and suites.
        small: The short form.
        same: What is as in the paper, in plain words.
        differs: What is not, and why.
        shows: Its tables and figures, in order.
    """

    name: str
    title: str
    citation: str
    models: str
    abbreviations: dict[str, str] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)
    measurers: tuple[str, ...] = ()
    analysis: dict[str, Any] = Field(default_factory=dict)
    studies: Annotated[tuple[str, ...], Field(min_length=1)]
    small: Small
    same: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    shows: Annotated[tuple[PaperPart, ...], Field(min_length=1)]

    def asked(self, *, small: bool = False) -> tuple[Study, ...]:
        """Return the studies, whole or in their short form."""
        whole = tuple(study for name in self.studies for study in load_studies(name))
        return tuple(self._shortened(study) for study in whole) if small else whole

    def _shortened(self, study: Study) -> Study:
        whole = study.as_dict()
        changes: dict[str, Any] = {"images": self.small.images}
        for role in self.small.installed:
            if role in whole and (name := default_text_model(role)):
                changes[role] = name
        changes |= self.small.studies.get(study.name, {})
        changed = {key: _changed(whole.get(key), value) for key, value in changes.items()}
        return study_from_dict({**whole, **changed}, source=f"{self.name}: {study.name}")


def _changed(whole: Any, change: Any) -> Any:
    """Return what takes the place of a value; of a list of named tables, those that are named."""
    if not (isinstance(change, list) and change and isinstance(change[0], dict)):
        return change
    named = {one["name"]: one for one in change}
    return [{**one, **named.get(one["name"], {})} for one in whole]
