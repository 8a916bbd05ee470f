"""What an amplification study answers beside findings: both sides' shares, for the scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from portrayal.findings import RowsPart
from portrayal.records import Plain


@dataclass(frozen=True, slots=True)
class OccupationShares(Plain):
    """The share of a group in training and generated images, in percent."""

    occupation: str
    prompt: str
    training: float | None
    training_low: float | None
    training_high: float | None
    training_n: int
    generated: float | None
    generated_low: float | None
    generated_high: float | None
    generated_n: int
    amplification: float | None
    switches: bool
    subset: str


@dataclass(frozen=True, slots=True)
class AmplificationScatter(RowsPart):
    """Every occupation and prompt at its share in training and generated images."""

    type: Literal["amplification-scatter"] = field(default="amplification-scatter", kw_only=True)
    rows: Sequence[OccupationShares]

    has_sides: ClassVar[bool] = True
