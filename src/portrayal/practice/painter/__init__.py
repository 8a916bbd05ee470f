"""The painter of the practice world: a scene and a seed in, a small picture out."""

from __future__ import annotations

from portrayal.practice.painter.occupations import DISTINCT_OCCUPATIONS, LOOKALIKES
from portrayal.practice.painter.picture import paint

__all__ = ["DISTINCT_OCCUPATIONS", "LOOKALIKES", "paint"]
