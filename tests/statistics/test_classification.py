from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from portrayal.errors import StatisticsError
from portrayal.statistics import confusion, confusion_scores, share_interval

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text())
TABLE = GOLDEN["confusion"]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def predictions(seed: int, n: int = 80) -> tuple[list[str], list[str]]:
    generator = rng(seed)
    names = np.array(["man", "unknown", "woman"])
    truth = generator.choice(3, size=n, p=[0.6, 0.1, 0.3])
    wrong = generator.integers(3, size=n)
    predicted = np.where(generator.random(n) < 0.7, truth, wrong)
    return names[truth].tolist(), names[predicted].tolist()


def test_table_4() -> None:
    result = confusion_scores(TABLE["matrix"], labels=TABLE["labels"])
    for name in ("precision", "recall", "f1"):
        np.testing.assert_allclose(getattr(result, name), TABLE[name], atol=0.0051)
    assert result.support.tolist() == TABLE["support"]
    assert result.accuracy.value == pytest.approx(TABLE["accuracy"], abs=0.005)
    for name in ("macro", "weighted"):
        average = getattr(result, name)
        values = [average.precision.value, average.recall.value, average.f1.value]
        np.testing.assert_allclose(values, TABLE[name], atol=0.0051)
    assert result.n == 140


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_scikit_learn(seed: int) -> None:
    truth, predicted = predictions(seed)
    result = confusion(truth, predicted)
    assert result.labels == ("man", "unknown", "woman")
    np.testing.assert_array_equal(result.matrix, confusion_matrix(truth, predicted))
    each = precision_recall_fscore_support(truth, predicted)
    for ours, theirs in zip(
        (result.precision, result.recall, result.f1, result.support), each, strict=True
    ):
        np.testing.assert_allclose(ours, theirs)
    assert result.accuracy.value == pytest.approx(accuracy_score(truth, predicted))
    for name in ("macro", "weighted"):
        wanted = precision_recall_fscore_support(truth, predicted, average=name)[:3]
        average = getattr(result, name)
        ours = (average.precision.value, average.recall.value, average.f1.value)
        assert ours == pytest.approx(wanted)


def test_labels_and_matrix_are_two_ways_to_the_same() -> None:
    truth, predicted = predictions(4)
    one = confusion(truth, predicted)
    two = confusion_scores(one.matrix, labels=one.labels)
    np.testing.assert_array_equal(one.f1_interval, two.f1_interval)
    assert one.macro == two.macro


def test_exchanging_the_sides_exchanges_precision_and_recall() -> None:
    truth, predicted = predictions(5)
    one, other = confusion(truth, predicted), confusion(predicted, truth)
    np.testing.assert_array_equal(one.matrix, other.matrix.T)
    np.testing.assert_allclose(one.precision, other.recall)
    np.testing.assert_allclose(one.f1, other.f1)


def test_intervals() -> None:
    result = confusion_scores(TABLE["matrix"])
    wanted = share_interval(12, 33)
    assert (result.precision_interval.low[0], result.precision_interval.high[0]) == pytest.approx(
        wanted
    )
    assert result.accuracy.interval == pytest.approx(share_interval(118, 140))
    assert (result.f1_interval.low < result.f1).all()
    assert (result.f1 < result.f1_interval.high).all()
    for score in (result.macro.f1, result.weighted.precision):
        assert score.interval.low < score.value < score.interval.high


def test_f1_has_wilsons_interval_of_images_on_both_sides() -> None:
    result = confusion_scores([[12, 1], [21, 106]])
    for k, (both, either) in enumerate([(12, 34), (106, 128)]):
        low, high = share_interval(both, either)
        assert result.f1[k] == pytest.approx(2 * both / (either + both))
        assert result.f1_interval.low[k] == pytest.approx(2 * low / (1 + low))
        assert result.f1_interval.high[k] == pytest.approx(2 * high / (1 + high))


def test_a_classifier_without_an_error_may_make_some() -> None:
    # Drawing images again would find none: the intervals were from 1 to 1.
    result = confusion_scores([[12, 0], [0, 18]])
    assert result.macro.f1.interval.high == result.f1_interval.high[0] == pytest.approx(1)
    assert 0.75 < result.f1_interval.low[0] < result.f1_interval.low[1] < 0.95
    assert 0.8 < result.macro.f1.interval.low < 0.92


def test_an_average_of_equal_classes_is_near_a_plain_share() -> None:
    result = confusion_scores([[16, 4], [4, 16]])
    assert result.macro.recall.interval == pytest.approx(share_interval(32, 40), abs=0.01)
    # Every error lowers the F1 of both classes: as certain as one of them, not as two.
    one = result.f1_interval.high[0] - result.f1_interval.low[0]
    low, high = result.macro.f1.interval
    assert high - low > 0.8 * one


def test_order_of_labels_and_classes_that_do_not_occur() -> None:
    truth, predicted = ["man", "woman"], ["man", "man"]
    result = confusion(truth, predicted, labels=["woman", "man", "unknown"])
    assert result.matrix.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert np.isnan(result.precision).tolist() == [True, False, True]
    assert np.isnan(result.recall).tolist() == [False, False, True]
    assert result.f1[0] == 0
    assert result.macro.recall.value == 0.5


def test_missing_labels_are_counted() -> None:
    result = confusion(["a", None, "b", math.nan], ["a", "b", None, None])  # type: ignore[list-item]
    assert (result.n, result.n_missing) == (1, 3)


def test_nothing_is_nan() -> None:
    for result in (
        confusion([], []),
        confusion([None], ["a"]),  # type: ignore[list-item]
        confusion_scores([[0, 0], [0, 0]]),
    ):
        assert result.n == 0
        assert math.isnan(result.accuracy.value)
        assert math.isnan(result.accuracy.interval.low)
        assert math.isnan(result.macro.f1.value)
        assert math.isnan(result.weighted.f1.value)


def test_refuses() -> None:
    with pytest.raises(StatisticsError, match="all that occur"):
        confusion(["a"], ["b"], labels=["a"])
    with pytest.raises(StatisticsError, match="each class once"):
        confusion(["a"], ["a"], labels=["a", "a"])
    with pytest.raises(StatisticsError, match="one row and one column per class"):
        confusion_scores([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(StatisticsError, match=r"matrix holds -1\.0"):
        confusion_scores([[1, -1], [0, 1]])
    with pytest.raises(StatisticsError, match="come from 2 raters"):
        confusion(["a", "b"], ["a"])
