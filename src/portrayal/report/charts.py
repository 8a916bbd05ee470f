"""The charts, one function a role. Each returns None where no row has a number to draw."""

from __future__ import annotations

import textwrap
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]

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


def forest(rows: list[Row], images: Mapping[str, str]) -> Any:
    """Draw estimates with intervals about zero.

    Columns: question, estimate, low, high, p, q, n, and whether it is clear; optionally statistic,
    which names the axis.
    """
    import altair as alt

    shown = [row for row in rows if row["estimate"] is not None]
    if not shown:
        return None
    lines = _labelled(shown, "question")
    data, y = lines.data, lines.y
    of = {row.get("statistic") for row in shown}
    name = of.pop() if len(of) == 1 else None
    tooltip = [alt.Tooltip("question:N")] + [
        alt.Tooltip(f"{column}:Q", format=".3f") for column in ("estimate", "low", "high", "p", "q")
    ]
    x = alt.X("low:Q", title=name or "estimate")
    return alt.layer(
        _zero(),
        alt.Chart(data).mark_rule(strokeWidth=2, color=INK).encode(x=x, x2="high:Q", y=y),
        alt.Chart(data)
        .mark_circle(size=80, opacity=1)
        .encode(
            x="estimate:Q",
            y=y,
            tooltip=[*tooltip, alt.Tooltip("n:Q")],
            color=alt.condition("datum.clear", alt.value(WARM), alt.value(MUTED)),
        ),
    ).properties(height=lines.height())


def distribution(rows: list[Row], images: Mapping[str, str]) -> Any:
    """Draw every image as a point over its concept's quartiles.

    Columns: key, concept, prompt, seed, value. Hovering shows the image.
    """
    import altair as alt

    shown = [
        {
            **row,
            **({"image": images[row["key"]]} if row["key"] in images else {}),
            "jitter": _spread(row["key"]),
        }
        for row in rows
        if row["value"] is not None
    ]
    if not shown:
        return None
    lines = _labelled(shown, "concept")
    data, y = lines.data, lines.y
    x = alt.X("value:Q", title="association of each image", scale=alt.Scale(zero=False))
    tooltip = ["prompt:N", "seed:Q", alt.Tooltip("value:Q", format=".4f")]
    if images:
        tooltip.insert(0, alt.Tooltip("image:N"))
    return alt.layer(
        _zero(),
        alt.Chart(data)
        .mark_boxplot(size=30, opacity=0.35, color=MUTED, outliers=False, median={"color": INK})
        .encode(x=x, y=y),
        alt.Chart(data)
        .mark_circle(size=18, opacity=0.6, color=ACCENT)
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-1, 1])),
            tooltip=tooltip,
        ),
    ).properties(height=lines.height(52))


def arrows(rows: list[Row], images: Mapping[str, str]) -> Any:
    """Draw an arrow from the text's association to the images'.

    Columns: concept, text, image, image_low, image_high.
    """
    import altair as alt

    shown = [
        {**row, "grows": row["image"] > row["text"]}
        for row in rows
        if row["text"] is not None and row["image"] is not None
    ]
    if not shown:
        return None
    lines = _labelled(sorted(shown, key=lambda row: row["image"]), "concept")
    data, y = lines.data, lines.y
    colour = alt.condition("datum.grows", alt.value(WARM), alt.value(ACCENT))
    # One layer for both directions: an empty layer has no extent, and Vega warns of it.
    heads = alt.Shape(
        "grows:N",
        scale=alt.Scale(domain=[True, False], range=["triangle-right", "triangle-left"]),
        legend=None,
    )
    tooltip = ["concept:N"] + [
        alt.Tooltip(f"{column}:Q", format=".4f") for column in ("text", "image")
    ]
    x = alt.X("image_low:Q", title="association: text (tick) to images")
    return alt.layer(
        _zero(),
        alt.Chart(data)
        .mark_rule(color=MUTED, opacity=0.4, strokeWidth=8)
        .encode(x=x, x2="image_high:Q", y=y),
        alt.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(x="text:Q", x2="image:Q", y=y, color=colour),
        alt.Chart(data).mark_tick(thickness=3, size=14, color=INK).encode(x="text:Q", y=y),
        alt.Chart(data)
        .mark_point(filled=True, size=110, opacity=1)
        .encode(x="image:Q", y=y, color=colour, shape=heads, tooltip=tooltip),
    ).properties(height=lines.height(26))


def shares(rows: list[Row], images: Mapping[str, str]) -> Any:
    """Draw group shares with intervals. Columns: axis, level, group, share, low, high, n."""
    import altair as alt

    shown = [row for row in rows if row["share"] is not None]
    if not shown:
        return None
    lines = _labelled(shown, "level")
    data, y = lines.data, lines.y
    groups = _by_group(shown)
    colour, offset = groups.colour, groups.offset
    x = alt.X("low:Q", title="group share", axis=alt.Axis(format="%", tickCount=5))
    tooltip = ["axis:N", "level:N", "group:N"]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("share", "low", "high")]
    return alt.layer(
        alt.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(
            x=x.scale(alt.Scale(domain=[0, 1])), x2="high:Q", y=y, yOffset=offset, color=colour
        ),
        alt.Chart(data)
        .mark_circle(size=70, opacity=1)
        .encode(x="share:Q", y=y, yOffset=offset, color=colour, tooltip=[*tooltip, "n:Q"]),
    ).properties(height=lines.height(10 + 12 * groups.n))


def influence(rows: list[Row], images: Mapping[str, str]) -> Any:
    """Draw how far each word pushes towards each group, with intervals, in the prompt's order.

    Columns: word, position, group, score, low, high, p; others are left alone.
    """
    import altair as alt

    shown = [
        {**row, "word": word}
        for row, word in zip(rows, _told_apart(rows), strict=True)
        if row["score"] is not None
    ]
    if not shown:
        return None
    lines = _labelled(shown, "word")
    data, y = lines.data, lines.y
    groups = _by_group(shown)
    colour, offset = groups.colour, groups.offset
    tooltip = ["word:N", "group:N"]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("score", "low", "high", "p")]
    x = alt.X("score:Q", title="influence towards the group")
    chart = alt.Chart(data).encode(y=y, yOffset=offset)
    return alt.layer(
        _zero(),
        chart.mark_bar(opacity=0.75).encode(x=x, color=colour, tooltip=tooltip),
        chart.mark_rule(strokeWidth=1.5, color=INK).encode(x="low:Q", x2="high:Q"),
    ).properties(height=lines.height(10 + 12 * groups.n))


class _Lines(NamedTuple):
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


def _labelled(rows: Sequence[Row], column: str) -> _Lines:
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
    return _Lines(data, y, len(labels), most)


def _centred(lines: Sequence[str], most: int) -> list[str]:
    """Return a label in half lines, with as much room above as below."""
    halves = [half for line in lines for half in (line, EMPTY)][:-1]
    room = [EMPTY] * (most - len(lines))
    return [*room, *halves, *room]


class _Groups(NamedTuple):
    """A colour and a place within the line for every group."""

    colour: Any
    offset: Any
    n: int


def _by_group(rows: Sequence[Row]) -> _Groups:
    import altair as alt

    groups = list(dict.fromkeys(row["group"] for row in rows))
    colours = [GROUP_COLOURS[i % len(GROUP_COLOURS)] for i in range(len(groups))]
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=colours),
        legend=alt.Legend(title=None, orient="top", columns=3),
    )
    return _Groups(colour, alt.YOffset("group:N", sort=groups), len(groups))


def _told_apart(rows: Sequence[Row]) -> list[str]:
    """Return the words, where one stands twice in a prompt with an invisible space behind it."""
    seen: Counter[tuple[str, str]] = Counter()
    words = []
    for row in rows:
        again = (row["group"], row["word"])
        words.append(row["word"] + "\u200b" * seen[again])
        seen[again] += 1
    return words


def _zero() -> Any:
    import altair as alt

    line = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=MUTED, strokeDash=[3, 3])
    return line.encode(x="zero:Q")


def _spread(key: str) -> float:
    """Return a place in -0.7 ... 0.7 that depends on the image alone, so that figures repeat."""
    return (zlib.crc32(key.encode()) % 1001 / 1000 - 0.5) * 1.4
