from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

from portrayal.errors import StatisticsError
from portrayal.statistics import (
    difference_between_levels_of_prompts,
    images_for_share_width,
    images_from_pilot,
    least_p_of_levels,
    level_test,
    share_interval,
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: images_for_share_width(0), "width is 0"),
        (lambda: images_for_share_width(0.1, share=2), "share is 2"),
        (lambda: images_from_pilot(10, (0.1, 0.3)), "one of the two"),
        (lambda: images_from_pilot(10, (0.1, 0.3), width=1, effect=1), "one of the two"),
        (lambda: images_from_pilot(10, (0.1, 0.3), width=-1), "one of the two"),
        (lambda: images_from_pilot(0, (0.1, 0.3), width=1), "0 images"),
        (lambda: images_from_pilot(5, (0.3, 0.3), width=1), "an interval with a width"),
        (lambda: least_p_of_levels([2, 0]), "prompts are"),
        (lambda: difference_between_levels_of_prompts([4, 4], 0, correlation=0.1), "images are 0"),
        (lambda: difference_between_levels_of_prompts([4, 4], 9, correlation=2), "is 2; allowed"),
    ],
)
def test_bad_input_is_refused(call: Any, words: str) -> None:
    with pytest.raises(StatisticsError, match=words):
        call()


@pytest.mark.parametrize("width", [0.02, 0.1, 0.37])
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_statsmodels_agrees_that_it_is_the_fewest(width: float, share: float) -> None:
    n = images_for_share_width(width, share=share)

    def width_of(images: int) -> float:
        low, high = proportion_confint(round(share * images), images, method="wilson")
        return float(high - low)

    assert width_of(n) <= width
    assert width_of(n - 2) > width * 0.99


def test_a_share_and_its_opposite_take_the_same() -> None:
    assert images_for_share_width(0.1, share=0.1) == images_for_share_width(0.1, share=0.9)


def test_a_pilot_of_the_wanted_width_is_enough_and_half_of_it_takes_four_times() -> None:
    assert images_from_pilot(50, (0.2, 0.5), width=0.3) == 50
    assert images_from_pilot(50, (0.2, 0.5), width=0.15) == 200
    assert images_from_pilot(50, (-0.5, -0.2), width=0.15) == 200


def test_statsmodels_agrees_on_the_power() -> None:
    """A pilot of 25 images with a standard error of 1 / 5: a mean in standard deviations."""
    half = float(stats.norm.ppf(0.975)) / 5
    n = images_from_pilot(25, (-half, half), effect=0.4)
    exact = NormalIndPower(ddof=0).solve_power(0.4, alpha=0.05, power=0.8, ratio=0)
    assert n == int(np.ceil(exact))


def test_the_planned_images_reach_the_width_and_the_power() -> None:
    """The plan's answer checked by simulation."""
    rng = np.random.default_rng(0)
    n = images_for_share_width(0.1, share=0.3)
    widths = [np.subtract(*share_interval(int(k), n)[::-1]) for k in rng.binomial(n, 0.3, 500)]
    assert np.median(widths) == pytest.approx(0.1, abs=0.003)
    # A pilot of 40 images, then as many as it says for an effect of a quarter of a deviation.
    found = []
    for _ in range(800):
        pilot = stats.ttest_1samp(rng.normal(0.25, 1.0, 40), 0.0).confidence_interval()
        planned = images_from_pilot(40, (pilot.low, pilot.high), effect=0.25)
        found.append(stats.ttest_1samp(rng.normal(0.25, 1.0, planned), 0.0).pvalue < 0.05)
    assert np.mean(found) == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize(("prompts", "ways"), [([2, 2], 3), ([2, 2, 2], 15), ([1, 3], 4), ([5], 1)])
def test_the_least_p_counts_how_prompts_can_be_dealt_out(prompts: list[int], ways: int) -> None:
    assert least_p_of_levels(prompts) == pytest.approx(1 / ways)


def test_the_least_p_is_that_of_the_test() -> None:
    """Two levels that could not lie further apart."""
    counts, levels = [[50, 0], [49, 1], [0, 50], [1, 49]], [0, 0, 1, 1]
    rng = np.random.default_rng(0)
    found = level_test(counts, levels, by_prompt=True, resamples=3999, rng=rng)
    assert found is not None
    assert found.p_value == pytest.approx(least_p_of_levels([2, 2]), abs=0.03)


def test_no_difference_is_found_where_no_p_is_small_enough() -> None:
    for prompts in ([2, 2], [3, 3], [1, 1], [5]):
        assert np.isnan(difference_between_levels_of_prompts(prompts, 10**6, correlation=0.1))
    assert difference_between_levels_of_prompts([3, 3], 50, correlation=0.1, alpha=0.1) < 1


@pytest.mark.parametrize("prompts", [[4, 4], [6, 6], [3] * 4, [4] * 4])
def test_a_difference_between_levels_of_prompts_is_found_as_planned(prompts: list[int]) -> None:
    images, correlation = 20, 0.1
    apart = difference_between_levels_of_prompts(prompts, images, correlation=correlation)
    shares = np.full(len(prompts), 0.5)
    shares[:2] += [-apart / 2, apart / 2]
    codes = np.repeat(np.arange(len(prompts)), prompts)
    more = (1 - correlation) / correlation
    rng = np.random.default_rng(3)
    found = []
    for _ in range(150):
        drawn = rng.beta(shares[codes] * more, (1 - shares[codes]) * more)
        hits = rng.binomial(images, drawn)
        counts = np.column_stack([hits, images - hits])
        test = level_test(counts, codes, by_prompt=True, resamples=199, rng=rng)
        found.append(test is not None and test.p_value <= 0.05)
    assert 0.65 < np.mean(found) < 0.92
