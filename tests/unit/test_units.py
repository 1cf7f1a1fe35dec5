"""Seconds, bytes, counts and ratios as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.units import (
    describe_ratio,
    format_bytes,
    format_count,
    format_quantity,
    format_ratio,
    format_seconds,
    format_significant,
)

POWERS_OF_TEN = {
    "ns": 1e-9,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1,
    "B": 1,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
}


def read_back(text: str) -> float:
    """The number of base units that a reader would take from `text`."""
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * POWERS_OF_TEN[unit]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1, "1.00"),
        (1.234, "1.23"),
        (12.34, "12.3"),
        (123.4, "123"),
        (1234.4, "1,234"),
        (1234567, "1,234,567"),
        (0.01234, "0.0123"),
        (0.0000123, "0.0000123"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.6, "1,000"),
        (0.9996, "1.00"),
        (0.09996, "0.100"),
        (-9.996, "-10.0"),
        (-0.5, "-0.500"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
    ],
)
def test_a_number_keeps_three_significant_digits(value: float, text: str) -> None:
    assert format_significant(value) == text


def test_the_number_of_digits_can_be_chosen() -> None:
    assert format_significant(1.26, 2) == "1.3"
    assert format_significant(0.999, 2) == "1.0"
    assert format_significant(1.26, 1) == "1"


@given(st.floats(1e-12, 1e15))
def test_a_formatted_number_is_within_half_a_unit_of_its_third_digit(value: float) -> None:
    text = format_significant(value)
    assert "e" not in text
    assert float(text.replace(",", "")) == pytest.approx(value, rel=0.00501)
    assert len(text.replace(",", "").replace(".", "").lstrip("0")) >= 3


@pytest.mark.parametrize(
    "format_number", [format_significant, format_seconds, format_bytes, format_count, format_ratio]
)
def test_what_is_unknown_has_no_figure(format_number: Callable[[float], str]) -> None:
    with pytest.raises(ValueError, match="NaN"):
        format_number(math.nan)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (3600, "3,600 s"),
        (1.5, "1.50 s"),
        (1e-3, "1.00 ms"),
        (0.00123, "1.23 ms"),
        (1.23e-6, "1.23 µs"),
        (1.23e-9, "1.23 ns"),
        (1.23e-11, "0.0123 ns"),
        (0.9996, "1.00 s"),
        (0.9994, "999 ms"),
        (0.0009996, "1.00 ms"),
        (9.996e-7, "1.00 µs"),
        (-0.0025, "-2.50 ms"),
        (math.inf, "∞ s"),
    ],
)
def test_a_duration_has_a_fitting_prefix(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@given(st.floats(1e-9, 1e5))
def test_a_duration_reads_back_as_itself(seconds: float) -> None:
    text = format_seconds(seconds)
    assert read_back(text) == pytest.approx(seconds, rel=0.00501)
    assert text.endswith(" s") or not text.startswith("1,000")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (12, "12 B"),
        (999, "999 B"),
        (12.5, "12.5 B"),
        (0.25, "0.250 B"),
        (999.6, "1.00 kB"),
        (1000, "1.00 kB"),
        (1024, "1.02 kB"),
        (999_400, "999 kB"),
        (999_960, "1.00 MB"),
        (1_230_000, "1.23 MB"),
        (999_999_999, "1.00 GB"),
        (8.2e9, "8.20 GB"),
        (-2048, "-2.05 kB"),
    ],
)
def test_bytes_are_whole_or_have_a_decimal_prefix(count: float, text: str) -> None:
    assert format_bytes(count) == text


@given(st.floats(1, 1e13))
def test_a_number_of_bytes_reads_back_as_itself(count: float) -> None:
    assert read_back(format_bytes(count)) == pytest.approx(count, rel=0.00501)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (7, "7"),
        (1234567, "1,234,567"),
        (1234567.0, "1,234,567"),
        (2.5, "2.50"),
        (math.inf, "∞"),
    ],
)
def test_a_count_is_whole_unless_it_is_not(count: float, text: str) -> None:
    assert format_count(count) == text


@pytest.mark.parametrize(("unit", "text"), [("s", "1,500 s"), ("B", "1.50 kB"), ("1", "1,500")])
def test_a_quantity_is_written_in_its_unit(unit: str, text: str) -> None:
    assert format_quantity(1500, unit) == text


def test_an_unknown_unit_is_refused_rather_than_left_out() -> None:
    with pytest.raises(ValueError, match="'ms'"):
        format_quantity(1500, "ms")


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.019, "0.0190× the baseline, 52.6× faster"),
        (0.5, "0.500× the baseline, 2.00× faster"),
        (2, "2.00× the baseline, 2.00× slower"),
        (1.03, "1.03× the baseline, 1.03× slower"),
        (1, "1.00× the baseline"),
        (0.9999, "1.00× the baseline"),
        (1.0001, "1.00× the baseline"),
        (0.996, "0.996× the baseline"),
        (0, "0× the baseline"),
        (math.inf, "∞× the baseline"),
    ],
)
def test_a_ratio_is_told_in_both_directions_where_both_say_something(
    ratio: float, text: str
) -> None:
    assert describe_ratio(ratio) == text


def test_a_ratio_of_bytes_has_words_of_its_own() -> None:
    assert describe_ratio(0.25, less="less", more="more") == "0.250× the baseline, 4.00× less"
    assert describe_ratio(4, less="less", more="more") == "4.00× the baseline, 4.00× more"


@pytest.mark.parametrize("ratio", [-1.0, math.nan, -math.inf])
def test_an_impossible_ratio_is_refused(ratio: float) -> None:
    with pytest.raises(ValueError, match=r"ratio|NaN"):
        describe_ratio(ratio)
