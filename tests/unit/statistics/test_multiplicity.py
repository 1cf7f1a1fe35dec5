"""Many comparisons at once are right together."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.statistics import holm_levels, max_t_adjusted_p


def test_one_contrast_has_the_p_of_the_sign_flip_test_worked_out_in_full() -> None:
    values = np.array([0.9, 1.1, -0.2, 0.4, 0.7, 0.3])

    def absolute_t(sample: np.ndarray) -> float:
        return float(abs(sample.mean()) / (sample.std(ddof=1) / math.sqrt(sample.size)))

    flips = [absolute_t(values * signs) for signs in itertools.product((1, -1), repeat=6)]
    expected = np.mean(np.array(flips) >= absolute_t(values) - 1e-12)
    assert max_t_adjusted_p([values]) == pytest.approx((expected,))


def test_one_contrast_agrees_with_scipys_permutation_test() -> None:
    values = np.random.default_rng(4).normal(0.5, 1, 9)
    found = stats.permutation_test(
        (values,),
        lambda sample, axis: np.abs(stats.ttest_1samp(sample, 0, axis=axis).statistic),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert max_t_adjusted_p([values])[0] == pytest.approx(found.pvalue)


def test_eight_rounds_that_agree_are_enough_however_many_contrasts_there_are() -> None:
    # All 2^8 patterns but two leave some round with the other sign: p = 2/256 for each of them.
    chance = np.random.default_rng(1)
    clear = [chance.normal(-3, 0.05, 8) for _ in range(60)]
    assert max_t_adjusted_p(clear) == pytest.approx((2 / 256,) * 60)


def test_among_many_null_contrasts_a_luckless_one_is_no_discovery() -> None:
    chance = np.random.default_rng(2)
    contrasts = [chance.normal(0, 1, 10) for _ in range(19)]
    lucky = np.abs(chance.normal(0, 1, 10))
    alone = max_t_adjusted_p([lucky])[0]
    together = max_t_adjusted_p([*contrasts, lucky])[-1]
    assert alone == pytest.approx(2 / 1024)
    assert together > 0.0025


def test_contrasts_of_different_length_share_the_signs_of_their_common_rounds() -> None:
    chance = np.random.default_rng(3)
    long, short = chance.normal(0.05, 0.01, 30), chance.normal(0.05, 0.01, 10)
    adjusted = max_t_adjusted_p([long, short])
    assert all(p < 0.01 for p in adjusted)


def test_contrasts_that_do_not_vary_are_handled() -> None:
    nothing, always = max_t_adjusted_p([[0.0] * 10, [0.3] * 10])
    assert nothing == 1.0
    assert always == pytest.approx(2 / 1024)
    assert max_t_adjusted_p([]) == ()


def test_a_contrast_of_one_round_is_refused() -> None:
    with pytest.raises(ValueError, match="two rounds"):
        max_t_adjusted_p([[0.1]])


@given(st.integers(0, 2**31), st.integers(2, 6))
def test_the_order_of_contrasts_and_their_units_are_irrelevant(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    contrasts = [chance.normal(0.3, 1, 8) for _ in range(count)]
    adjusted = max_t_adjusted_p(contrasts)
    assert max_t_adjusted_p([7.5 * one for one in reversed(contrasts)]) == pytest.approx(
        tuple(reversed(adjusted))
    )
    assert max_t_adjusted_p([-one for one in contrasts]) == pytest.approx(adjusted)


def test_twenty_null_contrasts_rarely_have_a_discovery() -> None:
    chance = np.random.default_rng(5)
    wrong = sum(
        min(max_t_adjusted_p(list(chance.normal(0, 1, (20, 10))), flips=511)) <= 0.05
        for _ in range(200)
    )
    # 5 % of 200, and three standard errors.
    assert wrong <= 10 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_the_family_is_wrong_as_rarely_as_asked_at_one_percent() -> None:
    chance = np.random.default_rng(6)
    wrong = sum(
        min(max_t_adjusted_p(list(chance.normal(0, 1, (20, 12))), flips=2047)) <= 0.01
        for _ in range(400)
    )
    # 1 % of 400 are 4; 2 % are two standard errors more.
    assert wrong <= 8


def holm_by_p_values(p_values: list[float], alpha: float) -> list[bool]:
    """The textbook: sorted, each against alpha ÷ (how many are left), until the first that is not."""
    rejected = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - rank):
            break
        rejected[index] = True
    return rejected


@given(st.lists(st.floats(0, 0.05), min_size=1, max_size=12))
def test_holm_on_intervals_decides_what_holm_on_p_values_rejects(p_values: list[float]) -> None:
    levels = holm_levels(lambda index, level: p_values[index] <= level, len(p_values), 0.05)
    decided = [p <= level for p, level in zip(p_values, levels, strict=True)]
    assert decided == holm_by_p_values(p_values, 0.05)


def test_holm_worked_by_hand() -> None:
    # 0.01 ≤ 0.05/3 leaves two; 0.02 ≤ 0.05/2 leaves one; 0.06 > 0.05.
    p_values = [0.02, 0.06, 0.01]
    levels = holm_levels(lambda index, level: p_values[index] <= level, 3, 0.05)
    assert levels == pytest.approx((0.025, 0.05, 0.05 / 3))
    assert holm_levels(lambda _index, _level: True, 0, 0.05) == ()
