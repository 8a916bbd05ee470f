"""Figures as files for papers: the page's own specifications as SVG, PDF or PNG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from portrayal.audit import Audit
from portrayal.errors import PortrayalError, one_of
from portrayal.report.figures import figure
from portrayal.report.source import read_results

FORMATS = ("svg", "pdf", "png")


def write_figures(audit: Audit, out: Path, *, formats: Sequence[str] = ("svg",)) -> list[Path]:
    """Write every figure of an audit's report into a folder; return the files."""
    import vl_convert

    for form in formats:
        if form not in FORMATS:
            raise PortrayalError(f"figure format {form!r} is unknown; allowed: {one_of(FORMATS)}")
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for study in read_results(audit)["studies"]:
        for table in study["tables"]:
            chart = figure(table)
            if chart is None:
                continue
            svg = vl_convert.vegalite_to_svg(chart.to_json())
            stem = re.sub(r"[^a-z0-9]+", "-", f"{study['study']}-{table['name']}".lower()).strip(
                "-"
            )
            for form in formats:
                path = out / f"{stem}.{form}"
                if form == "svg":
                    path.write_text(svg, encoding="utf-8")
                else:
                    convert = {"pdf": vl_convert.svg_to_pdf, "png": vl_convert.svg_to_png}[form]
                    path.write_bytes(convert(svg, scale=2) if form == "png" else convert(svg))
                written.append(path)
    return written
