"""The total times that rare costs are held against."""

from __future__ import annotations

import pytest

from bakeoff.results.records import ArmRound, Batch
from tests.unit.measurement.records import a_round
from tools.rare_costs.totals import ratio_of_totals


def turns(*walls_s: float, iterations: int) -> ArmRound:
    batches = tuple(Batch(wall_s, wall_s, 0.0, 0, n) for n, wall_s in enumerate(walls_s))
    return ArmRound(iterations=iterations, probe_s=0.1, batches=batches, answer="a")


def test_total_times_hold_what_few_turns_take() -> None:
    rounds = [
        a_round(
            0,
            {
                "plain": turns(1.0, 1.0, 1.0, iterations=10),
                "rare": turns(1.0, 1.0, 4.0, iterations=10),
            },
        ),
        a_round(
            1,
            {
                "plain": turns(1.0, 1.0, 1.0, iterations=10),
                "rare": turns(1.0, 1.0, 1.0, iterations=10),
            },
        ),
    ]
    assert ratio_of_totals(rounds, "rare", "plain") == pytest.approx(9.0 / 6.0)


def test_total_times_are_those_of_an_operation() -> None:
    rounds = [a_round(0, {"plain": turns(1.0, iterations=10), "rare": turns(1.0, iterations=5)})]
    assert ratio_of_totals(rounds, "rare", "plain") == pytest.approx(2.0)
