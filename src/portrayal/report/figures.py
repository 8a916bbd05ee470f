"""One grammar for all figures: a table with a role becomes an Altair chart.

The page embeds the chart's specification; `files.py` writes the very same one as SVG, PDF or PNG.
A role is a promise about columns, written in each function's docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]
TableData = Mapping[str, Any]

INK = "#1d2733"
ACCENT = "#2f6f8f"
WARM = "#c8643c"
MUTED = "#9aa5b1"
GROUP_COLOURS = ["#c8643c", "#2f6f8f", "#9aa5b1", "#7a9a3a", "#8a5a9e", "#d3a63c", "#4b8f7c"]
WIDTH = 560


def rows_of(table: TableData) -> list[Row]:
    """Return a table's rows as dictionaries."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def figure(table: TableData, pictures: Mapping[str, str] | None = None) -> alt.Chart | None:
    """Return the chart that a table's role asks for, or None where it is only a table.

    Args:
        table: A table of results.json.
        pictures: Image keys to data URIs, shown on hover where rows carry a key.
    """
    draw = _DRAWERS.get(table["role"])
    if draw is None or not table["rows"]:
        return None
    chart: Any = draw(rows_of(table), pictures or {})
    return _styled(chart)


def forest(rows: list[Row], pictures: Mapping[str, str]) -> Any:
    """Draw estimates with intervals about zero. Columns: question, estimate, low, high, p, q, n."""
    import altair as alt

    shown = [row for row in rows if row["estimate"] is not None]
    order = [row["question"] for row in shown]
    y = alt.Y("question:N", sort=order, title=None, axis=alt.Axis(labelLimit=320))
    data = _data(shown)
    tooltip = [alt.Tooltip("question:N")] + [
        alt.Tooltip(f"{name}:Q", format=".3f") for name in ("estimate", "low", "high", "p", "q")
    ]
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=MUTED, strokeDash=[3, 3])
    bars = alt.Chart(data).mark_rule(strokeWidth=2, color=INK)
    dots = alt.Chart(data).mark_circle(size=70, opacity=1)
    return alt.layer(
        zero.encode(x="zero:Q"),
        bars.encode(x=alt.X("low:Q", title="estimate with interval"), x2="high:Q", y=y),
        dots.encode(
            x="estimate:Q",
            y=y,
            tooltip=[*tooltip, alt.Tooltip("n:Q")],
            color=alt.condition(
                "datum.q !== null && datum.q < 0.05", alt.value(WARM), alt.value(MUTED)
            ),
        ),
    ).properties(width=WIDTH, height=alt.Step(22))


def distribution(rows: list[Row], pictures: Mapping[str, str]) -> Any:
    """Draw every image as a point over its concept's quartiles.

    Columns: key, concept, prompt, seed, value. Hovering shows the picture.
    """
    import altair as alt

    shown = [
        {**row, "image": pictures.get(row["key"], "")} for row in rows if row["value"] is not None
    ]
    concepts = list(dict.fromkeys(row["concept"] for row in shown))
    y = alt.Y("concept:N", sort=concepts, title=None, axis=alt.Axis(labelLimit=240))
    data = _data(shown)
    x = alt.X("value:Q", title="association of each image (Eq. 2)", scale=alt.Scale(zero=False))
    points = alt.Chart(data).mark_circle(size=16, opacity=0.55, color=ACCENT)
    box = alt.Chart(data).mark_boxplot(
        size=14, opacity=0.45, color=MUTED, outliers=False, median={"color": INK}
    )
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=MUTED, strokeDash=[3, 3])
    jitter = alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-1, 1]))
    tooltip = [alt.Tooltip("image:N"), "prompt:N", "seed:Q", alt.Tooltip("value:Q", format=".4f")]
    return alt.layer(
        zero.encode(x="zero:Q"),
        box.encode(x=x, y=y),
        points.transform_calculate(jitter="random() * 1.4 - 0.7").encode(
            x=x, y=y, yOffset=jitter, tooltip=tooltip
        ),
    ).properties(width=WIDTH, height=alt.Step(46))


def arrows(rows: list[Row], pictures: Mapping[str, str]) -> Any:
    """Draw an arrow from the text's association to the images'.

    Columns: concept, text, image, image_low, image_high.
    """
    import altair as alt

    shown = [row for row in rows if row["text"] is not None and row["image"] is not None]
    order = [row["concept"] for row in sorted(shown, key=lambda row: row["image"])]
    y = alt.Y("concept:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    data = _data([{**row, "grows": row["image"] > row["text"]} for row in shown])
    colour = alt.condition("datum.grows", alt.value(WARM), alt.value(ACCENT))
    tooltip = [
        "concept:N",
        alt.Tooltip("text:Q", format=".4f"),
        alt.Tooltip("image:Q", format=".4f"),
    ]
    head = alt.Chart(data).mark_point(filled=True, size=90, opacity=1)
    return alt.layer(
        alt.Chart(data)
        .mark_rule(color=MUTED, opacity=0.5, strokeWidth=7)
        .encode(
            x=alt.X("image_low:Q", title="association: text (bar) to images (arrow head)"),
            x2="image_high:Q",
            y=y,
        ),
        alt.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(x="text:Q", x2="image:Q", y=y, color=colour),
        alt.Chart(data).mark_tick(thickness=3, size=14, color=INK).encode(x="text:Q", y=y),
        head.transform_filter("datum.grows")
        .mark_point(shape="triangle-right", filled=True, size=90, opacity=1)
        .encode(x="image:Q", y=y, color=colour, tooltip=tooltip),
        head.transform_filter("!datum.grows")
        .mark_point(shape="triangle-left", filled=True, size=90, opacity=1)
        .encode(x="image:Q", y=y, color=colour, tooltip=tooltip),
    ).properties(width=WIDTH, height=alt.Step(24))


def shares(rows: list[Row], pictures: Mapping[str, str]) -> Any:
    """Draw group shares with intervals. Columns: axis, level, group, share, low, high, n."""
    import altair as alt

    shown = [row for row in rows if row["share"] is not None]
    groups = list(dict.fromkeys(row["group"] for row in shown))
    levels = list(dict.fromkeys(row["level"] for row in shown))
    y = alt.Y("level:N", sort=levels, title=None, axis=alt.Axis(labelLimit=240))
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=GROUP_COLOURS[: len(groups)]),
        legend=alt.Legend(title=None, orient="top"),
    )
    offset = alt.YOffset("group:N", sort=groups)
    x = alt.X("low:Q", title="group share with interval", axis=alt.Axis(format="%"))
    x = x.scale(alt.Scale(domain=[0, 1]))
    data = _data(shown)
    tooltip = ["axis:N", "level:N", "group:N"]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("share", "low", "high")]
    tooltip += ["n:Q"]
    return alt.layer(
        alt.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(x=x, x2="high:Q", y=y, yOffset=offset, color=colour),
        alt.Chart(data)
        .mark_circle(size=60, opacity=1)
        .encode(x="share:Q", y=y, yOffset=offset, color=colour, tooltip=tooltip),
    ).properties(width=WIDTH, height=alt.Step(8 + 5 * len(groups)))


def influence(rows: list[Row], pictures: Mapping[str, str]) -> Any:
    """Draw each word's push towards each group as a bar with its interval.

    Columns: word, position, group, score, low, high. Words stand in the order of their positions.
    """
    import altair as alt

    # The same word may stand twice in a prompt, so its position goes with it.
    shown = [{**row, "row": f"{row['position']:03d} {row['word']}"} for row in rows]
    shown = [row for row in shown if row["score"] is not None]
    groups = list(dict.fromkeys(row["group"] for row in shown))
    order = sorted({row["row"] for row in shown})
    axis = alt.Axis(labelExpr="substring(datum.label, 4)", labelLimit=240)
    y = alt.Y("row:N", sort=order, title=None, axis=axis)
    offset = alt.YOffset("group:N", sort=groups)
    colour = alt.Color(
        "group:N",
        scale=alt.Scale(domain=groups, range=GROUP_COLOURS[: len(groups)]),
        legend=alt.Legend(title="pushes towards", orient="top"),
    )
    x = alt.X("score:Q", title="influence with interval: positive pushes towards the group")
    clear = "datum.low > 0 || datum.high < 0"
    tooltip = ["word:N", "group:N"] + [
        alt.Tooltip(f"{name}:Q", format="+.3f") for name in ("score", "low", "high")
    ]
    data = _data(shown)
    zero = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=MUTED)
    bars = alt.Chart(data).mark_bar()
    faint = alt.condition(clear, alt.value(0.95), alt.value(0.45))
    return alt.layer(
        bars.encode(x=x, y=y, yOffset=offset, color=colour, opacity=faint, tooltip=tooltip),
        alt.Chart(data)
        .mark_rule(color=INK, strokeWidth=1.5)
        .encode(x="low:Q", x2="high:Q", y=y, yOffset=offset, tooltip=tooltip),
        zero.encode(x="zero:Q"),
    ).properties(width=WIDTH, height=alt.Step(12 if len(groups) > 1 else 22))


_DRAWERS: Mapping[str, Callable[[list[Row], Mapping[str, str]], Any]] = {
    "forest": forest,
    "distribution": distribution,
    "arrows": arrows,
    "shares": shares,
    "influence": influence,
}


def _data(rows: list[Row]) -> Any:
    import altair as alt

    return alt.InlineData(rows)


def _styled(chart: Any) -> Any:
    return (
        chart.configure(font="system-ui, sans-serif", background="transparent")
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e6eaee", domainColor=MUTED)
        .configure_view(stroke=None)
        .configure_legend(labelColor=INK)
    )
