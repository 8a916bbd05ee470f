"""Published numbers beside ours, and whether the settings are the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from portrayal.findings.data import StudyData
from portrayal.findings.finding import Finding
from portrayal.findings.parts import MeasurerSort, PublishedNumber, PublishedNumbers
from portrayal.raters import RATERS
from portrayal.records import Identity
from portrayal.studies import Published, Study

SAME = "same settings"
OTHER = "published, other settings"


class Ours(NamedTuple):
    """Our number for what a paper printed."""

    estimate: float | None
    low: float | None = None
    high: float | None = None


def published_numbers(
    study: Study,
    data: StudyData,
    ours: Mapping[tuple[str, str], Ours],
    *,
    suffix: str,
    measurer: MeasurerSort | None = None,
) -> PublishedNumbers | None:
    """Return the published numbers of a study beside ours; None where it has none.

    Numbers of the same kind that no paper printed follow, so that tables can be completed.

    Args:
        study: The study.
        data: Its images as one measurer saw them.
        ours: Our numbers, by (what they are of, statistic).
        suffix: Names the measurer where several are shown side by side.
        measurer: Who labelled the images; None: told from the data.
    """
    if not study.published:
        return None
    if measurer is None:
        measurer = "raters" if data.encoder.kind == RATERS else "encoder"
    concerned = [one for one in study.published if one.measurer == measurer]
    rows = [
        PublishedNumber(
            number.of,
            number.statistic,
            *ours.get((number.of, number.statistic), Ours(None)),
            published=number.printed,
            recovered=number.recovered,
            model=publication.model,
            settings=SAME if settings_match(publication, data.generator, data.encoder) else OTHER,
            source=publication.source,
        )
        for publication in concerned
        for number in publication.numbers
    ]
    printed = {(row.of, row.statistic) for row in rows}
    rows += [PublishedNumber(*key, *mine) for key, mine in ours.items() if key not in printed]
    if not rows:
        return None
    notes = list(dict.fromkeys(one.note for one in concerned if one.note))
    return PublishedNumbers(
        f"published{suffix}",
        f"Published numbers beside ours{suffix}",
        rows,
        measurer=measurer,
        note=" ".join(notes),
    )


def settings_match(published: Published, generator: Identity, encoder: Identity) -> bool:
    """Tell whether generator, encoder and stated settings are those of the paper.

    A setting counts only where both the paper and the generator state it.
    """
    named = _named(generator.name, published.generators) and (
        published.measurer == "raters" or _named(encoder.name, published.encoders)
    )
    return named and all(
        _equal(generator.settings[key], value)
        for key, value in published.settings.items()
        if key in generator.settings
    )


def contrast_numbers(findings: Sequence[Finding]) -> dict[tuple[str, str], Ours]:
    """Return S, d and p as the paper computes them, and our d, by (contrast, statistic)."""
    found: dict[tuple[str, str], Ours] = {}
    for finding in findings:
        details = finding.details
        if finding.statistic != "d" or finding.estimate is None:
            continue
        of = str(details["contrast"])
        found[of, "S"] = Ours(details["score"], details["score_low"], details["score_high"])
        # The interval belongs to the bias-corrected d: two numbers never share one.
        found[of, "d"] = Ours(details["d_paper"])
        found[of, "bias-corrected d"] = Ours(details["d"], details["d_low"], details["d_high"])
        found[of, "p"] = Ours(details["p_paper"])
    return found


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _equal(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(float(ours), float(theirs))
    return bool(ours == theirs)
