"""Composition studies: who is shown? Group shares for each level of each factor.

Shares are among images whose group is known; "unknown" and images that show nobody are counted
beside them and never dealt out to the groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from portrayal.findings.axis_view import AxisView, axis_view
from portrayal.findings.data import StudyData
from portrayal.findings.labels import unlabelled
from portrayal.findings.sentences import (
    between_shares,
    capital,
    chance,
    counted,
    not_enough,
    not_judged,
    number,
    percent,
)
from portrayal.findings.settings import AnalysisSettings
from portrayal.findings.shares import LevelTest, level_test, prompts_share_interval
from portrayal.kinds.composition.diversity import diversity_findings, without_group
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.records import Finding, StudyResult, Table, finite

SHARE = "group share"
SPREAD = "Cramér's V"
LEAST_IMAGES = 3

SHARES = ("axis", "level", "group", "share", "low", "high", "n", "unknown", "nobody", "dropped")


def analyze_composition(
    study: CompositionStudy, data: Sequence[StudyData], settings: AnalysisSettings
) -> StudyResult:
    """Answer a composition study.

    Args:
        study: The study.
        data: Its images, once for each encoder that looked at them.
        settings: How.
    """
    findings: list[Finding] = []
    tables: list[Table] = []
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        for name, axis in study.axes.items():
            view = axis_view(study, name, axis, one, settings, suffix=suffix)
            if view is None:
                findings.append(_unread(study, one, settings, name, suffix))
                continue
            for factor in view.factors():
                findings += _findings(view, factor)
                tables.append(_shares_table(view, factor))
    notes = [axis.note for axis in study.axes.values() if axis.note]
    return StudyResult(study.name, study.kind, study.title, findings, tables, notes=notes)


def _findings(view: AxisView, factor: str) -> Iterator[Finding]:
    levels = view.levels(factor)
    if factor:
        yield _spread_finding(view, factor, levels)
    yield from diversity_findings(view, factor)
    # Of two groups one share says it all.
    groups = view.groups[:1] if len(view.groups) == 2 else view.groups
    for level, places in levels.items():
        for group in groups:
            yield _share_finding(view, factor, level, group, places)


def _share_finding(
    view: AxisView, factor: str, level: str, group: str, places: list[int]
) -> Finding:
    counts = view.counts[places].sum(axis=0)
    known = int(view.known[places].sum())
    hits = int(counts[view.groups.index(group)])
    dropped = int(counts[-1])
    unknown, nobody = int(counts[-3]), int(counts[-2])
    low, high = _interval(view, group, places)
    enough = known >= LEAST_IMAGES
    of = level if not factor else f"{factor} {level}"
    sentence = not_enough(
        f"{of} has {counted(known, 'image')} with a known group on {view.name}; "
        f"at least {LEAST_IMAGES} are needed",
        {
            name: n
            for name, n in (("unknown", unknown), ("nobody", nobody), ("dropped", dropped))
            if n
        },
        int(counts.sum()),
    )
    if enough:
        sentence = (
            f"{capital(level)}: {percent(hits / known)} of the images with a known group on "
            f"{view.name} show {group} ({between_shares(low, high, view.settings.confidence)}); "
            f"{known} known, {unknown} unknown, {nobody} show nobody."
        )
    return Finding(
        study=view.study.name,
        question=f"{of}: share of {group} ({view.name}){view.suffix}",
        statistic=SHARE,
        estimate=hits / known if enough else None,
        low=low if enough else None,
        high=high if enough else None,
        p=None,
        q=None,
        n=known,
        n_missing=unknown + nobody + dropped,
        unit="prompt" if _clustered(view, places) else "image",
        sentence=sentence,
        details={
            "encoder": view.data.label,
            "axis": view.name,
            "factor": factor,
            "level": level,
            "group": group,
            "counts": dict(zip(view.groups, counts.tolist(), strict=False)),
            "unknown": unknown,
            "nobody": nobody,
            "dropped": dropped,
        },
    )


def _spread_finding(view: AxisView, factor: str, levels: dict[str, list[int]]) -> Finding:
    codes = np.empty(len(view.prompts), dtype=np.int64)
    for code, places in enumerate(levels.values()):
        codes[places] = code
    settings = view.settings
    test = level_test(
        view.known,
        codes,
        by_prompt=settings.unit == "prompt",
        resamples=settings.resamples,
        confidence=settings.confidence,
        rng=settings.rng(view.study.name, view.data.encoder.digest, view.name, factor),
    )
    missing = int(view.counts[:, len(view.groups) :].sum())
    start: dict[str, Any] = {
        "study": view.study.name,
        "question": f"{view.name}: do group shares differ by {factor}?{view.suffix}",
        "statistic": SPREAD,
        "q": None,
        "n_missing": missing,
        "details": {"encoder": view.data.label, "axis": view.name, "factor": factor},
    }
    most = max(int(view.known[places].sum()) for places in levels.values())
    if test is None or test.n < LEAST_IMAGES or most < 2:
        return Finding(
            **start, estimate=None, low=None, high=None, p=None, n=int(view.known.sum()),
            unit=settings.unit, sentence=_no_spread_sentence(view, factor, levels),
        )  # fmt: skip
    return Finding(
        **start,
        estimate=test.v,
        low=finite(test.interval.low),
        high=finite(test.interval.high),
        p=test.p_value,
        n=test.n,
        unit=test.unit,
        sentence=_spread_sentence(view, factor, levels, test),
    )


def _spread_sentence(
    view: AxisView, factor: str, levels: dict[str, list[int]], test: LevelTest
) -> str:
    group = view.groups[0]
    shares = {}
    for level, places in levels.items():
        known = int(view.known[places].sum())
        if known >= LEAST_IMAGES:
            shares[level] = float(view.known[places, 0].sum()) / known
    reach = ""
    if len(shares) > 1:
        least, most = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        reach = (
            f" the share of {group} runs from {percent(shares[least])} ({least}) to "
            f"{percent(shares[most])} ({most});"
        )
    clear = test.p_value < 1 - view.settings.confidence
    start = "differ" if clear else "do not clearly differ"
    note = "" if test.unit == "prompt" else ", for these very prompts"
    return (
        f"Group shares on {view.name} {start} by {factor}:{reach} V = {number(test.v)}, "
        f"{chance(test.p_value)}; {counted(test.n, 'image')} with a known group{note}."
    )


def _no_spread_sentence(view: AxisView, factor: str, levels: dict[str, list[int]]) -> str:
    shown = view.known.sum(axis=0)
    known = [int(view.known[places].sum()) for places in levels.values()]
    n, groups, most = sum(known), int((shown > 0).sum()), max(known)
    have = f"{counted(n, 'image')} with a known group on {view.name}"
    if groups == 1 and most > 1:
        return f"All {have} show {view.groups[int(shown.argmax())]}; there is nothing to compare."
    found = (
        f", of {counted(sum(one > 0 for one in known), 'level')} of {factor} and "
        f"{counted(groups, 'group')}, at most {most} of a level"
    )
    return not_enough(
        f"{have}{found if n else ''}; at least {LEAST_IMAGES} images, 2 levels, 2 groups and a "
        "level with 2 images are needed",
        without_group(view),
        int(view.counts.sum()),
    )


def _shares_table(view: AxisView, factor: str) -> Table:
    rows: list[list[Any]] = []
    for level, places in view.levels(factor).items():
        counts = view.counts[places].sum(axis=0)
        known = int(view.known[places].sum())
        for i, group in enumerate(view.groups):
            low, high = _interval(view, group, places)
            share = int(counts[i]) / known if known >= LEAST_IMAGES else None
            bounds = [None, None] if share is None else [low, high]
            rest = [int(n) for n in counts[len(view.groups) :]]
            rows.append([view.name, level, group, share, *bounds, known, *rest])
    by = f" by {factor}" if factor else ""
    return Table(
        name=f"shares-{view.name}{by}{view.suffix}".replace(" ", "-"),
        title=f"Who is shown: {view.name}{by}{view.suffix}",
        columns=SHARES,
        rows=rows,
        role="shares",
        note="Shares among images with a known group; n counts those. " + view.axis.note,
    )


def _interval(view: AxisView, group: str, places: list[int]) -> tuple[float | None, float | None]:
    column = view.groups.index(group)
    bounds = prompts_share_interval(
        view.known[places, column],
        view.known[places].sum(axis=1),
        confidence=view.settings.confidence,
        clustered=_clustered(view, places),
    )
    return finite(bounds.low), finite(bounds.high)


def _clustered(view: AxisView, places: list[int]) -> bool:
    wanted = view.settings.unit == "prompt" and view.settings.resample == "units"
    return wanted and len(places) > 1


def _unread(
    study: CompositionStudy, data: StudyData, settings: AnalysisSettings, axis: str, suffix: str
) -> Finding:
    why = unlabelled(axis, study.axes[axis], data)
    return Finding(
        study=study.name, question=f"{axis}: who is shown?{suffix}", statistic=SHARE,
        estimate=None, low=None, high=None, p=None, q=None, n=0, n_missing=data.wanted,
        unit=settings.unit, sentence=not_judged(axis, why, data.dropped, data.wanted),
        details={"encoder": data.label, "axis": axis},
    )  # fmt: skip
