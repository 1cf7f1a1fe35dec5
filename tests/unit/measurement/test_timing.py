from __future__ import annotations

import math

import msgspec
import pytest

from bakeoff.measurement.arm_times import operation_s
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.timing import CellTiming, time_cell
from bakeoff.results.records import CONTROL_ARM, RoundRecord

from .records import CELL, a_round, arm, censored_arm, failing_arm, rounds_of, slow_arm

ONE_LOOK = Rules(looks=(8,))
JITTER = [1.0, 1.002, 0.998, 1.001, 0.999, 1.003, 0.997, 1.0005]


def timed(rounds: list[RoundRecord], rules: Rules = ONE_LOOK) -> CellTiming:
    return time_cell(CELL, rounds, ["base", "candidate"], "base", rules)


def time_of(timing: CellTiming, name: str = "candidate", metric: str = "time") -> Contrast:
    (found,) = [c for c in timing.contrasts if (c.implementation, c.metric) == (name, metric)]
    return found


@pytest.mark.parametrize(("ratio", "verdict"), [(0.5, "faster"), (2.0, "slower"), (1.0, "same")])
def test_eight_clear_rounds_give_a_verdict(ratio: float, verdict: str) -> None:
    contrast = time_of(timed(rounds_of([ratio * jitter for jitter in JITTER])))
    assert contrast.verdict == verdict
    assert contrast.estimate is not None
    assert contrast.estimate.ratio == pytest.approx(ratio, rel=0.005)
    assert contrast.estimate.low <= ratio <= contrast.estimate.high


def test_too_few_rounds_are_inconclusive_however_clear_they_look() -> None:
    contrast = time_of(timed(rounds_of([0.5] * 7)))
    assert contrast.verdict == "inconclusive"


@pytest.mark.parametrize("rounds", [11, 14])
def test_a_run_stopped_between_two_looks_is_judged_at_the_last_one(rounds: int) -> None:
    clear_later = [1.0 + 0.04 * (n % 3 - 1) for n in range(10)] + [0.5] * (rounds - 10)
    contrast = time_of(timed(rounds_of(clear_later), Rules(looks=(10, 15))))
    assert contrast.rounds == 10
    assert contrast.verdict == "inconclusive"


def test_before_the_first_look_the_reason_says_when_it_is() -> None:
    contrast = time_of(timed(rounds_of([0.5] * 7)))
    assert contrast.reason == "the first look is after 8 rounds; it has 7"


def test_discarded_rounds_count_for_nothing_but_are_counted() -> None:
    rounds = rounds_of([0.5 * jitter for jitter in JITTER])
    rounds.append(
        a_round(8, {"base": arm(0.01), "candidate": arm(9.0, waits=2)}, discarded="contended")
    )
    timing = timed(rounds)
    assert (timing.rounds, timing.discarded, timing.discards) == (8, 1, {"contended": 1})
    assert time_of(timing).verdict == "faster"


def test_rounds_of_a_failed_attempt_are_never_mixed_with_the_next() -> None:
    rounds = rounds_of([9.0] * 8) + rounds_of([0.5 * jitter for jitter in JITTER], attempt=2)
    timing = timed(rounds)
    assert (timing.attempt, timing.rounds) == (2, 8)
    assert time_of(timing).verdict == "faster"


def test_garbage_collection_outside_the_median_batch_still_counts() -> None:
    """A candidate whose every fifth batch collects for ten times the operation pays for it."""
    rounds = []
    for number, jitter in enumerate(JITTER):
        candidate = arm(0.01 * jitter)
        batches = list(candidate.batches)
        batches[0] = type(batches[0])(0.01 + 0.1, 0.11, 0.1, 1, 0)
        rounds.append(
            a_round(
                number,
                {
                    "base": arm(0.01),
                    "candidate": type(candidate)(probe_s=0.01, batches=tuple(batches), answer="a"),
                },
            )
        )
    contrast = time_of(timed(rounds))
    assert contrast.estimate is not None
    assert contrast.estimate.ratio == pytest.approx(3.0, rel=0.01)
    assert contrast.sensitivity["minima"] == pytest.approx(1.0, rel=0.01)


def test_a_batch_of_many_operations_is_divided_by_them() -> None:
    assert operation_s([arm(0.001, iterations=7)], with_bursts=False) == pytest.approx((0.001,))


def test_a_wrong_answer_is_a_failed_row_with_its_reason() -> None:
    rounds = [a_round(0, {"base": arm(0.01), "candidate": failing_arm("wrong answer", "it lies")})]
    contrast = time_of(timed(rounds))
    assert contrast.verdict == "failed"
    assert contrast.reason == "wrong answer: it lies"


def test_without_a_baseline_every_row_says_so() -> None:
    rounds = [a_round(0, {"base": failing_arm("import", "gone"), "candidate": arm(0.01)})]
    timing = timed(rounds)
    assert time_of(timing).reason == "no baseline: 'base' failed (import: gone)"
    assert time_of(timing).cause == "no reference"
    assert time_of(timing, "base").reason == "import: gone"
    assert time_of(timing, "base").cause == "own failure"


def test_one_death_is_forgiven_two_are_not() -> None:
    died = {"base": arm(0.01), "candidate": failing_arm("crash", "killed")}
    once = timed([a_round(0, died, discarded="a process died: candidate")])
    assert "candidate" not in once.dead
    twice = timed([a_round(n, died, discarded="a process died: candidate") for n in range(2)])
    assert time_of(twice).reason == "crash: killed"


def test_a_baseline_that_does_not_finish_bounds_the_ratio_from_above() -> None:
    rounds = [a_round(n, {"base": censored_arm(20.0), "candidate": arm(0.2)}) for n in range(3)]
    contrast = time_of(timed(rounds))
    assert contrast.verdict == "faster"
    assert contrast.estimate is not None
    assert contrast.estimate.high == pytest.approx(0.01)
    assert contrast.estimate.low == 0.0
    assert contrast.is_baseline_bound


def test_a_candidate_that_does_not_finish_bounds_the_ratio_from_below() -> None:
    rounds = [a_round(n, {"base": arm(0.2), "candidate": censored_arm(20.0)}) for n in range(3)]
    contrast = time_of(timed(rounds))
    assert contrast.verdict == "slower"
    assert contrast.estimate is not None
    assert contrast.estimate.low == pytest.approx(100.0)
    assert math.isinf(contrast.estimate.high)
    assert contrast.reason is not None
    assert "did not finish in 20 s" in contrast.reason


def test_two_that_do_not_finish_say_nothing_of_their_ratio() -> None:
    rounds = [a_round(n, {"base": censored_arm(), "candidate": censored_arm()}) for n in range(3)]
    contrast = time_of(timed(rounds))
    assert contrast.estimate is None
    assert contrast.verdict == "inconclusive"


def test_a_slow_pair_is_judged_by_few_rounds_and_says_so() -> None:
    rounds = [
        a_round(n, {"base": slow_arm(6.0 * jitter), "candidate": arm(0.06 * jitter)})
        for n, jitter in enumerate(JITTER[:3])
    ]
    timing = timed(rounds)
    contrast = time_of(timing)
    assert timing.few_rounds["candidate"] == 3
    assert contrast.verdict == "faster"
    assert contrast.warnings == ("few rounds: 3, interval by paired t",)


def test_one_slow_arm_does_not_leave_the_others_with_few_rounds() -> None:
    arms = {"base": arm(0.01), "candidate": arm(0.01), "snail": slow_arm(9.0)}
    timing = time_cell(CELL, [a_round(0, arms)], ["base", "candidate", "snail"], "base", ONE_LOOK)
    assert timing.few_rounds == {"base": None, "candidate": None, "snail": 3}


def test_a_control_that_differs_once_fails_and_twice_makes_the_cell_inconclusive() -> None:
    def rounds(attempt: int) -> list[RoundRecord]:
        return [
            a_round(
                n,
                {
                    "base": arm(0.01),
                    CONTROL_ARM: arm(0.011 * jitter),
                    "candidate": arm(0.005 * jitter),
                },
                attempt=attempt,
            )
            for n, jitter in enumerate(JITTER)
        ]

    first = timed(rounds(1))
    assert first.is_control_failed
    assert time_of(first).verdict == "faster"
    second = timed(rounds(1) + rounds(2))
    assert time_of(second).verdict == "inconclusive"
    assert time_of(second).reason == "harness biased: the A/A control failed twice in this cell"


def bursty_rounds(*, every: int, extra: float, rounds: int = 10) -> list[RoundRecord]:
    """A candidate that is as fast as the baseline, but for one long turn in `every`."""
    records = []
    turn = 3
    for number in range(rounds):
        base, candidate = arm(0.01, blocks=30), arm(0.01, blocks=30)
        batches = []
        for batch in candidate.batches:
            turn += 1
            wall = 0.01 + (extra if turn % every == 0 else 0.0)
            batches.append(msgspec.structs.replace(batch, wall_s=wall, cpu_s=wall))
        candidate = msgspec.structs.replace(candidate, batches=tuple(batches))
        records.append(a_round(number, {"base": base, "candidate": candidate}))
    return records


def test_a_cost_that_comes_in_bursts_counts_in_full_and_is_named() -> None:
    contrast = time_of(timed(bursty_rounds(every=20, extra=0.04), Rules(looks=(10,))))
    assert contrast.estimate is not None
    # One turn in twenty takes five times as long: 20 % in all, and 0 by the median.
    assert contrast.estimate.ratio == pytest.approx(1.2, rel=0.03)
    assert contrast.verdict == "slower"
    assert contrast.value == pytest.approx(0.012, rel=0.03)
    (warning,) = contrast.warnings
    assert "the cost of 'candidate' comes in bursts" in warning


def test_collections_that_some_rounds_have_and_others_not_count_by_their_mean() -> None:
    rounds = []
    for number in range(10):
        candidate = arm(0.01, blocks=5)
        if number % 3 == 0:
            first, *rest = candidate.batches
            first = msgspec.structs.replace(first, wall_s=0.06, gc_s=0.05, collections=1)
            candidate = msgspec.structs.replace(candidate, batches=(first, *rest))
        rounds.append(a_round(number, {"base": arm(0.01), "candidate": candidate}))
    contrast = time_of(timed(rounds, Rules(looks=(10,))))
    assert contrast.estimate is not None
    # A collection of five operations' time in four of ten rounds of five turns: 40 % in all.
    assert contrast.estimate.ratio == pytest.approx(1.4, rel=0.01)
    assert contrast.estimate.low < 1.25, "and ten rounds do not tell that mean well"


def counted(values: list[float], base: float = 2.0) -> CellTiming:
    cell = msgspec.structs.replace(CELL, counts=("requests",))
    rounds = [
        a_round(
            number,
            {
                "base": msgspec.structs.replace(arm(0.01), counts={"requests": base}),
                "candidate": msgspec.structs.replace(arm(0.01), counts={"requests": value}),
            },
        )
        for number, value in enumerate(values)
    ]
    return time_cell(cell, rounds, ["base", "candidate"], "base", ONE_LOOK)


def test_a_count_that_is_always_the_same_is_exact() -> None:
    contrast = time_of(counted([1.0] * 8), metric="requests")
    assert (contrast.value, contrast.exact, contrast.verdict) == (1.0, True, "faster")
    assert contrast.estimate is not None
    assert contrast.estimate.ratio == 0.5


def test_a_count_that_varies_is_treated_like_time_and_marked() -> None:
    contrast = time_of(counted([1.0, 2.0] * 4), metric="requests")
    assert not contrast.exact
    assert contrast.warnings == ("the count varies between processes",)
    assert contrast.verdict == "inconclusive"


def test_two_processes_do_not_make_a_count_exact() -> None:
    assert not time_of(counted([1.0, 1.0]), metric="requests").exact


def test_percentiles_are_paired_like_times() -> None:
    cell = msgspec.structs.replace(CELL, quantiles={"p90": 0.9})
    rounds = [
        a_round(
            number,
            {
                "base": msgspec.structs.replace(arm(0.01), quantiles={"p90": 0.02}),
                "candidate": msgspec.structs.replace(arm(0.01), quantiles={"p90": 0.03 * jitter}),
            },
        )
        for number, jitter in enumerate(JITTER)
    ]
    timing = time_cell(cell, rounds, ["base", "candidate"], "base", ONE_LOOK)
    contrast = time_of(timing, metric="p90")
    assert (contrast.unit, contrast.verdict) == ("s", "slower")
    assert contrast.estimate is not None
    assert contrast.estimate.ratio == pytest.approx(1.5, rel=0.01)


def test_an_inconclusive_comparison_says_when_it_has_several_modes() -> None:
    modes = [0.9, 1.1, 1.1, 0.9, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1]
    ratios = [mode * (1 + 0.001 * (n % 3)) for n, mode in enumerate(modes)]
    contrast = time_of(timed(rounds_of(ratios), Rules(looks=(10,))))
    assert contrast.verdict == "inconclusive"
    assert contrast.reason is not None
    assert contrast.reason.startswith("several modes")


def test_fast_arms_are_compared_in_all_their_rounds_though_the_baseline_has_few() -> None:
    names = ("base", "hare", "fox")
    jitter = [1.0, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998, 1.001, 0.999, 1.0]
    rounds = [
        a_round(
            n,
            ({"base": slow_arm(2.0 * one)} if n < 5 else {})
            | {"hare": arm(0.010), "fox": arm(0.012 * one)},
        )
        for n, one in enumerate(jitter)
    ]
    timing = time_cell(CELL, rounds, names, "base", Rules(looks=(10, 15, 20, 30)))
    times = {c.implementation: c for c in timing.contrasts if c.metric == "time"}
    assert times["hare"].rounds == times["fox"].rounds == 5
    reference, fox = timing.among
    assert (reference.implementation, fox.implementation) == ("hare", "fox")
    assert fox.rounds == 10
    assert fox.estimate is not None
    assert fox.estimate.ratio == pytest.approx(1.2, rel=0.01)


def test_with_a_fast_baseline_nobody_needs_to_be_compared_without_it() -> None:
    rounds = [
        a_round(n, {"base": arm(0.01), "hare": arm(0.01), "fox": arm(0.01)}) for n in range(10)
    ]
    assert (
        time_cell(
            CELL, rounds, ("base", "hare", "fox"), "base", Rules(looks=(10, 15, 20, 30))
        ).among
        == ()
    )
