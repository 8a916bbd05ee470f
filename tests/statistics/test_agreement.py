from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text())
MANY = (percent_agreement, fleiss_kappa, krippendorff_alpha)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def noisy(seed: int, raters: int = 3, items: int = 40, labels: int = 3) -> np.ndarray:
    """Return ratings that follow a truth two times out of three."""
    generator = rng(seed)
    truth = generator.integers(labels, size=items)
    other = generator.integers(labels, size=(raters, items))
    return np.where(generator.random((raters, items)) < 2 / 3, truth, other)


def from_counts(counts: list[list[int]]) -> np.ndarray:
    return np.array([np.repeat(np.arange(len(row)), row) for row in counts]).T


def test_krippendorffs_example() -> None:
    golden = GOLDEN["krippendorff"]
    for level in ("nominal", "interval"):
        result = krippendorff_alpha(golden["ratings"], level=level)
        assert result.value == pytest.approx(golden[level], abs=5e-4)
        assert (result.n, result.n_missing) == (golden["n"], 3), "one item has one answer, two none"


def test_fleiss_example() -> None:
    golden = GOLDEN["fleiss"]
    ratings = from_counts(golden["counts"])
    assert fleiss_kappa(ratings).value == pytest.approx(golden["kappa"], abs=5e-4)
    assert percent_agreement(ratings).value == pytest.approx(golden["percent"], abs=5e-4)


def test_cohens_example() -> None:
    golden = GOLDEN["cohen"]
    cells = [(i, j) for i in range(2) for j in range(2) for _ in range(golden["matrix"][i][j])]
    first, second = zip(*cells, strict=True)
    assert cohen_kappa(first, second).value == pytest.approx(golden["kappa"])


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_other_packages(seed: int) -> None:
    ratings = noisy(seed)
    a, b, _ = ratings
    assert cohen_kappa(a, b).value == pytest.approx(cohen_kappa_score(a, b))
    table = aggregate_raters(ratings.T)[0]
    assert fleiss_kappa(ratings).value == pytest.approx(statsmodels_fleiss(table))
    pairs = [np.mean(x == y) for x, y in combinations(ratings, 2)]
    assert percent_agreement(ratings).value == pytest.approx(np.mean(pairs))
    gaps = ratings.astype(float)
    gaps[rng(seed).random(gaps.shape) < 0.2] = np.nan
    for level in ("nominal", "ordinal", "interval", "ratio"):
        wanted = krippendorff.alpha(reliability_data=gaps, level_of_measurement=level)
        assert krippendorff_alpha(gaps, level=level).value == pytest.approx(wanted)


def test_alpha_of_two_groups_by_hand() -> None:
    # Four items, two raters: o = 1/4 of the pairs differ; n = 8, labels 5 and 3: e = 30 / 56.
    result = krippendorff_alpha(["m", "m", "m", "w"], ["m", "m", "w", "w"])
    assert result.value == pytest.approx(1 - 0.25 / (30 / 56))


@pytest.mark.parametrize("function", MANY)
def test_one_table_or_one_sequence_per_rater(function: object) -> None:
    ratings = noisy(5)
    assert function(ratings).value == function(*ratings).value  # type: ignore[operator]


@pytest.mark.parametrize("function", MANY)
def test_labels_may_be_words_and_their_names_do_not_matter(function: object) -> None:
    ratings = noisy(6)
    words = np.array(["woman", "unknown", "man"])[ratings].tolist()
    assert function(words).value == pytest.approx(function(ratings).value)  # type: ignore[operator]


@pytest.mark.parametrize("function", MANY)
def test_intervals(function: object) -> None:
    ratings = noisy(7)
    result = function(ratings, rng=rng(1), resamples=400)  # type: ignore[operator]
    assert result.interval.low < result.value < result.interval.high
    assert result == function(ratings, rng=rng(1), resamples=400)  # type: ignore[operator]
    assert math.isnan(function(ratings).interval.low)  # type: ignore[operator]
    assert float(result) == result.value


@pytest.mark.parametrize("function", MANY)
def test_complete_agreement_of_few_is_no_certainty(function: object) -> None:
    few = ["a", "b", "a", "b", "a"]
    result = function(few, few, few, rng=rng())  # type: ignore[operator]
    assert result.value == 1
    assert result.interval.high == 1
    assert -0.3 < result.interval.low < 0.7
    many = function(few * 40, few * 40, rng=rng(), resamples=50)  # type: ignore[operator]
    assert many.interval.low > 0.95


@pytest.mark.parametrize("function", MANY)
def test_missing_answers_are_counted(function: object) -> None:
    ratings = [[1, 0, None, math.nan, 1], [1, 0, 1, None, 0], [1, None, None, None, 1]]
    result = function(ratings)  # type: ignore[operator]
    assert (result.n, result.n_missing) == (3, 2)


@pytest.mark.parametrize("function", MANY)
def test_nothing_to_compare_is_nan(function: object) -> None:
    for empty in ([[], []], [[1, None], [None, 1]], [[None], [None]]):
        result = function(empty, rng=rng())  # type: ignore[operator]
        assert math.isnan(result.value)
        assert math.isnan(result.interval.low)
        assert result.n == 0


def test_one_label_only_leaves_nothing_beyond_chance() -> None:
    same = ["man"] * 5
    assert percent_agreement(same, same).value == 1
    for function in (cohen_kappa, fleiss_kappa, krippendorff_alpha):
        result = function(same, same, rng=rng())
        assert math.isnan(result.value)
        assert math.isnan(result.interval.low)


def test_opposed_raters_are_below_chance() -> None:
    a, b = [0, 1] * 10, [1, 0] * 10
    assert cohen_kappa(a, b).value == -1
    assert krippendorff_alpha(a, b).value < -0.9
    assert percent_agreement(a, b).value == 0


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        (([1, 2],), "ratings are no table"),
        ((["man", "woman"],), "ratings are no table"),
        (([[1, 2]],), "come from 1 raters"),
        (([1, 2], [1]), r"come from 2 raters with \[1, 2\] items"),
        ((5,), "ratings are no table"),
    ],
)
def test_refuses(ratings: tuple[object, ...], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        percent_agreement(*ratings)  # type: ignore[arg-type]


def test_refuses_options() -> None:
    with pytest.raises(StatisticsError, match="level is 'rank'; allowed: nominal, ordinal"):
        krippendorff_alpha([1], [1], level="rank")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match=r"labels are .*'man'.*; allowed: numbers"):
        krippendorff_alpha(["man"], ["man"], level="ordinal")
    with pytest.raises(StatisticsError, match="rng is int"):
        percent_agreement([1, 2], [1, 2], rng=1)  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="confidence is 2"):
        percent_agreement([1, 2], [1, 2], confidence=2)


def test_intervals_turn_with_the_labels_and_stay_within_the_range() -> None:
    """Renaming labels changes nothing, and no bound passes 1 or -1."""
    ratings = noisy(8, items=9)
    for function in MANY:
        result = function(ratings, rng=rng(2))
        renamed = function(2 - ratings, rng=rng(2))
        assert renamed.value == pytest.approx(result.value)
        assert renamed.interval == pytest.approx(result.interval, abs=0.06), "Monte Carlo error"
        assert -1 <= result.interval.low < result.value < result.interval.high <= 1


def test_interval_of_complete_agreement_is_the_exact_one() -> None:
    """All of n agree: the chance of that is (1 - d)^n; by mid-p half of it is 2.5 %."""
    for n in (5, 20, 100):
        same = (["a", "b"] * n)[:n]
        result = percent_agreement(same, same, rng=rng(3), resamples=20_000)
        assert result.interval.low == pytest.approx(0.05 ** (1 / n), abs=0.01)
        alpha = krippendorff_alpha(same, same, rng=rng(4), resamples=20_000)
        assert alpha.interval.low < result.interval.low


def test_one_label_in_use_still_leaves_room_for_disagreement() -> None:
    same = ["man"] * 10
    result = percent_agreement(same, same, rng=rng(), resamples=20_000)
    assert result.interval == pytest.approx((0.05**0.1, 1.0), abs=0.01)


def test_intervals_of_many_items_are_those_of_resampled_items() -> None:
    """With many items and common labels the bootstrap is right, and an independent check."""
    ratings = noisy(9, items=400)
    drawn = rng(5).integers(400, size=(2000, 400))
    for function in MANY:
        values = [function(ratings[:, items]).value for items in drawn[:500]]
        wanted = np.quantile(values, [0.025, 0.975])
        result = function(ratings, rng=rng(6))
        assert result.interval == pytest.approx(wanted, abs=0.02), function.__name__


def test_cohens_interval_of_many_items_is_that_of_its_standard_error() -> None:
    """Fleiss, Cohen and Everitt (1969), as statsmodels computes it."""
    a, b, _ = noisy(10, items=500)
    table = np.zeros((3, 3))
    np.add.at(table, (a, b), 1)
    wanted = statsmodels_cohen(table)
    result = cohen_kappa(a, b, rng=rng(7))
    assert result.interval == pytest.approx((wanted.kappa_low, wanted.kappa_upp), abs=0.012)


def test_many_patterns_are_drawn_not_listed() -> None:
    """Twelve raters and seven labels have 18,564 patterns."""
    result = krippendorff_alpha(noisy(11, raters=12, items=30, labels=7), rng=rng(8), resamples=200)
    assert 0.2 < result.interval.low < result.value < result.interval.high < 0.7


def test_a_label_without_a_second_answer_does_not_count() -> None:
    plain = cohen_kappa([1, 1, 0, 0, 1], [1, 0, 0, 0, 1], rng=rng(9))
    more = cohen_kappa([1, 1, 0, 0, 1, "x"], [1, 0, 0, 0, 1, None], rng=rng(9))
    assert (more.value, more.interval) == (plain.value, plain.interval)
    assert (more.n, more.n_missing) == (5, 1)


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_numbers_have_intervals_too(level: str) -> None:
    result = krippendorff_alpha(noisy(12) + 1, level=level, rng=rng(10))  # type: ignore[arg-type]
    assert result.interval.low < result.value < result.interval.high <= 1
