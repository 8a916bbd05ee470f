"""The figure of influence studies: bars for words, group by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from portrayal.findings import EMPTY, INK, by_group, labelled, zero_line
from portrayal.kinds.influence.parts import (
    InfluenceAverage,
    InfluenceAverages,
    InfluenceScore,
    InfluenceScores,
)


def influence(part: InfluenceScores | InfluenceAverages) -> Any:
    """Draw how far each word pushes towards each group, with intervals, in the rows' order.

    None where no word has a score.
    """
    import altair as alt

    rows: Sequence[InfluenceScore | InfluenceAverage] = part.rows
    shown = [
        {**asdict(row), "word": word}
        for row, word in zip(rows, _told_apart(rows), strict=True)
        if row.score is not None
    ]
    if not shown:
        return None
    lines = labelled(shown, "word")
    data, y = lines.data, lines.y
    groups = by_group(shown)
    colour, offset = groups.colour, groups.offset
    tooltip = ["word:N", "group:N"]
    tooltip += [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("score", "low", "high", "p")]
    x = alt.X("score:Q", title="influence towards the group")
    chart = alt.Chart(data).encode(y=y, yOffset=offset)
    return alt.layer(
        zero_line(),
        chart.mark_bar(opacity=0.75).encode(x=x, color=colour, tooltip=tooltip),
        chart.mark_rule(strokeWidth=1.5, color=INK).encode(x="low:Q", x2="high:Q"),
    ).properties(height=lines.height(10 + 12 * groups.n))


def _told_apart(rows: Sequence[InfluenceScore | InfluenceAverage]) -> list[str]:
    """Return the words, where one occurs twice in a prompt with an invisible space behind it."""
    seen: Counter[tuple[str, str]] = Counter()
    words = []
    for row in rows:
        again = (row.group, row.word)
        words.append(row.word + EMPTY * seen[again])
        seen[again] += 1
    return words
