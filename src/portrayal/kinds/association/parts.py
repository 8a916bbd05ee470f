"""What an association study answers beside findings: arrows from texts to images (figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from portrayal.findings import RowsPart
from portrayal.records import Plain


@dataclass(frozen=True, slots=True)
class Arrow(Plain):
    """The association of a concept's texts and of its images."""

    concept: str
    text: float | None
    image: float | None
    image_low: float | None
    image_high: float | None
    text_low: float | None
    text_high: float | None


@dataclass(frozen=True, slots=True)
class Arrows(RowsPart):
    """From the prompts' texts to their images, concept by concept."""

    type: Literal["arrows"] = field(default="arrows", kw_only=True)
    rows: Sequence[Arrow]
