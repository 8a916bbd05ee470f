from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from portrayal.errors import StatisticsError
from portrayal.statistics import cluster_bootstrap, share_interval

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "intervals.json").read_text())


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# Validation


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2), (0, -1), (1.5, 3)])
def test_impossible_counts_are_refused(successes: Any, n: Any) -> None:
    with pytest.raises(StatisticsError, match=r"allowed: whole numbers with 0 <= successes <= n"):
        share_interval(successes, n)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(StatisticsError, match="allowed: wilson, exact"):
        share_interval(1, 2, method="wald")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="confidence is 1"):
        share_interval(1, 2, confidence=1)
    with pytest.raises(StatisticsError, match="allowed: t, percentile"):
        cluster_bootstrap(np.mean, [1, 2], method="bca", rng=rng())  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match=r"units of values have shape \(1,\)"):
        cluster_bootstrap(np.mean, [1, 2], [1], rng=rng())
    with pytest.raises(StatisticsError, match="rng is NoneType"):
        cluster_bootstrap(np.mean, [1, 2], rng=None)  # type: ignore[arg-type]


# Known answer


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{case['successes']}")
@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_published_intervals(case: dict[str, Any], method: Any) -> None:
    interval = share_interval(case["successes"], case["n"], method=method)
    assert interval == pytest.approx(case[method], abs=5e-5)


def test_standard_error_of_a_mean_of_equal_units_is_that_of_unit_means() -> None:
    values = rng(1).normal(size=(12, 5))
    result = cluster_bootstrap(
        np.mean, values.ravel(), np.repeat(np.arange(12), 5), resamples=20_000, rng=rng()
    )
    expected = values.mean(axis=1).std(ddof=1) / math.sqrt(12)
    assert result.standard_error == pytest.approx(expected, rel=0.03)
    half = stats.t.ppf(0.975, 11) * result.standard_error
    assert result.interval == pytest.approx((result.estimate - half, result.estimate + half))
    assert (result.n, result.n_units, result.distribution.size) == (60, 12, 20_000)


# Agreement with an independent implementation


@pytest.mark.parametrize(("name", "method"), [("wilson", "wilson"), ("beta", "exact")])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_statsmodels_agrees(name: str, method: Any, confidence: float) -> None:
    for successes, n in [(0, 7), (3, 7), (7, 7), (40, 200)]:
        expected = proportion_confint(successes, n, 1 - confidence, method=name)
        interval = share_interval(successes, n, confidence=confidence, method=method)
        assert interval == pytest.approx(np.clip(expected, 0, 1), abs=1e-9)


def test_scipy_bootstrap_agrees() -> None:
    values = rng(2).gamma(2.0, size=80)
    ours = cluster_bootstrap(np.median, values, method="percentile", resamples=4000, rng=rng())
    theirs = stats.bootstrap(
        (values,), np.median, n_resamples=4000, method="percentile", rng=rng(1)
    )
    repair = math.sqrt(80 / 79)
    assert ours.standard_error == pytest.approx(repair * theirs.standard_error, rel=0.1)
    low, high = theirs.confidence_interval
    assert ours.interval.low == pytest.approx(low, abs=0.08)
    assert ours.interval.high == pytest.approx(high, abs=0.08)
    assert ours.interval.low <= ours.estimate <= ours.interval.high


# Invariants


def test_share_of_the_others_mirrors() -> None:
    for method in ("wilson", "exact"):
        low, high = share_interval(13, 50, method=method)  # type: ignore[arg-type]
        mirrored = share_interval(37, 50, method=method)  # type: ignore[arg-type]
        assert mirrored == pytest.approx((1 - high, 1 - low))


def test_units_that_hold_equal_values_count_once() -> None:
    values = rng(3).normal(size=10)
    once = cluster_bootstrap(np.mean, values, resamples=500, rng=rng())
    often = cluster_bootstrap(
        np.mean, np.repeat(values, 6), np.repeat(np.arange(10), 6), resamples=500, rng=rng()
    )
    assert often.interval == pytest.approx(once.interval)


def test_sign_of_the_values_turns_the_interval() -> None:
    values = rng(4).normal(1.0, 1.0, size=15)
    there = cluster_bootstrap(np.mean, values, resamples=500, rng=rng())
    back = cluster_bootstrap(np.mean, -values, resamples=500, rng=rng())
    assert back.interval == pytest.approx((-there.interval.high, -there.interval.low))


# Degenerate input


def test_no_image_says_nothing() -> None:
    assert all(math.isnan(bound) for bound in share_interval(0, 0))
    result = cluster_bootstrap(np.mean, [], resamples=10, rng=rng())
    assert math.isnan(result.estimate)
    assert math.isnan(result.interval.low)
    assert (result.n, result.n_units) == (0, 0)


def test_one_unit_has_an_estimate_and_no_interval() -> None:
    result = cluster_bootstrap(np.mean, [1.0, 3.0], ["a", "a"], resamples=10, rng=rng())
    assert result.estimate == 2.0
    assert math.isnan(result.interval.high)
    assert math.isnan(result.standard_error)


# Calibration


@pytest.mark.parametrize("units", [4, 9, 25])
def test_few_units_cover(units: int) -> None:
    source = rng(5)
    hits, trials = 0, 300
    labels = np.repeat(np.arange(units), 4)
    for _ in range(trials):
        values = source.normal(0, 0.7, (units, 1)) + source.normal(size=(units, 4))
        result = cluster_bootstrap(np.mean, values.ravel(), labels, resamples=199, rng=source)
        hits += result.interval.low <= 0 <= result.interval.high
    assert 0.91 <= hits / trials <= 0.985
