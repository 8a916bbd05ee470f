"""Who is shown against a target, on one axis or on two together: distance, dominance, absence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from portrayal.findings import (
    AnalysisSettings,
    Asked,
    Bar,
    DataTable,
    Finding,
    FloatArray,
    Headline,
    IntArray,
    LabelScale,
    StudyData,
    TargetCounts,
    capital,
    counted,
    unjudged,
)
from portrayal.kinds.composition.cells import EVEN, cell_names
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.kinds.composition.targets import Goal, cell_counts, goal_of
from portrayal.numbers import percent
from portrayal.statistics import Interval, cell_shares, prompts_share_interval, target_distance
from portrayal.studies import Axis

DISTANCE = "distance from target"
DOMINANCE = "largest share"
MISSING = "cells without an image"
LEAST_IMAGES = 3
COLUMNS = ("cell", "images", "share", "low", "high", "observed share", "target")
_LISTED = 3

NOTE = (
    "Shares of cells are drawn towards those that the two axes would give if they had nothing to "
    "do with each other, the more the fewer images there are; their intervals hold on average over "
    "the cells. An empty cell has the largest share that fits the data as its upper bound."
)


@dataclass(frozen=True, slots=True)
class _Compared:
    """An axis, or two together, as one measurer sees the study's images.

    Attributes:
        name: Of the axis or axes.
        axes: By name.
        cells: Their groups, or pairs of groups.
        counts: Images by prompt and cell.
        shares: Of the cells, steadied where there are two axes.
        low, high: Their intervals.
        goal: What they are compared with.
    """

    name: str
    axes: Mapping[str, Axis]
    cells: tuple[str, ...]
    counts: IntArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    goal: Goal

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def empty(self) -> list[int]:
        """Cells without an image."""
        return np.flatnonzero(self.counts.sum(axis=0) == 0).tolist()


def target_answers(
    study: CompositionStudy, data: StudyData, settings: AnalysisSettings, suffix: str
) -> tuple[list[Finding], list[DataTable]]:
    """Return how far shares lie from their targets, what dominates and what is missing.

    Args:
        study: The study.
        data: Its images, as one measurer saw them.
        settings: How.
        suffix: Names the measurer where several are shown side by side.
    """
    findings: list[Finding] = []
    tables: list[DataTable] = []
    for name, axes in study.compared_axes().items():
        found = _compared(study, name, axes, data, settings)
        if found is None:
            axis = next(
                one for one in axes if cell_counts(study.prompts(), {one: axes[one]}, data) is None
            )
            question = f"{name}: how far are shares from the target?{suffix}"
            findings.append(unjudged(study, question, DISTANCE, axis, data, unit=settings.unit))
            continue
        findings += _findings(study, found, data, settings, suffix)
        tables.append(_table(found, suffix))
    return findings, tables


def _compared(
    study: CompositionStudy,
    name: str,
    axes: Mapping[str, Axis],
    data: StudyData,
    settings: AnalysisSettings,
) -> _Compared | None:
    counts = cell_counts(study.prompts(), axes, data)
    if counts is None:
        return None
    goal = goal_of(study.targets.get(name, EVEN), axes, study.prompts(), data)
    cells = cell_names(list(axes.values()))
    by_prompt = settings.unit == "prompt" and settings.resample == "units"
    if len(axes) == 2:
        first, second = (len(axis.groups) for axis in axes.values())
        found = cell_shares(
            counts.reshape(-1, first, second), by_prompt=by_prompt, confidence=settings.confidence
        )
        if found is not None:
            return _Compared(
                name,
                axes,
                cells,
                counts,
                found.shares.ravel(),
                found.intervals.low.ravel(),
                found.intervals.high.ravel(),
                goal,
            )
    bounds = [_bounds(counts, i, by_prompt, settings) for i in range(len(cells))]
    low, high = np.array(bounds).T
    total = counts.sum(axis=0)
    shares = total / total.sum() if total.sum() else np.full(len(cells), np.nan)
    return _Compared(name, axes, cells, counts, np.asarray(shares), low, high, goal)


def _bounds(counts: IntArray, cell: int, by_prompt: bool, settings: AnalysisSettings) -> Interval:
    return prompts_share_interval(
        counts[:, cell],
        counts.sum(axis=1),
        confidence=settings.confidence,
        clustered=by_prompt,
    )


def _findings(
    study: CompositionStudy,
    found: _Compared,
    data: StudyData,
    settings: AnalysisSettings,
    suffix: str,
) -> Iterator[Finding]:
    lost = data.wanted - found.n

    def asked(question: str, statistic: str, **details: Any) -> Asked:
        return Asked.of(
            study, f"{found.name}: {question}{suffix}", statistic, unit=settings.unit,
            measurer=data.label, details={"axis": found.name, "axes": [*found.axes], **details},
        )  # fmt: skip

    distance = asked(
        "how far are shares from the target?", DISTANCE, target=found.goal.words,
        axes=[*found.axes, *found.goal.unchecked(found.axes)],
    )  # fmt: skip
    if found.n < LEAST_IMAGES or found.goal.shares is None:
        few = f"{counted(found.n, 'image')} with known groups; at least {LEAST_IMAGES} are needed"
        yield distance.unanswered(found.goal.lack or few, n=found.n, n_missing=lost)
        if found.n < LEAST_IMAGES:
            return
    else:
        yield _distance(found, distance, data, settings)
    top = int(found.shares.argmax())
    cell = found.cells[top]
    largest = asked("which share is largest?", DOMINANCE, cell=cell, answer=cell)
    yield largest.answered(
        float(found.shares[top]),
        (float(found.low[top]), float(found.high[top])),
        n=found.n,
        n_missing=lost,
        sentence=_largest(found, top),
    ).on_labels(LabelScale(None, 1.0, 0.0, 1.0))
    if len(found.axes) == 2:
        names = ", ".join(found.cells[i] for i in found.empty) or "none"
        missing = asked("which cells are missing?", MISSING, answer=names)
        yield _missing(found, missing, lost).on_labels(
            LabelScale(None, None, 0.0, float(len(found.cells)))
        )


def _distance(
    found: _Compared,
    asked: Asked,
    data: StudyData,
    settings: AnalysisSettings,
) -> Finding:
    assert found.goal.shares is not None
    result = target_distance(
        found.counts,
        found.goal.shares,
        by_prompt=settings.unit == "prompt",
        resamples=settings.resamples,
        confidence=settings.confidence,
        rng=settings.rng(asked.study, data.encoder.digest, found.name, "target"),
    )
    assert result is not None  # there are images on both sides
    apart = found.counts.sum(axis=0) / found.n - found.goal.mean
    most = found.cells[int(np.argmax(apart))]
    start = f"to match {found.goal.words}, {percent(result.distance)} of images would have to show "
    start += f"another group; {most} is furthest above it"
    details = {**asked.details, "plug_in": result.plug_in, "too_often": most}
    return (
        replace(asked, details=details)
        .answered(
            result.distance,
            result.interval,
            p=result.p_value,
            n=found.n,
            n_missing=data.wanted - found.n,
            sentence=f"{capital(start)}.",
        )
        .with_headline(
            Headline(
                claim=f"{capital(found.name)}: shares differ from {found.goal.words}",
                otherwise=f"No significant difference from {found.goal.words}: {found.name}",
                measure="share of images",
                magnitude=result.distance,
                bars=[
                    Bar.share(cell, int(k), found.n)
                    for cell, k in zip(found.cells, found.counts.sum(axis=0), strict=True)
                ],
            )
        )
        .on_labels(LabelScale(0.0, 1.0, 0.0, 1.0), apart=_compared_counts(found, settings))
    )


def _compared_counts(found: _Compared, settings: AnalysisSettings) -> TargetCounts | None:
    """Return what a distance is corrected from; None where the target is a sample of its own."""
    shares = found.goal.shares
    if shares is None or shares.ndim == 2:
        return None
    return TargetCounts(found.counts.tolist(), shares.tolist(), settings.unit == "prompt")


def _largest(found: _Compared, top: int) -> str:
    """Say which share is largest, in counts, and what these are drawn towards."""
    share, k = float(found.shares[top]), int(found.counts[:, top].sum())
    told = f"{capital(found.cells[top])} has the largest share: {k} of {counted(found.n, 'image')}"
    if percent(k / found.n) == percent(share):
        return f"{told} ({percent(share)})."
    return (
        f"{told} ({percent(k / found.n)}); {percent(share)} when drawn towards what the two axes "
        "would give if unrelated."
    )


def _missing(found: _Compared, asked: Asked, lost: int) -> Finding:
    empty = found.empty
    of = f"{len(empty)} of {len(found.cells)} cells"
    if not empty:
        return asked.answered(
            0.0, n=found.n, n_missing=lost, sentence=f"Every cell of {found.name} has an image."
        )
    bound = float(found.high[empty[0]])
    shown = [found.cells[i] for i in empty[:_LISTED]]
    more = f" and {len(empty) - len(shown)} more" if len(empty) > len(shown) else ""
    return asked.answered(
        float(len(empty)),
        n=found.n,
        n_missing=lost,
        sentence=f"{of} of {found.name} have no image: {', '.join(shown)}{more}. Each has a share "
        f"of at most {percent(bound)}.",
    )


def _table(found: _Compared, suffix: str) -> DataTable:
    target = found.goal.mean
    total = found.counts.sum(axis=0)
    rows = [
        [
            cell, int(total[i]), found.shares[i], found.low[i], found.high[i],
            total[i] / found.n if found.n else None, None if target is None else target[i],
        ]
        for i, cell in enumerate(found.cells)
    ]  # fmt: skip
    return DataTable(
        f"target-{found.name}{suffix}".replace(" ", "-"),
        f"Shares against {found.goal.words}: {found.name}{suffix}",
        COLUMNS,
        rows,
        note=NOTE if len(found.axes) == 2 else "",
    )
