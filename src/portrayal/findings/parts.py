"""The parts of a study's answer: typed rows that become figures and tables when they are shown.

A part is data. Its `type` tells parts apart in results.json; a kind of study may bring types of its
own (`Kind.parts`) and draw them (`Kind.chart`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from typing import Any, ClassVar, Literal

from portrayal.findings.finding import Finding, counts_looks
from portrayal.numbers import Q_OF_ALL_LOOKS
from portrayal.records import Plain, plain

Side = Literal["training", "generated"]
MeasurerSort = Literal["encoder", "raters"]

FOREST = ("question", "estimate", "low", "high", "p", "q", "n")
"""Fields of a finding that a forest shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a study's answer.

    Attributes:
        type: Tells parts apart in results.json.
        name: Unique within a study, without spaces where it can be.
        title: What a reader sees above it.
        note: What a reader must know beside it.
        has_sides: Whether a click on a point of its figure shows images (`Sides`).
    """

    type: str = field(default="", kw_only=True)
    name: str
    title: str
    note: str = field(default="", kw_only=True)

    has_sides: ClassVar[bool] = False

    def __len__(self) -> int:
        raise NotImplementedError

    def as_table(self, findings: Collection[Finding] = ()) -> DataTable:
        """Return a table for people.

        Args:
            findings: Those of the study, for parts that refer to them.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class DataTable(Part):
    """A table of anything: columns, and rows of values."""

    type: Literal["table"] = field(default="table", kw_only=True)
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(plain(row)) for row in self.rows))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row)} cells for {len(self.columns)} columns")

    def __len__(self) -> int:
        return len(self.rows)

    def as_table(self, findings: Collection[Finding] = ()) -> DataTable:
        """Return itself."""
        return self


@dataclass(frozen=True, slots=True)
class Forest(Part):
    """Findings of the study, side by side: estimates with intervals about zero.

    Attributes:
        questions: Of the findings. Their numbers are in the findings alone.
    """

    type: Literal["forest"] = field(default="forest", kw_only=True)
    questions: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", tuple(self.questions))

    @classmethod
    def of(cls, name: str, title: str, findings: Sequence[Finding], *, note: str = "") -> Forest:
        """Return the part that shows these findings."""
        return cls(name, title, tuple(one.question for one in findings), note=note)

    def __len__(self) -> int:
        return len(self.questions)

    def among(self, findings: Collection[Finding]) -> list[Finding]:
        """Return its findings, in its order, from those of its study."""
        by_question = {one.question: one for one in findings}
        return [by_question[question] for question in self.questions]

    def as_table(self, findings: Collection[Finding] = ()) -> DataTable:
        """Return estimates, intervals, p and q; also that of all looks where there were several."""
        shown, columns = self.among(findings), [*FOREST]
        rows = [[getattr(one, name) for name in FOREST] for one in shown]
        if counts_looks(shown):
            columns.append(Q_OF_ALL_LOOKS)
            rows = [[*row, one.q_looks] for row, one in zip(rows, shown, strict=True)]
        return DataTable(self.name, self.title, columns, rows, note=self.note)


@dataclass(frozen=True, slots=True)
class RowsPart(Part):
    """A part of typed rows; what they are is the business of each type."""

    rows: Sequence[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def as_table(self, findings: Collection[Finding] = ()) -> DataTable:
        """Return the rows, with a column for each of their fields."""
        names = [one.name.replace("_", " ") for one in fields(self.rows[0])] if self.rows else []
        rows = [astuple(row) for row in self.rows]
        return DataTable(self.name, self.title, names, rows, note=self.note)


@dataclass(frozen=True, slots=True)
class Share(Plain):
    """The share of a group at a level, among images whose group is known."""

    axis: str
    level: str
    group: str
    share: float | None
    low: float | None
    high: float | None
    n: int
    unknown: int
    nobody: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Shares(RowsPart):
    """Who is shown."""

    type: Literal["shares"] = field(default="shares", kw_only=True)
    rows: Sequence[Share]


@dataclass(frozen=True, slots=True)
class ImageValue(Plain):
    """A number about one image; its key finds it in the audit."""

    key: str
    concept: str
    prompt: str
    seed: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Distribution(RowsPart):
    """A number about every image.

    Attributes:
        measurer: Label of the measurer that saw the images.
        first: What values above 0 lean to.
        second: What values below 0 lean to.
    """

    type: Literal["distribution"] = field(default="distribution", kw_only=True)
    rows: Sequence[ImageValue]
    measurer: str = field(default="", kw_only=True)
    first: str = field(default="", kw_only=True)
    second: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class SideImage(Plain):
    """An image of one side of a comparison."""

    subset: str
    occupation: str
    side: Side
    key: str
    text: str
    group: str


@dataclass(frozen=True, slots=True)
class Sides(RowsPart):
    """Images of both sides of a comparison, for a click on a point; not shown as a table."""

    type: Literal["sides"] = field(default="sides", kw_only=True)
    rows: Sequence[SideImage]


@dataclass(frozen=True, slots=True)
class PublishedNumber(Plain):
    """A number of ours, and what a paper printed for it.

    Attributes:
        of: The contrast, concept or factor level that it speaks of.
        statistic: Its name.
        ours: Our number; None: not measured, or not enough data.
        low: Of the interval of our number, where it has one of its own.
        high: Of the same interval.
        published: As the paper prints it; "": not printed.
        recovered: What the paper's data give where they contradict the printed number.
        model: What the paper calls its generator.
        settings: Whether ours were found with the paper's settings.
        source: Where it was printed.
    """

    of: str
    statistic: str
    ours: float | None
    low: float | None = None
    high: float | None = None
    published: str = ""
    recovered: float | None = None
    model: str = ""
    settings: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class PublishedNumbers(RowsPart):
    """Numbers as a paper computes them, beside those that it printed.

    Attributes:
        measurer: Who labelled the images, in ours and in theirs.
    """

    type: Literal["published"] = field(default="published", kw_only=True)
    rows: Sequence[PublishedNumber]
    measurer: MeasurerSort = field(default="encoder", kw_only=True)


@dataclass(frozen=True, slots=True)
class RobustnessRow(Plain):
    """A finding over one kind of variation.

    Attributes:
        question: Of the finding.
        over: What is varied: measurers, thresholds, wordings or seeds.
        variants: How many others there are.
        unanswered: Variants without enough data for an estimate.
        estimate: Of the finding itself.
        lowest: Least estimate of all.
        highest: Largest estimate of all.
        significant: Variants whose p is below the level; None where the finding is not tested.
        changes: What is not the same for all; "" where nothing is.
    """

    question: str
    over: str
    variants: int
    unanswered: int
    estimate: float
    lowest: float
    highest: float
    significant: int | None
    changes: str


@dataclass(frozen=True, slots=True)
class Robustness(RowsPart):
    """Findings of a study, over what could have been chosen otherwise."""

    type: Literal["robustness"] = field(default="robustness", kw_only=True)
    rows: Sequence[RobustnessRow]


@dataclass(frozen=True, slots=True)
class UnknownPart(Part):
    """A part of a type that no installed package knows: kept as it is, shown as a table.

    Attributes:
        content: Everything that results.json holds of it.
    """

    content: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self._rows())

    def _rows(self) -> list[Mapping[str, Any]]:
        rows = self.content.get("rows", ())
        return [row for row in rows if isinstance(row, Mapping)]

    def as_table(self, findings: Collection[Finding] = ()) -> DataTable:
        """Return its rows, where it has rows of named values."""
        rows = self._rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[row.get(name) for name in names] for row in rows]
        return DataTable(self.name, self.title, names, cells, note=self.note)


STANDARD: tuple[type[Part], ...] = (
    DataTable, Forest, Shares, Distribution, Sides, Robustness, PublishedNumbers,
)  # fmt: skip
"""The types that every kind may use."""
