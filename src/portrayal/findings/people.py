"""Images of several people, judged person by person where a person detector has looked.

Every person is classified alone, and most people of an image decide what it counts as. Where no
detector has looked, the encoder's view of the whole image decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from portrayal.findings.data import FloatArray, Images, StudyData
from portrayal.findings.groups import Classification, classify
from portrayal.findings.people_data import PeopleSeen
from portrayal.studies.axes import NOBODY, UNKNOWN, Axis


def image_label(labels: Sequence[str]) -> str:
    """Return what an image counts as, from the labels of its people.

    The label of most of them; "unknown" where two labels tie for most; "nobody" without people.

    >>> image_label(["woman", "man", "woman"]), image_label(["woman", "man"])
    ('woman', 'unknown')
    """
    if not labels:
        return NOBODY
    (first, most), *others = Counter(labels).most_common()
    return UNKNOWN if others and others[0][1] == most else first


def seen_groups(images: Images, axis: Axis, data: StudyData) -> Classification | None:
    """Give every image a group of an axis, "unknown", or "nobody".

    Args:
        images: Images of a study.
        axis: Groups and their texts.
        data: What the encoder saw, and the texts it has read.

    Returns:
        None where a text of the axis has not been embedded.
    """
    whole = classify(images.vectors, axis, data.text_vectors, logit_scale=data.logit_scale)
    if whole is None or data.people is None:
        return whole
    found = [data.people.vectors.get(key) for key in images.keys]
    crops = [vectors for vectors in found if vectors is not None and len(vectors)]
    if not crops:
        return _by_person(whole, found, [])
    # A detector has found them: the person question of the axis is answered.
    asked = axis.model_copy(update={"person": (), "object": ()})
    each = classify(np.concatenate(crops), asked, data.text_vectors, logit_scale=data.logit_scale)
    return whole if each is None else _by_person(whole, found, each.labels.tolist())


def _by_person(
    whole: Classification, found: Sequence[FloatArray | None], labels: Sequence[str]
) -> Classification:
    left = iter(labels)
    images = [
        str(label) if vectors is None else image_label([next(left) for _ in range(len(vectors))])
        for label, vectors in zip(whole.labels.tolist(), found, strict=True)
    ]
    return Classification(
        whole.groups,
        np.array(images, dtype=np.str_),
        whole.probabilities,
        whole.similarities,
        whole.person,
    )


def people_note(images: Images, people: PeopleSeen) -> str:
    """Say how images of several people count, and how many there are."""
    counts = [len(people.vectors[key]) for key in images.keys if key in people.vectors]
    whole = images.n - len(counts)
    note = (
        f"People are judged one by one where {people.detector} found them: of {images.n} images "
        f"{counts.count(0)} show nobody, {counts.count(1)} one person, "
        f"{sum(n > 1 for n in counts)} several. Most people of an image decide what it counts as; "
        "a tie is unknown."
    )
    return note + (f" {whole} images without a look count as a whole." if whole else "")
