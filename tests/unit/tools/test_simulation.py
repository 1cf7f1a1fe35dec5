"""The simulated machine is what it says it is, and judged by the harness's own code."""

from __future__ import annotations

import statistics

import pytest

from bakeoff.results.records import CONTROL_ARM
from tools.simulation.noise import BASELINE, CANDIDATE, TYPICAL, Machine, RareCost
from tools.simulation.trials import Setting, covers, judge, judge_family, summarize


def mean_times(machine: Machine, rounds: int = 60, *, is_long: bool = False) -> dict[str, float]:
    records = [machine.next_round(number, is_long=is_long) for number in range(rounds)]
    return {
        name: statistics.fmean(
            batch.wall_s for record in records for batch in record.arms[name].batches
        )
        for name in (BASELINE, CANDIDATE, CONTROL_ARM)
    }


def test_the_candidate_is_slower_by_its_effect_and_the_control_by_nothing() -> None:
    times = mean_times(Machine(TYPICAL, 1.5, 1))
    assert times[CANDIDATE] / times[BASELINE] == pytest.approx(1.5, rel=0.03)
    assert times[CONTROL_ARM] / times[BASELINE] == pytest.approx(1.0, rel=0.03)


def test_a_rare_cost_costs_what_its_truth_says() -> None:
    rare = RareCost(20, 4.0, is_gc=False)
    times = mean_times(Machine(TYPICAL, 1.0, 1, rare=rare), is_long=True)
    assert times[CANDIDATE] / times[BASELINE] == pytest.approx(rare.ratio, rel=0.03)


def test_rounds_that_start_alike_hold_the_same_number_of_rare_costs() -> None:
    machine = Machine(TYPICAL, 1.0, 1, rare=RareCost(20, 4.0, is_gc=True))
    counts = {
        sum(batch.collections for batch in machine.next_round(n).arms[CANDIDATE].batches)
        for n in range(10)
    }
    assert counts == {2}


def test_the_same_seed_has_the_same_comparison() -> None:
    assert judge(Setting(TYPICAL, 1.0), 3) == judge(Setting(TYPICAL, 1.0), 3)


def test_a_clear_slowdown_is_found_and_identical_code_is_not() -> None:
    found = summarize(Setting(TYPICAL, 1.1), [judge(Setting(TYPICAL, 1.1), n) for n in range(20)])
    assert found.verdicts == {"slower": 20}
    assert found.effect_percent == 10
    alike = summarize(Setting(TYPICAL, 1.0), [judge(Setting(TYPICAL, 1.0), n) for n in range(20)])
    assert alike.verdicts.get("slower", 0) + alike.verdicts.get("faster", 0) <= 1


@pytest.mark.parametrize("is_gc", [True, False])
def test_rare_costs_are_judged_by_their_mean(is_gc: bool) -> None:
    setting = Setting(TYPICAL, 1.0, RareCost(20, 4.0, is_gc=is_gc))
    found = summarize(setting, [judge(setting, seed) for seed in range(20)])
    assert found.median_ratio == pytest.approx(1.2, rel=0.02)
    assert found.named == (0 if is_gc else 20)


def test_families_and_intervals_are_judged() -> None:
    assert sum(judge_family(TYPICAL, 3, seed) for seed in range(5)) <= 1
    assert sum(covers(TYPICAL, 10, seed) for seed in range(50)) >= 47
