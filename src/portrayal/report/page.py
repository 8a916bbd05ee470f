"""The page: results.json and the images of an audit as one self-contained HTML file."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portrayal.audit import AuditFolder
from portrayal.findings import (
    DataTable,
    Distribution,
    Finding,
    Part,
    Results,
    Sides,
    StudySection,
    forests,
)
from portrayal.generators import notice
from portrayal.numbers import cell, count, number, p_value, percent
from portrayal.report.figures import figure, sized
from portrayal.report.gallery import Shelf, shelves, thumbnails
from portrayal.report.sides import side_images
from portrayal.studies import study_from_dict

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


def write_report(audit: AuditFolder) -> Path:
    """Write report/index.html; it opens without a network and holds every number with its n."""
    results = Results.read(audit)
    hover = _Hover(audit, HOVER_IMAGES)
    findings = results.findings
    tested = [finding for finding in findings if finding.p is not None]
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
            clear=[finding for finding in tested if finding.is_clear(results.level)],
            level=results.level,
            summary_lines=SUMMARY_LINES,
            titles={section.study: section.title or section.study for section in results.studies},
            overviews=_overviews(tested, results.level),
            counts=_counts(audit),
            studies=[_shown_study(audit, section, results, hover) for section in results.studies],
            open_shelves=OPEN_SHELVES,
            script=_vega(),
        )
    )
    return audit.write_report(html)


@dataclass(slots=True)
class _Hover:
    """Images for hovering, until the page holds as many as it should."""

    audit: AuditFolder
    left: int

    def images(self, part: Part) -> dict[str, str]:
        if not isinstance(part, Distribution) or len(part) > self.left:
            return {}
        self.left -= len(part)
        return thumbnails(self.audit, [row.key for row in part.rows], side=64)


def _overviews(tested: Sequence[Finding], level: float) -> list[str]:
    """Return a forest for every statistic that several findings share; others have no axis."""
    counts = Counter(finding.statistic for finding in tested)
    several = [one for one in tested if 2 <= counts[one.statistic] <= FOREST_ROWS]
    return [
        script_json(sized(chart, "container").to_dict()) for chart in forests(several, level=level)
    ]


def _counts(audit: AuditFolder) -> dict[str, int]:
    rows = audit.images().aggregate("status, count(*)", "status").fetchall()
    return {"ok": 0, "refused": 0, "failed": 0, **dict(rows)}


@dataclass(frozen=True, slots=True)
class _ShownPart:
    """A part of a study as the page shows it: a figure, a table, or both.

    Attributes:
        table: Its numbers.
        spec: The figure's specification, as JSON; None without one.
        listed: Whether the numbers are listed as well.
        folded: Whether they fold away behind a summary line.
        has_sides: Whether a click on a point shows images.
    """

    table: DataTable
    spec: str | None
    listed: bool
    folded: bool
    has_sides: bool


@dataclass(frozen=True, slots=True)
class _ShownStudy:
    """A study as the page shows it.

    Attributes:
        section: What the results say.
        findings: Its findings.
        parts: Its figures and tables.
        asked: Images asked for.
        shelves: Images to look at.
        n_prompts: Its prompts.
        sides: Images for clicks, as JSON; None without any.
    """

    section: StudySection
    findings: Sequence[Finding]
    parts: Sequence[_ShownPart]
    asked: int
    shelves: Sequence[Shelf]
    n_prompts: int
    sides: str | None


def _shown_study(
    audit: AuditFolder, section: StudySection, results: Results, hover: _Hover
) -> _ShownStudy:
    stored = audit.studies().get(section.study)
    study = study_from_dict(stored) if stored else None
    prompts = study.prompts() if study else ()
    return _ShownStudy(
        section,
        results.findings_of(section.study),
        [
            _shown_part(part, section, results, hover)
            for part in section.parts
            if not isinstance(part, Sides)
        ],
        asked=sum(prompt.images for prompt in prompts),
        shelves=shelves(audit, study, each=8, at_most=24) if study else (),
        n_prompts=len({prompt.text for prompt in prompts}),
        sides=_sides(audit, section),
    )


def _sides(audit: AuditFolder, section: StudySection) -> str | None:
    """Return the images of both sides for clicks, where a study has two."""
    found = next((part for part in section.parts if isinstance(part, Sides)), None)
    if found is None:
        return None
    return script_json(side_images(audit, found.rows, at_most=HOVER_IMAGES))


def _shown_part(part: Part, section: StudySection, results: Results, hover: _Hover) -> _ShownPart:
    chart = figure(part, section, results, images=hover.images(part), width="container")
    return _ShownPart(
        table=part.as_table(results.findings_of(section.study)),
        spec=None if chart is None else script_json(chart.to_dict()),
        listed=not isinstance(part, Distribution),
        folded=chart is not None or len(part) > PLAIN_ROWS,
        has_sides=part.has_sides,
    )


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
        number=number, p_value=p_value, percent=percent, cell=cell, count=count
    )
    return environment
