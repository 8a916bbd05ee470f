from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from portrayal.errors import StatisticsError
from portrayal.statistics import anytime_mean, anytime_share_interval, share_interval

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sequential.json").read_text())


# Validation


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: anytime_share_interval(3, 2), "successes is 3 of n = 2"),
        (lambda: anytime_share_interval(1, 2, confidence=0), "confidence is 0"),
        (lambda: anytime_mean([0.2, 1.2]), "numbers in 0 to 1"),
        (lambda: anytime_mean([0.2, math.nan]), "NaN is not allowed"),
        (lambda: anytime_mean([[0.2]]), "numbers in 0 to 1"),
        (lambda: anytime_mean([0.2], grid=2), "grid is 2"),
    ],
)
def test_bad_input_is_refused(call: Any, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        call()


# Known answer and agreement with independent implementations


def test_confseq_agrees() -> None:
    result = anytime_mean(GOLDEN["values"])
    for moment, low, high in zip(GOLDEN["times"], GOLDEN["low"], GOLDEN["high"], strict=True):
        assert result.low[moment - 1] == pytest.approx(low, abs=1e-9)
        assert result.high[moment - 1] == pytest.approx(high, abs=1e-9)


@pytest.mark.parametrize(("successes", "n"), [(7, 10), (70, 100), (1, 30), (250, 500)])
def test_bounds_solve_the_mixture_equation(successes: int, n: int) -> None:
    """At a bound, the likelihood ratio averaged over Beta(1/2, 1/2) is 1 / (1 - confidence)."""
    for bound in anytime_share_interval(successes, n, confidence=0.9):
        log_bound = stats.binom.logpmf(successes, n, bound)

        def ratio(p: float, log_bound: float = log_bound) -> float:
            weight = stats.beta.pdf(p, 0.5, 0.5)
            return float(np.exp(stats.binom.logpmf(successes, n, p) - log_bound) * weight)

        peak = successes / n
        mixture = sum(
            integrate.quad(ratio, *ends, limit=200)[0] for ends in ((0.0, peak), (peak, 1.0))
        )
        assert mixture == pytest.approx(10, rel=1e-4)


# Invariants


def test_the_other_group_mirrors() -> None:
    low, high = anytime_share_interval(13, 50)
    assert anytime_share_interval(37, 50) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    values = np.random.default_rng(0).uniform(0.1, 0.6, 50)
    result, mirrored = anytime_mean(values), anytime_mean(1 - values)
    expected = (1 - result.interval.high, 1 - result.interval.low)
    assert mirrored.interval == pytest.approx(expected, abs=0.002)


def test_looking_often_costs_some_width() -> None:
    for successes, n in [(5, 10), (30, 100), (500, 1000)]:
        anytime = anytime_share_interval(successes, n)
        fixed = share_interval(successes, n)
        ratio = (anytime.high - anytime.low) / (fixed.high - fixed.low)
        assert 1.2 < ratio < 2.2
        assert anytime.low < successes / n < anytime.high


def test_bounds_only_tighten() -> None:
    result = anytime_mean(np.random.default_rng(1).uniform(size=80))
    assert (np.diff(result.low) >= 0).all()
    assert (np.diff(result.high) <= 0).all()
    assert result.interval == (result.low[-1], result.high[-1])


# Degenerate input


def test_before_the_first_image_everything_is_possible() -> None:
    assert anytime_share_interval(0, 0) == (0.0, 1.0)
    result = anytime_mean([])
    assert math.isnan(result.value)
    assert result.interval == (0.0, 1.0)
    assert result.low.size == 0


def test_all_or_none_touch_the_end() -> None:
    assert anytime_share_interval(0, 40).low == 0.0
    assert anytime_share_interval(40, 40).high == 1.0
    assert 0.05 < anytime_share_interval(0, 40).high < 0.25
    assert anytime_mean([0.0] * 40).interval.low == 0.0
    assert anytime_mean([1.0] * 40).interval.high == 1.0


# Calibration


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_all_intervals_of_a_run_hold_together(share: float) -> None:
    """500 runs of 400 images, looked at after every image: at most 5 % may ever miss the share."""
    rng = np.random.default_rng(2)
    runs, images = 500, 400
    counts = (rng.random((runs, images)) < share).cumsum(axis=1)
    n = np.arange(1, images + 1)
    missed = np.zeros(runs, dtype=bool)
    fixed = np.zeros(runs, dtype=bool)
    bounds = {}
    for moment in n:
        for count in np.unique(counts[:, moment - 1]):
            low, high = bounds.setdefault((count, moment), anytime_share_interval(count, moment))
            here = counts[:, moment - 1] == count
            missed[here] |= not low <= share <= high
            if moment >= 20 and moment % 20 == 0:
                low, high = share_interval(int(count), int(moment))
                fixed[here] |= not low <= share <= high
    assert missed.mean() <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert fixed.mean() > 0.15  # what peeking at ordinary intervals does


def test_rounds_over_different_prompts_hold_together() -> None:
    """Prompts with shares 0, 0.3, 0.9 and 1: the mean of rounds is covered at every moment."""
    rng = np.random.default_rng(3)
    shares = np.array([0.0, 0.3, 0.9, 1.0])
    missed = 0
    for _ in range(200):
        rounds = (rng.random((150, 4)) < shares).mean(axis=1)
        result = anytime_mean(rounds, grid=401)
        missed += bool(((result.low > shares.mean()) | (result.high < shares.mean())).any())
    assert missed / 200 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
