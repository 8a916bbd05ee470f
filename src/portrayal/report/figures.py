"""One grammar for all figures: a part of a study's answer becomes an Altair chart.

The page embeds the chart's specification; `files.py` writes the very same one as SVG, PDF or PNG.
Parts that all kinds share are drawn alike; what is a kind's own, the kind draws.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from portrayal.findings import (
    Distribution,
    Forest,
    Part,
    Results,
    Shares,
    StudySection,
    distribution,
    forest,
    forests,
    shares,
    styled,
)
from portrayal.kinds import Kind
from portrayal.studies import registered_kinds

if TYPE_CHECKING:
    import altair as alt

Width = int | Literal["container"]

WIDTH = 560
"""Of a figure in a file, in pixels; on the page a figure is as wide as there is room."""


def figure(
    part: Part,
    section: StudySection,
    results: Results,
    *,
    images: Mapping[str, str] | None = None,
    width: Width = WIDTH,
) -> alt.LayerChart | None:
    """Return the figure of a part, or None where it is only a table.

    Args:
        part: The part.
        section: The study that it is part of.
        results: Where its findings are.
        images: Image keys to data URIs, shown on hover where rows carry a key.
        width: Pixels, or "container" for as wide as there is room.
    """
    kind = registered_kinds().get(section.kind)
    chart = kind.chart(part) if isinstance(kind, Kind) else None
    if chart is None:
        chart = _shared(part, section, results, images or {})
    return None if chart is None else sized(chart, width)


def main_figure(results: Results) -> str:
    """Return the report's first figure as SVG, else that of the findings; "": nothing to draw."""
    import vl_convert

    charts = itertools.chain(
        (figure(part, section, results) for section in results.studies for part in section.parts),
        (sized(chart, WIDTH) for chart in forests(results.findings, level=results.level)),
    )
    chart = next((one for one in charts if one is not None), None)
    return "" if chart is None else str(vl_convert.vegalite_to_svg(chart.to_json()))


def sized(chart: Any, width: Width) -> Any:
    """Return a chart in the house's style, so many pixels wide or as wide as there is room."""
    chart = chart.properties(width=width)
    if width == "container":
        chart = chart.properties(autosize={"type": "fit-x", "contains": "padding"})
    return styled(chart)


def _shared(part: Part, section: StudySection, results: Results, images: Mapping[str, str]) -> Any:
    """Draw a part that all kinds may have."""
    match part:
        case Forest():
            found = part.among(results.findings_of(section.study))
            return forest(found, level=results.level)
        case Distribution():
            return distribution(part, images)
        case Shares():
            return shares(part)
    return None
