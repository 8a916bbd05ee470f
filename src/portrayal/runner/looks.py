"""Looks at an audit's questions: stored as analyses are shown, and counted in their findings."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from portrayal.audit import AuditFolder
from portrayal.findings import (
    MOST_CONFIDENCE,
    AnalysisSettings,
    Finding,
    StudyData,
    StudyResult,
)
from portrayal.numbers import p_in_words
from portrayal.records import LookRecord, digest
from portrayal.statistics import (
    Interval,
    LooksResult,
    benjamini_hochberg,
    planned_looks,
    unplanned_looks,
)
from portrayal.studies import Study

Recompute = Callable[[Study, float], StudyResult]
"""Answers a study again with intervals of another confidence."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A planned look: how many images per prompt there are, of how many at most."""

    images: int
    maximum: int


@dataclass(frozen=True, slots=True)
class SeenImages:
    """Which images an answer rests on, and how many."""

    digest: str
    count: int

    @classmethod
    def of(cls, data: StudyData) -> SeenImages:
        """Return the usable images of a study as one measurer saw them."""
        keys = sorted(key for usable in data.usable.values() for key in usable.keys)
        return cls(hashlib.sha256("".join(keys).encode()).hexdigest()[:16], len(keys))


@dataclass(frozen=True, slots=True)
class Seen:
    """A study with its answer, and the images that the answer rests on.

    Attributes:
        study: The study.
        images: Its images, for each measurer by its label.
        result: Its answer.
        stage: The planned look that this is; None: not a planned one.
        bounds: Whether intervals are wanted that hold along with those of all other looks.
    """

    study: Study
    images: Mapping[str, SeenImages]
    result: StudyResult
    stage: Stage | None = None
    bounds: bool = False


def with_looks(
    audit: AuditFolder,
    seen: Sequence[Seen],
    settings: AnalysisSettings,
    again: Recompute,
    *,
    keep: bool = True,
) -> list[StudyResult]:
    """Store this look at every question whose images have changed, and count all looks.

    Args:
        audit: Where looks are stored.
        seen: The studies with their answers.
        settings: How they were analyzed.
        again: Answers a study with intervals of another confidence.
        keep: Whether to store new looks.

    Returns:
        The answers; findings that were looked at before, or that a look was planned for, have their
        number of looks and what these leave of p.
    """
    alpha = 1 - settings.confidence
    known = _stored(audit)
    new: list[LookRecord] = []
    done = []
    for one in seen:
        histories = _histories(one, known)
        bounds = _bounds(one, histories, alpha, again)
        findings = []
        for finding in one.result.findings:
            history = histories[finding.question]
            low, high = bounds.get(finding.question, (None, None))
            if history.is_new:
                history.looks[-1] = replace(history.looks[-1], low=low, high=high)
                new.append(history.looks[-1])
            findings.append(_counted(finding, history.looks, alpha))
        done.append(replace(one.result, findings=findings))
    if keep:
        audit.append_looks(new)
    return done


def with_corrected_looks(results: Sequence[StudyResult]) -> list[StudyResult]:
    """Fill in q of what all looks leave of p: Benjamini-Hochberg over all tests of the audit."""
    tested = [one for result in results for one in result.findings if one.p is not None]
    if not any(one.p_looks is not None for one in tested):
        return list(results)
    p_values = [float(one.p or 0) if one.p_looks is None else one.p_looks for one in tested]
    q_values = dict(zip(map(id, tested), benjamini_hochberg(p_values), strict=True))
    return [
        replace(result, findings=[_with_q(one, q_values.get(id(one))) for one in result.findings])
        for result in results
    ]


@dataclass(frozen=True, slots=True)
class _History:
    """The looks at one question, this one included; `is_new`: it is not stored yet."""

    looks: list[LookRecord]
    is_new: bool


def counted_looks(looks: Sequence[LookRecord], alpha: float) -> LooksResult:
    """Return what all looks at a question come to.

    Looks of one plan spend the level up to its maximum. As soon as one was not planned, or the
    maximum has changed, they count as looks that may come at any time.
    """
    stages = [(look.stage, look.maximum) for look in looks]
    maximum = stages[0][1]
    if maximum is not None and all(
        stage is not None and one == maximum and stage <= maximum for stage, one in stages
    ):
        sizes, p_values = _rising([(float(look.stage or 0), look.p) for look in looks])
        return planned_looks(p_values, [size / maximum for size in sizes], alpha=alpha)
    sizes, p_values = _rising([(float(look.images), look.p) for look in looks])
    return unplanned_looks(p_values, sizes, alpha=alpha)


def _rising(looks: Sequence[tuple[float, float | None]]) -> tuple[list[float], list[float]]:
    """Return sizes that rise, with p; of looks at no more images than before, the larger p."""
    sizes: list[float] = []
    p_values: list[float] = []
    for size, p in looks:
        value = math.nan if p is None else p
        if size <= 0:
            continue
        if sizes and size <= sizes[-1]:
            p_values[-1] = max(p_values[-1], value)  # NaN stays where it is known first
            continue
        sizes.append(size)
        p_values.append(value)
    return sizes, p_values


def _counted(finding: Finding, looks: Sequence[LookRecord], alpha: float) -> Finding:
    number, last = len(looks), looks[-1]
    if number < 2 and last.maximum is None:
        return finding
    p = None if finding.p is None else counted_looks(looks, alpha).p_value
    return replace(
        finding, look=number, p_looks=p, low_looks=last.low, high_looks=last.high
    )  # a NaN becomes None


def _with_q(finding: Finding, q: float | None) -> Finding:
    if finding.p_looks is None or q is None:
        return finding
    return replace(finding, q_looks=float(q))


def look_remark(finding: Finding) -> str:
    """Say in a sentence which look at the question this is, and what all looks leave of p."""
    if finding.look < 2:
        return ""
    if finding.p_looks is None:
        return f"This was look {finding.look} at this question."
    return (
        f"This was look {finding.look} at this question; counting all looks, "
        f"{p_in_words('p', finding.p_looks)}."
    )


def _bounds(
    seen: Seen, histories: Mapping[str, _History], alpha: float, again: Recompute
) -> dict[str, Interval]:
    """Return the intervals at the level of this look, by question."""
    if not seen.bounds:
        return {}
    levels = {counted_looks(one.looks, alpha).level for one in histories.values()}
    found: dict[str, Interval] = {}
    for level in levels:
        if 1 - level > MOST_CONFIDENCE:
            continue
        for finding in again(seen.study, 1 - level).findings:
            looks = histories[finding.question].looks
            own = counted_looks(looks, alpha).level == level
            if own and finding.low is not None and finding.high is not None:
                found[finding.question] = Interval(finding.low, finding.high)
    return found


def _histories(
    seen: Seen, known: Mapping[tuple[str, str, str], list[LookRecord]]
) -> dict[str, _History]:
    asked = digest(seen.study.wording())
    every = SeenImages(
        digest([one.digest for one in seen.images.values()]),
        sum(one.count for one in seen.images.values()),
    )
    found = {}
    for finding in seen.result.findings:
        images = seen.images.get(finding.measurer, every)
        look = LookRecord(
            finding.study, asked, finding.question, images.digest, finding.estimate, finding.p,
            finding.n, images.count,
        )  # fmt: skip
        if seen.stage is not None:
            look = replace(look, stage=seen.stage.images, maximum=seen.stage.maximum)
        before = known.get((look.study, asked, look.question), [])
        same = [i for i, one in enumerate(before) if one.key == look.key]
        looks = before[: same[0] + 1] if same else [*before, look]
        found[finding.question] = _History(looks, is_new=not same)
    return found


def _stored(audit: AuditFolder) -> dict[tuple[str, str, str], list[LookRecord]]:
    names = [one.name for one in fields(LookRecord)]
    found: dict[tuple[str, str, str], list[LookRecord]] = {}
    for row in audit.looks().select(", ".join(names)).fetchall():
        look = LookRecord(**dict(zip(names, row, strict=True)))
        found.setdefault((look.study, look.asked, look.question), []).append(look)
    return found
