from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

from portrayal.errors import StatisticsError
from portrayal.statistics import images_for_share_width, images_from_pilot, share_interval


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
