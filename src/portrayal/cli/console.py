"""How the CLI speaks: progress on standard error, results on standard output, one-line errors."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from portrayal.numbers import cells, interval

if TYPE_CHECKING:
    from pathlib import Path

    from portrayal.findings import Finding, Results
    from portrayal.studies import StudyInfo

_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F),
                 *range(0x2066, 0x206A))
    if chr(code) not in "\n\t\r"
}  # fmt: skip
"""What commands a terminal, or turns the direction of a line, and what is shown instead."""


class _PlainConsole(Console):
    """A console to which texts from files cannot give commands; its own styles still do."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is printed, without control characters of others."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(printable(segment.text), segment.style)
            else:
                yield segment


def printable(text: str) -> str:
    """Return a text that gives a terminal no commands."""
    return text.translate(_CONTROLS)


out = _PlainConsole(highlight=False, emoji=False)
notes = _PlainConsole(stderr=True, highlight=False, emoji=False)


class _Rate(ProgressColumn):
    """Images per second, over the last moments."""

    def render(self, task: Task) -> Text:
        """Write the rate, or nothing before the first batch."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s", style="dim")


@contextlib.contextmanager
def progress(quiet: bool, title: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function (what, done, total) that draws one bar per kind of work.

    Nothing is written before its first call, so that an error until then stands alone.
    """
    if quiet:
        yield lambda what, done, total: None
        return
    bars = Progress(
        TextColumn("{task.description:<12}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(compact=True),
        console=notes,
    )
    tasks: dict[str, TaskID] = {}

    def show(what: str, done: int, total: int) -> None:
        if not tasks:
            if title:
                say(title)
            bars.start()
        if what not in tasks:
            tasks[what] = bars.add_task(what, total=total)
        bars.update(tasks[what], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            bars.stop()


def say(text: str, *, style: str = "") -> None:
    """Write a remark for people (standard error); on a terminal it is broken between words."""
    notes.print(text, style=style, soft_wrap=not notes.is_terminal, markup=False)


def line(text: str) -> None:
    """Write one line of a result (standard output), unbroken."""
    out.print(text, soft_wrap=True, markup=False)


def paragraph(text: str | Text) -> None:
    """Write a line of a result; on a terminal it is broken between words."""
    out.print(text, soft_wrap=not out.is_terminal, markup=False)


def as_json(value: Any) -> None:
    """Write a result for machines (standard output)."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def findings(results: Results, audit: str) -> None:
    """Print what was found, in words first: by verdict, each with its numbers.

    Args:
        results: What was found.
        audit: The audit's folder, for what to do next.
    """
    from portrayal.findings import capital

    for line in results.label_warnings():
        told(line, "yellow", 0)
    groups: dict[str, list[Finding]] = {}
    for one in results.findings:
        groups.setdefault(one.verdict(results.level), []).append(one)
    for one in groups.get("significant", []):
        told(results.line_of(one), "bold", 0)
        told(one.sentence, "", 2)
        told(capital(one.in_numbers(results.settings.confidence, explained=True)), "dim", 2)
        _about_labels(one, results, 2)
    for verdict, style in (("no significant difference", ""), ("not enough data", "yellow")):
        found = groups.get(verdict, [])
        if found:
            told(f"{capital(verdict)} ({len(found)})", "bold", 0)
        for one in found[:MOST_LINES]:
            told(results.line_of(one, asked=one.reason != ""), style, 2)
            reason = one.reason or one.in_numbers(results.settings.confidence)
            told(reason, "dim", 4)
            _about_labels(one, results, 4)
        _left_out(len(found))
    _estimates(groups.get("not tested", []), results)
    for source in results.told_sources():
        told(source.sentence(audit), "", 0)


def _about_labels(finding: Finding, results: Results, indent: int) -> None:
    """Print what label errors do to a finding, or how many there would have to be."""
    words = finding.about_labels(results.settings.confidence)
    if words:
        told(words, "dim", indent)


MOST_LINES = 20
"""Findings of one verdict that a terminal lists; the report has them all."""


def _estimates(found: Sequence[Finding], results: Results) -> None:
    """Print estimates without a test as a table."""
    from portrayal.findings import bounds_count_looks, counted, form_of

    if not found:
        return
    told(f"Untested estimates ({len(found)})", "bold", 0)
    rows = []
    for one in found[:MOST_LINES]:
        form = form_of(one.statistic)
        ends = interval(*one.deciding_interval, form=form)
        asked = results.line_of(one, asked=True)
        rows.append((asked, form(one.estimate), ends, counted(one.n, one.n_of)))
    numbers_table((), rows)
    _left_out(len(found))
    if bounds_count_looks(found):
        told("Intervals count all looks.", "dim", 2)


_INTERVAL = "95% CI"


def numbers_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print questions over the width that is left, and their numbers to the right.

    Args:
        columns: The heads; none: the table has none.
        rows: A question and its numbers, all written.
    """
    table = Table(
        box=None, pad_edge=False, show_header=bool(columns), expand=True, header_style="dim"
    )
    table.add_column(f"  {columns[0]}" if columns else "", ratio=1, overflow="fold")
    for place in range(1, len(rows[0]) if rows else 0):
        table.add_column(columns[place] if columns else "", justify="right", no_wrap=True)
    for question, *numbers in rows:
        table.add_row(Padding(Text(question), (0, 0, 0, 2)), *numbers)
    out.print(table)


def _left_out(n: int) -> None:
    if n > MOST_LINES:
        told(f"and {n - MOST_LINES} more: in the report, and with --json", "dim", 2)


def told(text: str, style: str = "", indent: int = 0) -> None:
    """Write a line of a result in a style, indented; on a terminal broken between words."""
    out.print(Padding(Text(text, style=style), (0, 0, 0, indent), expand=False))


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a small table, numbers to the right; beside intervals the first column is broken."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    whole = _INTERVAL if _INTERVAL in columns else columns[0]
    for index, name in enumerate(columns):
        numbers = any(isinstance(row[index], (int, float)) for row in rows)
        table.add_column(
            name, overflow="fold", no_wrap=name == whole, justify="right" if numbers else "left"
        )
    for row in rows:
        table.add_row(*map(Text, cells(row, columns)))
    out.print(table)


def grouped_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a wide table: an interval in one column, what few rows differ in as headings."""
    names, lines = _with_intervals(columns, rows)
    texts = next((i for i, _ in enumerate(names) if not _is_text(lines, i)), len(names))
    kept = max(range(texts), key=lambda i: len({line[i] for line in lines}), default=0)
    over = [i for i in range(texts) if i != kept]
    groups: dict[str, list[Sequence[object]]] = {}
    for line in lines:
        heading = " · ".join(str(line[i]) for i in over if line[i])
        shown = [value for i, value in enumerate(line) if i not in over]
        groups.setdefault(heading, []).append(shown)
    for heading, own in groups.items():
        out.print(Text(heading, style="bold"))
        plain_table([name for i, name in enumerate(names) if i not in over], own)


def _is_text(rows: Sequence[Sequence[object]], place: int) -> bool:
    return all(isinstance(row[place], str) for row in rows)


def _with_intervals(
    columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[list[str], list[list[object]]]:
    """Return a table whose columns low and high are one, written as an interval."""
    if "low" not in columns or "high" not in columns:
        return list(columns), [list(row) for row in rows]
    low, high = columns.index("low"), columns.index("high")

    def merged(row: Sequence[object]) -> list[object]:
        bounds = [
            value if isinstance(value, float | int) else None for value in (row[low], row[high])
        ]
        return [*row[:low], interval(*bounds), *row[low + 1 : high], *row[high + 1 :]]

    names = [*columns[:low], _INTERVAL, *columns[low + 1 : high], *columns[high + 1 :]]
    return names, [merged(row) for row in rows]


def write_csv(
    folder: Path, name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> Path:
    """Write a table into a folder; return the file."""
    import csv

    from portrayal.audit import harmless, writing

    file = folder / f"{name}.csv"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(columns)
            writer.writerows([harmless(value) for value in row] for row in rows)
    return file


def studies(found: Sequence[StudyInfo]) -> None:
    """Print the questions that studies answer: cost on one line, the question below it."""
    for one in found:
        cost = f"{one.prompts:>6,} prompts {one.images:>8,} images"
        line = Text(f"{one.name:<27}", style="bold").append(f"{one.kind:<14}{cost}", style="")
        line.stylize("not bold", len(one.name))
        out.print(line, soft_wrap=True)
        out.print(Padding(Text(one.question or one.title, style="dim"), (0, 0, 0, 2), expand=False))
    out.print(Text("\nmore of one, with its citation: portrayal studies show NAME", style="dim"))


def study(found: Any, asked: str) -> None:
    """Print one study in full; `asked` is how it was named."""
    prompts = found.prompts()
    out.print(Text(found.title or found.name, style="bold"))
    for line in (found.question, found.citation, *found.notes):
        if line:
            paragraph(Text(line))
    from portrayal.studies import study_info

    cost = study_info(found)
    size = f"{cost.prompts:,} prompts · {cost.images:,} images"
    out.print(Text(f"{found.name} · {found.kind} · {size}", "dim"), soft_wrap=True)
    for prompt in prompts[:6]:
        out.print(Text(f"  {prompt.text}"), soft_wrap=True)
    if len(prompts) > 6:
        line = f"  ... all with: portrayal studies show {asked} --prompts"
        out.print(Text(line, "dim"), soft_wrap=True)
    out.print()


def plans(found: Sequence[Any], total: Any = None) -> None:
    """Print what studies cost, and what they cost together."""
    plain_table(
        ("study", "prompts", "images", "present", "to generate", "time", "could detect"),
        [one.row() for one in (found if total is None else (*found, total))],
    )
    if total is not None:
        say(f"{total.study}: images that several studies ask for are generated and counted once")
