"""What an amplification study says, in numbers and sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from portrayal.findings import Asked, Finding, LabelScale, StudyData, capital, counted, plural
from portrayal.kinds.amplification.counts import SubsetComparison
from portrayal.kinds.amplification.headlines import amplification_headline
from portrayal.kinds.amplification.measures import Amplified, generality
from portrayal.kinds.amplification.schema import (
    INDICATORS,
    SUBSETS,
    AmplificationStudy,
    SubsetName,
)
from portrayal.kinds.amplification.view import AmplificationView
from portrayal.numbers import number, percent
from portrayal.statistics import (
    CountedAmplificationResult,
    Interval,
    ReductionResult,
    amplification_against_shares,
    pearson_correlation,
)

AMPLIFICATION = "amplification"
REDUCTION = "reduction of amplification"
CORRELATION = "correlation"
REAL_WORLD = "amplification against the real world"

LEAST_POINTS = 0.05
"""Smaller differences read as none: points are written with one decimal."""


def amplification_finding(
    view: AmplificationView, found: Amplified, included: Amplified
) -> Finding:
    """Return the amplification of one subset, with the paper's means beside it."""
    name, sampled = found.comparison.subset, found.sampled
    title = SUBSETS[name].title
    details = {
        "subset": name,
        "group": view.study.first_group,
        "plug_in": sampled.plug_in,
        "plug_in_with_switching": included.sampled.plug_in,
        "per_prompt": dict(zip(found.comparison.prompts, sampled.per_prompt, strict=True)),
        "switched": sampled.n_switched,
    }
    asked = _asked(view, title, AMPLIFICATION, details)
    missing = found.n_missing
    if math.isnan(sampled.mean):
        reason = "no occupation has two images of a known group on both sides"
        return _unanswered(asked, view.data, reason, n_missing=missing)
    return (
        asked.answered(
            sampled.mean,
            sampled.interval,
            p=sampled.p_value,
            n=sampled.n,
            n_missing=missing,
            sentence=_amplified_sentence(view, sampled, SUBSETS[name].title),
        )
        .with_headline(amplification_headline(view.study, found.comparison, sampled.mean))
        .on_labels(
            LabelScale(0.0, 200.0, -50.0, 50.0),
            units=sampled.per_item if generality(view.settings) == "random" else (),
        )
    )


def _amplified_sentence(
    view: AmplificationView, found: CountedAmplificationResult, title: str
) -> str:
    return (
        f"{capital(title)}: the share of {plural(view.study.first_group)} in generated images is "
        f"on average {_further(found.mean)} in training images{_hedge(found.interval)}. "
        f"{_papers_mean(found)}"
    )


def _further(points: float) -> str:
    if abs(points) < LEAST_POINTS:
        return "as far from 50% as"
    return f"{number(abs(points))} points {'further from' if points > 0 else 'nearer to'} 50% than"


def _papers_mean(found: CountedAmplificationResult) -> str:
    """Write the paper's mean, which takes percentages as known and leaves out flips."""
    if math.isnan(found.plug_in):
        return "The paper's mean leaves out every occupation: the majority flips in each."
    flips = found.n_switched
    out = f", without {counted(flips, 'comparison')} in which the majority flips" if flips else ""
    return f"The paper's mean, which takes percentages as known{out}: {number(found.plug_in)}."


def _hedge(interval: Interval, p_value: float = math.nan, level: float = 0.05) -> str:
    """Return what to say where an interval contains 0; without an interval, p decides."""
    by_chance = interval.low <= 0 <= interval.high
    if math.isnan(interval.low):
        by_chance = p_value >= level
    return ", which chance can explain" if by_chance else ""


def reduction_finding(view: AmplificationView, name: SubsetName, found: ReductionResult) -> Finding:
    """Return how much less amplification one subset shows than the naive one."""
    title = SUBSETS[name].title
    details = {
        "subset": name,
        "relative": found.relative,
        "relative_low": found.relative_interval.low,
        "relative_high": found.relative_interval.high,
    }
    asked = _asked(view, f"{title}, against naive", REDUCTION, details)
    if not found.n:
        reason = "no occupation is in both comparisons"
        return _unanswered(asked, view.data, reason, n_missing=found.n_missing)
    less = "less" if found.value >= 0 else "more"
    share = f", {percent(abs(found.relative))} of it" if math.isfinite(found.relative) else ""
    return asked.answered(
        found.value,
        found.interval,
        p=found.p_value,
        n=found.n,
        n_missing=found.n_missing,
        sentence=f"{capital(title)}: {number(abs(found.value))} points {less} "
        f"amplification than the naive comparison{share}{_hedge(found.interval)}.",
    ).on_labels(LabelScale(0.0, 200.0, -100.0, 100.0))


def correlation_findings(view: AmplificationView, naive: SubsetComparison) -> list[Finding]:
    """Return how shares in images go with indicators in captions (section 5.1), read two ways.

    The paper's words are "the percentage of captions with female indicators": of all captions, or
    of those whose image shows a woman. Only the second can tell whether the rarer group is named
    more often, which is what the paper concludes. Where no caption indicates the group, there is
    nothing to read.
    """
    group = view.study.first_group
    labels = frozenset({INDICATORS.get(group, group), "both"})
    occupations = view.study.occupations
    every = [view.counting.indicated(name, labels) for name in occupations]
    own = [view.counting.told(name, labels) for name in occupations]
    if group not in INDICATORS and not any(count for count, _ in every):
        return []
    return [
        _correlation(view, naive, every, "all captions", f"captions say {group}"),
        _correlation(view, naive, own, f"images of a {group}", "their captions say so"),
    ]


def _correlation(
    view: AmplificationView,
    naive: SubsetComparison,
    counts: Sequence[tuple[int, int]],
    of: str,
    told: str,
) -> Finding:
    group = view.study.first_group
    indicator = INDICATORS.get(group, group)
    named = np.array([100 * k / n if n else math.nan for k, n in counts])
    found = pearson_correlation(
        naive.percent(naive.training)[:, 0], named, confidence=view.settings.confidence
    )
    details = {"group": group, "indicator": indicator, "of": of}
    question = f"indicators of {group}, of {of}: against its share in images"
    asked = _asked(view, question, CORRELATION, details)
    if math.isnan(found.estimate):
        why = "fewer than three occupations differ in both"
        return asked.unanswered(why, n=found.n, n_missing=found.n_missing)
    way = "less" if found.estimate < 0 else "more"
    level = 1 - view.settings.confidence
    hedge = _hedge(Interval(found.low, found.high), found.p_value, level)
    return asked.answered(
        found.estimate,
        (found.low, found.high),
        p=found.p_value,
        n=found.n,
        n_missing=found.n_missing,
        sentence=f"The more training images of an occupation show a {group}, the {way} often "
        f"{told} (of {of}){hedge}.",
    ).on_labels(LabelScale(0.0, None, -1.0, 1.0))


def real_world_finding(view: AmplificationView, naive: SubsetComparison) -> Finding | None:
    """Return amplification against real-world shares; None where the study has none."""
    study = view.study
    if not study.real_world:
        return None
    world = np.array([study.real_world.get(o, math.nan) for o in study.occupations])
    found = amplification_against_shares(
        naive.counts(naive.generated),
        world,
        occupations=generality(view.settings),
        confidence=view.settings.confidence,
    )
    details = {
        "source": study.real_world_source,
        "plug_in": found.plug_in,
        "switched": found.n_switched,
    }
    asked = _asked(view, "against real-world shares", REAL_WORLD, details)
    missing = len(study.occupations) - found.n
    if not found.n:
        why = "no occupation has a real-world share and two generated images of a known group"
        return _unanswered(asked, view.data, why, n_missing=missing)
    source = f" ({study.real_world_source})" if study.real_world_source else ""
    return asked.answered(
        found.mean,
        found.interval,
        p=found.p_value,
        n=found.n,
        n_missing=missing,
        sentence=f"Against real-world shares{source}: the share of {plural(study.first_group)} in "
        f"generated images is on average {_further(found.mean)} those{_hedge(found.interval)}. "
        f"{_papers_mean(found)}",
    ).on_labels(LabelScale(0.0, 100.0, -50.0, 50.0))


def no_answer(study: AmplificationStudy, data: StudyData, why: str, suffix: str) -> Finding:
    """Return a finding without a number, which says why."""
    asked = Asked.of(
        study, f"is {study.axis_name} amplified?{suffix}", AMPLIFICATION,
        unit="occupation", measurer=data.label,
    )  # fmt: skip
    return _unanswered(asked, data, why, n_missing=len(study.occupations))


def _asked(
    view: AmplificationView, question: str, statistic: str, details: dict[str, Any]
) -> Asked:
    return Asked.of(
        view.study, f"{question}{view.suffix}", statistic,
        unit="occupation", measurer=view.data.label, details=details, n_of="occupation",
    )  # fmt: skip


def _unanswered(asked: Asked, data: StudyData, reason: str, *, n_missing: int) -> Finding:
    return asked.unanswered(
        reason, n=0, n_missing=n_missing, dropped=data.dropped, wanted=data.wanted
    )
