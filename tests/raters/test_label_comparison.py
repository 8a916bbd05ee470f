from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from portrayal.errors import StatisticsError
from portrayal.raters import compare_labels

GROUPS = ["man", "woman"]


def test_agreement_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    human = rng.choice(GROUPS, 200).tolist()
    machine = [one if rng.random() < 0.8 else str(rng.choice(GROUPS)) for one in human]
    found = compare_labels(human, machine, groups=GROUPS, rng=rng)
    assert found.agreement.value == pytest.approx(np.mean(np.array(human) == np.array(machine)))
    assert found.kappa.value == pytest.approx(cohen_kappa_score(human, machine))
    assert found.confusion.matrix.tolist() == confusion_matrix(human, machine).tolist()
    assert found.agreement.interval.low < found.agreement.value < found.agreement.interval.high


def test_what_the_machine_leaves_open_is_counted_and_shown() -> None:
    found = compare_labels(
        ["man", "man", "woman", "woman", None],
        ["man", "nobody", "unknown", "man", "man"],
        groups=GROUPS,
        rng=np.random.default_rng(0),
    )
    assert (found.n, found.n_machine_undecided, found.n_human_undecided) == (2, 2, 1)
    assert found.agreement.value == 0.5
    assert found.confusion.labels == ("man", "woman", "nobody", "unknown")
    assert found.confusion.matrix.tolist()[:2] == [[1, 0, 1, 0], [1, 0, 0, 1]]
    assert found.as_dict()["confusion"][0] == [1, 0, 1, 0]


def test_finer_groups_of_the_machine_are_merged() -> None:
    found = compare_labels(
        ["western", "non-western", "non-western"],
        ["western", "indian", "unknown"],
        groups=["western", "non-western"],
        merged={"western": "western", "indian": "non-western", "chinese": "non-western"},
        rng=np.random.default_rng(0),
    )
    assert (found.agreement.value, found.n, found.n_machine_undecided) == (1, 2, 1)


def test_nothing_to_compare_is_unknown() -> None:
    found = compare_labels([None], ["man"], groups=GROUPS, rng=np.random.default_rng(0))
    assert found.n == 0
    assert np.isnan(found.agreement.value)
    assert found.as_dict()["agreement"]["value"] is None


@pytest.mark.parametrize(
    ("human", "machine", "message"),
    [
        (["man"], [], "human has 1 labels and machine has 0"),
        (["child"], ["man"], "human holds 'child'; allowed: man, woman"),
    ],
)
def test_labels_must_fit(human: list[str], machine: list[str], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        compare_labels(human, machine, groups=GROUPS, rng=np.random.default_rng(0))
