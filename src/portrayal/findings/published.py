"""Published numbers beside ours, and whether the settings are the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.parts import DataTable
from portrayal.records import Identity
from portrayal.studies import Published, Study

SAME = "same settings"
OTHER = "published, other settings"

COLUMNS = ("of", "statistic", "ours", "low", "high", "published", "settings", "source")


class Ours(NamedTuple):
    """Our number for what a paper printed."""

    estimate: float | None
    low: float | None = None
    high: float | None = None


def published_table(
    study: Study, data: StudyData, ours: Mapping[tuple[str, str], Ours], *, suffix: str
) -> DataTable | None:
    """Return the published numbers of a study beside ours; None where it has none.

    Args:
        study: The study.
        data: Its images as one encoder saw them.
        ours: Our numbers, by (what they are of, statistic).
        suffix: Names the encoder where several stand side by side.
    """
    rows = []
    for publication in study.published:
        settings = SAME if settings_match(publication, data.generator, data.encoder) else OTHER
        for number in publication.numbers:
            mine = ours.get((number.of, number.statistic), Ours(None))
            printed = f"{number.bound}{number.value:g}"
            where = publication.source
            rows.append([number.of, number.statistic, *mine, printed, settings, where])
    if not rows:
        return None
    notes = list(dict.fromkeys(p.note for p in study.published if p.note))
    return DataTable(
        name=f"published{suffix}",
        title=f"Published numbers beside ours{suffix}",
        columns=COLUMNS,
        rows=rows,
        note=" ".join(notes),
    )


def settings_match(published: Published, generator: Identity, encoder: Identity) -> bool:
    """Tell whether generator, encoder and stated settings are those of the paper.

    A setting counts only where both the paper and the generator state it.
    """
    named = _named(generator.name, published.generators) and _named(
        encoder.name, published.encoders
    )
    return named and all(
        _equal(generator.settings[key], value)
        for key, value in published.settings.items()
        if key in generator.settings
    )


def contrast_numbers(findings: Sequence[Finding]) -> dict[tuple[str, str], Ours]:
    """Return S, the paper's d and the p of the paper's test, by (contrast, statistic)."""
    found: dict[tuple[str, str], Ours] = {}
    for finding in findings:
        details = finding.details
        if finding.statistic != "d" or finding.estimate is None:
            continue
        of = str(details["contrast"])
        found[of, "S"] = Ours(details["score"], details["score_low"], details["score_high"])
        found[of, "d"] = Ours(details["d_paper"], details["d_low"], details["d_high"])
        found[of, "p"] = Ours(details["p_paper"])
    return found


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _equal(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(float(ours), float(theirs))
    return bool(ours == theirs)
