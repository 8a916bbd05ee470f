"""The page: results.json and the pictures of an audit as one self-contained HTML file."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from portrayal.audit import Audit
from portrayal.report.figures import figure, rows_of
from portrayal.report.gallery import shelves, thumbnails
from portrayal.report.numbers import decimal, p_value, percent
from portrayal.report.source import read_results
from portrayal.study import study_from_dict

PLAIN_ROWS = 40
"""Longer tables fold away behind a summary line."""

HOVER_PICTURES = 1500
"""At most so many pictures are embedded for hovering; beyond that, points show text alone."""


def write_report(audit: Audit) -> Path:
    """Write report/index.html; it opens without a network and holds every number with its n."""
    results = read_results(audit)
    studies = [_study_section(audit, study) for study in results["studies"]]
    html = (
        _environment()
        .get_template("page.html.j2")
        .render(
            results=results,
            audit_name=audit.path.resolve().name,
            header=audit.header,
            practice=audit.generator.settings.get("practice", audit.generator.kind == "painter"),
            findings=results["findings"],
            overview=_overview(results),
            counts=_counts(audit),
            studies=studies,
            script=_vega(),
        )
    )
    return audit.write_report(html)


def _overview(results: dict[str, Any]) -> str | None:
    """Return one forest over the contrasts of all studies that have p-values."""
    shown = [finding for finding in results["findings"] if finding["p"] is not None]
    columns = ["question", "estimate", "low", "high", "p", "q", "n"]
    same_unit: dict[str, list[dict[str, Any]]] = {}
    for finding in shown:
        same_unit.setdefault(finding["statistic"], []).append(finding)
    if not same_unit:
        return None
    # Estimates of different statistics share no axis: the commonest one is drawn, all are listed.
    best = max(same_unit.values(), key=len)
    if len(best) < 2:
        return None
    rows = [[finding[column] for column in columns] for finding in best]
    return _spec({"role": "forest", "columns": columns, "rows": rows}, {})


def _counts(audit: Audit) -> dict[str, int]:
    rows = audit.images().aggregate("status, count(*)", "status").fetchall()
    return {"ok": 0, "refused": 0, "failed": 0, **dict(rows)}


def _study_section(audit: Audit, result: dict[str, Any]) -> dict[str, Any]:
    stored = audit.studies().get(result["study"])
    prompts = [prompt.text for prompt in study_from_dict(stored).prompts()] if stored else []
    return {
        **result,
        "shelves": shelves(audit, prompts, each=8, at_most=24),
        "n_prompts": len(dict.fromkeys(prompts)),
        "tables": [_table_section(audit, table) for table in result["tables"]],
    }


def _table_section(audit: Audit, table: dict[str, Any]) -> dict[str, Any]:
    pictures: dict[str, str] = {}
    if table["role"] == "distribution" and len(table["rows"]) <= HOVER_PICTURES:
        keys = [row["key"] for row in rows_of(table)]
        pictures = thumbnails(audit, keys, side=64)
    return {**table, "spec": _spec(table, pictures), "long": len(table["rows"]) > PLAIN_ROWS}


def _spec(table: dict[str, Any], pictures: dict[str, str]) -> str | None:
    chart = figure(table, pictures)
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
    environment.filters.update(decimal=decimal, p_value=p_value, percent=percent, cell=_cell)
    return environment


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return decimal(value) if isinstance(value, float) else str(value)
