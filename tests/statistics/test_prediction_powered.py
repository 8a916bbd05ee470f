from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_images import Checked, by_others, by_stratum, whole_prompts

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    CheckedSample,
    prediction_powered_difference,
    prediction_powered_share,
    share_interval,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "prediction_powered.json").read_text())
NAN = math.nan


def sample(case: dict[str, Any], **more: Any) -> CheckedSample:
    """Unfold counts labelled[y][f] and other[f]."""
    cells = [(y, f) for y in (0, 1) for f in (0, 1) for _ in range(case["labelled"][y][f])]
    other = [f for f in (0, 1) for _ in range(case["other"][f])]
    labels = [y for y, _ in cells] + [NAN] * len(other)
    return CheckedSample.of([f for _, f in cells] + other, labels, **more)


# Validation


def test_bad_input_is_refused() -> None:
    with pytest.raises(StatisticsError, match="1 labels but 2 predictions"):
        CheckedSample.of([1, 0], [1])
    with pytest.raises(StatisticsError, match=r"labels hold 2.0; allowed: 0 to 1"):
        CheckedSample.of([1], [2])
    with pytest.raises(StatisticsError, match="predictions have 2 dimensions"):
        CheckedSample.of([[1]], [1])
    with pytest.raises(StatisticsError, match="chances must be"):
        CheckedSample.of([1, 0], [1, NAN], chances=[0, 1])
    with pytest.raises(StatisticsError, match="labelled must be"):
        CheckedSample.of([1, 0], [1, 0], labelled=[True, False])
    with pytest.raises(StatisticsError, match="weight is 2"):
        prediction_powered_share(CheckedSample.of([1], [1]), weight=2)


# Known answer and agreement with ppi-python


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=["40 labels", "25 labels", "2000 labels"])
def test_ppi_python_agrees(case: dict[str, Any]) -> None:
    images = sample(case)
    result = prediction_powered_share(images)
    assert result.value == pytest.approx(case["value"], rel=1e-12)
    plain = prediction_powered_share(images, weight=1)
    assert plain.value == pytest.approx(case["plain"], rel=1e-12)
    width = np.diff(case["z_interval"])[0]
    if result.n_labelled == 2000:
        assert result.interval == pytest.approx(case["z_interval"], abs=0.02 * width)
    else:
        assert result.interval.high - result.interval.low > 0.9 * width


def test_ppi_python_agrees_where_it_is_installed() -> None:
    theirs = pytest.importorskip("ppi_py")  # an extra of developers
    rng = np.random.default_rng(3)
    truth = (rng.random(3000) < 0.4).astype(float)
    predictions = np.where(rng.random(3000) < 0.85, truth, 1 - truth)
    y, f, other = truth[:400], predictions[:400], predictions[400:]
    labels = np.concatenate([y, np.full(2600, NAN)])
    ours = prediction_powered_share(CheckedSample.of(predictions, labels))
    columns = [one[:, None] for one in (y, f, other)]
    assert ours.value == pytest.approx(float(theirs.ppi_mean_pointestimate(*columns)[0]), rel=1e-9)
    low, high = (float(one[0]) for one in theirs.ppi_mean_ci(*columns, alpha=0.05))
    assert ours.interval == pytest.approx((low, high), abs=0.05 * (high - low))


@pytest.mark.parametrize(
    ("made", "name"), [(whole_prompts, "clustered"), (by_stratum, "stratified")]
)
def test_glide_agrees(made: Callable[[], Checked], name: str) -> None:
    images = made()
    ours = prediction_powered_share(
        CheckedSample.of(
            images.predictions, images.labels, clusters=images.prompts, strata=images.strata
        ),
        weight=1,
    )
    value, low, high = GOLDEN[f"glide_{name}"]
    assert ours.value == pytest.approx(value, rel=1e-9)
    assert ours.interval == pytest.approx((low, high), abs=0.06 * (high - low))


def test_glide_says_what_is_kept_where_it_is_installed() -> None:
    pytest.importorskip("glide")  # needs Python 3.12
    clustered, stratified = by_others().values()
    assert clustered == pytest.approx(GOLDEN["glide_clustered"], rel=1e-9)
    assert stratified == pytest.approx(GOLDEN["glide_stratified"], rel=1e-9)


def test_the_jackknife_of_many_prompts_is_the_cluster_robust_error() -> None:
    rng = np.random.default_rng(5)
    prompts = np.repeat(np.arange(200), 6)
    truth = (rng.random(1200) < rng.beta(1, 1, 200)[prompts]).astype(float)
    images = CheckedSample.of(truth, truth, clusters=prompts)
    means = np.bincount(prompts, weights=truth) / 6
    error = means.std(ddof=1) / math.sqrt(200)
    low, high = prediction_powered_share(images, weight=0).interval
    assert high - low == pytest.approx(2 * 1.972 * error, rel=0.02)


# Invariants


def test_exchanging_the_groups_mirrors_the_share() -> None:
    images = sample(GOLDEN["cases"][0])
    other = CheckedSample.of(1 - images.predictions, 1 - images.labels)
    result, mirrored = prediction_powered_share(images), prediction_powered_share(other)
    assert mirrored.value == pytest.approx(1 - result.value)
    assert mirrored.interval == pytest.approx((1 - result.interval.high, 1 - result.interval.low))


def test_exchanging_the_sides_flips_the_difference() -> None:
    a, b = sample(GOLDEN["cases"][0]), sample(GOLDEN["cases"][1])
    one, other = prediction_powered_difference(a, b), prediction_powered_difference(b, a)
    assert one.value == pytest.approx(-other.value)
    assert one.interval == pytest.approx((-other.interval.high, -other.interval.low))
    assert one.p_value == pytest.approx(other.p_value)
    assert one.p_value < 0.001


def test_no_trust_in_the_measurer_leaves_the_labels() -> None:
    images = sample(GOLDEN["cases"][0])
    assert prediction_powered_share(images, weight=0).value == pytest.approx(19 / 40)


def test_a_measurer_right_nine_times_in_ten_shortens_the_interval() -> None:
    rng = np.random.default_rng(1)
    for share in (0.3, 0.5, 0.7):
        ratio = []
        for _ in range(50):
            truth = (rng.random(660) < share).astype(float)
            predictions = np.where(rng.random(660) < 0.9, truth, 1 - truth)
            images = CheckedSample.of(predictions, np.where(np.arange(660) < 60, truth, NAN))
            widths = [
                np.diff(prediction_powered_share(images, weight=w).interval) for w in (None, 0)
            ]
            ratio.append(float(widths[0][0] / widths[1][0]))
        assert np.mean(ratio) < 0.8


def test_probabilities_of_being_asked_count() -> None:
    truth = np.repeat([1.0, 0.0], [200, 800])
    # Half of the group and one in ten of the others were asked.
    asked = (np.arange(1000) % np.where(truth == 1, 2, 10)) == 0
    chances = np.where(truth == 1, 0.5, 0.1)
    images = CheckedSample.of(np.zeros(1000), np.where(asked, truth, NAN), chances=chances)
    assert prediction_powered_share(images).value == pytest.approx(0.2)
    plain = CheckedSample.of(np.zeros(1000), np.where(asked, truth, NAN))
    assert prediction_powered_share(plain).value > 0.5


def test_strata_take_away_what_they_explain() -> None:
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], 500)
    truth = (rng.random(1000) < np.where(strata == 1, 0.95, 0.05)).astype(float)
    labels = np.where(np.arange(1000) % 10 == 0, truth, NAN)
    alone = prediction_powered_share(CheckedSample.of(np.full(1000, NAN), labels))
    by_stratum = prediction_powered_share(
        CheckedSample.of(np.full(1000, NAN), labels, strata=strata)
    )
    assert np.diff(by_stratum.interval) < 0.75 * np.diff(alone.interval)


def test_images_that_people_cannot_tell_leave_the_share() -> None:
    labels = [1.0, 1.0, 0.0, NAN, NAN, NAN]
    asked = [True, True, True, True, False, False]
    predictions = [1.0, 1.0, 0.0, NAN, 1.0, 0.0]
    result = prediction_powered_share(
        CheckedSample.of(predictions, labels, labelled=asked), weight=0
    )
    assert result.value == pytest.approx(2 / 3)
    assert result.n_labelled == 4


# Degenerate input


def test_no_labels_no_answer() -> None:
    result = prediction_powered_share(CheckedSample.of([1, 0], [NAN, NAN]))
    assert math.isnan(result.value)
    assert math.isnan(result.interval.low)
    assert result.uncorrected == 0.5
    assert (result.n_labelled, result.n) == (0, 2)
    assert math.isnan(prediction_powered_share(CheckedSample.of([], [])).uncorrected)
    nothing = prediction_powered_difference(
        CheckedSample.of([1], [NAN]), CheckedSample.of([1, 0], [1, 0])
    )
    assert math.isnan(nothing.value)


def test_labels_of_one_prompt_have_no_interval() -> None:
    images = CheckedSample.of([1, 0, 1, 0], [1, 0, NAN, NAN], clusters=["a", "a", "b", "b"])
    assert math.isnan(prediction_powered_share(images).interval.low)


def test_a_stratum_with_one_label_joins_another() -> None:
    strata = [0] * 6 + [1] * 2
    labels = [1, 0, 1, 0, NAN, NAN, 1, NAN]
    result = prediction_powered_share(CheckedSample.of([1] * 8, labels, strata=strata))
    assert result.value == pytest.approx(3 / 5)
    assert result.interval.high <= 1


def test_no_other_images_leaves_the_labels() -> None:
    result = prediction_powered_share(CheckedSample.of([1, 1, 0, 0], [1, 0, 0, 0]))
    assert result.value == 0.25
    assert result.weight == 0.0


def test_a_measurer_that_always_says_the_same_is_not_trusted() -> None:
    result = prediction_powered_share(CheckedSample.of([1] * 5, [1, 0, 0, NAN, NAN]))
    assert result.weight == 0.0
    assert result.value == pytest.approx(1 / 3)


def test_no_disagreement_seen_is_not_taken_for_none() -> None:
    labels = [1, 0] * 10 + [NAN] * 10_000
    result = prediction_powered_share(CheckedSample.of([1, 0] * 5010, labels))
    assert result.interval.high - result.interval.low > 0.05


@pytest.mark.parametrize("n", [20, 60, 100])
def test_a_group_that_no_labelled_image_shows_may_be_as_frequent_as_labels_alone_allow(
    n: int,
) -> None:
    predictions = [0, 0, 0, 1] * (5 * n // 2)
    result = prediction_powered_share(CheckedSample.of(predictions, [0] * n + [NAN] * (9 * n)))
    alone = share_interval(0, n)
    assert result.value == 0
    assert result.interval.low == pytest.approx(0, abs=1e-12)
    # Student's t in place of the normal distribution; 0.067, 0.018 and 0.010 before.
    assert alone.high < result.interval.high < 1.2 * alone.high
