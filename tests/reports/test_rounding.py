"""Digits follow the interval."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import rounding
from reports.intervals import UNKNOWN, Estimate


@pytest.mark.parametrize(
    ("value", "half_width", "shown"),
    [
        (16.5604, 0.0243, "16.560"),
        (16.5604, 0.3, "16.56"),
        (16.5604, 2.4, "16.6"),
        (16.5604, 24.0, "17"),
        (1234567.8, 300.0, "1,234,568"),
        (0.00004, 0.000029, "0.000040"),
        (-0.001, 0.3, "0.00"),
        (-2.5, 0.3, "-2.50"),
        (0.0, 0.3, "0"),
        (12.0, 0.0, "12"),
        (12.25, 0.0, "12.25"),
        (16.5604, None, "16.6"),
        (0.0123456, None, "0.0123"),
        (123456.7, None, "123,457"),
        (None, 0.1, "?"),
    ],
)
def test_rounded(value: float | None, half_width: float | None, shown: str) -> None:
    assert rounding.rounded(value, half_width) == shown


@given(st.floats(0.001, 1000), st.floats(1e-9, 10))
def test_rounding_loses_less_than_a_tenth_of_the_half_width(value: float, half_width: float) -> None:
    shown = float(rounding.rounded(value, half_width).replace(",", ""))
    assert abs(shown - value) <= half_width / 20 * (1 + 1e-6) + 1e-12


@given(st.floats(1e-9, 0.9))
def test_one_digit_beyond_the_first_significant_one(half_width: float) -> None:
    places = rounding.decimals(half_width)
    assert 10 <= math.floor(half_width * 10**places + 1e-9) < 100


def test_percent_interval_and_count() -> None:
    assert rounding.percent(0.48, 0.0022) == "48.00%"
    assert rounding.percent(None, None) == "?"
    assert rounding.percent(0.5, 0) == "50%"
    assert rounding.interval(0.47786, 0.48224) == "47.79 to 48.22%"
    assert rounding.interval(None, None) == "?"
    assert rounding.count(1234.0) == "1,234"
    assert rounding.count(1234.5) == "1,234.5"


def test_error_says_how_far_a_value_may_be_off() -> None:
    assert rounding.error(Estimate(2.0, 0.1, 1.8, 2.2)) == "± 0.20"
    assert rounding.error(Estimate(0.0, 0.0, 0.0, 0.0038)) == "< 0.0038"
    assert rounding.error(Estimate(1.0, 0.0, 0.9962, 1.0)) == "> 0.9962"
    assert rounding.error(Estimate(3.0, 0.0, 3.0, 3.0)) == "± 0"
    assert rounding.error(Estimate(0.988, None, 0.914, 1.0)) == "0.914 to 1.000"
    assert rounding.error(Estimate(3.0, None, None, None)) == "± ?"
    assert rounding.error(UNKNOWN) == "± ?"
