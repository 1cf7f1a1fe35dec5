"""Exponents, classes and crossovers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.statistics import crossover, growth_class, growth_exponent, local_exponent

SIZES = np.array([10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0])


def noisy(curve: np.ndarray, *, noise: float = 0.02, rounds: int = 12, seed: int = 1) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return np.asarray(curve * np.exp(chance.normal(0, noise, (rounds, curve.size))))


@given(st.floats(-1, 3), st.floats(1e-6, 1e3))
def test_a_power_has_its_exponent(exponent: float, scale: float) -> None:
    curve = np.tile(scale * SIZES**exponent, (10, 1))
    found = growth_exponent(SIZES, curve, 0.01)
    assert (found.low, found.value, found.high) == pytest.approx((exponent,) * 3, abs=1e-6)


def test_the_slope_worked_by_hand() -> None:
    # ln 1, ln 2, ln 8 over ln 1, ln 2, ln 4: 1, then 2; least squares 1.5.
    found = growth_exponent([1, 2, 4], [[1, 2, 8]] * 8, 0.01)
    assert found.value == pytest.approx(1.5)
    assert (found.rounds, found.level) == (8, 0.99)


def test_an_intercept_hides_growth_below_and_not_in_the_top_decade() -> None:
    curve = np.tile(1000 + SIZES**2, (10, 1))
    assert growth_exponent(SIZES, curve, 0.01).value < 1.8
    assert local_exponent(SIZES, curve, 0.01).value == pytest.approx(2.0, abs=0.1)


def test_the_two_largest_sizes_are_the_top_where_a_decade_holds_one() -> None:
    found = local_exponent([1, 20, 400], [[1, 20, 400**2 / 20]] * 8, 0.01)
    assert found.value == pytest.approx(math.log(400) / math.log(20))


def test_an_interval_covers_the_exponent_that_noise_hides() -> None:
    covered = 0
    for seed in range(100):
        found = growth_exponent(SIZES, noisy(SIZES**0.5, noise=0.05, seed=seed), 0.01)
        covered += found.low <= 0.5 <= found.high
    assert covered >= 95


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("1", np.full_like(SIZES, 5.0)),
        ("log n", np.log(SIZES)),
        ("n", SIZES),
        ("n log n", SIZES * np.log(SIZES)),
        ("n^2", SIZES**2),
        ("n", 200 + SIZES),
        ("n^2", 1e4 + SIZES**2),
    ],
)
def test_a_curve_has_its_class_with_an_intercept_and_with_noise(
    name: str, curve: np.ndarray
) -> None:
    assert growth_class(SIZES, np.tile(curve, (10, 1))) == name
    assert growth_class(SIZES, noisy(curve)) == name


def test_too_few_sizes_and_noise_that_hides_the_shape_are_unclear() -> None:
    assert growth_class(SIZES[:3], np.tile(SIZES[:3], (10, 1))) == "unclear"
    near = SIZES * np.log(SIZES)
    assert growth_class(SIZES[2:], noisy(near[2:], noise=0.4, rounds=5)) in ("unclear", "1")


def ratios_crossing_at(size: float, rounds: int = 12, noise: float = 0.02) -> np.ndarray:
    """The arm is slower below `size` and faster above."""
    centre = 0.5 * (math.log(size) - np.log(SIZES))
    return np.asarray(centre + np.random.default_rng(2).normal(0, noise, (rounds, SIZES.size)))


def test_a_crossover_is_found_with_an_interval_around_it() -> None:
    found = crossover(SIZES, ratios_crossing_at(170.0), 0.01)
    assert found is not None
    assert found.size == pytest.approx(170, rel=0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 170 < found.high
    assert (found.below, found.crossings) == ("slower", 1)


def test_swapping_the_arms_leaves_the_crossover_and_turns_its_side() -> None:
    ratios = ratios_crossing_at(170.0)
    found, swapped = crossover(SIZES, ratios, 0.01), crossover(SIZES, -ratios, 0.01)
    assert found is not None
    assert swapped is not None
    assert swapped.size == pytest.approx(found.size)
    assert swapped.below == "faster"


def test_a_ratio_that_stays_on_one_side_has_no_crossover() -> None:
    assert crossover(SIZES, ratios_crossing_at(1e6), 0.01) is None


def test_a_crossing_near_the_end_has_no_bound_beyond_it() -> None:
    found = crossover(SIZES, ratios_crossing_at(1800.0, noise=0.4, rounds=9), 0.01)
    assert found is not None
    assert found.high is None


@pytest.mark.parametrize(
    ("sizes", "values", "complaint"),
    [
        ([1], [[1.0]], "two different sizes"),
        ([1, 1], [[1.0, 1.0]], "two different sizes"),
        ([1, 2], [[1.0]], "2 sizes"),
        ([0, 1], [[1.0, 1.0]], "positive"),
        ([1, 2], [[1.0, 0.0]], "positive"),
    ],
)
def test_growth_of_nonsense_is_refused(
    sizes: list[float], values: list[list[float]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        growth_exponent(sizes, values, 0.01)
