"""A difference counts only if chance would not show it somewhere in the run."""

from __future__ import annotations

import random

from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.multiplicity import adjust_for_cells
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.timing import time_cell
from bakeoff.results.records import Cell, RoundRecord

from .records import CELL, a_round, arm, rounds_of, slow_arm

RULES = Rules(looks=(10,), alpha=0.0025)


def contrasts_of(rounds: list[RoundRecord], cell: Cell = CELL) -> tuple[Contrast, ...]:
    return time_cell(cell, rounds, ["base", "candidate"], "base", RULES).contrasts


def candidate(contrasts: tuple[Contrast, ...]) -> Contrast:
    (found,) = [c for c in contrasts if (c.implementation, c.metric) == ("candidate", "time")]
    return found


def noise(seed: int, spread: float = 0.01) -> list[float]:
    chance = random.Random(seed)
    return [1 + chance.gauss(0, spread) for _ in range(10)]


def lucky() -> list[float]:
    """Ten rounds of noise that happen to be on one side: two in a thousand comparisons are."""
    chance = random.Random(1)
    return [1 + 0.001 + abs(chance.gauss(0, 0.04)) for _ in range(10)]


def test_a_lucky_cell_alone_is_a_difference_and_among_many_it_is_none() -> None:
    unlucky = contrasts_of(rounds_of(lucky()))
    assert candidate(unlucky).verdict == "slower"
    (alone,) = adjust_for_cells([unlucky], "base", RULES)
    assert candidate(alone).verdict == "slower"
    others = [contrasts_of(rounds_of(noise(seed, 0.04))) for seed in range(2, 21)]
    first, *_ = adjust_for_cells([unlucky, *others], "base", RULES)
    adjusted = candidate(first)
    assert (adjusted.verdict, adjusted.is_held_back) == ("inconclusive", True)
    assert adjusted.reason is not None
    assert "chance among the 20 comparisons" in adjusted.reason
    assert adjusted.estimate == candidate(unlucky).estimate, "the interval stays the cell's own"


def test_clear_differences_stay_however_many_cells_there_are() -> None:
    cells = [contrasts_of(rounds_of([0.5 * n for n in noise(seed)])) for seed in range(20)]
    for adjusted in adjust_for_cells(cells, "base", RULES):
        assert candidate(adjusted).verdict == "faster"
        assert candidate(adjusted).adjusted_p is not None


def test_one_wild_round_does_not_hide_what_all_others_show() -> None:
    wild = [0.9 * n for n in noise(3, 0.005)]
    wild[4] = 0.2
    cells = [contrasts_of(rounds_of(wild)), contrasts_of(rounds_of(noise(4)))]
    first, _ = adjust_for_cells(cells, "base", RULES)
    assert candidate(first).verdict == "faster"


def test_same_is_a_statement_on_one_cell() -> None:
    cells = [contrasts_of(rounds_of(noise(seed, 0.002))) for seed in range(3)]
    assert all(
        candidate(adjusted).verdict == "same" for adjusted in adjust_for_cells(cells, "base", RULES)
    )


def test_few_rounds_hold_jointly_by_bonferroni() -> None:
    def slow(ratio: float) -> list[RoundRecord]:
        return [
            a_round(n, {"base": slow_arm(6.0 * jitter), "candidate": arm(6.0 * ratio)})
            for n, jitter in enumerate((1.0, 1.01, 0.99))
        ]

    clear, near = contrasts_of(slow(0.001)), contrasts_of(slow(0.85))
    assert candidate(near).verdict == "faster"
    many = [clear] * 39 + [near]
    *_, last = adjust_for_cells(many, "base", RULES)
    assert candidate(last).is_held_back
    first, *_ = adjust_for_cells(many, "base", RULES)
    assert candidate(first).verdict == "faster"
