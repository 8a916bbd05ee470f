from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as statsmodels

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    CheckedSample,
    Interval,
    PromptOrder,
    agreeing,
    combine_draws,
    draw_labels,
    label_errors,
    prediction_powered_share,
    repeat_error,
    share_interval,
    without_averaged_noise,
    without_error,
)
from portrayal.statistics.validation import correction
from portrayal.statistics.validation.__main__ import validation_rows
from portrayal.statistics.validation.correction import CheckedWorld, ErrorRates


def images(seed: int = 0, labels: int = 200) -> tuple[np.ndarray, ...]:
    """Return truth, predictions (30 % / 10 % errors), labels and prompts of 2,000 images."""
    rng = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(40), 50)
    truth = (rng.random(2000) < rng.beta(1, 1, 40)[prompts]).astype(int)
    wrong = rng.random(2000) < np.where(truth == 1, 0.3, 0.1)
    given = np.full(2000, -1)
    asked = rng.choice(2000, labels, replace=False)
    given[asked] = truth[asked]
    return truth, np.where(wrong, 1 - truth, truth), given, prompts


def test_bad_input_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(StatisticsError, match="one code of each per image"):
        draw_labels([0, 1], [0], [0, 0], rng=rng)
    with pytest.raises(StatisticsError, match="no image has a label"):
        draw_labels([0, 1], [-1, -1], [0, 0], rng=rng)
    with pytest.raises(StatisticsError, match=r"levels has shape \(3,\); allowed: \(2,\)"):
        draw_labels([0, 1], [0, -1], [0, 1], order=PromptOrder([0, 0, 1]), rng=rng)


def test_human_labels_stay_and_errors_are_learned() -> None:
    _, predicted, given, prompts = images(labels=600)
    found = draw_labels(predicted, given, prompts, rng=np.random.default_rng(1))
    asked = given >= 0
    assert (found.labels[:, asked] == given[asked]).all()
    errors = found.errors.mean(axis=0)
    assert errors == pytest.approx(np.array([[0.9, 0.1], [0.3, 0.7]]), abs=0.06)
    counts = found.counts(prompts)
    assert counts.shape == (20, 40, 2)
    assert (counts.sum(axis=2) == 50).all()


def test_prompts_get_their_own_share_back() -> None:
    truth, predicted, given, prompts = images(labels=600)
    counts = draw_labels(predicted, given, prompts, rng=np.random.default_rng(1)).counts(prompts)
    shares = counts[:, :, 1].mean(axis=0) / 50
    true = np.bincount(prompts, weights=truth) / 50
    as_labelled = np.bincount(prompts, weights=predicted) / 50
    assert np.abs(shares - true).mean() < 0.6 * np.abs(as_labelled - true).mean()


def test_the_share_over_all_images_is_the_prediction_powered_one() -> None:
    _, predicted, given, prompts = images()
    rng = np.random.default_rng(1)
    shares = [draw_labels(predicted, given, prompts, rng=rng).labels.mean() for _ in range(10)]
    sample = CheckedSample.of(predicted, np.where(given >= 0, given, np.nan), strata=predicted)
    powered = prediction_powered_share(sample)
    assert np.mean(shares) == pytest.approx(powered.value, abs=0.012)


def test_labels_by_people_count_once() -> None:
    spread, error = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = (rng.random(1500) < 0.4).astype(int)
        wrong = rng.random(1500) < np.where(truth == 1, 0.3, 0.1)
        predicted, given = np.where(wrong, 1 - truth, truth), np.full(1500, -1)
        for answer in (0, 1):
            asked = rng.choice(np.flatnonzero(predicted == answer), 40, replace=False)
            given[asked] = truth[asked]
        prompts = np.arange(1500) % 30
        drawn = [draw_labels(predicted, given, prompts, rng=rng).labels for _ in range(5)]
        shares = np.concatenate(drawn).mean(axis=1)
        labels = np.where(given >= 0, given, np.nan)
        powered = prediction_powered_share(CheckedSample.of(predicted, labels, strata=predicted))
        # As many of each answer were asked: their share says nothing of the share over all images.
        assert shares.mean() == pytest.approx(powered.value, abs=0.012)
        spread.append(shares.std(ddof=1))
        error.append((powered.interval.high - powered.interval.low) / 3.92)
    # Draws are of these very images; the interval is of a share that images are drawn from.
    wanted = np.sqrt(np.mean(error) ** 2 - 0.4 * 0.6 / 1500) * (1 - 80 / 1500)
    assert 0.85 < np.mean(spread) / wanted < 1.15


def change_of_imbalance(groups: np.ndarray | None, *, backwards: bool = False) -> float:
    """Return what draws make of it, where extreme shares before become even ones after.

    Truth: of 60 prompts with 24 images each, 30 show one group only and 30 both alike: -1.
    """
    rng = np.random.default_rng(4)
    shares = np.r_[np.repeat([0.0, 1.0], 15), np.full(30, 0.5)]
    shares = shares[::-1] if backwards else shares
    prompts = np.repeat(np.arange(60), 24)
    truth = (rng.random(prompts.size) < shares[prompts]).astype(int)
    wrong = rng.random(prompts.size) < np.where(truth == 1, 0.3, 0.1)
    given = np.where(rng.random(prompts.size) < 0.2, truth, -1)
    drawn = draw_labels(
        np.where(wrong, 1 - truth, truth), given, prompts, order=PromptOrder(groups=groups), rng=rng
    ).counts(prompts)[:, :, 1]  # fmt: skip
    first, after = np.abs(drawn / 12 - 1).reshape(len(drawn), 2, 30).mean(axis=(0, 2))
    noise = 0.16  # the mean imbalance of 24 images of an even share
    return float(after - first + (noise if backwards else -noise))


def test_groups_that_are_compared_do_not_draw_each_other_near() -> None:
    sides = np.repeat([0, 1], 30)
    apart, together = change_of_imbalance(sides), change_of_imbalance(None)
    assert apart == pytest.approx(-1, abs=0.06)
    assert together > apart + 0.02
    assert change_of_imbalance(sides, backwards=True) == pytest.approx(-apart, abs=0.06)
    assert change_of_imbalance(np.zeros(60)) == pytest.approx(together)


def test_exchanging_the_groups_exchanges_the_draws() -> None:
    _, predicted, given, prompts = images()
    mirrored = np.where(given >= 0, 1 - given, -1)
    rng = np.random.default_rng(1)
    one = [draw_labels(predicted, given, prompts, rng=rng).labels.mean() for _ in range(6)]
    other = [draw_labels(1 - predicted, mirrored, prompts, rng=rng).labels.mean() for _ in range(6)]
    assert np.mean(one) == pytest.approx(1 - np.mean(other), abs=0.02)


def test_an_answer_that_people_never_gave_is_not_invented() -> None:
    predicted, labels = np.array([0, 1, 2, 0, 1, 2] * 20), np.full(120, -1)
    labels[:30] = np.array([0, 1, 0, 0, 1, 1] * 5)
    found = draw_labels(
        predicted, labels, np.repeat(np.arange(6), 20), rng=np.random.default_rng(0)
    )
    assert set(np.unique(found.labels)) == {0, 1}
    assert found.errors.shape == (20, 2, 3)
    allowed = draw_labels(
        predicted, labels, np.repeat(np.arange(6), 20), answers=3, rng=np.random.default_rng(0)
    )
    assert 0 < (allowed.labels == 2).mean() < 0.15


def test_chains_are_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_errors, "DRAWS", 60)
    rng = np.random.default_rng(3)
    levels = np.repeat(np.arange(20), 4)
    shares = rng.beta(0.6, 0.6, 20)[levels]
    prompts = np.repeat(np.arange(80), 15)
    truth = (rng.random(1200) < shares[prompts]).astype(int)
    wrong = rng.random(1200) < np.where(truth == 1, 0.3, 0.1)
    given = np.where(rng.random(1200) < 0.05, truth, -1)

    def unevenness() -> float:
        drawn = draw_labels(
            np.where(wrong, 1 - truth, truth), given, prompts, order=PromptOrder(levels),
            rng=np.random.default_rng(1),
        )  # fmt: skip
        return float(np.abs(drawn.counts(prompts)[:, :, 1] / 7.5 - 1).mean())

    short = unevenness()
    monkeypatch.setattr(label_errors, "_SWEEPS", 160)
    assert short == pytest.approx(unevenness(), abs=0.015)


def test_prompts_of_one_group_only_are_no_trouble() -> None:
    predicted, prompts = np.repeat([0, 1], 120), np.arange(240) // 12
    for seed in range(8):
        rng = np.random.default_rng(seed)
        given = np.where(rng.random(240) < 0.3, predicted, -1)
        order = PromptOrder(np.arange(20) // 2)
        found = draw_labels(predicted, given, prompts, order=order, rng=rng)
        assert (found.labels == predicted).mean() > 0.9


def test_one_answer_of_several() -> None:
    same = combine_draws([0.5] * 9, [0.4] * 9, [0.6] * 9, null=0.0)
    assert same.interval == pytest.approx((0.4, 0.6), abs=1e-6)
    assert same.between == 0
    assert same.p_value < 1e-6
    apart = combine_draws(
        np.linspace(0.3, 0.7, 9), np.linspace(0.2, 0.6, 9), np.linspace(0.4, 0.8, 9)
    )
    assert apart.interval.low < 0.25
    assert apart.interval.high > 0.75
    assert math.isnan(apart.p_value)


def test_p_and_interval_agree() -> None:
    values = np.random.default_rng(0).normal(0.2, 0.05, 20)
    for null in (0.0, 0.1, 0.3):
        one = combine_draws(values, values - 0.1, values + 0.1, null=null)
        assert (one.p_value < 0.05) == (not one.interval.low <= null <= one.interval.high)


def test_noise_of_drawing_is_counted_once_where_units_make_the_interval() -> None:
    rng = np.random.default_rng(4)
    own, noise, n = rng.normal(0, 1.0, 400), 2.0, 400
    units = own + rng.normal(0, noise, (20, n))
    values = units.mean(axis=1)
    reach = 1.96 * units.std(axis=1, ddof=1) / math.sqrt(n)
    plain = combine_draws(values, values - reach, values + reach).interval
    once = combine_draws(values, values - reach, values + reach, units=units).interval
    half = 1.96 * math.sqrt((1 + noise**2) / n)  # own differences, and how draws differ
    assert (once.high - once.low) / 2 == pytest.approx(half, rel=0.35)
    assert once.high - once.low < 0.8 * (plain.high - plain.low)
    same = combine_draws(values, values - reach, values + reach, units=np.tile(own, (20, 1)))
    assert same.interval == pytest.approx(plain)


@pytest.mark.parametrize(("part", "among", "inside"), [(0.0, 0.0, 3.0), (1.0, 1.0, 4.0)])
def test_what_plug_in_values_do_not_explain_is_taken_out_twice(
    part: float, among: float, inside: float
) -> None:
    """Values vary by 1, intervals by 4: all of the 1 is noise of both, or none."""
    values = np.array([1.0, -1.0, 1.0, -1.0]) * math.sqrt(0.75)
    plug_in = values if part else np.array([1.0, 1.0, -1.0, -1.0])
    found = without_averaged_noise(
        values, values - 2 * 1.959964, values + 2 * 1.959964, plug_in=plug_in
    )
    assert np.var(found.values, ddof=1) == pytest.approx(among, abs=1e-12)
    reach = (np.asarray(found.highs) - found.lows) / 2
    assert (reach / 1.959964) ** 2 == pytest.approx(inside)


def test_the_part_that_counts_once_is_that_of_a_regression() -> None:
    rng = np.random.default_rng(3)
    plug_in = rng.normal(0.5, 0.1, 20)
    values = 0.2 + 1.3 * plug_in + rng.normal(0, 0.08, 20)
    lows, highs = values - rng.uniform(0.2, 0.4, 20), values + rng.uniform(0.2, 0.4, 20)
    other = statsmodels.OLS(values, statsmodels.add_constant(plug_in)).fit()
    noise = (1 - other.rsquared_adj) * np.var(values, ddof=1)
    found = without_averaged_noise(values, lows, highs, plug_in=plug_in)
    inside, narrower = (
        float(np.mean(((np.asarray(high) - low) / (2 * 1.959964)) ** 2))
        for low, high in ((lows, highs), (found.lows, found.highs))
    )
    assert np.var(found.values, ddof=1) == pytest.approx(np.var(values, ddof=1) - noise)
    assert narrower == pytest.approx(inside - noise)
    assert np.mean(found.values) == pytest.approx(values.mean())


def test_noise_of_a_correction_leaves_signs_alone() -> None:
    rng = np.random.default_rng(5)
    values, plug_in = rng.normal(0.3, 0.1, (2, 20))
    lows, highs = values - 0.3, values + 0.2
    found = without_averaged_noise(values, lows, highs, plug_in=plug_in)
    mirrored = without_averaged_noise(-values, -highs, -lows, plug_in=-plug_in)
    assert np.asarray(mirrored.values) == pytest.approx(-np.asarray(found.values))
    assert np.asarray(mirrored.lows) == pytest.approx(-np.asarray(found.highs))
    turned = without_averaged_noise(values, lows, highs, plug_in=1 - plug_in)
    assert np.asarray(turned.lows) == pytest.approx(np.asarray(found.lows))


@pytest.mark.parametrize(
    ("values", "reach", "plug_in"),
    [
        ([0.4, 0.6], 0.1, [0.1, 0.2]),  # two draws
        ([0.5, 0.5, 0.5], 0.1, [0.1, 0.2, 0.3]),  # all alike
        ([0.4, 0.5, 0.6, 0.4], 0.1, [0.2, 0.2, 0.2, 0.2]),  # nothing to explain them by
        ([0.4, 0.5, 0.6, 0.4], 0.0, [0.2, 0.1, 0.2, 0.3]),  # intervals that hold no noise
        ([0.4, math.nan, 0.6], 0.1, [0.2, 0.1, 0.2]),  # two that are known
    ],
)
def test_without_noise_to_tell_answers_stay(
    values: list[float], reach: float, plug_in: list[float]
) -> None:
    rows = np.array(values) + np.array([[0], [-reach], [reach]])
    assert np.array(without_averaged_noise(*rows, plug_in=plug_in)) == pytest.approx(
        rows, nan_ok=True
    )


def test_an_answer_that_evens_out_noise_is_covered_no_more_often_than_it_says() -> None:
    """Labels tell of one half of what varies; the other is noise that every set has of its own."""
    rng = np.random.default_rng(8)
    inside = np.zeros(2)
    for _ in range(600):
        told = rng.normal(0, math.sqrt(1.25)) + rng.normal(0, 0.5, 20)
        values = told + rng.normal(0, 1, 20)
        rows = values, values - 1.96 * math.sqrt(2), values + 1.96 * math.sqrt(2)
        both = combine_draws(*rows), combine_draws(*without_averaged_noise(*rows, plug_in=told))
        inside += [one.interval.low <= 0 <= one.interval.high for one in both]
    assert inside[0] / 600 > 0.99
    assert inside[1] / 600 == pytest.approx(0.95, abs=0.025)


def test_the_low_end_of_what_cannot_be_negative_follows_the_test() -> None:
    assert agreeing(Interval(0.1, 0.4), 0.2, least=0.0) == (0.0, 0.4)
    assert agreeing(Interval(0.0, 0.4), 0.01, least=0.0).low > 0


def test_rubins_rules_are_the_limit() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1.0, 2000)
    one = combine_draws(values, values - 1.96, values + 1.96)
    half = 1.96 * math.sqrt(1 + values.var(ddof=1))
    assert one.interval == pytest.approx((values.mean() - half, values.mean() + half), abs=0.1)


def test_without_answers_there_is_none() -> None:
    assert math.isnan(combine_draws([math.nan], [0], [1]).value)
    assert math.isnan(combine_draws([0.4], [0.3], [0.5]).interval.low)


@pytest.mark.parametrize("world", correction.settings()[::9], ids=lambda world: world.setting)
def test_a_row_says_what_was_found(world: CheckedWorld) -> None:
    (row,) = validation_rows([world], worlds=6, seed=1)
    assert row.worlds == 6
    assert row.coverage >= 0.5
    assert row.width_vs_oracle > 0.4


def test_without_correction_such_worlds_are_never_covered() -> None:
    rng, inside = np.random.default_rng(2), 0
    world = CheckedWorld("share", ErrorRates(0.3, 0.1), 200, 0.0)
    for _ in range(100):
        share, made = correction._share_world(world, rng)
        low, high = share_interval(int(made.predicted.sum()), made.predicted.size)
        inside += low <= share <= high
    assert inside < 60


@pytest.mark.slow
@pytest.mark.parametrize("labels", [60, 200])
def test_many_images_without_a_label_make_intervals_narrower(labels: int) -> None:
    """Right 90% of the time, ten images without a human label for each with one."""
    world = CheckedWorld("share", ErrorRates(0.1, 0.1), labels, 0.0)
    (row,) = validation_rows([world], seed=7)
    assert row.width_vs_oracle <= 0.8, "of the width from the labels alone"


def test_errors_of_raters_come_back_from_two_answers_each() -> None:
    rng = np.random.default_rng(6)
    truth = rng.random(20_000) < 0.3
    answers = truth ^ (rng.random((2, 20_000)) < 0.08)
    found = repeat_error(int((answers[0] != answers[1]).sum()), 20_000)
    assert found.error == pytest.approx(0.08, abs=0.01)
    assert without_error(float(answers[0].mean()), found.error) == pytest.approx(0.3, abs=0.015)
    assert repeat_error(15, 20).error == 0.5
    assert math.isnan(without_error(0.4, 0.5))
    assert math.isnan(repeat_error(0, 0).error)
    with pytest.raises(StatisticsError, match="differ is 3; allowed: 0 to the 2 pairs"):
        repeat_error(3, 2)
