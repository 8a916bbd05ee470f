from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import prediction_powered_share

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "prediction_powered.json").read_text())


def arrays(case: dict[str, Any]) -> tuple[list[int], list[int], list[int]]:
    """Unfold counts labelled[y][f] and other[f]."""
    cells = [(y, f) for y in (0, 1) for f in (0, 1) for _ in range(case["labelled"][y][f])]
    other = [f for f in (0, 1) for _ in range(case["other"][f])]
    return [y for y, _ in cells], [f for _, f in cells], other


# Validation


def test_bad_input_is_refused() -> None:
    with pytest.raises(StatisticsError, match="2 labels but 1 predictions"):
        prediction_powered_share([1, 0], [1], [1])
    with pytest.raises(StatisticsError, match=r"labels hold 2.0; allowed: 0 to 1"):
        prediction_powered_share([2], [1], [1])
    with pytest.raises(StatisticsError, match="other_predictions have 2 dimensions"):
        prediction_powered_share([1], [1], [[1]])
    with pytest.raises(StatisticsError, match="weight is 2"):
        prediction_powered_share([1], [1], [1], weight=2)


# Known answer and agreement with ppi-python


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=["40 labels", "25 labels", "2000 labels"])
def test_ppi_python_agrees(case: dict[str, Any]) -> None:
    labels, predictions, other = arrays(case)
    result = prediction_powered_share(labels, predictions, other)
    assert result.value == pytest.approx(case["value"], rel=1e-12)
    plain = prediction_powered_share(labels, predictions, other, weight=1)
    assert plain.value == pytest.approx(case["plain"], rel=1e-12)
    width = np.diff(case["z_interval"])[0]
    ours = result.interval.high - max(0.0, result.interval.low)
    assert ours >= 0.99 * (width + min(0.0, case["z_interval"][0]))
    if len(labels) == 2000:
        assert result.interval == pytest.approx(case["z_interval"], abs=0.01 * width)


def test_interval_follows_its_formula() -> None:
    labels, predictions, other = (np.array(part) for part in arrays(GOLDEN["cases"][0]))
    result = prediction_powered_share(labels, predictions, other)
    residuals = labels - result.weight * predictions
    squares = ((residuals - residuals.mean()) ** 2).sum() + 0.5
    variance = squares / 39 / 40 + result.weight**2 * other.var(ddof=1) / other.size
    half = stats.t.ppf(0.975, 39) * math.sqrt(variance)
    assert result.interval == pytest.approx((result.value - half, result.value + half))


# Invariants


def test_exchanging_the_groups_mirrors_the_share() -> None:
    labels, predictions, other = (np.array(part) for part in arrays(GOLDEN["cases"][0]))
    result = prediction_powered_share(labels, predictions, other)
    mirrored = prediction_powered_share(1 - labels, 1 - predictions, 1 - other)
    assert mirrored.value == pytest.approx(1 - result.value)
    assert mirrored.interval == pytest.approx((1 - result.interval.high, 1 - result.interval.low))


def test_no_trust_in_the_classifier_leaves_the_labels() -> None:
    labels, predictions, other = arrays(GOLDEN["cases"][0])
    result = prediction_powered_share(labels, predictions, other, weight=0)
    assert result.value == pytest.approx(np.mean(labels))


def test_a_good_classifier_shortens_the_interval() -> None:
    labels, predictions, other = arrays(GOLDEN["cases"][0])
    with_it = prediction_powered_share(labels, predictions, other)
    without = prediction_powered_share(labels, predictions, other, weight=0)
    assert np.diff(with_it.interval) < 0.8 * np.diff(without.interval)


# Degenerate input


def test_no_labels_no_answer() -> None:
    result = prediction_powered_share([], [], [1, 0])
    assert math.isnan(result.value)
    assert math.isnan(result.interval.low)
    assert result.uncorrected == 0.5
    assert (result.n_labelled, result.n_predicted, result.n_missing) == (0, 2, 0)
    assert math.isnan(prediction_powered_share([], [], []).uncorrected)


def test_one_label_has_no_interval() -> None:
    result = prediction_powered_share([1], [1], [1, 0])
    assert math.isnan(result.interval.low)


def test_no_other_images_leaves_the_labels() -> None:
    result = prediction_powered_share([1, 0, 0, 0], [1, 1, 0, 0], [])
    assert result.value == 0.25
    assert result.weight == 0.0


def test_missing_is_counted_and_left_out() -> None:
    nan = math.nan
    result = prediction_powered_share([1, 0, nan, 1], [1, 0, 1, nan], [1, nan, 0])
    complete = prediction_powered_share([1, 0], [1, 0], [1, 0])
    assert result.n_missing == 3
    assert (result.n_labelled, result.n_predicted) == (2, 2)
    assert result.value == complete.value


def test_a_classifier_that_always_says_the_same_is_not_trusted() -> None:
    result = prediction_powered_share([1, 0, 0], [1, 1, 1], [1, 1])
    assert result.weight == 0.0
    assert result.value == pytest.approx(1 / 3)


def test_no_disagreement_seen_is_not_taken_for_none() -> None:
    result = prediction_powered_share([1, 0] * 10, [1, 0] * 10, [1, 0] * 5000)
    assert result.interval.high - result.interval.low > 0.05


# Calibration


@pytest.mark.parametrize(
    ("n", "share", "accuracy"), [(20, 0.3, 0.9), (50, 0.3, 0.9), (50, 0.1, 0.8), (200, 0.5, 0.95)]
)
def test_interval_covers_whatever_the_classifier_errs(
    n: int, share: float, accuracy: float
) -> None:
    rng = np.random.default_rng(n)
    hits, alone, trials = 0, 0, 1000
    for _ in range(trials):
        labels = rng.random(n + 500) < share
        predictions = np.where(rng.random(n + 500) < accuracy, labels, ~labels)
        result = prediction_powered_share(labels[:n], predictions[:n], predictions[n:])
        hits += result.interval.low <= share <= result.interval.high
        alone += abs(result.uncorrected - share) > 0.03
    assert 0.935 <= hits / trials <= 0.985
    if share != 0.5:
        assert alone / trials > 0.2
