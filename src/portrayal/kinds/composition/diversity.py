"""How evenly groups are shown, over the levels of a factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from portrayal.findings import Asked, AxisView, Finding, IntArray, LabelScale, counted
from portrayal.numbers import number
from portrayal.statistics import (
    DiversityResult,
    Interval,
    diversity_score,
    many_group_diversity,
)

UNEVENNESS = "diversity score"
EVENNESS = "many-group diversity"
EVENNESS_SCALE = LabelScale(least=0.0, most=1.0)
LEAST_IMAGES = 3


@dataclass(frozen=True, slots=True)
class _Score:
    value: float
    interval: Interval
    n: int
    statistic: str
    question: str
    meaning: str
    unit: str = "image"
    details: Mapping[str, float] = field(default_factory=dict)
    scale: LabelScale = EVENNESS_SCALE
    plug_in: float | None = None


def diversity_findings(view: AxisView, factor: str) -> Iterator[Finding]:
    """Yield ENTIGEN's diversity score (two groups only) and the many-group diversity.

    Args:
        view: The axis's counts.
        factor: Its levels take the place of ENTIGEN's attributes.
    """
    levels = view.levels(factor)
    table = np.array([view.known[places].sum(axis=0) for places in levels.values()])
    by = f" over {factor}" if factor else ""
    counts = _counts(view, levels)
    confidence = view.settings.confidence
    if len(view.groups) == 2:
        first, second = counts.rows.T
        pair = diversity_score(first, second, levels=counts.levels, confidence=confidence)
        yield _finding(
            view,
            table,
            _Score(
                pair.value,
                pair.interval,
                pair.n,
                UNEVENNESS,
                f"{view.name}: how unevenly are groups shown{by}?",
                f"0: both groups equally often at every level, 1: one group only{_printed(pair)}",
                unit=pair.unit,
                details={"published": pair.published},
                scale=LabelScale(0.0, 2.0, 0.0, 1.0),
                plug_in=pair.published,
            ),
        )
    many = many_group_diversity(counts.rows, levels=counts.levels, confidence=confidence)
    yield _finding(
        view,
        table,
        _Score(
            many.value,
            many.interval,
            many.n,
            EVENNESS,
            f"{view.name}: how often do two images of a level differ{by}?",
            "0: never, 1: as often as with all groups equally often",
            unit=many.unit,
        ),
    )


def _printed(found: DiversityResult) -> str:
    return "" if math.isnan(found.published) else f"; as published: {number(found.published)}"


class _Counts(NamedTuple):
    rows: IntArray
    levels: IntArray


def _counts(view: AxisView, levels: Mapping[str, Sequence[int]]) -> _Counts:
    """Return counts per prompt where shares take prompts as units, else per level."""
    settings = view.settings
    if settings.unit == "image" or settings.resample == "images":
        rows = np.array([view.known[list(places)].sum(axis=0) for places in levels.values()])
        return _Counts(rows, np.arange(len(levels)))
    codes = np.empty(len(view.prompts), dtype=np.int64)
    for code, places in enumerate(levels.values()):
        codes[list(places)] = code
    return _Counts(view.known, codes)


def without_group(view: AxisView) -> dict[str, int]:
    """Return how many of the wanted images have no known group, by reason."""
    unknown, nobody = (int(n) for n in view.counts[:, -3:-1].sum(axis=0))
    counts = {"unknown": unknown, "nobody": nobody, **view.data.dropped}
    return {reason: n for reason, n in counts.items() if n}


def _finding(view: AxisView, table: IntArray, score: _Score) -> Finding:
    # One image of a level always shows one group only.
    together = int(table.sum(axis=1).max(initial=0))
    wanted = int(view.counts.sum())
    asked = Asked.of(
        view.study, f"{score.question}{view.suffix}", score.statistic,
        unit=score.unit, measurer=view.data.label, details={"axis": view.name, **score.details},
    )  # fmt: skip
    missing = wanted - score.n
    if score.n < LEAST_IMAGES or together < 2:
        alone = int(table.sum()) - score.n
        lost = {**({"alone at a level": alone} if alone else {}), **without_group(view)}
        return asked.unanswered(
            _lack(view, table, score),
            n=score.n,
            n_missing=missing,
            dropped=lost,
            wanted=wanted,
        )
    return asked.answered(
        score.value,
        score.interval,
        n=score.n,
        n_missing=missing,
        sentence=f"{score.statistic.capitalize()} on {view.name}: {number(score.value)} "
        f"over {counted(len(table), 'level')} ({score.meaning}).",
    ).on_labels(score.scale, plug_in=score.plug_in)


def _lack(view: AxisView, table: IntArray, score: _Score) -> str:
    """Say how many images count, which is the n of the finding, and what a score needs."""
    known = int(table.sum())
    have = f"{counted(known, 'image')} with a known group on {view.name}"
    if score.n >= LEAST_IMAGES:
        return f"{have}, but no level has two"
    if score.n == known:
        return f"{have}; at least {LEAST_IMAGES} are needed"
    # A pair needs two images of a level: one that is alone there is known, and still not counted.
    return (
        f"of {have}, {score.n} are of a level with two or more; "
        f"at least {LEAST_IMAGES} such images are needed"
    )
