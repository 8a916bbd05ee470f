"""Labels: the one place where a measurer's label of an image on an axis comes from.

A measurer that gives labels is taken at its word, with the axis's threshold; of an encoder, stored
embeddings are compared with the axis's texts (`groups`). Where people were looked for one by one,
most people of an image decide what it counts as.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from portrayal.errors import one_of
from portrayal.findings.data import Images, StudyData
from portrayal.findings.groups import Classification, classify, most_probable
from portrayal.findings.people import PeopleSeen, SeenPerson, image_label
from portrayal.findings.vectors import Cosines, cosines_of
from portrayal.measurers import Labels
from portrayal.records import NOBODY, UNKNOWN
from portrayal.studies import Axis


class Shown(NamedTuple):
    """Images to be labelled, with what their measurer stored of them.

    Attributes:
        keys: The images.
        cosines: Of their embeddings with directions; None where the measurer gives none.
        labels: Its own labels, by image key.
        people: The people in them; None: images count as a whole.
    """

    keys: Sequence[str]
    cosines: Cosines | None
    labels: Mapping[str, Labels]
    people: PeopleSeen | None


def image_labels(images: Images, name: str, axis: Axis, data: StudyData) -> Classification | None:
    """Give every image a label: a group of an axis, "unknown", or "nobody".

    Args:
        images: Images of a study.
        name: The axis's name.
        axis: Its groups and texts.
        data: What the measurer said of the study's images.

    Returns:
        None where the measurer says nothing on the axis; `unlabelled` tells why.
    """
    cosines = images.cosines if data.embeds else None
    shown = Shown(images.keys, cosines, data.labels, data.people)
    return label_shown(shown, name, axis, data)


def label_shown(shown: Shown, name: str, axis: Axis, data: StudyData) -> Classification | None:
    """Label images that need not be a study's.

    Args:
        shown: The images.
        name: The axis's name.
        axis: Its groups and texts.
        data: Of the same measurer: the texts that it has read.

    Returns:
        None where the measurer says nothing on the axis, or is unfit to.
    """
    if name in data.unfit:
        return None
    if data.threshold is not None:
        axis = axis.model_copy(update={"threshold": data.threshold})
    drawn = data.drawn.get(name, {})
    if drawn and all(key in drawn for key in shown.keys):
        return by_probabilities([{drawn[key]: 1.0} for key in shown.keys], axis)
    found = _label_measured(shown, name, axis, data)
    if found is None or not drawn:
        return found
    labels = zip(shown.keys, found.labels.tolist(), strict=True)
    return replace(found, labels=np.array([drawn.get(key, label) for key, label in labels]))


def _label_measured(shown: Shown, name: str, axis: Axis, data: StudyData) -> Classification | None:
    whole = _label_whole(shown, name, axis, data)
    if shown.people is None:
        return whole
    found = [shown.people.people.get(key) for key in shown.keys]
    each = _label_people([one for people in found for one in people or ()], name, axis, data)
    if each is None:
        return whole
    # A measurer that found nobody may still say what the image counts as, such as "unknown".
    own = [name in shown.labels.get(key, {}) for key in shown.keys]
    decided = [None if not one and said else one for one, said in zip(found, own, strict=True)]
    return _by_people(whole or _unknown(len(found), axis), decided, each)


def labels_any(data: StudyData, axes: Mapping[str, Axis]) -> bool:
    """Tell whether a measurer labelled an image of a study itself, on one of its axes."""
    keys = (key for found in data.usable.values() for key in found.keys)
    return any(name in data.labels.get(key, {}) for key in keys for name in axes)


def unlabelled(name: str, axis: Axis, data: StudyData) -> str:
    """Say why a measurer has no label on an axis."""
    if name in data.unfit:
        return data.unfit[name].rstrip(".")
    axes = dict.fromkeys(one for labels in data.labels.values() for one in labels)
    if name in axes:
        other = next(_other_answers((one.get(name, {}) for one in data.labels.values()), axis), "?")
        return (
            f"the measurer {data.label} answers {other!r} on the axis {name!r}; "
            f"allowed: {one_of((*axis.groups, UNKNOWN, NOBODY))}"
        )
    if data.embeds:
        return (
            f"the encoder {data.label} has not read the texts of the axis {name!r}; "
            "run: portrayal measure"
        )
    return (
        f"the measurer {data.label} does not label the axis {name!r}; "
        f"it labels: {one_of(axes) or 'none'}"
    )


def _label_whole(shown: Shown, name: str, axis: Axis, data: StudyData) -> Classification | None:
    if any(name in labels for labels in shown.labels.values()):
        return by_probabilities([shown.labels[key].get(name, {}) for key in shown.keys], axis)
    return None if shown.cosines is None else _label_vectors(shown.cosines, axis, data)


def _label_people(
    people: Sequence[SeenPerson], name: str, axis: Axis, data: StudyData
) -> Classification | None:
    if any(name in person.labels for person in people) or not (people or data.embeds):
        return by_probabilities([person.labels.get(name, {}) for person in people], axis)
    vectors = [person.vector for person in people if person.vector is not None]
    if len(vectors) < len(people):
        return None
    # They were found: the person question of the axis is answered.
    asked = axis.model_copy(update={"person": (), "object": ()})
    return _label_vectors(cosines_of(vectors), asked, data)


def _label_vectors(cosines: Cosines, axis: Axis, data: StudyData) -> Classification | None:
    return classify(cosines, axis, data.text_vectors, logit_scale=data.logit_scale)


def by_probabilities(given: Sequence[Mapping[str, float]], axis: Axis) -> Classification | None:
    """Turn the probabilities that a measurer gave into labels.

    Args:
        given: The probability of each answer, image by image; none: unknown.
        axis: Its groups and threshold.

    Returns:
        None where an answer is not one of the axis.
    """
    if next(_other_answers(given, axis), None) is not None:
        return None
    answers = (*axis.groups, UNKNOWN, NOBODY)
    rows = [[one.get(answer, 0.0) for answer in answers] for one in given]
    probabilities = np.array(rows, dtype=np.float64).reshape(-1, len(answers))
    labels = most_probable(answers, probabilities, axis.threshold)
    return Classification(answers, labels.astype(str), probabilities)


def _other_answers(given: Iterable[Mapping[str, float]], axis: Axis) -> Iterator[str]:
    allowed = {*axis.groups, UNKNOWN, NOBODY}
    return (answer for one in given for answer in one if answer not in allowed)


def _unknown(n: int, axis: Axis) -> Classification:
    """Label images of which nothing is known as a whole."""
    empty = by_probabilities([{}] * n, axis)
    assert empty is not None
    return empty


def _by_people(
    whole: Classification, found: Sequence[Sequence[SeenPerson] | None], each: Classification
) -> Classification:
    left = iter(each.chosen())
    people = [None if one is None else tuple(next(left) for _ in one) for one in found]
    labels = [
        label if one is None else image_label([person.label for person in one])
        for label, one in zip(whole.labels.tolist(), people, strict=True)
    ]
    return replace(whole, labels=np.array(labels, dtype=np.str_), people=people)
