"""The figure of an intervention study's own: bars of bias, as in ENTIGEN's figure 3."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from portrayal.findings import by_group, labelled, zero_line
from portrayal.kinds.intervention.parts import BiasBars

MOST_ATTRIBUTES = 40
"""More bars than that say nothing; the table has them all."""


def bias_bars(part: BiasBars) -> Any:
    """Draw a bar for each attribute and intervention; None where there is none."""
    import altair as alt

    known = [row for row in part.rows if row.bias is not None]
    attributes = list(dict.fromkeys(row.attribute for row in known))[:MOST_ATTRIBUTES]
    shown = [
        {**asdict(row), "group": row.intervention} for row in known if row.attribute in attributes
    ]
    if not shown:
        return None
    lines, groups = labelled(shown, "attribute"), by_group(shown)
    tooltip = ["attribute:N", "intervention:N"] + [
        alt.Tooltip(f"{name}:Q", format=".2f") for name in ("bias", "low", "high")
    ]
    x = alt.X("bias:Q", title=f"bias: -1 all {part.second}, 1 all {part.first}")
    bars = alt.Chart(lines.data).encode(y=lines.y, yOffset=groups.offset, color=groups.colour)
    return alt.layer(
        zero_line(),
        bars.mark_bar(height=9).encode(
            x=x.scale(alt.Scale(domain=[-1, 1])), tooltip=[*tooltip, "n:Q"]
        ),
        # A bias of 0 has no length; a tick says that it was measured.
        bars.mark_tick(thickness=2, size=9).encode(x="bias:Q"),
    ).properties(height=lines.height(12 + 11 * groups.n))
