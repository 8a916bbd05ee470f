"""The directions that an axis's texts point to: what images' embeddings are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from portrayal.findings.vectors import FloatArray, normalised
from portrayal.studies import UNKNOWN, Axis

TextVectors = Callable[[Sequence[str]], FloatArray | None]
"""Gives one embedding per text, or None where one is not there."""


class AxisDirections(NamedTuple):
    """The directions of an axis, all of length one.

    Attributes:
        answers: The axis's groups, and "unknown" where it has texts.
        groups: One direction per answer.
        filters: Person and object, where the axis has a person filter.
    """

    answers: tuple[str, ...]
    groups: FloatArray
    filters: FloatArray

    def all(self) -> FloatArray:
        """Return every direction, one per row."""
        return np.concatenate([self.groups, self.filters])


def axis_directions(axis: Axis, text_vectors: TextVectors) -> AxisDirections | None:
    """Return the directions of an axis; None where a text has not been embedded."""
    texts = {**axis.groups, **({UNKNOWN: axis.unknown} if axis.unknown else {})}
    sides = [side for side in (axis.person, axis.object) if side]
    found = [ensemble(text_vectors(some)) for some in (*texts.values(), *sides)]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    n = len(texts)
    return AxisDirections(
        tuple(texts), np.array(known[:n]), np.array(known[n:]).reshape(-1, len(known[0]))
    )


def ensemble(vectors: FloatArray | None) -> FloatArray | None:
    """Return the direction of the mean of normalised vectors; None where there is none."""
    if vectors is None:
        return None
    mean = normalised(vectors).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else None
