from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from portrayal.findings.level_shares import level_test, prompts_share_interval


def test_one_prompt_agrees_with_scipy() -> None:
    for hits, total in ((0, 9), (3, 9), (9, 9), (45, 61)):
        expected = stats.binomtest(hits, total).proportion_ci(0.95, method="wilson")
        found = prompts_share_interval([hits], [total], confidence=0.95, clustered=True)
        assert found == pytest.approx((expected.low, expected.high))


def test_prompts_that_differ_widen_the_interval() -> None:
    alike = prompts_share_interval([5, 5, 5, 5], [10] * 4, confidence=0.95, clustered=True)
    apart = prompts_share_interval([0, 10, 0, 10], [10] * 4, confidence=0.95, clustered=True)
    pooled = prompts_share_interval([0, 10, 0, 10], [10] * 4, confidence=0.95, clustered=False)
    assert apart.high - apart.low > alike.high - alike.low > pooled.high - pooled.low


def test_without_images_there_is_no_interval() -> None:
    found = prompts_share_interval([0, 0], [0, 0], confidence=0.95, clustered=True)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_intervals_cover_a_share_that_varies_between_prompts() -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(400):
        shares = rng.beta(3, 2, size=12)  # mean 0.6
        hits = rng.binomial(10, shares)
        low, high = prompts_share_interval(hits, np.full(12, 10), confidence=0.95, clustered=True)
        covered.append(low <= 0.6 <= high)
    assert 0.925 <= np.mean(covered) <= 0.985


def settings(seed: int = 1, *, by_prompt: bool = True) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    return {"by_prompt": by_prompt, "resamples": 999, "confidence": 0.95, "rng": rng}


def test_v_agrees_with_scipy_up_to_its_bias() -> None:
    table = np.array([[30, 10], [12, 28], [20, 20]])
    found = level_test(table, np.arange(3), **settings())  # type: ignore[arg-type]
    assert found is not None
    chi_square = stats.chi2_contingency(table, correction=False).statistic
    assert found.v == pytest.approx(math.sqrt((chi_square - 2) / 120))
    plain = stats.contingency.association(table, method="cramer")
    assert found.v < plain
    assert found.interval.low < found.v < found.interval.high
    assert found.p_value < 0.01
    assert found.unit == "image"


def test_same_shares_everywhere() -> None:
    found = level_test(np.full((4, 2), 8), np.arange(4), **settings())  # type: ignore[arg-type]
    assert found is not None
    assert (found.v, found.p_value, found.interval.low) == (0.0, 1.0, 0.0)
    assert 0.2 < found.interval.high < 0.5  # 64 images leave room for some association


def test_equal_shares_leave_more_room_with_fewer_images() -> None:
    highs = []
    for n in (2, 8, 200):
        found = level_test(np.full((2, 2), n), np.arange(2), **settings())  # type: ignore[arg-type]
        assert found is not None
        highs.append(found.interval.high)
    assert highs == sorted(highs, reverse=True)
    assert highs[0] > 0.5
    assert highs[-1] < 0.15


def test_interval_of_v_covers_the_truth() -> None:
    rng = np.random.default_rng(5)
    shares = np.array([0.2, 0.4, 0.6, 0.8])
    truth = math.sqrt(np.mean((shares - 0.5) ** 2) / 0.25)
    covered = []
    for _ in range(200):
        hits = rng.binomial(25, shares)
        table = np.column_stack([hits, 25 - hits])
        found = level_test(
            table, np.arange(4), by_prompt=True, resamples=1, confidence=0.95, rng=rng
        )
        assert found is not None
        covered.append(found.interval.low <= truth <= found.interval.high)
    assert 0.92 <= np.mean(covered) <= 0.99


def rejections(*, by_prompt: bool) -> float:
    """How often a true null is rejected when prompts differ but levels do not."""
    rng = np.random.default_rng(11)
    levels = np.repeat(np.arange(3), 6)
    rejected = 0
    for _ in range(300):
        hits = rng.binomial(10, rng.beta(2, 2, size=18))
        found = level_test(
            np.column_stack([hits, 10 - hits]), levels,
            by_prompt=by_prompt, resamples=199, confidence=0.95, rng=rng,
        )  # fmt: skip
        assert found is not None
        assert found.unit == ("prompt" if by_prompt else "image")
        rejected += found.p_value <= 0.05
    return rejected / 300


def test_prompts_as_units_keep_the_level_and_images_do_not() -> None:
    assert 0.02 <= rejections(by_prompt=True) <= 0.08
    assert rejections(by_prompt=False) > 0.2


def test_nothing_to_compare() -> None:
    one_level = level_test(np.array([[3, 4]]), np.array([0]), **settings())  # type: ignore[arg-type]
    one_group = level_test(np.array([[3, 0], [4, 0]]), np.arange(2), **settings())  # type: ignore[arg-type]
    empty = level_test(np.zeros((2, 2), int), np.arange(2), **settings())  # type: ignore[arg-type]
    assert one_level is None
    assert one_group is None
    assert empty is None
