"""The painter of the practice world: a scene and a seed in, a small image out."""

from __future__ import annotations

from portrayal_practice.painter.image import paint
from portrayal_practice.painter.occupations import DISTINCT_OCCUPATIONS, LOOKALIKES

__all__ = ["DISTINCT_OCCUPATIONS", "LOOKALIKES", "paint"]
