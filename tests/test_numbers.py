"""One format per quantity, rounded half up; nothing that is not 0 reads as 0."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portrayal.numbers import (
    DASH,
    ROUNDING,
    USUAL_LEVELS,
    between,
    cell,
    interval,
    number,
    p_in_words,
    p_value,
    percent,
)

finite = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (0.125, "0.13"), (0.995, "1.0"), (2.25, "2.3"), (-2.25, "-2.3"),
        (12.5, "13"), (99.5, "100"), (1234.4, "1234"), (0.00012, "0.00012"), (3e-9, "3.0e-09"),
        (math.inf, "∞"), (math.nan, DASH), (None, DASH),
    ],
)  # fmt: skip
def test_estimates_have_two_significant_digits_rounded_half_up(
    value: float | None, text: str
) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.125, "13%"), (0.004, "<1%"), (0.996, ">99%"), (1.0, "100%"), (None, DASH)],
)
def test_shares_that_are_not_whole_never_read_as_whole(share: float | None, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "< .001"), (0.00099, "< .001"), (0.0125, ".013"), (0.0995, ".0995"), (0.35, ".35"),
        (0.999, "1"), (1.0, "1"), (math.nan, DASH), (0.1, ".10"), (0.0494, ".049"),
    ],
)  # fmt: skip
def test_p_values_have_no_leading_zero(p: float, text: str) -> None:
    assert p_value(p) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0495, ".0495"), (0.04996, ".0499"), (math.nextafter(0.05, 0), ".0499"), (0.05, ".050"),
        (0.0504, ".050"), (0.0097, ".0097"), (0.01, ".010"), (0.0998, ".0998"),
    ],
)  # fmt: skip
def test_a_p_value_below_a_level_never_reads_as_the_level(p: float, text: str) -> None:
    assert p_value(p) == text


@given(st.floats(0.001, 0.2), st.sampled_from(USUAL_LEVELS))
def test_a_p_value_as_written_is_on_the_side_of_a_level_that_it_is_on(
    p: float, level: float
) -> None:
    assert (float(p_value(p)) < level) == (p < level)


def test_tests_and_intervals_in_words() -> None:
    assert p_in_words("q", 0.0001) == "q < .001"
    assert p_in_words("p", 0.04) == "p = .040"
    assert between(-1.26, 0.04, 0.95) == "95% CI -1.3 to 0.040"
    assert between(0.386, 0.814, 0.9, form=percent) == "90% CI 39% to 81%"
    assert between(math.nan, 1.0, 0.95) == "no interval: too few units"
    assert between(-math.inf, 1.0, 0.95) == "no interval: too few units"
    assert interval(None, 1.0) == DASH


def test_a_bound_that_a_test_puts_beside_0_is_written_so() -> None:
    assert interval(-1.3, -1e-9) == "-1.3 to just below 0"
    assert interval(2.3e-17, 0.87) == "just above 0 to 0.87"
    assert interval(-0.0, 0.5) == "0 to 0.50"
    assert interval(1e-9, 0.5, form=percent) == "<1% to 50%"
    assert cell(-1e-9, "high") == "just below 0"


def test_cells_follow_their_column() -> None:
    row = [
        cell(0.0004, "p"),
        cell(0.25, "share"),
        cell(0.25, "corrected share"),
        cell(True),
        cell(12345),
        cell(0.00123),
        cell("x"),
    ]
    assert row == ["< .001", "25%", "25%", "yes", "12,345", "0.0012", "x"]


@given(finite)
def test_a_number_is_read_back_within_its_digits(value: float) -> None:
    read = float(number(value))
    assert math.isclose(read, value, rel_tol=0.051, abs_tol=ROUNDING)
    assert math.copysign(1, read) == math.copysign(1, value) or abs(value) < ROUNDING


@given(finite)
def test_the_sign_is_the_only_difference_between_opposites(value: float) -> None:
    assert number(-abs(value)).lstrip("-") == number(abs(value))
