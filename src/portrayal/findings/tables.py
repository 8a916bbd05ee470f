"""Tables that several kinds of study share, with the columns that the report draws by role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from portrayal.records import Finding, Table

FOREST = ("question", "estimate", "low", "high", "p", "q", "n")


def forest_table(name: str, title: str, findings: Sequence[Finding], *, note: str = "") -> Table:
    """Return findings as estimates with intervals; q is filled in once all p-values are known."""
    rows = [[getattr(finding, column) for column in FOREST] for finding in findings]
    return Table(name, title, FOREST, rows, role="forest", note=note)


def with_q(table: Table, q: Mapping[str, float | None]) -> Table:
    """Return a forest table with corrected p-values filled in, by question."""
    if table.role != "forest":
        return table
    place = list(table.columns).index("q")
    rows = [[*row[:place], q.get(str(row[0])), *row[place + 1 :]] for row in table.rows]
    return replace(table, rows=rows)
