"""Tables as files for papers: those of the page, and all findings, as CSV, LaTeX or Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder, harmless, write_text
from portrayal.errors import PortrayalError, one_of
from portrayal.findings import (
    DataTable,
    Results,
    Sides,
    bounds_count_looks,
    counts_looks,
    form_of,
)
from portrayal.numbers import BOUNDS_OF_ALL_LOOKS, Q_OF_ALL_LOOKS, bound, cells, with_minus
from portrayal.report.files import stem_of

TABLE_FORMATS = {"csv": "csv", "latex": "tex", "markdown": "md"}
"""Formats, with the ending of their files."""

FINDINGS = ("question", "statistic", "estimate", "low", "high", "p", "q", "n", "missing", "verdict")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "…": r"\dots{}", "\n": " ",
    "−": "$-$", "→": r"$\to$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$",
    "∞": r"$\infty$", "Δ": r"$\Delta$", "α": r"$\alpha$", "κ": r"$\kappa$", "τ": r"$\tau$",
}  # fmt: skip


def write_tables(audit: AuditFolder, out: Path, *, formats: Sequence[str] = ("csv",)) -> list[Path]:
    """Write the findings and every table of an audit's report into a folder; return the files.

    CSV has all digits; LaTeX (booktabs) and Markdown round as the page does.

    Args:
        audit: The audit, analyzed.
        out: The folder.
        formats: Some of `TABLE_FORMATS`.

    Raises:
        PortrayalError: A format is unknown.
    """
    for form in formats:
        if form not in TABLE_FORMATS:
            allowed = one_of(TABLE_FORMATS)
            raise PortrayalError(f"table format {form!r} is unknown; allowed: {allowed}")
    written: list[Path] = []
    results = Results.read(audit)
    for form in dict.fromkeys(formats):
        own: list[Path] = []
        for study, table in _tables(results, exact=form == "csv"):
            own.append(out / f"{stem_of(study, table.name, own)}.{TABLE_FORMATS[form]}")
            write_text(own[-1], _WRITERS[form](table))
        written += own
    return written


def _tables(results: Results, *, exact: bool) -> Iterator[tuple[str, DataTable]]:
    yield "", _findings(results, exact=exact)
    for section in results.studies:
        for part in section.parts:
            if not isinstance(part, Sides):
                yield section.study, part.as_table(results.findings_of(section.study))


def _findings(results: Results, *, exact: bool) -> DataTable:
    """Return all findings, one row each; unless exact, shares as percentages and others rounded."""
    several, bounded = counts_looks(results.findings), bounds_count_looks(results.findings)
    columns = [*FINDINGS, *([Q_OF_ALL_LOOKS] if several else [])]
    named = exact or len(results.studies) > 1
    columns = [*(["study"] if named else []), *columns]
    columns += BOUNDS_OF_ALL_LOOKS if bounded else ()
    columns += ("measurer", "look", "p, all looks") if exact else ()
    rows = []
    for one in results.findings:
        form = form_of(one.statistic)
        ends: list[Any] = [one.low, one.high, one.low_looks, one.high_looks]
        if not exact:
            ends = [None if end is None else bound(end, form=form) for end in ends]
        shown = one.estimate if exact or one.estimate is None else form(one.estimate)
        question = one.question if exact else one.asked
        rows.append(
            [*([one.study] if named else []), question, one.statistic, shown, *ends[:2],
             one.p, one.q, one.n, one.n_missing, one.verdict(results.level),
             *([one.q_looks] if several else []), *(ends[2:] if bounded else []),
             *([one.measurer, one.look, one.p_looks] if exact else [])]
        )  # fmt: skip
    return DataTable("findings", "Findings", columns, rows)


def _csv(table: DataTable) -> str:
    import pandas as pd

    frame = pd.DataFrame([list(row) for row in table.rows], columns=list(table.columns))
    text: str = frame.map(harmless).to_csv(index=False)
    return text


def _markdown(table: DataTable) -> str:
    def line(cells: Sequence[str]) -> str:
        told = (one.replace("|", "\\|").replace("\n", " ") for one in cells)
        return f"| {' | '.join(told)} |"

    marks = ["---:" if one else "---" for one in _numeric(table)]
    lines = [line(list(table.columns)), f"|{'|'.join(marks)}|", *map(line, _cells(table))]
    note = [f"\n{table.note}"] if table.note else []
    return "\n".join([f"**{table.title}**\n", *lines, *note, ""])


def _latex(table: DataTable) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(_escaped, cells)) + r" \\"

    layout = "".join("r" if one else "l" for one in _numeric(table))
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{_escaped(table.title)}}}",
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            line(list(table.columns)),
            r"\midrule",
            *map(line, _cells(table)),
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"% {' '.join(table.note.split())}"] if table.note else []),
            r"\end{table}",
            "",
        ]
    )


def _cells(table: DataTable) -> Iterator[list[str]]:
    for row in table.rows:
        yield cells(row, table.columns)


def _numeric(table: DataTable) -> list[bool]:
    """Tell which columns are numbers, also written ones."""
    columns: list[tuple[Any, ...]] = list(zip(*table.rows, strict=True))
    return [any(_is_number(value) for value in column) for column in columns] or [False] * len(
        table.columns
    )


def _is_number(value: Any) -> bool:
    written = isinstance(value, str) and re.fullmatch(r"[<>-]?[\d.,]+%?", value)
    return isinstance(value, int | float) or bool(written)


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in with_minus(text))


_WRITERS = {"csv": _csv, "latex": _latex, "markdown": _markdown}
