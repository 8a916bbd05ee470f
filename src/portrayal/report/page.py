"""The page: results.json and the images of an audit as one self-contained HTML file."""

from __future__ import annotations

import base64
import functools
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from portrayal.audit import AuditFolder, harmless, quoted
from portrayal.findings import (
    LOOKS_NOTE,
    DataTable,
    Distribution,
    Finding,
    LabelRule,
    Part,
    Results,
    Sides,
    StudySection,
    Verdict,
    as_asked,
    capital,
    counted,
    counts_looks,
)
from portrayal.generators import notice
from portrayal.numbers import cell, cells, count, number, percent, with_minus
from portrayal.report.evidence import Evidence, SameSeeds, Shelf
from portrayal.report.figures import figure
from portrayal.report.first_screen import cards, chosen, heading
from portrayal.report.sides import side_images
from portrayal.report.thumbnails import thumbnails
from portrayal.report.trust import limits, trust_lines
from portrayal.studies import Study, study_from_dict

if TYPE_CHECKING:
    import pandas as pd

SHELVES = 24
"""Prompts of a study whose images are shown."""

SHELF_IMAGES, GALLERY_IMAGES = 8, 48
"""Images of a prompt that are shown, and of a gallery whose prompts are few: then more of each."""

PLAIN_ROWS = 12
"""Longer tables fold away behind a summary line."""

OPEN_SHELVES = 9
"""Prompts of a gallery that are seen at once; the others fold away."""

SEED_GROUPS = 6
"""Sets of prompts with the same seeds that a study shows."""

ORDERS = {"seed": "seed", "certainty": "least certain first"}
"""Of the images of a prompt."""

HOVER_IMAGES = 3000
"""At most so many images are embedded for hovering; beyond that, points show text alone."""

PAGE_IMAGES = 3000
"""At most so many images are embedded as evidence; all others are in the audit folder."""

BIBTEX = """@software{{portrayal,
  title = {{portrayal: measure how a text-to-image model portrays people}},
  version = {{{version}}},
  year = {{{year}}},
  note = {{Audit of {generator}, {images:,} images}}
}}"""


def write_report(audit: AuditFolder, *, called: str | None = None) -> Path:
    """Write report/index.html; it opens without a network and contains every number with its n.

    Args:
        audit: The audit.
        called: What the page calls the audit and its folder; None: as it is on this machine.
    """
    results = Results.read(audit)
    studies = _studies(audit, results)
    counts = _counts(audit)
    evidence = Evidence(
        audit, list(studies.values()), _prompts(results, studies), at_most=PAGE_IMAGES
    )
    hover = _Hover(audit, HOVER_IMAGES)
    shown, folder = cards(results, evidence), called or quoted(audit.path)
    html = (
        environment()
        .get_template("page.html.j2")
        .render(
            results=results,
            level=results.level,
            audit_name=called or audit.path.resolve().name,
            header=audit.header,
            notice=notice(audit.generator),
            counts=counts,
            trust=list(trust_lines(results, counts, list(studies.values()))),
            cards=shown,
            tests=_tests(results),
            heading=heading(results),
            n_studies=len(studies),
            seeds_decide=evidence.seeds_decide,
            groups=_groups(results, [card.finding for card in shown]),
            limits=list(limits(results, list(studies.values()))),
            titles={section.study: section.title or section.study for section in results.studies},
            studies=[
                _shown_study(audit, section, studies.get(section.study), results, hover, evidence)
                for section in results.studies
            ],
            orders=ORDERS,
            open_shelves=OPEN_SHELVES,
            csv=csv_uri(results.findings.to_frame().drop(columns=["headline", "details"])),
            rules=_rules(results),
            methods=_methods(results, counts),
            bibtex=BIBTEX.format(
                version=results.portrayal,
                year=audit.header.created[:4],
                generator=results.generator.name,
                images=counts["ok"],
            ),
            command="\n".join(f"portrayal {verb} {folder}" for verb in ("analyze", "report")),
            script=vega(),
        )
    )
    return audit.write_report(html)


def _studies(audit: AuditFolder, results: Results) -> dict[str, Study]:
    stored = audit.studies()
    return {
        section.study: study_from_dict(stored[section.study])
        for section in results.studies
        if section.study in stored
    }


def _prompts(results: Results, studies: Mapping[str, Study]) -> Iterator[str]:
    """Yield the prompts whose images the page may show: those of cards and of galleries."""
    for finding in chosen(results):
        for bar in finding.headline.bars if finding.headline else ():
            yield from bar.prompts
    for study in studies.values():
        texts = list(dict.fromkeys(prompt.text for prompt in study.prompts()))
        yield from texts[:: max(1, -(-len(texts) // SHELVES))]


def _groups(results: Results, on_cards: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Return the findings that are not on a card, by verdict."""
    groups: dict[str, list[Finding]] = {name: [] for name in get_args(Verdict)}
    for finding in results.findings:
        if not any(finding is one for one in on_cards):
            groups[finding.verdict(results.level)].append(finding)
    return groups


def _tests(results: Results) -> str:
    """Say what became of all questions: `4 of 19 tests are significant after correction`."""
    tested = [one for one in results.findings if one.q is not None]
    clear = sum(one.is_clear(results.level) for one in tested)
    told = (
        f"The one test is {'' if clear else 'not '}significant"
        if len(tested) == 1
        else f"{count(clear)} of {count(len(tested))} tests are significant after correction"
    )
    lacking = sum(one.estimate is None for one in results.findings)
    lack = f"; {counted(lacking, 'question')} without enough data" if lacking else ""
    return f"{told}{lack}; every question is listed below"


def _rules(results: Results) -> list[LabelRule]:
    """Return how images were labelled, each rule once."""
    found: list[LabelRule] = []
    for section in results.studies:
        found += [rule for rule in section.rules if rule not in found]
    return found


def _methods(results: Results, counts: Mapping[str, int]) -> str:
    settings = results.settings
    looks = f" {LOOKS_NOTE}" if counts_looks(results.findings) else ""
    return (
        f"{counts['ok']:,} images of {results.generator.name} (revision "
        f"{results.generator.digest}) were analyzed with portrayal {results.portrayal}. Labels "
        f"come from {', '.join(f'{one.kind} {one.name}' for one in results.measurers)}. Intervals "
        f"are {100 * settings.confidence:g}% confidence intervals; tests are two-sided unless "
        f"said otherwise, and q is p after Benjamini–Hochberg over all tests of the audit. Images "
        f"without a label are counted beside n and never scored.{looks}"
    )


def anchor(finding: Finding) -> str:
    """Return a permanent name for a finding's place on the page."""
    return f"{finding.study}-{zlib.crc32(finding.question.encode()):08x}"


def csv_uri(frame: pd.DataFrame) -> str:
    """Return a data frame as a link to a CSV file; cells that look like formulas are quoted."""
    text = frame.map(harmless).to_csv(index=False)
    return "data:text/csv;base64," + base64.b64encode(text.encode()).decode("ascii")


@dataclass(slots=True)
class _Hover:
    """Images for hovering, until the page contains as many as it should."""

    audit: AuditFolder
    left: int

    def images(self, part: Part) -> dict[str, str]:
        if not isinstance(part, Distribution) or len(part) > self.left:
            return {}
        self.left -= len(part)
        return thumbnails(self.audit, [row.key for row in part.rows], side=64)


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
        csv: Its numbers as a data URI.
    """

    table: DataTable
    spec: str | None
    listed: bool
    folded: bool
    has_sides: bool
    csv: str


@dataclass(frozen=True, slots=True)
class _ShownStudy:
    """A study as the page shows it.

    Attributes:
        section: What the results say.
        parts: Its figures and tables.
        asked: Images asked for.
        shelves: Images to look at.
        n_prompts: Its prompts.
        each: Images shown of a prompt, at most.
        sides: Images for clicks, as JSON; None without any.
        labels: Labels to filter images by.
        measurers: Who gave them.
        same_seeds: Prompts with the same seeds, to see what the words changed.
    """

    section: StudySection
    parts: Sequence[_ShownPart]
    asked: int
    shelves: Sequence[Shelf]
    n_prompts: int
    each: int
    sides: str | None
    labels: Sequence[str]
    measurers: Sequence[str]
    same_seeds: Sequence[SameSeeds]


def _shown_study(
    audit: AuditFolder,
    section: StudySection,
    study: Study | None,
    results: Results,
    hover: _Hover,
    evidence: Evidence,
) -> _ShownStudy:
    prompts = () if study is None else study.prompts()
    n_prompts = len({prompt.text for prompt in prompts})
    each = max(SHELF_IMAGES, GALLERY_IMAGES // max(n_prompts, 1))
    shelves = evidence.shelves(prompts, each=each, at_most=SHELVES)
    shown = [one for shelf in shelves for image in shelf.images for one in image.labels]
    return _ShownStudy(
        section,
        [
            _shown_part(part, section, results, hover)
            for part in section.parts
            if not isinstance(part, Sides)
        ],
        asked=sum(prompt.images for prompt in prompts),
        shelves=shelves,
        n_prompts=n_prompts,
        each=each,
        sides=_sides(audit, section),
        labels=sorted({f"{one.axis}: {one.label}" for one in shown}),
        measurers=sorted({one.measurer for one in shown}),
        same_seeds=evidence.same_seeds((one.text for one in prompts), at_most=SEED_GROUPS),
    )


def _sides(audit: AuditFolder, section: StudySection) -> str | None:
    """Return the images of both sides for clicks, where a study has two."""
    found = next((part for part in section.parts if isinstance(part, Sides)), None)
    if found is None:
        return None
    return script_json(side_images(audit, found.rows, at_most=HOVER_IMAGES))


def _shown_part(part: Part, section: StudySection, results: Results, hover: _Hover) -> _ShownPart:
    chart = figure(part, section, results, images=hover.images(part), width="container")
    table = part.as_table(results.findings_of(section.study))
    return _ShownPart(
        table=table,
        spec=None if chart is None else script_json(chart.to_dict()),
        listed=not isinstance(part, Distribution),
        folded=chart is not None or len(part) > PLAIN_ROWS,
        has_sides=part.has_sides,
        csv=_table_uri(table),
    )


def _table_uri(table: DataTable) -> str:
    import pandas as pd

    return csv_uri(pd.DataFrame([list(row) for row in table.rows], columns=list(table.columns)))


def script_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, whatever a prompt contains."""
    text = json.dumps(value, ensure_ascii=False)
    for mark in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


@functools.cache
def vega() -> str:
    """Return the scripts that draw figures, for a page without a network."""
    import vl_convert

    # The stub forgets that the snippet is optional.
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    # A closing tag inside the bundle's strings would end the script element early.
    return bundle.replace("</script", "<\\/script")


def environment() -> Any:
    """Return what renders the templates of pages."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("portrayal.report", folder) for folder in ("templates", "static")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        anchor=anchor,
        as_asked=as_asked,
        capital=capital,
        cell=cell,
        cells=cells,
        count=count,
        minus=with_minus,
        number=number,
        percent=percent,
    )
    return environment
