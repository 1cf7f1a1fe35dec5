"""What an A/A run says of a machine."""

from __future__ import annotations

import math
import random

import pytest

from bakeoff.measurement.noise_floor import detectable_in, summarize
from bakeoff.results.records import CONTROL_ARM, RoundRecord

from .records import CELL, a_round, arm


def rounds(ratio: float, *, spread: float = 0.01, count: int = 10) -> list[RoundRecord]:
    chance = random.Random(1)
    return [
        a_round(
            number,
            {
                "spin": arm(0.001),
                CONTROL_ARM: arm(0.001 * ratio * math.exp(chance.gauss(0, spread))),
            },
        )
        for number in range(count)
    ]


def test_the_noise_floor_of_identical_code() -> None:
    floor = summarize(CELL, rounds(1.0), 10)
    assert floor.rounds == 10
    assert not floor.is_biased
    assert floor.spread == pytest.approx(0.01, rel=0.5)
    assert floor.round_s == pytest.approx(1.0)
    one, five, fifteen = (floor.detectable[minutes] for minutes in (1, 5, 15))
    assert one is not None
    assert five is not None
    assert fifteen == five == one, "no run takes more than sixty rounds"


def test_identical_code_that_is_told_apart_is_a_bias() -> None:
    assert summarize(CELL, rounds(1.2), 10).is_biased


def test_the_detectable_change_worked_by_hand() -> None:
    # 30 rounds fit; z of 0.125 % is 3.023, z of 5 % is 1.645: exp(4.668 · 1 % ÷ √30) - 1.
    assert detectable_in(1, 0.01, 2.0) == pytest.approx(
        math.expm1(4.668 * 0.01 / math.sqrt(30)), rel=1e-3
    )


def test_too_few_rounds_tell_nothing() -> None:
    assert detectable_in(1, 0.01, 7.0) is None
    assert detectable_in(1, math.nan, 1.0) is None
    assert summarize(CELL, [], 10).control is None
