from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax as scipy_softmax

from portrayal.findings.directions import ensemble
from portrayal.findings.groups import classify
from portrayal.findings.vectors import cosines_of
from portrayal.studies.axes import NOBODY, UNKNOWN, Axis

TEXTS = {
    "left": [1.0, 0.0, 0.0],
    "leftish": [0.0, 2.0, 0.0],
    "right": [-1.0, 0.0, 0.0],
    "between": [0.0, 0.0, 1.0],
    "person": [0.0, 1.0, 1.0],
    "object": [0.0, -1.0, -1.0],
}


def text_vectors(texts: object) -> np.ndarray | None:
    names = list(texts)  # type: ignore[call-overload]
    return np.array([TEXTS[t] for t in names]) if all(t in TEXTS for t in names) else None


def axis(**more: object) -> Axis:
    return Axis.model_validate({"groups": {"L": ["left"], "R": ["right"]}, **more})


def test_the_best_group_wins_whatever_the_length() -> None:
    images = np.array([[9.0, 0.1, 0.0], [-0.01, 0.0, 0.0], [3.0, 0.0, 2.0]])
    found = classify(cosines_of(images), axis(), text_vectors, logit_scale=100)
    assert found is not None
    assert found.labels.tolist() == ["L", "R", "L"]
    assert found.groups == ("L", "R")


def test_unknown_wins_like_a_group() -> None:
    images = np.array([[1.0, 0.0, 0.2], [0.2, 0.0, 1.0]])
    found = classify(cosines_of(images), axis(unknown=["between"]), text_vectors, logit_scale=100)
    assert found is not None
    assert found.labels.tolist() == ["L", UNKNOWN]
    assert found.groups == ("L", "R", UNKNOWN)
    assert found.count(UNKNOWN) == 1


def test_probabilities_agree_with_scipy() -> None:
    rng = np.random.default_rng(1)
    images = rng.normal(size=(50, 3))
    found = classify(cosines_of(images), axis(unknown=["between"]), text_vectors, logit_scale=7.5)
    assert found is not None
    rows = images / np.linalg.norm(images, axis=1, keepdims=True)
    cosines = rows @ np.array([TEXTS["left"], TEXTS["right"], TEXTS["between"]]).T
    assert found.similarities == pytest.approx(cosines)
    assert found.probabilities == pytest.approx(scipy_softmax(7.5 * cosines, axis=1))


def test_a_large_logit_scale_does_not_overflow() -> None:
    found = classify(cosines_of(np.array([[1.0, 0, 0]])), axis(), text_vectors, logit_scale=1e4)
    assert found is not None
    assert found.probabilities.tolist() == [[1.0, 0.0]]


def test_a_best_group_below_the_threshold_is_unknown() -> None:
    images = np.array([[0.05, 1.0, 0.0], [1.0, 0.0, 0.0]])
    found = classify(cosines_of(images), axis(threshold=0.9), text_vectors, logit_scale=1)
    assert found is not None
    # Cosines of +-1 at scale 1: e / (e + 1/e) = 0.88.
    assert found.labels.tolist() == [UNKNOWN, UNKNOWN]
    sure = classify(cosines_of(images), axis(threshold=0.88), text_vectors, logit_scale=1)
    assert sure is not None
    assert sure.labels.tolist() == [UNKNOWN, "L"]


def test_the_person_filter_comes_first() -> None:
    images = cosines_of([[1.0, 0.5, 0.5], [1.0, -0.5, -0.5], [1.0, 0.0, 0.0]])
    found = classify(
        images, axis(person=["person"], object=["object"]), text_vectors, logit_scale=100
    )
    assert found is not None
    # Equal similarity is not "closer to a person".
    assert found.labels.tolist() == ["L", NOBODY, NOBODY]


def test_texts_of_a_group_are_ensembled_by_direction() -> None:
    # "leftish" is twice as long; normalised, both count the same.
    mean = ensemble(np.array([TEXTS["left"], TEXTS["leftish"]]))
    assert mean == pytest.approx(np.array([1, 1, 0]) / np.sqrt(2))


def test_no_answer_without_the_texts() -> None:
    assert (
        classify(cosines_of(np.ones((2, 3))), axis(unknown=["unread"]), text_vectors, logit_scale=1)
        is None
    )
    opposite = Axis.model_validate({"groups": {"L": ["left", "right"], "R": ["person"]}})
    assert classify(cosines_of(np.ones((2, 3))), opposite, text_vectors, logit_scale=1) is None


def test_no_images() -> None:
    found = classify(cosines_of(np.empty((0, 3))), axis(), text_vectors, logit_scale=1)
    assert found is not None
    assert found.labels.size == 0


def test_an_image_as_near_to_two_groups_is_unknown() -> None:
    images = np.array([[0.0, 1.0, 0.0], [0.01, 1.0, 0.0]])
    found = classify(cosines_of(images), axis(), text_vectors, logit_scale=100)
    assert found is not None
    assert found.labels.tolist() == [UNKNOWN, "L"]
    assert np.isnan(found.chosen()[0].probability)
    assert found.chosen()[1].probability > 0.5
