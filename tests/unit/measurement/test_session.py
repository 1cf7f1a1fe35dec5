from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from bakeoff.measurement.rules import Rules
from bakeoff.measurement.session import Step, carried_over, next_step, settled_batches
from bakeoff.measurement.timing import time_cell
from bakeoff.results.records import CONTROL_ARM, RoundRecord

from .records import CELL, a_round, arm, censored_arm, failing_arm, rounds_of, slow_arm

RULES = Rules(looks=(10, 15, 20, 30))
BOTH = frozenset({"base", "candidate"})
NOISE = [1.3, 0.7, 1.2, 0.8, 1.25, 0.75, 1.1, 0.9, 1.15, 0.85]


def step(
    rounds: Sequence[RoundRecord],
    rules: Rules = RULES,
    names: Sequence[str] = ("base", "candidate"),
    held_back: Mapping[str, int] | None = None,
) -> Step | None:
    timing = time_cell(CELL, rounds, names, "base", rules)
    return next_step(timing, rounds, rules, held_back)


def test_a_cell_begins_with_round_zero_of_its_first_attempt() -> None:
    assert step([]) == Step(1, 0, 10, BOTH)


def test_nothing_is_decided_between_looks_however_clear_it_is() -> None:
    for rounds in range(1, 10):
        assert step(rounds_of([0.01] * rounds)) is not None


def test_a_clear_cell_stops_at_its_first_look() -> None:
    assert step(rounds_of([0.01 * noise for noise in NOISE])) is None


def test_an_unclear_cell_goes_on_to_the_next_look() -> None:
    assert step(rounds_of(NOISE)) == Step(1, 10, 15, frozenset({"candidate"}))


def test_a_cell_that_stays_unclear_stops_at_the_last_look() -> None:
    assert step(rounds_of(NOISE * 3)) is None


def test_discarded_rounds_are_measured_again_up_to_twice_the_next_look() -> None:
    discarded = [
        a_round(n, {"base": arm(0.01), "candidate": arm(0.01)}, discarded="contended")
        for n in range(20)
    ]
    assert step(discarded[:19]) == Step(1, 19, 10, BOTH)
    assert step(discarded) is None


def test_a_difference_that_could_be_chance_takes_one_more_look() -> None:
    rounds = rounds_of([0.5 * noise for noise in NOISE])
    assert step(rounds) is None
    again = step(rounds, held_back={"candidate": 10})
    assert again == Step(1, 10, 15, frozenset({"candidate"}))
    more = rounds_of([0.5 * noise for noise in (NOISE * 2)[:15]])
    assert step(more, held_back={"candidate": 10}) is None


def test_a_failed_control_repeats_the_cell_once_and_no_more() -> None:
    def biased(attempt: int) -> list[RoundRecord]:
        return [
            a_round(
                n,
                {"base": arm(0.01), "candidate": arm(0.001), CONTROL_ARM: arm(0.012)},
                attempt=attempt,
            )
            for n in range(10)
        ]

    assert step(biased(1)) == Step(2, 0, 10, BOTH)
    assert step(biased(1) + biased(2)) is None


def test_a_dead_arm_is_not_started_again() -> None:
    rounds = [a_round(0, {"base": arm(0.01), "candidate": failing_arm("exception")})]
    assert step(rounds) == Step(1, 1, 10, frozenset({"base"}))


def test_without_a_baseline_nothing_more_is_measured() -> None:
    rounds = [a_round(0, {"base": failing_arm("exception"), "candidate": arm(0.01)})]
    assert step(rounds) is None


def test_a_slow_arm_leaves_after_its_few_rounds_and_the_others_go_on() -> None:
    rounds = [
        a_round(
            n, {"base": arm(0.01), "candidate": arm(0.01 * noise), "snail": slow_arm(9 * noise)}
        )
        for n, noise in enumerate(NOISE[:3])
    ]
    following = step(rounds, names=("base", "candidate", "snail"))
    assert following is not None
    assert following.implementations == BOTH


@pytest.mark.parametrize(("seconds", "rounds"), [(2.0, 5), (6.0, 3)])
def test_a_slow_cell_stops_after_few_rounds(seconds: float, rounds: int) -> None:
    measured = [
        a_round(n, {"base": slow_arm(seconds), "candidate": arm(0.01)}) for n in range(rounds)
    ]
    assert step(measured[:-1]) is not None
    assert step(measured) is None


def test_batch_sizes_are_those_of_the_first_round() -> None:
    rounds = [
        a_round(0, {"base": arm(0.001, iterations=5), "candidate": failing_arm("hang")}),
        a_round(1, {"base": arm(0.001, iterations=9), "candidate": arm(0.001, iterations=3)}),
    ]
    assert settled_batches(rounds) == {"base": 5, "candidate": 3}


def test_an_arm_that_does_not_finish_is_not_waited_for_again() -> None:
    rounds = [a_round(0, {"base": arm(0.01), "candidate": censored_arm(20.0)})]
    following = step(rounds)
    assert following is not None
    assert following.implementations == {"base"}
    (name,) = carried_over(rounds, 1)
    assert name == "candidate"
    assert carried_over(rounds, 1)[name].is_carried_over


def test_a_baseline_that_does_not_finish_leaves_the_others_their_few_rounds() -> None:
    rounds = [a_round(n, {"base": censored_arm(20.0), "candidate": arm(0.01)}) for n in range(3)]
    following = step(rounds[:2])
    assert following is not None
    assert following.implementations == {"candidate"}
    assert step(rounds) is None


def slow_baseline(rounds: int, **others: float) -> list[RoundRecord]:
    return [
        a_round(
            n,
            {"base": slow_arm(2.0)}
            | {name: arm(seconds * NOISE[n]) for name, seconds in others.items()},
        )
        for n in range(rounds)
    ]


def test_the_fast_ones_go_on_without_a_slow_baseline_up_to_the_first_look() -> None:
    names = ("base", "hare", "fox")
    rounds = slow_baseline(5, hare=0.010, fox=0.011)
    assert step(rounds[:4], names=names) == Step(1, 4, 5, frozenset({"base", "hare", "fox"}))
    among = Step(1, 5, 10, frozenset({"hare", "fox"}), reference="hare")
    assert step(rounds, names=names) == among
    alone = {"hare": arm(0.010), "fox": arm(0.011)}
    rounds += [a_round(n, alone, discarded="contended") for n in range(5, 7)]
    rounds += [a_round(n, alone) for n in range(7, 11)]
    assert step(rounds, names=names) == Step(1, 11, 10, among.implementations, reference="hare")
    assert step([*rounds, a_round(11, alone)], names=names) is None


def test_fast_ones_that_never_get_a_quiet_round_are_given_up() -> None:
    rounds = slow_baseline(5, hare=0.010, fox=0.011)
    alone = {"hare": arm(0.010), "fox": arm(0.011)}
    rounds += [a_round(n, alone, discarded="contended") for n in range(5, 20)]
    assert step(rounds, names=("base", "hare", "fox")) is None


def test_a_single_fast_one_has_nobody_to_go_on_with() -> None:
    assert step(slow_baseline(5, hare=0.010), names=("base", "hare")) is None
