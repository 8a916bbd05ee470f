"""Coverage and rejection where the truth is known; the bands are those the library promises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from portrayal.statistics.validation import amplification, correlation, reduction
from portrayal.statistics.validation.worlds import ValidationRow, binomial_band


def hold(row: ValidationRow, *, conservative: str = "") -> None:
    """Fail where the Monte Carlo interval of a rate lies outside of what is promised."""
    low, high = binomial_band(row.coverage, row.worlds)
    assert high >= 0.93, row
    assert low <= 0.97 or conservative, row
    if not math.isnan(row.rejection):
        assert binomial_band(row.rejection, row.worlds).low <= 0.065, row


@pytest.mark.slow
@pytest.mark.parametrize("setting", amplification.settings(), ids=lambda one: one.name)
def test_amplification(setting: amplification.AmplificationSetting) -> None:
    worlds = 1000
    row = amplification.validate_amplification(setting, worlds=worlds, rng=rng(setting.name))
    hold(row, conservative=setting.conservative)


@pytest.mark.slow
@pytest.mark.parametrize("setting", reduction.settings(), ids=lambda one: one.name)
def test_reduction(setting: reduction.ReductionSetting) -> None:
    hold(reduction.validate_reduction(setting, worlds=1000, rng=rng(setting.name)))


@pytest.mark.slow
@pytest.mark.parametrize("setting", correlation.settings(), ids=lambda one: one.name)
def test_correlation(setting: correlation.CorrelationSetting) -> None:
    hold(correlation.validate_correlation(setting, worlds=1000, rng=rng(setting.name)))


def test_a_row_says_what_happened() -> None:
    setting = amplification.settings()[4]
    row = amplification.validate_amplification(setting, worlds=40, rng=rng("few"))
    assert (row.worlds, row.setting) == (40, setting.name)
    assert 0.8 <= row.coverage <= 1
    assert row.rejection == pytest.approx(1 - row.coverage)
    assert math.isnan(row.power)
    assert 0.5 < row.width_vs_oracle < 2


def rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))
