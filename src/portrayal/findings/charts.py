"""The figures of the parts that all kinds share. Each is None where there is no number to draw."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from portrayal.findings.drawing import ACCENT, INK, MUTED, WARM, by_group, labelled, zero_line
from portrayal.findings.finding import Finding, counts_looks
from portrayal.findings.parts import FOREST, Distribution, Shares
from portrayal.numbers import Q_OF_ALL_LOOKS, p_value

MOST_POINTS = 5_000
"""Images of one figure that are drawn; of more, a sample. The quartiles' table counts all."""


def forest(findings: Sequence[Finding], *, level: float, axis: str = "estimate") -> Any:
    """Draw estimates with intervals about zero.

    Args:
        findings: What to draw.
        level: Findings that are significant at it stand out.
        axis: The axis's title.
    """
    import altair as alt

    tests = {"p": "p", "q": "q"}
    if counts_looks(findings):
        tests["q_looks"] = Q_OF_ALL_LOOKS
    shown = [
        {
            **{name: getattr(one, name) for name in FOREST},
            **{f"{name} written": p_value(getattr(one, name)) for name in tests},
            "clear": one.is_clear(level),
        }
        for one in findings
        if one.estimate is not None
    ]
    if not shown:
        return None
    lines = labelled(shown, "question")
    data, y = lines.data, lines.y
    tooltip = [alt.Tooltip("question:N")]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("estimate", "low", "high")]
    tooltip += [alt.Tooltip(f"{name} written:N", title=title) for name, title in tests.items()]
    x = alt.X("low:Q", title=axis)
    return alt.layer(
        zero_line(),
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


def forests(findings: Sequence[Finding], *, level: float) -> Iterator[Any]:
    """Yield one forest per statistic, whose name is its axis."""
    for statistic in dict.fromkeys(one.statistic for one in findings):
        own = [one for one in findings if one.statistic == statistic]
        chart = forest(own, level=level, axis=statistic)
        if chart is not None:
            yield chart


def distribution(part: Distribution, images: Mapping[str, str]) -> Any:
    """Draw every image as a point over its concept's quartiles; hovering shows the image.

    Args:
        part: The images' values.
        images: Image keys to data URIs.
    """
    import altair as alt

    known = [row for row in part.rows if row.value is not None]
    # By a hash of the key: as good as by chance, and the same in every report.
    chosen = sorted(known, key=lambda row: _hash(row.key))[:MOST_POINTS]
    shown = [
        {
            **asdict(row),
            **({"image": images[row.key]} if row.key in images else {}),
            "jitter": _spread(row.key),
        }
        for row in (known if len(known) <= MOST_POINTS else chosen)
    ]
    if not shown:
        return None
    lines = labelled(shown, "concept")
    data, y = lines.data, lines.y
    left_out = "" if len(shown) == len(known) else f" ({len(shown):,} of {len(known):,} images)"
    title = f"association of each image{left_out}"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False))
    tooltip = ["prompt:N", "seed:Q", alt.Tooltip("value:Q", format=".4f")]
    if images:
        tooltip.insert(0, alt.Tooltip("image:N"))
    return alt.layer(
        zero_line(),
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


def shares(part: Shares) -> Any:
    """Draw group shares with intervals."""
    import altair as alt

    shown = [asdict(row) for row in part.rows if row.share is not None]
    if not shown:
        return None
    lines = labelled(shown, "level")
    data, y = lines.data, lines.y
    groups = by_group(shown)
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


def _spread(key: str) -> float:
    """Return a place in -0.7 ... 0.7 that depends on the image alone, so that figures repeat."""
    return (_hash(key) % 1001 / 1000 - 0.5) * 1.4


def _hash(key: str) -> int:
    return zlib.crc32(key.encode())
