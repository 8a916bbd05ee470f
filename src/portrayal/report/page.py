"""The page: results.json and the images of an audit as one self-contained HTML file."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import Audit
from portrayal.generators import notice
from portrayal.report.figures import figure, rows_of
from portrayal.report.gallery import shelves, thumbnails
from portrayal.report.numbers import cell, clear_level, count, decimal, is_clear, p_value, percent
from portrayal.report.sides import ROLE as SIDES
from portrayal.report.sides import side_images
from portrayal.report.source import read_results
from portrayal.studies.reading import study_from_dict

PLAIN_ROWS = 12
"""Longer tables fold away behind a summary line."""

OPEN_SHELVES = 9
"""Prompts of a gallery that are seen at once; the others fold away."""

HOVER_IMAGES = 3000
"""At most so many images are embedded for hovering; beyond that, points show text alone."""

SUMMARY_LINES = 8
"""Clear findings that the top of the page names in words; the rest stand in the table."""

FOREST_ROWS = 40
"""Figures of more findings than this are no overview."""


def write_report(audit: Audit) -> Path:
    """Write report/index.html; it opens without a network and holds every number with its n."""
    results = read_results(audit)
    hover = _Hover(audit, HOVER_IMAGES)
    findings = results["findings"]
    tested = [finding for finding in findings if finding["p"] is not None]
    level = clear_level(results)
    titles = {study["study"]: study["title"] or study["study"] for study in results["studies"]}
    html = (
        _environment()
        .get_template("page.html.j2")
        .render(
            results=results,
            audit_name=audit.path.resolve().name,
            header=audit.header,
            notice=notice(audit.generator),
            findings=findings,
            headlines=tested or findings,
            clear=[finding for finding in tested if is_clear(finding, level)],
            level=level,
            summary_lines=SUMMARY_LINES,
            titles=titles,
            overviews=_overviews(tested, level),
            counts=_counts(audit),
            studies=[
                _study_section(audit, study, findings, hover, level) for study in results["studies"]
            ],
            open_shelves=OPEN_SHELVES,
            script=_vega(),
        )
    )
    return audit.write_report(html)


@dataclass(slots=True)
class _Hover:
    """Images for hovering, until the page holds as many as it should."""

    audit: Audit
    left: int

    def images(self, table: Mapping[str, Any]) -> dict[str, str]:
        if table["role"] != "distribution" or len(table["rows"]) > self.left:
            return {}
        self.left -= len(table["rows"])
        return thumbnails(self.audit, [row["key"] for row in rows_of(table)], side=64)


def _overviews(tested: Sequence[Mapping[str, Any]], level: float) -> list[str]:
    """Return a forest for every statistic that several findings share; others have no axis."""
    columns = ["question", "estimate", "low", "high", "p", "q", "n", "statistic"]
    by_statistic: dict[str, list[list[Any]]] = {}
    for finding in tested:
        row = [finding[column] for column in columns]
        by_statistic.setdefault(finding["statistic"], []).append(row)
    tables = [
        {"role": "forest", "columns": columns, "rows": rows}
        for rows in by_statistic.values()
        if 2 <= len(rows) <= FOREST_ROWS
    ]
    return [spec for table in tables if (spec := _spec(table, {}, level)) is not None]


def _counts(audit: Audit) -> dict[str, int]:
    rows = audit.images().aggregate("status, count(*)", "status").fetchall()
    return {"ok": 0, "refused": 0, "failed": 0, **dict(rows)}


def _study_section(
    audit: Audit,
    result: dict[str, Any],
    findings: Sequence[Mapping[str, Any]],
    hover: _Hover,
    level: float,
) -> dict[str, Any]:
    stored = audit.studies().get(result["study"])
    prompts = study_from_dict(stored).prompts() if stored else ()
    return {
        **result,
        "findings": [finding for finding in findings if finding["study"] == result["study"]],
        "asked": sum(prompt.images for prompt in prompts),
        "shelves": shelves(audit, (prompt.text for prompt in prompts), each=8, at_most=24),
        "n_prompts": len({prompt.text for prompt in prompts}),
        "tables": [
            _table_section(table, hover, level)
            for table in result["tables"]
            if table["role"] != SIDES
        ],
        "sides": _sides(audit, result),
    }


def _sides(audit: Audit, result: Mapping[str, Any]) -> str | None:
    """Return the images of both sides for clicks, where a study has two."""
    table = next((one for one in result["tables"] if one["role"] == SIDES), None)
    if table is None:
        return None
    return script_json(side_images(audit, rows_of(table), at_most=HOVER_IMAGES))


def _table_section(table: dict[str, Any], hover: _Hover, level: float) -> dict[str, Any]:
    spec = _spec(table, hover.images(table), level)
    return {**table, "spec": spec, "folded": bool(spec) or len(table["rows"]) > PLAIN_ROWS}


def _spec(table: Mapping[str, Any], images: Mapping[str, str], level: float) -> str | None:
    chart = figure(table, images, width="container", level=level)
    if chart is None:
        return None
    return script_json(chart.to_dict())


def script_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, whatever a prompt contains."""
    text = json.dumps(value, ensure_ascii=False)
    for mark in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


@functools.cache
def _vega() -> str:
    import vl_convert

    # The stub forgets that the snippet is optional.
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    # A closing tag inside the bundle's strings would end the script element early.
    return bundle.replace("</script", "<\\/script")


def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("portrayal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        decimal=decimal, p_value=p_value, percent=percent, cell=cell, count=count
    )
    return environment
