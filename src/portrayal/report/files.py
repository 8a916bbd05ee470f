"""Figures as files for papers: the page's own specifications as SVG, PDF or PNG."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from portrayal.audit import AuditFolder, writing
from portrayal.errors import PortrayalError, one_of
from portrayal.findings import Results
from portrayal.report.figures import figure

FORMATS = ("svg", "pdf", "png")
_PNG_SCALE = 3
"""Pixels of a PNG per pixel of the figure: sharp in print at column width."""


def write_figures(
    audit: AuditFolder, out: Path, *, formats: Sequence[str] = ("svg",)
) -> list[Path]:
    """Write every figure of an audit's report into a folder; return the files."""
    import vl_convert

    for form in formats:
        if form not in FORMATS:
            raise PortrayalError(f"figure format {form!r} is unknown; allowed: {one_of(FORMATS)}")
    written: list[Path] = []
    results = Results.read(audit)
    for section in results.studies:
        for part in section.parts:
            chart = figure(part, section, results)
            if chart is None:
                continue
            svg = vl_convert.vegalite_to_svg(chart.to_json())
            stem = stem_of(section.study, part.name, written)
            for form in dict.fromkeys(formats):
                path = out / f"{stem}.{form}"
                with writing(out):
                    out.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(_converted(svg, form))
                written.append(path)
    return written


def _converted(svg: str, form: str) -> bytes:
    import vl_convert

    if form == "svg":
        return svg.encode()
    return bytes(
        vl_convert.svg_to_pdf(svg) if form == "pdf" else vl_convert.svg_to_png(svg, _PNG_SCALE)
    )


def stem_of(study: str, part: str, taken: Sequence[Path]) -> str:
    """Return a file name for a part; two that differ in odd characters alone get a number."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"{study}-{part}".lower()).strip("-")
    names = {path.stem for path in taken}
    numbered = itertools.chain([stem], (f"{stem}-{i}" for i in itertools.count(2)))
    return next(name for name in numbered if name not in names)
