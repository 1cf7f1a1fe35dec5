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


def resamples_outside(ratios: np.ndarray) -> tuple[float, float]:
    """Which shares of resampled rounds put the arm on one side at all sizes: faster, and slower."""
    chance = np.random.default_rng(0)
    rounds = len(ratios)
    centres = [np.median(ratios[chance.integers(0, rounds, rounds)], axis=0) for _ in range(1000)]
    faster = np.mean([bool((centre < 0).all()) for centre in centres])
    slower = np.mean([bool((centre > 0).all()) for centre in centres])
    return float(faster), float(slower)


@pytest.mark.parametrize("seed", [0, 2])
def test_rounds_that_cross_beyond_either_end_leave_neither_end_bounded(seed: int) -> None:
    # Faster below and slower above, but less than the rounds differ among themselves.
    chance = np.random.default_rng(seed)
    whole_round = chance.normal(0, 0.3, (10, 1))
    ratios = whole_round + np.array([-0.06, 0.0, 0.06])
    assert min(resamples_outside(ratios)) > 0.05
    found = crossover([10, 100, 1000], ratios, 0.01)
    assert found is not None
    assert (found.below, found.low, found.high) == ("faster", None, None)


def test_the_last_of_several_crossings_is_reported_and_all_are_counted() -> None:
    # ln 10 apart each; from 1 to -1 is halfway, from -1 to 3 a quarter of the way.
    found = crossover([1, 10, 100], [[1.0, -1.0, 3.0]] * 8, 0.01)
    assert found is not None
    assert (found.crossings, found.below) == (2, "faster")
    assert found.size == pytest.approx(10**1.25)


def test_a_tie_at_the_largest_size_does_not_turn_the_side() -> None:
    found = crossover([1, 2, 3], [[-1.0, 1.0, 0.0]] * 8, 0.01)
    assert found is not None
    assert (found.below, found.crossings) == ("faster", 1)
    assert found.size == pytest.approx(math.sqrt(2))


@given(st.permutations(range(12)), st.floats(1e-3, 1e3))
def test_an_exponent_depends_neither_on_the_order_of_rounds_nor_on_units(
    order: list[int], unit: float
) -> None:
    values = noisy(SIZES**0.7, noise=0.05)
    found = growth_exponent(SIZES, values, 0.01)
    again = growth_exponent(SIZES, unit * values[order], 0.01)
    assert (again.low, again.value, again.high) == pytest.approx(
        (found.low, found.value, found.high)
    )


def test_noise_around_a_constant_is_constant() -> None:
    flat = np.full_like(SIZES, 5.0)
    assert {growth_class(SIZES, noisy(flat, seed=seed)) for seed in range(30)} == {"1"}


def test_noise_that_could_hide_growth_is_not_called_constant() -> None:
    grown = 1e-3 * (1 + 0.4 * (SIZES / SIZES.max()))
    found = [growth_class(SIZES, noisy(grown, noise=0.3, rounds=8, seed=s)) for s in range(30)]
    assert "1" not in found


def test_an_exact_constant_is_constant() -> None:
    assert growth_class(SIZES, np.full((1, SIZES.size), 7.0)) == "1"


def test_a_linear_cost_above_a_large_intercept_is_never_logarithmic() -> None:
    curve = 20 * SIZES.mean() + SIZES
    assert growth_class(SIZES, np.tile(curve, (10, 1))) == "n"
    found = [growth_class(SIZES, noisy(curve, seed=seed)) for seed in range(30)]
    assert "log n" not in found


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
