"""The scatter of an amplification study: the group's share in training and generated images."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from portrayal.findings import ACCENT, INK, MUTED, WARM, Row
from portrayal.kinds.amplification.parts import AmplificationScatter

SIDE = 380
"""Height of the figure in pixels; shares want a field that is about square."""

LABELLED = 24
"""Names of more occupations than this would cover each other; they are shown on hovering."""

LETTER, LINE = 0.8, 2.9
"""Width of a letter and height of a line of labels, in points of the two axes."""

AMPLIFIED, REDUCED = "#f3d9cc", "#e3edf2"
"""Ground of amplification and of de-amplification."""


def scatter(part: AmplificationScatter) -> Any:
    """Draw every occupation at its share in training (x) and generated images (y).

    The ground tells amplification from de-amplification; where the leaning changes sides it stays
    white. Hovering shows intervals; the page shows images of both sides on a click. None where no
    occupation has both shares.
    """
    import altair as alt

    shown = [
        asdict(row) for row in part.rows if row.training is not None and row.generated is not None
    ]
    if not shown:
        return None
    hover = alt.selection_point(
        name="hovered", on="pointerover", clear="pointerout", fields=["occupation"], empty=False
    )
    points = alt.Chart(alt.InlineData(shown)).transform_filter("datum.prompt === prompt_shown")
    rules = points.transform_filter(hover)
    few = len({row["occupation"] for row in shown}) <= LABELLED
    _place_labels(shown)
    x = _axis(alt.X, "training:Q", "% in training images")
    y = _axis(alt.Y, "generated:Q", "% in generated images")
    layers = [
        *_ground(),
        rules.mark_rule(color=INK).encode(x="training_low:Q", x2="training_high:Q", y=y),
        rules.mark_rule(color=INK).encode(y="generated_low:Q", y2="generated_high:Q", x=x),
        points.mark_circle(size=90, opacity=0.85, cursor="pointer")
        .encode(
            x=x,
            y=y,
            color=alt.when("datum.switches")
            .then(alt.value(MUTED))
            .when("datum.amplification > 0")
            .then(alt.value(WARM))
            .otherwise(alt.value(ACCENT)),
            tooltip=_tooltip(),
        )
        .add_params(hover),
        (points if few else rules)
        .mark_text(fontSize=10, color=INK)
        .encode(x=x, y=_axis(alt.Y, "label:Q", "% in generated images"), text="occupation:N"),
    ]
    return alt.layer(*layers).add_params(_choice(shown)).properties(height=SIDE)


def _place_labels(rows: list[Row]) -> None:
    """Give every row the height of its label: above its point, or the nearest that is free."""
    for prompt in {row["prompt"] for row in rows}:
        together = [row for row in rows if row["prompt"] == prompt]
        placed = [(row["training"], row["generated"], LETTER) for row in together]
        for row in sorted(together, key=lambda row: row["training"]):
            x, half = row["training"], LETTER * len(row["occupation"]) / 2
            heights = [row["generated"] + step * LINE for step in _PLACES]
            inside = [height for height in heights if 0 < height < 100]
            free = (
                height
                for height in inside
                if all(
                    abs(x - other) >= half + wide or abs(height - y) >= LINE
                    for other, y, wide in placed
                )
            )
            row["label"] = next(free, inside[0])
            placed.append((x, row["label"], half))


_PLACES = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)


def _choice(rows: list[Row]) -> Any:
    """Return the choice of a prompt; of one alone there is nothing to choose."""
    import altair as alt

    prompts = list(dict.fromkeys(row["prompt"] for row in rows))
    bind = alt.binding_select(options=prompts, name="prompt ")
    return alt.param(
        name="prompt_shown",
        value=prompts[0],
        bind=bind if len(prompts) > 1 else alt.Undefined,
    )


def _tooltip() -> list[Any]:
    import altair as alt

    numbers = [f"{side}{bound}" for side in _SIDES for bound in ("", "_low", "_high")]
    return [
        alt.Tooltip("occupation:N"),
        alt.Tooltip("prompt:N"),
        *(
            alt.Tooltip(f"{name}:Q", format=".1f", title=name.replace("_", " "))
            for name in (*numbers, "amplification")
        ),
        *(alt.Tooltip(f"{side}_n:Q", title=f"{side} images") for side in _SIDES),
    ]


_SIDES = ("training", "generated")


def _axis(channel: Any, field: str, title: str) -> Any:
    import altair as alt

    return channel(field, title=title, scale=alt.Scale(domain=[0, 100]))


def _ground() -> list[Any]:
    """Return the triangles of amplification and de-amplification, and the diagonal."""
    import altair as alt

    layers = []
    # Between the two lines, from one corner to the middle and from the middle to the other.
    for colour, corners in (
        (AMPLIFIED, [(0, 0, 0), (50, 0, 50)]),
        (AMPLIFIED, [(50, 50, 100), (100, 100, 100)]),
        (REDUCED, [(0, 0, 50), (50, 50, 50)]),
        (REDUCED, [(50, 50, 50), (100, 50, 100)]),
    ):
        data = alt.InlineData([{"x": x, "low": low, "high": high} for x, low, high in corners])
        layers.append(
            alt.Chart(data)
            .mark_area(color=colour, opacity=1, line=False)
            .encode(
                x=_axis(alt.X, "x:Q", "% in training images"),
                y=_axis(alt.Y, "low:Q", "% in generated images"),
                y2="high:Q",
            )
        )
    line = alt.InlineData([{"x": 0, "y": 0}, {"x": 100, "y": 100}])
    layers.append(
        alt.Chart(line)
        .mark_line(color=MUTED, strokeDash=[3, 3], strokeWidth=1)
        .encode(x=_axis(alt.X, "x:Q", "% in training images"), y="y:Q")
    )
    return layers
