"""Several modes, a drift, or noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bakeoff.statistics import describe_spread


@pytest.mark.parametrize("rounds", [8, 10, 15, 30, 60])
@pytest.mark.parametrize("kind", ["normal", "t3", "uniform"])
def test_one_mode_is_rarely_taken_for_several(kind: str, rounds: int) -> None:
    chance = np.random.default_rng(rounds)
    samples = {
        "normal": chance.normal(0, 1, (1000, rounds)),
        "t3": chance.standard_t(3, (1000, rounds)),
        "uniform": chance.uniform(0, 1, (1000, rounds)),
    }[kind]
    found = [describe_spread(sample) for sample in samples]
    # About 1 %, and three standard errors.
    assert found.count("several modes") <= 20
    assert found.count("drift") <= 20


def test_rounds_that_fall_into_two_groups_at_random_have_several_modes() -> None:
    chance = np.random.default_rng(1)
    found = [
        describe_spread(chance.choice([0.0, 0.1], 20) + chance.normal(0, 0.005, 20))
        for _ in range(100)
    ]
    assert found.count("several modes") >= 90


def test_a_level_that_changes_once_is_a_drift() -> None:
    step = np.repeat([0.0, 0.1], 10) + np.random.default_rng(2).normal(0, 0.005, 20)
    assert describe_spread(step) == "drift"


def test_a_trend_is_a_drift() -> None:
    noise = np.random.default_rng(3).normal(0, 0.01, 15)
    assert describe_spread(np.linspace(0, 0.1, 15) + noise) == "drift"
    assert describe_spread(np.linspace(0.1, 0, 15) + noise) == "drift"


def test_equal_values_have_no_order_in_time() -> None:
    # Counts take few values. Where only the last round differs, nothing has drifted.
    assert describe_spread([0.0] * 11 + [0.1]) == "one mode"
    assert describe_spread([0.1] + [0.0] * 11) == "one mode"
    chance = np.random.default_rng(4)
    found = [describe_spread(chance.choice([0.0, 0.1], 20)) for _ in range(300)]
    assert found.count("drift") <= 9
    assert found.count("several modes") >= 280


@given(st.lists(st.integers(-3, 3), min_size=8, max_size=30), st.integers(1, 9))
# Its groups are exactly as far apart as they have to be.
@example([-3, -3, 1, 1, -3, 0, -3, 1, 1, -2], 1)
def test_swapping_arms_reversing_time_and_scaling_leave_the_spread(
    values: list[int], scale: int
) -> None:
    found = describe_spread(values)
    assert describe_spread([-value for value in values]) == found
    assert describe_spread(values[::-1]) == found
    assert describe_spread([scale * value for value in values]) == found


def test_rounds_that_are_all_the_same_have_one_mode() -> None:
    assert describe_spread([0.1] * 12) == "one mode"


def test_few_rounds_tell_nothing() -> None:
    assert describe_spread([0.0, 5.0] * 3) == "too few"
