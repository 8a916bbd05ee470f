"""What a study costs and what it could detect, before anything is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from portrayal.analysis.settings import AnalysisSettings
from portrayal.audit import Audit
from portrayal.study import Study

DEFAULT_RATE = 4.0
"""Pictures a second: the practice model on two cores."""


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

    def row(self) -> tuple[str, ...]:
        """Return the plan as the cells of a table row."""
        numbers = (self.prompts, self.images, self.present, self.missing)
        return (self.study, *map(str, numbers), duration(self.seconds), self.detectable or "–")

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
    wanted: dict[str, int] = {}
    for prompt in study.prompts():
        wanted[prompt.text] = max(prompt.images, wanted.get(prompt.text, 0))
    images = sum(wanted.values())
    missing = images if audit is None else audit.missing(wanted.items()).num_rows
    return StudyPlan(
        study=study.name,
        prompts=len(wanted),
        images=images,
        present=images - missing,
        missing=missing,
        seconds=missing / rate,
        detectable=detectable(study, settings or AnalysisSettings()),
    )


def total_missing(studies: Sequence[Study], audit: Audit | None = None) -> int:
    """Count the images that several studies lack together; shared ones count once."""
    wanted: dict[str, int] = {}
    for study in studies:
        for prompt in study.prompts():
            wanted[prompt.text] = max(prompt.images, wanted.get(prompt.text, 0))
    return sum(wanted.values()) if audit is None else audit.missing(wanted.items()).num_rows


def detectable(study: Study, settings: AnalysisSettings) -> str:
    """Return the smallest effect that a study would find four times in five, in words."""
    return ""


def duration(seconds: float) -> str:
    """Write a time as people say it: `40 s`, `14 min`, `3.2 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
