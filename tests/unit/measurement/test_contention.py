from __future__ import annotations

from bakeoff.measurement.contention import (
    PROBE_BLOCK,
    STALL,
    contended_share,
    reason_to_discard,
)
from bakeoff.results.records import ArmRound, Batch

from .records import arm, failing_arm


def test_a_quiet_round_is_kept() -> None:
    arms = {"base": arm(0.01), "candidate": arm(0.01)}
    assert contended_share(arms) == 0.0
    assert reason_to_discard(arms, is_cpu_bound=True) is None


def test_a_round_is_discarded_if_in_most_blocks_one_arm_waited() -> None:
    arms = {"base": arm(0.01), "candidate": arm(0.01, waits=2.0)}
    reason = reason_to_discard(arms, is_cpu_bound=True)
    assert reason is not None
    assert "contended: in 100% of its blocks" in reason


def test_waiting_is_no_contention_for_work_that_waits() -> None:
    arms = {"base": arm(0.01, waits=3.0), "candidate": arm(0.01, waits=3.0)}
    assert reason_to_discard(arms, is_cpu_bound=False) is None


def test_a_slow_arm_whose_only_sample_was_disturbed_costs_the_round() -> None:
    disturbed = Batch(9.0, 4.0, 0.0, 0, PROBE_BLOCK)
    arms = {
        "base": ArmRound(probe_s=9.0, batches=(disturbed,), answer="a"),
        "candidate": arm(0.01),
    }
    assert contended_share(arms) == 1.0


def test_a_round_in_which_time_ran_out_without_work_is_discarded() -> None:
    reason = reason_to_discard({"base": failing_arm(STALL)}, is_cpu_bound=True)
    assert reason == "contended: base had no CPU while its time ran out"


def test_a_slow_value_alone_never_discards_a_round() -> None:
    arms = {"base": arm(0.01), "candidate": arm(5.0)}
    assert reason_to_discard(arms, is_cpu_bound=True) is None


def test_a_round_whose_process_died_is_discarded_and_names_it() -> None:
    arms = {"base": arm(0.01), "candidate": failing_arm("crash")}
    assert reason_to_discard(arms, is_cpu_bound=True) == "a process died: candidate"


def test_an_exception_of_an_implementation_does_not_cost_the_others_their_round() -> None:
    arms = {"base": arm(0.01), "candidate": failing_arm("exception")}
    assert reason_to_discard(arms, is_cpu_bound=True) is None
