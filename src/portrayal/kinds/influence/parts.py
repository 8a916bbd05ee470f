"""What an influence study answers beside findings: scores of words, for bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from portrayal.findings import RowsPart
from portrayal.records import Plain


@dataclass(frozen=True, slots=True)
class InfluenceScore(Plain):
    """How far a word pushes towards a group, with bounds that hold for any model (Theorem 1)."""

    word: str
    position: int
    group: str
    score: float | None
    low: float | None
    high: float | None
    p: float | None
    bound_low: float | None
    bound_high: float | None


@dataclass(frozen=True, slots=True)
class InfluenceScores(RowsPart):
    """The influence of every word of a prompt on every group, in the prompt's order."""

    type: Literal["influence-scores"] = field(default="influence-scores", kw_only=True)
    rows: Sequence[InfluenceScore]


@dataclass(frozen=True, slots=True)
class InfluenceAverage(Plain):
    """How far a word pushes towards a group on average over the prompts that contain it."""

    word: str
    position: int
    group: str
    score: float | None
    low: float | None
    high: float | None
    p: float | None
    prompts: int
    factor: str


@dataclass(frozen=True, slots=True)
class InfluenceAverages(RowsPart):
    """The mean influence of each word of a factor on every group (figure 3)."""

    type: Literal["influence-averages"] = field(default="influence-averages", kw_only=True)
    rows: Sequence[InfluenceAverage]
