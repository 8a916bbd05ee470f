"""What an intervention changes, as findings with plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from portrayal.findings import (
    AnalysisSettings,
    Asked,
    Finding,
    FloatArray,
    Headline,
    LabelScale,
    capital,
    counted,
)
from portrayal.kinds.intervention.arms import Arm, CategoryArms
from portrayal.kinds.intervention.headlines import addition_headline, addition_sentence
from portrayal.numbers import number, percent
from portrayal.records import NOBODY, UNKNOWN
from portrayal.statistics import (
    Change,
    Interval,
    LeaningResult,
    PairedChangeResult,
    Unit,
    diversity_score,
    leaning_change,
    paired_bias_change,
    paired_change,
)

DIVERSITY = "diversity score"
DIVERSITY_CHANGE = "change of diversity score"
LEANING_CHANGE = "change of leaning"
LEAST_IMAGES = 3
LEAST_ATTRIBUTES = 8
"""Fewer attributes say too little about how much others differ; the answer is for these."""
MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two arms of one category, and what changed between them.

    Attributes:
        arms: The category on one axis.
        before: The original, or the intervention that `after` is a variant of.
        after: The arm with the intervention.
        result: The paired change of who is shown.
    """

    arms: CategoryArms
    before: Arm
    after: Arm
    result: PairedChangeResult

    @property
    def usable_unit(self) -> Unit:
        """What `usable_share` is for."""
        settings = self.arms.view.settings
        return swapped_unit(settings, self.before.usable, self.after.usable)

    @property
    def usable_share(self) -> Change:
        """The change of the share of images with a known group: half of that of Eq. 2."""
        settings = self.arms.view.settings
        names = (self.arms.category.name, self.before.name, self.after.name)
        bias = paired_bias_change(
            self.before.usable,
            self.after.usable,
            rng=_rng(self.arms, *names, "usable"),
            unit=self.usable_unit,
            resamples=settings.resamples,
            confidence=settings.confidence,
        )
        low, high = bias.interval
        return replace(
            bias,
            before=(1 + bias.before) / 2,
            after=(1 + bias.after) / 2,
            value=bias.value / 2,
            interval=Interval(low / 2, high / 2),
            per_attribute=tuple(one / 2 for one in bias.per_attribute),
        )

    @property
    def enough(self) -> bool:
        """Whether both sides have images whose group is known."""
        sides = (self.before, self.after)
        return all(int((arm.first + arm.second).sum()) >= LEAST_IMAGES for arm in sides)


def compare(arms: CategoryArms, before: Arm, after: Arm) -> Comparison:
    """Compare two arms of a category, seed by seed."""
    settings = arms.view.settings
    result = paired_change(
        before.outcome,
        after.outcome,
        rng=_rng(arms, arms.category.name, before.name, after.name),
        attributes=arms.category.attributes,
        unit=swapped_unit(settings, before.outcome, after.outcome),
        resamples=settings.resamples,
        confidence=settings.confidence,
    )
    return Comparison(arms, before, after, result)


def swapped_unit(settings: AnalysisSettings, before: FloatArray, after: FloatArray) -> Unit:
    """Return what the answer is for: other attributes where there are enough, else images."""
    both = (~np.isnan(before)).any(axis=1) & (~np.isnan(after)).any(axis=1)
    return "attribute" if settings.unit == "prompt" and both.sum() >= LEAST_ATTRIBUTES else "image"


def original_finding(arms: CategoryArms) -> Finding:
    """Say how unevenly groups are shown without an intervention (Eq. 1)."""
    view, arm = arms.view, arms.original
    score = diversity_score(arm.first, arm.second, confidence=view.settings.confidence)
    details = {
        "axis": view.name,
        "category": arms.category.name,
        "intervention": arm.name,
        "published": score.published,
    }
    question = f"{_where(arms)}: how unevenly are groups shown without an intervention?"
    asked = _asked(arms, question, DIVERSITY, unit="image", details=details)
    used = {"n": score.n, "n_missing": int(arm.counts.sum()) - score.n}
    if score.n < LEAST_IMAGES:
        reason = f"{counted(score.n, 'image')} with a known group; {_LEAST} are needed"
        return _unanswered(asked, arms, reason, **used)
    if _single(arm):
        return _unanswered(asked, arms, _SINGLE, **used)
    return asked.answered(
        score.value,
        score.interval,
        **used,
        sentence=f"{capital(arms.category.name)} without an addition: imbalance "
        f"{number(score.value)} over {counted(score.n_attributes, 'attribute')} (0: {arms.first} "
        f"and {arms.second} equally often for each, 1: one only; ENTIGEN's formula: "
        f"{_known(score.published)}).",
    ).on_labels(LabelScale(0.0, 2.0, 0.0, 1.0), plug_in=score.published)


def diversity_finding(comparison: Comparison) -> Finding:
    """Say how an intervention changes the diversity score of a category."""
    arms, result = comparison.arms, comparison.result
    change = result.diversity
    against = _against(comparison.before)
    question = f"{_where(arms)}: diversity changed by {_quoted(comparison.after)}{against}"
    asked = _asked(
        arms, question, DIVERSITY_CHANGE, unit=_unit_word(result.unit), details=_details(comparison)
    )
    used = {"n": result.n, "n_missing": result.n_missing}
    if _single(comparison.before) and _single(comparison.after):
        return _unanswered(asked, arms, _SINGLE, **used)
    if not comparison.enough or math.isnan(change.value):
        known = [
            int((arm.first + arm.second).sum()) for arm in (comparison.before, comparison.after)
        ]
        reason = (
            f"{known[0]} images with a known group before, {known[1]} after; {_LEAST} on each side "
            "are needed"
        )
        return _unanswered(asked, arms, reason, **used)
    return (
        asked.answered(
            change.value,
            change.interval,
            p=change.p_value,
            **used,
            sentence=f"{addition_sentence([comparison])} Imbalance {_moves(change)} (0: equally "
            f"often, 1: one only).{_unknown(comparison)}{_flips(comparison)}",
        )
        .with_headline(_imbalance_headline(comparison))
        .on_labels(LabelScale(0.0, 4.0, -1.0, 1.0), units=change.per_attribute)
    )


def leaning_finding(parts: Sequence[Comparison]) -> Finding | None:
    """Say how much of the attributes' usual leaning an intervention leaves, over all categories.

    None where no other prompt of the attributes tells what their usual leaning is.
    """
    arms, settings = parts[0].arms, parts[0].arms.view.settings
    usual = np.concatenate([one.arms.usual(one.before, one.after) for one in parts])
    if np.isnan(usual).all():
        return None
    width = max(one.before.outcome.shape[1] for one in parts)
    before = np.concatenate([_padded(one.before.outcome, width) for one in parts])
    after = np.concatenate([_padded(one.after.outcome, width) for one in parts])
    unit = swapped_unit(settings, before, after)
    last = parts[0].after
    found = leaning_change(
        before, after, usual,
        rng=_rng(arms, "leaning", parts[0].before.name, last.name), unit=unit,
        resamples=settings.resamples, confidence=settings.confidence,
    )  # fmt: skip
    change, n = found.leaning, sum(one.result.n for one in parts)
    missing = sum(one.result.n_missing for one in parts)
    against, axis = _against(parts[0].before), arms.view.name
    asked = _asked(
        arms, f"{axis}: leaning changed by {_quoted(last)}{against}", LEANING_CHANGE,
        unit=_unit_word(unit), details=_leaning_details(parts, found),
    )  # fmt: skip
    if math.isnan(change.value):
        reason = "no attribute with a known group before and after"
        return _unanswered(asked, arms, reason, n=0, n_missing=missing)
    return (
        asked.answered(
            change.value,
            change.interval,
            p=change.p_value,
            n=n,
            n_missing=missing,
            sentence=addition_sentence(parts),
        )
        .with_headline(addition_headline(parts, abs(change.value)))
        .on_labels(LabelScale(0.0, 4.0, -2.0, 2.0), units=change.per_attribute)
    )


def _leaning_details(parts: Sequence[Comparison], found: LeaningResult) -> dict[str, Any]:
    arms, last, change = parts[0].arms, parts[0].after, found.leaning
    return {
        "axis": arms.view.name,
        "categories": [one.arms.category.name for one in parts],
        "intervention": last.name,
        "against": parts[0].before.name,
        "speaks_to": last.intervention.axis if last.intervention else "",
        "before": change.before,
        "after": change.after,
        "kept": change.after / change.before if change.before > 0 else math.nan,
        "n_attributes": found.n_attributes,
    }


def _details(comparison: Comparison) -> dict[str, Any]:
    arms, result = comparison.arms, comparison.result
    sentence = comparison.after.intervention
    return {
        "axis": arms.view.name,
        "category": arms.category.name,
        "intervention": comparison.after.name,
        "against": comparison.before.name,
        "speaks_to": sentence.axis if sentence else "",
        "before": result.diversity.before,
        "after": result.diversity.after,
        **_as_published(result),
        "unknown_before": result.unknown.before,
        "unknown_after": result.unknown.after,
        "unknown_differ": result.unknown.differ,
        "bounds_low": result.unknown.bounds.low,
        "bounds_high": result.unknown.bounds.high,
        "toward": arms.first,
        "bias_before": result.bias.before,
        "bias_after": result.bias.after,
        "bias_change": result.bias.value,
        "bias_low": result.bias.interval.low,
        "bias_high": result.bias.interval.high,
        "flips": list(result.flips),
        "certain_flips": [one.name for one in result.attributes if one.flip_certain],
    }


def _moves(change: Change) -> str:
    if change.value == 0:
        return "does not change"
    return f"{'rises' if change.value > 0 else 'falls'} by {number(abs(change.value))}"


def _imbalance_headline(comparison: Comparison) -> Headline:
    """Return the headline of a change of imbalance; its bars are those of the addition."""
    told, change = addition_headline([comparison], 0.0), comparison.result.diversity
    category = comparison.arms.category.name
    name = f"“{capital(comparison.after.name)}”"
    more = "less" if change.value > 0 else "more"
    return replace(
        told,
        claim=f"{name} makes images by {category} {more} evenly split",
        otherwise=f"{name}: no significant change of imbalance by {category}",
        magnitude=min(1.0, abs(change.value) / 2),  # a share moves half as far as the score
    )


def _as_published(result: PairedChangeResult) -> dict[str, float]:
    """Return Eq. 1 as published, before and after."""
    scores = result.diversity.published
    if scores is None:
        return {}
    return {"published_before": scores.before, "published_after": scores.after}


def _unknown(comparison: Comparison) -> str:
    """Say that images without a group are more frequent on one side, and what they could hide."""
    unknown = comparison.result.unknown
    if not unknown.differ:
        return ""
    low, high = unknown.bounds
    return (
        f" No group is known for {percent(unknown.before)} of the images without it"
        f"{_lost(comparison.before)} and {percent(unknown.after)} with it"
        f"{_lost(comparison.after)}; the test assumes that this does not depend on the "
        f"group. Without that assumption the change of the published score lies between "
        f"{number(low)} and {number(high)}."
    )


def _lost(arm: Arm) -> str:
    """Say in brackets what became of an arm's images without a group; "" where all have one."""
    names = (UNKNOWN, NOBODY, "refused, failed or not measured")
    totals = zip(arm.counts[:, -3:].sum(axis=0).tolist(), names, strict=True)
    told = [f"{n} {name}" for n, name in totals if n]
    return f" ({'; '.join(told)})" if told else ""


def _known(value: float) -> str:
    return "none" if math.isnan(value) else number(value)


def _flips(comparison: Comparison) -> str:
    """Name the attributes whose leading group changed: the certain ones, else the first few."""
    attributes = {one.name: one for one in comparison.result.attributes}
    flips = [attributes[name] for name in comparison.result.flips]
    if not flips:
        return ""
    certain = [one for one in flips if one.flip_certain]
    shown = (certain or flips)[:MOST_NAMES]
    arms = comparison.arms
    named = ", ".join(
        f"{one.name} (to {arms.first if one.bias.after > 0 else arms.second})" for one in shown
    )
    more = len(certain or flips) - len(shown)
    rest = f" and {more} more" if more else ""
    clear = f"clearly for {named}{rest}" if certain else f"{named}{rest}; none of them clearly"
    return f" The leading group changes for {counted(len(flips), 'attribute')}: {clear}."


def _single(arm: Arm) -> bool:
    """Whether no attribute has two images: Eq. 1 is then 1 whatever they show."""
    return bool((arm.first + arm.second).max(initial=0) < 2)


_LEAST = f"at least {LEAST_IMAGES}"
_SINGLE = (
    "every attribute has one image, whose diversity score is 1 whatever it shows; ask for more "
    "images per prompt"
)


def _asked(
    arms: CategoryArms, question: str, statistic: str, *, unit: str, details: dict[str, Any]
) -> Asked:
    view = arms.view
    return Asked.of(
        view.study, f"{question}{view.suffix}", statistic,
        unit=unit, measurer=view.data.label, details=details,
        n_of="image" if statistic == DIVERSITY else "pair",
    )  # fmt: skip


def _unanswered(
    asked: Asked, arms: CategoryArms, reason: str, *, n: int, n_missing: int
) -> Finding:
    data = arms.view.data
    return asked.unanswered(
        f"{_where(arms)}: {reason}",
        n=n,
        n_missing=n_missing,
        dropped=data.dropped,
        wanted=data.wanted,
    )


def _where(arms: CategoryArms) -> str:
    return f"{arms.category.name}, {arms.view.name}"


def _quoted(arm: Arm) -> str:
    return f"“{arm.name}”"


def _against(before: Arm) -> str:
    return "" if before.intervention is None else f" against “{before.name}”"


def _unit_word(unit: Unit) -> str:
    return "attribute" if unit == "attribute" else "image"


def _padded(outcome: FloatArray, width: int) -> FloatArray:
    return np.pad(outcome, ((0, 0), (0, width - outcome.shape[1])), constant_values=np.nan)


def _rng(arms: CategoryArms, *names: str) -> np.random.Generator:
    view = arms.view
    # Not by encoder: the same labels have the same score, whoever gave them.
    return view.settings.rng(view.study.name, view.name, *names)
