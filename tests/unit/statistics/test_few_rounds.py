"""The paired-t interval of operations too slow for many rounds."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.statistics import paired_t


@pytest.mark.parametrize("alpha", [0.01, 0.0025, 0.2])
@pytest.mark.parametrize("rounds", [2, 3, 5, 9])
def test_the_interval_is_that_of_scipys_t_test(rounds: int, alpha: float) -> None:
    values = np.random.default_rng(rounds).normal(0.3, 0.05, rounds)
    estimate = paired_t(values, alpha)
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(1 - alpha)
    assert estimate.log_ratio == pytest.approx(values.mean())
    assert estimate.log_low == pytest.approx(expected.low)
    assert estimate.log_high == pytest.approx(expected.high)
    assert (estimate.level, estimate.rounds, estimate.method) == (1 - alpha, rounds, "paired-t")


def test_an_interval_of_three_rounds_worked_by_hand() -> None:
    # Mean 2, deviation 1, standard error 1/√3; t(0.975; 2) = 4.303 in every printed table.
    estimate = paired_t([1.0, 2.0, 3.0], alpha=0.05)
    assert estimate.log_ratio == 2
    assert estimate.log_high == pytest.approx(2 + 4.303 / math.sqrt(3), abs=1e-3)


def test_one_round_has_an_estimate_but_no_bounds() -> None:
    estimate = paired_t([0.5], alpha=0.01)
    assert (estimate.log_low, estimate.log_ratio, estimate.log_high) == (-math.inf, 0.5, math.inf)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_the_order_of_the_rounds_is_irrelevant(values: list[float], random: Random) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)
    assert paired_t(shuffled, alpha=0.01) == paired_t(values, alpha=0.01)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=9))
def test_swapping_the_arms_inverts_the_interval(values: list[float]) -> None:
    estimate = paired_t(values, alpha=0.01)
    swapped = paired_t([-value for value in values], alpha=0.01)
    assert swapped.log_ratio == pytest.approx(-estimate.log_ratio, abs=1e-9)
    assert swapped.log_low == pytest.approx(-estimate.log_high, abs=1e-9)


@pytest.mark.parametrize("values", [[], [math.nan, 0.1], [[0.1, 0.2], [0.3, 0.4]]])
def test_nonsense_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="log_ratios has"):
        paired_t(values, alpha=0.01)


def test_an_impossible_alpha_is_refused() -> None:
    with pytest.raises(ValueError, match="alpha"):
        paired_t([0.1, 0.2], alpha=1.5)
