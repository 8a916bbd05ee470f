"""Which group an image is seen to show: arithmetic on stored embeddings, without a model.

The similarity of an image with a group is the cosine of its embedding with the mean of the
normalised embeddings of the group's texts. Probabilities are the softmax of similarities times the
encoder's logit scale, over all groups and "unknown". The best one wins; where its probability is
below the axis's threshold, the answer is "unknown". An image that is closer to the object texts
than to the person texts shows nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from portrayal.findings.data import FloatArray
from portrayal.studies.axes import NOBODY, UNKNOWN, Axis

TextVectors = Callable[[Sequence[str]], FloatArray | None]


@dataclass(frozen=True, slots=True)
class Classification:
    """What one axis says about some images.

    Attributes:
        groups: Names of the columns: the axis's groups, and "unknown" where it has texts.
        labels: The answer for each image: a group, "unknown", or "nobody".
        probabilities: One row per image, one column per name in `groups`.
        similarities: Cosines in the same layout.
        person: Similarity with a person minus similarity with an object; None without a filter.
    """

    groups: tuple[str, ...]
    labels: npt.NDArray[np.str_]
    probabilities: FloatArray = field(repr=False)
    similarities: FloatArray = field(repr=False)
    person: FloatArray | None = field(repr=False)

    def count(self, label: str) -> int:
        """Return how many images got this label."""
        return int((self.labels == label).sum())


def classify(
    images: FloatArray, axis: Axis, text_vectors: TextVectors, *, logit_scale: float
) -> Classification | None:
    """Give every image a group of an axis, "unknown", or "nobody".

    Args:
        images: One embedding per row, not necessarily normalised.
        axis: Groups and their texts.
        text_vectors: Gives one embedding per text, or None where one is not there.
        logit_scale: What similarities are multiplied with before the softmax.

    Returns:
        None where a text of the axis has not been embedded.
    """
    texts = {**axis.groups, **({UNKNOWN: axis.unknown} if axis.unknown else {})}
    directions = [ensemble(text_vectors(group)) for group in texts.values()]
    filters = [ensemble(text_vectors(side)) for side in (axis.person, axis.object) if side]
    if any(direction is None for direction in (*directions, *filters)):
        return None
    # Without a single image nothing tells how wide an embedding is.
    rows = normalised(images) if len(images) else np.zeros((0, len(np.array(directions)[0])))
    similarities = rows @ np.array(directions).T
    probabilities = softmax(similarities * logit_scale)
    best = probabilities.argmax(axis=1)
    names = np.array(list(texts))
    labels = names[best].astype(object)
    labels[probabilities.max(axis=1) < axis.threshold] = UNKNOWN
    person: FloatArray | None = None
    if filters:
        closeness = rows @ np.array(filters).T
        person = closeness[:, 0] - closeness[:, 1]
        labels[person <= 0] = NOBODY
    return Classification(tuple(texts), labels.astype(str), probabilities, similarities, person)


def ensemble(vectors: FloatArray | None) -> FloatArray | None:
    """Return the direction of the mean of normalised vectors; None where there is none."""
    if vectors is None:
        return None
    mean = normalised(vectors).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else None


def normalised(vectors: FloatArray) -> FloatArray:
    """Return vectors of length one."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def softmax(logits: FloatArray) -> FloatArray:
    """Return probabilities, row by row."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
