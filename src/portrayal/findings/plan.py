"""What studies cost, before anything is generated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from portrayal.audit import AuditFolder, Wanted
from portrayal.studies import Study

DEFAULT_RATE = 4.0
"""Images per second: a small model on two cores."""

TOGETHER = "all together"
"""What is shown in place of a study's name where a plan is about several."""


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


def plan_studies(
    studies: Sequence[Study],
    audit: AuditFolder | None = None,
    *,
    name: str,
    rate: float = DEFAULT_RATE,
    detectable: str = "",
) -> StudyPlan:
    """Say what one or more studies cost in one audit; images that they share count once.

    Texts that are still to be drawn for a study are counted as new prompts.

    Args:
        studies: The studies.
        audit: Where their images go; None: a new audit.
        name: What the plan is about.
        rate: Images per second.
        detectable: The smallest effect that would be found, in words.
    """
    wanted = Wanted.by(prompt for study in studies for prompt in study.prompts())
    undrawn = [study.undrawn() for study in studies]
    more = sum(one.images for one in undrawn)
    missing = _missing(wanted, audit) + more
    images = len(wanted) + more
    return StudyPlan(
        study=name,
        prompts=len(wanted.prompts) + sum(one.prompts for one in undrawn),
        images=images,
        present=images - missing,
        missing=missing,
        seconds=missing / rate,
        detectable=detectable,
    )


def _missing(wanted: Wanted, audit: AuditFolder | None) -> int:
    """Count wanted images that are not there; of imported ones any seed will do."""
    if audit is None:
        return len(wanted)
    if not audit.is_imported:
        return int(audit.missing(wanted).num_rows)
    there = Counter[str](prompt for (prompt,) in audit.images().select("prompt").fetchall())
    return sum(max(len(seeds) - there[prompt], 0) for prompt, seeds in wanted.seeds.items())


def reach_in_words(name: str, effects: Sequence[float]) -> str:
    """Write the smallest and the largest of detectable effects; NaN: one that none would do."""
    known = [effect for effect in effects if not math.isnan(effect)]
    if not known:
        return "nothing: too few prompts"
    low, high = min(known), max(known)
    return f"{name} {low:.2f}" if high - low < 0.005 else f"{name} {low:.2f} to {high:.2f}"


def duration(seconds: float) -> str:
    """Write a time as people say it: `40 s`, `14 min`, `3.2 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
