"""What an intervention study answers beside findings: the bias of every attribute (figure 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from portrayal.findings import RowsPart
from portrayal.records import Plain


@dataclass(frozen=True, slots=True)
class AttributeBias(Plain):
    """ENTIGEN's bias (Eq. 2) of one attribute with one intervention; None without images."""

    category: str
    attribute: str
    intervention: str
    bias: float | None
    low: float | None
    high: float | None
    toward: str
    n: int


@dataclass(frozen=True, slots=True)
class BiasBars(RowsPart):
    """The bias of every attribute on one axis.

    Attributes:
        first: The group that a bias above 0 leans to.
        second: What a bias below 0 leans to.
    """

    type: Literal["bias"] = field(default="bias", kw_only=True)
    rows: Sequence[AttributeBias]
    first: str = field(default="", kw_only=True)
    second: str = field(default="", kw_only=True)
