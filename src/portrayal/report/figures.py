"""One grammar for all figures: a table with a role becomes an Altair chart.

The page embeds the chart's specification; `files.py` writes the very same one as SVG, PDF or PNG.
A role is a promise about columns, written in the docstrings of `charts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from portrayal.report import charts, scatter
from portrayal.report.charts import INK, MUTED, Row
from portrayal.report.numbers import is_clear

if TYPE_CHECKING:
    import altair as alt

TableData = Mapping[str, Any]
Width = int | Literal["container"]

WIDTH = 560
"""Of a figure in a file, in pixels; on the page a figure is as wide as there is room."""

DRAWERS: Mapping[str, Callable[[list[Row], Mapping[str, str]], Any]] = {
    "forest": charts.forest,
    "distribution": charts.distribution,
    "arrows": charts.arrows,
    "shares": charts.shares,
    "influence": charts.influence,
    "amplification": scatter.amplification,
}
"""What draws each role. A new role is one function and one entry here."""


def rows_of(table: TableData) -> list[Row]:
    """Return a table's rows as dictionaries."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def figure(
    table: TableData,
    images: Mapping[str, str] | None = None,
    *,
    width: Width = WIDTH,
    level: float = 0.05,
) -> alt.LayerChart | None:
    """Return the chart that a table's role asks for, or None where it is only a table.

    Args:
        table: A table of results.json.
        images: Image keys to data URIs, shown on hover where rows carry a key.
        width: Pixels, or "container" for as wide as there is room.
        level: Findings with a q below it stand out.
    """
    draw = DRAWERS.get(table["role"])
    if draw is None:
        return None
    rows = [{**row, "clear": is_clear(row, level)} if "q" in row else row for row in rows_of(table)]
    chart = draw(rows, images or {})
    if chart is None:
        return None
    chart = chart.properties(width=width)
    if width == "container":
        chart = chart.properties(autosize={"type": "fit-x", "contains": "padding"})
    return _styled(chart)


def _styled(chart: Any) -> Any:
    return (
        chart.configure(font="system-ui, sans-serif", background="transparent")
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor="#e6eaee",
            domainColor=MUTED,
            tickColor=MUTED,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelSeparation=8,
        )
        # A title that ends where the axis does is not cut on narrow pages.
        .configure_axisX(tickCount=7, titleAnchor="end")
        .configure_axisY(labelLimit=0, ticks=False, domain=False, labelPadding=8)
        .configure_view(stroke=None)
        .configure_legend(labelColor=INK, labelFontSize=12)
    )
