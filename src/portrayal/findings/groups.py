"""Which group an image is seen to show: arithmetic on stored embeddings, without a model.

The similarity of an image with a group is the cosine of its embedding with the mean of the
normalised embeddings of the group's texts. Probabilities are the softmax of similarities times the
encoder's logit scale, over all groups and "unknown". An image that is closer to the object texts
than to the person texts shows nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from portrayal.findings.directions import TextVectors, axis_directions
from portrayal.findings.vectors import Cosines, FloatArray
from portrayal.studies import NOBODY, UNKNOWN, Axis


class Label(NamedTuple):
    """A label, and how probable the measurer finds it; NaN where the label follows from a rule.

    Such a rule is the axis's threshold, the person filter, or most people of an image.
    """

    label: str
    probability: float


@dataclass(frozen=True, slots=True)
class Classification:
    """What a measurer says about some images on one axis.

    Attributes:
        groups: Names of the columns: the axis's groups, and other answers such as "unknown".
        labels: The label of each image: a group, "unknown", or "nobody".
        probabilities: One row per image, one column per name in `groups`.
        similarities: Cosines in the same layout; None where the measurer gave labels itself.
        person: Similarity with a person minus similarity with an object; None without a filter.
        people: The labels of each image's people; None for an image that counts as a whole. Empty
            where all do.
    """

    groups: tuple[str, ...]
    labels: npt.NDArray[np.str_]
    probabilities: FloatArray = field(repr=False)
    similarities: FloatArray | None = field(default=None, repr=False)
    person: FloatArray | None = field(default=None, repr=False)
    people: Sequence[Sequence[Label] | None] = field(default=(), repr=False)

    def count(self, label: str) -> int:
        """Return how many images got this label."""
        return int((self.labels == label).sum())

    def chosen(self) -> list[Label]:
        """Return the label of each image with its probability."""
        pairs = zip(self.labels.tolist(), self.chosen_probabilities().tolist(), strict=True)
        return [Label(*pair) for pair in pairs]

    def chosen_probabilities(self) -> FloatArray:
        """Return how probable each image's label is; NaN where it follows from a rule."""
        best = np.array(self.groups)[self.probabilities.argmax(axis=1)]
        most = self.probabilities.max(axis=1, initial=0.0)
        found = np.where(best == self.labels, most, np.nan)
        for i, people in enumerate(self.people):
            if people is not None:
                found[i] = people[0].probability if len(people) == 1 else np.nan
        return found


def classify(
    cosines: Cosines, axis: Axis, text_vectors: TextVectors, *, logit_scale: float
) -> Classification | None:
    """Give every image a group of an axis, "unknown", or "nobody".

    Args:
        cosines: Of the images' embeddings with directions.
        axis: Groups and their texts.
        text_vectors: Gives one embedding per text, or None where one is not there.
        logit_scale: What similarities are multiplied with before the softmax.

    Returns:
        None where a text of the axis has not been embedded.
    """
    directions = axis_directions(axis, text_vectors)
    if directions is None:
        return None
    answers = directions.answers
    found = cosines(directions.all())
    similarities = found[:, : len(answers)]
    probabilities = softmax(similarities * logit_scale)
    labels = most_probable(answers, probabilities, axis.threshold)
    person: FloatArray | None = None
    if len(directions.filters):
        person = found[:, -2] - found[:, -1]
        labels[person <= 0] = NOBODY
    return Classification(answers, labels.astype(str), probabilities, similarities, person)


def most_probable(
    answers: Sequence[str], probabilities: FloatArray, threshold: float
) -> npt.NDArray[np.object_]:
    """Return the label of each row: the one rule for which group counts as known.

    The most probable answer; "unknown" where a group is below the threshold, or where two answers
    are equally probable.

    Args:
        answers: Names of the columns.
        probabilities: One row per image.
        threshold: Of the axis.
    """
    labels: npt.NDArray[np.object_] = np.array(answers, dtype=object)[probabilities.argmax(axis=1)]
    most = probabilities.max(axis=1, initial=0.0)
    tied = (probabilities == most[:, None]).sum(axis=1) > 1
    labels[tied | ((most < threshold) & (labels != NOBODY))] = UNKNOWN
    return labels


def softmax(logits: FloatArray) -> FloatArray:
    """Return probabilities, row by row."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
