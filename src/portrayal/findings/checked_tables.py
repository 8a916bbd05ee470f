"""How a measurer's labels compare with people's, and how sure people are themselves."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from portrayal.findings.label_pools import DrawnPool
from portrayal.findings.parts import DataTable
from portrayal.findings.sentences import counted
from portrayal.findings.settings import AnalysisSettings
from portrayal.numbers import between, percent
from portrayal.statistics import (
    CheckedSample,
    RepeatResult,
    prediction_powered_share,
    repeat_error,
    without_error,
)

COLUMNS = (
    "group", "by people", "same by measurer", "unknown by measurer", "other group by measurer",
    "share", "corrected share", "low", "high",
)  # fmt: skip


def checked_table(one: DrawnPool, measurer: str, settings: AnalysisSettings) -> DataTable:
    """Return how labels of a pool compare with people's, and shares before and after."""
    pool = one.pool
    return DataTable(
        f"checked-{pool.axis}-{pool.name}-{measurer}".replace(" ", "-"),
        f"Labels of {pool.axis} checked by people: {pool.name}, {measurer}",
        COLUMNS,
        [_group_row(one, group, settings) for group in pool.groups],
        note=f"{len(one.said.labels)} of {len(pool.keys)} images were labelled by people. "
        "Corrected shares are what people would say of all these images "
        "(prediction-powered inference); shares are among images with a known group. "
        f"{raters_error(one, settings)}".strip(),
    )


def _group_row(one: DrawnPool, group: str, settings: AnalysisSettings) -> list[Any]:
    pool, said = one.pool, one.said.labels
    by_measurer = dict(zip(pool.keys, pool.labels, strict=True))
    theirs = [by_measurer[key] for key, label in said.items() if label == group]
    same, unknown = theirs.count(group), sum(label not in pool.groups for label in theirs)
    found = prediction_powered_share(_sample(one, group), confidence=settings.confidence)
    return [
        group, len(theirs), same, unknown, len(theirs) - same - unknown,
        found.uncorrected, found.value, *found.interval,
    ]  # fmt: skip


def _sample(one: DrawnPool, group: str) -> CheckedSample:
    pool, said = one.pool, one.said

    def coded(label: str | None) -> float:
        return float(label == group) if label in pool.groups else math.nan

    return CheckedSample.of(
        [coded(label) for label in pool.labels],
        [coded(said.labels.get(key)) for key in pool.keys],
        labelled=[key in said.labels for key in pool.keys],
        chances=[1 / said.weights.get(key, 1.0) for key in pool.keys],
        strata=pool.labels if said.drawn else None,
    )


def never_given(one: DrawnPool, measurer: str) -> list[str]:
    """Name groups that the measurer never answered although people did."""
    pool, counts = one.pool, Counter(one.said.labels.values())
    return [
        f"{measurer} labelled none of the {pool.name} {group!r} on {pool.axis}; people labelled "
        f"{counts[group]} of {len(one.said.labels)} so."
        for group in pool.groups
        if counts[group] and group not in pool.labels
    ]


def raters_error(one: DrawnPool, settings: AnalysisSettings) -> str:
    """Say how often two answers about an image differ, and what that does to a corrected share.

    Answers of two people where there are any: one person remembers. "" where nothing was answered
    twice; without a share where an axis has more than two groups.
    """
    pool = one.pool
    named = [
        pair for pair in one.said.twice if pair.first in pool.groups and pair.second in pool.groups
    ]
    pairs = [pair for pair in named if not pair.same_rater] or named
    if not pairs:
        return ""
    differ = sum(pair.first != pair.second for pair in pairs)
    found = repeat_error(differ, len(pairs), confidence=settings.confidence)
    who = "one person" if pairs[0].same_rater else "two people"
    bounds = between(*found.interval, settings.confidence, form=percent)
    words = (
        f"People's own error on {pool.axis} ({pool.name}): {differ} of "
        f"{counted(len(pairs), 'pair')} of answers by {who} about one image differ "
        f"({percent(found.disagreement)}, {bounds})."
    )
    return f"{words} {_without(one, found, settings)}".strip()


def _without(one: DrawnPool, found: RepeatResult, settings: AnalysisSettings) -> str:
    pool = one.pool
    if len(pool.groups) != 2:
        return "Corrected estimates do not take it into account."
    if not found.error < 0.5:
        return "That is as often as by chance: their answers correct nothing."
    share = prediction_powered_share(_sample(one, pool.groups[0]), confidence=settings.confidence)
    bare = [without_error(share.value, error) for error in (found.error, found.error_interval.high)]
    most = "" if math.isnan(bare[1]) else f" ({percent(bare[1])} at the upper end of that range)"
    return (
        f"Assuming that errors are independent and as frequent in both groups, "
        f"{percent(found.error)} of single answers are wrong, and the corrected share of "
        f"{pool.groups[0]}, {percent(share.value)}, would be {percent(bare[0])} without them"
        f"{most}. Corrected estimates are what people would say, their errors included."
    )
