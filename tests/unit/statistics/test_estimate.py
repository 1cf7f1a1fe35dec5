"""An estimate and its interval; exact counts; bounds of what did not finish."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.statistics import Estimate, bound, exact_ratio


def test_ratios_are_the_exponentials_of_the_logarithms() -> None:
    estimate = Estimate(math.log(0.5), math.log(0.25), math.log(2), 0.99, 10, "signed-rank")
    assert (estimate.low, estimate.ratio, estimate.high) == pytest.approx((0.25, 0.5, 2))


def test_an_unbounded_interval_reaches_from_zero_to_infinity() -> None:
    estimate = Estimate(0.0, -math.inf, math.inf, 0.99, 3, "signed-rank")
    assert (estimate.low, estimate.high) == (0.0, math.inf)
    assert not estimate.is_bounded


def test_an_end_too_large_for_a_float_is_infinite_rather_than_an_error() -> None:
    estimate = Estimate(0.1, -1000.0, 1000.0, 0.99, 2, "paired-t")
    assert (estimate.low, estimate.high) == (0.0, math.inf)


@pytest.mark.parametrize(
    ("log_ratio", "low", "high"),
    [(0.3, 0.0, 0.2), (-0.1, 0.0, 0.2), (math.nan, 0.0, 0.2), (0.1, math.nan, 0.2)],
)
def test_an_estimate_outside_its_interval_is_refused(
    log_ratio: float, low: float, high: float
) -> None:
    with pytest.raises(ValueError, match="inside its interval"):
        Estimate(log_ratio, low, high, 0.99, 10, "signed-rank")


@pytest.mark.parametrize("level", [0.0, 1.01, math.nan])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        Estimate(0.0, 0.0, 0.0, level, 10, "signed-rank")


@given(st.integers(1, 10**15), st.integers(1, 10**15))
def test_an_exact_ratio_is_the_quotient_without_an_interval(value: int, baseline: int) -> None:
    estimate = exact_ratio(value, baseline)
    assert estimate.ratio == pytest.approx(value / baseline)
    assert estimate.log_low == estimate.log_ratio == estimate.log_high
    assert (estimate.level, estimate.method) == (1.0, "exact")
    assert (estimate.log_ratio == 0) == (value == baseline)


@pytest.mark.parametrize(
    ("value", "baseline", "ratio"), [(0, 0, 1.0), (0, 5, 0.0), (5, 0, math.inf), (7, 7, 1.0)]
)
def test_counts_of_nothing_have_a_ratio_too(value: int, baseline: int, ratio: float) -> None:
    assert exact_ratio(value, baseline).ratio == ratio


@pytest.mark.parametrize(("value", "baseline"), [(-1, 1), (1, -1), (math.nan, 1), (1, math.inf)])
def test_what_is_no_count_has_no_exact_ratio(value: float, baseline: float) -> None:
    with pytest.raises(ValueError, match="count"):
        exact_ratio(value, baseline)


@pytest.mark.parametrize(
    ("low", "high", "log_ratio"),
    [(1.5, math.inf, 1.5), (-math.inf, -1.5, -1.5), (1.0, 2.0, 1.5)],
)
def test_a_bound_takes_its_finite_end_for_the_estimate(
    low: float, high: float, log_ratio: float
) -> None:
    estimate = bound(low, high, rounds=3)
    assert (estimate.log_low, estimate.log_ratio, estimate.log_high) == (low, log_ratio, high)
    assert (estimate.rounds, estimate.method) == (3, "bound")


def test_two_censored_arms_bound_nothing() -> None:
    with pytest.raises(ValueError, match="bounds nothing"):
        bound(-math.inf, math.inf, rounds=3)
