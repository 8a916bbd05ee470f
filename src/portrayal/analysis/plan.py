"""What a study costs and what it could detect, before anything is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from portrayal.analysis.settings import AnalysisSettings
from portrayal.audit import Audit
from portrayal.audit.wants import most_wanted
from portrayal.statistics.power import detectable_effect, detectable_share_difference
from portrayal.study import AssociationStudy, CompositionStudy, Contrast, InterventionStudy, Study

DEFAULT_RATE = 4.0
"""Pictures a second: the practice model on two cores."""

TOGETHER = "all together"
"""What stands in place of a study's name where a plan is about several."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Cost and power of one study.

    Attributes:
        study: Its name.
        prompts: Different prompts.
        images: Images wanted.
        present: Of these, how many the audit holds (refused and failed ones count as asked).
        missing: How many are still to be made.
        seconds: Expected time for the missing ones.
        detectable: The smallest effect that the study would find four times in five, in words; ""
            where the kind has none.
    """

    study: str
    prompts: int
    images: int
    present: int
    missing: int
    seconds: float
    detectable: str

    def row(self) -> tuple[str | int, ...]:
        """Return the plan as the cells of a table row."""
        numbers = (self.prompts, self.images, self.present, self.missing)
        return (self.study, *numbers, duration(self.seconds), self.detectable or "–")

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def plan_study(
    study: Study,
    audit: Audit | None = None,
    *,
    rate: float = DEFAULT_RATE,
    settings: AnalysisSettings | None = None,
) -> StudyPlan:
    """Say what a study costs in this audit, and what it could detect.

    Args:
        study: The study.
        audit: Where its images go; None: a new audit.
        rate: Pictures a second.
        settings: How it will be analyzed.
    """
    wanted = most_wanted((prompt.text, prompt.seeds) for prompt in study.prompts())
    images = sum(map(len, wanted.values()))
    missing = _missing(wanted, audit)
    return StudyPlan(
        study=study.name,
        prompts=len(wanted),
        images=images,
        present=images - missing,
        missing=missing,
        seconds=missing / rate,
        detectable=detectable(study, settings or AnalysisSettings()),
    )


def plan_together(
    studies: Sequence[Study],
    audit: Audit | None = None,
    *,
    others: Sequence[StudyPlan] = (),
    rate: float = DEFAULT_RATE,
) -> StudyPlan:
    """Say what several studies cost in one audit; images that they share count once.

    Args:
        studies: The studies.
        audit: Where their images go; None: a new audit.
        others: Plans of studies that share no image with these; they are added as they are.
        rate: Pictures a second.
    """
    wanted = most_wanted((p.text, p.seeds) for study in studies for p in study.prompts())
    images = sum(map(len, wanted.values())) + sum(one.images for one in others)
    missing = _missing(wanted, audit) + sum(one.missing for one in others)
    return StudyPlan(
        study=TOGETHER,
        prompts=len(wanted) + sum(one.prompts for one in others),
        images=images,
        present=images - missing,
        missing=missing,
        seconds=missing / rate,
        detectable="",
    )


def _missing(wanted: Mapping[str, range], audit: Audit | None) -> int:
    """Count wanted images that are not there; of imported ones any seed will do."""
    if audit is None:
        return sum(map(len, wanted.values()))
    if audit.generator.kind != "folder":
        return int(audit.missing(wanted.items()).num_rows)
    there = Counter[str](prompt for (prompt,) in audit.images().select("prompt").fetchall())
    return sum(max(len(seeds) - there[prompt], 0) for prompt, seeds in wanted.items())


def detectable(study: Study, settings: AnalysisSettings) -> str:
    """Return the smallest effect that a study would find four times in five, in words.

    Associations of two images of one prompt are taken to be correlated by 0.5.
    """
    if isinstance(study, AssociationStudy):
        effects = [_detectable_d(study, contrast, settings) for contrast in study.contrasts]
        return _smallest_and_largest("d", effects) if effects else ""
    if isinstance(study, CompositionStudy):
        images = _images_per_level(study)
        if len(images) < 2:
            return ""
        difference = detectable_share_difference(min(images), min(images))
        if math.isnan(difference):
            return "no difference of shares: too few images"
        return f"shares {100 * difference:.0f} points apart"
    if isinstance(study, InterventionStudy):
        axes = dict.fromkeys(axis for category in study.categories for axis in category.axes)
        changes = [_detectable_change(study, axis, settings) for axis in axes]
        return _smallest_and_largest("change of leaning", changes)
    return ""


def _detectable_d(study: AssociationStudy, contrast: Contrast, settings: AnalysisSettings) -> float:
    n_x, n_y = (len(study.concepts[name].words) for name in contrast)
    by_prompt = settings.unit == "prompt"
    return detectable_effect(
        n_x if by_prompt else n_x * study.images,
        n_y if by_prompt else n_y * study.images,
        images_per_unit=study.images if by_prompt else 1,
        alpha=1 - settings.confidence,
        alternative=settings.alternative,
    )


def _detectable_change(study: InterventionStudy, axis: str, settings: AnalysisSettings) -> float:
    """Return the change of leaning that an intervention must cause to be found four times in five.

    Normal approximation for attributes of which three images in four show one group; weighting
    them by their usual leaning costs a fifth of them. NaN where even a change from one group only
    to even shares would not do.
    """
    attributes = sum(len(part.attributes) for part in study.categories if axis in part.axes)
    variance = 2 * (1 - 0.5**2) / (study.images * attributes * 0.8)
    quantiles = stats.norm.ppf([0.5 + settings.confidence / 2, 0.8])
    change = float(np.sum(quantiles)) * math.sqrt(variance)
    return change if change <= 1 else math.nan


def _smallest_and_largest(name: str, effects: Sequence[float]) -> str:
    known = [effect for effect in effects if not math.isnan(effect)]
    if not known:
        return "nothing: too few prompts"
    low, high = min(known), max(known)
    return f"{name} {low:.2f}" if high - low < 0.005 else f"{name} {low:.2f} to {high:.2f}"


def _images_per_level(study: CompositionStudy) -> list[int]:
    """Return the images of each level of the factor with most levels."""
    counts: dict[str, Counter[str]] = {}
    for prompt in study.prompts():
        for factor, level in prompt.factors.items():
            counts.setdefault(factor, Counter())[level] += prompt.images
    return list(max(counts.values(), key=len).values()) if counts else []


def duration(seconds: float) -> str:
    """Write a time as people say it: `40 s`, `14 min`, `3.2 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
