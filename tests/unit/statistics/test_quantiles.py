"""Harrell and Davis, and what they need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mstats

from bakeoff.statistics import (
    bucket_bounds,
    harrell_davis,
    log_histogram,
    operations_for_quantile,
)


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("count", [2, 11, 200])
def test_quantiles_agree_with_scipy(count: int, quantile: float) -> None:
    values = np.random.default_rng(count).lognormal(0, 1, count)
    (expected,) = mstats.hdquantiles(values, prob=[quantile])
    assert harrell_davis(values, quantile) == pytest.approx(float(expected), rel=1e-9)


def test_the_median_of_two_values_is_their_middle() -> None:
    assert harrell_davis([1.0, 3.0], 0.5) == pytest.approx(2.0)


@given(
    st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=40),
    st.floats(0.01, 0.99),
    st.floats(0.01, 100),
)
def test_a_quantile_scales_with_its_values_and_lies_among_them(
    values: list[float], quantile: float, scale: float
) -> None:
    found = harrell_davis(values, quantile)
    assert min(values) * (1 - 1e-9) <= found <= max(values) * (1 + 1e-9)
    scaled = harrell_davis([scale * value for value in values], quantile)
    assert scaled == pytest.approx(scale * found, rel=1e-9)


@pytest.mark.parametrize(
    ("quantile", "operations"),
    [(0.5, 40), (0.9, 200), (0.99, 2000), (0.99999, 2_000_000), (0.1, 200), (0.3, 67)],
)
def test_twenty_operations_lie_beyond_a_quantile(quantile: float, operations: int) -> None:
    assert operations_for_quantile(quantile) == operations


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60))
def test_every_operation_is_in_its_bucket(values: list[float]) -> None:
    counted = log_histogram(values)
    assert sum(counted.values()) == len(values)
    for index, count in counted.items():
        low, high = bucket_bounds(index)
        inside = sum(low * (1 - 1e-12) <= value < high * (1 + 1e-12) for value in values)
        assert inside >= count


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_times_that_are_none_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        log_histogram([value])


@pytest.mark.parametrize("quantile", [0.0, 1.0, 90.0])
def test_a_quantile_is_a_share(quantile: float) -> None:
    with pytest.raises(ValueError, match="lies in"):
        harrell_davis([1.0], quantile)
