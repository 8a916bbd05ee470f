"""What figures share: colours, lines with long labels, groups side by side, the line at zero."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]
"""One mark of a figure: what is encoded, by name."""

INK = "#1d2733"
ACCENT = "#2f6f8f"
WARM = "#c8643c"
MUTED = "#9aa5b1"
GROUP_COLOURS = ("#c8643c", "#2f6f8f", "#7a9a3a", "#8a5a9e", "#d3a63c", "#4b8f7c", "#9aa5b1")

LABEL = 26
"""Letters in a line of a label; longer ones continue on the next line."""
LINE = 14
"""Pixels between two lines of a label."""
EMPTY = "\u200b"
"""An empty line of a label: Vega trims spaces, and a line of nothing is left out."""


class Lines(NamedTuple):
    """Rows of a chart: data with a label, and the axis that breaks long labels into lines."""

    data: Any
    y: Any
    n: int
    lines: int

    def height(self, least: int = 0) -> int:
        """Return the chart's height, for lines of at least so many pixels.

        Vega-Lite could count lines itself, but warns of it where the width follows the page.
        """
        return self.n * max(least, 12 + LINE * self.lines)


def labelled(rows: Sequence[Row], column: str) -> Lines:
    """Return rows with one line of the chart for every value of a column."""
    import altair as alt

    broken = {row[column]: textwrap.wrap(row[column], LABEL) or [""] for row in rows}
    most = max(len(lines) for lines in broken.values())
    # Vega hangs a label of several lines from its first: with equally many lines, one lift for all.
    # They are half as high as lines of text, so that one line can stand between two.
    labels = {text: "\n".join(_centred(lines, most)) for text, lines in broken.items()}
    data = alt.InlineData([{**row, "label": labels[row[column]]} for row in rows])
    axis = alt.Axis(
        labelExpr="split(datum.label, '\\n')",
        labelLineHeight=LINE / 2,
        labelOffset=-(most - 1) * LINE / 2,
    )
    y = alt.Y("label:N", sort=list(labels.values()), title=None, axis=axis)
    return Lines(data, y, len(labels), most)


def _centred(lines: Sequence[str], most: int) -> list[str]:
    """Return a label in half lines, with as much room above as below."""
    halves = [half for line in lines for half in (line, EMPTY)][:-1]
    room = [EMPTY] * (most - len(lines))
    return [*room, *halves, *room]


class Groups(NamedTuple):
    """A colour and a place within the line for every group."""

    colour: Any
    offset: Any
    n: int


def by_group(rows: Sequence[Row]) -> Groups:
    """Return how groups (the column `group`) are told apart."""
    import altair as alt

    groups = list(dict.fromkeys(row["group"] for row in rows))
    colours = [GROUP_COLOURS[i % len(GROUP_COLOURS)] for i in range(len(groups))]
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=colours),
        legend=alt.Legend(title=None, orient="top", columns=3, labelLimit=0),
    )
    return Groups(colour, alt.YOffset("group:N", sort=groups), len(groups))


def zero_line() -> Any:
    """Return the dashed line at 0."""
    import altair as alt

    line = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=MUTED, strokeDash=[3, 3])
    return line.encode(x="zero:Q")


def styled(chart: Any) -> Any:
    """Return a chart in the house's type and colours."""
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
        .configure_legend(labelColor=INK, labelFontSize=12, labelLimit=240)
    )
