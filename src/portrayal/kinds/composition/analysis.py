"""Composition studies: who is shown? Group shares for each level of each factor.

Shares are among images whose group is known; "unknown" and images that show nobody are counted
beside them and never dealt out to the groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from portrayal.findings import (
    AnalysisSettings,
    Asked,
    AxisView,
    Bar,
    Finding,
    LabelScale,
    Part,
    Share,
    Shares,
    StudyData,
    StudyResult,
    axis_view,
    capital,
    counted,
    plural,
    unjudged,
)
from portrayal.kinds.composition.diversity import diversity_findings, without_group
from portrayal.kinds.composition.headlines import spread_headline, spread_sentence
from portrayal.kinds.composition.joint import target_answers
from portrayal.kinds.composition.schema import CompositionStudy
from portrayal.numbers import percent
from portrayal.statistics import Interval, LevelTest, level_test, prompts_share_interval

SHARE = "group share"
SPREAD = "Cramér's V"
LEAST_IMAGES = 3


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
    parts: list[Part] = []
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        for name, axis in study.axes.items():
            view = axis_view(study, name, axis, one, settings, suffix=suffix)
            if view is None:
                question = f"{name}: who is shown?{suffix}"
                unit = settings.unit
                findings.append(unjudged(study, question, SHARE, name, one, unit=unit))
                continue
            for factor in view.factors():
                findings += _findings(view, factor)
                parts.append(_shares(view, factor))
        compared, tables = target_answers(study, one, settings, suffix)
        findings += compared
        parts += tables
    notes = [axis.shown_note for axis in study.axes.values() if axis.shown_note]
    return StudyResult(study.name, study.kind, study.title, findings, parts, notes=notes)


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
    lost = dict(zip(("unknown", "nobody", "dropped"), counts[-3:].tolist(), strict=True))
    of = level if not factor else f"{factor} {level}"
    details = {
        "axis": view.name,
        "factor": factor,
        "level": level,
        "group": group,
        "counts": dict(zip(view.groups, counts.tolist(), strict=False)),
        **lost,
    }
    asked = Asked.of(
        view.study, f"{of}: share of {group} ({view.name}){view.suffix}", SHARE,
        unit="prompt" if _clustered(view, places) else "image",
        measurer=view.data.label, details=details,
    )  # fmt: skip
    used = {"n": known, "n_missing": sum(lost.values())}
    if known < LEAST_IMAGES:
        reason = (
            f"{of} {'has' if factor else 'have'} {counted(known, 'image')} with a known group on "
            f"{view.name}; "
            f"at least {LEAST_IMAGES} are needed"
        )
        dropped = {name: n for name, n in lost.items() if n}
        return asked.unanswered(reason, **used, dropped=dropped, wanted=int(counts.sum()))
    bounds = _interval(view, group, places)
    return asked.answered(
        hits / known,
        bounds,
        **used,
        sentence=f"{capital(level)}: {hits} of {counted(known, 'labelled image')} "
        f"({percent(hits / known)}) show {plural(group)}; {lost['unknown']} more are unknown, "
        f"{lost['nobody']} show nobody.",
    ).on_labels(LabelScale(0.5 if len(view.groups) == 2 else None, 1.0, 0.0, 1.0))


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
    most = max(int(view.known[places].sum()) for places in levels.values())
    enough = test is not None and test.n >= LEAST_IMAGES and most >= 2
    asked = Asked.of(
        view.study, f"{view.name}: do group shares differ by {factor}?{view.suffix}", SPREAD,
        unit=test.unit if test is not None and enough else settings.unit,
        measurer=view.data.label, details={"axis": view.name, "factor": factor, **_plug_in(test)},
    )  # fmt: skip
    if test is None or not enough:
        return _no_spread(asked, view, levels, missing)
    bars = _bars(view, levels)
    return (
        asked.answered(
            test.v,
            test.interval,
            p=test.p_value,
            n=test.n,
            n_missing=missing,
            sentence=spread_sentence(bars, view.groups[0]),
        )
        .with_headline(spread_headline(bars, view.groups[0], factor, test.v))
        .on_labels(LabelScale(0.0, _spread_reach(view, levels, test.v), 0.0, 1.0))
    )


def _spread_reach(view: AxisView, levels: dict[str, list[int]], v: float) -> float | None:
    """Return V per share of labels that would have to move for all levels to be alike."""
    table = np.array([view.known[places].sum(axis=0) for places in levels.values()], dtype=float)
    even = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    moved = float(np.abs(table - even).sum() / 2 / table.sum())
    return v / moved if moved > 0 else None


def _plug_in(test: LevelTest | None) -> dict[str, float]:
    """Return V as it is usually printed, under its name."""
    return {} if test is None else {"plug_in": test.plug_in}


def _bars(view: AxisView, levels: dict[str, list[int]]) -> list[Bar]:
    """Return the share of the first group at every level."""
    bars = []
    for level, places in levels.items():
        hits, known = int(view.known[places, 0].sum()), int(view.known[places].sum())
        enough = known >= LEAST_IMAGES
        bars.append(
            Bar.share(
                level, hits, known,
                interval=_interval(view, view.groups[0], places) if enough else (),
                prompts=[view.prompts[place].text for place in places],
            )
        )  # fmt: skip
    return bars


def _no_spread(asked: Asked, view: AxisView, levels: dict[str, list[int]], missing: int) -> Finding:
    shown = view.known.sum(axis=0)
    known = [int(view.known[places].sum()) for places in levels.values()]
    n, groups, most = sum(known), int((shown > 0).sum()), max(known)
    have = f"{counted(n, 'image')} with a known group on {view.name}"
    if groups == 1 and most > 1:
        only = f"all {have} show {view.groups[int(shown.argmax())]}; there is nothing to compare"
        return asked.unanswered(only, n=n, n_missing=missing, sentence=f"{capital(only)}.")
    found = (
        f", of {counted(sum(one > 0 for one in known), 'level')} of {asked.details['factor']} and "
        f"{counted(groups, 'group')}, at most {most} of a level"
    )
    return asked.unanswered(
        f"{have}{found if n else ''}; at least {LEAST_IMAGES} images, 2 levels, 2 groups and a "
        "level with 2 images are needed",
        n=n,
        n_missing=missing,
        dropped=without_group(view),
        wanted=int(view.counts.sum()),
    )


def _shares(view: AxisView, factor: str) -> Shares:
    rows = []
    for level, places in view.levels(factor).items():
        counts = view.counts[places].sum(axis=0)
        known = int(view.known[places].sum())
        unknown, nobody, dropped = (int(n) for n in counts[len(view.groups) :])
        for i, group in enumerate(view.groups):
            shown: tuple[float | None, float | None, float | None] = (None, None, None)
            if known >= LEAST_IMAGES:
                shown = (int(counts[i]) / known, *_interval(view, group, places))
            rows.append(Share(view.name, level, group, *shown, known, unknown, nobody, dropped))
    by = f" by {factor}" if factor else ""
    return Shares(
        f"shares-{view.name}{by}{view.suffix}".replace(" ", "-"),
        f"Who is shown: {view.name}{by}{view.suffix}",
        rows,
        note="Shares among images with a known group; n counts those. " + view.axis.shown_note,
    )


def _interval(view: AxisView, group: str, places: list[int]) -> Interval:
    column = view.groups.index(group)
    return prompts_share_interval(
        view.known[places, column],
        view.known[places].sum(axis=1),
        confidence=view.settings.confidence,
        clustered=_clustered(view, places),
    )


def _clustered(view: AxisView, places: list[int]) -> bool:
    wanted = view.settings.unit == "prompt" and view.settings.resample == "units"
    return wanted and len(places) > 1
