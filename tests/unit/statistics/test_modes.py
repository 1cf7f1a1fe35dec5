"""Several modes, a drift, or noise."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.statistics import describe_spread

CHANCE = np.random.default_rng(7)


@pytest.mark.parametrize("rounds", [8, 10, 15, 30, 60])
@pytest.mark.parametrize("kind", ["normal", "t3", "uniform"])
def test_one_mode_is_rarely_taken_for_several(kind: str, rounds: int) -> None:
    samples = {
        "normal": CHANCE.normal(0, 1, (300, rounds)),
        "t3": CHANCE.standard_t(3, (300, rounds)),
        "uniform": CHANCE.uniform(0, 1, (300, rounds)),
    }[kind]
    found = [describe_spread(sample) for sample in samples]
    # About 1 %; the bound leaves three standard errors.
    assert found.count("several modes") <= 9
    assert found.count("drift") <= 9


def test_rounds_that_fall_into_two_groups_at_random_have_several_modes() -> None:
    found = [
        describe_spread(CHANCE.choice([0.0, 0.1], 20) + CHANCE.normal(0, 0.005, 20))
        for _ in range(100)
    ]
    assert found.count("several modes") >= 90


def test_a_level_that_changes_once_is_a_drift() -> None:
    step = np.repeat([0.0, 0.1], 10) + CHANCE.normal(0, 0.005, 20)
    assert describe_spread(step) == "drift"


def test_a_trend_is_a_drift() -> None:
    assert describe_spread(np.linspace(0, 0.1, 15) + CHANCE.normal(0, 0.01, 15)) == "drift"


def test_rounds_that_are_all_the_same_have_one_mode() -> None:
    assert describe_spread([0.1] * 12) == "one mode"


def test_few_rounds_tell_nothing() -> None:
    assert describe_spread([0.0, 5.0] * 3) == "too few"
