"""The figure of an association study's own: arrows from texts to images."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from portrayal.findings import ACCENT, INK, MUTED, WARM, labelled, zero_line
from portrayal.kinds.association.parts import Arrows


def arrows(part: Arrows) -> Any:
    """Draw an arrow from the text's association to the images'; None where there is none."""
    import altair as alt

    shown = [
        {**asdict(row), "grows": row.image > row.text}
        for row in part.rows
        if row.text is not None and row.image is not None
    ]
    if not shown:
        return None
    lines = labelled(sorted(shown, key=lambda row: row["image"]), "concept")
    data, y = lines.data, lines.y
    colour = alt.condition("datum.grows", alt.value(WARM), alt.value(ACCENT))
    # One layer for both directions: an empty layer has no extent, and Vega warns of it.
    heads = alt.Shape(
        "grows:N",
        scale=alt.Scale(domain=[True, False], range=["triangle-right", "triangle-left"]),
        legend=None,
    )
    tooltip = ["concept:N"] + [
        # Not "image": tooltips take the value of that name for a picture's address.
        alt.Tooltip(f"{column}:Q", format=".4f", title=title)
        for column, title in (("text", "text"), ("image", "images"))
    ]
    x = alt.X("image_low:Q", title="association: text (tick) to images")
    return alt.layer(
        zero_line(),
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
