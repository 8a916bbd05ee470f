from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    AmplificationResult,
    amplification,
    amplification_reduction,
    decomposition,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "amplification.json").read_text())
CORRECTIONS = {
    "naive": frozenset[str](),
    "no indicators": frozenset({"indicators"}),
    "neighbours": frozenset({"neighbours"}),
    "both": frozenset({"indicators", "neighbours"}),
}


def percentages(seed: int, n: int = 62) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    training = generator.uniform(0, 100, n)
    return np.clip(training + generator.normal(0, 15, n), 0, 100), training


def of_values(values: list[float]) -> AmplificationResult:
    """Return a result whose occupations have exactly these amplifications, from -25 to 25."""
    return amplification([75.0] * len(values), [75.0 - value for value in values])


@pytest.mark.parametrize(
    ("generated", "training", "message"),
    [
        ([1, 2], [1], "generated has 2 occupations and training has 1"),
        ([101], [1], "generated holds 101.0; allowed: percentages from 0 to 100"),
        ([1], [-1], "training holds -1.0"),
        ([[1]], [[1]], "generated has shape"),
        (["x"], [1], "generated contains no numbers"),
    ],
)
def test_refuses(generated: object, training: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        amplification(generated, training)  # type: ignore[arg-type]


def test_refuses_options() -> None:
    with pytest.raises(StatisticsError, match="switching is 'drop'; allowed: exclude, include"):
        amplification([1], [1], switching="drop")  # type: ignore[arg-type]


def test_the_papers_engineer() -> None:
    # Figure 1: 10 % in generated, 25 % in training images; 10 % among captions without indicators.
    assert amplification([10], [25]).mean == 15
    assert amplification([10], [10]).mean == 0


def test_switching_is_excluded_or_included() -> None:
    generated, training = [10, 80, 45], [25, 70, 60]
    excluded = amplification(generated, training)
    assert excluded.mean == 12.5
    np.testing.assert_array_equal(excluded.per_item, [15, 10, np.nan])
    included = amplification(generated, training, switching="include")
    assert included.mean == pytest.approx((15 + 10 - 5) / 3)
    assert (excluded.n, included.n) == (2, 3)
    assert excluded.n_switched == included.n_switched == 1


def test_exactly_fifty_is_no_side() -> None:
    result = amplification([50, 30, 50], [30, 50, 50])
    assert result.n_switched == 0
    assert result.per_item.tolist() == [-20, 20, 0]


def test_missing_is_counted() -> None:
    result = amplification([10, math.nan, 90], [20, 30, math.nan])
    assert (result.n, result.n_missing, result.n_switched) == (1, 2, 0)
    assert np.isnan(result.per_item).tolist() == [False, True, True]


@pytest.mark.parametrize("switching", ["exclude", "include"])
def test_agrees_with_scipy(switching: str) -> None:
    generated, training = percentages(1)
    result = amplification(generated, training, switching=switching)  # type: ignore[arg-type]
    each = np.abs(generated - 50) - np.abs(training - 50)
    if switching == "exclude":
        each = each[(generated > 50) == (training > 50)]
    wanted = stats.ttest_1samp(each, 0)
    interval = wanted.confidence_interval(0.95)
    assert result.t == pytest.approx(wanted.statistic)
    assert result.p_value == pytest.approx(wanted.pvalue)
    assert result.interval == pytest.approx((interval.low, interval.high))
    assert result.n == each.size


def test_either_group_may_be_counted() -> None:
    generated, training = percentages(2)
    one, other = amplification(generated, training), amplification(100 - generated, 100 - training)
    assert other.mean == pytest.approx(one.mean)
    np.testing.assert_allclose(other.per_item, one.per_item)


def test_exchanging_the_sides_flips_the_sign() -> None:
    generated, training = percentages(3)
    one, other = amplification(generated, training), amplification(training, generated)
    assert other.mean == pytest.approx(-one.mean)
    assert other.t == pytest.approx(-one.t)
    assert other.interval.low == pytest.approx(-one.interval.high)


def test_degenerate() -> None:
    for empty in (amplification([], []), amplification([40], [60])):
        assert math.isnan(empty.mean)
        assert math.isnan(empty.t)
        assert math.isnan(empty.interval.low)
        assert empty.n == 0
    single = amplification([10], [25])
    assert (single.mean, single.n) == (15, 1)
    assert math.isnan(single.p_value)
    same = amplification([10, 20], [20, 30])
    assert (same.t, same.p_value, same.interval) == (math.inf, 0, (10, 10))
    none = amplification([10, 20], [10, 20])
    assert math.isnan(none.t)


@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_table_3_averages(version: str) -> None:
    # Four entries and their mean, each rounded to two digits: up to 0.01 apart.
    for subset, average in GOLDEN["averages"][version].items():
        assert of_values(GOLDEN[version][subset]).mean == pytest.approx(average, abs=0.01)


def test_table_3_reductions() -> None:
    table = GOLDEN["1.4"]
    for subset, share in GOLDEN["reductions_1.4"].items():
        reduced = amplification_reduction(of_values(table["naive"]), of_values(table[subset]))
        assert reduced.relative == pytest.approx(share, abs=0.005)
        wanted = stats.ttest_rel(table["naive"], table[subset])
        assert reduced.t == pytest.approx(wanted.statistic)
        assert reduced.p_value == pytest.approx(wanted.pvalue)
        interval = wanted.confidence_interval(0.95)
        assert reduced.interval == pytest.approx((interval.low, interval.high))


def test_reduction_stands_on_common_occupations() -> None:
    first = amplification([10, 80, 45], [25, 70, 60])
    second = amplification([10, 80, 45], [15, 45, 49])
    reduced = amplification_reduction(first, second)
    np.testing.assert_array_equal(reduced.per_item, [10, np.nan, np.nan])
    assert (reduced.n, reduced.n_missing, reduced.value) == (1, 2, 10)
    assert math.isnan(reduced.interval.low)
    swapped = amplification_reduction(second, first)
    assert swapped.value == -10
    with pytest.raises(StatisticsError, match="baseline has 3 occupations and corrected has 1"):
        amplification_reduction(first, of_values([1.0]))


def test_relative_interval_covers() -> None:
    generator, hits = np.random.default_rng(4), 0
    for _ in range(400):
        base = generator.normal(10, 4, 60)
        better = base * 0.6 + generator.normal(0, 2, 60)
        reduced = amplification_reduction(of_values(base.tolist()), of_values(better.tolist()))
        hits += reduced.relative_interval.low <= 0.4 <= reduced.relative_interval.high
    assert 0.92 < hits / 400 < 0.98


def test_decomposition_of_table_3() -> None:
    results = {key: of_values(GOLDEN["1.4"][name]) for name, key in CORRECTIONS.items()}
    split = decomposition(results)
    assert split.naive == pytest.approx(12.565)
    assert split.remaining.value == pytest.approx(4.235)
    # By hand: ((12.565 - 8.6625) + (6.765 - 4.235)) / 2, and likewise for the other.
    assert split.parts["indicators"].value == pytest.approx(3.21625)
    assert split.parts["neighbours"].value == pytest.approx(5.11375)
    explained = sum(part.value for part in split.parts.values())
    assert explained + split.remaining.value == pytest.approx(split.naive)
    shares = [*split.parts.values(), split.remaining]
    assert sum(part.share for part in shares) == pytest.approx(1)
    for part in shares:
        assert part.interval.low < part.value < part.interval.high
        assert part.share_interval.low < part.share < part.share_interval.high


def test_decomposition_of_three_agrees_with_all_orders() -> None:
    generator, names = np.random.default_rng(5), ("a", "b", "c")
    keys = [frozenset(n for i, n in enumerate(names) if code >> i & 1) for code in range(8)]
    results = {key: of_values(generator.uniform(0, 20, 5).tolist()) for key in keys}
    split = decomposition(results)
    for name in names:
        steps = []
        for order in permutations(names):
            before = frozenset(order[: order.index(name)])
            steps.append(results[before].mean - results[before | {name}].mean)
        assert split.parts[name].value == pytest.approx(np.mean(steps))


def test_decomposition_refuses_and_counts() -> None:
    with pytest.raises(StatisticsError, match="names no correction"):
        decomposition({frozenset(): of_values([1.0])})
    with pytest.raises(StatisticsError, match="results lacks no correction"):
        decomposition({frozenset({"a"}): of_values([1.0])})
    with pytest.raises(StatisticsError, match=r"results have \[1, 2\] occupations"):
        decomposition({frozenset(): of_values([1.0]), frozenset({"a"}): of_values([1.0, 2.0])})
    partial = decomposition(
        {
            frozenset(): amplification([10, 80], [25, 70]),
            frozenset({"a"}): amplification([10, 80], [15, 40]),
        }
    )
    assert (partial.n, partial.n_missing) == (1, 1)
    empty = decomposition({frozenset(): of_values([]), frozenset({"a"}): of_values([])})
    assert math.isnan(empty.naive)
    assert math.isnan(empty.parts["a"].value)
