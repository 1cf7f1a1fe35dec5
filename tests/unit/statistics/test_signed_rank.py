"""Exact signed-rank intervals, against published tables, scipy, numbers by hand and simulation."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.statistics import critical_rank, hodges_lehmann, minimum_rounds

# Largest T with P(T⁺ ≤ T) ≤ alpha / 2. R. L. McCornack, "Extended tables of the Wilcoxon matched
# pair signed rank statistic", JASA 60, 1965; after F. Wilcoxon, "Individual comparisons by ranking
# methods", Biometrics Bulletin 1, 1945.
PUBLISHED_CRITICAL_VALUES = {
    0.01: {8: 0, 9: 1, 10: 3, 11: 5, 12: 7, 15: 15, 20: 37, 25: 68, 30: 109},
    0.05: {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 15: 25, 20: 52, 25: 89, 30: 137},
}

log_ratios = st.lists(
    st.floats(-2, 2, allow_subnormal=False).map(lambda value: round(value, 6)),
    min_size=1,
    max_size=20,
)


@pytest.mark.parametrize(
    ("alpha", "rounds", "critical_value"),
    [(alpha, n, t) for alpha, table in PUBLISHED_CRITICAL_VALUES.items() for n, t in table.items()],
)
def test_the_critical_rank_is_one_more_than_the_published_critical_value(
    alpha: float, rounds: int, critical_value: int
) -> None:
    assert critical_rank(rounds, alpha) == critical_value + 1


@pytest.mark.parametrize(
    ("alpha", "rounds"), [(0.05, 6), (0.01, 8), (0.01 / 3, 10), (0.0025, 10), (0.01 / 6, 11)]
)
def test_the_smallest_number_of_rounds_with_an_interval(alpha: float, rounds: int) -> None:
    assert minimum_rounds(alpha) == rounds


@given(st.floats(1e-6, 0.999))
def test_the_minimum_of_rounds_is_the_first_with_a_critical_rank(alpha: float) -> None:
    minimum = minimum_rounds(alpha)
    assert critical_rank(minimum, alpha) >= 1
    assert minimum == 1 or critical_rank(minimum - 1, alpha) == 0


def test_a_level_that_is_met_exactly_counts() -> None:
    # P(T⁺ = 0) = 1/256 is half of 1/128, to the last bit.
    assert critical_rank(8, 1 / 128) == 1
    assert critical_rank(8, math.nextafter(1 / 128, 0)) == 0
    assert minimum_rounds(1 / 128) == 8
    assert minimum_rounds(math.nextafter(1 / 128, 0)) == 9


def test_the_critical_rank_stays_exact_where_64_bit_counts_would_overflow() -> None:
    rank = critical_rank(100, 0.01)
    for rank_sum, is_rejected in ((rank - 1, True), (rank, False)):
        # Differences 1 … 100; those with these ranks are the positive ones.
        positive = ranks_with_sum(rank_sum, rounds=100)
        values = [rank if rank in positive else -rank for rank in range(1, 101)]
        assert (scipy.stats.wilcoxon(values, method="exact").pvalue <= 0.01) == is_rejected


def ranks_with_sum(rank_sum: int, rounds: int) -> set[int]:
    """Different ranks from 1 to `rounds` that add up to `rank_sum`, the largest first."""
    ranks = set()
    for rank in range(rounds, 0, -1):
        if rank <= rank_sum:
            ranks.add(rank)
            rank_sum -= rank
    return ranks


@pytest.mark.parametrize("rounds", [3, 5])
def test_the_null_distribution_is_that_of_all_signs(rounds: int) -> None:
    sums = sorted(
        sum(rank for rank, positive in enumerate(signs, start=1) if positive)
        for signs in product([False, True], repeat=rounds)
    )
    for alpha in (0.07, 0.13, 0.26, 0.5, 0.9):
        allowed = [
            k for k in range(len(sums)) if sum(t <= k - 1 for t in sums) <= alpha / 2 * 2**rounds
        ]
        assert critical_rank(rounds, alpha) == max(allowed)


def test_walsh_averages_worked_by_hand() -> None:
    # 1 1.5 2 2.5 3 | 4 4 4.5 5.5 7: the median is 3.5. P(T⁺ ≤ 1) = 2/16 ≤ 0.25/2, so k = 2.
    estimate = hodges_lehmann([7, 1, 4, 2], alpha=0.25)
    assert (estimate.log_ratio, estimate.log_low, estimate.log_high) == (3.5, 1.5, 5.5)
    assert (estimate.level, estimate.rounds, estimate.method) == (0.75, 4, "signed-rank")


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.0025])
@pytest.mark.parametrize("rounds", [10, 13, 20])
def test_the_interval_excludes_a_shift_exactly_when_wilcoxons_test_rejects_it(
    rounds: int, alpha: float
) -> None:
    random = np.random.default_rng(rounds)
    decisions = []
    for _ in range(60):
        values = random.normal(0.015, 0.02, rounds)
        estimate = hodges_lehmann(values, alpha)
        rejected = scipy.stats.wilcoxon(values, method="exact").pvalue <= alpha
        assert (not estimate.log_low <= 0 <= estimate.log_high) == rejected
        decisions.append(rejected)
    assert True in decisions
    assert False in decisions


def test_too_few_rounds_have_an_estimate_but_no_bounds() -> None:
    estimate = hodges_lehmann([0.1, 0.2, 0.3], alpha=0.01)
    assert estimate.log_ratio == pytest.approx(0.2)
    assert (estimate.log_low, estimate.log_high) == (-math.inf, math.inf)
    assert (estimate.low, estimate.high) == (0.0, math.inf)


def test_rounds_without_any_difference_give_an_interval_of_nothing_but_zero() -> None:
    estimate = hodges_lehmann([0.0] * 10, alpha=0.01)
    assert (estimate.log_low, estimate.log_ratio, estimate.log_high) == (0, 0, 0)


@given(log_ratios)
def test_swapping_the_arms_inverts_the_ratio(values: list[float]) -> None:
    estimate = hodges_lehmann(values, alpha=0.05)
    swapped = hodges_lehmann([-value for value in values], alpha=0.05)
    assert swapped.log_ratio == -estimate.log_ratio
    assert (swapped.log_low, swapped.log_high) == (-estimate.log_high, -estimate.log_low)
    assert swapped.ratio == pytest.approx(1 / estimate.ratio)


@given(log_ratios, st.randoms(use_true_random=False))
def test_the_order_of_the_rounds_is_irrelevant(values: list[float], random: Random) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)
    assert hodges_lehmann(shuffled, alpha=0.05) == hodges_lehmann(values, alpha=0.05)


@given(
    st.lists(st.tuples(st.floats(1e-6, 10), st.floats(1e-6, 10)), min_size=1, max_size=15),
    st.floats(1e-3, 1e3),
)
def test_scaling_both_arms_leaves_the_ratio(times: list[tuple[float, float]], scale: float) -> None:
    plain = hodges_lehmann([math.log(arm / base) for arm, base in times], alpha=0.05)
    scaled = hodges_lehmann(
        [math.log((arm * scale) / (base * scale)) for arm, base in times], alpha=0.05
    )
    assert scaled.log_ratio == pytest.approx(plain.log_ratio, abs=1e-9)
    assert scaled.log_low == pytest.approx(plain.log_low, abs=1e-9)
    assert scaled.log_high == pytest.approx(plain.log_high, abs=1e-9)


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-3, 3)), min_size=1, max_size=15
    )
)
def test_what_a_round_adds_to_both_arms_leaves_the_ratio(
    rounds: list[tuple[float, float, float]],
) -> None:
    quiet = hodges_lehmann([arm - base for arm, base, _ in rounds], alpha=0.05)
    noisy = hodges_lehmann(
        [(arm + effect) - (base + effect) for arm, base, effect in rounds], alpha=0.05
    )
    assert noisy.log_ratio == pytest.approx(quiet.log_ratio, abs=1e-9)
    assert noisy.log_low == pytest.approx(quiet.log_low, abs=1e-9)
    assert noisy.log_high == pytest.approx(quiet.log_high, abs=1e-9)


@pytest.mark.parametrize("rounds", [8, 10, 15, 20, 30])
def test_a_99_percent_interval_misses_as_often_as_its_exact_level_says(rounds: int) -> None:
    comparisons, truth = 4000, 0.03
    random = np.random.default_rng(rounds)
    # Heavy tails: Student's t with three degrees of freedom.
    samples = truth + 0.015 * random.standard_t(3, (comparisons, rounds))
    missed = sum(
        not estimate.log_low <= truth <= estimate.log_high
        for estimate in (hodges_lehmann(sample, alpha=0.01) for sample in samples)
    )
    rank = critical_rank(rounds, 0.01)
    # The exact level, from the null distribution by brute convolution of probabilities.
    probabilities = np.ones(1)
    for step in range(1, rounds + 1):
        probabilities = np.convolve(probabilities, [0.5, *[0.0] * (step - 1), 0.5])
    expected = 2 * float(probabilities[:rank].sum())
    assert expected <= 0.01
    tolerance = 4 * math.sqrt(expected * (1 - expected) / comparisons)
    assert missed / comparisons == pytest.approx(expected, abs=tolerance)


def test_equal_values_and_zeros_make_the_interval_miss_less_not_more() -> None:
    random = np.random.default_rng(7)
    samples = np.round(random.normal(0, 1, (4000, 12)))
    assert (samples == 0).mean() > 0.3
    missed = sum(
        not estimate.log_low <= 0 <= estimate.log_high
        for estimate in (hodges_lehmann(sample, alpha=0.05) for sample in samples)
    )
    assert missed / len(samples) <= 0.05


@pytest.mark.parametrize(
    ("values", "alpha", "complaint"),
    [
        ([], 0.01, "one number per round"),
        ([[0.1, 0.2]], 0.01, "one number per round"),
        ([0.1, math.nan], 0.01, "NaN or infinite"),
        ([0.1, math.inf], 0.01, "NaN or infinite"),
        ([0.1], 0.0, "alpha"),
        ([0.1], 1.0, "alpha"),
        ([0.1], math.nan, "alpha"),
    ],
)
def test_nonsense_is_refused(values: list[float], alpha: float, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        hodges_lehmann(values, alpha)


def test_no_rounds_have_no_critical_rank() -> None:
    with pytest.raises(ValueError, match="at least one round"):
        critical_rank(0, 0.01)
