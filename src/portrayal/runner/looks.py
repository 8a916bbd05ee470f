"""Looks at an audit's questions: stored as analyses are shown, and counted in their findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from portrayal.findings import (
    ALTERNATIVE,
    MOST_CONFIDENCE,
    AnalysisSettings,
    Finding,
    StudyResult,
)
from portrayal.numbers import p_in_words
from portrayal.records import LookRecord
from portrayal.runner.look_log import History, LookLog, SeenImages
from portrayal.statistics import (
    Interval,
    LooksResult,
    benjamini_hochberg,
    planned_looks,
    unplanned_looks,
    widen_interval,
)
from portrayal.studies import Study

NEARLY = 0.75
"""Intervals at a level are widened from those at another of which it is at least this part."""

JUST_BESIDE = 1e-9
"""Where an interval ends that leaves out 0 because the test does."""

Recompute = Callable[[Study, float], StudyResult]
"""Answers a study again with intervals of another confidence."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A planned look: how many images per prompt there are, of how many at most."""

    images: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A study with its answer, and the images that the answer rests on.

    Attributes:
        study: The study.
        images: Its images; see `SeenImages.of`.
        result: Its answer.
        stage: The planned look that this is; None: not a planned one.
        bounds: Whether planned looks have intervals, too, that hold along with those of all others.
    """

    study: Study
    images: Mapping[str, SeenImages]
    result: StudyResult
    stage: Stage | None = None
    bounds: bool = False


def with_looks(
    log: LookLog,
    seen: Sequence[Seen],
    settings: AnalysisSettings,
    again: Recompute,
    *,
    keep: bool = True,
) -> list[StudyResult]:
    """Store this look at every question whose images have changed, and count all looks.

    Args:
        log: The looks so far.
        seen: The studies with their answers.
        settings: How they were analyzed.
        again: Answers a study with intervals of another confidence.
        keep: Whether to store new looks.

    Returns:
        The answers; findings that were looked at before, or that a look was planned for, have their
        number of looks and what these leave of p.
    """
    alpha = 1 - settings.confidence
    new: list[LookRecord] = []
    done = []
    for one in seen:
        found = log.histories(one.study, one.result.findings, one.images)
        histories = {question: _planned(history, one.stage) for question, history in found.items()}
        bounds = _bounds(one, log, histories, alpha, again)
        findings = []
        for finding in one.result.findings:
            history = histories[finding.question]
            low, high = bounds.get(finding.question, (None, None))
            last = replace(history.looks[-1], low=low, high=high)
            new += [*history.renamed, *([last] if history.is_new else [])]
            findings.append(_counted(finding, [*history.looks[:-1], last], alpha))
        done.append(replace(one.result, findings=findings))
    if keep:
        log.store(new)
    return done


def with_corrected_looks(results: Sequence[StudyResult]) -> list[StudyResult]:
    """Fill in q of what all looks leave of p: Benjamini-Hochberg over all tests of the audit.

    Every test has one as soon as one was looked at several times: they are one family.
    """
    tested = [one for result in results for one in result.findings if one.p is not None]
    if not any(one.p_looks is not None for one in tested):
        return list(results)
    p_values = [float(one.p or 0) if one.p_looks is None else one.p_looks for one in tested]
    q_values = dict(zip(map(id, tested), benjamini_hochberg(p_values).tolist(), strict=True))
    return [
        replace(
            result,
            findings=[replace(one, q_looks=q_values.get(id(one))) for one in result.findings],
        )
        for result in results
    ]


def _planned(history: History, stage: Stage | None) -> History:
    """Return the looks with this one as a planned one, where it is new and was planned."""
    if stage is None or not history.is_new:
        return history
    last = replace(history.looks[-1], stage=stage.images, maximum=stage.maximum)
    return replace(history, looks=[*history.looks[:-1], last])


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


def look_remark(finding: Finding) -> str:
    """Say in a sentence which look at the question this is, and what all looks leave of p."""
    if finding.look < 2:
        return ""
    if finding.p_looks is None:
        return f"This was look {finding.look}: images were added since the one before."
    return (
        f"This was look {finding.look}: images were added since the one before; counting all "
        f"looks, {p_in_words('p', finding.p_looks)}."
    )


def _bounds(
    seen: Seen, log: LookLog, histories: Mapping[str, History], alpha: float, again: Recompute
) -> dict[str, Interval]:
    """Return the intervals at the level of this look, by question.

    For questions of several looks that were not planned, and for planned ones where bounds are
    wanted; also where those of this look are known: settings may differ.
    """
    counted = {
        question: counted_looks(one.looks, alpha)
        for question, one in histories.items()
        if len(one.looks) > 1 or one.looks[-1].maximum is not None
    }
    if not counted:
        return {}
    stored = any(one.looks[-1].low is not None for one in histories.values())
    stored |= not any(one.is_new for one in histories.values()) and log.had_bounds(seen.study)
    wanted = {
        question: one.level
        for question, one in counted.items()
        if seen.bounds or stored or one.method == "unplanned"
    }
    found: dict[str, Interval] = {}
    for least_strict, levels in similar_levels(wanted):
        reached = min(1 - least_strict, MOST_CONFIDENCE)
        for one in again(seen.study, reached).findings:
            level = levels.get(one.question)
            if level is None or one.estimate is None or one.low is None or one.high is None:
                continue
            ends = widen_interval(
                Interval(one.low, one.high), one.estimate, reached, 1 - level, within=one.within
            )
            found[one.question] = agreeing_bounds(ends, one, histories[one.question].looks, alpha)
    return found


def similar_levels(levels: Mapping[str, float]) -> list[tuple[float, dict[str, float]]]:
    """Return levels that are nearly the same together, each group with its least strict one.

    Measurers that leave out a few images differ a little: their study is answered once.
    """
    groups: list[tuple[float, dict[str, float]]] = []
    for question, level in sorted(levels.items(), key=lambda one: -one[1]):
        if not groups or level < NEARLY * groups[-1][0]:
            groups.append((level, {}))
        groups[-1][1][question] = level
    return groups


def agreeing_bounds(
    ends: Interval, finding: Finding, looks: Sequence[LookRecord], alpha: float
) -> Interval:
    """Return an interval that leaves out no effect exactly where the looks' combined p does.

    Intervals of all looks hold together: what an earlier one left out stays out, as a combined p
    never rises.
    """
    null = finding.null
    if finding.p is None or null is None or ALTERNATIVE in finding.details:
        return ends
    counts = range(1, len(looks) + 1)
    decided = [n for n in counts if counted_looks(looks[:n], alpha).p_value <= alpha]
    if not decided:
        return Interval(min(ends.low, null), max(ends.high, null))
    if not ends.low <= null <= ends.high:
        return ends
    if (looks[decided[0] - 1].estimate or 0.0) > null:
        return Interval(null + JUST_BESIDE, max(ends.high, null + JUST_BESIDE))
    return Interval(min(ends.low, null - JUST_BESIDE), null - JUST_BESIDE)
