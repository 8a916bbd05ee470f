"""Intervention studies: does a sentence added to a prompt change who is shown?

The automatic evaluation is ENTIGEN's (Bansal et al. 2022, section C): the person filter, then the
best of an axis's texts. Every intervention is compared with the prompts as they are, image by image
of the same seed; a variant of an intervention also with the intervention itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from portrayal.findings import (
    AnalysisSettings,
    AxisView,
    DataTable,
    Finding,
    Forest,
    Ours,
    Part,
    PublishedNumbers,
    StudyData,
    StudyResult,
    axis_view,
    published_numbers,
    unjudged,
)
from portrayal.kinds.intervention.arms import Arm, CategoryArms, category_arms
from portrayal.kinds.intervention.changes import (
    DIVERSITY,
    DIVERSITY_CHANGE,
    Comparison,
    compare,
    diversity_finding,
    leaning_finding,
    original_finding,
)
from portrayal.kinds.intervention.schema import InterventionStudy
from portrayal.kinds.intervention.tables import (
    USABLE,
    bias_parts,
    changes_table,
    eq1,
    flips_table,
    paper_table,
    quality_table,
    scores_table,
    shares,
)


def analyze_intervention(
    study: InterventionStudy, data: Sequence[StudyData], settings: AnalysisSettings
) -> StudyResult:
    """Answer an intervention study.

    Args:
        study: The study.
        data: Its images, once for each encoder that looked at them.
        settings: How.
    """
    findings: list[Finding] = []
    parts: list[Part] = []
    for one in data:
        suffix = f" · {one.label}" if len(data) > 1 else ""
        views: list[AxisView] = []
        for name in dict.fromkeys(axis for part in study.categories for axis in part.axes):
            view = axis_view(study, name, study.axes[name], one, settings, suffix=suffix)
            if view is None:
                question = f"{name}: who is shown?{suffix}"
                unit = settings.unit
                findings.append(unjudged(study, question, DIVERSITY_CHANGE, name, one, unit=unit))
            else:
                views.append(view)
        if views:
            found, shown = _answers(study, views)
            findings += found
            parts += shown
    notes = [axis.shown_note for axis in study.axes.values() if axis.shown_note]
    return StudyResult(study.name, study.kind, study.title, findings, parts, notes=notes)


def _answers(
    study: InterventionStudy, views: Sequence[AxisView]
) -> tuple[list[Finding], list[Part]]:
    every = [
        category_arms(study, view, category)
        for view in views
        for category in study.categories
        if view.name in category.axes
    ]
    comparisons = [compare(arms, *pair) for arms in every for pair in _pairs(arms)]
    leanings = list(_leanings(views, comparisons))
    changes = [diversity_finding(one) for one in comparisons]
    originals = [original_finding(arms) for arms in every]
    suffix = views[0].suffix
    parts: list[Part] = [
        Forest.of(
            f"leaning-changes{suffix}",
            f"What is left of the usual leaning: changes{suffix}",
            leanings,
            note="Over all categories of an axis. Below 0: less of the leaning that attributes "
            "have in other prompts is left.",
        ),
        Forest.of(
            f"diversity-changes{suffix}",
            f"Changes of the diversity score{suffix}",
            changes,
            note="Against the original, same seeds. Below 0: more diverse.",
        ),
        *_category_tables(study, every, suffix),
        scores_table(every, suffix),
        quality_table(every, suffix),
        *(shares(arms) for arms in every),
        *bias_parts(every, suffix),
        changes_table(comparisons, suffix),
        flips_table(comparisons, suffix),
    ]
    published = _published(views[0], every)
    parts += [published] if published else []
    return [*leanings, *changes, *originals], [part for part in parts if part]


def _pairs(arms: CategoryArms) -> Iterator[tuple[Arm, Arm]]:
    """Yield what is compared: each intervention with the original, each variant with its parent."""
    for arm in arms.arms.values():
        if arm.intervention is None:
            continue
        yield arms.original, arm
        if arm.intervention.of in arms.arms:
            yield arms.arms[arm.intervention.of], arm


def _leanings(views: Sequence[AxisView], comparisons: Sequence[Comparison]) -> Iterator[Finding]:
    for view in views:
        parts: dict[tuple[str, str], list[Comparison]] = {}
        for one in comparisons:
            if one.arms.view is view:
                parts.setdefault((one.before.name, one.after.name), []).append(one)
        for together in parts.values():
            finding = leaning_finding(together)
            if finding is not None:
                yield finding


def _category_tables(
    study: InterventionStudy, every: Sequence[CategoryArms], suffix: str
) -> Iterator[DataTable]:
    for category in study.categories:
        own = [arms for arms in every if arms.category.name == category.name]
        if own:
            yield paper_table(own, suffix)


def _published(view: AxisView, every: Sequence[CategoryArms]) -> PublishedNumbers | None:
    """Return the diversity scores and usable images of all arms beside the published ones."""
    ours = {}
    for arms in every:
        for arm in arms.arms.values():
            of = f"{arms.category.name}, {arms.view.name}: {arm.name}"
            ours[of, DIVERSITY] = Ours(eq1(arm))
            ours[of, USABLE] = Ours(float(arms.known(arm).sum(axis=1).mean()))
    return published_numbers(view.study, view.data, ours, suffix=view.suffix)
