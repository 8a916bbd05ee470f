"""Tables of an intervention study, in the layout of ENTIGEN's tables 1, 2, 3, 6 and figure 3."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from portrayal.findings import DataTable, Share, Shares
from portrayal.kinds.intervention.arms import Arm, CategoryArms, kind_of
from portrayal.kinds.intervention.changes import Comparison
from portrayal.kinds.intervention.parts import AttributeBias, BiasBars
from portrayal.statistics import (
    benjamini_hochberg,
    bias_score,
    diversity_score,
    many_group_diversity,
    prompts_share_interval,
)

SCORES = (
    "category", "axis", "intervention", "speaks to", "diversity", "low", "high",
    "published", "many-group",
    "many-group low", "many-group high", "bias", "bias low", "bias high", "n", "unknown", "nobody",
    "dropped",
)  # fmt: skip
FLIPS = (
    "axis", "category", "attribute", "intervention", "against", "bias before", "bias after", "to",
    "clear", "p", "q",
)  # fmt: skip
QUALITY = ("category", "axis", "intervention", "usable per attribute", "of", "change")
CHANGES = (
    "of", "axis", "category", "intervention", "against", "before", "after", "change", "low", "high",
    "p", "q", "for other",
)  # fmt: skip
USABLE = "usable images per attribute"
LEAST_IMAGES = 3


def eq1(arm: Arm) -> float | None:
    """Return the diversity score as the paper computes it (Eq. 1); None for too few images."""
    total = int((arm.first + arm.second).sum())
    gap = int(np.abs(arm.first - arm.second).sum())
    return gap / total if total >= LEAST_IMAGES else None


def scores_table(every: Sequence[CategoryArms], suffix: str) -> DataTable:
    """Return all scores of every arm: Eq. 1, the many-group diversity, Eq. 2 over attributes."""
    rows = [_score_row(arms, arm) for arms in every for arm in arms.arms.values()]
    return DataTable(
        f"scores{suffix}",
        f"Diversity and bias by category, axis and intervention{suffix}",
        SCORES,
        rows,
        note="diversity: Eq. 1, bias-corrected, 0 even to 1 one group only, smaller is more "
        "diverse; published: as the paper computes it. many-group: "
        "how often two images of an attribute differ, 0 never to 1 as with equal shares of all "
        "groups, larger is more diverse, free of small-n bias. bias: Eq. 2, mean over attributes; "
        "its interval is for other attributes.",
    )


def _score_row(arms: CategoryArms, arm: Arm) -> list[Any]:
    view = arms.view
    confidence = view.settings.confidence
    pair = diversity_score(arm.first, arm.second, confidence=confidence)
    many = many_group_diversity(arms.known(arm), confidence=confidence)
    rest = [int(n) for n in arm.counts[:, len(view.groups) :].sum(axis=0)]
    scores: list[float | None] = [None] * 7
    if pair.n >= LEAST_IMAGES:
        scores = [pair.value, *pair.interval, pair.published, many.value, *many.interval]
    return [
        arms.category.name, view.name, arm.name, arm.intervention.axis if arm.intervention else "",
        *scores, *_mean_bias(arm, confidence), pair.n, *rest,
    ]  # fmt: skip


def _mean_bias(arm: Arm, confidence: float) -> list[float | None]:
    """Return the mean of Eq. 2 over attributes, with the interval of the mean share."""
    values = bias_score(arm.first, arm.second).value
    values = values[~np.isnan(values)]
    if values.size == 0:
        return [None, None, None]
    mean = float(values.mean())
    low, high = prompts_share_interval(arm.first, arm.first + arm.second, confidence=confidence)
    return [mean, min(2 * low - 1, mean), max(2 * high - 1, mean)]


def paper_table(every: Sequence[CategoryArms], suffix: str) -> DataTable:
    """Return the diversity scores of one category as the paper prints them (tables 1, 2 and 6).

    Args:
        every: The category on each of its axes.
        suffix: Names the encoder where there are several.
    """
    category = every[0].category
    rows = []
    for arm in every[0].arms.values():
        row: list[Any] = [kind_of(arm.intervention), category.pattern(arm.intervention)]
        for arms in every:
            same = arms.arms[arm.name]
            row += [eq1(same), int((same.first + same.second).sum())]
        rows.append(row)
    columns = ["type", "prompt"]
    for arms in every:
        columns += [f"{arms.view.name} DS", f"{arms.view.name} n"]
    return DataTable(
        f"diversity-{category.name}{suffix}".replace(" ", "-"),
        f"Diversity scores: {category.name}{suffix}",
        columns,
        rows,
        note="DS: diversity score, Eq. 1 as published; smaller is more diverse. Bias-corrected "
        "scores and their intervals are in the table of all scores.",
    )


def shares(arms: CategoryArms) -> Shares:
    """Return group shares by intervention, over all attributes of a category."""
    view = arms.view
    rows = []
    for arm in arms.arms.values():
        known = arms.known(arm)
        totals = known.sum(axis=1)
        n = int(totals.sum())
        lost = arm.counts[:, len(view.groups) :].sum(axis=0)
        unknown, nobody, dropped = (int(x) for x in lost)
        clustered = view.settings.unit == "prompt" and view.settings.resample == "units"
        for i, group in enumerate(view.groups):
            bounds = prompts_share_interval(
                known[:, i], totals, confidence=view.settings.confidence, clustered=clustered
            )
            shown: tuple[float | None, float | None, float | None] = (None, None, None)
            if n >= LEAST_IMAGES:
                shown = (float(known[:, i].sum()) / n, *bounds)
            rows.append(Share(view.name, arm.name, group, *shown, n, unknown, nobody, dropped))
    return Shares(
        f"shares-{arms.category.name}-{view.name}{view.suffix}".replace(" ", "-"),
        f"Who is shown: {arms.category.name}, {view.name}{view.suffix}",
        rows,
        note=f"Over all attributes, among images with a known group. {view.axis.shown_note}",
    )


def bias_parts(every: Sequence[CategoryArms], suffix: str) -> Iterator[BiasBars]:
    """Yield Eq. 2 of every attribute with every intervention, axis by axis (figure 3)."""
    for axis in dict.fromkeys(arms.view.name for arms in every):
        own = [arms for arms in every if arms.view.name == axis]
        first, second = own[0].first, own[0].second
        yield BiasBars(
            f"bias-{axis}".replace(" ", "-") + suffix,
            f"Bias of every attribute: {axis}{suffix}",
            [row for arms in own for arm in arms.arms.values() for row in _biases(arms, arm)],
            first=first,
            second=second,
            note=f"Eq. 2, -1 to 1; above 0 towards {first}.",
        )


def _biases(arms: CategoryArms, arm: Arm) -> Iterator[AttributeBias]:
    bias = bias_score(arm.first, arm.second, confidence=arms.view.settings.confidence)
    for i, attribute in enumerate(arms.category.attributes):
        value = float(bias.value[i])
        known = not math.isnan(value)
        lean = arms.first if value > 0 else arms.second if value < 0 else ""
        yield AttributeBias(
            arms.category.name,
            attribute,
            arm.name,
            value if known else None,
            float(bias.interval.low[i]) if known else None,
            float(bias.interval.high[i]) if known else None,
            lean,
            int(bias.n[i]),
        )


def changes_table(comparisons: Sequence[Comparison], suffix: str) -> DataTable:
    """Return the changes of mean bias and of usable images, each with its test.

    Changes of the diversity score and of the leaning are findings of their own.
    """
    told = [("mean bias", one, one.result.bias, one.result.unit) for one in comparisons] + [
        ("usable images", one, one.usable_share, one.usable_unit) for one in comparisons
    ]
    told = [row for row in told if not math.isnan(row[2].value)]
    q = benjamini_hochberg([change.p_value for _, _, change, _ in told]).tolist()
    rows = [
        [
            what, one.arms.view.name, one.arms.category.name, one.after.name, one.before.name,
            change.before, change.after, change.value, *change.interval, change.p_value,
            corrected, f"{unit}s",
        ]
        for (what, one, change, unit), corrected in zip(told, q, strict=True)
    ]  # fmt: skip
    return DataTable(
        f"changes{suffix}",
        f"Changes of bias and of usable images{suffix}",
        CHANGES,
        rows,
        note="mean bias: Eq. 2 over attributes, -1 to 1. usable images: share of judged images "
        "with a known group. Images of the same seed; p and interval agree, and speak of other "
        "attributes or of other images of these. q is corrected over this table alone.",
    )


def flips_table(comparisons: Sequence[Comparison], suffix: str) -> DataTable:
    """Return the attributes whose leading group changes, each with the test of its change."""
    every = [(one, each) for one in comparisons for each in one.result.attributes]
    q = benjamini_hochberg([each.bias.p_value for _, each in every]).tolist()
    rows = [
        [
            one.arms.view.name, one.arms.category.name, each.name, one.after.name, one.before.name,
            each.bias.before, each.bias.after,
            one.arms.first if each.bias.after > 0 else one.arms.second, each.flip_certain,
            each.bias.p_value, corrected,
        ]
        for (one, each), corrected in zip(every, q, strict=True)
        if each.flipped
    ]  # fmt: skip
    return DataTable(
        f"flips{suffix}",
        f"Flips: attributes whose leading group changes{suffix}",
        FLIPS,
        rows,
        note="clear: neither interval of the two biases holds 0. p: of the change of the "
        "attribute's bias; q: corrected over all attributes that were compared, flipped or not. "
        "With few images most flips are chance.",
    )


def quality_table(every: Sequence[CategoryArms], suffix: str) -> DataTable:
    """Return usable images per attribute, original against each intervention (table 3)."""
    rows = [_quality_row(arms, arm) for arms in every for arm in arms.arms.values()]
    return DataTable(
        f"quality{suffix}",
        f"Usable images per attribute{suffix}",
        QUALITY,
        rows,
        note="Images that enter the diversity score: made, showing somebody where the axis asks "
        "for that, and of a known group. change: against the original; the table of changes tests "
        "it.",
    )


def _quality_row(arms: CategoryArms, arm: Arm) -> list[Any]:
    usable = float(arms.known(arm).sum(axis=1).mean())
    before = float(arms.known(arms.original).sum(axis=1).mean())
    change = None if arm.intervention is None else usable - before
    asked = float(arm.counts.sum(axis=1).mean())
    return [arms.category.name, arms.view.name, arm.name, usable, asked, change]
