"""The page of a reproduced paper: its tables and figures in its order, ours beside the published.

What is shown is declared in the paper's file (`portrayal.papers`); this module only finds numbers,
figures, images and words and puts them into their places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from portrayal.audit import AuditFolder, quoted
from portrayal.findings import (
    DataTable,
    Part,
    PublishedNumber,
    PublishedNumbers,
    Results,
    Sides,
    StudySection,
)
from portrayal.generators import notice
from portrayal.numbers import cell
from portrayal.papers import (
    FigureOf,
    ImageGrid,
    Paper,
    PaperColumn,
    PaperPart,
    PaperRow,
    PaperTable,
    SideGrid,
    TableOf,
    WordListing,
)
from portrayal.report.evidence import Evidence
from portrayal.report.figures import figure
from portrayal.report.page import environment, script_json, vega
from portrayal.report.sides import side_images
from portrayal.studies import Study, study_from_dict

if TYPE_CHECKING:
    from pathlib import Path

OURS = "ours"
PUBLISHED = "published"
PAGE_IMAGES = 1500
LONG = 30
"""Letters of a heading that makes its column wide."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A number in its place.

    Attributes:
        text: The number as it is shown; "": there is none.
        more: Its interval, or the recovered number.
        is_ours: Whether it is ours.
        why: Why there is none, where one could be.
    """

    text: str
    more: str = ""
    is_ours: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table in the paper's layout.

    Attributes:
        head: Headings of the columns at the left.
        groups: Headings over several columns, each with their number.
        columns: Headings of the columns of numbers.
        rows: What stands at the left, and the cells.
    """

    head: Sequence[str]
    groups: Sequence[tuple[str, int]]
    columns: Sequence[str]
    rows: Sequence[tuple[Sequence[str], Sequence[ShownCell]]]

    @property
    def has_texts(self) -> bool:
        """Whether whole prompts are at the left, which need room."""
        return any(len(text) > LONG for head, _ in self.rows for text in head[1:])


@dataclass(frozen=True, slots=True)
class GridImage:
    """An image in a grid, and all that is known of it in words."""

    uri: str
    title: str


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of a grid: its heading, its images by column, and captions where they have any."""

    name: str
    cells: Sequence[Sequence[GridImage]]
    captions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ShownGrid:
    """Images side by side: headings of columns, and rows."""

    columns: Sequence[str]
    rows: Sequence[GridRow]


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A table or figure of the paper, ready for the page.

    Attributes:
        about: Its declaration.
        table: Its numbers.
        parts: Tables of the studies.
        figures: Titles and specifications of its charts, the latter as JSON.
        grids: Its images.
        lists: Headings with words.
        questions: What raters are asked: text and answers.
        remarks: What this audit lacks for it.
    """

    about: PaperPart
    table: ShownTable | None
    parts: Sequence[DataTable]
    figures: Sequence[tuple[str, str]]
    grids: Sequence[ShownGrid]
    lists: Sequence[tuple[str, str]]
    questions: Sequence[tuple[str, str]]
    remarks: Sequence[str]


def write_reproduction(
    audit: AuditFolder, paper: Paper, questions: Mapping[str, Sequence[tuple[str, str]]]
) -> Path:
    """Write report/NAME.html: the paper's tables and figures from results.json.

    Args:
        audit: The audit, analyzed.
        paper: What to show.
        questions: What raters are asked about a study: text and answers, by the study's name.
    """
    results = Results.read(audit)
    page = _Page(audit, paper, results, questions)
    sizes = _sizes(paper.asked()), _sizes(list(page.studies.values()))
    short = sizes[1] < sizes[0]
    html = (
        environment()
        .get_template("reproduction.html.j2")
        .render(
            paper=paper,
            results=results,
            notice=notice(audit.generator),
            blocks=[page.block(one) for one in paper.shows],
            short=short,
            settings=[*_settings(paper, results), *_compared(*sizes)],
            audit=quoted(audit.path),
            script=vega(),
        )
    )
    return audit.write_report(html, name=paper.name)


def _settings(paper: Paper, results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield what is compared: its name, the paper's and ours."""
    generator = results.generator
    yield "model", paper.models, generator.name
    for name, value in paper.settings.items():
        yield name, str(value), str(generator.settings.get(name, "not stated"))
    own = ", ".join(one.name for one in results.measurers)
    yield "measurers", ", ".join(paper.measurers), own or "none"
    for name, value in paper.analysis.items():
        yield name, str(value), str(getattr(results.settings, name))


def _sizes(studies: Sequence[Study]) -> tuple[int, int]:
    """Return how many prompts studies have, and how many images they ask for, drawn or not yet."""
    asked = {prompt.text: prompt.images for study in studies for prompt in study.prompts()}
    later = [study.undrawn() for study in studies]
    return (
        len(asked) + sum(one.prompts for one in later),
        sum(asked.values()) + sum(one.images for one in later),
    )


def _compared(paper: tuple[int, int], here: tuple[int, int]) -> Iterator[tuple[str, str, str]]:
    for name, theirs, ours in zip(("prompts", "images"), paper, here, strict=True):
        yield name, f"{theirs:,}", f"{ours:,}"


class _Page:
    """Finds what a block shows in an audit's results and images."""

    def __init__(
        self,
        audit: AuditFolder,
        paper: Paper,
        results: Results,
        questions: Mapping[str, Sequence[tuple[str, str]]],
    ) -> None:
        self.audit, self.results, self.questions = audit, results, questions
        self.short = paper.abbreviations
        self.default = paper.asked()[0].name
        self.sections = {section.study: section for section in results.studies}
        stored = audit.studies()
        own = {study.name for study in paper.asked()}
        self.studies = {
            name: study_from_dict(stored[name])
            for name in self.sections
            if name in stored and name in own
        }
        grids = [grid for shown in paper.shows for grid in shown.images]
        prompts = [text for grid in grids for text in self._prompts(grid, {}, {})]
        asked = list(self.studies.values())
        self.evidence = Evidence(audit, asked, prompts, at_most=PAGE_IMAGES)

    def block(self, about: PaperPart) -> ShownBlock:
        remarks: list[str] = []
        return ShownBlock(
            about,
            None if about.table is None else self._table(about.table, remarks),
            [table for one in about.tables for table in self._parts(one, remarks)],
            [found for one in about.figures for found in self._figures(one, remarks)],
            [self._grid(one) for one in about.images]
            + [self._sides(one, remarks) for one in about.sides],
            [row for one in about.listings for row in self._words(one)],
            self.questions.get(about.questions, ()),
            list(dict.fromkeys(remarks)),
        )

    # --- numbers -----------------------------------------------------------------------------

    def _table(self, table: PaperTable, remarks: list[str]) -> ShownTable:
        columns, groups = [], []
        for column in table.columns:
            names = [self.short.get(name, name) or PUBLISHED for name in self._models(column)]
            has_ours = any(table.statistic(row, column) for row in table.rows)
            columns += [*names, OURS] if has_ours else names
            groups.append((column.name, len(names) + has_ours))
        rows = [
            (
                row.head,
                [one for column in table.columns for one in self._cells(i, row, column, remarks)],
            )
            for i, row in enumerate(table.rows)
        ]
        return ShownTable(table.head, groups, columns, rows)

    @staticmethod
    def _models(column: PaperColumn) -> Sequence[str]:
        return ("",) if column.printed else column.models

    def _cells(
        self, place: int, row: PaperRow, column: PaperColumn, remarks: list[str]
    ) -> Iterator[ShownCell]:
        """Yield the published numbers of a place, one for each model of the paper, and ours."""
        of = column.of.replace("{key}", row.key)
        statistic = PaperTable.statistic(row, column)
        found = [
            one
            for one in self._numbers(row.study or self.default, column.measurer)
            if (one.of, one.statistic) == (of, statistic)
        ]
        if column.printed:
            yield ShownCell(column.printed[place])
        else:
            printed = self._printed(row, column, (of, statistic))
            yield from (printed.get(model, ShownCell("")) for model in column.models)
        if not statistic:
            return
        if column.only and row.key not in column.only:
            yield ShownCell("", is_ours=True)
            return
        mine = next((one for one in found if one.ours is not None), None)
        if mine is not None:
            interval = (
                ""
                if mine.low is None or mine.high is None
                else f"{cell(mine.low, '')} to {cell(mine.high, '')}"
            )
            yield ShownCell(cell(mine.ours, statistic), interval, is_ours=True)
            return
        rated = any(self._numbers(row.study or self.default, column.measurer))
        why = "not enough data" if rated or column.measurer == "encoder" else "not rated"
        if why == "not rated":
            remarks.append("Human raters have not answered yet; their columns of ours are empty.")
        yield ShownCell("", is_ours=True, why=why)

    def _printed(
        self, row: PaperRow, column: PaperColumn, wanted: tuple[str, str]
    ) -> dict[str, ShownCell]:
        """Return what the paper printed in a place, by model; from the study, rated or not."""
        study = self.studies.get(row.study or self.default)
        return {
            publication.model: ShownCell(
                number.printed, "" if number.recovered is None else f"[{number.recovered:g}]"
            )
            for publication in (study.published if study is not None else ())
            if publication.measurer == column.measurer
            for number in publication.numbers
            if (number.of, number.statistic) == wanted
        }

    def _numbers(self, study: str, measurer: str) -> Iterator[PublishedNumber]:
        """Yield our numbers of a study by one sort of measurer; of several, the first one's."""
        section = self.sections.get(study)
        for part in section.parts if section is not None else ():
            if isinstance(part, PublishedNumbers) and part.measurer == measurer:
                yield from part.rows

    # --- figures, images, words --------------------------------------------------------------

    def _figures(self, asked: FigureOf, remarks: list[str]) -> Iterator[tuple[str, str]]:
        section = self.sections.get(asked.study)
        part = None if section is None else self._part(section, asked, remarks)
        if section is None or part is None:
            remarks.append("This audit has no data for the figure yet.")
            return
        chart = figure(part, section, self.results, width="container")
        if chart is not None:
            spec = chart.to_dict()
            for choice in spec.get("params", ()):
                if choice["name"] in asked.choices:
                    choice["value"] = asked.choices[choice["name"]]
            yield part.title, script_json(spec)

    def _parts(self, asked: TableOf, remarks: list[str]) -> Iterator[DataTable]:
        """Yield the tables of a study with a certain name, with the rows that are asked for."""
        section = self.sections.get(asked.study)
        named = [
            part
            for part in (() if section is None else section.parts)
            if fnmatchcase(_own_name(part), asked.part)
        ]
        if section is None or not named:
            remarks.append("This audit has no data for the table yet.")
            return
        for part in named:
            yield _chosen(part.as_table(self.results.findings_of(asked.study)), asked)

    def _part(self, section: StudySection, asked: FigureOf, remarks: list[str]) -> Part | None:
        """Return a part as one sort of measurer has it, else as any other has it."""
        named = [part for part in section.parts if _own_name(part) == asked.part]
        rated = [part for part in named if part.name.endswith("raters")]
        if asked.measurer == "raters":
            if not rated:
                remarks.append("Human raters have not answered yet; labels are the encoder's.")
            return next(iter(rated or named), None)
        return next((part for part in named if part not in rated), None)

    def _prompts(
        self, grid: ImageGrid, row: Mapping[str, str], column: Mapping[str, str]
    ) -> list[str]:
        """Return the prompts of a study with certain factors."""
        study = self.studies.get(grid.study)
        wanted = {**row, **column}
        return [
            prompt.text
            for prompt in (() if study is None else study.prompts())
            if all(prompt.factors.get(name) == level for name, level in wanted.items())
        ]

    def _grid(self, grid: ImageGrid) -> ShownGrid:
        rows = [
            GridRow(
                row.name,
                [
                    [
                        GridImage(image.uri, image.title)
                        for image in self.evidence.of(
                            self._prompts(grid, row.factors, column.factors), each=grid.each
                        )
                    ]
                    for column in grid.columns
                ],
            )
            for row in grid.rows
        ]
        return ShownGrid([column.name for column in grid.columns], rows)

    def _sides(self, grid: SideGrid, remarks: list[str]) -> ShownGrid:
        """Return images of training data beside generated ones, captions below the former."""
        section = self.sections.get(grid.study)
        parts = [] if section is None else [p for p in section.parts if isinstance(p, Sides)]
        if not parts:
            remarks.append("This audit has no training images yet.")
        wanted = {(row.subset, row.occupation) for row in grid.rows}
        own = [x for p in parts[:1] for x in p.rows if (x.subset, x.occupation) in wanted]
        found = side_images(self.audit, own, at_most=PAGE_IMAGES)
        rows = []
        for row in grid.rows:
            shown = found.get(row.subset, {}).get(row.occupation, {}).get(row.side, [])
            images = [GridImage(x["src"], f"{x['text']}; {x['group']}") for x in shown]
            captions = [x["text"] for x in shown] if row.side == "training" else []
            rows.append(GridRow(row.name, [images], captions))
        return ShownGrid([""], rows)

    def _words(self, listing: WordListing) -> Iterator[tuple[str, str]]:
        study: Study | None = self.studies.get(listing.study)
        found: Any = None if study is None else study.as_dict()
        for key in listing.path.split("."):
            found = found.get(key) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping):
            for name, one in found.items():
                yield name, ", ".join(one[listing.words] if listing.words else one)
        elif isinstance(found, Sequence) and listing.words:
            for one in found:
                yield one[listing.name], ", ".join(one[listing.words])
        elif isinstance(found, Sequence) and listing.name == "#":
            yield from ((f"#{i}", text) for i, text in enumerate(found, start=1))
        elif isinstance(found, Sequence):
            yield listing.name, ", ".join(found)


def _chosen(table: DataTable, asked: TableOf) -> DataTable:
    """Return the columns and rows of a table that are asked for."""
    columns = list(table.columns)
    kept = [columns.index(name) for name in asked.columns or columns if name in columns]
    counts: Counter[str] = Counter()
    rows = []
    for row in table.rows:
        values = [str(row[columns.index(name)]) for name in asked.only]
        if any(x not in own for x, own in zip(values, asked.only.values(), strict=True)):
            continue
        if asked.each is not None and values:
            counts[values[0]] += 1
            if counts[values[0]] > asked.each:
                continue
        rows.append([row[i] for i in kept])
    return DataTable(table.name, table.title, [columns[i] for i in kept], rows, note=table.note)


def _own_name(part: Part) -> str:
    """Return a part's name without the measurer that follows where there are several."""
    return part.name.replace("-·-", " · ").split(" · ")[0]
