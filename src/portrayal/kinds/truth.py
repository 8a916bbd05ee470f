"""What a study would find with unlimited images: one row per finding that has a truth."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from portrayal.studies import Study

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Truth:
    """The true answer to one question of a study.

    Attributes:
        study: The study's name.
        question: As the finding words it.
        statistic: As the finding names it.
        truth: The value; None where there is none.
        low: Lower end of the 95% interval of what is left unknown; an exact truth is its own.
        high: Upper end.
        how: "exact", or the size of the sample.
    """

    study: str
    question: str
    statistic: str
    truth: float | None
    low: float | None
    high: float | None
    how: str

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready copy."""
        return asdict(self)


def exact(study: Study, question: str, statistic: str, truth: float) -> Truth:
    """Return a truth that is known without a sample."""
    value = rounded(truth)
    return Truth(study.name, question, statistic, value, value, value, "exact")


def rounded(value: float | None) -> float | None:
    """Return a number with as many digits as are told, None where there is none."""
    return None if value is None or not math.isfinite(value) else round(value, _DIGITS)
